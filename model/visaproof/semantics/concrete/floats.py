"""Floating-point arithmetic of one element, in exact fractions that are rounded once.  Page: 2_datatypes.md.

Results are those of the IEEE mode, rounded to nearest even.  Where the outcome depends on more than the sources (the
control register keeps or flushes denormals, no page says which NaN comes out), it is not modelled.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from visaproof.isa.errors import NotModelled
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.alu import saturated


class _Format(NamedTuple):
    """``sign | exponent | fraction``, from the high end."""

    exponent_bits: int
    fraction_bits: int

    @property
    def bias(self) -> int:
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits


_FORMATS: dict[DataType, _Format] = {
    DataType.HF: _Format(5, 10),
    DataType.BF: _Format(8, 7),
    DataType.F: _Format(8, 23),
    DataType.DF: _Format(11, 52),
}


def number(bits: int, data_type: DataType) -> float:
    """The number that the bits stand for; every type fits a double.  Denormals may be flushed: not modelled."""
    layout = _FORMATS.get(data_type)
    if layout is None:
        raise NotModelled(f"arithmetic on {data_type.spelling}")
    exponent = bits >> layout.fraction_bits & ((1 << layout.exponent_bits) - 1)
    fraction = bits & ((1 << layout.fraction_bits) - 1)
    sign = -1.0 if bits >> (data_type.bits - 1) else 1.0
    if exponent == (1 << layout.exponent_bits) - 1:
        return math.nan if fraction else sign * math.inf
    if exponent == 0:
        if fraction:
            raise NotModelled("a denormal, which the control register keeps or flushes")
        return sign * 0.0
    return sign * math.ldexp(fraction + (1 << layout.fraction_bits), exponent - layout.bias - layout.fraction_bits)


def pattern(value: Fraction | float, data_type: DataType) -> int:
    """The nearest number of the type, ties to even; too large a number is infinity.  0 is positive as a fraction."""
    layout, sign_bit = _FORMATS[data_type], 1 << (data_type.bits - 1)
    if isinstance(value, float):
        if math.isnan(value):
            raise NotModelled("an operation that gives NaN, of which no page says which")
        sign = sign_bit if math.copysign(1.0, value) < 0 else 0
        if math.isinf(value) or value == 0.0:
            return sign | (layout.infinity if math.isinf(value) else 0)
        value = Fraction(value)
    sign, size = (sign_bit if value < 0 else 0), Fraction(abs(value))
    if size == 0:
        return 0
    exponent = _exponent(size)
    significand = round(size / Fraction(2) ** (exponent - layout.fraction_bits))  # Python rounds halves to even
    if exponent < 1 - layout.bias:
        raise NotModelled("a result below the normal numbers, which the control register keeps or flushes")
    # A significand that was rounded up to 2^(fraction_bits + 1) carries into the exponent, up to infinity.
    return sign | min(((exponent + layout.bias - 1) << layout.fraction_bits) + significand, layout.infinity)


def _exponent(size: Fraction) -> int:
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


def from_integer(value: int, result: DataType) -> int:
    """Page: "rounds to the closest representable floating-point value", to even between two."""
    return pattern(Fraction(value), result)


def to_integer(bits: int, data_type: DataType, result: DataType) -> int:
    """Page: "rounding toward zero"; beyond the type "the largest (or smallest) integer value"; NaN gives 0."""
    value = number(bits, data_type)
    if math.isnan(value):
        return 0
    if not result.signed and value <= -1:
        raise NotModelled("a negative number as an unsigned integer: text and table of 2_datatypes.md differ")
    if math.isinf(value):
        top = 1 << (result.bits - result.signed)
        return top - 1 if value > 0 else -top
    return saturated(math.trunc(value), result)


def converted(bits: int, data_type: DataType, result: DataType) -> int:
    """A floating-point number as one of another floating-point type."""
    return bits if data_type is result else pattern(number(bits, data_type), result)


def clamped(bits: int, data_type: DataType) -> int:
    """`.sat`: the nearest number of [0, 1]; NaN gives 0."""
    value = number(bits, data_type)
    return pattern(0.0 if math.isnan(value) else max(0.0, min(value, 1.0)), data_type)


# ---------------------------------------------------------------- operations


def _add(values: Sequence[float]) -> Fraction | float:
    if not all(map(math.isfinite, values)):
        return values[0] + values[1]
    exact = Fraction(values[0]) + Fraction(values[1])
    return exact or values[0] + values[1]  # a zero has the sign that IEEE gives it


def _multiply(values: Sequence[float]) -> Fraction | float:
    left, right = values
    if not (math.isfinite(left) and math.isfinite(right)) or left == 0 or right == 0:
        return left * right
    return Fraction(left) * Fraction(right)


def _multiply_add(values: Sequence[float]) -> Fraction | float:
    """One rounding: 2_datatypes.md calls it a fused operation."""
    product, addend = _multiply(values[:2]), values[2]
    if isinstance(product, float):
        return _add((product, addend))
    return product + Fraction(addend) if math.isfinite(addend) else addend


_ARITHMETIC: dict[str, Callable[[Sequence[float]], Fraction | float]] = {
    "add": _add,
    "mul": _multiply,
    "mad": _multiply_add,
}


def operation(opcode: str, sources: Sequence[int], data_type: DataType) -> int:
    """The bits that an arithmetic opcode makes of sources of one type."""
    values = [number(bits, data_type) for bits in sources]
    if opcode in ("min", "max"):
        return sources[_chosen(opcode, values, sources)]
    if opcode not in _ARITHMETIC:
        raise NotModelled(f"opcode {opcode} on floats")
    if opcode == "mad" and _overflows(values[:2], data_type):
        raise NotModelled("mad with a product beyond the type, where implementations may give infinity")
    return pattern(_ARITHMETIC[opcode](values), data_type)


def _overflows(factors: Sequence[float], data_type: DataType) -> bool:
    product = _multiply(factors)
    return isinstance(product, Fraction) and pattern(abs(product), data_type) == _FORMATS[data_type].infinity


def _chosen(opcode: str, values: Sequence[float], sources: Sequence[int]) -> int:
    """Page MIN_MAX: the one that is not NaN; of two NaN, "source1"."""
    if math.isnan(values[0]) or math.isnan(values[1]):
        return 1 if math.isnan(values[0]) else 0
    if values[0] == values[1] and sources[0] != sources[1]:
        raise NotModelled(f"{opcode} of +0 and -0")
    return int((values[1] < values[0]) == (opcode == "min"))


def compare(relation: str, sources: Sequence[int], data_type: DataType) -> bool:
    """Page CMP: with a NaN "NE comparison returns true while all other comparisons return false"."""
    left, right = (number(bits, data_type) for bits in sources)
    return _RELATIONS[relation](left, right)


_RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda left, right: left == right,
    "ne": lambda left, right: left != right,
    "lt": lambda left, right: left < right,
    "le": lambda left, right: left <= right,
    "gt": lambda left, right: left > right,
    "ge": lambda left, right: left >= right,
}
