"""Equality and order of bit-vectors, decided at construction where bounds, parity or differences can."""

from collections.abc import Mapping
from typing import cast

from visaproof.smt.arithmetic import difference, linear_parts, negate, sub, sum_of
from visaproof.smt.bits import sub_constant
from visaproof.smt.logic import disj, neg
from visaproof.smt.slices import extract, truncate
from visaproof.smt.terms import (
    BitVec,
    Bool,
    Op,
    bool_const,
    boolean,
    common_width,
    const,
    false,
    interned,
    kept,
    lowest_bit,
    ordered,
    true,
    value_of,
)

WORD_BITS = 16
"""Numbers that fit are compared in so many bits, in whatever width a kernel does it."""

KEPT = 1 << 14
"""Sums of which it is kept what they are without their constant, and whether two are equal."""


def bit(term: BitVec, index: int) -> Bool:
    """Whether bit `index` is set."""
    return eq(extract(term, index, index), const(1, 1))


def eq(left: BitVec, right: BitVec) -> Bool:
    """Whether both are the same bits."""
    common_width((left, right))
    if left is right:
        return true()
    left, right = ordered(left, right)
    if (found := interned(Op.EQ, (left, right), None, 0)) is not None:
        return cast(Bool, found)  # nothing below decided it, so nothing would now
    if left.low > right.high or right.low > left.high:
        return false()
    if left.op is right.op is Op.SUM and (common := _constant(left)) and common == _constant(right):
        return eq(_less(left, common), _less(right, common))
    if left.op is Op.CONST and (moved := _without_constant(right, cast(int, left.payload))) is not None:
        return moved
    constants = [_constant(one) if one.op is Op.SUM else 0 for one in (left, right)]
    words = [_less(one, constant) if constant else one for one, constant in zip((left, right), constants, strict=True)]
    found = _eq_apart(words[0], words[1], constants[0] - constants[1])
    return _eq_in_shape(left, right) if found is None else found


@kept(KEPT)
def _eq_apart(left: BitVec, right: BitVec, constant: int) -> Bool | None:
    """`left + constant == right`, by what their difference is; None where that does not say it.

    Many addresses are compared that differ in their constants alone.
    """
    width = left.width
    distance, parts = difference(left, right)
    constant = (constant + distance) % (1 << width)
    if not parts:
        return bool_const(constant == 0)
    if _never_zero(constant, parts, width):
        return false()
    words = None if constant else _extended_alike(parts)
    return None if words is None else eq(*words)


def _constant(total: BitVec) -> int:
    """That of a sum."""
    return cast(tuple[int, object], total.payload)[0]


@kept(KEPT)
def _less(total: BitVec, constant: int) -> BitVec:
    """A sum without its constant: an address is compared with many."""
    return sub_constant(total, constant)


def _without_constant(term: BitVec, value: int) -> Bool | None:
    """`term == value` where the term is no sum, or one whose constant or factor can go to the other side."""
    if term.op is not Op.SUM:
        return _eq_to_a_branch(term, const(value, term.width)) or _eq_constant(term, value)
    constant, parts = linear_parts(term)
    if constant:
        return eq(sum_of(0, parts, term.width), const(value - constant, term.width))
    return _multiple_eq(*next(iter(parts.items())), value) if len(parts) == 1 else None


def _multiple_eq(atom: BitVec, factor: int, value: int) -> Bool | None:
    """`factor·atom == value` where the product does not wrap."""
    if factor * atom.high >> atom.width:
        return None
    quotient, rest = divmod(value, factor)
    return false() if rest else eq(atom, const(quotient, atom.width))


def _eq_in_shape(left: BitVec, right: BitVec) -> Bool:
    """Whether both are the same bits, where the difference says nothing: by how both are built."""
    if (choice := _eq_to_a_branch(left, right) or _eq_to_a_branch(right, left)) is not None:
        return choice
    if left.op is Op.CONST:
        return _eq_constant(right, cast(int, left.payload))
    if left.op is right.op is Op.XOR and left.args[0] is right.args[0] and left.args[0].op is Op.CONST:
        return eq(cast(BitVec, left.args[1]), cast(BitVec, right.args[1]))
    return boolean(Op.EQ, (left, right))


def _eq_to_a_branch(choice: BitVec, branch: BitVec) -> Bool | None:
    """`ite(c, x, y) == x` as `c or y == x`, and likewise for y; None where no branch is the other side."""
    if choice.op is Op.ITE:
        condition, then, otherwise = cast(tuple[Bool, BitVec, BitVec], choice.args)
        if then is branch:
            return disj(condition, eq(otherwise, branch))
        if otherwise is branch:
            return disj(neg(condition), eq(then, branch))
    return None


def _eq_constant(term: BitVec, value: int) -> Bool:
    """`term == value`, where neither bounds nor parity have decided it."""
    width = term.width
    if value & term.zeros:
        return false()
    if width == 1 and not value:
        return neg(eq(const(1, 1), term))
    if term.op is Op.AND and (mask := value_of(term.args[0])) is not None and not mask & (mask + 1):
        low_bits = mask.bit_length()
        return eq(const(value, low_bits), truncate(cast(BitVec, term.args[1]), low_bits))
    if term.op is Op.ITE:
        condition, then, otherwise = cast(tuple[Bool, BitVec, BitVec], term.args)
        then_value, otherwise_value = value_of(then), value_of(otherwise)
        if then_value is not None and otherwise_value is not None:
            if value not in (then_value, otherwise_value):
                return false()
            return condition if value == then_value else neg(condition)
        if not value and then is negate(otherwise):  # as an absolute value is
            return eq(otherwise, const(0, width))
    if term.op is Op.ZERO_EXTEND:
        inner = cast(BitVec, term.args[0])
        return eq(inner, const(value, inner.width))
    if term.op is Op.SIGN_EXTEND:
        return _eq_extended(cast(BitVec, term.args[0]), value, width)
    return boolean(Op.EQ, (const(value, width), term))


def _eq_extended(inner: BitVec, value: int, width: int) -> Bool:
    """Whether a word with its sign in front is this value: never where that has no sign in front."""
    sign = value >> (inner.width - 1)
    return eq(inner, const(value, inner.width)) if sign in (0, (1 << (width - inner.width + 1)) - 1) else false()


def _never_zero(constant: int, parts: Mapping[BitVec, int], width: int) -> bool:
    """Whether a sum is never 0 modulo 2^width, by its powers of two, its range, or two words that it extends."""
    return (
        (bool(constant) and _odd_below(constant, parts))
        or _misses_zero(constant, parts, width)
        or (len(parts) == 2 and _differ_below(constant, parts))
    )


def _odd_below(constant: int, parts: Mapping[BitVec, int]) -> bool:
    """Whether the atoms contribute multiples of a power of two that the constant is not a multiple of."""
    units = 0
    for atom, factor in parts.items():
        units |= factor * lowest_bit(atom)
    return constant & -constant < units & -units


def _misses_zero(constant: int, parts: Mapping[BitVec, int], width: int) -> bool:
    """Whether the sum, with coefficients read as signed ones, lies between two multiples of 2^width."""
    low = high = constant
    modulus = 1 << width
    for atom, factor in parts.items():
        if factor >> (width - 1):
            factor -= modulus
            low, high = low + factor * atom.high, high + factor * atom.low
        else:
            low, high = low + factor * atom.low, high + factor * atom.high
        if high - low >= modulus:
            return False
    return -(-low // modulus) > high // modulus


def _extended_alike(parts: Mapping[BitVec, int]) -> tuple[BitVec, BitVec] | None:
    """x and y where the sum is f·x − f·y of two extended words, and f·(x − y) does not reach half the range."""
    if len(parts) != 2:
        return None
    (one, factor), (other, opposite) = parts.items()
    modulus = 1 << one.width
    if one.op is not other.op or one.op not in (Op.ZERO_EXTEND, Op.SIGN_EXTEND) or (factor + opposite) % modulus:
        return None
    x, y = cast(BitVec, one.args[0]), cast(BitVec, other.args[0])
    if x.width != y.width or min(factor, opposite) << x.width > modulus >> 1:
        return None
    return (x, y) if factor < opposite else (y, x)


def _differ_below(constant: int, parts: Mapping[BitVec, int]) -> bool:
    """Whether it is f·x − f·y + c of two extended words whose own difference rules out that f·(x − y) is −c.

    As integers |x − y| < 2^w, so f·(x − y) + c lies in (−2^W, 2^W) where f·2^w <= 2^(W−1), and is 0 or never.
    """
    words = _extended_alike(parts)
    if words is None:
        return False
    (x, y), modulus, factor = words, 1 << next(iter(parts)).width, min(parts.values())
    needed, rest = divmod(-constant if constant < modulus >> 1 else modulus - constant, factor)
    if rest:
        return True
    distance, unknown = difference(x, y)
    distance = (distance - needed) % (1 << x.width)
    return _never_zero(distance, unknown, x.width) if unknown else distance != 0


def ult(left: BitVec, right: BitVec) -> Bool:
    """Whether left < right, both read unsigned."""
    common_width((left, right))
    if left is right or left.low >= right.high:
        return false()
    if left.high < right.low:
        return true()
    if not left.high:
        return neg(eq(left, right))
    if right.op is Op.CONST and right.payload == 1:
        return eq(left, const(0, left.width))
    if left.width > WORD_BITS and max(left.high, right.high) >> WORD_BITS == 0:  # as kernels compare local ids
        return ult(truncate(left, WORD_BITS), truncate(right, WORD_BITS))
    return boolean(Op.ULT, (left, right))


def ule(left: BitVec, right: BitVec) -> Bool:
    """Whether left <= right, both read unsigned."""
    if left.low:
        return ult(sub(left, const(1, left.width)), right)  # left - 1 does not wrap: one form for one bound
    return neg(ult(right, left))


def slt(left: BitVec, right: BitVec) -> Bool:
    """Whether left < right, both read as two's complement."""
    width = common_width((left, right))
    sign = 1 << (width - 1)
    left_value, right_value = value_of(left), value_of(right)
    if left is right:
        return false()
    if left_value is not None and right_value is not None:
        return bool_const((left_value ^ sign) < (right_value ^ sign))
    if left.high < sign and right.high < sign:
        return ult(left, right)
    return boolean(Op.SLT, (left, right))


def sle(left: BitVec, right: BitVec) -> Bool:
    """Whether left <= right, both read as two's complement."""
    return neg(slt(right, left))
