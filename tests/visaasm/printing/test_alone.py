"""A statement without a kernel."""

import pytest

from visaproof.isa.errors import ReadError
from visaproof.isa.platform import Platform
from visaproof.visaasm.bytecode.instructions import decode_bytes
from visaproof.visaasm.printing.single_statement import mnemonic_of, read_alone, text_of

DG2 = Platform.DG2


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("(P1) scatter4_scaled.R (M3, 8) T6 V3(0,0)<0;1,0> V1.0 V2.0",
         {"P1": "P num_elts=16", "T6": "T", "V3": "G", "V1": "G", "V2": "G"}),
        ("oword_ld (2) %slm r[A0(1),4]<0;1,0>:ud V1.0", {"A0": "A", "V1": "G"}),
        ("svm_block_ld (2) V1(0,0)<0;1,0> V2.0", {"V1": "G type=uq", "V2": "G type=ud"}),
        ("lsc_store.ugm (M1, 16) flat[V1+0x10]:a64 V2:d32", {"V1": "G", "V2": "G"}),
        ("typed_atomic.inc (M1, 8) T6 V1.0 %null.0 %null.0 %null.0 %null.0 %null.0 %null.0", {"T6": "T", "V1": "G"}),
    ],
)  # fmt: skip
def test_what_it_names_is_declared(text: str, kinds: dict[str, str]) -> None:
    declared = {line.split()[1]: line.split("v_type=")[1] for line in read_alone(text, "x", DG2).assumed}
    assert declared.keys() == kinds.keys()
    assert all(declared[name].startswith(kind) for name, kind in kinds.items())


def test_a_variable_reaches_behind_every_place_that_is_named() -> None:
    alone = read_alone("scatter4_scaled.RGBA (M1, 16) T6 0x0:ud V1.65504 V1.0", "x", Platform.PVC)
    assert alone.instruction.opcode == "scatter4_scaled"


def test_places_are_those_of_the_text_as_it_is_written() -> None:
    alone = read_alone("SCATTER4_SCALED.R (8) T255 0x0:ud V1.0 V2.0", "x", DG2)
    src = alone.instruction.operands[-1]
    assert alone.place(src.position).line == 1
    assert alone.place(src.position).column == 1 + "SCATTER4_SCALED.R (8) T255 0x0:ud V1.0 ".__len__()


@pytest.mark.parametrize(
    "text", ["", "   ", "oword_ld (1) T6 0x0:ud V1.0\nret", "// nothing", "L0:", ".decl V1 v_type=G"]
)
def test_anything_but_one_statement_is_refused(text: str) -> None:
    with pytest.raises(ReadError):
        read_alone(text, "x", DG2)


def test_byte_code_is_named_by_its_indices() -> None:
    code = decode_bytes(bytes.fromhex("35 03 00 07 00 28000000 00 03 2101 07000000 2000"))
    assert text_of(code, DG2) == "oword_ld (8) T7 V40(0,3)<0;1,0> %r0.32"


def test_an_index_without_a_variable_is_refused() -> None:
    with pytest.raises(ReadError, match="variable 25 is not declared"):
        text_of(decode_bytes(bytes.fromhex("35 03 00 07 05 00 00000000 19000000 0000")), DG2)


@pytest.mark.parametrize(("text", "name"), [("(!P1.any) mov.x (M1, 8)", "mov"), (" a b", "a"), ("(", ""), ("", "")])
def test_the_mnemonic_is_the_first_word_behind_the_predicate(text: str, name: str) -> None:
    assert mnemonic_of(text) == name
