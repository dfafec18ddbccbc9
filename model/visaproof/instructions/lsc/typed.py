"""The typed quads of LSC: what their loads and stores share.  Source: docs/pages/current-compiler.md §5."""

from collections.abc import Iterator

from msgspec import Struct

from visaproof.instructions.instruction import require, require_execution
from visaproof.isa.operands import Channels, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import BitVec, Bool, add, const

PAGE = "docs/pages/current-compiler.md §5"

READINGS = (
    "mask-alignment", "short-predicate", "any-all-window", "short-variable", "disabled-lanes", "lod-range",
    "typed-format", "lsc-typed-outside",
)  # fmt: skip

COMPONENTS = 4
"""x, y, z, w: the channels R, G, B, A of a texel."""
COORDINATES = 4
"""U, V, R, LOD."""


class Coordinate(Struct, frozen=True):
    """`V10.64+0x1`: a dword per lane, and what is added to it, modulo 2^32."""

    operand: RawOperand
    moved: int = 0

    def __str__(self) -> str:
        return f"{self.operand}{f'{self.moved:+#x}' if self.moved else ''}"


Coordinates = tuple[Coordinate, ...]
"""U, then V, R and LOD as far as they are written; the rest is 0."""


def shown(coordinates: Coordinates) -> str:
    return f"[{','.join(map(str, coordinates))}]"


def require_quad(
    execution: Execution,
    channels: Channels,
    coordinates: Coordinates,
    spec: Spec,
    platform: Platform,
    readings: Readings,
) -> None:
    """Raises IllegalInstruction where the operands break the page."""
    require_execution(execution, spec, readings)
    require(platform >= Platform.Xe2, "typed messages of LSC exist from Xe2 on", PAGE)
    require(0 < channels.mask < 16, "at least one of x, y, z, w", PAGE)
    require(0 < len(coordinates) <= COORDINATES, f"{len(coordinates)} coordinates", PAGE)


# ---------------------------------------------------------------- the symbolic machine


def texel_of(state: SymbolicState, where: Coordinates, lane: int, enabled: Bool) -> tuple[tuple[BitVec, ...], bool]:
    """A lane's (u, v, r, lod), and whether the variables have them."""
    read = [(state.read_dword(one.operand, lane, enabled), one.moved) for one in where]
    values = [add(value, const(moved, 32)) if moved else value for (value, _), moved in read]
    return (*values, *[const(0, 32)] * (COORDINATES - len(where))), all(held for (_, held), _ in read)


def component_places(channels: Channels, lanes: int, grf_bytes: int) -> Iterator[tuple[int, int]]:
    """Each chosen component, with the byte behind the data operand at which its dwords begin: in whole registers."""
    start = 0
    for component in range(COMPONENTS):
        if channels.mask >> component & 1:
            yield component, start
            start += max(4 * lanes, grf_bytes)
