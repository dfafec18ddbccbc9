"""Work items that race: a thread runs its messages in an order, but its lanes run work items that have none.

    lane i stores in message m a byte that lane j ≠ i stores in message n ≠ m,  no barrier and no fence between m and n
    ⇒  two work items race, which OpenCL C leaves undefined

Such a thread is defined by the pages: what it stores last stays.  But where m and n are one message of the target, or
come in the other order there, the same work items collide, or leave something else.  So a proof that leaves the source
undefined there has a condition, which the answer names (`Condition.ITEMS_APART`).

As a compiler splits a message into parts for so many lanes, a store of some lanes is held against that of others which
is as many stores of these lanes after the last barrier.  That some pairs are left out makes the condition weaker.
"""

from collections.abc import Hashable, Iterator
from functools import cached_property
from itertools import combinations, product

from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.conflict import PairedLane
from visaproof.queries.kernels.lane_accesses import accesses_by_lane
from visaproof.queries.kernels.undefined import Conditions, UndefinedKind
from visaproof.refinement.effects.history import History
from visaproof.refinement.effects.side import Side, lane_of, surface_then
from visaproof.semantics.symbolic.accesses import Store
from visaproof.smt import Bool, is_false

_Lanes = tuple[int, ...]


class ItemRaces:
    """Where lanes of two messages of a thread store one byte; made if it decides."""

    def __init__(self, side: Side, history: History) -> None:
        self._side, self._history = side, history

    @cached_property
    def conditions(self) -> Conditions:
        """Under the shared names."""
        meets = self._history.common(list(_meets(self._side)))
        return {meet: UndefinedKind.RACE for meet in meets if not is_false(meet)}


def _meets(side: Side) -> Iterator[Bool]:
    found: dict[Hashable, dict[_Lanes, list[list[PairedLane]]]] = {}
    for place, performed in enumerate(side.trace.performed):
        stores = [one for one in performed.accesses if isinstance(one, Store) and lane_of(performed, one) is not None]
        seen = [one for one in stores if not is_private(side.trace, performed, one)]
        lanes = [PairedLane(one) for one in accesses_by_lane(performed, seen)]
        ordered = sum(one.before <= place for one in side.trace.events)
        of_surface = found.setdefault((surface_then(side, place), ordered), {})
        of_surface.setdefault(tuple(one.write.lane for one in lanes), []).append(lanes)
    for of_surface in found.values():
        for (one, first), (other, second) in combinations(of_surface.items(), 2):
            if set(one).isdisjoint(other):
                pairs = (pair for both in zip(first, second, strict=False) for pair in product(*both))
                meets = (mine.meets(theirs) for mine, theirs in pairs)
                yield from (meet for meet in meets if not is_false(meet))
