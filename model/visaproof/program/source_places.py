"""Which line of the program's source a statement comes from: `FILE` and `LOC`, which the compiler writes with `-g`."""

import re
from bisect import bisect_left
from functools import lru_cache

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.isa.identity import Same
from visaproof.program.kernel import Kernel

_DIRECTIVE = re.compile(r'\s*(?:FILE\s+"((?:[^"\\]|\\.)*)"|\.file\s+"((?:[^"\\]|\\.)*)"|(?:LOC|\.loc)\s+(\d+))\s*$')


class SourcePlace(Struct, frozen=True):
    """A line of OpenCL C, SYCL, …; lines count from 1."""

    file: str
    """As the compiler wrote it."""
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def source_place(kernel: Kernel, position: Position) -> SourcePlace | None:
    """Where a statement comes from; None in a dump without lines of source, or where the compiler says line 0.

    The line is that of the last `LOC` above the statement, and the file that of the last `FILE`.
    """
    if position.path != kernel.path:
        return None
    line: int | None = None
    directives = _directives(Same(kernel))
    for place in range(bisect_left(directives, (position.line,)) - 1, -1, -1):
        _, name, number = directives[place]
        if name is None:
            line = number if line is None else line
        elif line is not None:
            return SourcePlace(name, line) if line else None
    return None


@lru_cache(maxsize=4)
def _directives(same: Same[Kernel]) -> list[tuple[int, str | None, int]]:
    """Each with its line in the dump: the name of a file, or None and a line of source."""
    matches = ((at, _DIRECTIVE.match(text)) for at, text in enumerate(same.it.source_lines, 1))
    found = ((at, *match.groups()) for at, match in matches if match is not None)
    return [(at, name if name is not None else older, int(number or 0)) for at, name, older, number in found]
