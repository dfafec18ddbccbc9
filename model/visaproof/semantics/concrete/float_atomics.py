"""fmax, fmin and fcmpwr on bit patterns of 16 or 32 bits, by way of Python's own numbers, which hold each exactly.

The page only names them (D29): what it leaves open is in the readings.  Every result is one of the patterns given;
no NaN is made quiet, and a denormal that counts as zero is kept as it is.
"""

import math
import struct

from visaproof.isa.answers import FloatDenormals, FloatNan, FloatZeros
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.readings import Readings

_FORMATS = {16: "<e", 32: "<f"}
_SMALLEST_NORMAL = {16: 2.0**-14, 32: 2.0**-126}


def float_new_value(op: AtomicOp, old: int, src0: int, src1: int, bits: int, readings: Readings) -> int:
    """The pattern that a float operation leaves in memory."""
    held, given = (_number(pattern, bits, readings) for pattern in (old, src0))
    if op is AtomicOp.FCMPWR:
        return src1 if held == given else old  # D38: src0 comparand, src1 new value
    if math.isnan(held) or math.isnan(given):
        stays = given if readings.float_nan is FloatNan.NUMBER_WINS else held
        return old if math.isnan(stays) else src0  # of two NaN the old one, by either reading
    if held == given == 0 and readings.float_zeros is FloatZeros.ORDERED:
        held, given = math.copysign(1, held), math.copysign(1, given)
    return src0 if (given > held if op is AtomicOp.FMAX else given < held) else old


def _number(pattern: int, bits: int, readings: Readings) -> float:
    (value,) = struct.unpack(_FORMATS[bits], pattern.to_bytes(bits // 8, "little"))
    if readings.float_denormals is FloatDenormals.FLUSHED and abs(value) < _SMALLEST_NORMAL[bits]:
        return math.copysign(0.0, value)
    return value
