"""Which lane has written something, by its guard."""

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from visaproof.semantics.symbolic.literals import Literals
from visaproof.smt import Bool

EVERY_LANE = -1
"""In place of a lane: the write does not stand under the guard of one lane alone."""


class LaneMarks(Struct, dict=True):
    """What is asked of each lane alone for it to run, and of no other one when an iteration begins.

    Later on one mark by itself says nothing: i > 0 of one lane may be i - 1 > 0 of the next one.
    """

    of_lanes: Mapping[int, Literals]

    @cached_property
    def _lanes(self) -> dict[Bool, list[int]]:
        found = dict[Bool, list[int]]()
        for lane, own in self.of_lanes.items():
            for mark in own:
                found.setdefault(mark, []).append(lane)
        return found

    def lane(self, guard: Literals) -> int:
        """The only one of which a guard says all."""
        some = {lane for literal in guard for lane in self._lanes.get(literal, ())}
        whole = [lane for lane in some if self.of_lanes[lane] <= guard]
        return whole[0] if len(whole) == 1 else EVERY_LANE
