"""The accesses of a memory message, lane by lane."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from visaproof.machine.symbolic.trace import Performed
from visaproof.semantics.symbolic.accesses import Access, Cell, Store
from visaproof.smt import const, sub, value_of


class LaneAccesses(Struct, frozen=True):
    """What one lane of a message accesses, at constant distances from the first of them, or channels of one texel."""

    lane: int
    """Counted from the first lane of the thread."""
    base: Cell
    """(byte address,) of the first, or (u, v, r, lod)."""
    stores: tuple[tuple[int, Access], ...]
    """(bytes behind `base`, access), or (channel, access): of a scatter, its stores"""

    @property
    def is_texel(self) -> bool:
        return len(self.base) > 1


def stores_by_lane(performed: Performed) -> list[Access]:
    """The stores of a message lane by lane."""
    return [one for one in performed.accesses if isinstance(one, Store) and one.lane is not None]


def accesses_by_lane(performed: Performed, accesses: Iterable[Access]) -> list[LaneAccesses]:
    """These accesses of a message, lane by lane; those of a block as if one lane had them.

    The rows of a 2D block, whose pitch is unknown, are as if as many lanes had them.  A lane is there several times if
    its accesses lie at distances that are not constant.
    """
    by_lane: dict[int, list[Access]] = {}
    for access in accesses:
        by_lane.setdefault(access.lane or 0, []).append(access)
    first_lane = performed.instruction.first_lane
    found: list[LaneAccesses] = []
    for lane, stores in by_lane.items():
        for base, placed in _rows(stores):
            found.append(LaneAccesses(first_lane + lane, base, tuple(placed)))
    return found


def _rows(accesses: Sequence[Access]) -> list[tuple[Cell, list[tuple[int, Access]]]]:
    """The accesses at constant distances from the first of each row."""
    rows: list[tuple[Cell, list[tuple[int, Access]]]] = []
    for access in accesses:
        *texel, last = access.cell
        for base, placed in reversed(rows):
            distance = value_of(sub(last, const(0, 2) if texel else base[-1]))
            if distance is not None:
                placed.append((distance, access))
                break
        else:
            start = value_of(last) if texel else 0
            assert start is not None
            rows.append((tuple(texel) or (last,), [(start, access)]))
    return rows
