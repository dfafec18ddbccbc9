"""Float atomics on symbolic words: floating-point order as an order of signs and magnitudes, and sums by IEEE 754.

fmax, fmin and fcmpwr are of 16 or 32 bits, fadd and fsub of 32 or 64 (reading float-sums).
``sign | exponent | fraction``: without the sign bit, the patterns of numbers are ordered as their magnitudes are, and
those of NaN lie above infinity.  That this is floating-point arithmetic is proved in tests/semantics.
"""

from visaproof.isa.answers import FloatDenormals, FloatNan, FloatZeros
from visaproof.isa.atomics import ROUNDED_OPS, AtomicOp
from visaproof.isa.float_modes import Rounding
from visaproof.isa.readings import Readings
from visaproof.smt import BitVec, Bool, add, bit, bit_and, conj, const, disj, eq, iff, ite, neg, ult
from visaproof.smt.ieee import DOUBLE, SINGLE, FloatOp, FloatOperation, rounded

FRACTION_BITS = {16: 10, 32: 23}


def float_new_value(op: AtomicOp, old: BitVec, src0: BitVec, src1: BitVec, readings: Readings) -> BitVec:
    """The pattern that a float operation leaves in memory (D29)."""
    if op in ROUNDED_OPS:
        return _sum(old, _negated(src0) if op is AtomicOp.FSUB else src0, readings)
    if op is AtomicOp.FCMPWR:
        return ite(_same(old, src0, readings), src1, old)  # D38: src0 comparand, src1 new value
    better = _less(old, src0, readings) if op is AtomicOp.FMAX else _less(src0, old, readings)
    if readings.float_nan is FloatNan.NUMBER_WINS:
        return ite(conj(neg(_is_nan(src0)), disj(_is_nan(old), better)), src0, old)
    return ite(conj(neg(_is_nan(old)), disj(_is_nan(src0), better)), src0, old)


def _sum(one: BitVec, other: BitVec, readings: Readings) -> BitVec:
    layout = {32: SINGLE, 64: DOUBLE}[one.width]

    def settled(word: BitVec) -> BitVec:
        if readings.float_denormals is FloatDenormals.EXACT:
            return word
        small = ult(_size(word), _pattern(layout.smallest_normal, word))
        return ite(small, bit_and(word, _pattern(layout.sign, word)), word)

    operation = FloatOperation(FloatOp.ADD, Rounding.NEAREST_EVEN, layout)
    return settled(rounded(operation, settled(one), settled(other)))


def _negated(word: BitVec) -> BitVec:
    return add(word, _pattern(1 << (word.width - 1), word))  # the sign is the top bit: a carry is lost


def _pattern(value: int, like: BitVec) -> BitVec:
    return const(value, like.width)


def _size(word: BitVec) -> BitVec:
    """The pattern without its sign."""
    return bit_and(word, _pattern((1 << (word.width - 1)) - 1, word))


def _magnitude(word: BitVec, readings: Readings) -> BitVec:
    size = _size(word)
    if readings.float_denormals is FloatDenormals.EXACT:
        return size
    smallest_normal = _pattern(1 << FRACTION_BITS[word.width], word)
    return ite(ult(size, smallest_normal), _pattern(0, word), size)


def _is_nan(word: BitVec) -> Bool:
    fraction = FRACTION_BITS[word.width]
    infinity = ((1 << (word.width - 1)) - 1) >> fraction << fraction
    return ult(_pattern(infinity, word), _size(word))


def _negative(word: BitVec) -> Bool:
    return bit(word, word.width - 1)


def _same(left: BitVec, right: BitVec, readings: Readings) -> Bool:
    """Equality of numbers: −0 is +0, and NaN is equal to nothing."""
    one, other = _magnitude(left, readings), _magnitude(right, readings)
    zero = eq(one, _pattern(0, left))
    return conj(neg(_is_nan(left)), eq(one, other), disj(zero, iff(_negative(left), _negative(right))))


def _less(left: BitVec, right: BitVec, readings: Readings) -> Bool:
    """The order of two patterns that are no NaN."""
    one, other = _magnitude(left, readings), _magnitude(right, readings)
    below, above = _negative(left), _negative(right)
    apart = conj(below, neg(above))
    if readings.float_zeros is FloatZeros.EQUAL:
        zeros = conj(eq(one, _pattern(0, left)), eq(other, _pattern(0, right)))
        apart = conj(apart, neg(zeros))
    both_negative = conj(below, above, ult(other, one))
    neither = conj(neg(below), neg(above), ult(one, other))
    return disj(apart, both_negative, neither)
