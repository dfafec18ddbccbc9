"""Proofs in small pieces: what is cut off, what counts as the same piece, and that nothing false is proved."""

import pytest

from visaproof.checking.clauses import Clauses
from visaproof.checking.stages import Holds
from visaproof.smt import Bool, add, bool_symbol, conj, const, disj, eq, implies, neg, sub, symbol, ult, zero_extend

x, y, z, w = (symbol(name, 8) for name in "xyzw")
p, q = bool_symbol("p"), bool_symbol("q")


def asked(statement: Bool, *premise: Bool) -> tuple[bool, Clauses]:
    clauses = Clauses(premise, timeout_ms=10_000)
    return isinstance(clauses.first_open([statement]), Holds), clauses


@pytest.mark.parametrize(
    ("statement", "holds"),
    [
        (implies(ult(x, y), ult(x, const(255, 8))), True),
        (implies(ult(x, y), ult(x, const(254, 8))), False),
        (implies(conj(p, ult(x, y)), conj(p, neg(eq(x, y)))), True),
        (implies(conj(p, ult(x, y)), conj(q, neg(eq(x, y)))), False),
        (disj(p, q, eq(x, y)), False),
        (disj(p, neg(eq(x, const(3, 8))), ult(x, const(4, 8))), True),
        (implies(eq(add(x, y), add(x, z)), eq(y, z)), True),
        (eq(zero_extend(add(x, y), 16), add(zero_extend(x, 16), zero_extend(y, 16))), False),
        (disj(neg(ult(add(x, y), add(z, y))), neg(ult(add(z, y), add(x, y)))), True),
        (implies(ult(add(x, y), sub(y, x)), ult(x, const(255, 8))), False),
    ],
)
def test_a_clause_is_proved_iff_it_is_valid(statement: Bool, holds: bool) -> None:
    assert asked(statement)[0] is holds


def test_the_premise_is_used_and_its_parts_that_matter_only() -> None:
    goal = ult(x, const(6, 8))
    assert asked(goal, ult(x, const(5, 8)), p, ult(z, w))[0]
    assert not asked(goal, ult(y, const(5, 8)), p)[0]


def test_sums_that_are_shifted_by_each_other_are_not_taken_for_free_words() -> None:
    """x + y and y + z with one word between them stay tied together."""
    assert not asked(implies(eq(add(x, y), const(1, 8)), neg(eq(add(y, z), const(2, 8)))))[0]
    assert asked(implies(conj(eq(add(x, y), const(1, 8)), eq(add(y, z), const(2, 8))), eq(sub(z, x), const(1, 8))))[0]


def test_statements_that_differ_in_names_only_are_decided_once() -> None:
    clauses = Clauses((), timeout_ms=10_000)
    names = [symbol(f"new.{k}", 8) for k in range(4)]
    pairs = [(names[0], names[1]), (names[1], names[2]), (names[0], names[3])]
    assert isinstance(clauses.first_open(implies(ult(a, b), neg(eq(a, b))) for a, b in pairs), Holds)
    assert len(clauses.proved) == 1


def test_the_same_names_in_another_place_are_another_statement() -> None:
    clauses = Clauses((), timeout_ms=10_000)
    assert isinstance(clauses.first_open([implies(ult(x, y), ult(x, const(255, 8)))]), Holds)
    assert not isinstance(clauses.first_open([implies(ult(x, y), ult(y, const(255, 8)))]), Holds)


def test_the_first_clause_that_is_not_proved_is_named() -> None:
    wrong = ult(y, const(7, 8))
    assert Clauses((), timeout_ms=10_000).first_open([conj(neg(ult(x, x)), wrong), eq(z, w)]) is wrong
