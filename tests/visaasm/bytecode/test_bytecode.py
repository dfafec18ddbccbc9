"""Byte code: the fields of the Format tables, there and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.messages import DECLARATIONS, INDICES, messages
from visaproof.instructions import TypedAtomic
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.encoding import PredicateField, RegionField, predicate_field, region_field
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.operands import Execution, Parameter, Predicate, RawOperand
from visaproof.isa.types import DataType
from visaproof.visaasm.bytecode.instructions import decode_bytes, encode, read_encoded
from visaproof.visaasm.bytecode.messages import PageInstruction, encoded, execution_byte, indices_of, message_of
from visaproof.visaasm.bytecode.statements import encoded_statement
from visaproof.visaasm.bytecode.tables import EncodedInstruction, GeneralField, ImmediateField, IndirectField, RawField
from visaproof.visaasm.reader import read_kernel

DEMO = """.version 4.1
.kernel "demo"
.decl VO v_type=G type=ud num_elts=32 align=GRF
.decl VS v_type=G type=ud num_elts=64 align=GRF
.decl VG v_type=G type=ud num_elts=1
.decl VI v_type=G type=ud num_elts=8 alias=<VS, 32>
.decl A0 v_type=A num_elts=1
.decl A1 v_type=A num_elts=8
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1
.function "demo"
_main:
"""


def demo_fields(statement: str) -> EncodedInstruction:
    kernel = read_kernel(f"{DEMO}    {statement}\n    ret (M1, 1)\n", "demo.visaasm")
    return encoded_statement(next(kernel.instructions()), indices_of(kernel.variables, 32))


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "(!P1) scatter4_scaled.RA (M3_NM, 8) T6 VG(0,0)<0;1,0> VO.0 VS.64",
            "75 A3 0180 09 0000 06 00 22000000 00 00 2101 20000000 0000 21000000 4000",
        ),
        ("oword_ld (8) %slm 0x10:ud VS.64", "35 03 00 00 05 00 10000000 21000000 4000"),
        ("qw_scatter.4 (M3, 8) T6 VO.0 VS.0", "87 23 0000 02 06 20000000 0000 21000000 0000"),
        (
            "typed_atomic.add.16 (M1, 8) T6 VO.0 %null.0 %null.0 %null.0 VS.0 %null.0 VS.64",
            "73 20 03 0000 06 20000000 0000" + "00" * 18 + "21000000 0000" + "00" * 6 + "21000000 4000",
        ),
    ],
)
def test_the_bytes_are_those_that_intels_writer_wrote(statement: str, expected: str) -> None:
    """docs/pages/instructions.md §1-§4, "written by Intel's tool"; VG is the variable 0x22 here."""
    assert encode(demo_fields(statement)) == bytes.fromhex(expected)


@pytest.mark.parametrize(
    ("scalar", "expected"),
    [
        ("0x10:ud", "05 00 10000000"),
        ("-4:d", "05 01 fcffffff"),
        ("-1:w", "05 03 ffffffff"),
        ("-7:q", "05 0d f9ffffffffffffff"),
        ("1.5:df", "05 06 000000000000f83f"),
        ("-1.5:f", "05 07 0000c0bf"),
        ("0x3c00:hf", "05 0e 003c0000"),
        ("VG(0,0)<8;4,2>", "00 22000000 00 00 4503"),
        ("(-abs)VS(3,7)<1;1,0>", "18 21000000 03 07 2201"),
        ("r[A1(3),-16]<0;1,0>:ud", "03 0100 03 f0ff 00 2101"),
        ("r[A0(0)]<4;2,1>:w", "03 0000 00 0000 03 3402"),
    ],
)
def test_a_scalar_is_encoded_as_intels_writer_did(scalar: str, expected: str) -> None:
    fields = demo_fields(f"oword_ld (8) T6 {scalar} VS.64")
    data = encode(fields)
    assert data == bytes.fromhex("35 03 00 06" + expected + "21000000 4000")
    assert decode_bytes(data) == fields


@pytest.mark.parametrize(
    ("word", "field"),
    [
        (0x0000, PredicateField()),
        (0x0001, PredicateField(1)),
        (0x8001, PredicateField(1, True)),
        (0x2001, PredicateField(1, False, Combine.ANY)),
        (0xC001, PredicateField(1, True, Combine.ALL)),
    ],
)
def test_predicates_and_masks_have_the_bits_of_the_page(word: int, field: PredicateField) -> None:
    assert field.word == word
    assert predicate_field(word) == field
    assert execution_byte(8, ExecMask.M3_NM) == 0xA3


def test_a_region_has_three_codes() -> None:
    assert RegionField(0, 1, 0).word == 0x0121
    assert region_field(0x0345) == RegionField(8, 4, 2)


@given(messages())
def test_every_legal_instruction_comes_back_from_its_bytes(message: PageInstruction) -> None:
    fields = encoded(message, INDICES)
    data = encode(fields)
    assert decode_bytes(data) == fields
    assert message_of(fields, INDICES) == message


@pytest.mark.slow
@given(st.lists(messages(), max_size=4))
def test_instructions_are_read_one_after_the_other(expected: list[PageInstruction]) -> None:
    data = b"".join(encode(encoded(message, INDICES)) for message in expected)
    found: list[PageInstruction] = []
    at = 0
    while at < len(data):
        fields, at = read_encoded(data, at)
        found.append(message_of(fields, INDICES))
    assert found == expected


@pytest.mark.slow
@given(messages(), st.data())
def test_a_truncated_instruction_names_the_byte_where_it_ends(message: PageInstruction, data: st.DataObject) -> None:
    whole = encode(encoded(message, INDICES))
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(ReadError, match=f"byte {cut}: the bytes end in ") as caught:
        decode_bytes(whole[:cut], "k.isa")
    assert (caught.value.position.path, caught.value.position.column) == ("k.isa", cut + 1)


@pytest.mark.slow
@given(messages())
def test_bytes_that_are_left_over_are_an_error(message: PageInstruction) -> None:
    whole = encode(encoded(message, INDICES))
    with pytest.raises(ReadError, match=f"byte {len(whole)}: 2 bytes are left over"):
        decode_bytes(whole + b"\0\0")


@given(st.binary(max_size=60), st.sampled_from([0x75, 0x35, 0x87, 0x73]))
def test_any_bytes_are_an_instruction_or_a_read_error(tail: bytes, opcode: int) -> None:
    try:
        found = decode_bytes(bytes([opcode]) + tail)
    except ReadError:
        return
    assert decode_bytes(encode(found)) == found


OWORD_LD = "35 03 00 06 05 00 10000000 21000000 4000"
SCATTER = "75 03 0000 01 0000 06 05 00 10000000 20000000 0000 21000000 4000"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("01", "byte 0: opcode 0x01 is none of the four pages"),
        (OWORD_LD.replace("35 03", "35 05"), "byte 1: Size 0x5 is reserved"),
        (OWORD_LD.replace("35 03", "35 13"), "byte 1: Size 0x13 is reserved"),
        (OWORD_LD.replace("05 00", "05 0a"), "byte 5: Offset has the reserved type 0xa"),
        (OWORD_LD.replace("06 05", "06 04"), "byte 4: Offset has class 4"),
        (OWORD_LD.replace("06 05", "06 25"), "byte 4: Offset has the reserved modifier 4"),
        (OWORD_LD.replace("06 05", "06 0d"), "byte 4: Offset has the reserved modifier 1"),
        (SCATTER.replace("75 03", "75 06"), "byte 1: Exec_size 0x6 is reserved"),
        (SCATTER.replace("03 0000", "03 0060"), "byte 2: Pred 0x6000 is reserved"),
        (SCATTER.replace("03 0000", "03 0110"), "byte 2: Pred 0x1001 is reserved"),
        (SCATTER.replace("0000 01", "0000 10"), "byte 4: Channels 0x10 is reserved"),
        ("87 03 0000 04", "byte 4: Num_blocks 0x4 is reserved"),
        ("73 40", "byte 1: Op 0x40 is reserved"),
        ("73 0e", "byte 1: Op 0xe is reserved"),
        ("73 3f", "byte 1: Op 0x3f is reserved"),
    ],
)
def test_reserved_codes_are_errors_with_their_byte(data: str, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        decode_bytes(bytes.fromhex(data))
    assert message in caught.value.message


def test_ignored_fields_keep_any_value() -> None:
    """D17, D43: Is_modified and Scale have no effect."""
    load = decode_bytes(bytes.fromhex(OWORD_LD.replace("03 00 06", "03 ff 06")))
    assert load["Is_modified"] == 0xFF
    assert message_of(load, INDICES) == message_of(decode_bytes(bytes.fromhex(OWORD_LD)), INDICES)
    assert decode_bytes(bytes.fromhex(SCATTER.replace("01 0000", "01 3412")))["Scale"] == 0x1234


def test_an_alias_keeps_its_own_index_in_a_statement() -> None:
    assert demo_fields("oword_ld (1) T6 0x0:ud VI.0").raw("Dst") == RawField(0x23)


def test_what_has_no_field_is_dropped() -> None:
    assert demo_fields("oword_ld.mod (M3, 4) T6 0x0:ud VS.0") == demo_fields("oword_ld (4) T6 0x0:ud VS.0")


def test_forms_without_an_encoding_are_not_modelled() -> None:
    for statement in ("qw_scatter.3 (M1, 8) T6 VO.0 VS.0", "mov (M1, 8) VO(0,0)<1> VS(0,0)<1;1,0>"):
        with pytest.raises(NotModelled):
            demo_fields(statement)


def test_forms_that_no_page_instruction_has_are_not_modelled() -> None:
    for offset in (
        ImmediateField(DataType.UW, 4),
        GeneralField(32, region=RegionField(8, 8, 1)),
        GeneralField(32, modifier="-"),
        IndirectField(0, 0, 0, DataType.UD),
    ):
        with pytest.raises(NotModelled):
            message_of(EncodedInstruction("oword_ld", (0, 0, 0, offset, RawField(32))), INDICES)


@pytest.mark.parametrize(("spelling", "code"), [("fmax", 0x10), ("fmin", 0x11), ("fcmpwr", 0x12)])
def test_float_atomics_have_the_codes_of_the_page(spelling: str, code: int) -> None:
    """D29: from 0x10 on, with bit 5 for 16-bit texels."""
    src1 = "VS.0" if spelling == "fcmpwr" else "%null.0"
    fields = demo_fields(f"typed_atomic.{spelling}.16 (M1, 8) T6 VO.0 %null.0 %null.0 %null.0 VS.0 {src1} VS.64")
    assert encode(fields)[1] == code | 1 << 5
    assert decode_bytes(encode(fields)) == fields
    found = message_of(fields, INDICES)
    assert isinstance(found, TypedAtomic)
    assert (found.op.spelling, found.texel_bits) == (spelling, 16)


def test_a_float_operation_that_the_page_does_not_have_has_bytes_but_no_page_instruction() -> None:
    """D29: the code of fadd is 0x13."""
    fields = demo_fields("typed_atomic.fadd.16 (M1, 8) T6 VO.0 %null.0 %null.0 %null.0 VS.0 %null.0 VS.64")
    assert encode(fields)[1] == 0x33
    assert decode_bytes(encode(fields)) == fields
    with pytest.raises(NotModelled, match=r"typed_atomic.fadd.16"):
        message_of(fields, INDICES)


def test_an_index_without_a_variable_is_an_error() -> None:
    fields = EncodedInstruction("oword_ld", (0, 0, 99, ImmediateField(DataType.UD, 0), RawField(32)))
    with pytest.raises(ReadError, match="surface 99 is not declared"):
        message_of(fields, INDICES)


def test_values_that_do_not_fit_are_errors() -> None:
    wide = EncodedInstruction("oword_ld", (0, 0, 6, ImmediateField(DataType.UD, 0), RawField(32, 1 << 16)))
    with pytest.raises(ValueError, match="Dst of oword_ld does not fit"):
        encode(wide)
    with pytest.raises(ValueError, match="Size 0x5 is reserved"):
        encode(EncodedInstruction("oword_ld", (5, 0, 6, ImmediateField(DataType.UD, 0), RawField(32))))


def test_an_instruction_for_any_value_of_a_field_has_no_bytes() -> None:
    any_mask = TypedAtomic(Execution(8, Parameter("mask", 4)), AtomicOp.INC, "T6", RawOperand("O"))
    any_control = Execution(8, predicate=Predicate("P16", Parameter("inverse", 1)))
    for message in (any_mask, TypedAtomic(any_control, AtomicOp.INC, "T6", RawOperand("O"))):
        with pytest.raises(ValueError, match="stands for any value"):
            encoded(message, INDICES)


def test_the_indices_follow_the_declarations() -> None:
    kernel = read_kernel(f"{DECLARATIONS}    ret (M1, 1)\n", "k.visaasm")
    indices = indices_of(kernel.variables, 32)
    assert indices.general[0] == "%null"
    assert indices.general[7] == "%r0"
    assert (indices.general[32], indices.surfaces[0], indices.surfaces[6], indices.predicates[1]) == (
        "O",
        "%slm",
        "T6",
        "P16",
    )
