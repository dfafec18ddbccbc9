"""What has to hold for a load to bring the same before a store and behind it."""

from visaproof.isa.atomics import AtomicOp
from visaproof.rules.questions.sameness import swaps, where_nothing_was_stored
from visaproof.rules.questions.writes import Write
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.smt import BitVec, Bool, Term, bool_symbol, conj, const, eq, ite, neg, substitute, symbol, true
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


def added(message: int, width: int, op: AtomicOp = AtomicOp.ADD) -> Write:
    """One lane's atomic of `width` bytes on a cell of its own name."""
    cell, source = symbol(f"cell.{message}", 32), symbol(f"source.{message}", 8 * width)
    change = Atomic(LANE, 0, "S", (cell,), width, INSIDE, true(), op, source, source, False, None)
    return Write(conj(LANE, INSIDE), cell, None, (op, source, source), change, message, 0)


def needed(one: Write, other: Write) -> int:
    """How many conditions turning both round needs."""
    found = swaps((one, other), (other, one))
    assert found is not None
    return len(found)


def test_atomics_may_be_turned_round_only_if_they_commute_in_one_width() -> None:
    """A carry leaves the lower dword of a wide sum and is lost at the end of a narrow one."""
    assert needed(added(0, 4), added(1, 4)) == 0
    assert needed(added(0, 4), added(1, 4, AtomicOp.DEC)) == 0
    assert needed(added(0, 4), added(1, 8)) == 1
    assert needed(added(0, 4), added(1, 4, AtomicOp.XOR)) == 1
    assert needed(added(0, 4, AtomicOp.XCHG), added(1, 4, AtomicOp.XCHG)) == 1
