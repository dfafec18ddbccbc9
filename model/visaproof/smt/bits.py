"""Bitwise operations, shifts, and changes of width."""

from collections.abc import Callable
from functools import partial
from typing import cast

from visaproof.smt.arithmetic import add, bit_not, linear_parts, scale, sum_of
from visaproof.smt.logic import iff, ite, neg
from visaproof.smt.terms import (
    BitVec,
    Bool,
    Op,
    bit_vector,
    boolean,
    common_width,
    const,
    known_trailing_zeros,
    lowest_bit,
    ordered,
    value_of,
)


def bit_and(left: BitVec, right: BitVec) -> BitVec:
    width = common_width((left, right))
    left, right = ordered(left, right)
    full = (1 << width) - 1
    if left is right:
        return left
    if (mask := value_of(left)) is not None:
        if (other := value_of(right)) is not None:
            return const(mask & other, width)
        mask &= ~right.zeros
        if mask == full & ~right.zeros:
            return right
        if mask == 0:
            return const(0, width)
        if right.op is Op.AND and (inner := value_of(right.args[0])) is not None:
            return bit_and(const(mask & inner, width), cast(BitVec, right.args[1]))
        if right.op is Op.SUM:
            if (low := constant_below(right, mask.bit_length())) & mask:
                rest = sub_constant(right, low)
                return add(const(low & mask, width), bit_and(left, rest))
            if (parts := _above_the_mask(left, right)) is not None:
                return add(parts[0], bit_and(left, parts[1]))
        left = const(mask, width)
    if (chosen := _in_the_branches(bit_and, left, right)) is not None:
        return chosen
    return bit_vector(Op.AND, (left, right), None, width, (0, min(left.high, right.high)), left.zeros | right.zeros)


def _in_the_branches(operation: Callable[[BitVec, BitVec], BitVec], left: BitVec, right: BitVec) -> BitVec | None:
    """The operation in both branches of a choice of constants, where the other is one too or each has bits alike."""
    for choice, other in ((left, right), (right, left)):
        values = [value_of(branch) for branch in choice.args[1:]] if choice.op is Op.ITE else [None]
        if None not in values and (other.op is Op.CONST or {*values} <= {0, (1 << choice.width) - 1}):
            return ite(*branches(choice, partial(operation, other)))
    return None


def constant_below(term: BitVec, bits: int) -> int:
    """Of a sum, the low bits of its constant to which its atoms add nothing, of the lowest `bits` ones."""
    constant, parts = linear_parts(term)
    units = 1 << bits
    for atom, factor in parts.items():
        units |= factor * lowest_bit(atom)
    return constant & ((units & -units) - 1)


def sub_constant(term: BitVec, value: int) -> BitVec:
    """The sum with less of its constant."""
    constant, parts = linear_parts(term)
    return sum_of(constant - value, parts, term.width)


def _above_the_mask(mask: BitVec, term: BitVec) -> tuple[BitVec, BitVec] | None:
    """The sum as a multiple of 2^k and the rest, where the mask is −2^k: what it clears, it clears of the rest."""
    unit, width = lowest_bit(mask), mask.width
    if cast(int, mask.payload) != (1 << width) - unit:
        return None
    constant, parts = linear_parts(term)
    whole = {atom: factor for atom, factor in parts.items() if not factor * lowest_bit(atom) % unit}
    low = constant % unit
    if not whole and low == constant:
        return None
    rest = {atom: factor for atom, factor in parts.items() if atom not in whole}
    return sum_of(constant - low, whole, width), sum_of(low, rest, width)


def bit_or(left: BitVec, right: BitVec) -> BitVec:
    width = common_width((left, right))
    left, right = ordered(left, right)
    full = (1 << width) - 1
    if left is right:
        return left
    if (ones := value_of(left)) is not None:
        if (other := value_of(right)) is not None:
            return const(ones | other, width)
        if ones == 0:
            return right
        if ones == full:
            return left
    if (chosen := _in_the_branches(bit_or, left, right)) is not None:
        return chosen
    if (left.zeros | right.zeros) == full:
        return add(left, right)  # no bit is set in both, so nothing carries
    bounds = (max(left.low, right.low), full)
    return bit_vector(Op.OR, (left, right), None, width, bounds, left.zeros & right.zeros)


def bit_xor(left: BitVec, right: BitVec) -> BitVec:
    width = common_width((left, right))
    left, right = ordered(left, right)
    full = (1 << width) - 1
    if left is right:
        return const(0, width)
    if (flips := value_of(left)) is not None:
        if (other := value_of(right)) is not None:
            return const(flips ^ other, width)
        if flips == 0:
            return right
        if flips == full:
            return bit_not(right)
        if right.op is Op.XOR and (inner := value_of(right.args[0])) is not None:
            return bit_xor(const(flips ^ inner, width), cast(BitVec, right.args[1]))
    if (left.zeros | right.zeros) == full:
        return add(left, right)
    for mask, other in ((left, right), (right, left)):
        if (found := _negated_where(mask, other)) is not None:
            return found
    return bit_vector(Op.XOR, (left, right), None, width, None, left.zeros & right.zeros)


def _negated_where(mask: BitVec, term: BitVec) -> BitVec | None:
    """(t + m) ^ m is m ? −t : t where the bits of m are alike; m may be m' ^ m'', and come in two steps."""
    if mask.op is Op.SIGN_EXTEND and term.op is Op.XOR:
        one, other = cast(tuple[BitVec, BitVec], term.args)
        first, rest = (one, other) if one.op is Op.SIGN_EXTEND else (other, one)
        mask, term = (bit_xor(mask, first), rest) if first.op is Op.SIGN_EXTEND else (mask, term)
    if term.op is not Op.SUM or mask not in term.args or (condition := _all_ones(mask)) is None:
        return None
    constant, parts = linear_parts(term)
    if parts.pop(mask) != 1:
        return None
    rest = sum_of(constant, parts, term.width)
    return ite(condition, scale(rest, -1), rest)


def _all_ones(mask: BitVec) -> Bool | None:
    """Where the bits of a word are set, which are all alike: copies of the sign of a word, or of one of two."""
    if mask.op is Op.XOR:
        one, other = (_all_ones(cast(BitVec, part)) for part in mask.args)
        return None if one is None or other is None else neg(iff(one, other))
    if mask.op is not Op.SIGN_EXTEND or mask.args[0].op is not Op.EXTRACT:
        return None
    word = cast(BitVec, mask.args[0].args[0])
    if mask.args[0].payload != (word.width - 1, word.width - 1):
        return None
    return boolean(Op.SLT, (word, const(0, word.width)))


def shl(term: BitVec, amount: BitVec) -> BitVec:
    """Left shift; an amount of `width` or more gives 0."""
    width = common_width((term, amount))
    if (bits := value_of(amount)) is not None:
        return scale(term, 1 << bits) if bits < width else const(0, width)
    return bit_vector(Op.SHL, (term, amount), None, width, None, (1 << known_trailing_zeros(term)) - 1)


def zero_extend(term: BitVec, to: int) -> BitVec:
    """`term` with zeros above, `to` bits wide."""
    if to < term.width:
        raise ValueError(f"cannot extend {term.width} bits to {to}")
    if to == term.width:
        return term
    if (value := value_of(term)) is not None:
        return const(value, to)
    if term.op is Op.ZERO_EXTEND:
        return zero_extend(cast(BitVec, term.args[0]), to)
    if term.op is Op.SUM and _never_wraps(term):
        constant, parts = linear_parts(term)
        return sum_of(constant, {zero_extend(atom, to): factor for atom, factor in parts.items()}, to)
    if term.op is Op.ITE and all(value_of(branch) is not None for branch in term.args[1:]):
        return ite(*branches(term, lambda branch: zero_extend(branch, to)))
    above = ((1 << to) - 1) ^ ((1 << term.width) - 1)
    return bit_vector(Op.ZERO_EXTEND, (term,), None, to, (term.low, term.high), term.zeros | above)


def _never_wraps(term: BitVec) -> bool:
    """Whether the sum, read over the integers with its coefficients, stays below 2^width."""
    constant, parts = linear_parts(term)
    return constant + sum(factor * atom.high for atom, factor in parts.items()) < 1 << term.width


def sign_extend(term: BitVec, to: int) -> BitVec:
    """`term` with copies of its top bit above, `to` bits wide."""
    if to < term.width:
        raise ValueError(f"cannot extend {term.width} bits to {to}")
    if to == term.width:
        return term
    if term.high < 1 << (term.width - 1):
        return zero_extend(term, to)
    if (value := value_of(term)) is not None:
        return const(value - (1 << term.width), to)
    if term.op is Op.SIGN_EXTEND:
        return sign_extend(cast(BitVec, term.args[0]), to)
    if term.op is Op.ITE and all(value_of(branch) is not None for branch in term.args[1:]):
        return ite(*branches(term, lambda branch: sign_extend(branch, to)))
    return bit_vector(Op.SIGN_EXTEND, (term,), None, to, None, (1 << known_trailing_zeros(term)) - 1)


def branches(term: BitVec, change: Callable[[BitVec], BitVec]) -> tuple[Bool, BitVec, BitVec]:
    condition, then, otherwise = cast(tuple[Bool, BitVec, BitVec], term.args)
    return condition, change(then), change(otherwise)
