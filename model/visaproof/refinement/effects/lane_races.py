"""Lanes of a wide target whose work items the source runs in several threads, which race.

T is the target, T' the same in which no lane finds what a lane of another thread of the source stored, unless a barrier
comes between, and m holds where one of T' would:

    m  ⇒  the source is undefined,   T' refines the source        ⟹        T refines the source

Until m first holds, T does what T' does.  So both do the same wherever the source is defined.
"""

from collections.abc import Iterator
from itertools import product

from visaproof.machine.symbolic.trace import Performed
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.conflict import PairedLane
from visaproof.queries.kernels.lane_accesses import accesses_by_lane
from visaproof.refinement.effects.side import Side, surface_then
from visaproof.semantics.symbolic.accesses import Load, Store
from visaproof.smt import Bool, is_false


def lane_races(side: Side) -> Iterator[Bool]:
    """Where a lane would find what a lane of another thread of the source stored."""
    if not side.narrow:
        return
    stored: dict[str, list[PairedLane]] = {}
    for place, performed in enumerate(side.trace.performed):
        surface = surface_then(side, place)
        for one, other in product(stored.get(surface, ()), _lanes(side, performed, Load)):
            threads = {each.write.lane // side.narrow for each in (one, other)}
            if len(threads) > 1 and not is_false(meet := one.meets(other)):
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
