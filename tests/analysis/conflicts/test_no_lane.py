"""No lanes are compared of a message that no lane comes to; what solvers leave open is compared."""

import pytest

from tests.support.rows import asked
from visaproof.analysis.conflicts import no_lane
from visaproof.analysis.conflicts.simpler_formulas import with_fewer_atoms
from visaproof.analysis.conflicts.verdicts import Conflict, Free
from visaproof.smt import BitVec, Bool, add, conj, const, eq, mul, scale, sub, symbol, symbols_of, ult
from visaproof.smt.answers import Answer, Satisfiable, Undecided, Unsatisfiable
from visaproof.smt.solvers import solve

X, Y, Z = (symbol(name, 32) for name in "xyz")
UP_TO_FOUR = """    mul (M1, 8) A(0,0)<1> Y(0,0)<1;1,0> N(0,0)<0;1,0>
    shl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud
    add (M1, 8) D(0,0)<1> A(0,0)<1;1,0> 0x4:ud
    min (M1, 8) D(0,0)<1> D(0,0)<1;1,0> N(0,0)<0;1,0>
    cmp.gt (M1, 8) P1 D(0,0)<1;1,0> A(0,0)<1;1,0>
    (!P1) goto (M1, 8) ends
    add (M1, 8) D(0,0)<1> D(0,0)<1;1,0> (-)A(0,0)<1;1,0>
    cmp.gt (M1, 8) P1 D(0,0)<1;1,0> {most}:ud
    (!P1) goto (M1, 8) ends
    and (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x0:ud
    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0
ends:
    ret (M1, 1)
"""
"""With n = min(4·y·N + 4, N) − 4·y·N iterations, each lane writes where the others do if n is more than `most`."""


def test_no_lanes_are_compared_of_a_scatter_that_no_lane_comes_to() -> None:
    rows = asked(UP_TO_FOUR.format(most="0x4"))
    (question,) = rows.questions
    assert question.no_lane
    assert not question.pairs
    (found,) = rows.answers()
    assert found.answer == Free(question.no_lane)


def test_lanes_that_come_to_it_are_compared() -> None:
    rows = asked(UP_TO_FOUR.format(most="0x3"))
    (question,) = rows.questions
    assert not question.no_lane
    assert question.pairs
    (found,) = rows.answers()
    assert isinstance(found.answer, Conflict)


def test_lanes_that_come_to_it_are_compared_where_the_first_does_not() -> None:
    """The last digit of the vector is the number of lane 0."""
    rows = asked(UP_TO_FOUR.format(most="0x33333334").replace("0x33333334:ud", "0x33333334:uv"))
    (question,) = rows.questions
    assert not question.no_lane
    assert question.pairs
    (found,) = rows.answers()
    assert isinstance(found.answer, Conflict)


def test_scatters_with_one_guard_are_asked_about_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[Bool]()

    def noted(formulas: list[Bool], timeout_ms: int, *, alone: bool) -> Answer:
        seen.extend(formulas)
        return solve(formulas, timeout_ms, alone=alone)

    monkeypatch.setattr(no_lane, "solve", noted)
    store = "    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0\n"
    twice = UP_TO_FOUR.format(most="0x3").replace(store, store + store)
    assert [one.no_lane for one in asked(twice).questions] == ["", ""]
    assert len(seen) == 1


def test_what_no_solver_answers_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def undecided(formulas: list[Bool], timeout_ms: int, *, alone: bool) -> Answer:
        return Undecided(f"{len(formulas)} {timeout_ms} {alone}")

    monkeypatch.setattr(no_lane, "solve", undecided)
    (question,) = asked(UP_TO_FOUR.format(most="0x4")).questions
    assert not question.no_lane
    assert question.pairs


def test_none_is_asked_about_once_too_many_were_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(no_lane, "MOST_IN_VAIN", 0)
    (question,) = asked(UP_TO_FOUR.format(most="0x4")).questions
    assert not question.no_lane


# ---------------------------------------------------------------- words that are only added to each other


def four_times(*words: BitVec) -> BitVec:
    return scale(add(*words), 4)


def test_words_that_are_only_added_to_each_other_are_one_unknown() -> None:
    claim = ult(four_times(X, Y), add(four_times(X, Y), Z))
    found = with_fewer_atoms(claim)
    assert len(symbols_of(found)) == 2
    assert isinstance(solve([conj(found, eq(Z, const(0, 32)))], 10_000), Unsatisfiable)
    assert isinstance(solve([found], 10_000), Satisfiable)


@pytest.mark.parametrize(
    "beside",
    [ult(X, const(5, 32)), ult(sub(X, Y), Z), ult(add(X, scale(Y, 2)), Z), ult(mul(X, Z), Z), ult(add(X, Z), Z)],
)
def test_words_of_which_more_is_said_stay(beside: Bool) -> None:
    claim = conj(ult(add(X, Y), const(8, 32)), beside)
    assert with_fewer_atoms(claim) is claim


def test_what_can_hold_can_hold_with_fewer_unknowns() -> None:
    """x and y are replaced by their sum, beside another pair of which a word is said alone."""
    a, b = symbol("a", 32), symbol("b", 32)
    claim = conj(ult(add(X, Y), const(8, 32)), ult(const(4, 32), add(X, Y, a, b)), eq(a, const(9, 32)))
    assert isinstance(solve([claim], 10_000), Satisfiable)
    assert isinstance(solve([with_fewer_atoms(claim)], 10_000), Satisfiable)
