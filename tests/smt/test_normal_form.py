"""The normal form, rule by rule: what is built is the stated term, and z3 proves that it means what was written."""

from collections.abc import Callable
from typing import Any

import pytest
import z3

from visaproof.smt import (
    Op,
    Term,
    add,
    ashr,
    bit,
    bit_and,
    bit_not,
    bit_or,
    bit_xor,
    bool_symbol,
    concat,
    conj,
    const,
    disj,
    eq,
    extract,
    false,
    iff,
    implies,
    ite,
    ite_bool,
    known_trailing_zeros,
    lshr,
    mul,
    neg,
    negate,
    scale,
    shl,
    show,
    sign_extend,
    sle,
    slt,
    sub,
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


RULES: dict[str, tuple[Term, Term, Any]] = {
    # ------------------------------------------------ sums and products
    "sums do not depend on the order": (add(x, y), add(y, x), X + Y),
    "equal atoms are counted": (add(x, y, x), add(scale(x, 2), y), X + Y + X),
    "what is subtracted vanishes": (sub(add(x, y), x), y, X + Y - X),
    "products distribute over sums": (
        mul(add(x, y), sub(x, y)), sub(mul(x, x), mul(y, y)), (X + Y) * (X - Y)
    ),
    "a product of products is flat": (mul(mul(x, y), x), mul(x, mul(x, y)), X * Y * X),
    "the complement is -1 - x": (bit_not(x), sub(c(-1), x), ~X),
    "twice the complement is nothing": (bit_not(bit_not(x)), x, ~~X),
    "a multiple of 2^w is 0": (scale(scale(x, 16), 16), c(0), X * 16 * 16),
    "a shift by a constant is a multiple": (shl(x, c(3)), scale(x, 8), X << 3),
    "a shift by the width or more is 0": (shl(x, c(8)), c(0), X << 8),
    # ------------------------------------------------ bits
    "and with itself": (bit_and(x, x), x, X & X),
    "and with ones": (bit_and(x, c(-1)), x, X & 0xFF),
    "and of two masks is one mask": (bit_and(c(0x3C), bit_and(x, c(0x0F))), bit_and(x, c(0x0C)), 0x3C & (X & 0x0F)),
    "a mask over bits that are zero anyway": (
        bit_and(zero_extend(x, 16), c(0xFF, 16)), zero_extend(x, 16), zext(X, 16) & 0xFF
    ),
    "a mask that keeps only zeros": (bit_and(scale(x, 4), c(3)), c(0), (X * 4) & 3),
    "what a high mask keeps whole comes out of it": (
        bit_and(c(0xF8), add(x, scale(y, 8), c(0x13))),
        add(scale(y, 8), c(0x10), bit_and(c(0xF8), add(x, c(3)))),
        0xF8 & (X + Y * 8 + 0x13),
    ),
    "so a high mask of multiples is no mask": (bit_and(c(0xFC), scale(x, 4)), scale(x, 4), 0xFC & (X * 4)),
    "or with zero": (bit_or(x, c(0)), x, X | 0),
    "or with ones": (bit_or(x, c(-1)), c(-1), X | 0xFF),
    "or of disjoint bits is their sum": (
        bit_or(scale(x, 4), c(3)), add(scale(x, 4), c(3)), (X * 4) | 3
    ),
    "xor of disjoint bits is their sum": (bit_xor(scale(x, 2), c(1)), add(scale(x, 2), c(1)), (X * 2) ^ 1),
    "xor with itself": (bit_xor(x, x), c(0), X ^ X),
    "xor with ones is the complement": (bit_xor(x, c(-1)), bit_not(x), X ^ 0xFF),
    "two flips are one": (bit_xor(c(5), bit_xor(x, c(6))), bit_xor(x, c(3)), 5 ^ (X ^ 6)),
    # ------------------------------------------------ widths
    "a slice of a slice": (extract(extract(w, 11, 2), 5, 3), extract(w, 7, 5), _z3.Extract(7, 5, W)),
    "a slice of a concatenation": (
        extract(concat(x, y), 11, 4),
        concat(extract(x, 3, 0), extract(y, 7, 4)),
        _z3.Extract(11, 4, _z3.Concat(X, Y)),
    ),
    "a slice inside one part": (extract(concat(x, y), 15, 8), x, X),
    "a slice of the added zeros": (extract(zero_extend(x, 16), 15, 8), c(0), _z3.Extract(15, 8, zext(X, 16))),
    "a slice of a sign extension": (
        extract(sign_extend(x, 16), 5, 1), extract(x, 5, 1), _z3.Extract(5, 1, sext(X, 16))
    ),
    "a slice across the sign": (
        extract(sign_extend(x, 16), 9, 4),
        sign_extend(extract(x, 7, 4), 6),
        _z3.Extract(9, 4, sext(X, 16)),
    ),
    "the low bits of a sum are the sum of the low bits": (
        truncate(add(w, c(0x103, 16)), 8), add(truncate(w, 8), c(3)), _z3.Extract(7, 0, W + 0x103)
    ),
    "the low bits of a product": (
        truncate(mul(w, w), 8), mul(truncate(w, 8), truncate(w, 8)), _z3.Extract(7, 0, W * W)
    ),
    "the low bits of a multiple of their modulus": (truncate(scale(w, 256), 8), c(0), _z3.Extract(7, 0, W * 256)),
    "zeros above a sum that does not wrap": (
        zero_extend(add(zero_extend(x, 16), c(3, 16)), 32),
        add(zero_extend(x, 32), c(3, 32)),
        zext(zext(X, 16) + 3, 32),
    ),
    "zeros above zeros": (zero_extend(zero_extend(x, 16), 32), zero_extend(x, 32), zext(X, 32)),
    "signs above signs": (sign_extend(sign_extend(x, 16), 32), sign_extend(x, 32), sext(X, 32)),
    "the sign of a word that cannot be negative": (
        sign_extend(lshr(x, c(1)), 16), zero_extend(lshr(x, c(1)), 16), sext(_z3.LShR(X, 1), 16)
    ),
    "a logical shift is a slice": (lshr(x, c(3)), zero_extend(extract(x, 7, 3), 8), _z3.LShR(X, 3)),
    "an arithmetic shift is a signed slice": (ashr(x, c(3)), sign_extend(extract(x, 7, 3), 8), X >> 3),
    "an arithmetic shift by the width or more": (ashr(x, c(9)), sign_extend(extract(x, 7, 7), 8), X >> 9),
    "neighbouring slices are one slice": (concat(extract(w, 15, 8), extract(w, 7, 0)), w, W),
    "zeros above by concatenation": (concat(c(0), x), zero_extend(x, 16), _z3.Concat(_z3.BitVecVal(0, 8), X)),
    "zeros below by concatenation": (
        concat(x, c(0)), scale(zero_extend(x, 16), 256), _z3.Concat(X, _z3.BitVecVal(0, 8))
    ),
    "a concatenation of concatenations is flat": (
        concat(concat(x, y), x), concat(x, concat(y, x)), _z3.Concat(X, Y, X)
    ),
    # ------------------------------------------------ equality
    "a word equals itself": (eq(add(x, y), add(y, x)), true(), X + Y == Y + X),
    "a word differs from itself and a constant": (eq(add(x, c(1)), x), false(), X + 1 == X),
    "constants move to one side": (eq(add(x, c(3)), c(5)), eq(x, c(2)), X + 3 == 5),
    "both orders of an equation are one": (eq(x, y), eq(y, x), Y == X),
    "an even number is not odd": (eq(scale(x, 4), c(2)), false(), X * 4 == 2),
    "multiples that differ by less than their step": (
        eq(scale(x, 4), add(scale(y, 4), c(2))), false(), X * 4 == Y * 4 + 2
    ),
    "a bit that is zero is not set": (eq(bit_and(x, c(0xF0)), c(0x0F)), false(), X & 0xF0 == 0x0F),
    "a value above the bounds": (eq(zero_extend(x, 16), c(300, 16)), false(), zext(X, 16) == 300),
    "extensions are equal where the words are": (eq(zero_extend(x, 16), zero_extend(y, 16)), eq(x, y), X == Y),
    "an extension is a small constant": (eq(zero_extend(x, 16), c(7, 16)), eq(x, c(7)), zext(X, 16) == 7),
    "equal flips of both sides": (eq(bit_xor(c(6), x), bit_xor(c(6), y)), eq(x, y), 6 ^ X == 6 ^ Y),
    "words that differ in their own width differ extended": (
        eq(zero_extend(x, 16), zero_extend(add(x, c(4)), 16)), false(), zext(X, 16) == zext(X + 4, 16)
    ),
    "and after another constant is added": (
        eq(add(zero_extend(x, 16), c(8, 16)), zero_extend(add(x, c(4)), 16)),
        false(),
        zext(X, 16) + 8 == zext(X + 4, 16),
    ),
    "equal multiples of extended words are equal words": (
        eq(scale(zero_extend(x, 16), 4), scale(zero_extend(y, 16), 4)), eq(x, y), zext(X, 16) * 4 == zext(Y, 16) * 4
    ),
    "and behind a common summand, with signs": (
        eq(add(w, scale(sign_extend(x, 16), 128)), add(w, scale(sign_extend(y, 16), 128))),
        eq(x, y),
        W + sext(X, 16) * 128 == W + sext(Y, 16) * 128,
    ),
    "extended flips of words that differ": (
        eq(scale(zero_extend(bit_xor(c(1), x), 16), 4), scale(zero_extend(bit_xor(c(1), add(x, c(2))), 16), 4)),
        false(),
        zext(1 ^ X, 16) * 4 == zext(1 ^ (X + 2), 16) * 4,
    ),
    "a sum that is above 0 and below the modulus": (
        eq(add(zero_extend(x, 16), c(1, 16)), negate(zero_extend(y, 16))), false(), zext(X, 16) + 1 == -zext(Y, 16)
    ),
    "a difference between two multiples of the modulus": (
        eq(add(zero_extend(x, 16), c(300, 16)), zero_extend(y, 16)), false(), zext(X, 16) + 300 == zext(Y, 16)
    ),
    "extended words whose own difference is in a range": (
        eq(scale(zero_extend(add(x, ite(p, c(1), c(3))), 16), 4), scale(zero_extend(x, 16), 4)),
        false(),
        zext(X + _z3.If(P, _z3.BitVecVal(1, 8), 3), 16) * 4 == zext(X, 16) * 4,
    ),
    "low bits under a mask are a slice": (
        eq(bit_and(c(3), add(x, scale(y, 4))), c(1)), eq(truncate(x, 2), c(1, 2)), 3 & (X + Y * 4) == 1
    ),
    "a bit is 0 where it is not 1": (
        eq(extract(x, 3, 3), c(0, 1)), neg(bit(x, 3)), _z3.Extract(3, 3, X) == 0
    ),
    "a bit is a slice of one": (bit(x, 3), eq(extract(x, 3, 3), c(1, 1)), _z3.Extract(3, 3, X) == 1),
    # ------------------------------------------------ order
    "nothing is below 0": (ult(x, c(0)), false(), _z3.ULT(X, 0)),
    "an extension is below what it cannot reach": (
        ult(zero_extend(x, 16), c(256, 16)), true(), _z3.ULT(zext(X, 16), 256)
    ),
    "at most 255 of 8 bits": (ule(x, c(255)), true(), _z3.ULE(X, 255)),
    "one form for one bound": (
        ule(add(zero_extend(x, 16), c(4, 16)), w),
        ult(add(zero_extend(x, 16), c(3, 16)), w),
        _z3.ULE(zext(X, 16) + 4, W),
    ),
    "at most is not above": (ule(x, y), neg(ult(y, x)), _z3.ULE(X, Y)),
    "signed is unsigned without signs": (
        slt(zero_extend(x, 16), zero_extend(y, 16)),
        ult(zero_extend(x, 16), zero_extend(y, 16)),
        zext(X, 16) < zext(Y, 16),
    ),
    "signed at most is not signed above": (sle(x, y), neg(slt(y, x)), X <= Y),
    "-128 is less than 127": (slt(c(0x80), c(0x7F)), true(), _z3.BitVecVal(0x80, 8) < _z3.BitVecVal(0x7F, 8)),
    # ------------------------------------------------ connectives
    "and is a set": (conj(p, q, p), conj(q, p), _z3.And(P, Q, P)),
    "and is flat": (conj(p, conj(q, r)), conj(conj(p, q), r), _z3.And(P, Q, R)),
    "nothing to hold holds": (conj(), true(), _z3.BoolVal(True)),
    "nothing to choose from fails": (disj(), false(), _z3.BoolVal(False)),
    "a contradiction": (conj(p, q, neg(p)), false(), _z3.And(P, Q, _z3.Not(P))),
    "the excluded middle": (disj(p, q, neg(p)), true(), _z3.Or(P, Q, _z3.Not(P))),
    "a denied conjunction of what is asserted": (
        conj(p, q, neg(conj(p, q))), false(), _z3.And(P, Q, _z3.Not(_z3.And(P, Q)))
    ),
    "a denied disjunction beside its parts": (
        disj(p, q, neg(disj(p, q))), true(), _z3.Or(P, Q, _z3.Not(_z3.Or(P, Q)))
    ),
    "what implies itself": (implies(p, p), true(), _z3.Implies(P, P)),
    "what is equivalent to itself": (iff(p, p), true(), P == P),
    "equivalent to true": (iff(p, true()), p, _z3.BoolVal(True) == P),
    # ------------------------------------------------ choices
    "one choice": (ite(p, x, x), x, _z3.If(P, X, X)),
    "a denied condition": (ite(neg(p), x, y), ite(p, y, x), _z3.If(_z3.Not(P), X, Y)),
    "a condition asked twice": (
        ite(p, ite(p, x, y), ite(p, y, x)), x, _z3.If(P, _z3.If(P, X, Y), _z3.If(P, Y, X))
    ),
    "a choice of constants is its condition": (eq(ite(p, c(1), c(0)), c(1)), p, _z3.If(P, _z3.BitVecVal(1, 8), 0) == 1),
    "or its denial": (eq(ite(p, c(1), c(0)), c(0)), neg(p), _z3.If(P, _z3.BitVecVal(1, 8), 0) == 0),
    "or fails": (eq(ite(p, c(1), c(4)), c(2)), false(), _z3.If(P, _z3.BitVecVal(1, 8), 4) == 2),
    "a choice that equals its first branch": (eq(ite(p, x, y), x), disj(p, eq(x, y)), _z3.If(P, X, Y) == X),
    "a choice that equals its second branch": (eq(ite(p, x, y), y), disj(neg(p), eq(x, y)), _z3.If(P, X, Y) == Y),
    "a number that is the first branch": (eq(c(0), ite(p, c(0), x)), disj(p, eq(x, c(0))), _z3.If(P, 0, X) == 0),
    "zeros above a choice of constants": (
        zero_extend(ite(p, c(1), c(0)), 16), ite(p, c(1, 16), c(0, 16)), zext(_z3.If(P, _z3.BitVecVal(1, 8), 0), 16)
    ),
    "a slice of a choice of constants": (
        extract(ite(p, c(0x12), c(0x34)), 7, 4),
        ite(p, c(1, 4), c(3, 4)),
        _z3.Extract(7, 4, _z3.If(P, _z3.BitVecVal(0x12, 8), 0x34)),
    ),
    "a choice between equal truths": (ite_bool(p, q, q), q, _z3.If(P, Q, Q)),
    "a choice of true and false is its condition": (ite_bool(p, true(), false()), p, _z3.If(P, True, False)),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_the_normal_form_is_the_stated_term_and_means_what_was_written(rule: str) -> None:
    built, normal, raw = RULES[rule]
    assert built is normal, f"{show(built)} is not {show(normal)}"
    assert_proved(built, raw)


# ---------------------------------------------------------------- what must not be rewritten

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
    "a denied conjunction beside one of its parts": (
        conj(p, neg(conj(p, q))), Op.CONJ, _z3.And(P, _z3.Not(_z3.And(P, Q)))
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", KEPT)
def test_a_rule_stops_where_it_would_be_wrong(case: str) -> None:
    built, op, raw = KEPT[case]
    assert built.op is op, show(built)
    assert_proved(built, raw)


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
