"""Words as integers allow all that the words do, and no more where every operation is a sum, a slice or a comparison.

What the words do is told by z3, from expressions that it alone has seen.
"""

from random import Random
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.smt.test_terms_against_z3 import constant_like, some_values, z3_value
from tests.strategies import WIDTHS, Truth, Word, truths, words
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    conj,
    const,
    eq,
    evaluate,
    iff,
    mul,
    neg,
    scale,
    sign_extend,
    slt,
    symbol,
    symbols_of,
    udiv,
    ule,
    ult,
    urem,
    zero_extend,
)
from visaproof.smt import bitwuzla_backend as bitwuzla
from visaproof.smt.answers import Satisfiable, Undecided, Unsatisfiable
from visaproof.smt.evaluate import subterms
from visaproof.smt.integers import linear
from visaproof.smt.solvers import OF_WORDS_MS, cross_checked, solve_sums

MS = 20_000

ANY = {Op.MUL, Op.AND, Op.OR, Op.XOR, Op.SHL, Op.LSHR, Op.ASHR, Op.UDIV, Op.UREM, Op.FLOAT}
"""Of which integers know no more than the width."""


def excluded(*formulas: Bool) -> bool:
    return isinstance(linear.ask(conj(*formulas), MS), Unsatisfiable)


def same(one: Term, other: Term) -> Bool:
    if isinstance(one, BitVec) and isinstance(other, BitVec):
        return eq(one, other)
    assert isinstance(one, Bool)
    assert isinstance(other, Bool)
    return iff(one, other)


def meaning(pair: Word | Truth, pick: Random) -> tuple[Bool, Bool]:
    """That the symbols are some numbers, and that the term is what z3 makes of these."""
    values, replacements = some_values((pair.term,), pair.raw, pick)
    known = [same(one, constant_like(one, values[one])) for one in symbols_of(pair.term)]
    return conj(*known), same(pair.term, constant_like(pair.term, z3_value(pair.raw, replacements)))


def agrees(pair: Word | Truth, pick: Random) -> bool:
    known, holds = meaning(pair, pick)
    if excluded(known, holds):
        return False
    exact = not any(term.op in ANY for term in subterms(pair.term))
    return not exact or excluded(known, neg(holds))


@settings(max_examples=60)
@given(st.data(), st.randoms(use_true_random=False))
def test_integers_allow_what_words_are(data: Any, pick: Random) -> None:
    assert agrees(data.draw(words(pick.choice(WIDTHS), depth=3)), pick)


@settings(max_examples=40)
@given(st.data(), st.randoms(use_true_random=False))
def test_integers_allow_what_is_true_of_words(data: Any, pick: Random) -> None:
    assert agrees(data.draw(truths(pick.choice(WIDTHS), depth=2)), pick)


@settings(max_examples=40)
@given(st.data())
def test_what_integers_exclude_has_no_words(data: Any) -> None:
    formula = data.draw(truths(8, depth=2)).term
    if excluded(formula):
        assert isinstance(bitwuzla.ask([formula], MS, 0, False), Unsatisfiable)


x, y, n = (symbol(name, 32) for name in "xyn")
WRAPPED = add(x, const(5, 32))
ONE_OF_EACH = {
    "a sum that wraps": conj(eq(x, const(0xFFFF_FFFE, 32)), ult(WRAPPED, const(9, 32))),
    "a negative coefficient": conj(eq(x, const(3, 32)), eq(scale(x, -1), const(0xFFFF_FFFD, 32))),
    "a signed comparison": conj(slt(x, y), ult(y, x)),
    "an extension of the sign": conj(slt(x, const(0, 32)), ult(const((1 << 40) - 2, 40), sign_extend(x, 40))),
    "a quotient": conj(eq(udiv(x, const(3, 32)), const(7, 32)), eq(urem(x, const(3, 32)), const(2, 32))),
}


@pytest.mark.parametrize("case", ONE_OF_EACH)
def test_what_holds_of_words_is_not_excluded(case: str) -> None:
    formula = ONE_OF_EACH[case]
    assert isinstance(bitwuzla.ask([formula], MS, 0, False), Satisfiable)
    assert not excluded(formula)


def exact_sum(self: linear.Integers, term: Term, args: Any) -> Any:
    """Nothing wraps."""
    constant, factors = cast(tuple[int, tuple[int, ...]], term.payload)
    return sum((times * arg for times, arg in zip(factors, args, strict=True)), self._number(constant))


WRONG = {
    "a sum that wraps": ("_sum", exact_sum),
    "a signed comparison": ("_as_signed", lambda self, word: self._done[word]),
    "an extension of the sign": ("_sign_extended", lambda self, term, integer: integer),
    "a quotient": ("_divided", lambda self, integer, divisor, low, high: (self._any(0, 0), self._any(0, 0))),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_reading_is_noticed(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, wrong = WRONG[case]
    monkeypatch.setattr(linear.Integers, name, wrong)
    assert excluded(ONE_OF_EACH[case])


def beyond(elements: int, size: int) -> Bool:
    """A work item below n reaches so many bytes from `elements` times its number on, of `size` times n."""
    reached = add(zero_extend(scale(x, elements), 40), const(elements, 40))
    return conj(slt(x, n), ule(x, const(0x7FFF_FFFF, 32)), ult(scale(zero_extend(n, 40), size), reached))


def test_items_of_three_bytes_stay_inside() -> None:
    assert isinstance(solve_sums(beyond(3, 3), MS), Unsatisfiable)
    assert excluded(beyond(3, 3))


def test_items_of_four_bytes_in_a_buffer_of_three_do_not() -> None:
    assert isinstance(solve_sums(beyond(4, 3), MS), Satisfiable)
    assert not excluded(beyond(4, 3))


def test_values_of_integers_count_where_the_formula_holds_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = beyond(4, 3)
    answer = linear.ask(formula, MS)
    assert isinstance(answer, Satisfiable)
    assert evaluate(formula, answer.values)
    monkeypatch.setattr(linear.Integers, "values", lambda *_: dict.fromkeys(symbols_of(formula), 0))
    assert isinstance(linear.ask(formula, MS), Undecided)


def test_a_product_of_unknowns_is_left_to_words() -> None:
    square = mul(zero_extend(symbol("b", 4), 8), zero_extend(symbol("b", 4), 8))
    two = eq(urem(square, const(4, 8)), const(2, 8))
    assert not excluded(two)
    assert isinstance(solve_sums(two, MS), Unsatisfiable)


def test_integers_are_asked_where_words_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def slowly(formulas: Any, timeout_ms: int, *_: Any) -> Any:
        asked.append(timeout_ms)
        return bitwuzla.Undecided("bitwuzla: timeout")

    monkeypatch.setattr(bitwuzla, "ask", slowly)
    answer = solve_sums(beyond(5, 5), MS)
    assert asked == [OF_WORDS_MS]
    assert answer == Unsatisfiable(linear.NAME)


def test_a_cross_check_asks_both_solvers_about_words() -> None:
    with cross_checked():
        answer = solve_sums(beyond(6, 6), MS)
    assert isinstance(answer, Unsatisfiable)
    assert "bitwuzla" in answer.solver
    assert "integers" not in answer.solver
