"""Which pairs of lanes stand for others where it is asked whether they write one byte."""

from visaproof.analysis.conflicts.items_apart import Meeting, Meetings
from visaproof.queries.kernels.conflict import LaneAccesses, LanePair
from visaproof.smt import Bool, add, conj, const, eq, mul, symbol, true, ult

LANES = [symbol(f"x.{lane}", 32) for lane in range(8)]
PITCH = symbol("pitch", 32)


def of(one: int, other: int, meet: Bool) -> Meeting:
    accesses = LaneAccesses(one, (LANES[one],), ()), LaneAccesses(other, (LANES[other],), ())
    return Meeting(LanePair(one, other, meet, accesses), true(), meet)


def meeting(one: int, other: int, *more: Bool) -> Meeting:
    return of(one, other, conj(eq(mul(LANES[one], PITCH), mul(LANES[other], PITCH)), *more))


PAIRS = [(one, other) for other in range(8) for one in range(other)]
ALL = [meeting(*pair) for pair in PAIRS]
SIZE = ult(const(0, 32), PITCH)


def test_one_pair_stands_for_all_that_differ_in_names_alone() -> None:
    found = Meetings.of([SIZE], ALL)
    assert len(found.some) == 1
    assert found.about([ult(PITCH, const(64, 32))]) == found.some


def test_lanes_of_which_more_is_assumed_stand_for_themselves() -> None:
    """The premises name one of them, or what is tried does."""
    first = ult(LANES[0], const(4, 32))
    assert len(Meetings.of([SIZE, first], ALL).some) > 1
    assert Meetings.of([SIZE], ALL).about([first]) == tuple(ALL)


def test_what_all_have_keeps_its_name() -> None:
    """Two arguments are not exchanged: a candidate may be about one of them."""
    width = symbol("width", 32)
    both = [meeting(0, 1, ult(PITCH, width)), meeting(2, 3, ult(width, PITCH))]
    assert len(Meetings.of([], both).some) == 2


def test_other_shapes_are_asked_about() -> None:
    other = of(0, 1, eq(add(LANES[0], PITCH), mul(LANES[1], PITCH)))
    assert Meetings.of([SIZE], [*ALL, other]).some == (ALL[0], other)
