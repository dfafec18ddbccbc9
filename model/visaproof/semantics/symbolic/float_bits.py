"""What of floats needs no arithmetic, on patterns: signs, NaN, denormals and order.  ``sign | exponent | fraction``.

Nothing here depends on a rounding or a mode, and everything holds for all patterns: NaN with any payload as well.
"""

from visaproof.isa.types import DataType
from visaproof.semantics.symbolic.alu import Source
from visaproof.smt import (
    BitVec,
    Bool,
    bit,
    bit_and,
    bit_or,
    bit_xor,
    concat,
    conj,
    const,
    disj,
    eq,
    ite,
    neg,
    symbol,
    ule,
    ult,
)
from visaproof.smt.ieee import BRAIN, DOUBLE, HALF, SINGLE, Format

LAYOUTS = {DataType.HF: HALF, DataType.BF: BRAIN, DataType.F: SINGLE, DataType.DF: DOUBLE}


def with_modifier(source: Source) -> Source:
    """The source after its modifier, which changes the sign bit alone, be it that of a NaN."""
    sign = const(1 << (source.type.bits - 1), source.type.bits)
    rest = const((1 << (source.type.bits - 1)) - 1, source.type.bits)
    match source.modifier:
        case "":
            return source
        case "-":
            return Source(bit_xor(source.bits, sign), source.type)
        case "abs":
            return Source(bit_and(source.bits, rest), source.type)
        case _:
            return Source(bit_or(source.bits, sign), source.type)


def number(value: int, layout: Format) -> BitVec:
    return const(value, layout.width)


def size(bits: BitVec, layout: Format) -> BitVec:
    """The pattern without its sign."""
    return bit_and(bits, number(layout.sign - 1, layout))


def negative(bits: BitVec) -> Bool:
    return bit(bits, bits.width - 1)


def is_nan(bits: BitVec, layout: Format) -> Bool:
    return ult(number(layout.infinity, layout), size(bits, layout))


def is_zero(bits: BitVec, layout: Format) -> Bool:
    return eq(size(bits, layout), number(0, layout))


def is_denormal(bits: BitVec, layout: Format) -> Bool:
    below = ult(size(bits, layout), number(layout.smallest_normal, layout))
    return conj(below, neg(is_zero(bits, layout)))


def zero_like(bits: BitVec, layout: Format) -> BitVec:
    """The zero of the same sign."""
    return bit_and(bits, number(layout.sign, layout))


def equal(left: BitVec, right: BitVec, layout: Format) -> Bool:
    """As numbers: zeros are equal, and NaN is equal to nothing."""
    zeros = conj(is_zero(left, layout), is_zero(right, layout))
    return conj(_ordered(left, right, layout), disj(eq(left, right), zeros))


def less(left: BitVec, right: BitVec, layout: Format) -> Bool:
    """As numbers: not so for NaN."""
    one, other = size(left, layout), size(right, layout)
    below, above = negative(left), negative(right)
    apart = conj(below, neg(above), neg(conj(is_zero(left, layout), is_zero(right, layout))))
    both = conj(below, above, ult(other, one))
    neither = conj(neg(below), neg(above), ult(one, other))
    return conj(_ordered(left, right, layout), disj(apart, both, neither))


def _ordered(left: BitVec, right: BitVec, layout: Format) -> Bool:
    return conj(neg(is_nan(left, layout)), neg(is_nan(right, layout)))


def clamped(bits: BitVec, layout: Format) -> BitVec:
    """`.sat`: the nearest number of [0, 1]; NaN gives 0, and so does −0."""
    one = number(layout.bias << layout.fraction_bits, layout)
    positive = ite(ule(bits, one), bits, one)
    return ite(disj(is_nan(bits, layout), negative(bits)), number(0, layout), positive)


def any_nan(layout: Format) -> BitVec:
    """The quiet NaN that operations of a format give, of which no page says which: the same for all of them."""
    payload, sign = layout.fraction_bits - 1, symbol(f"nan{layout.width}.sign", 1)
    return concat(sign, const(-1, layout.exponent_bits + 1), symbol(f"nan{layout.width}.payload", payload))
