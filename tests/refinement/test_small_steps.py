"""Small questions: loads before a store and after it, stores and atomics in another order, what entails what."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from visaproof.isa.atomics import COMPARING_OPS, PAGE_OPS, AtomicOp
from visaproof.queries.kernels.stores import Change, UnitStore, after, exchanged, same_store
from visaproof.refinement.entailment import not_covered, with_plain_equations
from visaproof.refinement.steps import where_nothing_was_stored
from visaproof.semantics.symbolic.effects import new_value
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    add,
    bool_symbol,
    concat,
    conj,
    const,
    disj,
    eq,
    evaluate,
    extract,
    is_true,
    ite,
    neg,
    substitute,
    symbol,
    true,
)
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


def changing(message: int, op: AtomicOp = AtomicOp.ADD) -> UnitStore:
    """One lane's atomic on a cell of its own name."""
    cell, operands = symbol(f"cell.{message}", 32), symbol(f"operands.{message}", 64)
    return UnitStore(conj(LANE, INSIDE), cell, operands, change=Change(op))


def needed(one: UnitStore, other: UnitStore) -> int:
    """How many conditions the exchange of both needs."""
    found = exchanged((one, other), (other, one))
    assert found is not None
    return len(list(found))


def test_atomics_may_be_exchanged_only_if_they_commute() -> None:
    """What one adds does not depend on what the other left; of two exchanges the last one stays."""
    assert needed(changing(0), changing(1)) == 0
    assert needed(changing(0), changing(1, AtomicOp.DEC)) == 0
    assert needed(changing(0), changing(1, AtomicOp.XOR)) == 1
    assert needed(changing(0, AtomicOp.XCHG), changing(1, AtomicOp.XCHG)) == 1
    assert needed(changing(0), replace(changing(1), change=None)) == 1


def test_other_stores_are_no_exchange() -> None:
    assert exchanged((changing(0),), (changing(1),)) is None
    assert exchanged((changing(0),), ()) is None


@pytest.mark.parametrize("op", [op for op in PAGE_OPS if op not in COMPARING_OPS])
def test_an_atomic_leaves_what_its_operation_makes_of_what_is_there(op: AtomicOp) -> None:
    """The first operand stands above the second one."""
    store, (before, operands) = changing(0, op), (symbol("there", 32), symbol("operands.0", 64))
    left = new_value(op, before, extract(operands, 63, 32), extract(operands, 31, 0))
    assert is_true(eq(store.left(before), left))
    there = substitute(after((store,), store.cell, before), {LANE: true(), INSIDE: true()})
    assert isinstance(solve([neg(eq(there, left))], 5_000), Unsatisfiable)


def test_an_increment_is_the_same_store_as_an_addition_of_one_and_not_of_two() -> None:
    increment = changing(0, AtomicOp.INC)
    for number, same in ((1, Unsatisfiable), (2, Satisfiable)):
        added = replace(increment, value=concat(const(number, 32), const(0, 32)), change=Change(AtomicOp.ADD))
        assert isinstance(solve([neg(same_store(increment, added, {}))], 5_000), same)


# ---------------------------------------------------------------- what entails what

A, B, C = (bool_symbol(name) for name in "abc")


def test_conditions_on_one_difference_are_recognised_whatever_constant_is_added_to_both_sides() -> None:
    x, y = symbol("x", 32), symbol("y", 32)
    meet = conj(A, eq(x, y))
    moved = conj(A, eq(add(x, const(4, 32)), add(y, const(4, 32))))
    apart = conj(A, eq(add(x, const(4, 32)), y))
    shapes = with_plain_equations((meet, moved, apart))
    assert list(not_covered(shapes[1:2], shapes[:1])) == []
    assert list(not_covered(shapes[2:], shapes[:1])) == shapes[2:]


def test_a_condition_is_covered_by_several() -> None:
    """Lanes collide where those of the source do if aligned, and it is undefined if they are not."""
    first, second, aligned, other = (bool_symbol(f"covered.{name}") for name in ("first", "second", "aligned", "other"))
    collide = conj(first, second)
    by = [conj(first, second, aligned), conj(first, neg(aligned))]
    assert not list(not_covered([collide], by))
    assert not list(not_covered([disj(collide, conj(first, neg(aligned)))], by))
    assert not list(not_covered([collide], [disj(*by)]))
    nested = conj(first, disj(second, other))
    both = [conj(first, aligned, disj(conj(second, aligned), other)), conj(first, neg(aligned))]
    assert not list(not_covered([nested], both))
    assert list(not_covered([nested], by)) == [nested]
    assert list(not_covered([nested], [both[0], conj(second, neg(aligned))])) == [nested]
    assert list(not_covered([collide], by[:1])) == [collide]
    assert list(not_covered([collide], [by[0], conj(other, neg(aligned))])) == [collide]
    assert list(not_covered([first], by)) == [first]
    assert list(not_covered([disj(collide, other)], by)) == [disj(collide, other)]


CONDITIONS = st.lists(
    st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), min_size=1, max_size=3).map(
        lambda parts: conj(
            *(bool_symbol(f"covered.{name}") if on else neg(bool_symbol(f"covered.{name}")) for name, on in parts)
        )
    ),
    max_size=6,
)


@given(CONDITIONS, CONDITIONS)
def test_what_is_covered_holds_only_where_one_of_the_others_does(asked: list[Bool], by: list[Bool]) -> None:
    for shape in (asked, [conj(one, disj(*asked)) for one in asked]):
        for others in (by, [conj(one, disj(*by)) for one in by]):
            only_what_holds(shape, others)


def only_what_holds(asked: list[Bool], by: list[Bool]) -> None:
    left = list(not_covered(asked, by))
    for bits in product((0, 1), repeat=4):
        values: dict[Term, int] = {bool_symbol(f"covered.{name}"): bit for name, bit in zip("abcd", bits, strict=True)}
        for one in asked:
            assert one in left or not evaluate(one, values) or any(evaluate(other, values) for other in by)
