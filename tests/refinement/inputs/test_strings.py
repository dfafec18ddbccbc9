"""Strings for `printf`: kernels store their addresses, and the host reads them when the kernels have ended."""

import pytest

from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.constants import Constant
from visaproof.launch.launch import Launch
from visaproof.launch.matching import Program
from visaproof.refinement import comparison as module
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Refines
from visaproof.visaasm.linking.names import linked
from visaproof.visaasm.reader import read_kernel

TEXT = """.version 4.1
.kernel "k"
.decl A v_type=G type=uq num_elts=1 align=GRF
.decl L v_type=G type=ud num_elts=2 align=GRF alias=<A,0>
.decl O v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "k"
_main:
    movs (M1_NM, 1) T6(0) 0x0:ud
    faddr ".str" A(0,0)<1>
    mov (M1_NM, 8) O(0,0)<1> 0x76543210:uv
    shl (M1_NM, 8) O(0,0)<1> O(0,0)<1;1,0> 0x2:ud
    mov (M1_NM, 8) D(0,0)<1> L(0,0)<0;1,0>
    {more}
    scatter4_scaled.R (M1, 8) T6 0x0:ud O.0 D.0
    ret (M1, 1)
"""
"""It puts the address of a string into a buffer."""


def program(string: bytes | None, more: str = "") -> Program:
    kernel = linked(read_kernel(TEXT.format(more=more), "k.visaasm"), {})
    constants = {} if string is None else {"&.str": Constant(string)}
    return Program(kernel, Launch(simd=8, constants=constants), Platform.TGLLP)


def compared(source: bytes | None, target: bytes | None) -> Comparison:
    again = "mov (M1_NM, 8) D(0,0)<1> L(0,0)<0;1,0>"
    return compare(program(source), program(target, again), Scope(Assume.IDS))


@pytest.mark.usefixtures("few_runs")
@pytest.mark.parametrize(("target", "alike"), [(b"value %d\n\0", True), (b"value %x\n\0", False), (b"\0", False)])
def test_another_string_is_another_program(target: bytes, alike: bool) -> None:
    assert isinstance(decide(compared(b"value %d\n\0", target), 2_000), Refines) == alike


def test_without_the_net_of_tables_another_string_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_own_tables", lambda *_: frozenset())
    assert isinstance(decide(compared(b"value %d\n\0", b"value %x\n\0"), 2_000), Refines)


@pytest.mark.parametrize(("source", "target"), [(None, None), (b"%d\0", None), (None, b"%d\0")])
def test_strings_of_which_nothing_is_said_are_a_premise(source: bytes | None, target: bytes | None) -> None:
    comparison = compared(source, target)
    assert "constants-equal" in {one.name for one in comparison.assumed}
    assert isinstance(decide(comparison, 2_000), Refines)
