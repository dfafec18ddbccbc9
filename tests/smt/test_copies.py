"""One-bit data: taken where words are only copied, refused where a bit would not stand for its word."""

from collections.abc import Iterable

import pytest

from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    bit_and,
    bool_symbol,
    conj,
    const,
    disj,
    eq,
    evaluate,
    extract,
    implies,
    ite,
    neg,
    substitute,
    symbol,
    symbols_of,
    true,
    ult,
    zero_extend,
)
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.copies import OneBit, one_bit
from visaproof.smt.solvers import solve

p, q = bool_symbol("p"), bool_symbol("q")
a, b, before = (symbol(name, 32) for name in ("a", "b", "before"))
address, other = symbol("address", 40), symbol("other", 40)
hit = eq(add(address, const(4, 40)), other)


def accepted(goal: Bool, assumptions: Iterable[Bool] = ()) -> OneBit:
    narrowed = one_bit(assumptions, goal)
    assert narrowed is not None
    return narrowed


def holds(goal: Bool) -> bool:
    answer = solve([neg(goal)], 5_000)
    assert isinstance(answer, Satisfiable | Unsatisfiable)
    return isinstance(answer, Unsatisfiable)


ZERO = const(0, 32)
SAME = eq(ite(p, a, ite(q, a, b)), ite(q, a, ite(p, a, b)))
COPIES: dict[str, tuple[Bool, bool]] = {
    "the same word chosen twice": (SAME, True),
    "a word that was not chosen": (implies(p, eq(ite(p, a, b), b)), False),
    "what a store leaves where it hits": (implies(hit, eq(ite(hit, a, ite(q, b, before)), ite(hit, a, b))), True),
    "what a store leaves elsewhere": (
        disj(hit, eq(ite(hit, a, ite(q, before, b)), ite(q, before, ite(hit, a, b)))),
        True,
    ),
    "a store over a store": (disj(p, neg(q), eq(ite(p, a, ite(q, b, before)), b)), True),
    "a store over a store that hits": (disj(neg(q), eq(ite(p, a, ite(q, b, before)), b)), False),
    "the stores in the other order": (implies(p, eq(ite(q, b, ite(p, a, before)), a)), False),
    "two clauses": (
        conj(SAME, disj(p, neg(q), eq(ite(p, a, ite(q, b, before)), b))),
        True,
    ),
    "zero outside": (disj(p, eq(ite(p, a, ZERO), ite(p, b, ZERO))), True),
    "zero inside": (implies(p, eq(ite(p, a, ZERO), ite(q, a, ZERO))), False),
}


@pytest.mark.parametrize("case", COPIES)
def test_a_claim_about_copies_is_one_about_a_bit(case: str) -> None:
    """The one-bit goal holds exactly where the goal does."""
    goal, expected = COPIES[case]
    assert holds(goal) is expected
    assert holds(accepted(goal).goal) is expected


@pytest.mark.parametrize("case", [case for case, (_, expected) in COPIES.items() if not expected])
def test_a_counterexample_in_one_bit_is_one_in_the_low_bit(case: str) -> None:
    goal, _ = COPIES[case]
    narrowed = accepted(goal)
    answer = solve([neg(narrowed.goal)], 5_000)
    assert isinstance(answer, Satisfiable)
    wide = narrowed.widen(answer.values)
    assert not evaluate(goal, wide)
    assert set(wide) <= set(symbols_of(goal))
    assert all(value <= 1 for word, value in wide.items() if word in narrowed.bits)


def test_only_copied_words_become_bits() -> None:
    narrowed = accepted(implies(hit, eq(ite(hit, a, before), before)))
    assert set(narrowed.bits) == {a, before}
    assert address in symbols_of(neg(hit), narrowed.goal)


def substituted(goal: Bool) -> Bool:
    """What one-bit data would make of the goal without asking whether it may."""
    words = [word for word in symbols_of(goal) if word.width == 32]
    bits: dict[Term, Term] = {word: zero_extend(symbol(f"{word.payload}.bit", 1), 32) for word in words}
    return substitute(goal, bits)


THREE = const(3, 32)
UNSOUND: dict[str, Bool] = {
    # Each holds for words of one bit, and fails for some words of 32: to accept it would be to prove a falsehood.
    "data in a guard": disj(ult(a, const(2, 32)), eq(a, b)),
    "data in the condition of a choice": eq(
        ite(ult(const(1, 32), a), before, ite(p, a, ite(q, a, b))), ite(q, a, ite(p, a, b))
    ),
    "three words that cannot differ pairwise": disj(eq(a, b), eq(b, before), eq(a, before)),
    "a word beside a number": neg(eq(a, THREE)),
    "arithmetic on a word": neg(eq(add(a, b), THREE)),
    "a masked word": eq(bit_and(a, const(2, 32)), const(0, 32)),
    "a part of a word": eq(extract(a, 4, 1), const(0, 4)),
}


@pytest.mark.parametrize("case", UNSOUND)
def test_what_a_bit_would_get_wrong_is_refused(case: str) -> None:
    """The case is a trap indeed, and one_bit does not step into it."""
    goal = UNSOUND[case]
    assert not holds(goal)
    assert holds(substituted(goal))
    assert one_bit((), goal) is None


REFUSED: dict[str, tuple[tuple[Bool, ...], Bool]] = {
    "two equations in one clause": ((), disj(eq(a, b), eq(before, b))),
    "an equation of addresses beside one of data": ((), disj(neg(p), eq(address, other), eq(ite(q, a, b), before))),
    "a copied word in an assumption": ((ult(a, b),), implies(p, eq(ite(p, a, b), a))),
    "a copied word in another clause": ((), conj(implies(p, eq(ite(p, a, b), a)), disj(q, ult(a, const(9, 32))))),
    "a copied word in an address": ((), implies(eq(zero_extend(a, 40), address), eq(ite(p, a, b), b))),
    "a denied equation of words": ((), neg(eq(a, b))),
    "nothing copied": ((), implies(p, hit)),
    "a truth value alone": ((), p),
    "nothing": ((), true()),
    "words of one bit already": ((), eq(symbol("s", 1), symbol("t", 1))),
}


@pytest.mark.parametrize("case", REFUSED)
def test_other_goals_are_refused(case: str) -> None:
    assumptions, goal = REFUSED[case]
    assert one_bit(assumptions, goal) is None


def chain(words: list[BitVec], guards: list[Bool]) -> BitVec:
    value = before
    for word, guard in zip(words, guards, strict=True):
        value = ite(guard, word, value)
    return value


def test_every_chain_of_three_stores_is_judged_as_its_words_are() -> None:
    """For each subset of guards as the premise: the last store that hits decides."""
    guards = [bool_symbol(f"g{k}") for k in range(3)]
    words = [symbol(f"d{k}", 32) for k in range(3)]
    for premise in range(8):
        literals = [guard if premise >> k & 1 else neg(guard) for k, guard in enumerate(guards)]
        for word in (*words, before):
            goal = disj(*(neg(literal) for literal in literals), eq(chain(words, guards), word))
            last = max((k for k in range(3) if premise >> k & 1), default=None)
            expected = word is (before if last is None else words[last])
            assert holds(goal if goal.op is Op.CONST else accepted(goal).goal) is expected


def test_a_word_that_an_inner_choice_looks_at_is_not_only_copied() -> None:
    inner = ite(eq(a, const(3, 32)), b, before)
    assert one_bit((), eq(ite(p, inner, b), a)) is None
