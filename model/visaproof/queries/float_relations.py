"""What fmax, fmin and fcmpwr leave, as relations: numbers by their rank among all numbers, as a signed integer.

A pattern with the sign bit off ranks as itself, one with it on as the complement of the rest: −0 one below +0, unless
zeros are equal.  Source: docs/decisions.md D29, D38.
"""

from collections.abc import Callable

from visaproof.isa.answers import FloatDenormals, FloatNan, FloatZeros
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.readings import Readings
from visaproof.smt import (
    BitVec,
    Bool,
    bit_not,
    conj,
    const,
    disj,
    eq,
    extract,
    implies,
    ite,
    lshr,
    neg,
    sle,
    truncate,
    zero_extend,
)

Relation = Callable[[BitVec, BitVec, BitVec, BitVec], Bool]

_EXPONENT_BITS = {16: 5, 32: 8}


def float_relation(op: AtomicOp, readings: Readings) -> Relation:
    """The relation of (old, new, src0, src1) for a float operation."""

    def compared(old: BitVec, new: BitVec, src0: BitVec, src1: BitVec) -> Bool:
        ranks_equal = eq(*(_rank(word, readings, FloatZeros.EQUAL) for word in (old, src0)))
        same = conj(_is_number(old), _is_number(src0), ranks_equal)
        return conj(implies(same, eq(new, src1)), implies(neg(same), eq(new, old)))

    def extreme(old: BitVec, new: BitVec, src0: BitVec, _: BitVec) -> Bool:
        held, given, kept = (_rank(word, readings, readings.float_zeros) for word in (old, src0, new))
        bounds = [sle(held, kept), sle(given, kept)] if op is AtomicOp.FMAX else [sle(kept, held), sle(kept, given)]
        numbers = conj(*bounds, disj(eq(new, old), eq(new, src0)), implies(eq(held, given), eq(new, old)))
        old_is, src_is = _is_number(old), _is_number(src0)
        of_one_nan = (old, src0) if readings.float_nan is FloatNan.NUMBER_WINS else (src0, old)
        return conj(
            implies(conj(old_is, src_is), numbers),
            implies(conj(old_is, neg(src_is)), eq(new, of_one_nan[0])),
            implies(conj(neg(old_is), src_is), eq(new, of_one_nan[1])),
            implies(conj(neg(old_is), neg(src_is)), eq(new, old)),
        )

    return compared if op is AtomicOp.FCMPWR else extreme


def _fields(word: BitVec) -> tuple[BitVec, BitVec, BitVec]:
    """Sign, exponent and fraction."""
    fraction_bits = word.width - 1 - _EXPONENT_BITS[word.width]
    exponent = truncate(lshr(word, const(fraction_bits, word.width)), _EXPONENT_BITS[word.width])
    return extract(word, word.width - 1, word.width - 1), exponent, truncate(word, fraction_bits)


def _is_number(word: BitVec) -> Bool:
    _, exponent, fraction = _fields(word)
    return disj(neg(eq(exponent, const(-1, exponent.width))), eq(fraction, const(0, fraction.width)))


def _rank(word: BitVec, readings: Readings, zeros: FloatZeros) -> BitVec:
    """The place of a number among all numbers, +0 at 0."""
    sign, exponent, _ = _fields(word)
    place = zero_extend(truncate(word, word.width - 1), word.width)
    if readings.float_denormals is FloatDenormals.FLUSHED:
        place = ite(eq(exponent, const(0, exponent.width)), const(0, place.width), place)
    negative = eq(sign, const(1, 1))
    if zeros is FloatZeros.EQUAL:
        negative = conj(negative, neg(eq(place, const(0, place.width))))
    return ite(negative, bit_not(place), place)
