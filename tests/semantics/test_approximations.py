"""inv, sqrt, rsqrt, exp, log and div of floats: what is allowed, and that a run tells what depends on it."""

import math
import struct
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import FloatMode, Rounding
from visaproof.isa.types import DataType
from visaproof.semantics.concrete import float_functions
from visaproof.semantics.concrete.approximations import ERRORS, operation
from visaproof.semantics.concrete.choices import Allowed, Unstated

F = DataType.F
MODE = FloatMode(Rounding.NEAREST_EVEN, frozenset([F, DataType.HF, DataType.DF]))
INFINITY, NAN = 0x7F80_0000, 0x7FC0_0000


def pattern(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def number(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


def allowed(opcode: str, *sources: int) -> Allowed:
    try:
        return Allowed((operation(opcode, sources, F, MODE),))
    except Unstated as reason:
        return reason.allowed


def of(opcode: str, value: float) -> list[float]:
    return [number(bits) for bits in allowed(opcode, pattern(value)).patterns]


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


@pytest.mark.parametrize(("opcode", "source"), [*OUTSIDE, *((opcode, NAN) for opcode in ERRORS)])
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
    assert float(ERRORS[opcode] - 1) * unit * 0.49 < farthest <= float(ERRORS[opcode]) * unit * 1.0001 or exact == 0


def test_logarithms_near_one_are_off_by_an_absolute_error() -> None:
    """The compiler computes `log2` otherwise there, so that the hardware may be off by more units."""
    found = of("log", 1.0)
    assert (min(found), max(found)) == (-(2.0**-21), 2.0**-21)
    assert max(abs(each - math.log2(1.25)) for each in of("log", 1.25)) == pytest.approx(2.0**-21, rel=0.1)
    assert max(abs(each - math.log2(2.5)) for each in of("log", 2.5)) < 2.0**-21


@pytest.mark.parametrize("opcode", ["sin", "cos"])
def test_sines_have_no_stated_error(opcode: str) -> None:
    """OpenCL C gives none for `native_sin`, and the compiler emits them for nothing else."""
    with pytest.raises(NotModelled):
        float_functions.operation(opcode, (0x3F80_0000,), F, MODE)


def test_a_quotient_is_the_product_with_any_allowed_inverse() -> None:
    """Page DIV: "implemented as x * INV(y)"."""
    found = allowed("div", pattern(6.0), pattern(3.0)).patterns
    inverses = allowed("inv", pattern(3.0)).patterns
    assert {number(bits) for bits in found} == {number(pattern(6.0 * number(bits))) for bits in inverses}
    assert allowed("div", 0, 0) == Allowed(nan=True)


@pytest.mark.parametrize("data_type", [DataType.HF, DataType.DF])
def test_other_types_have_no_stated_error(data_type: DataType) -> None:
    with pytest.raises(NotModelled, match="no error is stated") as raised:
        operation("inv", (0x3C00,), data_type, MODE)
    assert not isinstance(raised.value, Unstated)
