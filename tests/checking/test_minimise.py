"""Counterexamples are made smaller, and stay counterexamples."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import Truth, edge_number, truths
from visaproof.checking.shrink import minimised
from visaproof.smt import (
    Term,
    add,
    bool_symbol,
    conj,
    const,
    disj,
    eq,
    evaluate,
    neg,
    symbol,
    symbols_of,
    ult,
)

x, y, z = (symbol(name, 32) for name in "xyz")
p = bool_symbol("p")


def test_what_does_not_matter_becomes_zero() -> None:
    """x < 10 fails for 4096 and for 10 alike; y, z and p have no part in it."""
    small = minimised(
        {x: 4096, y: 77, z: 5, p: 1}, (disj(p, neg(p)),), conj(ult(x, const(10, 32)), ult(y, const(99, 32)))
    )
    assert small == {x: 16, y: 0}


def test_an_assumption_keeps_what_it_needs() -> None:
    """x = y = 500 of x = y and x != 500: neither becomes smaller without the other."""
    assert minimised({x: 500, y: 500}, (eq(x, y),), neg(eq(x, const(500, 32)))) == {x: 500, y: 500}


def test_two_that_must_fall_together_fall_together() -> None:
    """x = y may hold with both 0."""
    assert minimised({x: 500, y: 500}, (eq(x, y),), ult(x, const(0, 32))) == {x: 0, y: 0}


def test_values_that_are_no_counterexample_are_left_alone() -> None:
    assert minimised({x: 3, y: 500}, (), ult(x, add(y, const(1, 32)))) == {x: 3, y: 500}


def test_missing_symbols_are_zero() -> None:
    assert minimised({}, (), ult(const(0, 32), x)) == {x: 0}


@given(truths(8), truths(8), st.randoms(use_true_random=False))
def test_the_failure_stays_and_nothing_grows(goal: Truth, assumption: Truth, pick: Random) -> None:
    values: dict[Term, int] = {
        word: edge_number(pick, max(word.width, 1)) for word in symbols_of(goal.term, assumption.term)
    }
    small = minimised(values, (assumption.term,), goal.term)
    assert small.keys() == values.keys()
    assert all(small[word] <= values[word] for word in values)
    failed = evaluate(assumption.term, values) and not evaluate(goal.term, values)
    if failed:
        assert evaluate(assumption.term, small)
        assert not evaluate(goal.term, small)
    else:
        assert small == values
