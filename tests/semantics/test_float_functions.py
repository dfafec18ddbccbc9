"""Rounding to an integer, fractions, interpolation and fcvt: what terms decide is what runs give."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.semantics.test_float_meaning import CONTROLS, denormal, drawn_sources, mode, patterns, thorough
from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import FloatMode
from visaproof.isa.types import DataType
from visaproof.semantics.concrete import float_functions
from visaproof.semantics.symbolic.elements import Source
from visaproof.semantics.symbolic.float_bits import LAYOUTS
from visaproof.semantics.symbolic.float_rounding import computed, converted_alone
from visaproof.smt import evaluate, symbol

F = DataType.F
SOURCES = {"rndd": 1, "rnde": 1, "rndu": 1, "rndz": 1, "frc": 1, "lrp": 3}
FORMATS = ((DataType.HF, DataType.UB), (DataType.UB, DataType.HF), (F, DataType.UD), (DataType.UD, F))


@pytest.mark.slow
@pytest.mark.parametrize("opcode", SOURCES)
@thorough
@given(control=CONTROLS, data=st.data())
def test_a_result_that_terms_decide_is_that_of_a_run(opcode: str, control: int, data: st.DataObject) -> None:
    """Terms leave more results open than runs do, never fewer; a NaN may be any."""
    sources, read, values = drawn_sources(data, [F] * SOURCES[opcode])
    meaning = computed(opcode, sources, F, mode(control))
    assert meaning is not None
    is_open, value = evaluate(meaning.open, values), evaluate(meaning.value, values)
    is_nan = value % LAYOUTS[F].sign > LAYOUTS[F].infinity
    try:
        found = float_functions.operation(opcode, read, F, FloatMode.of(control))
    except NotModelled:
        assert is_open or is_nan or denormal(sources, values)
    else:
        assert is_open or found == value


@pytest.mark.slow
@pytest.mark.parametrize(("source", "result"), FORMATS)
@thorough
@given(data=st.data())
def test_a_format_that_terms_decide_is_that_of_a_run(source: DataType, result: DataType, data: st.DataObject) -> None:
    word, bits = symbol("word", source.bits), data.draw(patterns(source))
    meaning = converted_alone(Source(word, source), result)
    assert meaning is not None
    is_open, value = evaluate(meaning.open, {word: bits}), evaluate(meaning.value, {word: bits})
    try:
        found = float_functions.reformatted(bits, source, result)
    except NotModelled:
        assert is_open
    else:
        assert is_open or found == value
