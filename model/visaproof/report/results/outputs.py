"""`--output FORMAT:FILE`: every format of results, written whole or not at all."""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from visaproof.report.results.finding import Result

FORMATS = ("text", "json", "sarif", "junit", "github")


@dataclass(frozen=True, slots=True)
class Output:
    """A format, and the file that gets it."""

    format: str
    file: Path


@dataclass(frozen=True, slots=True)
class Report:
    """All results of a run, and how the command shows them as text and JSON."""

    command: str
    results: Sequence[Result]
    text: Callable[[], str]
    json: Callable[[], str]

    def rendered(self, name: str) -> str:
        """The whole text in that format, with a newline at its end."""
        match name:
            case "text":
                found = self.text()
            case "json":
                found = self.json()
            case "sarif":
                from visaproof.report.results.sarif import sarif

                found = sarif(self.command, self.results)
            case "junit":
                from visaproof.report.results.junit import junit

                found = junit(self.command, self.results)
            case _:
                from visaproof.report.results.github import annotations

                found = "\n".join(annotations(self.results))
        return found if found.endswith("\n") or not found else found + "\n"


def write(outputs: Sequence[Output], report: Report) -> Iterator[OSError]:
    """Writes each file; what cannot be written does not keep others from it."""
    for one in outputs:
        text = report.rendered(one.format)
        if one.format == "github":
            text = _with_summary(report)
        try:
            write_whole(one.file, text)
        except OSError as error:
            yield error


def write_whole(path: Path, text: str) -> None:
    """Puts a new file in the place of an old one, so that nobody ever reads a half.  Raises OSError."""
    content = text.encode(errors="backslashreplace")
    if path.exists() and not path.is_file():  # /dev/stdout, a pipe, or the step summary of a runner
        path.write_bytes(content)
        return
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _with_summary(report: Report) -> str:
    """A file of the format github gets the summary of the step: annotations are read from stdout alone."""
    from visaproof.report.results.github import summary

    return "\n".join(summary(report.command, report.results)) + "\n"
