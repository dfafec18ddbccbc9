"""Stores of one value to one cell by several lanes, beside the same as one store."""

from itertools import product

from visaproof.isa.atomics import AtomicOp
from visaproof.queries.kernels.stores import Change, UnitStore, after, at_once
from visaproof.smt import bool_symbol, const, disj, eq, evaluate, symbol

A, B, C = (bool_symbol(name) for name in "abc")
X, Y = symbol("x", 8), symbol("y", 8)
ONE, TWO = const(1, 8), const(2, 8)


def test_stores_of_one_value_to_one_cell_are_one_store() -> None:
    assert at_once((UnitStore(A, X, ONE), UnitStore(B, X, ONE))) == (UnitStore(disj(A, B), X, ONE),)


def test_stores_of_other_values_and_cells_and_not_in_a_row_stay() -> None:
    stores = (UnitStore(A, X, ONE), UnitStore(B, X, TWO), UnitStore(C, X, ONE), UnitStore(A, Y, ONE))
    assert at_once(stores) == stores


def test_an_atomic_that_happens_twice_stays_two() -> None:
    add = UnitStore(A, X, ONE, change=Change(AtomicOp.ADD))
    assert at_once((add, add)) == (add, add)


def test_memory_is_the_same_after_stores_at_once() -> None:
    choices = tuple(UnitStore(guard, cell, value) for guard, cell, value in product((A, B), (X, Y), (ONE, TWO)))
    probe, before = symbol("probe", 8), symbol("before", 8)
    for stores in product(choices, repeat=3):
        same = eq(after(stores, probe, before), after(at_once(stores), probe, before))
        for a, b, x, y in product((0, 1), repeat=4):
            assert evaluate(same, {A: a, B: b, X: x, Y: y, probe: 1, before: 7})
