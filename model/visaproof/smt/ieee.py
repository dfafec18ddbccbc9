"""IEEE 754 arithmetic: on bit patterns, in exact fractions that are rounded once, and as terms.

The normal form knows nothing of a float term but the value that it has for constants; solvers know IEEE 754.

Denormals are numbers like others, and a result that is NaN is the format's `nan`: which NaN a device gives, and whether
it flushes denormals, is for the caller to say.  ``sign | exponent | fraction``, from the high end.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from visaproof.isa.float_modes import Rounding
from visaproof.smt.terms import BitVec, Op, bit_vector, const, ordered, value_of


class Format(NamedTuple):
    """The widths of the fields beside the sign."""

    exponent_bits: int
    fraction_bits: int

    @property
    def width(self) -> int:
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def bias(self) -> int:
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def sign(self) -> int:
        return 1 << (self.width - 1)

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @property
    def nan(self) -> int:
        """The quiet NaN with no other bit set."""
        return self.infinity | 1 << (self.fraction_bits - 1)

    @property
    def smallest_normal(self) -> int:
        return 1 << self.fraction_bits


HALF, BRAIN, SINGLE, DOUBLE = Format(5, 10), Format(8, 7), Format(8, 23), Format(11, 52)


class FloatOp(Enum):
    """What is rounded."""

    ADD = "add"
    MUL = "mul"
    FMA = "fma"
    CONVERT = "convert"
    INTEGRAL = "integral"
    FROM_SIGNED = "from_signed"
    FROM_UNSIGNED = "from_unsigned"

    __hash__ = object.__hash__


class FloatOperation(Struct, frozen=True):
    """An operation with its rounding; `source` is what CONVERT reads."""

    op: FloatOp
    rounding: Rounding
    result: Format
    source: Format | None = None

    def __str__(self) -> str:
        return f".{self.op.value}.{self.rounding.value}.{self.result.width}"


class _Special(Enum):
    """What is no number."""

    NAN = "nan"
    PLUS = "plus infinity"
    MINUS = "minus infinity"


class _Number(NamedTuple):
    """A finite number; the sign counts where it is 0."""

    negative: bool
    value: Fraction


_Value = _Special | _Number


def compute(operation: FloatOperation, args: Sequence[int], widths: Sequence[int]) -> int:
    """The pattern of the result; integer arguments are of the given widths."""
    if operation.op in (FloatOp.FROM_SIGNED, FloatOp.FROM_UNSIGNED):
        number = args[0]
        if operation.op is FloatOp.FROM_SIGNED and number >> (widths[0] - 1):
            number -= 1 << widths[0]
        return _rounded(_Number(number < 0, Fraction(number)), operation)
    values = [_value(arg, operation.source or operation.result) for arg in args]
    if _Special.NAN in values:
        return operation.result.nan
    return _rounded(_OPERATIONS[operation.op](values, operation.rounding), operation)


def _value(bits: int, layout: Format) -> _Value:
    negative, magnitude = bool(bits & layout.sign), bits & (layout.sign - 1)
    if magnitude > layout.infinity:
        return _Special.NAN
    if magnitude == layout.infinity:
        return _Special.MINUS if negative else _Special.PLUS
    exponent, fraction = magnitude >> layout.fraction_bits, magnitude & (layout.smallest_normal - 1)
    if exponent:
        fraction, exponent = fraction | layout.smallest_normal, exponent - 1
    power = exponent + 1 - layout.bias - layout.fraction_bits
    size = Fraction(fraction << power) if power >= 0 else Fraction(fraction, 1 << -power)
    return _Number(negative, -size if negative else size)


def _infinite(negative: bool) -> _Special:
    return _Special.MINUS if negative else _Special.PLUS


def _negative(value: _Value) -> bool:
    return value.negative if isinstance(value, _Number) else value is _Special.MINUS


def _add(values: Sequence[_Value], rounding: Rounding) -> _Value:
    infinite = {value for value in values if isinstance(value, _Special)}
    if infinite:
        return infinite.pop() if len(infinite) == 1 else _Special.NAN
    left, right = (value for value in values if isinstance(value, _Number))
    total = left.value + right.value
    if total:
        return _Number(total < 0, total)
    if left.negative == right.negative:
        return _Number(left.negative, total)
    return _Number(rounding is Rounding.DOWN, total)  # x − x is −0 only where rounding goes down


def _multiply(values: Sequence[_Value], _: Rounding) -> _Value:
    left, right = values
    negative = _negative(left) != _negative(right)
    if isinstance(left, _Number) and isinstance(right, _Number):
        return _Number(negative, left.value * right.value)
    zero = any(isinstance(value, _Number) and not value.value for value in values)
    return _Special.NAN if zero else _infinite(negative)


def _multiply_add(values: Sequence[_Value], rounding: Rounding) -> _Value:
    product = _multiply(values[:2], rounding)
    return _Special.NAN if product is _Special.NAN else _add((product, values[2]), rounding)


def _integral(values: Sequence[_Value], rounding: Rounding) -> _Value:
    (value,) = values
    if isinstance(value, _Special):
        return value
    whole = _whole(abs(value.value), rounding, value.negative)
    return _Number(value.negative, Fraction(-whole if value.negative else whole))  # a zero keeps the sign


_OPERATIONS: dict[FloatOp, Callable[[Sequence[_Value], Rounding], _Value]] = {
    FloatOp.ADD: _add,
    FloatOp.MUL: _multiply,
    FloatOp.FMA: _multiply_add,
    FloatOp.CONVERT: lambda values, _: values[0],
    FloatOp.INTEGRAL: _integral,
}


def _rounded(value: _Value, operation: FloatOperation) -> int:
    layout = operation.result
    if isinstance(value, _Special):
        if value is _Special.NAN:
            return layout.nan
        return layout.infinity | (layout.sign if value is _Special.MINUS else 0)
    sign, size = (layout.sign if value.negative else 0), abs(value.value)
    if not size:
        return sign
    least = 1 - layout.bias
    exponent = max(least, _exponent(size))
    unit = Fraction(2) ** (exponent - layout.fraction_bits)
    significand = _whole(size / unit, operation.rounding, value.negative)
    magnitude = ((exponent - least) << layout.fraction_bits) + significand  # a carry goes into the exponent
    if magnitude >= layout.infinity:
        away = {Rounding.UP: not value.negative, Rounding.DOWN: value.negative, Rounding.ZERO: False}
        return sign | (layout.infinity if away.get(operation.rounding, True) else layout.infinity - 1)
    return sign | magnitude


def _exponent(size: Fraction) -> int:
    """The k for which 2^k <= size < 2^(k + 1)."""
    guess = size.numerator.bit_length() - size.denominator.bit_length()
    return guess if size >= Fraction(2) ** guess else guess - 1


def _whole(size: Fraction, rounding: Rounding, negative: bool) -> int:
    below = size.numerator // size.denominator
    match rounding:
        case Rounding.NEAREST_EVEN:
            return round(size)  # Python rounds halves to even
        case Rounding.ZERO:
            return below
        case _:
            away = (rounding is Rounding.DOWN) == negative
            return below + (away and below != size)


def rounded(operation: FloatOperation, *args: BitVec) -> BitVec:
    """The term for an operation on patterns, or on an integer.  Addition and multiplication commute."""
    if operation.op in (FloatOp.ADD, FloatOp.MUL, FloatOp.FMA):
        args = (*ordered(args[0], args[1]), *args[2:])
    values = [value for arg in args if (value := value_of(arg)) is not None]
    if len(values) == len(args):
        return const(compute(operation, values, [arg.width for arg in args]), operation.result.width)
    return bit_vector(Op.FLOAT, args, operation, operation.result.width)
