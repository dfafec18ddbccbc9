"""Approximations and div of floats: what is allowed, and that a run tells what depends on it."""

import math
import struct
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import FloatMode, Rounding
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.approximations import ANGLE_ERROR, ERRORS, operation
from visaproof.semantics.concrete.choices import Allowed, Unstated

F, HF = DataType.F, DataType.HF
OPCODES = tuple(ERRORS[F])
MODE = FloatMode(Rounding.NEAREST_EVEN, frozenset([F, HF, DataType.DF]))
INFINITY, NAN = 0x7F80_0000, 0x7FC0_0000


def pattern(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def number(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


def allowed(opcode: str, *sources: int, data_type: DataType = F) -> Allowed:
    try:
        return Allowed((operation(opcode, sources, data_type, MODE),))
    except Unstated as reason:
        return reason.allowed


def of(opcode: str, *values: float) -> list[float]:
    return [number(bits) for bits in allowed(opcode, *map(pattern, values)).patterns]


@pytest.mark.parametrize(
    ("opcode", "value", "nearest"),
    [("inv", 3.0, 1 / 3), ("inv", -2.5, -0.4), ("sqrt", 2.0, math.sqrt(2)), ("rsqrt", 4.0, 0.5), ("exp", 3.0, 8.0),
     ("exp", -0.5, 2**-0.5), ("log", 10.0, math.log2(10)), ("log", 1.0, 0.0), ("log", 1.5, math.log2(1.5))],
)  # fmt: skip
def test_the_correctly_rounded_result_is_the_first(opcode: str, value: float, nearest: float) -> None:
    assert of(opcode, value)[0] == number(pattern(nearest))


def test_results_as_far_as_the_error_are_allowed_and_no_farther() -> None:
    """1 / 1: units are 2^-24 below it and 2^-23 above, and OpenCL C's unit is the one above."""
    assert sorted(of("inv", 1.0)) == [1 - k * 2**-24 for k in (5, 4, 3, 2, 1)] + [1 + k * 2**-23 for k in (0, 1, 2)]
    assert sorted(of("rsqrt", 1.0)) == [1 - k * 2**-24 for k in (4, 3, 2, 1)] + [1 + k * 2**-23 for k in (0, 1, 2)]


@pytest.mark.parametrize(
    ("opcode", "source", "result"),
    [("inv", 0, INFINITY), ("inv", 1 << 31, 1 << 31 | INFINITY), ("inv", INFINITY, 0), ("sqrt", 1 << 31, 1 << 31),
     ("sqrt", INFINITY, INFINITY), ("rsqrt", 0, INFINITY), ("rsqrt", INFINITY, 0), ("exp", INFINITY, INFINITY),
     ("exp", 1 << 31 | INFINITY, 0), ("log", 0, 1 << 31 | INFINITY), ("log", INFINITY, INFINITY),
     ("exp", 0x4380_0000, INFINITY)],
)  # fmt: skip
def test_zeros_and_infinities_give_what_ieee_gives(opcode: str, source: int, result: int) -> None:
    assert allowed(opcode, source) == Allowed((result,))


OUTSIDE = [("sqrt", 0xBF80_0000), ("rsqrt", 0xBF80_0000), ("log", 0xBF80_0000)]


@pytest.mark.parametrize(("opcode", "source"), [*OUTSIDE, *((opcode, NAN) for opcode in (*OPCODES, "sin", "cos"))])
def test_outside_of_the_function_the_result_is_any_nan(opcode: str, source: int) -> None:
    assert allowed(opcode, source) == Allowed(nan=True)


def test_denormals_may_be_flushed_on_input_and_output() -> None:
    assert INFINITY in allowed("rsqrt", 1).patterns
    assert number(allowed("rsqrt", 1).patterns[0]) == pytest.approx(2**74.5, rel=1e-6)
    assert 0 in allowed("inv", pattern(2e38)).patterns
    assert 0 not in allowed("inv", pattern(1e37)).patterns


PRECISE: dict[str, Callable[[float], float]] = {
    "inv": lambda value: 1 / value, "sqrt": math.sqrt, "rsqrt": lambda value: 1 / math.sqrt(value),
    "exp": lambda value: 2.0**value, "log": math.log2,
}  # fmt: skip


@pytest.mark.parametrize("opcode", PRECISE)
@given(st.floats(2.0**-60, 100, width=32))
def test_the_error_is_that_of_opencl_by_the_mathematics_of_the_host(opcode: str, value: float) -> None:
    """The host's functions of doubles are near enough to tell a float's neighbours."""
    if opcode == "log" and 0.5 <= value <= 2:
        value *= 8
    exact = PRECISE[opcode](value)
    unit = 2.0 ** (max(math.frexp(exact)[1] - 1, -126) - 23)
    found = of(opcode, value)
    assert abs(found[0] - exact) <= unit * 0.5001
    farthest = max(abs(each - exact) for each in found)
    error = float(ERRORS[F][opcode])
    assert (error - 1) * unit * 0.49 < farthest <= error * unit * 1.0001 or exact == 0


def test_logarithms_near_one_are_off_by_an_absolute_error() -> None:
    """The compiler computes `log2` otherwise there, so that the hardware may be off by more units."""
    found = of("log", 1.0)
    assert (min(found), max(found)) == (-(2.0**-21), 2.0**-21)
    assert max(abs(each - math.log2(1.25)) for each in of("log", 1.25)) == pytest.approx(2.0**-21, rel=0.1)
    assert max(abs(each - math.log2(2.5)) for each in of("log", 2.5)) < 2.0**-21


@pytest.mark.parametrize(("opcode", "function"), [("sin", math.sin), ("cos", math.cos)])
@given(st.floats(-102_900, 102_900, width=32))
def test_sines_are_off_by_an_absolute_error(opcode: str, function: Callable[[float], float], value: float) -> None:
    exact, found = function(value), of(opcode, value)
    assert abs(found[0] - exact) <= 2**-24
    for sign in (1, -1):
        assert max(sign * (each - exact) for each in found) == pytest.approx(float(ANGLE_ERROR), abs=2**-23)
    assert max(abs(Fraction(each) - Fraction(exact)) for each in found) <= ANGLE_ERROR + Fraction(1, 2**52)


@pytest.mark.parametrize("opcode", ["sin", "cos"])
def test_sines_of_angles_without_a_stated_error_are_anything(opcode: str) -> None:
    assert allowed(opcode, pattern(102_944.0)).bits
    assert not allowed(opcode, pattern(102_900.0)).bits
    assert allowed(opcode, INFINITY) == Allowed(nan=True)


@given(st.floats(2.0**-20, 2.0**20, width=32), st.floats(-5, 5, width=32))
def test_a_power_is_off_by_what_logarithm_product_and_exponential_are(base: float, exponent: float) -> None:
    exact = math.pow(base, exponent)
    found = of("pow", base, exponent)
    unit = 2.0 ** (math.frexp(exact)[1] - 24)
    assert abs(found[0] - exact) <= unit * 0.5001
    assert max(found) >= exact + 8190 * unit
    assert min(found) <= exact - 8190 * unit / 2
    logarithm = math.log2(base)
    off = 2.0**-21 if 0.5 <= base <= 2 else 3 * 2.0 ** (math.frexp(logarithm)[1] - 24)
    steps = math.exp2(abs(exponent) * off + abs(exponent * logarithm) * 2.0**-24) - 1
    bound = max(8193 * unit, exact * (steps * 1.01 + (4 + 2.1 * abs(exponent * logarithm)) * 2.0**-22))
    assert max(abs(each - exact) for each in found) <= bound


def test_the_error_of_a_power_grows_with_the_logarithm_of_the_result() -> None:
    """(1 + 2^-23)^(2^29): the error of log near 1, 2^-21, times 2^29 is 256 in the exponent."""
    assert INFINITY in allowed("pow", 0x3F80_0001, pattern(2.0**29)).patterns
    assert 0 in allowed("pow", 0x3F80_0001, pattern(2.0**29)).patterns


@pytest.mark.parametrize(
    ("base", "exponent", "results"),
    [(0.0, 2.0, Allowed((0,))), (0.0, -1.0, Allowed((INFINITY, 0))), (2.0, 200.0, Allowed((INFINITY,))),
     (math.inf, 2.0, Allowed((INFINITY,))), (math.inf, -2.0, Allowed((0,))), (0.5, math.inf, Allowed((0,))),
     (math.nan, 2.0, Allowed(nan=True)), (1.0, math.nan, Allowed((0x3F80_0000,), nan=True))],
)  # fmt: skip
def test_powers_of_zeros_and_infinities(base: float, exponent: float, results: Allowed) -> None:
    assert allowed("pow", pattern(base), pattern(exponent)) == results


@pytest.mark.parametrize(("base", "exponent"), [(0.0, 0.0), (-2.0, 2.0), (math.inf, 0.0)])
def test_powers_that_opencl_leaves_undefined_are_anything(base: float, exponent: float) -> None:
    assert allowed("pow", pattern(base), pattern(exponent)).bits


def test_a_quotient_is_the_product_with_any_allowed_inverse() -> None:
    """Page DIV: "implemented as x * INV(y)"."""
    found = allowed("div", pattern(6.0), pattern(3.0)).patterns
    inverses = allowed("inv", pattern(3.0)).patterns
    assert {number(bits) for bits in found} == {number(pattern(6.0 * number(bits))) for bits in inverses}
    assert allowed("div", 0, 0) == Allowed(nan=True)


def half(value: float) -> int:
    return int(struct.unpack("<H", struct.pack("<e", value))[0])


def halves(opcode: str, value: float) -> list[float]:
    patterns = allowed(opcode, half(value), data_type=HF).patterns
    return [float(struct.unpack("<e", struct.pack("<H", bits))[0]) for bits in patterns]


@pytest.mark.parametrize("opcode", PRECISE)
@given(st.floats(2.0**-6, 12, width=16))
def test_halves_have_an_error_of_their_own(opcode: str, value: float) -> None:
    if opcode == "log" and 0.5 <= value <= 2:
        value *= 8
    exact = PRECISE[opcode](value)
    unit = 2.0 ** (max(math.frexp(exact)[1] - 1, -14) - 10)
    found, error = halves(opcode, value), float(ERRORS[HF][opcode])
    assert abs(found[0] - exact) <= unit * 0.5001
    assert max(abs(each - exact) for each in found) <= error * unit * 1.0001
    assert len(found) >= error


def test_sines_and_logarithms_of_halves_are_off_by_an_absolute_error() -> None:
    assert (min(halves("log", 1.0)), max(halves("log", 1.0))) == (-(2.0**-7), 2.0**-7)
    assert max(halves("cos", 0.0)) == 1.0
    assert min(halves("cos", 0.0)) == 1 - 2**-11


def test_results_of_halves_beyond_them_are_infinite() -> None:
    assert halves("inv", 2.0**-16)[0] == math.inf
    assert math.inf in halves("exp", 15.999)
    assert 0.0 in halves("inv", 60000.0)


@pytest.mark.parametrize(("opcode", "data_type"), [("inv", DataType.DF), ("pow", HF)])
def test_other_types_have_no_stated_error(opcode: str, data_type: DataType) -> None:
    with pytest.raises(NotModelled, match="no error is stated") as raised:
        operation(opcode, (0x3C00, 0x3C00), data_type, MODE)
    assert not isinstance(raised.value, Unstated)
