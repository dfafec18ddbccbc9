"""The bindless handle and the pointer of one argument are one buffer, which kernels reach by either."""

import pytest

from visaproof.execution.arguments import prepare
from visaproof.execution.payload import Program as Launched
from visaproof.execution.run import run_launch
from visaproof.execution.shape import Shape
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import Argument, BufferAddress, Launch, Piece, Surface
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Refines
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

HEADER = """.version 4.2
.kernel "k"
.decl PTR v_type=G type=uq num_elts=1 align=GRF
.decl HANDLE v_type=G type=ud num_elts=1 align=GRF
.decl COPY v_type=G type=ud num_elts=1 align=GRF
.decl I v_type=G type=ud num_elts=8 align=GRF
.decl Q v_type=G type=uq num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.input PTR offset=32 size=8
.input HANDLE offset=40 size=4
.kernel_attr SimdSize=8
.function "k"
_main:
    mov (M1, 8) D(0,0)<1> 0x76543210:uv
    shl (M1, 8) I(0,0)<1> D(0,0)<1;1,0> 0x2:ud
"""
BY_POINTER = """    add (M1, 8) Q(0,0)<1> PTR(0,0)<0;1,0> I(0,0)<1;1,0>
    lsc_store.ugm (M1, 8) flat[Q]:a64 D:d32
"""
STORES = {
    "pointer": BY_POINTER,
    "base": "    lsc_store.ugm (M1, 8) flat(PTR)[0x4*D]:a32u D:d32\n",
    "handle": "    lsc_store.ugm (M1, 8) bss(HANDLE)[I]:a32 D:d32\n",
    "copied handle": """    mov (M1_NM, 1) COPY(0,0)<1> HANDLE(0,0)<0;1,0>
    lsc_store.ugm (M1, 8) bss(COPY)[0x4*D]:a32 D:d32
""",
}


def kernel(store: str) -> Kernel:
    return read_kernel(f"{HEADER}{STORES[store]}    ret (M1, 1)\n", "k.visaasm")


def launch(handle: int) -> Launch:
    """The pointer is that of argument 0, and the handle of this argument."""
    meanings = {
        "PTR": (Piece(0, 8, BufferAddress(Argument(0))),),
        "HANDLE": (Piece(0, 4, Surface(Argument(handle))),),
    }
    return Launch(simd=8, meanings=meanings)


@pytest.mark.parametrize("way", STORES)
@pytest.mark.parametrize("handle", [0, 1])
def test_a_store_by_handle_is_one_by_pointer_of_the_same_argument(way: str, handle: int) -> None:
    sides = [Program(kernel(each), launch(handle), Platform.DG2) for each in ("pointer", way)]
    comparison = compare(sides[0], sides[1], Scope(assume=Assume.NONE))
    same = handle == 0 or "handle" not in way
    assert isinstance(decide(comparison, 20_000), Refines) is same


ADDED = """    add (M1, 8) I(0,0)<1> I(0,0)<1;1,0> 0x40:ud
    lsc_store.ugm (M1, 8) bss(HANDLE)[I]:a32 D:d32
"""
IMMEDIATE = "    lsc_store.ugm (M1, 8) bss(HANDLE)[I+0x40]:a32 D:d32\n"


@pytest.mark.parametrize(("one", "other"), [(ADDED, IMMEDIATE), (IMMEDIATE, ADDED), (IMMEDIATE, IMMEDIATE)])
def test_a_sum_with_an_immediate_rests_on_a_premise(one: str, other: str) -> None:
    """No page says whether it wraps; a kernel that adds as the other one does needs no answer."""
    texts = (f"{HEADER}{store}    ret (M1, 1)\n" for store in (one, other))
    source, target = (Program(read_kernel(text, "k.visaasm"), launch(0), Platform.DG2) for text in texts)
    comparison = compare(source, target, Scope(assume=Assume.NONE))
    assert isinstance(decide(comparison, 20_000), Refines)
    assert ("lsc-immediate" in {each.name for each in comparison.assumed}) is (one != other)


@pytest.mark.parametrize("way", STORES)
def test_a_run_reaches_the_buffer_of_the_argument_by_either(way: str) -> None:
    program = Launched(kernel(way), launch(1), Platform.DG2)
    values, memory = prepare(program, Shape((8, 1, 1), (8, 1, 1)), {}, {0: bytes(32), 1: bytes(32)})
    assert run_launch(program, values, memory).undefined is None
    numbers = b"".join(lane.to_bytes(4, "little") for lane in range(8))
    reached = 1 if "handle" in way else 0
    assert {index: bytes(buffer.data) == numbers for index, buffer in memory.buffers.items()} == {
        reached: True,
        1 - reached: False,
    }
