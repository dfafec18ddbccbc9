"""Which line of the program's source a statement comes from: `FILE` and `LOC`, which the compiler writes with `-g`."""

import re

from msgspec import Struct

from visaproof.isa.errors import Position
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
    for text in reversed(kernel.source_lines[: position.line - 1]):
        found = _DIRECTIVE.match(text)
        if found is None:
            continue
        name, older_name, number = found.groups()
        if number is not None:
            line = int(number) if line is None else line
        elif line is not None:
            return SourcePlace(name if name is not None else older_name, line) if line else None
    return None
