"""What has to hold for a load to bring the same before a store and behind it."""

from visaproof.rules.questions.sameness import where_nothing_was_stored
from visaproof.smt import BitVec, Bool, Term, bool_symbol, conj, const, eq, ite, neg, substitute, symbol
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.solvers import solve

EARLY, LATE, OLD, MEMORY, OTHER = (symbol(name, 8) for name in ("early", "late", "old", "memory", "other"))
LANE, INSIDE, FIRST, SECOND = (bool_symbol(name) for name in ("lane", "inside", "first", "second"))
STORED = [symbol(f"stored.{place}", 8) for place in range(2)]

DEFINITIONS: dict[Term, BitVec] = {
    LATE: ite(INSIDE, ite(SECOND, STORED[1], ite(FIRST, STORED[0], MEMORY)), const(0, 8)),
    EARLY: ite(INSIDE, OTHER, const(0, 8)),
}
GOAL = eq(ite(LANE, LATE, OLD), ite(LANE, EARLY, OLD))


def shown_by(parts: list[Bool]) -> object:
    return solve([conj(*parts, neg(substitute(GOAL, dict(DEFINITIONS))))], 5_000)


def test_the_parts_together_show_that_the_loads_bring_the_same_and_none_of_them_can_be_left_out() -> None:
    parts = list(where_nothing_was_stored(GOAL, DEFINITIONS))
    assert len(parts) == 3  # neither store met the load, and memory held the same
    assert isinstance(shown_by(parts), Unsatisfiable)
    for place in range(3):
        assert isinstance(shown_by([*parts[:place], *parts[place + 1 :]]), Satisfiable)


def test_the_parts_speak_of_lanes_that_are_on_and_inside_alone() -> None:
    parts = list(where_nothing_was_stored(GOAL, DEFINITIONS))
    for off in (LANE, INSIDE):
        assert isinstance(solve([neg(conj(*parts)), neg(off)], 5_000), Unsatisfiable)


def test_words_that_nothing_loaded_have_no_parts() -> None:
    assert list(where_nothing_was_stored(eq(OLD, OTHER), DEFINITIONS)) == []
