"""Floating-point arithmetic of one element, in exact fractions that are rounded once.  Page: 2_datatypes.md.

Results are those of the IEEE mode.  The control register says how they are rounded, and whether denormals are kept or
flushed; where it is not given, results are rounded to nearest even.  What no page decides raises Unstated with all that
is allowed: which NaN comes out, and whether a denormal counts where it is not added or multiplied.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import NEAREST, FloatMode, Rounding
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.alu import saturated
from visaproof.semantics.concrete.choices import ANY_BITS, ANY_NAN, Allowed, Unstated, allowed_by, settled

PRODUCT_BEYOND = "mad with a product beyond the type, where implementations may give infinity"


class Format(NamedTuple):
    """``sign | exponent | fraction``, from the high end."""

    exponent_bits: int
    fraction_bits: int

    @property
    def bias(self) -> int:
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits


Number = Fraction | float
"""Zeros, infinities and NaN are floats."""

FORMATS: dict[DataType, Format] = {
    DataType.HF: Format(5, 10),
    DataType.BF: Format(8, 7),
    DataType.F: Format(8, 23),
    DataType.DF: Format(11, 52),
}

_ALL_KEPT, _NONE_KEPT = frozenset(FORMATS), frozenset[DataType]()


class _Denormal(NotModelled):
    """It is not known whether a denormal is kept or flushed."""


def either_way(compute: Callable[[FloatMode | None, bool], int], mode: FloatMode | None, flushes: bool) -> int:
    """What an operation gives in a mode, if it is known to flush or not.

    Raises Unstated where it is not known whether a denormal is kept, and both results where that matters."""
    try:
        return compute(mode, flushes)
    except _Denormal as reason:
        rounding = Rounding.NEAREST_EVEN if mode is None else mode.rounding
        kept, flushed = FloatMode(rounding, _ALL_KEPT), FloatMode(rounding, _NONE_KEPT)
        return settled(reason.what, allowed_by((lambda: compute(kept, flushes), lambda: compute(flushed, True))))


def number(bits: int, data_type: DataType, mode: FloatMode | None = None, flushes: bool = False) -> float:
    """The number that the bits stand for; every type fits a double.  A denormal is one where the mode keeps them; else
    it is 0 for operations that are known to flush it."""
    layout = FORMATS.get(data_type)
    if layout is None:
        raise NotModelled(f"arithmetic on {data_type.spelling}")
    exponent = bits >> layout.fraction_bits & ((1 << layout.exponent_bits) - 1)
    fraction = bits & ((1 << layout.fraction_bits) - 1)
    sign = -1.0 if bits >> (data_type.bits - 1) else 1.0
    if exponent == (1 << layout.exponent_bits) - 1:
        return math.nan if fraction else sign * math.inf
    if exponent == 0:
        if not fraction:
            return sign * 0.0
        if mode is not None and data_type in mode.kept:
            return sign * math.ldexp(fraction, 1 - layout.bias - layout.fraction_bits)
        if mode is None or not flushes:
            raise _Denormal("a denormal, which the control register keeps or flushes")
        return sign * 0.0
    return sign * math.ldexp(fraction + (1 << layout.fraction_bits), exponent - layout.bias - layout.fraction_bits)


def pattern(value: Fraction | float, data_type: DataType, mode: FloatMode | None = None, flushes: bool = False) -> int:
    """The number of the type to which the mode rounds, ties to even without one.  0 is positive as a fraction."""
    layout, sign_bit = FORMATS[data_type], 1 << (data_type.bits - 1)
    if isinstance(value, float):
        if math.isnan(value):
            raise Unstated("an operation that gives NaN, of which no page says which", ANY_NAN)
        sign = sign_bit if math.copysign(1.0, value) < 0 else 0
        if math.isinf(value) or value == 0.0:
            return sign | (layout.infinity if math.isinf(value) else 0)
        value = Fraction(value)
    sign, size = (sign_bit if value < 0 else 0), Fraction(abs(value))
    if size == 0:
        return 0
    exponent = exponent_of(size)
    rounding = Rounding.NEAREST_EVEN if mode is None else mode.rounding
    if exponent < 1 - layout.bias:
        units = _whole(size / Fraction(2) ** (1 - layout.bias - layout.fraction_bits), rounding, bool(sign))
        return _below_normal(sign, units, data_type, mode, flushes)
    significand = _whole(size / Fraction(2) ** (exponent - layout.fraction_bits), rounding, bool(sign))
    # A significand that was rounded up to 2^(fraction_bits + 1) carries into the exponent, up to infinity.
    found = min(((exponent + layout.bias - 1) << layout.fraction_bits) + significand, layout.infinity)
    return sign | (found - (found == layout.infinity and _stays_finite(rounding, bool(sign))))


def _below_normal(sign: int, units: int, data_type: DataType, mode: FloatMode | None, flushes: bool) -> int:
    """A result of so many of the smallest denormals, before it was rounded less than the normal numbers."""
    what = "a result below the normal numbers, which the control register keeps or flushes"
    if mode is not None and data_type in mode.kept:
        return sign | units
    if mode is None or not flushes:
        raise _Denormal(what)
    if units >> FORMATS[data_type].fraction_bits:  # flushed before it is rounded, or not
        raise Unstated(what, Allowed((sign, sign | units)))
    return sign


def _whole(size: Fraction, rounding: Rounding, negative: bool) -> int:
    match rounding:
        case Rounding.NEAREST_EVEN:
            return round(size)  # Python rounds halves to even
        case Rounding.ZERO:
            return math.floor(size)
        case Rounding.UP:
            return math.floor(size) if negative else math.ceil(size)
        case Rounding.DOWN:
            return math.ceil(size) if negative else math.floor(size)


def _stays_finite(rounding: Rounding, negative: bool) -> bool:
    """Whether a number beyond the type is rounded to its largest."""
    towards_zero = Rounding.UP if negative else Rounding.DOWN
    return rounding in (Rounding.ZERO, towards_zero)


def exponent_of(size: Fraction) -> int:
    """The k for which 2^k <= size < 2^(k + 1)."""
    guess = size.numerator.bit_length() - size.denominator.bit_length()
    return guess if Fraction(2) ** guess <= size else guess - 1


def modified(bits: int, modifier: str, data_type: DataType) -> int:
    """A source after its modifier "", "-", "abs" or "-abs": they change the sign bit alone."""
    sign = 1 << (data_type.bits - 1)
    match modifier:
        case "-":
            return bits ^ sign
        case "abs":
            return bits & ~sign
        case "-abs":
            return bits | sign
        case _:
            return bits


# ---------------------------------------------------------------- conversions


def from_integer(value: int, result: DataType, mode: FloatMode | None = None) -> int:
    """Page: "By default "round to nearest even" is performed"; else as the control register says."""
    return pattern(Fraction(value), result, mode)


def to_integer(
    bits: int, data_type: DataType, result: DataType, mode: FloatMode | None = None, saturates: bool = False
) -> int:
    """Page: "rounding toward zero"; beyond the type "the largest (or smallest) integer value"; NaN gives 0.

    `.sat` gives the closest integer that the type has, also of a negative number as an unsigned one."""
    value = number(bits, data_type, mode or FloatMode(Rounding.NEAREST_EVEN, _ALL_KEPT), flushes=True)
    if math.isnan(value):
        return 0
    if not result.signed and value <= -1:
        if saturates:
            return 0
        what = "a negative number as an unsigned integer: text and table of 2_datatypes.md differ"
        raise Unstated(what, ANY_BITS)
    if math.isinf(value):
        top = 1 << (result.bits - result.signed)
        return top - 1 if value > 0 else -top
    return saturated(math.trunc(value), result)


def converted(bits: int, data_type: DataType, result: DataType, mode: FloatMode | None = None) -> int:
    """A floating-point number as one of another floating-point type."""
    if data_type is result:
        return bits
    small = not bits & FORMATS[data_type].infinity
    if (
        small and data_type.bits > result.bits and result is not DataType.BF
    ):  # Page: with lower precision, "+denorm" becomes "+0"
        return bits >> (data_type.bits - 1) << (result.bits - 1)
    if small and data_type.bits < result.bits:  # Page: with higher precision, "+denorm" becomes "+finite"
        mode = (mode or NEAREST).keeping(data_type)
    mode = (mode or NEAREST).keeping(DataType.HF)
    return either_way(lambda m, f: pattern(number(bits, data_type, m, f), result, m, f), mode, flushes=False)


def mathematical(compute: Callable[[FloatMode | None], int], mode: FloatMode | None, data_type: DataType) -> int:
    """What an operation gives in the mode; of HF, what it gives with denormals flushed (reading "half-denormals").

    Page: HF denormals are flushed "on input and output of any floating-point mathematical operation".  A register that
    keeps them, in a bit that the page does not have, makes both allowed.
    """
    if data_type is not DataType.HF:
        return compute(mode)
    flushing = (mode or NEAREST).flushing(data_type)
    if mode is None or data_type not in mode.kept:
        return compute(flushing)
    return settled(
        "a denormal of HF, which the page flushes and a bit of %cr0 keeps (reading half-denormals)",
        allowed_by((lambda: compute(flushing), lambda: compute(mode))),
    )


def clamped(bits: int, data_type: DataType, mode: FloatMode | None = None) -> int:
    """`.sat`: the nearest number of [0, 1]; NaN gives 0."""
    return mathematical(
        lambda chosen: either_way(lambda m, f: _clamped(bits, data_type, m, f), chosen, flushes=False), mode, data_type
    )


def _clamped(bits: int, data_type: DataType, mode: FloatMode | None, flushes: bool) -> int:
    value = number(bits, data_type, mode, flushes)
    return pattern(0.0 if math.isnan(value) else max(0.0, min(value, 1.0)), data_type, mode, flushes)


# ---------------------------------------------------------------- operations


def _add(values: Sequence[float], rounding: Rounding) -> Fraction | float:
    if not all(map(math.isfinite, values)):
        return values[0] + values[1]
    exact = Fraction(values[0]) + Fraction(values[1])
    return exact or _zero_sum(values, rounding)


def _zero_sum(values: Sequence[float], rounding: Rounding) -> float:
    """A zero has the sign that IEEE gives it: of x − x, - only where results are rounded down."""
    signs = {math.copysign(1.0, value) for value in values}
    return 0.0 * (signs.pop() if len(signs) == 1 else -1.0 if rounding is Rounding.DOWN else 1.0)


def _multiply(values: Sequence[float], _: Rounding) -> Fraction | float:
    left, right = values
    if not (math.isfinite(left) and math.isfinite(right)) or left == 0 or right == 0:
        return left * right
    return Fraction(left) * Fraction(right)


def _multiply_add(values: Sequence[float], rounding: Rounding) -> Fraction | float:
    """One rounding: 2_datatypes.md calls it a fused operation."""
    product, addend = _multiply(values[:2], rounding), values[2]
    if isinstance(product, float):
        return _add((product, addend), rounding)
    if not math.isfinite(addend):
        return addend
    return product + Fraction(addend) or _zero_sum((1.0 if product > 0 else -1.0, addend), rounding)


ARITHMETIC: dict[str, Callable[[Sequence[float], Rounding], Fraction | float]] = {
    "add": _add,
    "mul": _multiply,
    "mad": _multiply_add,
}


def operation(opcode: str, sources: Sequence[int], data_type: DataType, mode: FloatMode | None = None) -> int:
    """The bits that an arithmetic opcode makes of sources of one type."""
    if opcode not in ("min", "max", *ARITHMETIC):
        raise NotModelled(f"opcode {opcode} on floats")

    def compute(chosen: FloatMode | None) -> int:
        if opcode in ARITHMETIC:
            return either_way(lambda m, f: _arithmetic(opcode, sources, data_type, m, f), chosen, flushes=True)
        return either_way(lambda m, f: _extreme(opcode, sources, data_type, m, f), chosen, flushes=False)

    return mathematical(compute, mode, data_type)


def _arithmetic(opcode: str, sources: Sequence[int], data_type: DataType, mode: FloatMode | None, flushes: bool) -> int:
    values = [number(bits, data_type, mode, flushes) for bits in sources]
    rounding = Rounding.NEAREST_EVEN if mode is None else mode.rounding
    found = pattern(ARITHMETIC[opcode](values, rounding), data_type, mode, flushes)
    if opcode != "mad" or not overflows(values[:2], data_type):
        return found
    return settled(PRODUCT_BEYOND, or_infinite(Allowed((found,)), values, data_type))


def or_infinite(found: Allowed, values: Sequence[float], data_type: DataType) -> Allowed:
    """Page: a fused operation with an intermediate result out of range, and a final one in it: that or infinity."""
    infinite = FORMATS[data_type].infinity
    if all(one % (1 << data_type.bits - 1) == infinite for one in found.patterns):
        return found
    return found | Allowed((infinite, pattern(values[0] * values[1] * math.inf, data_type)))


def overflows(factors: Sequence[float], data_type: DataType) -> bool:
    """Whether the product would be rounded beyond the largest number, in some mode."""
    product, layout = _multiply(factors, Rounding.NEAREST_EVEN), FORMATS[data_type]
    largest = Fraction((2 << layout.fraction_bits) - 1) * Fraction(2) ** (layout.bias - layout.fraction_bits)
    return isinstance(product, Fraction) and abs(product) > largest


def _extreme(opcode: str, sources: Sequence[int], data_type: DataType, mode: FloatMode | None, flushes: bool) -> int:
    """Page MIN_MAX: the one that is not NaN; of two NaN, "source1".  A denormal that is 0 may be copied or not."""
    values = [number(bits, data_type, mode, flushes) for bits in sources]
    if math.isnan(values[0]) or math.isnan(values[1]):
        chosen = [1 if math.isnan(values[0]) else 0]
    elif values[0] == values[1]:
        chosen = [0, 1]
    else:
        chosen = [int((values[1] < values[0]) == (opcode == "min"))]
    results = {sources[place] for place in chosen}
    results |= {pattern(values[place], data_type) for place in chosen if values[place] == 0}
    return settled(f"{opcode} of +0 and -0", Allowed(tuple(sorted(results))))


def compare(relation: str, sources: Sequence[int], data_type: DataType, mode: FloatMode | None = None) -> bool:
    """Page CMP: with a NaN "NE comparison returns true while all other comparisons return false"."""
    return _compare(relation, tuple(sources), data_type, mode)


@lru_cache(maxsize=1 << 14)
def _compare(relation: str, sources: tuple[int, ...], data_type: DataType, mode: FloatMode | None) -> bool:
    def holds(mode: FloatMode | None, flushes: bool) -> int:
        left, right = (number(bits, data_type, mode, flushes) for bits in sources)
        return int(_RELATIONS[relation](left, right))

    return bool(mathematical(lambda chosen: either_way(holds, chosen, flushes=False), mode, data_type))


_RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda left, right: left == right,
    "ne": lambda left, right: left != right,
    "lt": lambda left, right: left < right,
    "le": lambda left, right: left <= right,
    "gt": lambda left, right: left > right,
    "ge": lambda left, right: left >= right,
}
