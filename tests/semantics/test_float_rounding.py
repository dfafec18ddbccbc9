"""Rounding to an integer, fractions, interpolation and fcvt, symbolically, against Python's exact arithmetic."""

import math
import struct
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.semantics.test_float_meaning import mode, patterns
from visaproof.isa.float_modes import Rounding
from visaproof.isa.types import DataType
from visaproof.semantics.symbolic.elements import Meaning, Source
from visaproof.semantics.symbolic.float_rounding import computed, converted_alone
from visaproof.smt import Term, evaluate, symbol
from visaproof.smt.ieee import HALF, FloatOp, FloatOperation, Format, compute

F = DataType.F
KEEPS = 0x4C0
INTEGER_OF = {"rndd": math.floor, "rndu": math.ceil, "rnde": round, "rndz": math.trunc}
CONTROLS = st.sampled_from((KEEPS, KEEPS | 0x10, KEEPS | 0x20, KEEPS | 0x30))

thorough = settings(deadline=None, max_examples=200)


def number(bits: int) -> float:
    return struct.unpack("<f", bits.to_bytes(4, "little"))[0]


def bits_of(value: float) -> int:
    return int.from_bytes(struct.pack("<f", value), "little")


def on_words(opcode: str, values: tuple[int, ...], control: int) -> tuple[bool, int]:
    """Whether any result is allowed, and the result."""
    words = [symbol(f"word{k}", 32) for k in range(len(values))]
    meaning = computed(opcode, [Source(word, F) for word in words], F, mode(control))
    assert meaning is not None
    return _at(meaning, dict(zip(words, values, strict=True)))


def _at(meaning: Meaning, values: dict[Term, int]) -> tuple[bool, int]:
    return bool(evaluate(meaning.open, values)), evaluate(meaning.value, values)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("opcode", INTEGER_OF)
@thorough
@given(bits=patterns(F), control=CONTROLS)
def test_rounding_gives_the_integer_with_the_sign_of_the_source(opcode: str, bits: int, control: int) -> None:
    """Whatever the control register says of rounding."""
    is_open, found = on_words(opcode, (bits,), control)
    value = number(bits)
    assert not is_open
    if math.isfinite(value):
        assert found == bits_of(math.copysign(float(INTEGER_OF[opcode](value)), value))
    elif math.isnan(value):
        assert math.isnan(number(found))
    else:
        assert found == bits


@pytest.mark.slow
@thorough
@given(patterns(F), CONTROLS)
def test_a_fraction_is_exact_or_left_open(bits: int, control: int) -> None:
    """1 − 2⁻³⁰ is no number of the type: how the fraction of −2⁻³⁰ is rounded, the page does not say."""
    is_open, found = on_words("frc", (bits,), control)
    value = number(bits)
    if not math.isfinite(value):
        assert math.isnan(number(found))
        return
    exact = Fraction(value) - math.floor(value)
    is_number = Fraction(number(bits_of(float(exact)))) == exact
    assert is_open == (not is_number)
    assert is_open or Fraction(number(found)) == exact


def test_a_small_negative_fraction_and_a_flushed_denormal_are_left_open() -> None:
    assert on_words("frc", (bits_of(-(2.0**-30)),), KEEPS)[0]
    for opcode in ("frc", *INTEGER_OF):
        assert on_words(opcode, (0x8000_0001,), 0)[0]


@pytest.mark.slow
@thorough
@given(st.tuples(patterns(F), patterns(F), patterns(F)), CONTROLS)
def test_an_interpolation_that_is_decided_is_that_of_rounded_steps(values: tuple[int, int, int], control: int) -> None:
    is_open, found = on_words("lrp", values, control)
    rounding = (Rounding.NEAREST_EVEN, Rounding.UP, Rounding.DOWN, Rounding.ZERO)[control >> 4 & 3]
    by, one, other = values

    def step(op: FloatOp, left: int, right: int) -> int:
        return compute(FloatOperation(op, rounding, Format(8, 23)), (left, right), (32, 32))

    rest = step(FloatOp.ADD, 0x3F80_0000, by ^ 1 << 31)
    expected = step(FloatOp.ADD, step(FloatOp.MUL, one, by), step(FloatOp.MUL, other, rest))
    assert is_open or found == expected or (math.isnan(number(found)) and math.isnan(number(expected)))


def test_halves_are_interpolated_exactly_and_long_products_are_left_open() -> None:
    half, three, one = bits_of(0.5), bits_of(3.0), bits_of(1.0)
    assert on_words("lrp", (half, three, one), KEEPS) == (False, bits_of(2.0))
    tenths = bits_of(0.3)
    assert on_words("lrp", (tenths, bits_of(1.1), bits_of(-1.7)), KEEPS)[0]


def test_a_product_beyond_the_type_leaves_mad_open() -> None:
    """Page 2_datatypes.md: fused it is the largest number again, but implementations may give infinity."""
    largest, two = 0x7F7F_FFFF, bits_of(2.0)
    assert on_words("mad", (largest, two, largest | 1 << 31), KEEPS)[0]
    assert on_words("mad", (bits_of(3.0), two, largest), KEEPS) == (False, largest)
    assert not on_words("mad", (0x7F80_0000, two, largest), KEEPS)[0]


def test_a_product_beyond_the_type_leaves_an_interpolation_open() -> None:
    """Rounded to zero it is the largest number; fused it may be infinity."""
    largest, to_zero = 0x7F7F_FFFF, KEEPS | 0x30
    assert on_words("lrp", (largest, largest, 0), to_zero)[0]


EIGHT = Format(5, 2)


@thorough
@given(patterns(DataType.HF))
def test_fcvt_rounds_a_half_to_eight_bits_and_back_exactly(bits: int) -> None:
    word = symbol("half", 16)
    there = converted_alone(Source(word, DataType.HF), DataType.UB)
    assert there is not None
    is_open, found = _at(there, {word: bits})
    is_nan = bits & 0x7FFF > HALF.infinity
    assert is_open == is_nan
    if not is_nan:
        operation = FloatOperation(FloatOp.CONVERT, Rounding.NEAREST_EVEN, EIGHT, HALF)
        assert found == compute(operation, (bits,), (16,))
        small = symbol("eighth", 8)
        back = converted_alone(Source(small, DataType.UB), DataType.HF)
        assert back is not None
        operation = FloatOperation(FloatOp.CONVERT, Rounding.NEAREST_EVEN, HALF, EIGHT)
        assert _at(back, {small: found}) == (False, compute(operation, (found,), (8,)))


@thorough
@given(patterns(F))
def test_fcvt_rounds_a_float_to_nineteen_bits(bits: int) -> None:
    """Denormals are flushed; the page does not give the sign of a negative one."""
    word = symbol("float", 32)
    meaning = converted_alone(Source(word, F), DataType.UD)
    assert meaning is not None
    is_open, found = _at(meaning, {word: bits})
    size = bits & 0x7FFF_FFFF
    denormal = 0 < size < 1 << 23
    assert is_open == (size > 0x7F80_0000 or (denormal and bits >> 31 == 1))
    if not is_open:
        operation = FloatOperation(FloatOp.CONVERT, Rounding.NEAREST_EVEN, Format(8, 10), Format(8, 23))
        assert found == (0 if denormal else compute(operation, (bits,), (32,)) << 13)
