"""Questions in which products may be any numbers, and what is still known of these."""

from hypothesis import given
from hypothesis import strategies as st

from visaproof.analysis.bounds.sizes.words.any_numbers import AnyNumbers
from visaproof.smt import BitVec, Bool, Term, conj, const, eq, extract, ite, mul, neg, symbol, udiv, ult, zero_extend
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.evaluate import evaluate
from visaproof.smt.solvers import solve

X, Y, ID = symbol("x", 8), symbol("y", 8), symbol("id", 8)


def never(*formulas: Bool, ids: tuple[BitVec, ...] = ()) -> bool:
    return AnyNumbers(ids, lambda formula: isinstance(solve([formula], 1000), Unsatisfiable)).never(*formulas)


def low(word: BitVec, bits: int) -> BitVec:
    return extract(word, bits - 1, 0)


def wide(word: BitVec) -> BitVec:
    return zero_extend(word, 16)


def test_products_may_be_any_numbers() -> None:
    assert not never(eq(mul(X, X), const(3, 8)))  # it is no square, which is not looked at
    assert never(ult(mul(X, Y), const(3, 8)), ult(const(5, 8), mul(X, Y)))
    assert not never(ult(const(5, 8), udiv(const(4, 8), X)), ult(X, const(9, 8)), ult(const(1, 8), X))


def test_low_bits_of_a_product_are_its_own() -> None:
    assert never(eq(mul(X, Y), const(12, 8)), neg(eq(mul(low(X, 3), low(Y, 3)), const(4, 3))))
    assert not never(eq(mul(X, Y), const(12, 8)), neg(eq(mul(low(X, 3), low(X, 3)), const(4, 3))))


def test_bits_above_those_of_a_factor_are_not_those_of_its_word() -> None:
    """x mod 16 has four bits of x: of products of five bits nothing is known."""
    cut = mul(zero_extend(low(X, 4), 8), Y)
    assert never(eq(cut, const(12, 8)), neg(eq(mul(low(X, 4), low(Y, 4)), const(12, 4))))
    assert not never(eq(cut, const(12, 8)), neg(eq(mul(low(X, 5), low(Y, 5)), const(12, 5))))
    assert not never(neg(eq(cut, mul(X, Y))), eq(cut, const(12, 8)))


def test_a_product_is_no_other_one_with_the_same_factors_in_other_numbers() -> None:
    """x·y·y of which the low bits are looked at, too: 2·2·2 is 8, and 2·2 is 4."""
    assert not never(ult(mul(X, Y), const(5, 8)), ult(const(7, 8), mul(mul(X, Y), Y)))
    assert not never(eq(mul(X, Y), const(4, 8)), eq(mul(mul(wide(X), wide(Y)), wide(Y)), const(8, 16)))
    assert not never(eq(mul(mul(X, X), Y), const(4, 8)), neg(eq(mul(mul(X, Y), Y), const(4, 8))))
    assert never(eq(mul(mul(X, Y), Y), const(12, 8)), neg(eq(mul(mul(low(X, 3), low(Y, 3)), low(Y, 3)), const(4, 3))))


def test_what_is_known_of_an_id_is_left_out() -> None:
    own = ite(ult(ID, const(4, 8)), ID, const(0, 8))
    assert never(ult(const(3, 8), own))
    assert not never(ult(const(3, 8), own), ids=(own,))


@given(x=st.integers(0, 255), y=st.integers(0, 255), bits=st.integers(1, 8), cut=st.integers(1, 7))
def test_what_never_holds_of_any_numbers_holds_of_none(x: int, y: int, bits: int, cut: int) -> None:
    factors = zero_extend(low(X, cut), 8), Y
    product = mul(*factors)
    values: dict[Term, int] = {X: x, Y: y}
    narrow = mul(low(X, bits), low(Y, bits)) if bits > 1 else low(X, 1)
    said = eq(product, const(evaluate(product, values), 8)), eq(narrow, const(evaluate(narrow, values), bits))
    assert not never(conj(*said))
