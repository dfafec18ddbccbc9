"""The field tables: against the pages where they are at hand, and against the rules."""

import re
from pathlib import Path

import pytest

from tests.visaasm.validity.test_validity import LEGAL
from visaproof.instructions import ALL, Instruction
from visaproof.isa.execution import ExecMask
from visaproof.isa.fields import Field
from visaproof.visaasm.validity.message import OPERANDS
from visaproof.visaasm.validity.type_rules import RULES

PAGES = Path(__file__).parents[3] / "shared" / "seeds"
FILES = {
    "scatter4_scaled": "001_8c6a16384d2b00cd.txt",
    "oword_ld": "002_2f61e22750152c66.txt",
    "qw_scatter": "003_d226c9bb1ef84c28.txt",
    "typed_atomic": "004_b52b5d356246f143.txt",
}
FIELD = re.compile(r"\*\*(\w+)\((ub|uw|raw_operand|scalar)\):\*\*")
CODE = re.compile(r"- (?:\{(\w+)\+\})?0b([01]+): +(\w+)")


def page_of(instruction: type[Instruction]) -> str:
    path = PAGES / FILES[instruction.spec.name]
    if not path.exists():
        pytest.skip("the pages are not beside the repository")
    return path.read_text()


def codes_of(field: Field) -> dict[str, int]:
    return {code.meaning.split()[0]: code.value for bits in field.bits for code in bits.codes}


@pytest.mark.parametrize("instruction", ALL, ids=lambda each: each.spec.name)
def test_names_and_widths_are_the_pages_in_their_order(instruction: type[Instruction]) -> None:
    expected = FIELD.findall(page_of(instruction))
    assert [(field.name, field.width.value) for field in instruction.spec.fields] == expected


@pytest.mark.parametrize("instruction", ALL, ids=lambda each: each.spec.name)
def test_every_code_of_the_page_is_in_the_table(instruction: type[Instruction]) -> None:
    """The code of a field by the word behind it: `0b011: 8 elements`, `0b00111: cmpxchg`, `0b1010: M3_NM`."""
    page = page_of(instruction)
    parts = FIELD.split(page)
    text_of = dict(zip(parts[1::3], parts[3::3], strict=True))
    for field in instruction.spec.fields:
        expected = {word: int(code, 2) for _, code, word in CODE.findall(text_of[field.name])}
        if expected:
            assert codes_of(field) == expected, field.name
        gates = {gate for gate, _, _ in CODE.findall(text_of[field.name]) if gate}
        assert {code.since.name[:4].upper() for bits in field.bits for code in bits.codes} - {"BDW"} == {
            gate[:4].upper() for gate in gates
        }


@pytest.mark.parametrize("instruction", ALL, ids=lambda each: each.spec.name)
def test_types_in_the_page_are_those_of_the_table(instruction: type[Instruction]) -> None:
    parts = FIELD.split(page_of(instruction))
    for name, text in zip(parts[1::3], parts[3::3], strict=True):
        (field,) = [each for each in instruction.spec.fields if each.name == name]
        demanded = set(re.findall(r"must have type ([A-Z,]+)", text.split("####")[0], re.IGNORECASE))
        demanded |= {"UD"} if name == "Src1" and instruction.spec.name == "typed_atomic" else set()
        types = {each for listed in demanded for each in listed.split(",") if each}
        if name == "Src1":  # D29: fcmpwr and the signed operations stand only at Src0
            types.add("D")
        assert {each.name for each in field.types} == types, name


@pytest.mark.parametrize("instruction", ALL, ids=lambda each: each.spec.name)
def test_the_table_agrees_with_the_rules(instruction: type[Instruction]) -> None:
    spec = instruction.spec
    operands = [name for name, _ in OPERANDS[spec.name]]
    assert [field.name for field in spec.fields if field.name in operands] == operands
    for name, types in RULES.get(spec.name, ()):
        (field,) = [each for each in spec.fields if each.name == name]
        assert set(field.types) == set(types or ()), name
    for field in spec.fields:
        if field.name == "Exec_size":
            sizes, masks = field.bits
            assert tuple(1 << code.value for code in sizes.codes) == spec.exec_sizes
            assert {code.value: code.meaning for code in masks.codes} == {mask.value: mask.name for mask in ExecMask}


def test_the_legal_statements_of_the_tests_are_of_these_instructions() -> None:
    assert all(any(page.spec.name in statement for page in ALL) for statement in LEGAL)
