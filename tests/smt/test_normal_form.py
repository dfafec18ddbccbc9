"""Where the rules of the normal form stop, and what terms know; the rules are claims of `proofs/normal_form.py`."""

from collections.abc import Callable
from typing import Any

import pytest
import z3

from visaproof.smt import (
    BitVec,
    Op,
    Term,
    add,
    bit_and,
    bit_or,
    bit_xor,
    bool_symbol,
    concat,
    conj,
    const,
    disj,
    eq,
    evaluate,
    extract,
    ite,
    known_trailing_zeros,
    lshr,
    mul,
    neg,
    negate,
    scale,
    shl,
    show,
    sign_extend,
    slt,
    symbol,
    true,
    truncate,
    ule,
    ult,
    zero_extend,
)
from visaproof.smt.z3_backend import Lowering

_z3: Any = z3

x, y, w = symbol("x", 8), symbol("y", 8), symbol("w", 16)
p, q, r = bool_symbol("p"), bool_symbol("q"), bool_symbol("r")
X, Y, W = _z3.BitVec("x", 8), _z3.BitVec("y", 8), _z3.BitVec("w", 16)
P, Q, R = _z3.Bool("p"), _z3.Bool("q"), _z3.Bool("r")


def c(value: int, width: int = 8) -> Any:
    return const(value, width)


def zext(raw: Any, to: int) -> Any:
    return _z3.ZeroExt(to - raw.size(), raw)


def sext(raw: Any, to: int) -> Any:
    return _z3.SignExt(to - raw.size(), raw)


def assert_proved(term: Term, raw: Any) -> None:
    solver = _z3.Solver()
    solver.add(Lowering().lower(term) != raw)
    assert solver.check() == _z3.unsat, solver.model()


KEPT: dict[str, tuple[Term, Op, Any]] = {
    "zeros above a sum that may wrap": (zero_extend(add(x, c(3)), 16), Op.ZERO_EXTEND, zext(X + 3, 16)),
    "or of bits that meet": (bit_or(x, c(3)), Op.OR, X | 3),
    "an equation that holds unless the sum wraps": (
        eq(add(zero_extend(x, 16), c(4, 16)), zero_extend(add(x, c(4)), 16)), Op.EQ, zext(X, 16) + 4 == zext(X + 4, 16)
    ),
    "an equation of words of different widths, extended": (
        eq(zero_extend(x, 32), zero_extend(w, 32)), Op.EQ, zext(X, 32) == zext(W, 32)
    ),
    "multiples of extended words that may wrap": (
        eq(scale(zero_extend(x, 16), 0x180), scale(zero_extend(y, 16), 0x180)),
        Op.EQ,
        zext(X, 16) * 0x180 == zext(Y, 16) * 0x180,
    ),
    "a sum that can reach the modulus": (
        eq(add(zero_extend(x, 16), c(0xFF01, 16)), c(0, 16)), Op.EQ, zext(X, 16) + 0xFF01 == 0
    ),
    "a mask with a hole": (bit_and(c(0xF4), add(x, scale(y, 4))), Op.AND, 0xF4 & (X + Y * 4)),
    "an even product of odd things": (eq(scale(x, 6), c(4)), Op.EQ, X * 6 == 4),
    "at most, where one less would wrap": (ule(x, y), Op.NOT, _z3.ULE(X, Y)),
    "a signed order of words with signs": (slt(x, y), Op.SLT, X < Y),
    "slices in the wrong order": (
        concat(extract(w, 7, 0), extract(w, 15, 8)), Op.CONCAT, _z3.Concat(_z3.Extract(7, 0, W), _z3.Extract(15, 8, W))
    ),
    "slices with a gap": (
        concat(extract(w, 15, 9), extract(w, 7, 0)), Op.CONCAT, _z3.Concat(_z3.Extract(15, 9, W), _z3.Extract(7, 0, W))
    ),
    "the high bits of a sum": (extract(add(x, y), 7, 4), Op.EXTRACT, _z3.Extract(7, 4, X + Y)),
    "flips that differ": (eq(bit_xor(c(6), x), bit_xor(c(5), y)), Op.EQ, 6 ^ X == 5 ^ Y),
    "a word that is none of its values but one": (
        conj(p, *(neg(eq(bit_and(x, c(6)), c(value))) for value in (0, 2, 6))),
        Op.CONJ,
        _z3.And(P, *(value != (X & 6) for value in (0, 2, 6))),
    ),
    "a denied conjunction beside one of its parts": (
        conj(p, neg(conj(p, q))), Op.CONJ, _z3.And(P, _z3.Not(_z3.And(P, Q)))
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", KEPT)
def test_a_rule_stops_where_it_would_be_wrong(case: str) -> None:
    built, op, raw = KEPT[case]
    assert built.op is op, show(built)
    assert_proved(built, raw)


@pytest.mark.parametrize(
    ("word", "raw", "values"),
    [
        (bit_and(x, c(6)), X & 6, (0, 2, 4, 6)),
        (bit_or(bit_and(x, c(2)), c(1)), X & 2 | 1, (1, 2, 3)),
        (extract(x, 1, 0), _z3.Extract(1, 0, X), (0, 1, 2, 3)),
    ],
    ids=["a mask with a hole", "with a lowest value", "every value of a width"],
)
def test_a_word_is_one_of_the_values_that_its_bits_allow(word: BitVec, raw: Any, values: tuple[int, ...]) -> None:
    ones = [eq(word, c(value, word.width)) for value in values]
    assert conj(p, *map(neg, ones)) is neg(true())
    assert disj(q, *ones) is true()
    assert_proved(disj(*ones), _z3.Or(*(raw == value for value in values)))


def test_equal_terms_are_one_object() -> None:
    assert add(x, const(1, 8)) is add(const(1, 8), x)
    assert symbol("x", 8) is x
    assert symbol("x", 9) is not x


def test_known_bits_and_bounds_follow_from_how_a_word_is_made() -> None:
    """16·zext(x) + 12, on 16 bits: 12 .. 16·255 + 12, and two low zeros."""
    address = add(scale(zero_extend(x, 16), 16), const(12, 16))
    assert (address.low, address.high) == (12, 16 * 255 + 12)
    assert known_trailing_zeros(address) == 2
    assert known_trailing_zeros(mul(scale(x, 2), scale(y, 4))) == 3
    assert known_trailing_zeros(const(0, 8)) == 8
    assert negate(x).high == 255


def test_a_large_product_of_sums_stays_a_product() -> None:
    """Distributing more than 64 monomials would cost more than it decides."""
    many = add(*(symbol(f"m{k}", 8) for k in range(20)))
    assert mul(many, many).op is Op.MUL
    assert mul(many, add(x, y)).op is Op.SUM  # 21 · 3 monomials


@pytest.mark.parametrize(
    "make",
    [
        lambda: add(x, w),
        lambda: eq(x, w),
        lambda: ult(x, w),
        lambda: slt(x, w),
        lambda: bit_and(x, w),
        lambda: ite(p, x, w),
        lambda: mul(x, w),
        lambda: shl(x, w),
        lambda: zero_extend(w, 8),
        lambda: sign_extend(w, 8),
        lambda: extract(x, 8, 0),
        lambda: extract(x, 2, 3),
        lambda: truncate(x, 0),
    ],
)
def test_widths_that_do_not_fit_are_refused(make: Callable[[], Term]) -> None:
    with pytest.raises(ValueError, match=r"widths differ|cannot extend|bits -?\d+\.\.\d+ of"):
        make()


def test_a_term_shows_itself_and_cuts_what_is_deep() -> None:
    assert repr(eq(x, const(3, 8))) == "eq(0x3:8, x)"
    deep = x
    for _ in range(9):
        deep = lshr(add(deep, y), symbol("s", 8))
    assert "…" in repr(deep)
    assert str(true()) == "True"


@pytest.mark.slow
def test_low_bits_of_a_long_chain_of_products_are_sliced_once() -> None:
    """Neither recursion nor one slice for each of 2^2000 ways through the chain."""
    x, y = symbol("x", 16), symbol("y", 16)
    chain, expected = sign_extend(x, 32), 0x1203
    for _ in range(2000):
        chain, expected = add(mul(chain, chain), sign_extend(y, 32)), expected * expected + 0x8005 & 0xFF
    assert evaluate(truncate(chain, 8), {x: 0x1203, y: 0x8005}) == expected


def test_numbers_below_2_to_16_are_compared_in_16_bits() -> None:
    word, other = symbol("w", 16), symbol("v", 8)
    narrow = ult(word, const(0x100, 16))
    assert ult(zero_extend(word, 32), const(0x100, 32)) is narrow
    assert ult(zero_extend(word, 64), const(0x100, 64)) is narrow
    assert ult(zero_extend(other, 32), zero_extend(word, 32)) is ult(zero_extend(other, 16), word)
    assert ult(symbol("l", 32), zero_extend(word, 32)).args[0].width == 32
    assert ult(zero_extend(word, 32), const(0x10000, 32)) is true()


def test_a_slice_of_a_word_of_many_operations_stays_one_of_the_whole() -> None:
    """Bit-sliced ciphers shift such words thousands of times."""
    word, raw, words = w, W, [symbol(f"w{k}", 16) for k in range(100)]
    for k, one in enumerate(words):
        word = bit_or(bit_xor(word, one), lshr(one, const(3, 16)))
        raw = (raw ^ _z3.BitVec(f"w{k}", 16)) | _z3.LShR(_z3.BitVec(f"w{k}", 16), 3)
    upper = extract(word, 15, 8)
    assert upper.op is Op.EXTRACT
    assert upper.args == (word,)
    assert_proved(upper, _z3.Extract(15, 8, raw))
    assert extract(bit_xor(w, words[0]), 15, 8).op is Op.XOR
