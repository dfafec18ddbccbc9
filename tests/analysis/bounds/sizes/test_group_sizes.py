"""Sizes of groups under a global size: the last group may be smaller, and there may be more than 2^32 work items."""

import pytest

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds
from visaproof.analysis.surface_sizes import parse_amount
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import Launch, LaunchValue, Piece
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl L v_type=G type=ud num_elts=3 align=dword
.decl E v_type=G type=ud num_elts=3 align=dword
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.input L offset=64 size=12
.input E offset=76 size=12
.kernel_attr SimdSize=8
.function "k"
    movs (M1_NM, 1) T6(0) 0x0:ud
"""
STORE = (
    "    shl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud\n    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0\n    ret (M1, 1)\n"
)
LAST = "    add (M1, 8) A(0,0)<1> {}(0,0)<0;1,0> -8:d\n"
"""0 in groups of 8."""
MEANINGS = {"L": (Piece(0, 12, LaunchValue.LOCAL_SIZE),), "E": (Piece(0, 12, LaunchValue.ENQUEUED_LOCAL_SIZE),)}


def is_inside(body: str, group: int, items: int) -> bool:
    """Whether each store is in the first dword."""
    launch = Launch(simd=8, meanings=MEANINGS, group_size=(group, 1, 1), binding_table={0: 0}, arg_names={0: "dst"})
    stated = StatedLaunch((("dst", parse_amount("4", "--size")),), (parse_amount(str(items), "--global-size"),))
    kernel = read_kernel(HEAD + body + STORE, "k.visaasm")
    answers = ask_bounds(kernel, Platform.TGLLP, launch, Assume.IDS, stated, 5000)
    assert not answers.vacuous
    return all(isinstance(one.bounds, Holds) for one in answers.answers())


def test_only_the_enqueued_size_of_a_group_is_required() -> None:
    """Premises: of 9 work items in groups of 8, the last group has one."""
    assert is_inside(LAST.format("E"), 8, 9)
    assert not is_inside(LAST.format("L"), 8, 9)


@pytest.mark.parametrize(("items", "expected"), [(2**32, True), (2**34, False)])
def test_the_number_of_groups_is_below_4294967296(items: int, expected: bool) -> None:
    """Premises: 2^34 work items in groups of 256 are 2^26 groups."""
    assert is_inside("    shr (M1, 8) A(0,0)<1> %r0(0,1)<0;1,0> 0x18:ud\n", 256, items) is expected
