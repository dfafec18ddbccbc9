"""Loops as a compiler leaves them without optimisation: of a fixed length, with calls in them, ordered by signs."""

import pytest

from tests.refinement.test_iteration_numbers import HEAD, loop
from tests.refinement.test_refinement import program
from tests.refinement.test_refinement_loops import ADD, COUNT, LEAVE, STORE_NEXT, in_step_too, looping
from visaproof.isa.platform import Platform
from visaproof.machine.symbolic import walk
from visaproof.machine.symbolic.loops.iteration import Held
from visaproof.machine.symbolic.loops.lane_marks import EVERY_LANE
from visaproof.machine.symbolic.run import trace
from visaproof.refinement.iteration_numbers import IterationNumber, unsigned
from visaproof.semantics.symbolic.value_names import OfLoop, RegisterByte
from visaproof.smt import Term, add, bool_symbol, conj, const, evaluate, slt, symbol, truncate, ult, zero_extend

# ---------------------------------------------------------------- loops of a fixed length

ROLLED = """mov (M1, 8) Z(0,0)<1> 0x0:d
inner:
BODYadd (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x1:d
cmp.lt (M1, 8) P2 Z(0,0)<1;1,0> TIMES
(P2) goto (M1, 8) inner
"""
TESTED_FIRST = """mov (M1, 8) Z(0,0)<1> 0x0:d
inner:
cmp.lt (M1, 8) P2 Z(0,0)<1;1,0> TIMES
(!P2) goto (M1, 8) over
BODYadd (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x1:d
goto (M1, 1) inner
over:
"""
BODY = ADD + STORE_NEXT


def times(rolled: str, number: str) -> str:
    return looping(rolled.replace("BODY", BODY).replace("TIMES", number))


@pytest.mark.parametrize("rolled", [ROLLED, TESTED_FIRST])
def test_a_loop_of_a_fixed_length_is_its_iterations_one_by_one(rolled: str) -> None:
    unrolled = looping(3 * BODY)
    assert in_step_too(times(rolled, "0x3:d"), unrolled)
    assert in_step_too(unrolled, times(rolled, "0x3:d"))
    assert not in_step_too(times(rolled, "0x4:d"), unrolled)
    assert not in_step_too(unrolled, times(rolled, "0x2:d"))


@pytest.mark.parametrize("rolled", [ROLLED, TESTED_FIRST])
def test_a_loop_of_a_length_that_is_not_known_is_no_fixed_number_of_iterations(rolled: str) -> None:
    assert not in_step_too(times(rolled, "B(0,0)<1;1,0>"), looping(3 * BODY))


def test_only_so_many_statements_are_run_of_loops_of_a_fixed_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "FIXED_STEPS", 10)
    assert not in_step_too(times(ROLLED, "0x3:d"), looping(3 * BODY))
    assert in_step_too(times(ROLLED, "0x3:d"), times(TESTED_FIRST, "0x3:d"))


# ---------------------------------------------------------------- orders of counters

UP = "add (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> STEP:d\n"
UP += "cmp.lt (M1, 8) P1 Z(0,0)<1;1,0> L(0,0)<1;1,0>\n(P1) goto (M1, 8) again\n"


def counting(first: str = "0x1:d", step: str = "0x1", body: str = ADD, most: str = "0x4") -> str:
    """Up to what Y holds beside its lowest bits."""
    start = f"mov (M1, 8) Z(0,0)<1> {first}\nshr (M1, 8) C(0,0)<1> U(0,0)<1;1,0> {most}:ud\n"
    whole = loop(start, body)
    return whole[: whole.index(COUNT)] + UP.replace("STEP", step) + whole[whole.index("done:") :]


COUNTERS = HEAD.replace(
    ".decl P1", ".decl U v_type=G type=ud num_elts=8 alias=<Y, 0>\n.decl L v_type=G type=d num_elts=8 alias=<C, 0>\n"
    ".decl K v_type=G type=ud num_elts=8 alias=<Z, 0>\n.decl P1", 1
)  # fmt: skip


def without_signs(text: str) -> str:
    return text.replace("P1 Z(0,0)<1;1,0> L(0,0)", "P1 K(0,0)<1;1,0> C(0,0)")


@pytest.mark.parametrize("change", [{}, {"first": "0x0:d"}])
def test_a_counter_that_never_wraps_is_ordered_without_signs(change: dict[str, str]) -> None:
    signed = counting(**change)
    assert in_step_too(signed, without_signs(signed), COUNTERS)
    assert in_step_too(without_signs(signed), signed, COUNTERS)


@pytest.mark.parametrize("change", [{"first": "-3:d"}, {"step": "0x2"}, {"most": "0x0"}])
def test_a_counter_that_may_wrap_is_not(change: dict[str, str]) -> None:
    signed = counting(**change)
    assert not in_step_too(signed, without_signs(signed), COUNTERS)


WIDTH = 4
NUMBER = symbol(IterationNumber(0), 64)
LAST, ON = symbol("n", WIDTH), bool_symbol("on")


def held(after: Term) -> Held:
    return Held(ON, ON, after, after, ON, EVERY_LANE)


@pytest.mark.parametrize("first", range(1 << (WIDTH - 1)))
def test_a_condition_without_signs_holds_in_the_same_iterations(first: int) -> None:
    counter = add(const(first, WIDTH), truncate(NUMBER, WIDTH))
    bound = symbol("n", WIDTH - 1)
    most = zero_extend(bound, WIDTH)
    whole = conj(ON, slt(counter, most))
    found = unsigned(held(whole), 0).after
    assert found is conj(ON, ult(counter, most))
    for last in range(1 << (WIDTH - 1)):
        for number in range(1 << (WIDTH + 1)):
            values = {NUMBER: number, bound: last, ON: 1}
            assert evaluate(found, values) == evaluate(whole, values)
            if not evaluate(whole, values):
                break


def test_a_condition_keeps_its_signs_where_the_bound_may_be_negative_or_changes() -> None:
    counter = truncate(NUMBER, WIDTH)
    for condition in (slt(counter, LAST), slt(add(counter, counter), const(5, WIDTH))):
        assert unsigned(held(condition), 0).after is condition
    assert unsigned(held(slt(counter, const(5, WIDTH))), 1).after is slt(counter, const(5, WIDTH))


# ---------------------------------------------------------------- what iterations leave as they found it

DOWN, UP_AGAIN = (f"add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> {by}:d\n" for by in ("0x10", "-16"))
USE = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> N(0,0)<0;1,0>\n"
WHERE_7 = "cmp.eq (M1_NM, 1) P2 X(0,0)<0;1,0> 0x7:d\n"


def with_frames(body: str) -> str:
    """As calls move a stack pointer, and move it back."""
    return loop("mov (M1_NM, 1) N(0,0)<1> 0x8:d\n", body)


def written(body: str) -> bool:
    """Whether N is taken for what an iteration may change."""
    kernel = program(with_frames(body), HEAD).kernel
    (one,) = trace(kernel, Platform.TGLLP, unroll=0, compared_as="source").loops
    names = (held.during.payload for held in one.held)
    return any(isinstance(name, OfLoop) and name.what == RegisterByte("N", 0) for name in names)


def test_what_is_moved_back_is_no_word_that_an_iteration_writes() -> None:
    assert not written(DOWN + USE + UP_AGAIN)
    at_once = with_frames("add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x18:d\n")
    assert in_step_too(with_frames(DOWN + USE + UP_AGAIN), at_once, HEAD)


@pytest.mark.parametrize(
    "body",
    [
        DOWN + USE,
        DOWN + USE + UP_AGAIN.replace("-16", "-12"),
        DOWN + USE + WHERE_7 + "(P2) " + UP_AGAIN,
        DOWN + USE + LEAVE + UP_AGAIN,
    ],
    ids=["not moved back", "moved back to elsewhere", "moved back sometimes", "left before it is moved back"],
)
def test_what_is_not_moved_back_in_each_iteration_is(body: str) -> None:
    assert written(body)
    assert not in_step_too(with_frames(body + USE), with_frames(DOWN + USE + UP_AGAIN + USE), HEAD)
