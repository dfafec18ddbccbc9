"""Unsigned quotients and remainders, as SMT-LIB has them: by 0 the quotient is all ones, the remainder the dividend."""

from visaproof.smt.bits import bit_and
from visaproof.smt.slices import lshr
from visaproof.smt.terms import BitVec, Op, bit_vector, common_width, const, value_of


def udiv(left: BitVec, right: BitVec) -> BitVec:
    """The quotient of two unsigned words, rounded down."""
    width = common_width((left, right))
    dividend, divisor = value_of(left), value_of(right)
    if divisor == 0:
        return const(-1, width)
    if dividend is not None and divisor is not None:
        return const(dividend // divisor, width)
    if divisor is not None and divisor.bit_count() == 1:
        return lshr(left, const(divisor.bit_length() - 1, width))
    if left.high < right.low:
        return const(0, width)
    bounds = (left.low // right.high, left.high // right.low) if right.low else None
    return bit_vector(Op.UDIV, (left, right), None, width, bounds)


def urem(left: BitVec, right: BitVec) -> BitVec:
    """The remainder of two unsigned words."""
    width = common_width((left, right))
    dividend, divisor = value_of(left), value_of(right)
    if divisor == 0 or left.high < right.low:
        return left
    if dividend is not None and divisor is not None:
        return const(dividend % divisor, width)
    if divisor is not None and divisor.bit_count() == 1:
        return bit_and(left, const(divisor - 1, width))
    most = min(left.high, right.high - 1) if right.low else left.high
    return bit_vector(Op.UREM, (left, right), None, width, (0, most))
