"""`--output FORMAT:FILE`: every format of results, written whole or not at all."""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from visaproof.report.results.finding import Result
from visaproof.report.results.formats import IN_A_FILE, RENDERERS, Format


class Output(Struct, frozen=True):
    """A format, and the file that gets it."""

    format: Format
    file: Path


class Report(Struct, frozen=True):
    """All results of a run, and how the command shows them as text and JSON."""

    command: str
    results: Sequence[Result]
    text: Callable[[], str]
    json: Callable[[], str]

    def rendered(self, one: Format, *, in_a_file: bool = False) -> str:
        """The whole text in that format, with a newline at its end."""
        found = (IN_A_FILE if in_a_file else RENDERERS)[one](self)
        return found if found.endswith("\n") or not found else found + "\n"


def write(outputs: Sequence[Output], report: Report) -> Iterator[OSError]:
    """Writes each file; what cannot be written does not keep others from it."""
    for one in outputs:
        text = report.rendered(one.format, in_a_file=True)
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
