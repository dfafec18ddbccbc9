"""Floating-point opcodes beside add, mul and mad whose pages give an exact result, on ints.

Pages RNDD, RNDE, RNDU, RNDZ, FRC, LRP, PLN, DIVM, SQRTM and FCVT.  Readings: "rounded-zero", "lrp-rounding",
"plane-rounding".
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product

from msgspec.structs import replace

from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import FloatMode, Rounding
from visaproof.isa.types import DataType
from visaproof.semantics.concrete import approximations, floats
from visaproof.semantics.concrete.choices import Allowed, Unstated, allowed_by, settled
from visaproof.semantics.concrete.floats import ARITHMETIC, either_way, number, pattern

Mode = FloatMode | None
KEPT = 1 << 14
"""Results: lanes and iterations compute mostly on the same small numbers."""
_NAN = 0x7FC0_0000
"""Some NaN of type F: which one it is makes no difference to what follows."""


def operation(opcode: str, sources: Sequence[int], data_type: DataType, mode: Mode = None) -> int:
    """The bits that an opcode makes of sources of one type.  Raises NotModelled."""
    return _operation(opcode, tuple(sources), data_type, mode)


@lru_cache(maxsize=KEPT)
def _operation(opcode: str, sources: tuple[int, ...], data_type: DataType, mode: Mode) -> int:
    if opcode in _FUNCTIONS:
        return _FUNCTIONS[opcode](sources, data_type, mode)
    if opcode in approximations.OPCODES:
        return approximations.operation(opcode, sources, data_type, mode)
    return floats.operation(opcode, sources, data_type, mode)


def _integral(value: float, to_integer: Callable[[float], int]) -> float:
    """The value rounded to an integer, with its own sign where that is 0 (reading "rounded-zero")."""
    return math.copysign(float(to_integer(value)), value) if math.isfinite(value) else value


def _rounded(to_integer: Callable[[float], int]) -> Callable[[Sequence[int], DataType, Mode], int]:
    def rounded(sources: Sequence[int], data_type: DataType, mode: Mode) -> int:
        return _to_integral(sources[0], to_integer, data_type, mode)

    return rounded


def _to_integral(bits: int, to_integer: Callable[[float], int], data_type: DataType, mode: Mode) -> int:
    def compute(mode: Mode, flushes: bool) -> int:
        return pattern(_integral(number(bits, data_type, mode, flushes), to_integer), data_type, mode, flushes)

    return either_way(compute, mode, flushes=True)


def _results(opcode: str, data_type: DataType, mode: Mode, *sources: Allowed) -> Allowed:
    """What an operation may give on sources that may be several patterns each."""
    patterns = [(*source.patterns, *((_NAN,) if source.nan else ())) for source in sources]
    return allowed_by(partial(floats.operation, opcode, chosen, data_type, mode) for chosen in product(*patterns))


def _fraction(sources: Sequence[int], data_type: DataType, mode: Mode) -> int:
    """Page FRC: "src0[i] - floor(src0[i])", a difference that is rounded as any other."""
    floors = allowed_by((lambda: _to_integral(sources[0], math.floor, data_type, mode),))
    below = replace(floors, patterns=tuple(floats.modified(one, "-", data_type) for one in floors.patterns))
    found = _results("add", data_type, mode, Allowed((sources[0],)), below)
    return settled("the fraction of a NaN, an infinity or a denormal", found)


def _interpolated(sources: Sequence[int], data_type: DataType, mode: Mode) -> int:
    return either_way(lambda m, f: _interpolation(sources, data_type, m, f), mode, flushes=True)


def _interpolation(sources: Sequence[int], data_type: DataType, mode: Mode, flushes: bool) -> int:
    """Page LRP: "src1[i] * src0[i] + src2[i] * (1.0 - src0[i])"; which of its steps are rounded, it does not say.

    Each is, or the sum is fused with one of the products.  It is one operation: denormals are flushed "on input and
    output", not between its steps.
    """
    weight, first, second = (number(bits, data_type, mode, flushes) for bits in sources)
    rounding = Rounding.NEAREST_EVEN if mode is None else mode.rounding
    between = FloatMode(rounding, frozenset([data_type]))

    def step(opcode: str, *values: float) -> float:
        return number(pattern(ARITHMETIC[opcode](values, rounding), data_type, between), data_type, between)

    def last(opcode: str, *values: float) -> Callable[[], int]:
        return lambda: pattern(ARITHMETIC[opcode](values, rounding), data_type, mode, flushes)

    rest = step("add", 1.0, -weight)
    left, right = step("mul", first, weight), step("mul", second, rest)
    ways = last("add", left, right), last("mad", first, weight, right), last("mad", second, rest, left)
    return settled("an interpolation that its page does not round", allowed_by(ways))


def _plane(sources: Sequence[int], data_type: DataType, mode: Mode) -> int:
    """Page PLN: "w = p*u + q*v + r", from p, q, r, u, v; which of its steps are rounded, it does not say.

    Each is, or p·u + r and then q·v and that are fused, as the finalizer emits on TGLLP and DG2.
    """

    def step(opcode: str, *known: Allowed) -> Allowed:
        return _results(opcode, data_type, mode, *known)

    p, q, r, u, v = (Allowed((bits,)) for bits in sources)
    rounded = step("add", step("add", step("mul", p, u), step("mul", q, v)), r)
    return settled("a plane that its page does not round", rounded | step("mad", q, v, step("mad", p, u, r)))


def _quotient(sources: Sequence[int], data_type: DataType, mode: Mode) -> int:
    """Page DIVM: "correctly rounded"."""
    left, right = _ieee(sources, data_type, mode)
    sign = math.copysign(1.0, left) * math.copysign(1.0, right)
    if math.isnan(left + right) or (left == 0 == right) or (math.isinf(left) and math.isinf(right)):
        return pattern(math.nan, data_type, mode)
    if math.isinf(left) or right == 0:
        return pattern(math.copysign(math.inf, sign), data_type, mode)
    if math.isinf(right) or left == 0:
        return pattern(math.copysign(0.0, sign), data_type, mode)
    return pattern(Fraction(left) / Fraction(right), data_type, mode)


def _square_root(sources: Sequence[int], data_type: DataType, mode: Mode) -> int:
    """Page SQRTM: the "IEEE compliant square root"."""
    (value,) = _ieee(sources, data_type, mode)
    if math.isnan(value) or value < 0:
        return pattern(math.nan, data_type, mode)
    if value == 0 or math.isinf(value):
        return pattern(value, data_type, mode)
    exact = Fraction(value)
    scaled = exact.numerator * exact.denominator << 256  # sqrt(n / d) = sqrt(n · d) / d
    root = math.isqrt(scaled)
    inexact = Fraction(1, 2) if root * root != scaled else Fraction(0)  # rounds as the root does: it is no tie
    return pattern((root + inexact) / (Fraction(exact.denominator) * 2**128), data_type, mode)


def _ieee(sources: Sequence[int], data_type: DataType, mode: Mode) -> list[float]:
    """Page: "IEEE compliance […] relies on enabling denorm"."""
    if mode is None or data_type not in mode.kept:
        raise NotModelled("an IEEE division or root where the control register does not keep denormals")
    return [number(bits, data_type, mode) for bits in sources]


_FUNCTIONS: dict[str, Callable[[Sequence[int], DataType, Mode], int]] = {
    "rndd": _rounded(math.floor),
    "rndu": _rounded(math.ceil),
    "rnde": _rounded(round),
    "rndz": _rounded(math.trunc),
    "frc": _fraction,
    "lrp": _interpolated,
    "plane": _plane,
    "divm": _quotient,
    "sqrtm": _square_root,
}
"""Opcodes that are functions of floats of one type."""


# ---------------------------------------------------------------- page FCVT

BF8_BITS = 8
"""Lower bits of an HF that BF8 does not have: both have five bits of exponent."""
TF32_BITS = 13
"""Lower bits of an F that TF32 does not have."""


def reformatted(bits: int, data_type: DataType, result: DataType) -> int:
    """Page FCVT between HF and BF8 (in UB), and between F and TF32 (in UD)."""
    match data_type, result:
        case DataType.UB, DataType.HF:
            return pattern(math.nan, result) if bits & 0x7F > 0x7C else bits << BF8_BITS
        case DataType.HF, DataType.UB:
            return _shortened(bits, 16, 0x7C00, BF8_BITS, BF8_BITS)
        case DataType.F, DataType.UD:
            if not bits & 0x7F80_0000:  # Page: "Denorms are flushed to zero"
                return bits & 1 << 31
            return _shortened(bits, 32, 0x7F80_0000, TF32_BITS, 0)
        case _:
            return bits  # Page: "Conversion from TF32 to float is noop"


def _shortened(bits: int, width: int, infinity: int, dropped: int, shift: int) -> int:
    """Rounded to nearest even without so many low bits, and shifted; beyond the largest number, infinity."""
    sign, size, unit = 1 << width - 1, bits & (1 << width - 1) - 1, 1 << dropped
    if size > infinity:
        nans = [number >> shift for number in range(infinity + unit, sign, unit)]
        allowed = Allowed((*nans, *(nan | sign >> shift for nan in nans)))
        raise Unstated("a NaN in another format, of which no page says which", allowed)
    size += unit // 2 - 1 + (size >> dropped & 1)
    return (bits & sign | size >> dropped << dropped) >> shift
