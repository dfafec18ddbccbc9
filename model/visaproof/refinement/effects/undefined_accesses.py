"""What is wrong with an access that is undefined: an address, registers that are not there, or lanes that race."""

from collections.abc import Iterator
from itertools import product

from visaproof.machine.symbolic.trace import Performed
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.conflict import PairedLane
from visaproof.queries.kernels.lane_accesses import accesses_by_lane
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.effects.side import Side, surface_then
from visaproof.semantics.symbolic.accesses import Access, Load, Store
from visaproof.smt import (
    BitVec,
    Bool,
    conj,
    const,
    eq,
    is_false,
    known_trailing_zeros,
    neg,
    truncate,
)

DWORD = 4

LARGER_UNITS = ("qw_", "svm_")
"""What the opcodes begin with that ask for more than the width of each of their accesses."""


def kind_of(access: Access) -> UndefinedKind:
    """What a variable does not have is known, an address mostly is not."""
    return UndefinedKind.BEYOND_VARIABLE if is_false(access.defined) else UndefinedKind.MISALIGNED


def may_be_of_two_kinds(performed: Performed, access: Access) -> bool:
    """Whether an access never is defined, and its address may be a reason for that."""
    address, *coordinates = access.cell
    if coordinates or not is_false(access.defined):
        return False
    asks_for_more = performed.instruction.opcode.startswith(LARGER_UNITS)
    return asks_for_more or 1 << known_trailing_zeros(address) < max(DWORD, access.width)


def is_texel_read(access: Access) -> bool:
    """Whether it reads an image, and by no sampler, which defines what is read outside."""
    return isinstance(access, Load) and len(access.cell) > 1


def is_aligned(address: BitVec) -> Bool:
    """Whether an address is a multiple of 4."""
    return eq(truncate(address, 2), const(0, 2))


def where_aligned(defined: Bool, address: BitVec) -> Bool:
    """Where an access is defined and its address is a multiple of 4; as it was if it says so already."""
    aligned = is_aligned(address)
    return defined if is_false(conj(defined, neg(aligned))) else conj(defined, aligned)


# ---------------------------------------------------------------- lanes that race


def lane_races(side: Side) -> Iterator[Bool]:
    """Where a lane would find what a lane of another thread of the source stored."""
    if not side.narrow:
        return
    stored: dict[str, list[PairedLane]] = {}
    for place, performed in enumerate(side.trace.performed):
        surface = surface_then(side, place)
        for one, other in product(stored.get(surface, ()), _lanes(side, performed, Load)):
            apart = one.write.lane // side.narrow != other.write.lane // side.narrow
            if apart and not is_false(meet := one.meets(other)):
                yield meet
        stored.setdefault(surface, []).extend(_lanes(side, performed, Store))


def _lanes(side: Side, performed: Performed, kind: type[Load] | type[Store]) -> list[PairedLane]:
    """What lanes do of this kind, as far as it is known whose it is (`Side.owner`)."""
    own = (
        access
        for access in performed.accesses
        if isinstance(access, kind) and access.lane is not None and len(access.cell) == 1
    )
    seen = [one for one in own if not is_private(side.trace, performed, one)]
    return [PairedLane(one) for one in accesses_by_lane(performed, seen)]
