"""Two columns of lines, as wide as a page of output or as the terminal; one below the other where that is narrow."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from textwrap import wrap

WIDTH = 118
NARROW = 100
"""Below so many characters two columns are too narrow to read."""


def width_of_output() -> int:
    """Columns of stdout that a page uses."""
    return min(WIDTH, shutil.get_terminal_size().columns - 2) if sys.stdout.isatty() else WIDTH


def beside(left: Sequence[str], right: Sequence[str]) -> Iterator[str]:
    """The lines of both, folded; the shorter column is filled up."""
    width = width_of_output()
    if width < NARROW - 2:
        yield from (f"  {part}".rstrip() for line in left for part in _folded(line, max(width, 40) - 4))
        yield from (f"  | {part}".rstrip() for line in right for part in _folded(line, max(width, 40) - 6))
        return
    half = (width - 9) // 2
    columns = [[part for line in side for part in _folded(line, half)] for side in (left, right)]
    for index in range(max(map(len, columns))):
        cells = [column[index] if index < len(column) else "" for column in columns]
        yield f"  {cells[0]:<{half}} | {cells[1]}".rstrip()


def _folded(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    return wrap(line, width, initial_indent=indent, subsequent_indent=indent + "  ", drop_whitespace=True) or [""]
