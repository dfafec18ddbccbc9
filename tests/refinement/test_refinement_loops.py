"""Refinement of loops whose length depends on inputs: real differences, and verdicts that do not claim more."""

from typing import Any

import pytest

from tests.refinement.test_refinement import APART, HEAD, STORE_B, program
from tests.support.differences import byte_of
from visaproof.launch.assumptions import Assume
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.refinement import iteration_numbers, lockstep
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.effects.sharing import Sharing
from visaproof.refinement.inputs.overlap import with_sharing
from visaproof.refinement.lockstep import in_step
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Bounded, Difference, Refines, Unknown, Verdict
from visaproof.refinement.widths import threads

COUNT = "add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> -1:d\n"
BACK = "cmp.gt (M1, 8) P1 Y(0,0)<1;1,0> 0x0:d\n(P1) goto (M1, 8) again\n"
ADD = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x6:d\n"
ADD_TWICE = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x2:d\nadd (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x4:d\n"
ADD_LATER = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x6:d\ncmp.eq (M1, 8) P1 Y(0,0)<1;1,0> 0x9:d\n"
ADD_LATER += "(P1) add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d\n"


def looping(body: str) -> str:
    """X grows iteration by iteration, as often as Y says."""
    return f"{APART}again:\n{body}{COUNT}{BACK}{STORE_B}"


def verdict(source: str, target: str, unroll: int = 3) -> Verdict:
    return decide(compare(program(source), program(target), Scope(Assume.NONE, unroll=unroll)), 20_000)


LOAD = "gather4_scaled.R (M1, 8) T6 0x0:ud B.0 Z.0\nadd (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Z(0,0)<1;1,0>\n"
STORE_NEXT = "scatter4_scaled.R (M1, 8) T6 0x0:ud C.0 X.0\n"
STORE_COUNT = "scatter4_scaled.R (M1, 8) T6 0x0:ud C.0 Y.0\n"
LEAVE = "cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x63:d\n(P1) goto (M1, 8) done\n"
INNER = "inner:\nBODYadd (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> -1:d\ncmp.gt (M1, 8) P1 Z(0,0)<1;1,0> 0x0:d\n"
INNER += "(P1) goto (M1, 8) inner\n"
NESTED = "mov (M1, 8) Z(0,0)<1> Y(0,0)<1;1,0>\n" + INNER
HEAD_OF_G = HEAD.replace("G v_type=G type=f", "G v_type=G type=d")
GOES_ON = """mov (M1_NM, 1) G(0,0)<1> 0x7:d
again:
add (M1_NM, 8) Y(0,0)<1> Y(0,0)<1;1,0> -1:d
cmp.gt (M1_NM, 8) P1 Y(0,0)<1;1,0> 0x0:d
(P1) mov (M1_NM, 1) G(0,0)<1> 0x1:d
(P1) goto (M1, 1) again
mov (M1_NM, 8) X(0,0)<1> G(0,0)<0;1,0>
"""
COUNT_ALL, BACK_ALL = COUNT.replace("M1,", "M1_NM,"), BACK.replace("cmp.gt (M1,", "cmp.gt (M1_NM,")
"""Of lanes that have left the loop, too."""

ADD_OTHER = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Y(0,1)<0;1,0>\n"
LATE = "add (M1_NM, 1) Z(0,0)<1> Z(0,0)<0;1,0> 0x1:d\ncmp.gt ({mask}, 8) P2 Z(0,0)<0;1,0> 0x5:d\n"
WHERE_LATE = "(P2) mov (M1, 8) X(0,0)<1> 0x7:d\n"


def bound_late(movs: str) -> str:
    """In the iteration in which Y is 77 the surface is `movs`; the first one has no such lane."""
    late = f"cmp.eq (M1, 8) P2 Z(0,0)<1;1,0> 0x4d:d\n(!P2) goto (M1, 8) early\n{movs}early:\n"
    count = "add (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x1:d\n"
    ways = "cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x5:d\n(P1) goto (M1, 8) out\n"
    ways += "movs (M1_NM, 1) T6(0) 0x1:ud\nmov (M1, 8) Z(0,0)<1> 0x0:d\n"
    return ways + looping(STORE_NEXT + late + count) + "out:\n"


def two_exits(where_5: str, where_7: str) -> str:
    """In the middle lanes leave whose X is 5 or 7, but in no first iteration."""
    leaves = "cmp.eq (M1, 8) P2 Z(0,0)<1;1,0> 0x0:d\n(P2) goto (M1, 8) early\n"
    leaves += f"cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x5:d\n(P1) goto (M1, 8) {where_5}\n"
    leaves += f"cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x7:d\n(P1) goto (M1, 8) {where_7}\n"
    loop = looping(f"{ADD}{leaves}early:\nmov (M1, 8) Z(0,0)<1> 0x1:d\n")
    return f"mov (M1, 8) Z(0,0)<1> 0x0:d\n{loop}near:\n{STORE_NEXT}far:\n"


def left_alone(body: str, leaves: str = LEAVE) -> str:
    """A loop that lanes leave to further down alone, past what the lanes do that never came into it."""
    ways = "cmp.eq (M1, 8) P1 Y(0,0)<1;1,0> 0x5:d\n(P1) goto (M1, 8) other\n"
    return f"{APART}{ways}again:\n{body}{COUNT}{leaves}goto (M1, 1) again\nother:\n{STORE_NEXT}done:\n{STORE_B}"


def in_step_too(source: str, target: str, head: str = HEAD) -> bool:
    """Whether one iteration that stands for all shows it."""
    asked = compare(program(source, head), program(target, head), Scope(Assume.NONE))
    return in_step(asked.runners, asked.question.launched, asked.scope, asked.split) is not None


BREAKING = tuple(looping(body + LEAVE).replace(STORE_B, STORE_B + "done:\n" + STORE_NEXT) for body in (ADD, ADD_TWICE))
"""Lanes that leave in the middle do not store where the others do."""

PROVED = {
    "a loop that lanes leave to further down alone": (left_alone(ADD), left_alone(ADD_TWICE)),
    "the body": (looping(ADD), looping(ADD_TWICE)),
    "a load in the body": (looping(ADD + LOAD), looping(LOAD + ADD_TWICE)),
    "a store in the body": (looping(ADD + STORE_NEXT), looping(ADD_TWICE + STORE_NEXT)),
    "a loop in a loop": (looping(NESTED.replace("BODY", ADD)), looping(NESTED.replace("BODY", ADD_TWICE))),
    "stores that lie apart in another order": (
        looping(ADD + STORE_NEXT + STORE_B),
        looping(ADD + STORE_B + STORE_NEXT),
    ),
    "lanes that leave in the middle": (
        looping(ADD + LEAVE).replace(STORE_B, "done:\n" + STORE_B),
        looping(ADD_TWICE + LEAVE).replace(STORE_B, "done:\n" + STORE_B),
    ),
    "a counter of lanes that have left": (looping(ADD), looping(ADD).replace(COUNT, COUNT_ALL)),
    "a comparison of lanes that have left": (looping(ADD), looping(ADD).replace(BACK, BACK_ALL)),
    "a flag of lanes that have left, unused": (looping(LATE.format(mask="M1")), looping(LATE.format(mask="M1_NM"))),
    "both": (looping(ADD), looping(ADD).replace(COUNT, COUNT_ALL).replace(BACK, BACK_ALL)),
    "lanes that leave to further down": BREAKING,
    "two loops": (
        looping(ADD) + looping(LOAD).replace("again", "more"),
        looping(ADD_TWICE) + looping(LOAD).replace("again", "more"),
    ),
}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("rewritten", PROVED)
def test_loops_of_any_length_are_proved_round_by_round(rewritten: str) -> None:
    source, target = PROVED[rewritten]
    found = verdict(source, target)
    assert isinstance(found, Refines)
    assert "iteration by iteration" in found.by
    assert in_step_too(target, source)


FAR_OUT = looping(ADD), looping(ADD_LATER.replace("0x9:d", "0x7654321:d"))
OPEN = {
    "an iteration far out": FAR_OUT,
    "another limit far out": (looping(ADD), looping(ADD).replace("0x0:d\n(P1) goto", "-0x7654321:d\n(P1) goto")),
    "a store that only one has": (looping(ADD + STORE_NEXT), looping(ADD_TWICE)),
    "stores to one place in another order": (
        looping(ADD + STORE_NEXT + STORE_COUNT), looping(ADD + STORE_COUNT + STORE_NEXT)
    ),
    "a load that was hoisted over a store": (
        looping(LOAD + STORE_B), looping(LOAD + STORE_B).replace("again:\n" + LOAD[:43], LOAD[:43] + "again:\n")
    ),
    "what another lane counts": (
        looping("mov (M1, 8) Y(0,0)<1> Y(0,0)<0;1,0>\nadd (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"),
        looping("mov (M1, 8) Y(0,0)<1> Y(0,0)<0;1,0>\nadd (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Y(0,4)<0;1,0>\n"),
    ),
    "a counter of lanes that have left, stored": (
        looping(ADD) + STORE_COUNT, looping(ADD).replace(COUNT, COUNT_ALL) + STORE_COUNT
    ),
    "a counter of a lane that has left, read by others": (
        looping(ADD_OTHER), looping(ADD_OTHER).replace(COUNT, COUNT_ALL)
    ),
    "a sum of lanes that have left": (looping(ADD), looping(ADD.replace("M1,", "M1_NM,"))),
    "a flag of lanes that have left": tuple(
        "mov (M1_NM, 1) Z(0,0)<1> 0x0:d\n" + looping(LATE.format(mask=mask)).replace(STORE_B, WHERE_LATE + STORE_B)
        for mask in ("M1", "M1_NM")
    ),
    "a surface that a later iteration binds": (bound_late("movs (M1_NM, 1) T6(0) 0x0:ud\n"), bound_late("")),
    "behind the loop": (looping(ADD), looping(ADD).replace(STORE_B, ADD + STORE_B)),
    "lanes that leave where others leave, and these there": (two_exits("near", "far"), two_exits("far", "near")),
    "lanes that leave to one place less": (two_exits("near", "far"), two_exits("near", "near")),
    "all lanes that leave to elsewhere": (left_alone(ADD), left_alone(ADD, LEAVE.replace("done", "other"))),
    "what a lane holds that leaves in the middle": (
        looping(ADD + LEAVE + ADD).replace(STORE_B, "done:\n" + STORE_B),
        looping(ADD + ADD + LEAVE).replace(STORE_B, "done:\n" + STORE_B).replace("0x63:d", "0x69:d"),
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", OPEN)
def test_rounds_that_may_differ_are_never_proved(kind: str) -> None:
    """Whatever the first iterations do."""
    source, target = OPEN[kind]
    assert not in_step_too(source, target)
    assert not isinstance(verdict(source, target), Refines)


def test_what_stood_before_a_loop_shows_where_its_first_round_is_the_last() -> None:
    """G is 1 wherever the loop goes on, and after every later iteration the same in both; 7 and 8 where it does not."""
    source = APART + GOES_ON + STORE_B
    assert in_step_too(source, source, HEAD_OF_G)
    assert not in_step_too(source, source.replace("0x7:d", "0x8:d"), HEAD_OF_G)


GOES_ON_WHERE = "cmp.gt (M1, 8) P1 Y(0,0)<1;1,0> {}:d\n"
LEAVES_WHERE = GOES_ON_WHERE + "(!P1) goto (M1, 8) done\n"
TESTED_LAST = f"{APART}{LEAVES_WHERE}again:\nBODY{COUNT}{GOES_ON_WHERE}(P1) goto (M1, 8) again\ndone:\n{STORE_B}"
TESTED_FIRST = f"{APART}again:\n{LEAVES_WHERE}BODY{COUNT}goto (M1, 1) again\ndone:\n{STORE_B}"
NEXT = "add (M1, 8) Z(0,0)<1> Y(0,0)<1;1,0> -1:d\n"
TESTED_WITHIN = (
    f"{APART}{LEAVES_WHERE}again:\nBODY{NEXT}{LEAVES_WHERE.replace('Y', 'Z')}mov (M1, 8) Y(0,0)<1> Z(0,0)<1;1,0>\n"
    f"goto (M1, 1) again\ndone:\n{STORE_B}"
)
"""The same loop with its test at the end of an iteration, at the beginning, and before it counts."""


def loop_of(loop: str, body: str, *, last: int = 0) -> str:
    return loop.format(*[hex(last)] * loop.count("{}")).replace("BODY", body)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("source", [TESTED_LAST, TESTED_FIRST, TESTED_WITHIN])
@pytest.mark.parametrize("target", [TESTED_LAST, TESTED_FIRST, TESTED_WITHIN])
def test_a_loop_may_be_tested_at_its_beginning_or_at_its_end(source: str, target: str) -> None:
    assert in_step_too(loop_of(source, ADD + STORE_NEXT), loop_of(target, ADD_TWICE + STORE_NEXT))
    assert not in_step_too(loop_of(source, ADD + STORE_NEXT), loop_of(target, ADD_TWICE + STORE_NEXT, last=1))
    assert not in_step_too(loop_of(source, ADD + STORE_NEXT), loop_of(target, ADD + STORE_COUNT))


def test_what_lanes_leave_behind_that_leave_in_the_middle_is_told_apart() -> None:
    """Y is 0 behind the one loop, and 1 behind the other, though it is the same in all iterations."""
    stores = ADD + STORE_NEXT
    assert not in_step_too(loop_of(TESTED_LAST, stores) + STORE_COUNT, loop_of(TESTED_WITHIN, stores) + STORE_COUNT)


@pytest.mark.parametrize(("behind", "refines"), [("barrier\n", True), pytest.param("", False, marks=pytest.mark.slow)])
def test_a_barrier_behind_a_loop_is_reached_whatever_iterations_are_unrolled(behind: str, refines: bool) -> None:
    """Unrolled, the loops go on under other conditions: the lanes that come to the barrier cannot be compared."""
    source = loop_of(TESTED_LAST, ADD + STORE_NEXT).replace("done:", "done:\nbarrier\n")
    target = loop_of(TESTED_FIRST, ADD_TWICE + STORE_NEXT).replace("done:\n", f"done:\n{behind}")
    asked = compare(program(source), program(target), Scope(Assume.NONE))
    assert asked.in_step == refines
    assert (asked.open is None) == refines
    assert isinstance(decide(asked, 2_000), Refines) == refines


HALF = "add (M1_NM, 8) Z(0,0)<1> 0x76543210:uv 0x0:ud\ncmp.lt (M1, 8) P2 Z(0,0)<1;1,0> 0x4:d\n"


def stored_on_the_way(stores: str, amount: str) -> str:
    """P2 has the first four lanes, and B goes on by the amount."""
    return HALF + looping(f"{stores}add (M1, 8) B(0,0)<1> B(0,0)<1;1,0> {amount}\n")


def one_message_for_two(amount: str) -> bool:
    """The target is undefined where a lane of the first four meets one of the others."""
    one, two = STORE_B, f"(P2) {STORE_B}(!P2) {STORE_B}"
    return in_step_too(stored_on_the_way(two, amount), stored_on_the_way(one, amount))


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("amount", ["0x100:ud", "-8:d", "X(0,1)<0;1,0>"])
def test_cells_that_all_lanes_move_on_alike_stay_apart(amount: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert one_message_for_two(amount)
    monkeypatch.setattr(iteration_numbers, "_amount", lambda _: None)
    assert not one_message_for_two(amount)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("amount", ["X(0,0)<1;1,0>", "Z(0,0)<1;1,0>"])
def test_cells_that_each_lane_moves_on_by_itself_may_meet(amount: str) -> None:
    assert not one_message_for_two(amount)


@pytest.mark.slow
def test_loops_that_go_differently_and_do_the_same_so_far_are_bounded() -> None:
    """Each loop is named once, and what was shown of so many iterations."""
    late = OPEN["a surface that a later iteration binds"][0]
    found = verdict(late, late.replace("0x4d:d", "77:d"))
    assert isinstance(found, Bounded)
    assert [loop.line for loop in found.loops] == sorted({loop.line for loop in found.loops})
    assert "normal form" in found.found.by


def test_a_difference_in_the_first_rounds_is_a_run_of_both() -> None:
    found = verdict(looping(ADD), looping(ADD_TWICE.replace("0x4:d", "0x5:d")))
    assert isinstance(found, Difference)
    assert byte_of(found).source != byte_of(found).target


@pytest.mark.slow
def test_a_difference_that_only_longer_runs_have_is_found_by_running_or_left_open() -> None:
    """An iteration of the target that three iterations do not reach."""
    assert not isinstance(verdict(looping(ADD), looping(ADD_LATER), unroll=3), Refines)
    assert isinstance(verdict(looping(ADD), looping(ADD_LATER), unroll=12), Difference)


@pytest.mark.slow
def test_loops_that_never_end_in_time_show_nothing() -> None:
    """Y is at least 16: no run has so few iterations, and what holds in none is not even bounded."""
    large = "and (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x7f:d\nor (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x10:d\n"
    source, target = FAR_OUT
    found = verdict(large + source, large + target)
    assert isinstance(found, Unknown)
    assert "in no run" in found.reason


# ---------------------------------------------------------------- what loops leave alone

BOUND = "gather4_scaled.R (M1, 8) T6 0x0:ud B.0 Z.0\n"
UP_TO = "add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:d\ncmp.lt (M1, 8) P1 Y(0,0)<1;1,0> Z(0,0)<1;1,0>\n"
UP_TO += "(P1) goto (M1, 8) again\n"
ELSEWHERE = "movs (M1_NM, 1) T6(0) 0x1:ud\nscatter4_scaled.R (M1, 8) T6 0x0:ud C.0 X.0\nmovs (M1_NM, 1) T6(0) 0x0:ud\n"


def loaded_once(body: str) -> str:
    return f"{APART}movs (M1_NM, 1) T6(0) 0x0:ud\n{BOUND}again:\n{ADD}{body}{UP_TO}{STORE_B}"


def loaded_again(body: str) -> str:
    """The bound is loaded in each iteration, as unoptimised code does it."""
    return f"{APART}movs (M1_NM, 1) T6(0) 0x0:ud\n{BOUND}again:\n{ADD_TWICE}{body}{BOUND}{UP_TO}{STORE_B}"


@pytest.mark.parametrize("body", ["", ELSEWHERE])
def test_what_no_iteration_writes_stays_as_it_was(body: str) -> None:
    assert in_step_too(loaded_once(body), loaded_again(body))
    assert in_step_too(loaded_again(body), loaded_once(body))


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    "body", [STORE_NEXT, "scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 X.0\n", "barrier\n", "fence_global.E\n"]
)
def test_what_an_iteration_or_another_thread_may_write_is_loaded_again(body: str) -> None:
    """Addresses of one surface are not told apart from iteration to iteration; behind a barrier others have written."""
    assert not in_step_too(loaded_once(body), loaded_again(body))
    assert not in_step_too(loaded_again(body), loaded_once(body))


def test_a_store_after_a_loop_does_not_count_in_it() -> None:
    """What was stored before a loop does: it is what the loop finds."""
    early = f"{APART}movs (M1_NM, 1) T6(0) 0x0:ud\n{STORE_B}{BOUND}again:\n{ADD}{{}}{UP_TO}{STORE_B}"
    assert in_step_too(early.format(""), early.format(BOUND))
    late = early.replace(f"{STORE_B}{BOUND}", f"{BOUND}{STORE_B}")
    assert not in_step_too(late.format(""), late.format(BOUND))


# ---------------------------------------------------------------- loops with the test first, in one another

TESTED = """again:
cmp.lt (M1, 8) P1 Y(0,0)<1;1,0> 0x9:d
(!P1) goto (M1, 8) done
mov (M1, 8) Z(0,0)<1> 0x0:d
inner:
cmp.lt (M1, 8) P2 Z(0,0)<1;1,0> Y(0,0)<1;1,0>
(!P2) goto (M1, 8) over
BODYscatter4_scaled.R (M1, 8) T6 0x0:ud C.0 X.0
add (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x1:d
goto (M1, 1) inner
over:
add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:d
goto (M1, 1) again
done:
"""


@pytest.mark.parametrize(("body", "is_same"), [(ADD_TWICE, True), (ADD_LATER, False)])
def test_loops_that_are_tested_first_may_stand_in_one_another(body: str, is_same: bool) -> None:
    """As in unoptimised code.  An iteration comes to its own test: that begins no loop anew."""
    whole = f"{APART}{TESTED}{STORE_B}"
    assert in_step_too(whole.replace("BODY", ADD), whole.replace("BODY", body)) == is_same


# ---------------------------------------------------------------- branches that all lanes take alike

SCALARS = "".join(f".decl {name} v_type=G type=d num_elts=1\n" for name in "NS")
HEAD_OF_SCALARS = HEAD.replace(".decl P1", f"{SCALARS}.decl P1")
WITHIN_LANES = f"""{APART}mov (M1_NM, 1) N(0,0)<1> Y(0,0)<0;1,0>
cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x5:d
(!P1) goto (M1, 8) done
cmp.gt (M1_NM, 8) P2 N(0,0)<0;1,0> 0x0:d
(P2) goto (M1, LANES) enter
mov (M1_NM, 1) S(0,0)<1> SKIPPED
goto (M1, 1) after
enter:
mov (M1_NM, 1) S(0,0)<1> 0x0:d
again:
add (M1_NM, 1) S(0,0)<1> S(0,0)<0;1,0> 0x6:d
add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> -1:d
cmp.gt (M1_NM, 8) P2 N(0,0)<0;1,0> BOUND
(P2) goto (M1, LANES) again
after:
mov (M1_NM, 8) X(0,0)<1> S(0,0)<0;1,0>
{STORE_B}done:
"""
"""S is summed up for the thread, where some lane comes that far."""


def for_the_thread(lanes: int, skipped: str = "0x7:d", bound: str = "0x0:d") -> str:
    return WITHIN_LANES.replace("LANES", str(lanes)).replace("SKIPPED", skipped).replace("BOUND", bound)


def scalars_in_step(source: str, target: str) -> bool:
    return in_step_too(source, target, HEAD_OF_SCALARS)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("one", "other"), [(1, 8), (8, 1)])
def test_a_branch_of_the_thread_may_be_one_of_all_its_lanes(one: int, other: int) -> None:
    """Whether the loop is left out is one condition then, and not one for each lane."""
    assert scalars_in_step(for_the_thread(one), for_the_thread(other))
    assert not scalars_in_step(for_the_thread(one), for_the_thread(other, skipped="0x8:d"))
    assert not scalars_in_step(for_the_thread(one), for_the_thread(other, bound="0x1:d"))


def test_a_branch_that_lanes_take_by_themselves_is_none_of_the_thread() -> None:
    """S is what the lanes leave that stay, if some do: those that jump find it, too."""
    own = for_the_thread(8).replace("P2 N(0,0)<0;1,0> 0x0:d", "P2 Y(0,0)<1;1,0> 0x0:d", 1)
    assert not scalars_in_step(for_the_thread(1), own)
    assert not scalars_in_step(own, for_the_thread(8))


def nested(behind: str) -> str:
    """A loop within a loop, and what stands behind the inner one."""
    return looping(NESTED.replace("BODY", STORE_NEXT + ADD) + behind)


@pytest.mark.parametrize(("behind", "refines"), [(LOAD.splitlines(keepends=True)[0], True), (STORE_COUNT, False)])
def test_an_inner_loop_ends_before_the_next_iteration_around_it_begins(behind: str, refines: bool) -> None:
    assert isinstance(verdict(nested(behind), nested("")), Refines) is refines
    assert isinstance(verdict(nested(""), nested(behind)), Refines) is refines


def test_both_kernels_are_run_once_wherever_buffers_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """One run of each serves for buffers that are apart and for those that may overlap."""
    ran: list[object] = []

    def run(*given: Any, **stated: Any) -> Trace:
        ran.append(given)
        return trace(*given, **stated)

    monkeypatch.setattr(threads, "trace", run)
    monkeypatch.setattr(lockstep, "trace", run)
    asked = compare(program(looping(ADD)), program(looping(ADD_TWICE)), Scope(Assume.NONE))
    for runners in (asked.runners, with_sharing(asked.runners, Sharing({"bti 0": 4, "bti 1": 4}))):
        in_step(runners, asked.question.launched, asked.scope, asked.split)
    assert len(ran) == 2
