"""Each arithmetic opcode in concrete and symbolic runs, over every pair of integer types and edge values."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from visaproof.isa.opcodes import ROWS, Form, Mix, Types
from visaproof.isa.types import DataType
from visaproof.semantics.concrete import alu as concrete
from visaproof.semantics.concrete.choices import ANY_BITS, Unstated
from visaproof.semantics.symbolic import alu as symbolic
from visaproof.semantics.symbolic.alu import Source
from visaproof.semantics.symbolic.division import divided
from visaproof.semantics.symbolic.pairs import PAIRED
from visaproof.semantics.symbolic.saturation import SHIFTED_BITS, saturated
from visaproof.smt import Term, const, evaluate, symbol

INTEGERS = [data_type for data_type in DataType if not data_type.floating and not data_type.packed]


def forms_of(opcode: str) -> list[Form]:
    """The forms of an opcode with integer operands."""
    forms = (
        replace(form, results=tuple(map(_integers, form.results)), sources=tuple(map(_integers, form.sources)))
        for form in ROWS[opcode].forms
    )
    return [form for form in forms if form.sources[0]]


def _integers(types: Types) -> Types:
    return tuple(one for one in types if not one.floating)


@st.composite
def elements(
    draw: st.DrawFn, types: list[DataType], modifiers: tuple[str, ...] = ("", "-", "abs", "-abs")
) -> tuple[int, DataType, str]:
    """The bits of an element near an edge of its type, the type, and a modifier."""
    data_type = draw(st.sampled_from(types))
    top = 1 << data_type.bits
    near = st.sampled_from([0, top // 2, top - 1]).flatmap(lambda base: st.integers(base - 2, base + 2))
    bits = draw(st.one_of(near, st.integers(0, 70), st.integers(0, top - 1))) % top
    return bits, data_type, draw(st.sampled_from(modifiers))


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
    assert concrete.OPERATIONS.keys() ^ symbolic.OPERATIONS.keys() <= {*PAIRED}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("opcode", concrete.OPERATIONS)
@settings(deadline=None)
@given(data=st.data())
def test_terms_agree_with_numbers(opcode: str, data: st.DataObject) -> None:
    """Of every form that its page or a reading allows."""
    form = data.draw(st.sampled_from(forms_of(opcode)))
    result = data.draw(st.sampled_from(form.results[0]))
    types = [list(one) for one in form.sources]
    if form.mix is not Mix.EACH:
        alike = [one for one in types[0] if one is result or (form.mix is Mix.WIDE and one.size == result.size)]
        types = [alike if form.mix is Mix.ALIKE or k == 0 else one for k, one in enumerate(types)]
    drawn = [data.draw(elements(one, ROWS[opcode].modifiers.value)) for one in types]
    integers, terms, values = _sources(drawn)
    expected = concrete.OPERATIONS[opcode](integers, [data_type for _, data_type, _ in drawn], result)
    observed = symbolic.OPERATIONS[opcode](terms, result)
    assert observed.width == result.bits
    assert evaluate(observed, values) == expected % (1 << result.bits)


@pytest.mark.parametrize(
    ("bits", "data_type", "expected"),
    [
        (0, DataType.D, 0xFFFF_FFFF),
        (0xFFFF_FFFF, DataType.D, 0xFFFF_FFFF),
        (0xFFFF_FFFE, DataType.D, 31),
        (0x8000_0000, DataType.D, 1),
        (0xBFFF_FFFF, DataType.D, 1),
        (0xC000_0000, DataType.D, 2),
        (1, DataType.D, 31),
        (0xFFFF_FFFF, DataType.UD, 0),
        (0, DataType.UD, 0xFFFF_FFFF),
    ],
)
def test_fbh_counts_leading_ones_of_negative_numbers(bits: int, data_type: DataType, expected: int) -> None:
    number = concrete.to_integer(bits, data_type)
    assert concrete.OPERATIONS["fbh"]([number], [data_type], DataType.UD) == expected
    assert evaluate(symbolic.OPERATIONS["fbh"]([Source(const(bits, 32), data_type)], DataType.UD), {}) == expected


@pytest.mark.parametrize(
    ("width", "offset", "value", "data_type", "expected"),
    [
        (4, 4, 0x0000_00F0, DataType.D, -1),
        (4, 4, 0x0000_00F0, DataType.UD, 15),
        (4, 4, 0x0000_0070, DataType.D, 7),
        (0, 4, 0xFFFF_FFFF, DataType.D, 0),
        (32, 4, 0xFFFF_FFFF, DataType.D, 0),  # "src0[i] & 1F"
        (31, 31, 0x8000_0000, DataType.D, -1),
        (31, 31, 0x8000_0000, DataType.UD, 1),
        (1, 0, 1, DataType.D, -1),
    ],
)
def test_bfe_into_d_is_sign_extended(width: int, offset: int, value: int, data_type: DataType, expected: int) -> None:
    sources = [concrete.to_integer(one, data_type) for one in (width, offset, value)]
    assert concrete.OPERATIONS["bfe"](sources, [data_type] * 3, data_type) == expected
    terms = [Source(const(one, 32), data_type) for one in (width, offset, value)]
    assert evaluate(symbolic.OPERATIONS["bfe"](terms, data_type), {}) == expected % 2**32


@pytest.mark.slow(but=1)
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


@pytest.mark.parametrize(
    ("value", "known"), [(2**32 - 1, True), (2**32, False), (-(2**32), True), (-(2**32) - 1, False)]
)
def test_shl_sat_is_stated_within_33_bits(value: int, known: bool) -> None:
    if known:
        assert concrete.saturated_result("shl", value, DataType.D) == concrete.saturated(value, DataType.D)
        return
    with pytest.raises(Unstated) as found:
        concrete.saturated_result("shl", value, DataType.D)
    assert found.value.allowed == ANY_BITS
    assert concrete.saturated_result("add", value, DataType.D) == concrete.saturated(value, DataType.D)


def test_shift_amounts_use_their_low_bits() -> None:
    """Pages SHL, SHR, ASR: five bits, six for a qword destination."""
    one, ud = [1, 33], [DataType.UD, DataType.UD]
    assert concrete.OPERATIONS["shl"](one, ud, DataType.UD) == 2
    assert concrete.OPERATIONS["shl"](one, ud, DataType.UQ) == 2**33


SATURATING = {
    "mov": 1,
    "add": 2,
    "add3": 3,
    "mul": 2,
    "mad": 3,
    "avg": 2,
    "min": 2,
    "max": 2,
    "shl": 2,
    "shr": 2,
    "dp4a": 3,
}
"""How many sources each has."""


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("opcode", SATURATING)
@settings(deadline=None)
@given(data=st.data())
def test_saturated_terms_agree_with_numbers(opcode: str, data: st.DataObject) -> None:
    """Nothing wraps before it is clamped; `shl` beyond 33 bits gives any value."""
    types = [DataType.UD, DataType.D] if opcode == "dp4a" else INTEGERS
    drawn = [data.draw(elements(types)) for _ in range(SATURATING[opcode])]
    result = data.draw(st.sampled_from(INTEGERS))
    integers, terms, values = _sources(drawn)
    exact = concrete.OPERATIONS[opcode](integers, [data_type for _, data_type, _ in drawn], result)
    meaning = saturated(opcode, terms, result)
    assert meaning is not None
    beyond = opcode == "shl" and not -(2 ** (SHIFTED_BITS - 1)) <= exact < 2 ** (SHIFTED_BITS - 1)
    assert evaluate(meaning.open, values) == beyond
    assert beyond or evaluate(meaning.value, values) == concrete.saturated(exact, result) % (1 << result.bits)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("saturates", [False, True])
@pytest.mark.parametrize("opcode", ["div", "mod"])
@settings(deadline=None)
@given(data=st.data())
def test_quotients_and_remainders_agree(opcode: str, saturates: bool, data: st.DataObject) -> None:
    """By symbols and by constants of every pair of types; by 0 they are any value."""
    drawn = [data.draw(elements(INTEGERS)) for _ in range(2)]
    result, fixed = data.draw(st.sampled_from(INTEGERS)), data.draw(st.sampled_from([(), (1,), (0, 1)]))
    integers, terms, values = _sources(drawn)
    terms = [
        replace(term, bits=const(drawn[k][0], term.bits.width)) if k in fixed else term for k, term in enumerate(terms)
    ]
    meaning = divided(opcode, terms, result, saturates)
    assert evaluate(meaning.open, values) == (integers[1] == 0)
    if integers[1]:
        exact = concrete.quotient(opcode, *integers)
        expected = concrete.saturated(exact, result) if saturates else exact
        assert evaluate(meaning.value, values) == expected % (1 << result.bits)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("saturates", [False, True])
@settings(deadline=None)
@given(data=st.data())
def test_sums_of_absolute_differences_are_exact(saturates: bool, data: st.DataObject) -> None:
    drawn = [data.draw(elements([DataType.B, DataType.UB])) for _ in range(4)]
    drawn += data.draw(st.lists(elements([DataType.W, DataType.UW]), max_size=1))
    result = data.draw(st.sampled_from([DataType.W, DataType.UW]))
    integers, terms, values = _sources(drawn)
    exact = abs(integers[0] - integers[1]) + abs(integers[2] - integers[3]) + sum(integers[4:])
    meaning = saturated("sad2", terms, result)
    assert meaning is not None
    observed = meaning.value if saturates else symbolic.OPERATIONS["sad2"](terms, result)
    expected = concrete.saturated(exact, result) if saturates else exact
    assert evaluate(observed, values) == expected % (1 << result.bits)


@settings(deadline=None)
@given(elements([DataType.D]))
def test_fbh_counts_leading_ones_of_a_negative_source(drawn: tuple[int, DataType, str]) -> None:
    bits = drawn[0]
    text = f"{bits:032b}"
    expected = 0xFFFF_FFFF if bits in (0, 0xFFFF_FFFF) else 32 - len(text.lstrip(text[0]))
    source = symbol("source", 32)
    found = symbolic.OPERATIONS["fbh"]([Source(source, DataType.D)], DataType.UD)
    assert evaluate(found, {source: bits}) == expected


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(0, 40), elements([DataType.D]))
def test_bfe_into_d_sign_extends(width: int, offset: int, drawn: tuple[int, DataType, str]) -> None:
    """Above bit 31 lies the sign; a field of no bits is 0."""
    signed = concrete.to_integer(drawn[0], DataType.D)
    field = signed >> offset % 32 & ((1 << width % 32) - 1)
    expected = field - (1 << width % 32) if width % 32 and field >> width % 32 - 1 else field
    words = [symbol(name, 32) for name in ("width", "offset", "field")]
    found = symbolic.OPERATIONS["bfe"]([Source(word, DataType.D) for word in words], DataType.D)
    values: dict[Term, int] = dict(zip(words, (width, offset, drawn[0]), strict=True))
    assert evaluate(found, values) == expected % 2**32


def test_a_negative_number_shifts_logically_in_its_own_width() -> None:
    assert concrete.OPERATIONS["shr"]([-1, 4], [DataType.W, DataType.UD], DataType.UD) == 0x0FFF
    assert concrete.OPERATIONS["asr"]([-16, 2], [DataType.W, DataType.UD], DataType.D) == -4
