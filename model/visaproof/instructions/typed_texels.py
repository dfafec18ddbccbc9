"""What GATHER4_TYPED and SCATTER4_TYPED share: the rules of their operands, and the lanes' texels.

Pages: GATHER4_TYPED.md, SCATTER4_TYPED.md.
"""

from visaproof.instructions.instruction import require, require_execution
from visaproof.instructions.typed_atomic import NOT_TYPED
from visaproof.isa.operands import NULL, Channels, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import BitVec, Bool, const

CHANNELS = 4
"""R, G, B, A."""

READINGS = (
    "mask-alignment", "short-predicate", "any-all-window", "short-variable", "disabled-lanes", "typed-bounds",
    "lod-range", "typed-format",
)  # fmt: skip

Coordinates = tuple[RawOperand, RawOperand, RawOperand, RawOperand]
"""U, V, R and LOD; each null where the surface has none."""


def require_typed(
    execution: Execution,
    channels: Channels,
    surface: str,
    where: Coordinates,
    spec: Spec,
    platform: Platform,
    readings: Readings,
) -> None:
    """The rules of both pages.  Raises IllegalInstruction."""
    require_execution(execution, spec, readings)
    wide = platform.grf_bytes == 64  # the page has 8 lanes; Intel's compiler sends 16 from PVC on
    require(execution.size == 8 or wide, f"{execution.size} lanes of a typed message exist from PVC on", spec.page)
    require(0 < channels.mask < 16, "at least one of the channels R, G, B, A must be enabled", spec.page)
    require(surface not in NOT_TYPED, f"{surface} has no texels", spec.page)
    u, v, r, _ = where
    require(u != NULL, "U must not be null", spec.page)
    require(r == NULL or v != NULL, "R needs V", spec.page)


def texel_of(state: SymbolicState, where: Coordinates, lane: int, enabled: Bool) -> tuple[tuple[BitVec, ...], bool]:
    """A lane's (u, v, r, lod), 0 where an operand is null, and whether the variables have them all."""
    read = [(const(0, 32), True) if each == NULL else state.read_dword(each, lane, enabled) for each in where]
    return tuple(value for value, _ in read), all(held for _, held in read)


def slots(channels: Channels, execution: Execution, platform: Platform) -> list[tuple[int, int]]:
    """Each enabled channel, and the first byte of its data behind the raw operand.

    Page: "The next enabled channel will get its data from the next register."
    """
    enabled = [channel for channel in range(CHANNELS) if channels.mask >> channel & 1]
    slot_bytes = max(4 * execution.size, platform.grf_bytes)
    return [(channel, slot * slot_bytes) for slot, channel in enumerate(enabled)]
