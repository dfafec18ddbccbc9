"""Which pairs of lanes stand for others where it is asked whether they write one byte."""

from collections.abc import Collection

from visaproof.analysis.conflicts.any_items.pair_collisions import PairCollision, PairCollisions, any_two
from visaproof.launch.ids.any_items import any_ids
from visaproof.queries.kernels.conflict import LanePair
from visaproof.queries.kernels.lane_accesses import LaneAccesses
from visaproof.semantics.symbolic.names import lane_on
from visaproof.smt import Bool, Term, add, conj, const, eq, mul, symbol, true, ult

LANES = [symbol(f"x.{lane}", 32) for lane in range(10)]
PITCH = symbol("pitch", 32)


def of(one: int, other: int, meet: Bool, said: Collection[Term] = ()) -> PairCollision:
    accesses = LaneAccesses(one, (LANES[one],), ()), LaneAccesses(other, (LANES[other],), ())
    return PairCollision(LanePair(one, other, meet, accesses), true(), meet, any_two((one, other), said))


def meeting(one: int, other: int, *more: Bool) -> PairCollision:
    return of(one, other, conj(eq(mul(LANES[one], PITCH), mul(LANES[other], PITCH)), *more))


PAIRS = [(one, other) for other in range(8) for one in range(other)]
ALL = [meeting(*pair) for pair in PAIRS]
SIZE = ult(const(0, 32), PITCH)


def test_one_pair_stands_for_all_that_differ_in_names_alone() -> None:
    found = PairCollisions.of([SIZE], ALL)
    assert len(found.some) == 1
    assert found.about([ult(PITCH, const(64, 32))]) == found.some


def test_lanes_of_which_more_is_assumed_stand_for_themselves() -> None:
    """The premises name one of them, or what is tried does."""
    first = ult(LANES[0], const(4, 32))
    assert len(PairCollisions.of([SIZE, first], ALL).some) > 1
    assert PairCollisions.of([SIZE], ALL).about([first]) == tuple(ALL)


def test_what_all_have_keeps_its_name() -> None:
    """Two arguments are not exchanged: a candidate may be about one of them."""
    width = symbol("width", 32)
    both = [meeting(0, 1, ult(PITCH, width)), meeting(2, 3, ult(width, PITCH))]
    assert len(PairCollisions.of([], both).some) == 2


def test_other_shapes_are_asked_about() -> None:
    other = of(0, 1, eq(add(LANES[0], PITCH), mul(LANES[1], PITCH)))
    assert PairCollisions.of([SIZE], [*ALL, other]).some == (ALL[0], other)


def row(lane: int) -> Term:
    return any_ids(lane)[1]


def below(one: int, other: int) -> Bool:
    """That both run, and that the row of one lies before the row of the other."""
    return conj(lane_on(one), lane_on(other), ult(any_ids(one)[1], any_ids(other)[1]))


def test_lanes_of_another_part_of_a_scatter_are_the_same_question() -> None:
    first, later = of(0, 1, below(0, 1)), of(8, 9, below(8, 9))
    assert first.meet is later.meet
    assert first.overlap() is later.overlap()


def test_a_lane_of_which_more_is_said_keeps_its_name() -> None:
    assert of(0, 1, below(0, 1), [row(0)]).meet is not of(8, 9, below(8, 9)).meet
    assert of(0, 1, below(0, 1), [lane_on(1)]).meet is not of(8, 9, below(8, 9)).meet


def test_two_lanes_are_not_taken_for_each_other_or_for_a_third_one() -> None:
    """The first lane of a thread may decide for all: it is not the first of the pair."""
    assert of(0, 1, below(0, 1)).meet is not of(8, 9, below(9, 8)).meet
    assert of(0, 1, below(0, 1)).meet is not of(8, 9, below(0, 9)).meet
    assert (
        of(8, 9, conj(below(8, 9), ult(any_ids(0)[1], const(4, any_ids(0)[1].width)))).meet
        is not of(0, 1, conj(below(0, 1), ult(any_ids(0)[1], const(4, any_ids(0)[1].width)))).meet
    )
