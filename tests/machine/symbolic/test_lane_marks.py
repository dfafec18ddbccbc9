"""Which lane has written something: the one whose marks a guard has, all of them."""

import pytest

from visaproof.machine.symbolic.loops.lane_marks import EVERY_LANE, LaneMarks
from visaproof.smt import Bool, bool_symbol

ON = [bool_symbol(f"on{lane}") for lane in range(2)]
FIRST, SECOND, MORE = (bool_symbol(name) for name in ("first", "second", "more"))
MARKS = LaneMarks({0: frozenset((ON[0], FIRST)), 1: frozenset((ON[1], SECOND))})


@pytest.mark.parametrize(
    ("guard", "lane"),
    [
        ({ON[0], FIRST}, 0),
        ({ON[1], SECOND, MORE}, 1),
        ({ON[1], SECOND, FIRST}, 1),  # what was asked of the first lane is asked of the second, an iteration later
        ({ON[0], FIRST, ON[1], SECOND}, EVERY_LANE),
        ({MORE}, EVERY_LANE),
        ({FIRST}, EVERY_LANE),
        (set[Bool](), EVERY_LANE),
    ],
)
def test_a_lane_is_known_by_all_of_its_marks(guard: set[Bool], lane: int) -> None:
    assert MARKS.lane(frozenset(guard)) == lane
