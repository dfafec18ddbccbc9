"""`%sizeof(NAME)`: the bytes of a variable, put in its place before a statement is read.

Source: docs/pages/operands-and-files.md §1.
"""

import re

from visaproof.isa.errors import Position, ReadError
from visaproof.visaasm.declarations import Declarations
from visaproof.visaasm.source import LogicalLine
from visaproof.visaasm.syntax import GeneralVariable, SurfaceVariable

SIZEOF = re.compile(r'"(?:[^"\\]|\\.)*"|%sizeof\s*(?:\(\s*(\w+)\s*\)|\s(\w+))', re.ASCII)


def with_sizes(text: str, line: LogicalLine, declarations: Declarations, grf_bytes: int | None) -> str:
    """The statement with the value of each `%sizeof(…)`, padded so that no column moves."""

    def value(match: re.Match[str]) -> str:
        name = match.group(1) or match.group(2)
        if name is None:
            return match.group()
        return str(_size_of(name, line.position(match.start()), declarations, grf_bytes)).rjust(len(match.group()))

    return SIZEOF.sub(value, text)


def _size_of(name: str, position: Position, declarations: Declarations, grf_bytes: int | None) -> int:
    variable = declarations.find(name)
    if name == "GRF" and variable is None:
        if grf_bytes is None:
            raise ReadError("the size of a GRF depends on the platform", position, "name the platform")
        return grf_bytes
    match declarations.known(name, position):
        case GeneralVariable() as general:
            return general.size
        case SurfaceVariable() as surface:
            return 4 * surface.num_elts
        case _:
            raise ReadError(f"{name} has no size in bytes", position)
