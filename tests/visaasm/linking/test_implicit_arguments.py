"""What functions read of their launch from memory: what was written by hand, run, and asked of both kernels."""

from pathlib import Path

import pytest

from visaproof.execution.arguments import prepare
from visaproof.execution.payload import Program as Launched
from visaproof.execution.run import run_launch
from visaproof.execution.shape import Shape, Triple
from visaproof.isa.errors import NotModelled
from visaproof.isa.implicit_arguments import IDS, IMPLICIT
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import launch_of
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.visaasm.linking.names import linked
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

ZE_INFO = """kernels:
  - name: k
    execution_env: {simd_size: 8}
    payload_arguments:
      - {arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless}
      - {arg_type: local_size, offset: 8, size: 12}
    per_thread_payload_arguments: [{arg_type: local_id, offset: 0, size: 96}]
"""
DECLARATIONS = """.decl R0 v_type=G type=ud num_elts=8 alias=<%r0, 0>
.decl RESULT v_type=G type=ud num_elts=8 alias=<%retval, 0>
.decl L v_type=G type=uw num_elts=8 align=GRF
.decl C v_type=G type=ud num_elts=1 align=GRF
.decl T v_type=G type=uq num_elts=1 align=GRF
.decl N v_type=G type=ud num_elts=1 align=GRF
.decl O v_type=G type=ud num_elts=8 align=GRF
.decl W v_type=G type=uq num_elts=8 align=GRF
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl VW v_type=G type=uw num_elts=16 alias=<V, 0>
.decl S v_type=G type=d num_elts=8 align=GRF
.decl Q v_type=G type=d num_elts=6 align=GRF
.decl PTR v_type=G type=uq num_elts=1 align=GRF
.decl SIZE v_type=G type=ud num_elts=3 align=GRF
.decl X v_type=G type=uw num_elts=16 align=GRF
.decl Y v_type=G type=uw num_elts=16 align=GRF
.kernel_attr SimdSize=8
"""
INPUTS = (".input X offset=32 size=32\n.input Y offset=64 size=32\n"
          ".input PTR offset=128 size=8\n.input SIZE offset=136 size=12\n")  # fmt: skip
STORE = """    mov (M1_NM, 8) L(0,0)<1> 0x76543210:uv
    mul (M1, 8) O(0,0)<1> L(0,0)<1;1,0> 0x4:uw
    and (M1_NM, 1) N(0,0)<1> R0(0,2)<0;1,0> 0xff:ud
    mul (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x20:ud
    add (M1, 8) O(0,0)<1> O(0,0)<1;1,0> N(0,0)<0;1,0>
    mov (M1, 8) W(0,0)<1> O(0,0)<1;1,0>
    add (M1, 8) W(0,0)<1> W(0,0)<1;1,0> PTR(0,0)<0;1,0>
    lsc_store.ugm (M1, 8)  flat[W]:a64  V:d32
"""
CALL = "    fcall (M1, 8) f 0 1\n    mov (M1, 8) V(0,0)<1> RESULT(0,0)<1;1,0>\n"
TABLE = """    mov (M1_NM, 8) L(0,0)<1> 0x76543210:uv
    mov (M1_NM, 1) C(0,0)<1> 0x48:ud
    lsc_load.ugm.ca.ca (M1_NM, 1)  T:d64t  arg[C]:a32
    and (M1_NM, 1) N(0,0)<1> R0(0,2)<0;1,0> 0xff:ud
    mul (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x60:ud
    mul (M1, 8) O(0,0)<1> L(0,0)<1;1,0> 0x2:uw
    add (M1, 8) O(0,0)<1> O(0,0)<1;1,0> N(0,0)<0;1,0>
    add (M1, 8) O(0,0)<1> O(0,0)<1;1,0> 0x20:ud
    mov (M1, 8) W(0,0)<1> O(0,0)<1;1,0>
    add (M1, 8) W(0,0)<1> W(0,0)<1;1,0> T(0,0)<0;1,0>
    lsc_load.ugm.ca.ca (M1, 8)  V:d16u32  flat[W]:a64
    mov (M1, 8) RESULT(0,0)<1> VW(0,0)<2;1,0>
"""
"""The local id in y: from byte 0x20 of the row on."""
FIELD = """    mov (M1_NM, 1) C(0,0)<1> {start}:ud
    lsc_load.ugm.ca.ca (M1_NM, 1)  Q:{shape}  arg[C]:a32
    mov (M1, 8) RESULT(0,0)<1> Q(0,{dword})<0;1,0>
"""
OWN_Y = "    mov (M1, 8) V(0,0)<1> Y(0,0)<1;1,0>\n"
OWN_SIZE = "    mov (M1, 8) V(0,0)<1> SIZE(0,1)<0;1,0>\n"


def kernel(body: str, function: str = "") -> Kernel:
    text = f'.version 4.1\n.kernel "k"\n{DECLARATIONS}{INPUTS}.function "k"\n_main:\n{body}{STORE}    ret (M1, 1)\n'
    head = f'.version 4.1\n.global_function "f"\n{DECLARATIONS}.kernel_attr ArgSize=0\n.kernel_attr RetValSize=1\n'
    called = f'{head}.function "f_0"\n_main:\n{function}    fret (M1, 8)\n'
    return linked(read_kernel(text, "k.visaasm"), {"f": read_kernel(called, "k.f0.visaasm")})


def program(folder: Path, body: str, function: str = "") -> Program:
    (folder / "k.ze_info").write_text(ZE_INFO)
    return Program(kernel(body, function), *launch_of(folder / "k.ze_info", kernel(body, function), Platform.DG2))


def asked(folder: Path, function: str, own: str = OWN_Y, assume: Assume = Assume.LAUNCH) -> Verdict:
    """Whether what the function finds is what the payload has."""
    return decide(compare(program(folder, CALL, function), program(folder, own), Scope(assume)), 5_000)


def ran(folder: Path, function: str, local: Triple) -> list[int]:
    """What each work item of a group finds."""
    asked_of = program(folder, CALL, function)
    code = Launched(asked_of.kernel, asked_of.launch, asked_of.platform)
    x, y, z = local
    values, memory = prepare(code, Shape((2 * x, 3 * y, z), local), {}, {0: bytes(4 * x * y * z)})  # pyright: ignore[reportArgumentType]
    assert run_launch(code, values, memory).undefined is None
    data = memory.buffers[0].data
    return [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]


def test_a_function_finds_the_local_ids_that_the_payload_has(tmp_path: Path) -> None:
    """Concretely and symbolically; those of another dimension are others."""
    assert ran(tmp_path, TABLE, (16, 4, 1)) == [y for y in range(4) for _ in range(16)]
    assert isinstance(asked(tmp_path, TABLE), Refines)
    in_x = TABLE.replace("    add (M1, 8) O(0,0)<1> O(0,0)<1;1,0> 0x20:ud\n", "")
    assert ran(tmp_path, in_x, (16, 4, 1)) == [x for _ in range(4) for x in range(16)]
    assert isinstance(asked(tmp_path, in_x), Difference)
    assert isinstance(asked(tmp_path, in_x, OWN_Y.replace("Y(", "X(")), Refines)


MASK = "<0;1,0> 0xff:ud"
BESIDE = [
    ("0x60:ud", "0x40:ud"),
    ("O(0,0)<1;1,0> 0x20:ud", "O(0,0)<1;1,0> 0x80:ud"),
    ("O(0,0)<1;1,0> 0x20:ud", "O(0,0)<1;1,0> -0x10:d"),
]
NOT_ALWAYS = [(MASK, MASK.replace("0xff", other)) for other in ("0x7f", "0xffffffff")]


@pytest.mark.parametrize(("one", "other"), BESIDE + NOT_ALWAYS)
def test_places_beside_the_row_of_the_thread_are_not_modelled(tmp_path: Path, one: str, other: str) -> None:
    """Another row, the end of one row and the begin of the next; and what is another row for some threads."""
    assert one in TABLE
    with pytest.raises(NotModelled):
        asked(tmp_path, TABLE.replace(one, other))
    if (one, other) in BESIDE:
        with pytest.raises(NotModelled, match="what the local_id_table holds"):
            ran(tmp_path, TABLE.replace(one, other), (64, 8, 1))


def test_words_of_a_row_that_are_no_ids_may_be_anything(tmp_path: Path) -> None:
    """Rows have room for 16 lanes; of 8 lanes, those behind are of none."""
    beside = TABLE.replace("O(0,0)<1;1,0> 0x20:ud", "O(0,0)<1;1,0> 0x22:ud")
    assert not isinstance(asked(tmp_path, beside), Refines)


@pytest.mark.parametrize(
    ("start", "shape", "found"),
    [("0x4", "d32x3t", 4), ("0x50", "d32x3t", 3), ("0x10", "d64x3t", 12), ("0x30", "d64x3t", 0)],
)
def test_sizes_and_counts_are_those_of_the_launch(tmp_path: Path, start: str, shape: str, found: int) -> None:
    """In y; of 64 bits, the upper half is 0."""
    wide = shape.startswith("d64")
    assert set(ran(tmp_path, FIELD.format(start=start, shape=shape, dword=2 if wide else 1), (16, 4, 1))) == {found}
    if wide:
        assert set(ran(tmp_path, FIELD.format(start=start, shape=shape, dword=3), (16, 4, 1))) == {0}


def test_the_local_size_is_that_of_the_payload(tmp_path: Path) -> None:
    """And no other dimension of it."""
    right = FIELD.format(start="0x4", shape="d32x3t", dword=1)
    assert isinstance(asked(tmp_path, right, OWN_SIZE), Refines)
    assert isinstance(asked(tmp_path, right.replace("Q(0,1)", "Q(0,0)"), OWN_SIZE), Difference)


@pytest.mark.parametrize(
    ("start", "shape"),
    [("0x0", "d32t"), ("0x8", "d32x3t"), ("0x4", "d64t"), ("0x4", "d32x4t"), ("0x28", "d64t"), ("0x48", "d64x2t")],
)
def test_what_else_is_there_is_not_modelled(tmp_path: Path, start: str, shape: str) -> None:
    """The buffer of printf, say, and numbers across two fields."""
    with pytest.raises(NotModelled, match="arg"):
        asked(tmp_path, FIELD.format(start=start, shape=shape, dword=0), OWN_SIZE)


@pytest.mark.parametrize(
    "function",
    [
        TABLE.replace("    mov (M1_NM, 1) C(0,0)", "    mov (M1_NM, 1) N(0,0)"),
        TABLE.replace("    mov (M1_NM, 1) C(0,0)", "    mov (M1, 1) C(0,0)"),
        TABLE.replace("C(0,0)<1> 0x48:ud\n", "C(0,0)<1> 0x48:ud\n_between:\n"),
        TABLE.replace("arg[C]", "arg[0x2*C]"),
        TABLE + "    mov (M1_NM, 1) R0(0,2)<1> 0x0:ud\n",
    ],
    ids=["of another variable", "where lanes run", "after a label", "scaled", "the number is written over"],
)
def test_an_address_that_is_no_known_constant_is_not_modelled(tmp_path: Path, function: str) -> None:
    with pytest.raises(NotModelled, match="arg"):
        asked(tmp_path, function)


def test_a_kernel_that_reads_its_own_arguments_is_left_alone() -> None:
    """There `arg` is not what functions find."""
    assert not any(one.implicit == IMPLICIT for one in kernel(TABLE.replace("RESULT", "V")).inputs)
    inputs = kernel(CALL, TABLE).inputs
    assert [one.variable for one in inputs if one.implicit == IMPLICIT] == ["%local_id_table", IDS]
