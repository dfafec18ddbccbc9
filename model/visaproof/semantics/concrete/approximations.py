"""Opcodes whose pages give a function and no error: inv, sqrt, rsqrt, exp, log and div of floats.

Pages INV, SQRT, RSQRT, EXP and LOG ("base-2"), DIV ("implemented as x * INV(y)").  Reading "approximations": each
result within the error that OpenCL C allows is allowed, the correctly rounded one first.  SIN and COS are not here: the
compiler emits them for `native_sin` alone, of which OpenCL C says nothing.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import FloatMode, Rounding
from visaproof.isa.types import DataType
from visaproof.semantics.concrete import floats
from visaproof.semantics.concrete.choices import ANY_NAN, Allowed, Unstated, settled

ERRORS = {
    "inv": Fraction(5, 2),
    "sqrt": Fraction(3),
    "rsqrt": Fraction(2),
    "exp": Fraction(3),
    "log": Fraction(3),
}
"""Units in the last place of a float: OpenCL C 3.0, table of errors of 1.0 / x, sqrt, rsqrt, exp2, log2."""
NEAR_ONE = (Fraction(1, 2), Fraction(2))
NEAR_ONE_ERROR = Fraction(1, 2**21)
"""Of log there, where the compiler does not take it for `log2`: the absolute error that Vulkan allows."""

WITHIN = "within the error that OpenCL C allows (reading approximations)"

_MODE = FloatMode(Rounding.NEAREST_EVEN, frozenset([DataType.F]))
_FRACTION, _LEAST_EXPONENT, _SMALLEST_NORMAL = 23, -126, 0x0080_0000
_SIGN, _INFINITY = 1 << 31, 0x7F80_0000
_PRECISE = Context(prec=60, Emin=-9999, Emax=9999)
_BITS = 160
"""Of the roots, more than any float has."""
_LN_2 = _PRECISE.ln(Decimal(2))


def operation(opcode: str, sources: Sequence[int], data_type: DataType, mode: FloatMode | None) -> int:
    """Raises Unstated where several results are allowed, and NotModelled for types for which no error is stated."""
    if data_type is not DataType.F:
        raise NotModelled(f"opcode {opcode} on {data_type.spelling}, for which no error is stated")
    if opcode == "div":
        inverse = _allowed("inv", sources[1])
        return settled(f"a quotient by an inverse {WITHIN}", _products(sources[0], inverse, mode))
    return settled(f"{opcode} {WITHIN}", _allowed(opcode, sources[0]))


def _products(left: int, inverse: Allowed, mode: FloatMode | None) -> Allowed:
    """`left` times each."""
    found: dict[int, None] = {}
    nan = inverse.nan
    for pattern in inverse.patterns:
        try:
            found[floats.operation("mul", (left, pattern), DataType.F, mode)] = None
        except Unstated as reason:
            found.update(dict.fromkeys(reason.allowed.patterns))
            nan |= reason.allowed.nan
    return Allowed(tuple(found), nan)


@lru_cache(maxsize=1 << 16)
def _allowed(opcode: str, bits: int) -> Allowed:
    """Of a denormal, what is allowed of it and what is allowed of the zero that it may be flushed to."""
    found = _of_number(opcode, bits)
    if 0 < bits % _SIGN < _SMALLEST_NORMAL:
        flushed = _of_number(opcode, bits & _SIGN)
        return Allowed(tuple(dict.fromkeys((*found.patterns, *flushed.patterns))), found.nan or flushed.nan)
    return found


def _of_number(opcode: str, bits: int) -> Allowed:
    value = floats.number(bits, DataType.F, _MODE)
    exact = _FUNCTIONS[opcode](value)
    if opcode == "log" and math.isfinite(value) and NEAR_ONE[0] <= value <= NEAR_ONE[1]:
        return _near_one(Fraction(exact))
    if isinstance(exact, Fraction):
        return Allowed(tuple(dict.fromkeys(_near(exact, ERRORS[opcode]))))
    if math.isnan(exact):
        return ANY_NAN
    sign = _SIGN if math.copysign(1.0, exact) < 0 else 0
    return Allowed((sign | (_INFINITY if math.isinf(exact) else 0),))


def _near(exact: Fraction, error: Fraction) -> Iterator[int]:
    """The float that is nearest, then all within the error; 0 as well where the result may be flushed."""
    yield floats.pattern(exact, DataType.F, _MODE)
    unit = _unit(abs(exact))
    first = floats.pattern(abs(exact) - error * unit, DataType.F, FloatMode(Rounding.UP, _MODE.kept))
    last = floats.pattern(abs(exact) + error * unit, DataType.F, FloatMode(Rounding.DOWN, _MODE.kept))
    sign = _SIGN if exact < 0 else 0
    if abs(exact) + error * unit >= Fraction(2) ** 128:
        last = _INFINITY
    if first & _SIGN:  # beyond 0: no function here has results of another sign
        first = 0
    yield from (sign | one for one in range(first, last + 1))
    if first < _SMALLEST_NORMAL:
        yield sign


def _near_one(exact: Fraction) -> Allowed:
    """The float that is nearest, and the ends and two more of what is allowed, which are up to 2^30 floats."""
    steps = (Fraction(0), NEAR_ONE_ERROR, -NEAR_ONE_ERROR, NEAR_ONE_ERROR / 3, -NEAR_ONE_ERROR / 3)
    return Allowed(tuple(dict.fromkeys(floats.pattern(exact + step, DataType.F, _MODE) for step in steps)))


def _unit(size: Fraction) -> Fraction:
    """The distance of the floats around a number."""
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    return Fraction(2) ** (min(max(exponent, _LEAST_EXPONENT), 127) - _FRACTION)


Exact = Fraction | float
"""Zeros, infinities and NaN are floats."""


def _inverse(value: float) -> Exact:
    if math.isnan(value):
        return math.nan
    if value == 0 or math.isinf(value):
        return math.copysign(math.inf if value == 0 else 0.0, value)
    return 1 / Fraction(value)


def _root(value: float) -> Exact:
    if math.isnan(value) or value < 0:
        return math.nan
    return value if value == 0 or math.isinf(value) else _square_root(Fraction(value))


def _inverse_root(value: float) -> Exact:
    if math.isnan(value) or value < 0:
        return math.nan
    if value == 0 or math.isinf(value):
        return math.copysign(math.inf, value) if value == 0 else 0.0
    return _square_root(1 / Fraction(value))


def _square_root(value: Fraction) -> Fraction:
    """Exact where it is a fraction; else off by less than any float tells."""
    root = math.isqrt((value.numerator * value.denominator) << 2 * _BITS)
    return Fraction(root, value.denominator << _BITS)


def _power_of_two(value: float) -> Exact:
    if math.isnan(value) or math.isinf(value):
        return 0.0 if value == -math.inf else value
    if abs(value) > 2000:
        return math.inf if value > 0 else Fraction(1, 2**2000)
    whole = math.floor(value)
    part = _PRECISE.multiply(Decimal(value - whole), _LN_2)
    return Fraction(_PRECISE.exp(part)) * Fraction(2) ** whole


def _logarithm(value: float) -> Exact:
    if math.isnan(value) or value < 0:
        return math.nan
    if value == 0 or math.isinf(value):
        return -math.inf if value == 0 else math.inf
    return Fraction(_PRECISE.divide(_PRECISE.ln(Decimal(value)), _LN_2))


_FUNCTIONS: dict[str, Callable[[float], Exact]] = {
    "inv": _inverse,
    "sqrt": _root,
    "rsqrt": _inverse_root,
    "exp": _power_of_two,
    "log": _logarithm,
}
OPCODES = (*_FUNCTIONS, "div")
