"""From text to statements: lines, continuation lines and comments.  Source: docs/pages/operands-and-files.md §1."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from visaproof.isa.errors import Position, ReadError
from visaproof.visaasm.file_content import opened

MAX_CHARACTERS = 16 * 1024 * 1024
"""80 for each of the most lines; the compiler's lines have 56 on average."""
MAX_LINES = 200_000
"""About ten seconds and 250 MB of statements; the longest of 488 compiled kernels has 668."""
MOST_BESIDE = 1000
"""Files that are looked through for one that may have been meant."""
MAX_STATEMENT = 16 * 1024
"""Characters of one statement; the compiler's longest line has 97."""

BLANKS = " \t\r"
_NOTABLE = re.compile(r'"(?:[^"\\]|\\.)*"|//|/\*|"')


class LogicalLine(NamedTuple):
    """One statement, which may have come from several lines; `text` starts and ends with a non-blank."""

    text: str
    path: str
    line: int
    column: int
    pieces: tuple[tuple[int, int, int], ...] = ()
    """Of each continuation line: where it starts in `text`, and its line and column."""

    def position(self, offset: int) -> Position:
        if not self.pieces:
            return Position(self.path, self.line, self.column + offset)
        line, column, start = self.line, self.column, 0
        for piece_start, piece_line, piece_column in self.pieces:
            if piece_start > offset:
                break
            start, line, column = piece_start, piece_line, piece_column
        return Position(self.path, line, column + offset - start)


def read_text(path: Path) -> str:
    """The text of a file.  Raises ReadError where there is none."""
    start = Position(str(path), 1, 1)
    try:
        if path.stat().st_size > MAX_CHARACTERS:
            raise ReadError("the file is too large", start, f"at most {MAX_CHARACTERS:,} bytes are read")
        with opened(path) as file:
            content = file.read(MAX_CHARACTERS + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ReadError(f"the file cannot be opened: {reason}", start, _meant(path)) from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if content.startswith(b"\x7fELF"):
            hint = "`visaproof dump` makes kernels of a source; a zebin is for --launch"
            raise ReadError("this is a binary of the compiler, and the question is about vISA", start, hint) from None
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        hint = ".visaasm files are text; is this a byte-code (.isa) file?"
        raise ReadError("this byte is not UTF-8 text", Position(str(path), line, column), hint) from None


def split_lines(text: str, path: str) -> tuple[str, ...]:
    """The lines of a text that is small enough to read.  Raises ReadError for any other."""
    start = Position(path, 1, 1)
    if (count := text.count("\n") + 1) > MAX_LINES:
        raise ReadError(f"the file has {count:,} lines", start, f"at most {MAX_LINES:,} lines are read")
    if len(text) > MAX_CHARACTERS:
        raise ReadError("the text is too long", start, f"at most {MAX_CHARACTERS:,} characters are read")
    lines = tuple(text.split("\n"))
    if "\0" in text:
        number, line = next((number, line) for number, line in enumerate(lines, 1) if "\0" in line)
        hint = ".visaasm files are text; is this a byte-code (.isa) file?"
        raise ReadError("a NUL byte", Position(path, number, line.index("\0") + 1), hint)
    return lines


def logical_lines(lines: tuple[str, ...], path: str) -> Iterator[LogicalLine]:
    """The statements, comments left out and continuation lines joined."""
    comment: Position | None = None
    parts: list[tuple[str, int, int]] = []
    for number, code in enumerate(lines, 1):
        if comment is not None or '"' in code or "/*" in code:
            code, comment = _without_comments(code, comment, path, number)
        elif (cut := code.find("//")) >= 0:
            code = code[:cut]
        code = code.rstrip(BLANKS)
        stripped = code.lstrip(BLANKS)
        column = len(code) - len(stripped) + 1
        if stripped.endswith("\\"):
            parts.append((stripped[:-1], number, column))
        elif parts and (stripped or number < len(lines)):
            yield from _joined([*parts, (stripped, number, column)], path)
            parts = []
        elif stripped:
            if len(stripped) > MAX_STATEMENT:
                raise _too_long(Position(path, number, column))
            yield LogicalLine(stripped, path, number, column)
    if comment is not None:
        raise ReadError("this comment does not end", comment, "close it with */")
    if parts:
        _, number, column = parts[-1]
        raise ReadError("the file ends in the middle of a statement", Position(path, number, column))


def _without_comments(code: str, comment: Position | None, path: str, number: int) -> tuple[str, Position | None]:
    """The line with blanks in place of comments, and where a comment that goes on in the next line began."""
    kept: list[str] = []
    start = 0
    while True:
        if comment is not None:
            end = code.find("*/", start)
            if end < 0:
                return "".join(kept), comment
            kept.append(" " * (end + 2 - start))
            start, comment = end + 2, None
        match = _NOTABLE.search(code, start)
        if match is None or match.group() == "//":
            kept.append(code[start : match.start() if match else None])
            return "".join(kept), None
        if match.group() == '"':
            raise ReadError("this string does not end", Position(path, number, match.start() + 1))
        if match.group() == "/*":
            kept.append(code[start : match.start()] + "  ")
            comment = Position(path, number, match.start() + 1)
        else:
            kept.append(code[start : match.end()])
        start = match.end()


def _joined(parts: list[tuple[str, int, int]], path: str) -> Iterator[LogicalLine]:
    """The statement of these lines, or nothing if all are blank."""
    written = [part for part in parts if part[0]]
    if not written:
        return
    _, line, column = written[0]
    if sum(len(text) + 1 for text, _, _ in written) > MAX_STATEMENT:
        raise _too_long(Position(path, line, column))
    text, pieces = "", list[tuple[int, int, int]]()
    for piece, piece_line, piece_column in written:
        if text:
            text += " "
            pieces.append((len(text), piece_line, piece_column))
        text += piece
    yield LogicalLine(text.rstrip(BLANKS), path, line, column, tuple(pieces))


def _too_long(position: Position) -> ReadError:
    return ReadError("this statement is too long", position, f"at most {MAX_STATEMENT:,} characters are read as one")


def _meant(path: Path) -> str:
    """A hint with the files beside a missing one whose names are most like it, or ""."""
    from difflib import get_close_matches

    try:
        beside = [one.name for one in islice(path.parent.iterdir(), MOST_BESIDE)] if not path.exists() else []
    except (OSError, ValueError):
        return ""
    dumps = sorted(name for name in beside if name.startswith(path.name) and name.endswith(".visaasm"))
    close = dumps or get_close_matches(path.name, beside, n=2)
    return f"did you mean {' or '.join(str(path.parent / name) for name in close[:2])}?" if close else ""
