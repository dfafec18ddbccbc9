"""Conditions under one assignment: no more of them are looked at than decide whether all hold."""

from collections.abc import Iterator

import pytest

from visaproof.smt import Bool, const, eq, symbol, ult
from visaproof.smt.evaluate import all_hold, evaluate_all

X = symbol("x", 32)


def from_0_on(count: int) -> Iterator[Bool]:
    """Which do not hold of 3: the fourth and the fifth one."""
    yield from (ult(const(number, 32), X) for number in range(3))
    yield from (eq(X, const(0, 32)), ult(X, const(count, 32)), eq(X, const(3, 32)))


@pytest.mark.parametrize("value", [0, 1, 3])
@pytest.mark.parametrize("count", [2, 4])
def test_all_hold_where_each_does(value: int, count: int) -> None:
    conditions = list(from_0_on(count))
    for last in range(len(conditions) + 1):
        assert all_hold(conditions[:last], {X: value}) == all(evaluate_all(conditions[:last], {X: value}))


def test_none_is_looked_at_behind_one_that_does_not_hold() -> None:
    conditions = from_0_on(4)
    assert not all_hold(conditions, {X: 3})
    assert len(list(conditions)) == 2


def test_what_has_no_value_is_0() -> None:
    assert all_hold([eq(X, const(0, 32))], {})
