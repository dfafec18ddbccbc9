"""What the pages say of copies and conversions: MOV, SEL, FCVT.  Page: 2_datatypes.md, "Type Conversion"."""

from fractions import Fraction

from benchmarks.alu_vectors import floats, integers
from benchmarks.alu_vectors.allowed import Allowed, any_bits, any_nan, either, exactly
from benchmarks.alu_vectors.modes import Mode, saturated
from benchmarks.alu_vectors.reals import decode, real, rounded
from benchmarks.alu_vectors.types import BF8, BFLOAT, HALF, SINGLE, FloatFormat, Type


def moved(bits: int, source: Type, modifier: str, target: Type, saturate: bool, mode: Mode) -> Allowed:
    """What a move with conversion may write."""
    if source.format is None and target.format is None:
        lane = integers.IntegerLane(target, (source,), saturate)
        return integers.result("mov", lane, [integers.modified(bits, source, modifier)])
    if source.format is None:
        assert target.format is not None
        form = target.format
        values = integers.modified(bits, source, modifier)
        written = exactly(*(rounded(real(number), form, mode.rounding) for number in values))
        return saturated(written, form) if saturate else written
    bits_after = floats.modified(bits, source.format, modifier)
    if target.format is None:
        return _to_integer(bits_after, source.format, target, saturate, mode)
    return _between_floats(bits_after, source.format, target.format, modifier, saturate, mode)


def _to_integer(bits: int, source: FloatFormat, target: Type, saturate: bool, mode: Mode) -> Allowed:
    """Towards zero, and clamped; the page's table has no number for negative ones in an unsigned type."""
    number = decode(bits, source)
    if number.nan or source.is_denormal(bits):
        return exactly(0)
    if number.negative and not number.zero and not target.signed:
        return exactly(0) if saturate else any_bits(target.bits)
    limit = Fraction(2) ** 80
    magnitude = limit if number.magnitude is None else min(limit, number.magnitude)
    whole = magnitude.numerator // magnitude.denominator
    return exactly(max(target.least, min(target.most, -whole if number.negative else whole)) & target.mask)


def _between_floats(
    bits: int, source: FloatFormat, target: FloatFormat, modifier: str, saturate: bool, mode: Mode
) -> Allowed:
    if source == target and not modifier and not saturate:
        return exactly(bits)
    lane = floats.FloatLane(target, (source,), saturate, mode)
    if source.bits > target.bits and target != BFLOAT and source.is_denormal(bits):
        # The table has "-denorm: -0" and "+denorm: +0", the text above it "uses the rounding mode": either.
        zero = exactly(target.sign if bits & source.sign else 0)
        written = either([zero, floats.copied(bits, source, lane)])
    elif source == HALF and target.bits > HALF.bits and not source.is_nan(bits):
        written = exactly(rounded(decode(bits, source), target, mode.rounding))  # Page: "-denorm: -finite"
    else:
        written = floats.copied(bits, source, lane)
    return saturated(written, target) if saturate else written


def narrowed(bits: int, source: Type, target: Type) -> Allowed:
    """FCVT: BF8 (as UB) and HF; F and TF32 (as UD), always to nearest even."""
    if source.name == "hf":
        return _retained(bits, HALF, BF8)
    if source.name == "ub":
        return any_nan(HALF) if BF8.is_nan(bits) else exactly(rounded(decode(bits, BF8), HALF, "even"))
    if source.name == "ud":
        return exactly(bits)  # Page: "a noop"
    assert target.name == "ud"
    tensor = FloatFormat(8, 10)
    if SINGLE.is_nan(bits):
        return any_nan(SINGLE)
    # Page: "Denorms are flushed to zero", it does not say to which; TF32 has the high bits of a single.
    if SINGLE.is_denormal(bits):
        return exactly(0, bits & SINGLE.sign)
    return exactly(rounded(decode(bits, SINGLE), tensor, "even") << 13)


def _retained(bits: int, source: FloatFormat, target: FloatFormat) -> Allowed:
    """Page: "denoms are retained"."""
    return any_nan(target) if source.is_nan(bits) else exactly(rounded(decode(bits, source), target, "even"))
