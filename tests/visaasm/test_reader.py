"""The `.visaasm` format.  Expected values are worked by hand from docs/pages/operands-and-files.md."""

import json
import struct
import sys
import time
from hashlib import sha256
from pathlib import Path
from subprocess import run

import pytest
from msgspec.structs import replace

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.types import DataType
from visaproof.visaasm import source
from visaproof.visaasm.reader import read_kernel, read_kernel_file
from visaproof.visaasm.syntax import (
    AddressOf,
    AddressVariable,
    Alias,
    ExecutionField,
    GeneralVariable,
    Immediate,
    IndirectOperand,
    Input,
    Instruction,
    Kernel,
    Label,
    LscAddress,
    LscData,
    LscPayload,
    LscPlace,
    Name,
    Number,
    Operand,
    PredicateUse,
    PredicateVariable,
    RawOperand,
    Region,
    RowRegion,
    SamplerVariable,
    SubscriptedName,
    SurfaceVariable,
    Text,
    VectorDestination,
    VectorSource,
)

DATA = Path(__file__).parents[1] / "data"
SHARED = Path(__file__).parents[2].parent / "shared" / "corpus" / "visaasm"

HEADER = [
    ".version 4.1",
    '.kernel "demo"',
    ".decl V1 v_type=G type=ud num_elts=8 align=GRF",
    ".decl V2 v_type=G type=uq num_elts=8",
    ".decl P1 v_type=P num_elts=8",
    ".decl A0 v_type=A num_elts=4",
    ".decl T6 v_type=T num_elts=1 v_name=T6",
    ".decl S0 v_type=S num_elts=1 v_name=S000",
]
FIRST = len(HEADER) + 1
"""The line of the first statement that a test adds."""


def read(*statements: str) -> Kernel:
    return read_kernel("\n".join([*HEADER, *statements]), "demo.visaasm")


def only(statement: str) -> Instruction:
    [instruction] = read(statement).instructions()
    return instruction


def operand(text: str) -> Operand:
    """`text` as the operand of an instruction that nobody knows."""
    [read_operand] = only(f"unheard_of {text}").operands
    return read_operand


def at(column: int, line: int = FIRST) -> Position:
    return Position("demo.visaasm", line, column)


HERE = at(12)
"""The place of the operand in `operand`."""


def refused(text: str) -> ReadError:
    with pytest.raises(ReadError) as caught:
        read_kernel(text, "demo.visaasm")
    return caught.value


def refused_after_header(*statements: str) -> ReadError:
    return refused("\n".join([*HEADER, *statements]))


# ---------------------------------------------------------------- declarations


def test_a_declaration_gives_name_type_count_and_alignment() -> None:
    kernel = read(".decl V9 v_type=G type=HF num_elts=(2+2)*4 align=wordx32 attrs={Output, X=3}")
    expected = GeneralVariable("V9", DataType.HF, 16, None, "wordx32", at(7))
    assert kernel.variables["V9"] == expected
    assert expected.size == 32


@pytest.mark.parametrize(
    ("written", "read_as"),
    [("2GRF", "GRFx2"), ("32word", "wordx32"), ("16", "oword"), ("64*2", "wordx64"), ("dword", "dword")],
)
def test_an_alignment_has_several_spellings(written: str, read_as: str) -> None:
    variable = read(f".decl V9 v_type=G type=ud num_elts=1 align={written}").variables["V9"]
    assert isinstance(variable, GeneralVariable)
    assert variable.align == read_as


def test_the_five_kinds_of_variables_are_told_apart() -> None:
    variables = read().variables
    kinds = [type(variables[name]) for name in ("V1", "A0", "P1", "T6", "S0")]
    assert kinds == [GeneralVariable, AddressVariable, PredicateVariable, SurfaceVariable, SamplerVariable]
    assert variables["A0"] == AddressVariable("A0", 4, at(7, 6))


def test_a_chain_of_aliases_adds_up() -> None:
    kernel = read(
        ".decl V9 v_type=G type=ub num_elts=4 alias=<V1, 2*4>",
        ".decl V10 v_type=G type=uw num_elts=64 alias=<V9, 3>",  # longer than what remains: accepted
    )
    variable = kernel.variables["V10"]
    assert isinstance(variable, GeneralVariable)
    assert variable.alias == Alias("V9", 3)
    assert kernel.root_of(variable) == (kernel.variables["V1"], 11)


def test_predefined_variables_can_be_aliased() -> None:
    kernel = read(".decl V9 v_type=G type=d num_elts=16 align=wordx32 alias=<%r0, 0>")
    variable = kernel.variables["V9"]
    assert isinstance(variable, GeneralVariable)
    root, offset = kernel.root_of(variable)
    assert (root.name, root.size, offset) == ("%r0", 64, 0)


def test_variables_stand_in_the_order_that_gives_their_index() -> None:
    names = list(read().variables)
    assert names[:3] == ["%null", "%thread_x", "%thread_y"]
    assert names.index("%r0") == 7
    assert names.index("%msg0") == 20
    assert names[21] == "%scratchloc"
    assert names[22:28] == ["%slm", "T1", "T2", "TSS", "%bss", "%scratch"]
    assert names[28:] == ["S31", "V1", "V2", "P1", "A0", "T6", "S0"]  # the bindless sampler has no number in byte code


def test_inputs_carry_offset_and_size() -> None:
    kernel = read(
        ".input V1 offset=32 size=32",
        ".input T6 offset=64",
        ".implicit_UNDEFINED_12 V2 offset=96 size=%sizeof(V2)",
    )
    assert kernel.inputs == (
        Input("V1", 32, 32, None, at(8)),
        Input("T6", 64, 4, None, at(8, FIRST + 1)),
        Input("V2", 96, 64, "UNDEFINED_12", at(24, FIRST + 2)),
    )


def test_attributes_are_strings_numbers_or_bare() -> None:
    kernel = read('.kernel_attr Target="cm"', ".kernel_attr SimdSize=2*8", ".kernel_attr NoBarrier", ".kernel_attr X=")
    assert kernel.attributes == {"Target": "cm", "SimdSize": 16, "NoBarrier": None, "X": None}


def test_a_function_file_is_no_kernel() -> None:
    kernel = read_kernel(".version 3.6\n.global_function helper\n    fret (M1, 8)", "f.visaasm")
    assert (kernel.name, kernel.is_function, kernel.version) == ("helper", True, (3, 6))


def test_a_name_in_quotes_has_c_escapes() -> None:
    assert read_kernel('.version 4.1\n.kernel "a\\"\\x41\\102//\\n"', "f").name == 'a"AB//\n'


def test_braces_limit_where_a_declaration_holds() -> None:
    kernel = read(
        "{",
        ".decl V1 v_type=G type=ub num_elts=1",
        "  unheard_of V1.0 flat[V1]:a64",
        "}",
        "{ unheard_of V1.0 }",
    )
    inner, outer = kernel.instructions()
    assert [name for name in kernel.variables if name.startswith("V1")] == ["V1", "V1#2"]
    assert inner.operands[0] == RawOperand("V1#2", 0, at(14, FIRST + 2))
    assert isinstance(inner.operands[1], LscAddress)
    assert inner.operands[1].variable == "V1#2"
    assert outer.operands == (RawOperand("V1", 0, at(14, FIRST + 4)),)
    assert outer.text == "unheard_of V1.0"


# ---------------------------------------------------------------- instructions


def test_an_instruction_has_predicate_suffixes_execution_and_operands() -> None:
    instruction = only("  (!P1.any) scatter4_scaled.RGBA (M3_NM, 8) T6 0x10:ud V1.0 V2.(16*2)   /// $3")
    assert instruction == Instruction(
        "scatter4_scaled",
        ("RGBA",),
        PredicateUse("P1", True, Combine.ANY),
        ExecutionField(ExecMask.M3_NM, 8),
        (
            Name("T6", at(45)),
            Immediate(16, DataType.UD, at(48)),
            RawOperand("V1", 0, at(56)),
            RawOperand("V2", 32, at(61)),
        ),
        at(3),
        "(!P1.any) scatter4_scaled.RGBA (M3_NM, 8) T6 0x10:ud V1.0 V2.(16*2)",
    )


@pytest.mark.parametrize(
    ("written", "predicate"),
    [
        ("(P1)", PredicateUse("P1", False, Combine.PLAIN)),
        ("(!P1)", PredicateUse("P1", True, Combine.PLAIN)),
        ("(P1.all)", PredicateUse("P1", False, Combine.ALL)),
        ("( ! P1 . any )", PredicateUse("P1", True, Combine.ANY)),
    ],
)
def test_a_predicate_is_combined_and_then_inverted(written: str, predicate: PredicateUse) -> None:
    assert only(f"{written} goto (M1, 8) here\nhere:").predicate == predicate


@pytest.mark.parametrize(
    ("written", "execution"),
    [
        ("(M1, 8)", ExecutionField(ExecMask.M1, 8)),
        ("(M1,32)", ExecutionField(ExecMask.M1, 32)),
        ("( M5_NM ,16 )", ExecutionField(ExecMask.M5_NM, 16)),
        ("(NoMask, 1)", ExecutionField(ExecMask.M1_NM, 1)),
        ("(2)", ExecutionField(ExecMask.M1, 2)),  # "omitted mask = M1"
        ("", None),
    ],
)
def test_the_execution_field_names_mask_and_size(written: str, execution: ExecutionField | None) -> None:
    instruction = only(f"svm_block_ld {written} V1(0,0)<0;1,0> V2.0")
    assert instruction.execution == execution
    assert len(instruction.operands) == 2


@pytest.mark.parametrize(
    ("statement", "opcode", "suffixes"),
    [
        ("barrier", "barrier", ()),
        ("fence_global.EL1", "fence_global", ("EL1",)),
        ("lsc_fence.ugm.none.gpu", "lsc_fence", ("ugm", "none", "gpu")),
        ("svm_gather.4.1 (M1, 8) V2.0 V1.0", "svm_gather", ("4", "1")),
        ("bfn.xd8.sat (M1, 8) V1<1> V1(0,0)<1;1,0> 1:d 2:d", "bfn", ("xd8", "sat")),
        ("gather.4 (M1, 8).mod T6 0:ud V1.0 V1.0", "gather", ("4", "mod")),
        ("sample_unorm.RGBA.16-full S0 T6", "sample_unorm", ("RGBA", "16-full")),
        ("rt_write_3d.<AR><A> (M1, 8) T6 V1.0", "rt_write_3d", ("<AR><A>",)),
        ("lsc_load.ugm.ca.ca (M1, 32)  V1:d32  flat[V2]:a64", "lsc_load", ("ugm", "ca", "ca")),
    ],
)
def test_suffixes_follow_the_opcode_in_order(statement: str, opcode: str, suffixes: tuple[str, ...]) -> None:
    instruction = only(statement)
    assert (instruction.opcode, instruction.suffixes) == (opcode, suffixes)


LINE, WORD = Region(1, 1, 0), Region(0, 1, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("V1.4", RawOperand("V1", 4, HERE)),
        ("V1", RawOperand("V1", 0, HERE)),
        ("%null.0", RawOperand("%null", 0, HERE)),
        ("%null", RawOperand("%null", 0, HERE)),
        ("V1(0,0)<1;1,0>", VectorSource("V1", 0, 0, LINE, "", HERE)),
        ("V1( 0 , 2+1 )<8; 4, 2>", VectorSource("V1", 0, 3, Region(8, 4, 2), "", HERE)),
        ("(-)V1(0,0)<0;1,0>", VectorSource("V1", 0, 0, WORD, "-", HERE)),
        ("(abs)V1(0,0)<0;1,0>", VectorSource("V1", 0, 0, WORD, "abs", HERE)),
        ("(-abs) V1 (0,0) <0;1,0>", VectorSource("V1", 0, 0, WORD, "-abs", HERE)),
        ("(~)V1(0,0)<0;1,0>", VectorSource("V1", 0, 0, WORD, "~", HERE)),
        ("V1(0,0)", VectorSource("V1", 0, 0, LINE, "", HERE)),  # dpas: an implied <1;1,0>
        ("V1(0,0)<2>", VectorDestination("V1", 0, 0, 2, HERE)),
        ("V1<1>", VectorDestination("V1", 0, 0, 1, HERE)),
        ("%null(0,0)<1>", VectorDestination("%null", 0, 0, 1, HERE)),
        ("r[A0(0),0]<1;1,0>:ud", IndirectOperand("A0", 0, 0, LINE, None, DataType.UD, "", HERE)),
        ("(-)r[A0(3),-8]<0;1,0>:D", IndirectOperand("A0", 3, -8, WORD, None, DataType.D, "-", HERE)),
        ("r[A0(0),0]<1,0>:ud", IndirectOperand("A0", 0, 0, RowRegion(1, 0), None, DataType.UD, "", HERE)),
        ("(abs)r[A0(1),4]< 4 , 2 >:w", IndirectOperand("A0", 1, 4, RowRegion(4, 2), None, DataType.W, "abs", HERE)),
        ("r[A0(1)]<2>:w", IndirectOperand("A0", 1, 0, None, 2, DataType.W, "", HERE)),
        ("P1", Name("P1", HERE)),
        ("T6", Name("T6", HERE)),
        ("%slm", Name("%slm", HERE)),
        ("TSS", Name("TSS", HERE)),
        ("T6(0)", SubscriptedName("T6", 0, None, None, HERE)),
        ("%bss(0)", SubscriptedName("%bss", 0, None, None, HERE)),
        ("A0(3)<1>", SubscriptedName("A0", 3, None, 1, HERE)),
        ("A0(0)<0;1,0>", SubscriptedName("A0", 0, WORD, None, HERE)),
        ("&V1", AddressOf("V1", 0, HERE)),
        ("&T6[4]", AddressOf("T6", 4, HERE)),
        ("3", Number(3, HERE)),
        ("0x02000000", Number(0x02000000, HERE)),
    ],
)
def test_an_operand_is_known_by_its_form(text: str, expected: Operand) -> None:
    assert operand(text) == expected


@pytest.mark.parametrize(
    ("text", "bits", "data_type"),
    [
        ("0x10:ud", 0x10, DataType.UD),
        ("0X1F:UD", 0x1F, DataType.UD),
        ("010:d", 10, DataType.D),  # decimal, not octal
        ("-1:d", 0xFFFF_FFFF, DataType.D),
        ("- 1 :w", 0xFFFF, DataType.W),
        ("0xfffffff8:d", 0xFFFF_FFF8, DataType.D),
        ("0x1ff:ub", 0xFF, DataType.UB),
        ("0xffffffffffffffff:uq", 0xFFFF_FFFF_FFFF_FFFF, DataType.UQ),
        ("(4*4):ud", 16, DataType.UD),
        ("~0:uw", 0xFFFF, DataType.UW),
        ("0x76543210:v", 0x7654_3210, DataType.V),
        ("0x3c00:hf", 0x3C00, DataType.HF),
        ("0x3f800000:f", 0x3F80_0000, DataType.F),
        ("1:f", 1, DataType.F),  # the bit pattern 1, not one
        ("-1:f", 0x8000_0001, DataType.F),
        ("1.5:f", 0x3FC0_0000, DataType.F),
        ("-1.5:f", 0xBFC0_0000, DataType.F),
        ("1e+2:f", 0x42C8_0000, DataType.F),
        ("9.0e+99:f", 0x7F80_0000, DataType.F),  # infinity
        ("0.1:df", struct.unpack("<Q", struct.pack("<d", 0.1))[0], DataType.DF),
    ],
)
def test_an_immediate_is_the_low_bits_of_what_is_written(text: str, bits: int, data_type: DataType) -> None:
    assert operand(text) == Immediate(bits, data_type, HERE)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("7/2", 3),
        ("-7/2+8", 5),  # towards zero
        ("-7%3+8", 7),
        ("1<<4", 16),
        ("0xff>>4", 15),
        ("6&3", 2),
        ("6^3", 5),
        ("4|3", 7),
        ("1^2|3", 1 ^ (2 | 3)),  # CISA.y ranks | above ^ above &
        ("2&3^1", 2 & (3 ^ 1)),
        ("2>1?20:10", 20),
        ("1==2?20:10", 10),
        ("!0", 1),
        ("%sizeof(V1)/4", 8),
        ("%sizeof T6", 4),
    ],
)
def test_a_constant_expression_is_evaluated(expression: str, value: int) -> None:
    assert operand(f"V1.({expression})") == RawOperand("V1", value, HERE)


def test_the_size_of_a_grf_comes_from_the_platform() -> None:
    text = "\n".join([*HEADER, ".decl V9 v_type=G type=ud num_elts=%sizeof(GRF)/4"])
    for grf_bytes in (32, 64):
        variable = read_kernel(text, "f", grf_bytes=grf_bytes).variables["V9"]
        assert isinstance(variable, GeneralVariable)
        assert variable.size == grf_bytes
    error = refused(text)
    assert (error.message, error.position) == ("the size of a GRF depends on the platform", at(36))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("V1:d32", LscData("V1", 0, "d32", HERE)),
        ("V2.32:d32x16t", LscData("V2", 32, "d32x16t", HERE)),
        ("V1:d16c32", LscData("V1", 0, "d16c32", HERE)),
        ("V1:d8u32", LscData("V1", 0, "d8u32", HERE)),
        ("V1:u32.xyzw", LscData("V1", 0, "u32.xyzw", HERE)),
        ("V1:d8.2x32x32nn", LscData("V1", 0, "d8.2x32x32nn", HERE)),
        ("V1:32x8", LscData("V1", 0, "32x8", HERE)),
        ("%null:d32", LscData("%null", 0, "d32", HERE)),
        ("flat[V2]:a64", LscAddress("flat", None, "V2", 0, 1, 0, "a64", HERE)),
        ("flat[V2+0x100]:a64", LscAddress("flat", None, "V2", 0, 1, 256, "a64", HERE)),
        ("flat[4 * V2.32 - (1 + 2)]:a64", LscAddress("flat", None, "V2", 32, 4, -3, "a64", HERE)),
        ("bti(6)[V1]:a32", LscAddress("bti", Number(6, HERE), "V1", 0, 1, 0, "a32", HERE)),
        ("bti(T6)[V1]:a32", LscAddress("bti", Name("T6", HERE), "V1", 0, 1, 0, "a32", HERE)),
        ("ss(V2.8)[V1]:a16", LscAddress("ss", RawOperand("V2", 8, HERE), "V1", 0, 1, 0, "a16", HERE)),
        (
            "bss(V2(0,1), 3)[V1]:a32",
            LscAddress("bss", VectorSource("V2", 0, 1, Region(0, 1, 0), "", HERE), "V1", 0, 1, 0, "a32", HERE, index=3),
        ),
        ("flat(V2)[4*V1]:a32s", LscAddress("flat", RawOperand("V2", 0, HERE), "V1", 0, 4, 0, "a32s", HERE)),
        ("flat(0xffff00000000)[V1]:a32u", LscAddress("flat", Number(0xFFFF << 32, HERE), "V1", 0, 1, 0, "a32u", HERE)),
        ("[V2]:a64", LscAddress("flat", None, "V2", 0, 1, 0, "a64", HERE)),
    ],
)
def test_an_lsc_operand_is_known_by_its_form(text: str, expected: Operand) -> None:
    assert operand(text) == expected


def test_a_form_without_a_class_is_kept_as_text() -> None:
    assert operand("(4,8)") == Text("(4,8)", HERE)


def test_an_address_may_have_several_parts() -> None:
    first, second = RawOperand("V1", 0, HERE), RawOperand("V2", 8, HERE)
    assert operand("bti(1)[V1,V2.8-0x2]:a32") == LscPlace("bti", Number(1, HERE), (first, second), (0, -2), "a32", HERE)
    places = operand("flat[V1(0,1),V1,V2.8,0x3,V1+4,4]")
    element = VectorSource("V1", 0, 1, Region(0, 1, 0), "", HERE)
    parts = element, first, second, Number(3, HERE), first, Number(4, HERE)
    assert places == LscPlace("flat", None, parts, (0, 0, 0, 0, 4, 0), "", HERE)
    assert operand("bti(1)[V1.8]") == LscPlace("bti", Number(1, HERE), (replace(first, offset=8),), (0,), "", HERE)
    assert operand("flat[V1.8 + (0,-8)]") == LscPayload("flat", "V1", 8, 0, -8, HERE)


def test_a_jump_table_is_kept_as_text() -> None:
    instruction = only("switchjmp (8) V1(0,0)<0;1,0> (here, there)")
    assert instruction.operands[1] == Text("(here, there)", at(30))


def test_a_number_without_a_type_belongs_to_a_call() -> None:
    call = only("fcall (M1, 8) __intel_memfence_optnone 3 0")
    assert call.operands == (Name("__intel_memfence_optnone", at(15)), Number(3, at(40)), Number(0, at(42)))


def test_the_name_of_a_function_is_not_declared() -> None:
    instruction = only("faddr lut V1(0,0)<1>")
    assert instruction.operands == (Name("lut", at(7)), VectorDestination("V1", 0, 0, 1, at(11)))


def test_an_lsc_atomic_has_registers_without_offset() -> None:
    instruction = only("lsc_atomic_iadd.ugm (M1, 8)  %null:d32  flat[V2]:a64  V1  %null")
    assert instruction.operands == (
        LscData("%null", 0, "d32", at(30)),
        LscAddress("flat", None, "V2", 0, 1, 0, "a64", at(41)),
        RawOperand("V1", 0, at(55)),
        RawOperand("%null", 0, at(59)),
    )


def test_an_unknown_instruction_is_read_all_the_same() -> None:
    instruction = only("(P1) frobnicate.x.9 (M1, 4) V1(0,0)<1> T6 7:uw")
    assert (instruction.opcode, instruction.suffixes, len(instruction.operands)) == ("frobnicate", ("x", "9"), 3)


# ---------------------------------------------------------------- lines


def test_comments_take_no_part_and_move_no_column() -> None:
    kernel = read(
        "// one",
        "/* two",
        "   .decl nonsense */ mov (M1, 8) V1<1> /* three // */ 1:ud // four \\",
        "/// five",
        "here: /* six */",
    )
    [instruction] = kernel.instructions()
    assert instruction.position == at(22, FIRST + 2)
    assert instruction.operands[1].position == at(55, FIRST + 2)
    assert kernel.statements[-1] == Label("here", at(1, FIRST + 4))


def test_a_backslash_joins_lines_and_keeps_their_positions() -> None:
    [instruction] = read("mov (M1, 8) \\", "    V1<1> \\  // not the last", "\\", "    1:ud").instructions()
    assert instruction.operands == (
        VectorDestination("V1", 0, 0, 1, at(5, FIRST + 1)),
        Immediate(1, DataType.UD, at(5, FIRST + 3)),
    )
    assert instruction.text == "mov (M1, 8)  V1<1>  1:ud"


def test_lines_may_end_as_on_windows_and_start_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "k.visaasm"
    file.write_bytes(b"\xef\xbb\xbf" + "\r\n".join([*HEADER, "barrier", "ret (M1, 1)", ""]).encode())
    assert [instruction.opcode for instruction in read_kernel_file(file).instructions()] == ["barrier", "ret"]


def test_labels_behind_the_end_that_nothing_names_belong_to_the_kernel(tmp_path: Path) -> None:
    """IGC leaves those of blocks that became empty; one that a branch goes to lacks what stands behind it."""
    file = tmp_path / "k.visaasm"
    for branch, whole in (("", True), ("goto (M1, 8) behind", False)):
        file.write_text("\n".join([*HEADER, branch, "ret (M1, 1)", "behind:", "last:"]) + "\n")
        if whole:
            assert [one.opcode for one in read_kernel_file(file).instructions()] == ["ret"]
        else:
            with pytest.raises(ReadError, match="the file ends before the kernel does"):
                read_kernel_file(file)


def test_a_file_that_was_cut_off_between_two_lines_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "k.visaasm"
    for lines in (HEADER, [*HEADER, "barrier"]):
        file.write_text("\n".join(lines) + "\n")
        with pytest.raises(ReadError, match="the file ends before the kernel does") as raised:
            read_kernel_file(file)
        assert raised.value.position.line == len(lines) + 1  # behind the last newline


def test_a_kernel_keeps_its_lines() -> None:
    kernel = read("barrier // and more")
    assert kernel.source_lines[FIRST - 1] == "barrier // and more"


def test_a_label_may_have_characters_that_a_name_may_not() -> None:
    [instruction] = read("L$1-a?:", "(P1) jmp (M1, 1) L$1-a?").instructions()
    assert instruction.operands == (Name("L$1-a?", at(18, FIRST + 1)),)


def test_a_subroutine_can_be_called() -> None:
    [instruction] = read('.function "sub"', 'call (M1, 8) "sub"').instructions()
    assert instruction.operands == (Name("sub", at(14, FIRST + 1)),)


# ---------------------------------------------------------------- files that cannot be read


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("", "there is no statement", 1, 1),
        ("\n// nothing\n", "there is no statement", 3, 1),
        ('.kernel "k"', "the version line must come first", 1, 1),
        (".version 4.1", "there is no kernel", 1, 1),
        (".version 4.1\n  barrier", "a statement before the kernel's name", 2, 3),
        (".version 4", "something is missing at the end", 1, 11),
        ('.version 4.1\n.kernel "a"\n.kernel "b"', "a second kernel, b, in one file", 3, 1),
        ('.version 4.1\n.kernel "a"\n.global_function "b"', "a second kernel, b, in one file", 3, 1),
        ('.version 4.1\n.kernel "a"\n.version 4.1', "a second version line", 3, 1),
        ('.version 4.1\n.kernel "a', "this string does not end", 2, 9),
        ('.version 4.1\n.kernel "a\\q"', "unknown escape '\\q'", 2, 11),
        ('.version 4.1\n.kernel "a"\n/* …', "this comment does not end", 3, 1),
        ('.version 4.1\n.kernel "a"\n  {', "this '{' is not closed", 3, 3),
        ('.version 4.1\n.kernel "a"\nbarrier }', "this '}' closes nothing", 3, 9),
        ('.version 4.1\n.kernel "a"\nbarrier \\', "the file ends in the middle of a statement", 3, 1),
        ('.version 4.1\n.kernel "a"\nbarrier \\\n', "the file ends in the middle of a statement", 3, 1),
        (".version 4.1\n\0", "a NUL byte", 2, 1),
    ],
)
def test_a_file_that_is_no_kernel_is_refused(text: str, message: str, line: int, column: int) -> None:
    error = refused(text)
    assert (error.message, error.position) == (message, at(column, line))


@pytest.mark.parametrize(
    ("statement", "message", "column", "hint"),
    [
        # names
        ("unheard_of V3.0", "V3 is not declared", 12, "predefined variable 3: write %group_id_x"),
        ("unheard_of VV1.0", "VV1 is not declared", 12, "did you mean V1?"),
        ("unheard_of T6 V11.0", "V11 is not declared", 15, "predefined variable 11: write %fp"),
        ("unheard_of T7", "T7 is not declared", 12, "did you mean T"),
        ("unheard_of T0", "T0 is not declared", 12, ""),
        ("unheard_of T6 %r1.0", "%r1 is not declared", 15, "did you mean %r0?"),
        ("(P2) barrier", "P2 is not declared", 2, "did you mean P1?"),
        ("(V1) barrier", "V1 is a general variable", 2, "a predicate is needed here"),
        ("(P1) barrier", "barrier takes no predicate", 2, "a branch around it leaves it out"),
        ("(!P1) movs (M1_NM, 1) T6(0) 0x0:ud", "movs takes no predicate", 3, "a branch around it leaves it out"),
        ("unheard_of T6.0", "T6 is a surface", 12, "a general variable is needed here"),
        ("unheard_of P1(0,0)<1>", "P1 is a predicate", 12, "a general variable is needed here"),
        ("unheard_of V1(0)", "V1 is a general variable", 12, "a surface, a sampler or an address variable"),
        ("unheard_of r[V1(0),0]<1>:ud", "V1 is a general variable", 12, "an address variable is needed here"),
        ("unheard_of flat[V9]:a64", "V9 is not declared", 12, ""),
        ("unheard_of bti(T9)[V1]:a32", "T9 is not declared", 12, "did you mean T"),
        ("unheard_of V1.(%sizeof(V9))", "V9 is not declared", 16, ""),
        ("unheard_of (-)%null(0,0)<0;1,0>", "%null cannot be read as a vector", 12, ""),
        # sizes
        ("unheard_of V1.32", "V1.32 reads past the end of V1", 12, "V1 has 32 bytes"),
        ("unheard_of %null.4", "%null.4 reads past the end of %null", 12, "%null has 4 bytes"),
        ("unheard_of V1(1,0)<1;1,0>", "V1(1,0) lies past the end of V1", 12, "the element starts at byte 32"),
        ("unheard_of V2(1,4)<1>", "V2(1,4) lies past the end of V2", 12, "the element starts at byte 64"),
        ("unheard_of A0(4)<1>", "A0(4) lies past the end of A0", 12, "A0 has 4"),
        ("unheard_of r[A0(4),0]<0;1,0>:d", "A0(4) lies past the end of A0", 12, "A0 has 4"),
        ("unheard_of T6(1)", "T6(1) lies past the end of T6", 12, "T6 has 1"),
        ("unheard_of V1.65537", "offset 65537 is out of range", 15, "0 to 65536"),
        ("unheard_of V1(0,-1)<1>", "column -1 is out of range", 18, ""),
        # form
        ("unheard_of V1(0,0)<1;1>", "unexpected '>'", 23, "expected ','"),
        ("unheard_of V1(0,0)<3;1,0>", "there is no vertical stride 3", 20, "0, 1, 2, 4, 8, 16 or 32"),
        ("unheard_of V1(0,0)<3>", "there is no destination stride 3", 20, "0, 1, 2 or 4"),
        ("unheard_of V1(0,0", "this '(' is not closed", 14, "the file ends in the middle of a statement"),
        ("unheard_of V1)", "this ')' closes nothing", 14, ""),
        ("unheard_of V1.", "something is missing at the end", 15, "the file ends in the middle of a statement"),
        ("unheard_of 1:foo", "unknown type 'foo'", 14, "the types are ud, d, f,"),
        ("unheard_of 1:udd", "unknown type 'udd'", 14, "did you mean ud?"),
        ("unheard_of V1:d33", "unknown data shape 'd33'", 15, "d32"),
        ("unheard_of flat[V1]:a65", "unknown address size 'a65'", 21, "a32u or a64"),
        ("unheard_of flat[V1+]:a64", "unexpected ']'", 20, ""),
        ("unheard_of 1.5:hf", "a decimal fraction cannot have type hf", 16, "as its bits"),
        ("unheard_of 0x10000:hf", "0x10000 is no bit pattern of 16 bits", 12, ""),
        ("unheard_of #", "unexpected '#'", 12, ""),
        ("unheard_of V1.0\x85", "unexpected '\\x85'", 16, ""),
        ("unheard_of (M1, 8", "this '(' is not closed", 12, "the file ends"),
        ("unheard_of (M9, 8)", "unknown execution mask 'M9'", 13, "M1 to M8"),
        ("unheard_of (M1, 7)", "there is no execution size 7", 17, "1, 2, 4, 8, 16 or 32"),
        ("unheard_of (64)", "there is no execution size 64", 13, "1, 2, 4, 8, 16 or 32"),
        ("(P1.some) barrier", "unknown predicate control 'some'", 5, "any or all"),
        ("(P1)", "something is missing at the end", 5, "the file ends"),
        ("8 barrier", "unexpected '8'", 1, ""),
        ("goto (M1, 8) here", "there is no label 'here'", 14, ""),
        ("goto (M1, 8) V1.0", "'V1.0' is no label", 14, "the name of a label"),
        ("here: barrier", "a label is followed by something", 7, "a line of its own"),
        # numbers
        ("unheard_of 99999999999999999999:uq", "this number needs more than 64 bits", 12, ""),
        ("unheard_of " + "9" * 5000 + ":uq", "this number needs more than 64 bits", 12, ""),
        ("unheard_of V1.(1<<64)", "a shift by 64 bits", 19, ""),
        ("unheard_of V1.(1<<63<<1)", "unexpected '<<'", 21, ""),
        ("unheard_of V1.(4/(2-2))", "division by zero", 21, ""),
        # directives
        (".decl V1 v_type=G type=ud num_elts=1", "V1 is declared twice", 7, "first declared in line 3"),
        (".decl T1 v_type=T num_elts=1", "T1 is declared twice", 7, "it is predefined"),
        (".decl %x v_type=T num_elts=1", "a declared name cannot start with %", 7, ""),
        (".decl", "a name is missing", 6, "the file ends"),
        (".decl V9 v_type=F num_elts=1", "unexpected 'F'", 17, "expected 'A', 'G', 'P', 'S' or 'T'"),
        (".decl V9 v_type=G type=bool num_elts=1", "unknown type 'bool'", 24, ""),
        (".decl V9 v_type=G type=uv num_elts=1", "no variable has the packed type uv", 24, "immediates only"),
        (".decl V9 v_type=G num_elts=1 type=ud", "unexpected 'num_elts'", 19, "expected 'type'"),
        (".decl V9 v_type=A type=uw num_elts=1", "unexpected 'type'", 19, "expected 'num_elts'"),
        (".decl V9 v_type=G type=ud num_elts=0", "num_elts is 0", 36, "at least one"),
        (".decl V9 v_type=A num_elts=33", "num_elts is 33", 28, "at most 32"),
        (".decl V9 v_type=P num_elts=3", "num_elts is 3", 28, "1, 2, 4, 8, 16 or 32"),
        (".decl V9 v_type=G type=ud num_elts=262145", "the variable has 1,048,580 bytes", 36, "1,048,576"),
        (".decl V9 v_type=G type=ud num_elts=1 align=gword", "unknown alignment 'gword'", 44, "word?"),
        (".decl V9 v_type=G type=ud num_elts=1 align=3", "unknown alignment 3", 44, "1, 2, 4, 8"),
        (".decl V9 v_type=G type=ud num_elts=1 alias=<V8, 0>", "V8 is not declared", 45, "predefined variable 8"),
        (".decl V9 v_type=G type=ud num_elts=1 alias=<VV1, 0>", "VV1 is not declared", 45, "did you mean V1?"),
        (".decl V9 v_type=G type=ud num_elts=1 alias=<T6, 0>", "T6 is a surface", 45, "general variable"),
        (".decl V9 v_type=G type=ud num_elts=1 alias=<V1, 32>", "the alias starts at byte 32 of V1", 45, "0 to 31"),
        (".decl V9 v_type=G type=ud num_elts=1 alias=<V9, 0>", "V9 is an alias of itself", 45, "storage"),
        (".input V9 offset=0 size=4", "V9 is not declared", 8, ""),
        (".input %r0 offset=0 size=64", "%r0 is predefined and cannot be an input", 8, ""),
        (".input P1 offset=0 size=4", "P1 is a predicate", 8, "a surface or a sampler"),
        (".input V1 offset=32 size=16", "the input has 16 bytes, but V1 has 32", 8, ""),
        (".input V1 offset=-32", "the input lies at bytes -32 to -1", 8, ""),
        (".input V1 offset=16384", "the input lies at bytes 16384 to 16415", 8, "16384"),
        (".inputs V1", "unknown directive '.inputs'", 1, "did you mean .input?"),
        (".kernel_attr Target=cm", "unexpected 'cm'", 21, "a quoted string"),
        ('.kernel_attr Target="gpu"', "there is no target 'gpu'", 1, '"cm", "3d" or a number'),
        (".kernel_attr SimdSize=0", "a thread has no 0 lanes", 1, "SimdSize is 1 to 32"),
        (".kernel_attr SimdSize=-8", "a thread has no -8 lanes", 1, "SimdSize is 1 to 32"),
        (".kernel_attr SimdSize=999999", "a thread has no 999999 lanes", 1, "SimdSize is 1 to 32"),
    ],
)
def test_a_bad_statement_is_refused_where_it_is_bad(statement: str, message: str, column: int, hint: str) -> None:
    error = refused_after_header(statement)
    assert error.position == at(column)
    assert error.message.startswith(message)
    assert hint in error.hint


def test_a_position_counts_in_the_line_where_the_mistake_is() -> None:
    error = refused_after_header("mov (M1, 8) \\", "   V1<1> V9.0")
    assert error.position == at(10, FIRST + 1)


def test_aliases_cannot_run_in_a_circle() -> None:
    error = refused_after_header(
        ".decl V9 v_type=G type=ud num_elts=1 alias=<X, 0>",
        ".decl X v_type=G type=ud num_elts=1 alias=<Y, 0>",
        ".decl Y v_type=G type=ud num_elts=1 alias=<V9, 0>",
    )
    assert error.message == "the aliases run in a circle: V9 → X → Y → V9"
    assert error.position == at(45)


def test_an_alias_comes_after_its_base() -> None:
    error = refused_after_header(
        ".decl V9 v_type=G type=ud num_elts=1 alias=<X, 0>", ".decl X v_type=G type=ud num_elts=1"
    )
    assert (error.message, error.hint) == (
        "X is declared after its alias V9",
        f"move it up: X is declared in line {FIRST + 1}",
    )


def test_inputs_do_not_overlap() -> None:
    error = refused_after_header(".input V2 offset=32 size=64", ".input V1 offset=64 size=32")
    assert (error.message, error.hint) == ("the inputs V2 and V1 share byte 64", "V2 has bytes 32 to 95")
    assert error.position == at(8, FIRST + 1)


def test_a_variable_is_an_input_once() -> None:
    error = refused_after_header(".input V1 offset=32", ".input V1 offset=64")
    assert (error.message, error.position) == ("V1 is an input twice", at(8, FIRST + 1))


def test_a_label_stands_once() -> None:
    error = refused_after_header("here:", "here:")
    assert (error.message, error.position) == ("the label here stands twice", at(1, FIRST + 1))


def test_a_name_is_unknown_behind_its_scope() -> None:
    error = refused_after_header("{", ".decl X v_type=G type=ud num_elts=1", "foo X.0", "}", "foo X.0")
    assert (error.message, error.position) == ("X is not declared", at(5, FIRST + 4))


def test_an_error_reads_as_a_compiler_writes_it() -> None:
    error = refused_after_header("foo T6 VV1.0")
    assert str(error) == f"demo.visaasm:{FIRST}:8: VV1 is not declared\n  hint: did you mean V1?"


# ---------------------------------------------------------------- files that cannot be opened


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="No such file"):
        read_kernel_file(tmp_path / "none.visaasm")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="cannot be opened"):
        read_kernel_file(tmp_path)


def test_an_impossible_path_is_refused() -> None:
    with pytest.raises(ReadError, match="cannot be opened"):
        read_kernel_file(Path("a\0b"))


def test_byte_code_is_refused_at_its_first_strange_byte(tmp_path: Path) -> None:
    file = tmp_path / "k.isa"
    file.write_bytes(b"abc\ndef\xff\x00")
    with pytest.raises(ReadError) as caught:
        read_kernel_file(file)
    assert caught.value.position == Position(str(file), 2, 4)
    assert "byte-code" in caught.value.hint


def test_too_large_a_file_is_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "k.visaasm"
    with file.open("wb") as large:
        large.truncate(source.MAX_CHARACTERS + 1)
    with pytest.raises(ReadError, match="too large"):
        read_kernel_file(file)


# ---------------------------------------------------------------- large and hostile files


def large(count: int) -> str:
    lines = [f"    add (M1, 8) V1(0,0)<1> V1(0,{number % 8})<0;1,0> {number % 50}:d" for number in range(count)]
    return "\n".join([*HEADER, *lines])


def test_ten_thousand_lines_are_read_in_seconds() -> None:
    text = large(10_000)
    start = time.perf_counter()
    kernel = read_kernel(text, "large.visaasm")
    assert len(kernel.statements) == 10_000
    assert time.perf_counter() - start < 5


def test_a_million_lines_are_refused_at_once() -> None:
    text = large(1_000_000)
    start = time.perf_counter()
    error = refused(text)
    assert time.perf_counter() - start < 1
    assert error.message == f"the file has {1_000_000 + len(HEADER):,} lines"
    assert error.hint == f"at most {source.MAX_LINES:,} lines are read"


@pytest.mark.parametrize(
    "statement",
    [
        "foo V1." + "(" * 5_000 + "1" + ")" * 5_000,
        "foo V1.(" + "-" * 5_000 + "0)",
        "foo V1.(" + "1?2:" * 3_000 + "3)",
    ],
)
def test_nesting_has_no_limit_but_the_length(statement: str) -> None:
    assert isinstance(only(statement).operands[0], RawOperand)


@pytest.mark.parametrize("start", ["foo V1.(", "foo (", "foo <", "foo [", ".decl X v_type=G type=ud num_elts=(", "{"])
def test_open_brackets_without_end_are_refused(start: str) -> None:
    assert refused_after_header(start + start[-1] * 5_000).position.line == FIRST


def test_scopes_are_not_nested_without_end() -> None:
    error = refused_after_header("{" * 200)
    assert (error.message, error.position) == ("the scopes are nested too deeply", at(101))


@pytest.mark.parametrize("word", ["(", "a", "V1.0 ", "-", "\\\n", "(-)", "%", "<", "["])
def test_a_statement_without_end_is_refused(word: str) -> None:
    start = time.perf_counter()
    error = refused_after_header("foo " + word * 100_000)
    assert time.perf_counter() - start < 2
    assert error.position.line >= FIRST


# ---------------------------------------------------------------- whole kernels

FOUR_PAGES = """.version 4.1
.kernel "demo"
.decl VOFF v_type=G type=ud num_elts=8 align=GRF
.decl VDAT v_type=G type=ud num_elts=32 align=GRF
.decl VQD  v_type=G type=uq num_elts=8 align=GRF
.decl VOLD v_type=G type=ud num_elts=8 align=GRF
.decl VG   v_type=G type=ud num_elts=1 align=dword
.decl P1   v_type=P num_elts=8
.decl BUF  v_type=T num_elts=1
.decl IMG  v_type=T num_elts=1
.input VOFF offset=64 size=32
.input VG   offset=128 size=4
.input BUF  offset=132 size=4
.input IMG  offset=136 size=4
.kernel_attr Target="cm"
.function "demo"
_main:
    cmp.lt (M1, 8) P1 VOFF(0,0)<8;8,1> 0x100:ud
    oword_ld (8) BUF VG(0,0)<0;1,0> VDAT.0
    (P1) scatter4_scaled.RGBA (M1, 8) BUF 0x0:ud VOFF.0 VDAT.0
    (!P1) qw_scatter.1 (M1, 8) BUF VOFF.0 VQD.0
    typed_atomic.cmpxchg (M1, 8) IMG VOFF.0 %null.0 %null.0 %null.0 VDAT.0 VDAT.32 VOLD.0
    ret (M1, 1)
"""
"""The file of docs/pages/operands-and-files.md §7, which Intel's tool accepts."""


def test_the_file_with_all_four_instructions_is_read() -> None:
    kernel = read_kernel(FOUR_PAGES, "demo.visaasm")
    opcodes = [each.opcode for each in kernel.instructions()]
    assert opcodes == ["cmp", "oword_ld", "scatter4_scaled", "qw_scatter", "typed_atomic", "ret"]
    atomic = list(kernel.instructions())[4]
    assert atomic.suffixes == ("cmpxchg",)
    assert atomic.operands[1:3] == (RawOperand("VOFF", 0, at(38, 22)), RawOperand("%null", 0, at(45, 22)))


def compiled() -> list[Path]:
    return sorted(DATA.glob("visaasm/*/*.visaasm"))


@pytest.mark.parametrize("file", compiled(), ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_compiled_kernel_is_read_whole(file: Path) -> None:
    kernel = read_kernel_file(file)
    instructions = list(kernel.instructions())
    assert instructions[-1].opcode == ("fret" if kernel.is_function else "ret")
    assert not [operand for each in instructions for operand in each.operands if isinstance(operand, Text)]
    for instruction in instructions:
        line = kernel.source_lines[instruction.position.line - 1]
        assert line[instruction.position.column - 1 :].startswith(instruction.text)


def test_the_list_of_compiled_kernels_is_that_of_the_files() -> None:
    manifest = json.loads((DATA / "manifest.json").read_text())
    assert sorted(entry["file"] for entry in manifest["entries"]) == [
        str(file.relative_to(DATA)) for file in compiled() if not file.stem.endswith(".f0")
    ]
    for entry in manifest["entries"]:
        file = DATA / entry["file"]
        assert sha256(file.read_bytes()).hexdigest() == entry["sha256"]
        kernel = read_kernel_file(file)
        assert len(list(kernel.instructions())) == entry["instructions"]
        listed = [(read["var"], read["offset"], read["size"]) for read in entry["inputs"]]
        assert [(read.variable, read.offset, read.size) for read in kernel.inputs] == listed


def test_lane_conflict_reads_as_it_is_written() -> None:
    kernel = read_kernel_file(DATA / "visaasm/lane_conflict/tgllp-O2-simd8.visaasm")
    path = kernel.path
    assert (kernel.name, kernel.version, kernel.attributes["SimdSize"]) == ("lane_conflict", (4, 1), 8)
    assert kernel.inputs[0] == Input("V0038", 32, 32, None, Position(path, 55, 8))
    store = next(each for each in kernel.instructions() if each.opcode == "scatter4_scaled")
    assert (store.suffixes, store.execution) == (("R",), ExecutionField(ExecMask.M1, 8))
    assert store.operands == (
        Name("T6", Position(path, 77, 31)),
        Immediate(0, DataType.UD, Position(path, 77, 34)),
        RawOperand("V0049", 0, Position(path, 77, 41)),
        RawOperand("V0047", 0, Position(path, 77, 49)),
    )


@pytest.mark.skipif(not SHARED.exists(), reason="the whole corpus is not beside the repository")
def test_every_kernel_of_the_corpus_is_read_without_a_rest() -> None:
    files = sorted(SHARED.glob("*/*.visaasm"))
    texts = [file.read_text() for file in files]
    kernels = [read_kernel(text, str(file)) for text, file in zip(texts, files, strict=True)]
    assert len(kernels) >= 488
    assert sum(kernel.is_function for kernel in kernels) == 5
    for kernel in kernels:
        for instruction in kernel.instructions():
            assert not any(isinstance(operand, Text) for operand in instruction.operands), instruction.text


def test_the_parser_is_loaded_at_the_first_read() -> None:
    program = "import sys, visaproof.visaasm.reader; print('lark' in sys.modules)"
    finished = run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("add (M1, 8) V1(0,0)<1> V1(0,0)<1;1,0>", "add takes 3 operands, not 2"),
        ("goto (M1, 8)", "goto takes 1 operand, not 0"),
        ("setp (M1, 8) V1 0x1:ud", "V1 is a general variable"),
        ("cmp.eq (M1, 8) V1 V1(0,0)<1;1,0> 0x1:ud", "V1 is a general variable"),
        ("and (M1, 8) P1 P1 V1", "V1 is a general variable"),
        ("or (M1, 8) P1 P1 0x1:ud", "or of predicates and of numbers"),
    ],
)
def test_a_statement_has_its_operands(statement: str, message: str) -> None:
    text = (
        f'.version 4.1\n.kernel "k"\n.decl V1 v_type=G type=ud num_elts=8\n.decl P1 v_type=P num_elts=8\n{statement}\n'
    )
    with pytest.raises(ReadError, match=message) as raised:
        read_kernel(text, "k.visaasm")
    assert raised.value.position.line == 5


def test_a_file_that_is_missing_is_answered_with_one_like_it(tmp_path: Path) -> None:
    (tmp_path / "blur_pairs.visaasm").write_text("x")
    for name in ("blur_pairs", "blur_pair.visaasm"):
        with pytest.raises(ReadError) as raised:
            read_kernel_file(tmp_path / name)
        assert raised.value.hint == f"did you mean {tmp_path / 'blur_pairs.visaasm'}?"
    with pytest.raises(ReadError) as raised:
        read_kernel_file(tmp_path / "nothing" / "like it")
    assert raised.value.hint == ""
