"""What floats give symbolically is what concrete runs give, for every opcode, type, rounding and denormal mode."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import FloatMode
from visaproof.isa.types import DataType
from visaproof.semantics.concrete import alu, floats
from visaproof.semantics.symbolic import float_meaning
from visaproof.semantics.symbolic.elements import Meaning, Source
from visaproof.semantics.symbolic.float_bits import LAYOUTS
from visaproof.semantics.symbolic.float_meaning import Mode, mode_of
from visaproof.smt import Term, const, evaluate, symbol

FLOATS = (DataType.HF, DataType.F, DataType.DF)
INTEGERS = (DataType.B, DataType.UB, DataType.W, DataType.UW, DataType.D, DataType.UD, DataType.Q, DataType.UQ)
MODIFIERS = st.sampled_from(("", "-", "abs", "-abs"))
CONTROLS = st.builds(lambda rounding, kept: 16 * rounding | kept, st.integers(0, 3), st.sampled_from((0, 0x4C0, 0x80)))
RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")

thorough = settings(deadline=None, max_examples=300)


def patterns(data_type: DataType) -> st.SearchStrategy[int]:
    """Zeros, denormals, the ends of the normal numbers, infinities, NaN, and numbers around integers."""
    if not data_type.floating:
        edges = st.sampled_from(
            (0, 1, (1 << data_type.bits) - 1, 1 << data_type.bits - 1, (1 << data_type.bits - 1) - 1)
        )
        return edges | st.integers(0, (1 << data_type.bits) - 1)
    layout = LAYOUTS[data_type]
    one = layout.bias << layout.fraction_bits
    edges = st.sampled_from((0, layout.smallest_normal, layout.infinity, layout.nan, one, one + layout.smallest_normal))
    near = st.builds(lambda edge, by: (edge + by) % layout.sign, edges, st.integers(-3, 3))
    around = st.builds(
        lambda power, bits: min((layout.bias + power << layout.fraction_bits) + bits, layout.infinity),
        st.integers(-2, 70),
        st.integers(0, layout.smallest_normal - 1) | st.just(0),
    )
    magnitudes = near | around | st.integers(0, layout.sign - 1)
    return st.builds(lambda size, negative: size | layout.sign * negative, magnitudes, st.booleans())


def denormal(sources: Sequence[Source], values: dict[Term, int]) -> bool:
    layouts = [(values[source.bits], LAYOUTS[source.type]) for source in sources if source.type.floating]
    return any(0 < bits % layout.sign < layout.smallest_normal for bits, layout in layouts)


def agrees(
    meaning: Meaning,
    values: dict[Term, int],
    result: Callable[[], int],
    nan: int | None,
    edges: Sequence[int] = (),
    settled: bool = False,
) -> None:
    """Concrete runs give what the terms say, and several results where they leave it open or say NaN.

    Of `edges` terms do not tell whether they were rounded to, and leave them open.  So they do where a denormal is
    `settled` in runs: they give the same result whether it is kept or not.
    """
    is_open, value = evaluate(meaning.open, values), evaluate(meaning.value, values)
    is_nan = nan is not None and value & nan == nan
    try:
        observed = result()
    except NotModelled:
        assert is_open or is_nan
    else:
        assert not is_open or observed in edges or settled
        assert not is_nan
        assert is_open or observed == value


def drawn_sources(data: st.DataObject, types: Sequence[DataType]) -> tuple[list[Source], list[int], dict[Term, int]]:
    sources: list[Source] = []
    read: list[int] = []
    values: dict[Term, int] = {}
    for k, data_type in enumerate(types):
        word = symbol(f"source{k}", data_type.bits)
        bits, modifier = data.draw(patterns(data_type)), data.draw(MODIFIERS)
        sources.append(Source(word, data_type, modifier))
        values[word] = bits
        if data_type.floating:
            read.append(floats.modified(bits, modifier, data_type))
        else:
            read.append(alu.modified(alu.to_integer(bits, data_type), modifier, data_type))
    return sources, read, values


def mode(control: int) -> Mode:
    found = mode_of(const(control, 32))
    assert found is not None
    return found


@pytest.mark.slow
@thorough
@given(st.sampled_from(FLOATS), st.sampled_from(("add", "mul", "mad", "min", "max")), CONTROLS, st.data())
def test_arithmetic_on_terms_is_that_of_runs(
    data_type: DataType, opcode: str, control: int, data: st.DataObject
) -> None:
    sources, read, values = drawn_sources(data, [data_type] * (3 if opcode == "mad" else 2))
    meaning = float_meaning.arithmetic(opcode, sources, data_type, mode(control))
    assert meaning is not None
    picks = opcode in ("min", "max")
    nan = None if picks else LAYOUTS[data_type].infinity | 1 << LAYOUTS[data_type].fraction_bits - 1
    smallest, sign = LAYOUTS[data_type].smallest_normal, LAYOUTS[data_type].sign
    edges = () if picks else (smallest, smallest | sign)
    agrees(
        meaning,
        values,
        lambda: floats.operation(opcode, read, data_type, FloatMode.of(control)),
        nan,
        edges,
        denormal(sources, values),
    )


@pytest.mark.slow
@thorough
@given(st.sampled_from(FLOATS), st.sampled_from(RELATIONS), CONTROLS, st.data())
def test_comparisons_on_terms_are_those_of_runs(
    data_type: DataType, relation: str, control: int, data: st.DataObject
) -> None:
    sources, read, values = drawn_sources(data, [data_type] * 2)
    if data.draw(st.booleans()):
        values[sources[1].bits], read[1] = values[sources[0].bits], read[0]
        sources[1] = Source(sources[1].bits, data_type, sources[0].modifier)
    meaning = float_meaning.compared(relation, sources[0], sources[1], mode(control))
    assert meaning is not None
    settled = denormal(sources, values)
    found = FloatMode.of(control)
    agrees(meaning, values, lambda: int(floats.compare(relation, read, data_type, found)), None, settled=settled)


@pytest.mark.slow
@thorough
@given(st.sampled_from((*FLOATS, *INTEGERS)), st.sampled_from((*FLOATS, *INTEGERS)), CONTROLS, st.data())
def test_conversions_on_terms_are_those_of_runs(
    source: DataType, result: DataType, control: int, data: st.DataObject
) -> None:
    if not source.floating and not result.floating:
        return
    sources, (value,), values = drawn_sources(data, [source])
    meaning = float_meaning.converted(sources[0], result, mode(control))
    assert meaning is not None

    def run() -> int:
        set_by = FloatMode.of(control)
        if not source.floating:
            return floats.from_integer(value, result, set_by)
        if result.floating:
            return floats.converted(value, source, result, set_by)
        return floats.to_integer(value, source, result, set_by) & (1 << result.bits) - 1

    converts = result.floating and source is not result
    nan = LAYOUTS[result].infinity | 1 << LAYOUTS[result].fraction_bits - 1 if converts else None
    agrees(meaning, values, run, nan, settled=denormal(sources, values))


@pytest.mark.slow
@thorough
@given(st.sampled_from(FLOATS), CONTROLS, st.data())
def test_saturation_on_terms_is_that_of_runs(data_type: DataType, control: int, data: st.DataObject) -> None:
    sources, (value,), values = drawn_sources(data, [data_type])
    copied = float_meaning.converted(sources[0], data_type, mode(control))
    assert copied is not None
    meaning = float_meaning.saturated(copied, data_type, mode(control))
    settled = denormal(sources, values)
    agrees(meaning, values, lambda: floats.clamped(value, data_type, FloatMode.of(control)), None, settled=settled)


def test_a_rounding_that_inputs_choose_gives_no_meaning() -> None:
    assert mode_of(symbol("control", 32)) is None
