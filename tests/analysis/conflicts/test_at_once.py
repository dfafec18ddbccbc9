"""Of all pairs of lanes at once it is only said that none can meet where none can."""

import pytest

from visaproof.analysis.conflicts import at_once
from visaproof.analysis.conflicts.at_once import excluded_at_once
from visaproof.smt import Bool, const, eq, mul, neg, symbol, ult
from visaproof.smt.answers import Answer
from visaproof.smt.solvers import solve

x = symbol("x", 32)
SMALL = ult(x, const(16, 32))
NEVER = [eq(mul(x, x), const(value, 32)) for value in (2, 3, 5, 7)]
"""No number below 16 has these squares."""
ONCE = eq(mul(x, x), const(9, 32))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Bool]:
    """What the solvers were asked."""
    questions: list[Bool] = []

    def noted(formulas: list[Bool], timeout_ms: int) -> Answer:
        questions.extend(formulas)
        return solve(formulas, timeout_ms)

    monkeypatch.setattr(at_once, "solve", noted)
    return questions


def test_conditions_that_never_hold_are_excluded_by_two_questions(asked: list[Bool]) -> None:
    assert excluded_at_once(SMALL, NEVER, 10_000)
    assert len(asked) == 2


@pytest.mark.parametrize("place", range(5))
def test_one_condition_that_may_hold_is_seen_at_any_place(place: int) -> None:
    conditions = list(NEVER)
    conditions.insert(place, ONCE)
    assert excluded_at_once(SMALL, conditions, 10_000) == ""


def test_the_others_are_not_asked_about_where_the_first_may_hold(asked: list[Bool]) -> None:
    assert excluded_at_once(SMALL, [ONCE, *NEVER], 10_000) == ""
    assert len(asked) == 1


def test_the_premise_is_a_part_of_the_question() -> None:
    assert excluded_at_once(neg(SMALL), [ONCE], 10_000) == ""
    assert excluded_at_once(eq(x, const(4, 32)), [ONCE], 10_000)


def test_nothing_is_said_of_no_conditions() -> None:
    assert excluded_at_once(SMALL, [], 10_000) == ""
