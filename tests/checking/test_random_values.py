"""Random values break the goal where the assumptions hold, and change no verdict."""

import pytest
from msgspec.structs import replace

from visaproof.checking.decide import decide
from visaproof.checking.random_values import random_values
from visaproof.checking.verdict import Proved, Refuted
from visaproof.isa.atomics import AtomicOp
from visaproof.queries.atomics import final_value_is_order_independent
from visaproof.smt import add, bool_symbol, conj, const, eq, evaluate, false, iff, neg, symbol, true, ult

x, y = symbol("x", 32), symbol("y", 32)
on = bool_symbol("on")


@pytest.mark.parametrize("seed", range(5))
def test_a_guess_keeps_the_assumptions_and_breaks_the_goal(seed: int) -> None:
    assumptions = (on, ult(x, const(64, 32)))
    values = random_values(assumptions, neg(eq(x, y)), seed)
    assert values is not None
    assert evaluate(conj(*assumptions), values)
    assert values[x] == values[y]


def test_nothing_is_guessed_where_the_goal_holds_or_no_value_is_allowed() -> None:
    assert random_values((), eq(add(x, y), add(y, x))) is None
    assert random_values((false(),), eq(x, y)) is None
    assert random_values((), true()) is None


def test_signed_and_unsigned_order_are_told_apart() -> None:
    half = const(1 << 31, 32)
    values = random_values((), iff(ult(x, y), ult(add(x, half), add(y, half))))
    assert values is not None
    assert values[x] >> 31 != values[y] >> 31


@pytest.mark.parametrize("op", [AtomicOp.ADD, AtomicOp.XCHG])
def test_a_verdict_is_the_same_where_examples_are_guessed_first(op: AtomicOp) -> None:
    query = final_value_is_order_independent(op)
    kind = type(decide(query))
    assert kind in (Proved, Refuted)
    assert isinstance(decide(query, likely_fails=True), kind)
    impossible = replace(query, assumptions=(*query.assumptions, false()))
    assert type(decide(impossible, likely_fails=True)) is type(decide(impossible))
