"""Runs without what decides no place, mask or branch: where lanes store, and when, is what the whole run says."""

from pathlib import Path

import pytest

from visaproof.isa.platform import Platform, platform_named
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.lower import lowered
from visaproof.program.places_alone import places_alone
from visaproof.program.statements import Nothing
from visaproof.semantics.symbolic.accesses import Load
from visaproof.smt import BitVec, Bool
from visaproof.visaasm.reader import read_kernel, read_kernel_file
from visaproof.visaasm.syntax import Kernel

DATA = Path(__file__).parents[2] / "data" / "visaasm"
FILES = sorted(DATA.glob("*/*.visaasm"))[1::3]

HEADER = """.version 4.1
.kernel "k"
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl E v_type=G type=ud num_elts=8 align=GRF
.decl F v_type=G type=f num_elts=8 align=GRF
.decl ROWS v_type=G type=ud num_elts=16 align=GRF
.decl A0 v_type=A num_elts=1
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input A offset=32 size=32
.input D offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
    movs (M1_NM, 1) T6(0) 0x0:ud
    movs (M1_NM, 1) T7(0) 0x1:ud
"""

STORE = "    scatter_scaled.4 (M1, 8) T6 0x0:ud A.0 E.0\n"
LOAD = "    gather_scaled.4 (M1, 8) T7 0x0:ud {1}.0 {0}.0\n"
ADD = "    add (M1, 8) {0}(0,0)<1> {1}(0,0)<1;1,0> 0x5:ud\n"
BACK = "    scatter_scaled.4 (M1, 8) %scratch 0x0:ud D.0 E.0\n    gather_scaled.4 (M1, 8) %scratch 0x0:ud D.0 {}.0\n"

NEEDED = {
    "an address": ADD.format("A", "D") + STORE,
    "an address that is loaded": LOAD.format("A", "D") + STORE,
    "where an address is loaded from": ADD.format("E", "D") + LOAD.format("A", "E") + STORE,
    "a mask": "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x5:ud\n    (P1)" + STORE,
    "a loaded mask": LOAD.format("D", "D") + "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x5:ud\n    (P1)" + STORE,
    "a branch": "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x5:ud\n    (P1) goto (M1, 8) over\n" + STORE + "over:\n" + STORE,
    "a mask of what computes an address": "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x5:ud\n    (P1)" + ADD.format("A", "D")
    + STORE,
    "what is stored and loaded again": ADD.format("E", "D") + BACK.format("A") + STORE,
    "what is read through an address": ADD.format("ROWS", "D") + "    addr_add (M1_NM, 1) A0(0)<1> &ROWS 0x0:uw\n"
    "    mov (M1, 8) A(0,0)<1> r[A0(0),0]<8;8,1>:ud\n" + STORE,
    "how floats are rounded": "    or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud\n"
    "    mov (M1, 8) F(0,0)<1> D(0,0)<1;1,0>\n    mov (M1, 8) A(0,0)<1> F(0,0)<1;1,0>\n" + STORE,
}  # fmt: skip
"""Kernels of which nothing may be left out."""

NEEDLESS = {
    "what is stored": (ADD.format("E", "D") + STORE, 1),
    "what is loaded and stored": (LOAD.format("E", "D") + ADD.format("E", "E") + STORE, 2),
    "where data is loaded from": (ADD.format("D", "D") + LOAD.format("E", "D") + STORE, 2),
    "a mask of data alone": (
        "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x5:ud\n    (P1)" + ADD.format("E", "D") + STORE, 2
    ),
    "data that is stored and loaded again": (ADD.format("E", "D") + BACK.format("E") + STORE, 2),
}  # fmt: skip
"""With how many statements may be left out."""


def of(body: str) -> Kernel:
    return read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm")


def left_out(kernel: Kernel) -> int:
    program = lowered(kernel, Platform.TGLLP)
    alone = places_alone(program, private=False)
    pairs = zip(program.statements, alone.program.statements, strict=True)
    return len(alone.loads) + sum(one is not other and isinstance(other, Nothing) for one, other in pairs)


def places(ran: Trace) -> list[tuple[int, str, Bool, tuple[BitVec, ...]]]:
    """Where lanes store, and when."""
    return [
        (one.instruction.position.line, one.surface, access.guard, access.cell)
        for one in ran.performed
        for access in one.accesses
        if not isinstance(access, Load)
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_lanes_store_where_they_do_in_the_whole_run(path: Path) -> None:
    kernel = read_kernel_file(path)
    platform = platform_named(path.stem.split("-")[0])
    whole = trace(kernel, platform, nondeterministic=True)
    alone = trace(kernel, platform, nondeterministic=True, only_places=True)
    assert places(alone) == places(whole)
    assert [one.jumping for one in alone.branches] == [one.jumping for one in whole.branches]
    assert alone.bounded == whole.bounded
    assert alone.surfaces.keys() == whole.surfaces.keys()
    assert [one for one, _ in alone.conditions] == [one for one, _ in whole.conditions]


@pytest.mark.parametrize("body", NEEDED.values(), ids=NEEDED)
def test_what_decides_a_place_is_not_left_out(body: str) -> None:
    kernel = of(body)
    assert left_out(kernel) == 0
    assert places_alone(lowered(kernel, Platform.TGLLP), private=False).is_whole


@pytest.mark.parametrize(("body", "count"), NEEDLESS.values(), ids=NEEDLESS)
def test_data_is_left_out(body: str, count: int) -> None:
    kernel = of(body)
    assert left_out(kernel) == count
    whole, alone = (trace(kernel, Platform.TGLLP, only_places=one) for one in (False, True))
    assert places(alone) == places(whole)


def test_what_is_stored_in_the_flat_address_space_is_needed_where_some_of_it_is_private() -> None:
    """One pointer is stored in private memory, and another is loaded from there: they may be the same."""
    body = (
        ADD.format("E", "D") + "    svm_scatter.4.1 (M1, 8) P.0 E.0\n    svm_gather.4.1 (M1, 8) P.0 A.0\n" + STORE
    ).replace("P.0", "Q.0")
    kernel = read_kernel(
        HEADER.replace(".decl A0", ".decl Q v_type=G type=uq num_elts=8 align=GRF\n.decl A0") + body
        + "    ret (M1, 1)\n", "k.visaasm",
    )  # fmt: skip
    program = lowered(kernel, Platform.TGLLP)
    assert places_alone(program, private=True).is_whole
    assert not places_alone(program, private=False).is_whole
