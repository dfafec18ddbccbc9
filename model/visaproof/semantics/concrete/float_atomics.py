"""Float atomics on bit patterns, by way of Python's own numbers, which hold each exactly.

The page only names fmax, fmin and fcmpwr (D29): what it leaves open is in the readings.  Every result is one of the
patterns given, of 16 or 32 bits; no NaN is made quiet, and a denormal that counts as zero is kept as it is.

What fadd and fsub leave, in 32 or 64 bits, is rounded to nearest even; a NaN is the quiet one with no other bit set
(reading float-sums), and with denormals that count as zero a sum that is one is zero as well.
"""

import math
import struct

from visaproof.isa.answers import FloatDenormals, FloatNan, FloatZeros
from visaproof.isa.atomics import ROUNDED_OPS, AtomicOp
from visaproof.isa.float_modes import FloatMode, Rounding
from visaproof.isa.readings import Readings
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.floats import ARITHMETIC, number, pattern

_FORMATS = {16: "<e", 32: "<f"}
_SMALLEST_NORMAL = {16: 2.0**-14, 32: 2.0**-126}


def float_new_value(op: AtomicOp, old: int, src0: int, src1: int, bits: int, readings: Readings) -> int:
    """The pattern that a float operation leaves in memory."""
    if op in ROUNDED_OPS:
        return _sum(old, src0 ^ (op is AtomicOp.FSUB) << (bits - 1), bits, readings)
    held, given = (_number(pattern, bits, readings) for pattern in (old, src0))
    if op is AtomicOp.FCMPWR:
        return src1 if held == given else old  # D38: src0 comparand, src1 new value
    if math.isnan(held) or math.isnan(given):
        stays = given if readings.float_nan is FloatNan.NUMBER_WINS else held
        return old if math.isnan(stays) else src0  # of two NaN the old one, by either reading
    if held == given == 0 and readings.float_zeros is FloatZeros.ORDERED:
        held, given = math.copysign(1, held), math.copysign(1, given)
    return src0 if (given > held if op is AtomicOp.FMAX else given < held) else old


def _sum(one: int, other: int, bits: int, readings: Readings) -> int:
    data_type = {32: DataType.F, 64: DataType.DF}[bits]
    kept = {data_type} if readings.float_denormals is FloatDenormals.EXACT else set[DataType]()
    mode = FloatMode(Rounding.NEAREST_EVEN, frozenset(kept))
    left, right = (number(word, data_type, mode, flushes=True) for word in (one, other))
    total = ARITHMETIC["add"]((left, right), mode.rounding)
    if isinstance(total, float) and math.isnan(total):
        return {32: 0x7FC0_0000, 64: 0x7FF8_0000_0000_0000}[bits]
    return pattern(total, data_type, mode, flushes=True)


def _number(pattern: int, bits: int, readings: Readings) -> float:
    (value,) = struct.unpack(_FORMATS[bits], pattern.to_bytes(bits // 8, "little"))
    if readings.float_denormals is FloatDenormals.FLUSHED and abs(value) < _SMALLEST_NORMAL[bits]:
        return math.copysign(0.0, value)
    return value
