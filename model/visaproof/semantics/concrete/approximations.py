"""Opcodes whose pages give a function and no error: inv, sqrt, rsqrt, exp, log, pow, sin, cos and div of floats.

Pages INV, SQRT, RSQRT, EXP and LOG ("base-2"), POW, SIN, COS, DIV ("implemented as x * INV(y)").  Reading
"approximations" (D51): each result within the stated error is allowed, the correctly rounded one first.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import product

from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import FloatMode, Rounding
from visaproof.isa.types import DataType
from visaproof.semantics.concrete import floats
from visaproof.semantics.concrete.choices import ANY_BITS, ANY_NAN, Allowed, Unstated, settled

ERRORS = {
    DataType.F: {
        "inv": Fraction(5, 2),
        "sqrt": Fraction(3),
        "rsqrt": Fraction(2),
        "exp": Fraction(3),
        "log": Fraction(3),
    },
    DataType.HF: {
        "inv": Fraction(1),
        "sqrt": Fraction(4),
        "rsqrt": Fraction(1),
        "exp": Fraction(4),
        "log": Fraction(3),
    },
}
"""Units in the last place: OpenCL C 3.0, tables of errors of 1 / x, sqrt, rsqrt, exp2, log2.  The compiler makes no
`sqrt`, `exp` or `log` of halves for OpenCL C: those of Intel's SYCL ESIMD functions, and of Vulkan for log."""
NEAR_ONE = (Fraction(1, 2), Fraction(2))
NEAR_ONE_ERROR = {DataType.F: Fraction(1, 2**21), DataType.HF: Fraction(1, 2**7)}
"""Of log there, where the compiler does not take it for `log2`: the absolute error that Vulkan allows."""
ANGLE_ERROR = Fraction(8, 10_000)
"""The absolute error of sin and cos of F and HF that the SYCL ESIMD functions of Intel state; OpenCL C's for relaxed
mathematics, 2^-11 from -π to π, is smaller."""
LARGEST_ANGLE = 32_767 * math.pi
"""So far from 0 that error is stated."""
POWER_ERROR = Fraction(8192)
"""Units in the last place of pow of F: OpenCL C's relaxed mathematics, if it is not made of exp and log."""

WITHIN = "within the stated error (reading approximations)"

_TYPES = frozenset(ERRORS)
_MODE = FloatMode(Rounding.NEAREST_EVEN, _TYPES)
_DOWN, _UP = FloatMode(Rounding.DOWN, _TYPES), FloatMode(Rounding.UP, _TYPES)
_PRECISE = Context(prec=60, Emin=-9999, Emax=9999)
_F = DataType.F
_ONE, _INFINITY = 0x3F80_0000, 0x7F80_0000
_SMALLEST_NORMAL, _LIMIT = Fraction(1, 2**126), Fraction(2) ** 128
_BITS = 160
"""Of the roots, more than any float has."""
_LN_2 = _PRECISE.ln(Decimal(2))


def operation(opcode: str, sources: Sequence[int], data_type: DataType, mode: FloatMode | None) -> int:
    """Raises Unstated where several results are allowed, and NotModelled for types for which no error is stated."""
    if data_type not in ERRORS or (opcode == "pow" and data_type is not DataType.F):
        raise NotModelled(f"opcode {opcode} on {data_type.spelling}, for which no error is stated")
    if opcode == "div":
        inverse = _allowed("inv", (sources[1],), data_type)
        return settled(f"a quotient by an inverse {WITHIN}", _products(sources[0], inverse, data_type, mode))
    return settled(f"{opcode} {WITHIN}", _allowed(opcode, tuple(sources), data_type))


def _products(left: int, inverse: Allowed, data_type: DataType, mode: FloatMode | None) -> Allowed:
    """`left` times each."""
    found: dict[int, None] = {}
    nan = inverse.nan
    for pattern in inverse.patterns:
        try:
            found[floats.operation("mul", (left, pattern), data_type, mode)] = None
        except Unstated as reason:
            found.update(dict.fromkeys(reason.allowed.patterns))
            nan |= reason.allowed.nan
    return Allowed(tuple(found), nan)


@lru_cache(maxsize=1 << 16)
def _allowed(opcode: str, sources: tuple[int, ...], data_type: DataType) -> Allowed:
    """Of a denormal, what is allowed of it and what is allowed of the zero that it may be flushed to."""
    found = Allowed()
    for chosen in product(*(_flushed_or_not(bits, data_type) for bits in sources)):
        found = _either(found, _of_numbers(opcode, chosen, data_type))
    return found


def _either(first: Allowed, second: Allowed) -> Allowed:
    """In this order."""
    patterns = tuple(dict.fromkeys((*first.patterns, *second.patterns)))
    return Allowed(patterns, first.nan or second.nan, first.bits or second.bits)


def _flushed_or_not(bits: int, data_type: DataType) -> tuple[int, ...]:
    sign = 1 << data_type.bits - 1
    return (bits, bits & sign) if 0 < bits % sign < 1 << floats.FORMATS[data_type].fraction_bits else (bits,)


def _of_numbers(opcode: str, sources: tuple[int, ...], data_type: DataType) -> Allowed:
    values = [floats.number(bits, data_type, _MODE) for bits in sources]
    if opcode in _ANGLES:
        return _of_an_angle(_ANGLES[opcode], values[0], data_type)
    if opcode == "pow":
        return _power(*values)
    exact = _FUNCTIONS[opcode](values[0])
    if opcode == "log" and _is_near_one(values[0]):
        return _within(Fraction(exact), NEAR_ONE_ERROR[data_type], data_type)
    if isinstance(exact, Fraction):
        return Allowed(tuple(dict.fromkeys(_near(exact, ERRORS[data_type][opcode], data_type))))
    if math.isnan(exact):
        return ANY_NAN
    return Allowed((floats.pattern(exact, data_type, _MODE),))


def _is_near_one(value: float) -> bool:
    return math.isfinite(value) and NEAR_ONE[0] <= value <= NEAR_ONE[1]


def _near(exact: Fraction, error: Fraction, data_type: DataType) -> Iterator[int]:
    """The float that is nearest, then all within the error; 0 as well where the result may be flushed."""
    yield floats.pattern(exact, data_type, _MODE)
    layout, unit = floats.FORMATS[data_type], _unit(abs(exact), data_type)
    first = floats.pattern(abs(exact) - error * unit, data_type, _UP)
    last = floats.pattern(abs(exact) + error * unit, data_type, _DOWN)
    sign = 1 << data_type.bits - 1
    if abs(exact) + error * unit >= Fraction(2) ** (layout.bias + 1):
        last = layout.infinity
    if first & sign:  # beyond 0: no function here has results of another sign
        first = 0
    sign = sign if exact < 0 else 0
    yield from (sign | one for one in range(first, last + 1))
    if first < 1 << layout.fraction_bits:
        yield sign


def _within(exact: Fraction, error: Fraction, data_type: DataType) -> Allowed:
    """The float that is nearest, and the ends and two more of what an absolute error allows, up to 2^30 floats."""
    ends = [(exact + error, _DOWN), (exact - error, _UP)]
    return _some([(exact, _MODE), *ends, (exact + error / 3, _MODE), (exact - error / 3, _MODE)], data_type)


def _some(numbers: Iterable[tuple[Fraction, FloatMode]], data_type: DataType) -> Allowed:
    return Allowed(tuple(dict.fromkeys(floats.pattern(value, data_type, mode) for value, mode in numbers)))


def _unit(size: Fraction, data_type: DataType) -> Fraction:
    """The distance of the floats around a number."""
    layout = floats.FORMATS[data_type]
    exponent = floats.exponent_of(size) if size else 1 - layout.bias
    return Fraction(2) ** (min(max(exponent, 1 - layout.bias), layout.bias) - layout.fraction_bits)


def _of_an_angle(function: Callable[[float], float], value: float, data_type: DataType) -> Allowed:
    """The host's functions of doubles are nearer than a float tells.  Far from 0 no error is stated."""
    if not math.isfinite(value):
        return ANY_NAN
    if abs(value) > LARGEST_ANGLE:
        return ANY_BITS
    return _within(Fraction(function(value)), ANGLE_ERROR, data_type)


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


def _power(base: float, exponent: float) -> Allowed:
    """x^y of F for x > 0: 2^(y · log x) as far as its steps may be off, or within POWER_ERROR.

    Let log x be in [l, h] (its error).  Then y · log x is in [y·l, y·h] or [y·h, y·l], off by half a unit, and 2^t is
    off by the 3 + floor(2 · |t|) units of OpenCL C's relaxed mathematics.  Those leave x < 0 and 0^0 undefined, and of
    0 to another power the result may be 0.
    """
    if math.isnan(base) or math.isnan(exponent):
        return Allowed((_ONE,), nan=True) if base == 1 or exponent == 0 else ANY_NAN
    if base < 0 or base == exponent == 0:
        return ANY_BITS
    if base == 0:
        return Allowed((_INFINITY, 0) if exponent < 0 else (0,))
    if math.isinf(base) or math.isinf(exponent):
        power = exponent * float(_logarithm(base))
        return ANY_BITS if math.isnan(power) else Allowed((_INFINITY if power > 0 else 0,))
    logarithm, y = Fraction(_logarithm(base)), Fraction(exponent)
    error = NEAR_ONE_ERROR[_F] if _is_near_one(base) else ERRORS[_F]["log"] * _unit(abs(logarithm), _F)
    least, greatest = sorted(y * (logarithm + off) for off in (error, -error))
    exact = _two_to(y * logarithm)
    low = max(min(_beyond(least, -1), exact - POWER_ERROR * _unit(exact, _F)), Fraction(0))
    high = max(_beyond(greatest, 1), exact + POWER_ERROR * _unit(exact, _F))
    up = _DOWN if high < _LIMIT else _MODE
    found = _some([(exact, _MODE), (high, up), (low, _UP)], _F)
    return _either(found, Allowed((0,))) if low < _SMALLEST_NORMAL else found


def _beyond(power: Fraction, way: int) -> Fraction:
    """The farthest that 2 to a product that is rounded may be, up or down."""
    rounded = power + way * _unit(abs(power), _F) / 2
    result = _two_to(rounded)
    return result + way * (3 + math.floor(2 * abs(rounded))) * _unit(result, _F)


def _two_to(power: Fraction) -> Fraction:
    """Off by less than a float tells; beyond the floats some number beyond them."""
    return Fraction(_power_of_two(float(min(max(power, Fraction(-2000)), Fraction(2000)))))


_FUNCTIONS: dict[str, Callable[[float], Exact]] = {
    "inv": _inverse,
    "sqrt": _root,
    "rsqrt": _inverse_root,
    "exp": _power_of_two,
    "log": _logarithm,
}
_ANGLES: dict[str, Callable[[float], float]] = {"sin": math.sin, "cos": math.cos}
OPCODES = (*_FUNCTIONS, *_ANGLES, "pow", "div")
