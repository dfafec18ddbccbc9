"""Floating-point operations in concrete runs: worked by hand, then against the rounding of the host."""

import math
import struct

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from visaproof.isa.errors import NotModelled
from visaproof.isa.types import DataType
from visaproof.semantics.concrete import floats

F, DF, HF, BF = DataType.F, DataType.DF, DataType.HF, DataType.BF
LAYOUTS = {F: "<f", DF: "<d", HF: "<e"}
NAN = 0x7FC0_0000
INFINITY = 0x7F80_0000


def bits(value: float, data_type: DataType = F) -> int:
    return int.from_bytes(struct.pack(LAYOUTS[data_type], value), "little")


def value(pattern: int, data_type: DataType = F) -> float:
    return struct.unpack(LAYOUTS[data_type], pattern.to_bytes(data_type.size, "little"))[0]


def normal(pattern: int, data_type: DataType) -> bool:
    """Finite, and no denormal: 0 counts."""
    number = value(pattern, data_type)
    smallest = {F: 2.0**-126, DF: 2.0**-1022, HF: 2.0**-14}[data_type]
    return math.isfinite(number) and (number == 0 or abs(number) >= smallest)


@pytest.mark.parametrize(
    ("opcode", "sources", "expected"),
    [
        ("mul", (0x4000_0000, 0x4040_0000), 0x40C0_0000),  # 2 · 3 = 6
        ("add", (0x3F80_0000, 0x3380_0000), 0x3F80_0000),  # 1 + 2^-24: half way, to even
        ("add", (0x3F80_0001, 0x3380_0000), 0x3F80_0002),  # 1 + 2^-23 + 2^-24: half way, to even above
        ("add", (0x3F80_0000, 0xBF80_0000), 0x0000_0000),  # 1 − 1 = +0
        ("add", (0x8000_0000, 0x8000_0000), 0x8000_0000),  # −0 − 0 = −0
        ("mul", (0x8000_0000, 0x4000_0000), 0x8000_0000),  # −0 · 2 = −0
        ("mul", (0x7F7F_FFFF, 0x4000_0000), INFINITY),  # the largest number, doubled
        ("mul", (INFINITY, 0xC000_0000), 0xFF80_0000),
        ("mad", (0x3F80_0001, 0x3F80_0001, 0xBF80_0002), 0x2880_0000),  # (1 + ε)² − (1 + 2ε) = ε²: one rounding
        ("mad", (0x0000_0000, 0x3F80_0000, 0x8000_0000), 0x0000_0000),  # +0 − 0 = +0
        ("mad", (0x4000_0000, 0x4000_0000, INFINITY), INFINITY),
        ("min", (0x4000_0000, 0xC000_0000), 0xC000_0000),
        ("max", (NAN, 0x4000_0000), 0x4000_0000),
        ("min", (0x4000_0000, NAN), 0x4000_0000),
        ("max", (NAN, NAN | 1), NAN | 1),
    ],
)
def test_singles_by_hand(opcode: str, sources: tuple[int, ...], expected: int) -> None:
    assert floats.operation(opcode, sources, F) == expected


def test_doubles_and_halves_by_hand() -> None:
    assert floats.operation("mul", (0x3FF8_0000_0000_0000, 0x4000_0000_0000_0000), DF) == 0x4008_0000_0000_0000
    assert floats.operation("add", (0x3C00, 0x1000), HF) == 0x3C00  # 1 + 2^-11: half way, to even
    assert floats.operation("mul", (0x7BFF, 0x4000), HF) == 0x7C00


@pytest.mark.parametrize(
    ("opcode", "sources"),
    [
        ("mul", (0x0000_0001, 0x3F80_0000)),  # a denormal source
        ("mul", (0x0080_0000, 0x3F00_0000)),  # a denormal result
        ("add", (INFINITY, 0xFF80_0000)),  # NaN
        ("mul", (INFINITY, 0)),
        ("add", (NAN, 0x3F80_0000)),
        ("max", (0, 0x8000_0000)),
        ("mad", (0x7F7F_FFFF, 0x4000_0000, 0xFF7F_FFFF)),
        ("inv", (0x3F80_0000,)),
    ],
)
def test_what_depends_on_more_than_the_sources_is_not_modelled(opcode: str, sources: tuple[int, ...]) -> None:
    with pytest.raises(NotModelled):
        floats.operation(opcode, sources, F)


@pytest.mark.parametrize(
    ("pattern", "result", "expected"),
    [
        (bits(2.9), DataType.D, 2),
        (bits(-2.9), DataType.D, -2),
        (bits(-0.5), DataType.UD, 0),
        (bits(3e9), DataType.D, 2**31 - 1),
        (bits(-3e9), DataType.D, -(2**31)),
        (bits(300.0), DataType.UB, 255),
        (INFINITY, DataType.W, 32767),
        (NAN, DataType.D, 0),
    ],
)
def test_floats_become_integers_towards_zero_and_inside_the_type(pattern: int, result: DataType, expected: int) -> None:
    assert floats.to_integer(pattern, F, result) == expected


def test_negative_floats_have_no_unsigned_integer() -> None:
    """The text of the page says the smallest value, its table "qNaN Indefinite"."""
    with pytest.raises(NotModelled):
        floats.to_integer(bits(-1.0), F, DataType.UD)


def test_integers_round_to_the_nearest_even_float() -> None:
    assert floats.from_integer(2**24 + 1, F) == bits(2.0**24)
    assert floats.from_integer(2**24 + 3, F) == bits(2.0**24 + 4)
    assert floats.from_integer(-7, HF) == bits(-7.0, HF)
    assert floats.from_integer(65520, HF) == 0x7C00


def test_formats_convert() -> None:
    assert floats.converted(bits(1.5, HF), HF, DF) == bits(1.5, DF)
    assert floats.converted(bits(1 + 2.0**-30, DF), DF, F) == bits(1.0)
    assert floats.converted(bits(1.0), F, BF) == 0x3F80
    assert floats.converted(0x8000_0000, F, HF) == 0x8000


def test_modifiers_change_the_sign_even_of_a_nan() -> None:
    assert floats.modified(NAN, "-", F) == NAN | 1 << 31
    assert floats.modified(bits(-2.0), "abs", F) == bits(2.0)
    assert floats.modified(bits(2.0), "-abs", F) == bits(-2.0)


def test_saturation_clamps_to_the_unit_interval() -> None:
    """Page: "NaN saturates to 0.0"."""
    clamped = [floats.clamped(one, F) for one in (bits(7.0), bits(-7.0), bits(0.25), NAN, INFINITY)]
    assert clamped == [bits(1.0), 0, bits(0.25), 0, bits(1.0)]


@pytest.mark.parametrize(
    ("relation", "expected"), [("eq", False), ("ne", True), ("lt", False), ("le", False), ("gt", False), ("ge", False)]
)
def test_nan_is_unordered(relation: str, expected: bool) -> None:
    assert floats.compare(relation, (NAN, NAN), F) == expected


def test_zeros_are_equal() -> None:
    assert floats.compare("eq", (0, 0x8000_0000), F)
    assert not floats.compare("lt", (0x8000_0000, 0), F)


@settings(deadline=None)
@given(st.sampled_from([F, DF, HF]), st.sampled_from(["add", "mul"]), st.data())
def test_sums_and_products_round_as_the_host_does(data_type: DataType, opcode: str, data: st.DataObject) -> None:
    """A double holds sums and products of singles and halves so exactly that rounding twice is rounding once."""
    near_one = st.integers(0, 2**data_type.bits - 1) | st.integers(-9, 9).map(lambda step: bits(1.0, data_type) + step)
    sources = [data.draw(near_one) for _ in range(2)]
    assume(all(normal(one, data_type) for one in sources))
    left, right = (value(one, data_type) for one in sources)
    wide = left * right if opcode == "mul" else left + right
    try:
        expected = bits(wide, data_type)
    except OverflowError:
        expected = floats.pattern(math.copysign(math.inf, wide), data_type)
    assume(not 0 < abs(wide) < {F: 2.0**-125, DF: 2.0**-1021, HF: 2.0**-13}[data_type])
    assume(wide != 0 or opcode == "add" or 0 in (left, right))
    assert floats.operation(opcode, sources, data_type) == expected
