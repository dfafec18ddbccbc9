"""For which work items a thread makes an access: without a mask, once for all that come there."""

import pytest

from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.input_meaning import Argument, ArgumentValue, LocalId, Piece
from visaproof.launch.launch import Launch
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Refines, Verdict
from visaproof.visaasm.reader import read_kernel

FLAG = "lsc_store.ugm (M1_NM, 1) bti(0x0)[ZERO]:a32 ONE:d32t"
READ = "lsc_load.ugm (M1, {simd}) Y:d32 bti(0x1)[AT]:a32"
OWN_FLAG = "lsc_store.ugm (M1, {simd}) bti(0x0)[AT]:a32 AT:d32"


def items(simd: int, *statements: str, bits: str = "0xffff") -> Program:
    """Work items of which some bits are more than a number run the statements, and store what they have read."""
    lines = [
        ".version 4.1", '.kernel "k"',
        ".decl ID v_type=G type=uw num_elts=16 align=GRF", ".decl N v_type=G type=ud num_elts=1 align=GRF",
        *(f".decl {name} v_type=G type=ud num_elts={simd} align=GRF" for name in ("X", "AT", "Y")),
        *(f".decl {name} v_type=G type=ud num_elts=1 align=GRF" for name in ("ZERO", "ONE")),
        f".decl P1 v_type=P num_elts={simd}",
        ".input ID offset=32 size=32", ".input N offset=128 size=4",
        f".kernel_attr SimdSize={simd}", '.function "k"', "_main:",
        "mov (M1_NM, 1) ZERO(0,0)<1> 0x0:ud", "mov (M1_NM, 1) ONE(0,0)<1> 0x1:ud",
        f"mov (M1, {simd}) X(0,0)<1> ID(0,0)<1;1,0>", f"shl (M1, {simd}) AT(0,0)<1> X(0,0)<1;1,0> 0x2:ud",
        f"and (M1, {simd}) X(0,0)<1> X(0,0)<1;1,0> {bits}:ud",
        f"cmp.lt (M1, {simd}) P1 N(0,0)<0;1,0> X(0,0)<1;1,0>", f"(!P1) goto (M1, {simd}) end",
        *(one.format(simd=simd) for one in statements),
        f"lsc_store.ugm (M1, {simd}) bti(0x2)[AT]:a32 Y:d32", "end:", "ret (M1, 1)", "",
    ]  # fmt: skip
    meanings = {"ID": (Piece(0, 2 * simd, LocalId(0)),), "N": (Piece(0, 4, ArgumentValue(Argument(3))),)}
    code = read_kernel("\n".join(lines), "k.visaasm")
    return Program(code, Launch(simd, meanings, {0: 0, 1: 1, 2: 2}, platform=Platform.DG2), Platform.DG2)


def asked(source: Program, target: Program) -> Verdict:
    return decide(compare(source, target, Scope(Assume.LAUNCH)), 3_000)


WIDTHS = [(8, 16), (16, 8)]


def test_a_flag_that_a_thread_sets_for_all_is_set_by_each_item() -> None:
    """Whatever buffers overlap: an item finds the flag where it came there itself."""
    assert isinstance(asked(items(8, FLAG, READ), items(16, FLAG, READ)), Refines)


@pytest.mark.parametrize("bits", ["0xffff", "0x7"])
@pytest.mark.parametrize("widths", WIDTHS)
def test_a_read_is_not_moved_before_a_flag_that_it_may_find(widths: tuple[int, int], bits: str) -> None:
    """Also where the first lane of no thread sets it."""
    for source, target in (((FLAG, READ), (READ, FLAG)), ((READ, FLAG), (FLAG, READ))):
        one, other = items(widths[0], *source, bits=bits), items(widths[1], *target, bits=bits)
        assert not isinstance(asked(one, other), Refines)


def test_each_item_finds_its_own_store_alone() -> None:
    assert isinstance(asked(items(8, OWN_FLAG, READ), items(16, OWN_FLAG, READ)), Refines)
    assert not isinstance(asked(items(8, OWN_FLAG, READ), items(16, READ, OWN_FLAG)), Refines)
