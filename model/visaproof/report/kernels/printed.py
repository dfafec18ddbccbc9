"""What `visaproof print` says: the text of a kernel, or whether a file has that text already."""

from collections import Counter
from pathlib import Path
from typing import IO

import msgspec

from visaproof.isa.errors import ReadError
from visaproof.report.text.documents import Document, encode, shown_path
from visaproof.report.text.excerpt import printable


class Printed(msgspec.Struct, kw_only=True):
    """One file; `changes` is null where it could not be read."""

    file: str
    changes: bool | None
    line: int | None
    """The first that would change."""
    only_blanks: bool | None
    """Whether nothing but blanks would change; null where nothing would."""
    text: str | None
    """Null with `--check`."""
    error: str | None


class PrintDocument(Document, kw_only=True):
    """`visaproof print`."""

    files: list[Printed]


class PrintReport:
    """Prints file by file if `as_text`, else one document at the end."""

    def __init__(self, stream: IO[str], as_text: bool, only_check: bool) -> None:
        self._stream = stream
        self._as_text = as_text
        self._only_check = only_check
        self._files: list[Printed] = []

    def add(self, path: Path, written: str, printed: str) -> None:
        line = _first_difference(written, printed) if written != printed else None
        text = None if self._only_check else printed
        blanks = None if line is None else _words(written) == _words(printed)
        self._files.append(
            Printed(
                file=shown_path(path), changes=line is not None, line=line, only_blanks=blanks, text=text, error=None
            )
        )
        if not self._as_text:
            return
        if text is not None:
            self._stream.write(text)
        elif line is None:
            self._say(f"{path}: as printed")
        else:
            self._say(f"{path}:{line}: would change{', blanks only' if blanks else ''}")

    def unreadable(self, path: Path, error: ReadError) -> None:
        reason = shown_path(str(error))
        self._files.append(
            Printed(file=shown_path(path), changes=None, line=None, only_blanks=None, text=None, error=reason)
        )

    def finish(self, exit_code: int) -> None:
        if not self._as_text:
            print(encode(PrintDocument(command="print", exit_code=exit_code, files=self._files)), file=self._stream)
        elif self._only_check:
            self._say(", ".join(f"{count} {word}" for word, count in Counter(map(_word, self._files)).items()))

    def _say(self, line: str) -> None:
        print(printable(line), file=self._stream)


def _word(file: Printed) -> str:
    """What becomes of the file."""
    if file.changes is None:
        return "unreadable"
    return "as printed" if not file.changes else "would change in blanks only" if file.only_blanks else "would change"


def _words(text: str) -> list[list[str]]:
    return [line.split() for line in text.split("\n") if line.strip()]


def _first_difference(written: str, printed: str) -> int:
    """The first line, from 1, that is not the same; the one behind the last if only one text goes on."""
    lines = zip(written.split("\n"), printed.split("\n"), strict=False)
    same = next((number for number, (first, second) in enumerate(lines, 1) if first != second), None)
    return same or min(written.count("\n"), printed.count("\n")) + 2
