"""Groups that fill their threads: a message of the whole thread may do what one does of the lanes that are on."""

import pytest

from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.input_meaning import LocalId, Piece
from visaproof.launch.launch import Launch
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.smt import is_true
from visaproof.visaasm.reader import read_kernel

KERNEL = """.version 4.1
.kernel "k"
.decl IDX v_type=G type=uw num_elts=16 align=GRF
.decl X v_type=G type=ud num_elts=16 align=GRF
.decl A v_type=G type=ud num_elts=16 align=GRF
.decl B v_type=G type=ud num_elts=1 align=GRF
.decl T6 v_type=T num_elts=1
.input IDX offset=32 size=32
.kernel_attr SimdSize=16
.function "k"
_main:
mov (M1, 16) X(0,0)<1> IDX(0,0)<1;1,0>
shl (M1, 16) A(0,0)<1> X(0,0)<1;1,0> 0x2:ud
shr (M1_NM, 1) B(0,0)<1> A(0,0)<0;1,0> 0x4:ud
movs (M1_NM, 1) T6(0) 0x0:ud
{store}
ret (M1, 1)
"""
OF_LANES = "scatter4_scaled.R (M1, 16) T6 0x0:ud A.0 X.0"
OF_THE_THREAD = "oword_st (4) T6 B(0,0)<0;1,0> X.0"


def program(store: str, items: int) -> Program:
    code = read_kernel(KERNEL.format(store=store), "k.visaasm")
    meanings = {"IDX": (Piece(0, 32, LocalId(0)),)}
    launch = Launch(16, meanings, {0: 0}, platform=Platform.TGLLP, group_size=(items, 1, 1))
    return Program(code, launch, Platform.TGLLP)


def answer(source: str, target: str, items: int, assume: str = "launch") -> Verdict:
    return decide(compare(program(source, items), program(target, items), Scope(Assume.of(assume))), 2_000)


@pytest.mark.parametrize("items", [16, 32])
def test_a_thread_that_is_full_stores_as_a_whole(items: int) -> None:
    comparison = compare(program(OF_LANES, items), program(OF_THE_THREAD, items), Scope(Assume.LAUNCH))
    assert all(map(is_true, comparison.question.lanes))
    assert isinstance(decide(comparison, 2_000), Refines)


@pytest.mark.parametrize(("items", "assume"), [(8, "launch"), (24, "launch"), (32, "launch,-whole-groups")])
def test_a_thread_with_lanes_that_are_off_stores_more_as_a_whole(items: int, assume: str) -> None:
    assert isinstance(answer(OF_LANES, OF_THE_THREAD, items, assume), Difference)


def test_lanes_that_no_thread_has_are_off() -> None:
    """A group of eight work items leaves the upper lanes of its thread off, so that they store nothing."""
    lower = "scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 X.0"
    assert isinstance(answer(OF_LANES, lower, 8), Refines)
    assert isinstance(answer(OF_LANES, lower, 16), Difference)
