"""Integer quotients and remainders, symbolically.  Pages: DIV, MOD.

The quotient is rounded towards 0, and the remainder has the sign of the dividend.  No page says what a division by 0
gives.
"""

from collections.abc import Sequence

from visaproof.isa.types import DataType
from visaproof.semantics.symbolic.elements import Integer, Meaning, Source, order_width, resized
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    ashr,
    bit_and,
    const,
    eq,
    iff,
    ite,
    neg,
    negate,
    slt,
    sub,
    udiv,
    urem,
    value_of,
)


def divided(opcode: str, sources: Sequence[Source], result: DataType, saturates: bool) -> Meaning:
    """The result of `div` or `mod`, anything where the divisor is 0."""
    width, signed = order_width(sources)
    left, right = (source.modulo(width) for source in sources)
    if signed:
        value = _quotient(left, right) if opcode == "div" else Integer(_remainder(left, right))
    else:
        value = Integer((udiv if opcode == "div" else urem)(left, right), signed=False)
    return Meaning(value.saturated(result) if saturates else value.cut(result), eq(right, const(0, width)))


def _quotient(left: BitVec, right: BitVec) -> Integer:
    """Of signed words; by −1 the smallest word has one bit more."""
    width = left.width
    if (places := _shift(right)) is not None:
        return Integer(ashr(_rounded_up(left, places), const(places, width)))
    size = resized(udiv(_size(left), _size(right)), width + 1, signed=False)
    unlike = neg(iff(_negative(left), _negative(right)))
    return Integer(ite(unlike, negate(size), size))


def _remainder(left: BitVec, right: BitVec) -> BitVec:
    """Of signed words."""
    if (places := _shift(right)) is not None:
        return sub(left, bit_and(_rounded_up(left, places), const(-1 << places, left.width)))
    size = urem(_size(left), _size(right))
    return ite(_negative(left), negate(size), size)


def _shift(divisor: BitVec) -> int | None:
    """k where the divisor is the constant 2^k, and no negative number."""
    found = value_of(divisor)
    if found is None or found.bit_count() != 1 or found >> (divisor.width - 1):
        return None
    return found.bit_length() - 1


def _rounded_up(left: BitVec, places: int) -> BitVec:
    """What a shift, which rounds down, rounds towards 0."""
    return ite(_negative(left), add(left, const((1 << places) - 1, left.width)), left)


def _negative(word: BitVec) -> Bool:
    return slt(word, const(0, word.width))


def _size(word: BitVec) -> BitVec:
    """The absolute value, unsigned."""
    return ite(_negative(word), negate(word), word)
