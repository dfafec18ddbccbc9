"""Each arithmetic opcode on numbers and on terms, over every pair of integer types and edge values."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visaproof.isa.types import DataType
from visaproof.semantics.concrete import alu as concrete
from visaproof.semantics.symbolic import alu as symbolic
from visaproof.semantics.symbolic.alu import Source
from visaproof.smt import Term, evaluate, symbol

INTEGERS = [data_type for data_type in DataType if not data_type.floating and not data_type.packed]
SOURCES = {
    "mov": 1,
    "not": 1,
    "cbit": 1,
    "fbl": 1,
    "fbh": 1,
    "lzd": 1,
    "bfrev": 1,
    "add3": 3,
    "mad": 3,
    "bfe": 3,
    "bfi": 4,
    "dp4a": 3,
}
UNSIGNED = [data_type for data_type in INTEGERS if not data_type.signed]
DWORDS = [DataType.UD, DataType.D]
TYPES = {"bfe": UNSIGNED, "dp4a": DWORDS}
"""Of opcodes that take no others."""


@st.composite
def elements(draw: st.DrawFn, types: list[DataType]) -> tuple[int, DataType, str]:
    """The bits of an element near an edge of its type, the type, and a modifier."""
    data_type = draw(st.sampled_from(types))
    top = 1 << data_type.bits
    near = st.sampled_from([0, top // 2, top - 1]).flatmap(lambda base: st.integers(base - 2, base + 2))
    bits = draw(st.one_of(near, st.integers(0, 70), st.integers(0, top - 1))) % top
    return bits, data_type, draw(st.sampled_from(["", "", "-", "abs", "-abs"]))


def _sources(drawn: list[tuple[int, DataType, str]]) -> tuple[list[int], list[Source], dict[Term, int]]:
    """The integers that the sources are, the same as terms, and the values of the terms' symbols."""
    integers: list[int] = []
    terms: list[Source] = []
    values: dict[Term, int] = {}
    for place, (bits, data_type, modifier) in enumerate(drawn):
        integers.append(concrete.modified(concrete.to_integer(bits, data_type), modifier, data_type))
        term = symbol(f"source.{place}", data_type.bits)
        values[term] = bits
        terms.append(Source(term, data_type, modifier))
    return integers, terms, values


def test_both_machines_know_the_same_opcodes() -> None:
    assert concrete.OPERATIONS.keys() == symbolic.OPERATIONS.keys()


@pytest.mark.parametrize("opcode", concrete.OPERATIONS)
@settings(deadline=None)
@given(data=st.data())
def test_terms_agree_with_numbers(opcode: str, data: st.DataObject) -> None:
    types = TYPES.get(opcode, INTEGERS)
    drawn = [data.draw(elements(types)) for _ in range(SOURCES.get(opcode, 2))]
    result = data.draw(st.sampled_from(types))
    integers, terms, values = _sources(drawn)
    expected = concrete.OPERATIONS[opcode](integers, [data_type for _, data_type, _ in drawn], result)
    observed = symbolic.OPERATIONS[opcode](terms, result)
    assert observed.width == result.bits
    assert evaluate(observed, values) == expected % (1 << result.bits)


@pytest.mark.parametrize("relation", concrete.COMPARISONS)
@settings(deadline=None)
@given(data=st.data())
def test_comparisons_agree(relation: str, data: st.DataObject) -> None:
    integers, terms, values = _sources([data.draw(elements(INTEGERS)) for _ in range(2)])
    expected = concrete.COMPARISONS[relation](*integers)
    assert evaluate(symbolic.compare(relation, *terms), values) == expected


@settings(deadline=None)
@given(st.data())
def test_carry_and_borrow_agree(data: st.DataObject) -> None:
    """Of sources as UD, also where one has another type or is negated."""
    (left, right), terms, values = _sources([data.draw(elements(INTEGERS)) for _ in range(2)])
    a, b = (source.modulo(32) for source in terms)
    added = symbolic.add_with_carry(a, b)
    taken = symbolic.subtract_with_borrow(a, b)
    assert tuple(evaluate(term, values) for term in added) == concrete.add_with_carry(left, right)
    assert tuple(evaluate(term, values) for term in taken) == concrete.subtract_with_borrow(left, right)


@settings(deadline=None)
@given(st.data())
def test_wide_multiply_add_agrees(data: st.DataObject) -> None:
    integers, terms, values = _sources([data.draw(elements([DataType.UD, DataType.D])) for _ in range(3)])
    observed = symbolic.multiply_add_wide(terms)
    assert tuple(evaluate(term, values) for term in observed) == concrete.multiply_add_wide(integers)


@settings(deadline=None)
@given(st.integers(0, 255), st.lists(st.integers(0, 2**16 - 1), min_size=3, max_size=3))
def test_boolean_functions_agree(table: int, operands: list[int]) -> None:
    integers, terms, values = _sources([(bits, DataType.UW, "") for bits in operands])
    expected = concrete.boolean_function(table, integers, 16)
    assert evaluate(symbolic.boolean_function(table, terms, DataType.UW), values) == expected


@settings(deadline=None)
@given(st.integers(-300, 300), st.sampled_from([DataType.B, DataType.UB]))
def test_saturation_gives_the_nearest_number_that_the_type_holds(value: int, data_type: DataType) -> None:
    held = range(-128, 128) if data_type.signed else range(256)
    assert concrete.saturated(value, data_type) == min(held, key=lambda number: abs(number - value))


def test_shift_amounts_use_their_low_bits() -> None:
    """Pages SHL, SHR, ASR: five bits, six for a qword destination."""
    one, ud = [1, 33], [DataType.UD, DataType.UD]
    assert concrete.OPERATIONS["shl"](one, ud, DataType.UD) == 2
    assert concrete.OPERATIONS["shl"](one, ud, DataType.UQ) == 2**33


def test_a_negative_number_shifts_logically_in_its_own_width() -> None:
    assert concrete.OPERATIONS["shr"]([-1, 4], [DataType.W, DataType.UD], DataType.UD) == 0x0FFF
    assert concrete.OPERATIONS["asr"]([-16, 2], [DataType.W, DataType.UD], DataType.D) == -4
