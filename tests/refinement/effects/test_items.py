"""One message of the target for several of the source: the same where work items do not race, as the answer says."""

from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from tests.refinement.widths.test_refinement_widths import ids, kernel
from tests.support.differences import kind_of
from visaproof.launch.assumptions import Assume
from visaproof.launch.matching import Program
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind, forbidden_by
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.effects.places import Condition
from visaproof.refinement.effects.races import LaneRaces
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Vacuous, Verdict
from visaproof.smt import true

LOW, HIGH = ("scatter4_scaled.R (M1, 8) T6 0x0:ud AT.0 {}.0", "scatter4_scaled.R (M3, 8) T6 0x0:ud AT.32 {}.32")
HALVES = f"{LOW}\n{HIGH}\n".format("X", "X")
WHOLE = "scatter4_scaled.R (M1, 16) T6 0x0:ud AT.0 X.0\n"
TWO_IN_ONE_PLACE = "and (M1, 16) AT(0,0)<1> AT(0,0)<1;1,0> 0x1c:ud\n"
"""Work items k and k + 8 store in one place, which are in two messages of the source."""


def items(*statements: str) -> Program:
    return kernel(16, ids(16) + "".join(statements))


def compared(source: Program, target: Program, forbidden: frozenset[UndefinedKind] = FORBIDDEN) -> Comparison:
    return compare(source, target, Scope(Assume.LAUNCH, forbidden))


def asked(source: Program, target: Program, forbidden: frozenset[UndefinedKind] = FORBIDDEN) -> Verdict:
    return decide(compared(source, target, forbidden), 10_000)


def shown(source: Program, target: Program) -> frozenset[Condition]:
    found = asked(source, target)
    assert isinstance(found, Refines), found
    return found.conditions


def test_a_message_of_all_lanes_needs_items_that_do_not_race() -> None:
    assert Condition.ITEMS_APART in shown(items(TWO_IN_ONE_PLACE, HALVES), items(TWO_IN_ONE_PLACE, WHOLE))


def test_what_is_shown_without_it_has_no_such_condition() -> None:
    assert Condition.ITEMS_APART not in shown(items(HALVES), items(WHOLE))
    assert Condition.ITEMS_APART not in shown(items(TWO_IN_ONE_PLACE, WHOLE), items(TWO_IN_ONE_PLACE, HALVES))


@pytest.mark.parametrize(
    "wrong",
    [
        WHOLE.replace("X.0", "Y.0"),
        WHOLE.replace("AT.0 X.0", "X.0 X.0"),
        WHOLE.replace("M1", "M1_NM"),
        LOW.format("X") + "\n",
    ],
)
def test_a_wrong_message_is_no_race(wrong: str) -> None:
    more = "add (M1, 16) Y(0,0)<1> X(0,0)<1;1,0> 0x1:ud\n"
    found = asked(items(TWO_IN_ONE_PLACE, more, HALVES), items(TWO_IN_ONE_PLACE, more, wrong))
    assert isinstance(found, Difference)


def test_stores_of_one_item_stay_in_order() -> None:
    """Two stores of each item in one place, of which the target makes the second first."""
    more = "add (M1, 16) Y(0,0)<1> X(0,0)<1;1,0> 0x1:ud\n"
    first, second = (text.format(*[name] * 2) for name in "XY" for text in [f"{LOW}\n{HIGH}\n"])
    source = items(TWO_IN_ONE_PLACE, more, first, second)
    assert Condition.ITEMS_APART in shown(source, items(TWO_IN_ONE_PLACE, more, WHOLE, WHOLE.replace("X.0", "Y.0")))
    wrong = asked(source, items(TWO_IN_ONE_PLACE, more, WHOLE.replace("X.0", "Y.0"), WHOLE))
    assert isinstance(wrong, Difference)


def test_an_item_does_not_race_with_itself() -> None:
    """Messages of all lanes and of a half have lanes in common, which store twice in their places."""
    more = "add (M1, 16) Y(0,0)<1> X(0,0)<1;1,0> 0x1:ud\n"
    half = LOW.format("Y") + "\n"
    assert isinstance(asked(items(more, WHOLE, half), items(more, half, WHOLE)), Difference)


def test_lanes_of_one_message_of_the_source_are_no_items_of_two() -> None:
    """Work items 2k and 2k + 1 collide in both, in one message: the source is undefined without a condition."""
    pairs = "and (M1, 16) AT(0,0)<1> AT(0,0)<1;1,0> 0xfffffff8:ud\n"
    assert Condition.ITEMS_APART not in shown(items(pairs, HALVES), items(pairs, WHOLE))


@pytest.mark.parametrize("fence", ["fence_sw\n", "barrier\n"])
def test_stores_between_which_a_fence_stands_do_not_race(fence: str) -> None:
    low, high = (text.format("X") + "\n" for text in (LOW, HIGH))
    of_items = compared(items(TWO_IN_ONE_PLACE, low, high), items(TWO_IN_ONE_PLACE, WHOLE)).question.of_items
    assert of_items is not None
    assert of_items.of_items is None
    always = cast(LaneRaces, SimpleNamespace(conditions={true(): UndefinedKind.RACE}))
    assert replace(of_items, source=replace(of_items.source, items_apart=False, item_races=always)).of_items is None
    apart = items(TWO_IN_ONE_PLACE, low, fence, high)
    assert compared(apart, apart).question.of_items is None
    assert not isinstance(asked(apart, items(TWO_IN_ONE_PLACE, fence, WHOLE)), Refines)


def test_lanes_of_which_nobody_says_that_they_are_items_do_not_race() -> None:
    scope = Scope(Assume.NONE, FORBIDDEN)
    assert compare(items(TWO_IN_ONE_PLACE, HALVES), items(TWO_IN_ONE_PLACE, WHOLE), scope).question.of_items is None


def test_races_that_are_allowed_are_no_condition() -> None:
    allowed = forbidden_by([(UndefinedKind.RACE, False)])
    found = asked(items(TWO_IN_ONE_PLACE, HALVES), items(TWO_IN_ONE_PLACE, WHOLE), allowed)
    assert isinstance(found, Difference)


def test_a_race_of_threads_is_shown() -> None:
    """Of a narrower target: the message of the wide source is in halves, and so are its work items."""
    narrow = kernel(8, ids(8) + "and (M1, 8) AT(0,0)<1> AT(0,0)<1;1,0> 0x1c:ud\n" + LOW.format("X") + "\n")
    found = asked(items(TWO_IN_ONE_PLACE, HALVES), narrow)
    assert isinstance(found, Difference)
    assert kind_of(found) is UndefinedKind.RACE


def of_full_groups(program: Program) -> Program:
    return replace(program, launch=replace(program.launch, group_size=(16, 1, 1), walk_order=(0, 1, 2)))


@pytest.mark.parametrize("turned", ["", "add (M3, 8) AT(1,0)<1> AT(1,0)<1;1,0> N(0,0)<0;1,0>\n"])
def test_items_that_race_in_every_run_are_no_proof(turned: str) -> None:
    """All lanes are on, and each of the second message stores where one of the first does, if inside of the buffer."""
    scaled = "shl (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x2:ud\n"
    source, target = (of_full_groups(items(scaled, turned, TWO_IN_ONE_PLACE, stores)) for stores in (HALVES, WHOLE))
    assert isinstance(asked(source, target, FORBIDDEN | {UndefinedKind.OUTSIDE}), Vacuous)
    assert Condition.ITEMS_APART in shown(source, target)


def looping(stores: str) -> Program:
    """N iterations, of which each stores further on."""
    again = "add (M1, 16) AT(0,0)<1> AT(0,0)<1;1,0> 0x40:ud\nadd (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0xffffffff:ud\n"
    go_on = "cmp.ne (M1, 16) P1 N(0,0)<0;1,0> 0x0:ud\n(P1) goto (M1, 16) again\n"
    return items(TWO_IN_ONE_PLACE, "again:\n", stores, again, go_on)


def test_iterations_go_in_step_where_items_do_not_race() -> None:
    found = asked(looping(HALVES), looping(WHOLE))
    assert isinstance(found, Refines)
    assert Condition.ITEMS_APART in found.conditions
    assert "iteration by iteration" in found.by
    assert not isinstance(asked(looping(HALVES), looping(WHOLE.replace("AT.0 X.0", "X.0 X.0"))), Refines)
