"""Floats as the control register has them rounded and flushed: by hand, and beside a second writing of IEEE 754."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import DENORMAL_BITS, ROUNDINGS, FloatMode, Rounding
from visaproof.isa.types import DataType
from visaproof.semantics.concrete import floats
from visaproof.smt.ieee import DOUBLE, HALF, SINGLE, FloatOp, FloatOperation, compute

F, DF, HF = DataType.F, DataType.DF, DataType.HF
LAYOUTS = {HF: HALF, F: SINGLE, DF: DOUBLE}
OPERATIONS = {"add": FloatOp.ADD, "mul": FloatOp.MUL, "mad": FloatOp.FMA}
KEEPS = FloatMode.of(0x4C0)
FLUSHES = FloatMode.of(0)
NEAR_ONE, SMALLEST_NORMAL = 0x3F80_0001, 0x0080_0000


def test_the_preamble_of_igc_keeps_all_denormals_and_rounds_to_nearest_even() -> None:
    assert FloatMode(Rounding.NEAREST_EVEN, frozenset(DENORMAL_BITS)) == KEEPS
    assert FLUSHES.kept == frozenset()
    assert [FloatMode.of(16 * number).rounding for number in range(4)] == list(ROUNDINGS)


@pytest.mark.parametrize(
    ("opcode", "sources", "control", "expected"),
    [
        ("mul", (0x0000_0003, 0x3F00_0000), 0x80, 0x0000_0002),  # 1.5 of the smallest denormal: half way, to even
        ("mul", (SMALLEST_NORMAL, 0x3F00_0000), 0x80, 0x0040_0000),
        ("mul", (SMALLEST_NORMAL, 0xBF00_0000), 0, 0x8000_0000),  # flushed, with its sign
        ("add", (0x8000_0001, 0x3F80_0000), 0, 0x3F80_0000),
        ("add", (0x8000_0001, 0x8000_0000), 0, 0x8000_0000),  # −0 − 0
        ("mad", (0x0000_0001, 0x7F00_0000, 0x3F80_0000), 0, 0x3F80_0000),  # 0 · 2^127 + 1
        ("add", (0x3F80_0000, 0x3380_0000), 0x10, NEAR_ONE),  # 1 + 2^-24, up
        ("add", (0x3F80_0000, 0x3380_0000), 0x20, 0x3F80_0000),  # down
        ("add", (0xBF80_0000, 0xB380_0000), 0x20, NEAR_ONE | 1 << 31),
        ("add", (0x3F80_0000, 0xBF80_0000), 0x20, 0x8000_0000),  # 1 − 1 = −0 only where results are rounded down
        ("mul", (0x7F7F_FFFF, 0x4000_0000), 0x30, 0x7F7F_FFFF),  # towards zero: the largest number
        ("mul", (0x7F7F_FFFF, 0xC000_0000), 0x10, 0xFF7F_FFFF),
        ("mul", (0x7F7F_FFFF, 0x4000_0000), 0x10, 0x7F80_0000),
        ("min", (0x0000_0001, 0x0000_0002), 0x80, 0x0000_0001),
    ],
)
def test_modes_by_hand(opcode: str, sources: tuple[int, ...], control: int, expected: int) -> None:
    assert floats.operation(opcode, sources, F, FloatMode.of(control)) == expected


@pytest.mark.parametrize(
    ("opcode", "sources"),
    [
        ("mul", (0x3F7F_FFFF, SMALLEST_NORMAL)),  # just below the normal numbers, to which it is rounded
        ("min", (0x0000_0001, 0x3F80_0000)),
        ("max", (0x8000_0001, 0)),
    ],
)
def test_what_no_page_says_of_flushing_is_not_modelled(opcode: str, sources: tuple[int, ...]) -> None:
    with pytest.raises(NotModelled):
        floats.operation(opcode, sources, F, FLUSHES)


def test_flushed_denormals_are_not_compared_or_converted() -> None:
    with pytest.raises(NotModelled):
        floats.compare("eq", (1, 0), F, FLUSHES)
    with pytest.raises(NotModelled):
        floats.converted(0x0001, HF, F, FLUSHES)
    assert floats.to_integer(1, F, DataType.D, FLUSHES) == 0
    assert not floats.compare("eq", (1, 0), F, KEEPS)
    assert floats.converted(0x0001, HF, F, KEEPS) == 0x3380_0000  # 2^-24


def test_integers_are_closest_floats_and_open_where_the_register_rounds_otherwise() -> None:
    up = FloatMode(Rounding.UP, frozenset())
    assert floats.from_integer(7, F, up) == 0x40E0_0000
    with pytest.raises(NotModelled):
        floats.from_integer(2**24 + 1, F, up)


def near_edges(data_type: DataType) -> st.SearchStrategy[int]:
    layout = LAYOUTS[data_type]
    one = layout.bias << layout.fraction_bits
    edges = st.sampled_from((0, layout.smallest_normal, layout.infinity - 1, one, one + layout.smallest_normal))
    near = st.builds(lambda edge, by: (edge + by) % layout.sign, edges, st.integers(-3, 3))
    return st.builds(
        lambda size, negative: size | layout.sign * negative, near | st.integers(0, layout.sign - 1), st.booleans()
    )


@settings(deadline=None, max_examples=300)
@given(st.sampled_from([F, DF, HF]), st.sampled_from(sorted(OPERATIONS)), st.sampled_from(ROUNDINGS), st.data())
def test_results_are_those_of_the_second_writing(
    data_type: DataType, opcode: str, rounding: Rounding, data: st.DataObject
) -> None:
    """Where denormals are kept, all but NaN and products beyond the type has one result."""
    layout = LAYOUTS[data_type]
    sources = [data.draw(near_edges(data_type)) for _ in range(3 if opcode == "mad" else 2)]
    expected = compute(FloatOperation(OPERATIONS[opcode], rounding, layout), sources, [layout.width] * 3)
    try:
        observed = floats.operation(opcode, sources, data_type, FloatMode(rounding, frozenset(LAYOUTS)))
    except NotModelled as reason:
        stopped, observed = reason.what, expected
    else:
        stopped = ""
    assert observed == expected
    assert not stopped or expected == layout.nan or "beyond the type" in stopped


@settings(deadline=None)
@given(st.sampled_from([F, DF, HF]), st.sampled_from([F, DF, HF]), st.sampled_from(ROUNDINGS), st.data())
def test_conversions_are_those_of_the_second_writing(
    source: DataType, result: DataType, rounding: Rounding, data: st.DataObject
) -> None:
    pattern = data.draw(near_edges(source))
    operation = FloatOperation(FloatOp.CONVERT, rounding, LAYOUTS[result], LAYOUTS[source])
    expected = compute(operation, [pattern], [source.bits])
    if source is result or expected == LAYOUTS[result].nan:
        return
    assert floats.converted(pattern, source, result, FloatMode(rounding, frozenset(LAYOUTS))) == expected
