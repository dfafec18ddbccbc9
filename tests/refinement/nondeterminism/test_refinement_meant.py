"""Where a choice of uninitialised values leaves the source undefined, any target refines it."""

import pytest

from tests.support.differences import byte_of
from visaproof.checking.ladder import Values
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import MEANT, decide
from visaproof.refinement.nondeterminism.always_defined import in_all_launches, where_meant
from visaproof.refinement.scope import Alias, Scope
from visaproof.refinement.testing.memory import nothing, word_value
from visaproof.refinement.testing.random_launches import unknowns
from visaproof.refinement.testing.runs import again, difference
from visaproof.refinement.verdicts import Refines, Verdict
from visaproof.visaasm.reader import read_kernel

KERNEL = """.version 4.1
.kernel "k"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ud num_elts=1 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.input X offset=32 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
add (M1, 8) A(0,0)<1> X(0,0)<1;1,0> 0x0:ud
movs (M1_NM, 1) T6(0) 0x0:ud
{load} (2) T6 A(0,0)<0;1,0> D.0
movs (M1_NM, 1) T6(0) 0x1:ud
shr ({mask}, 1) B(0,0)<1> A(0,0)<0;1,0> 0x4:ud
oword_st (2) T6 B(0,0)<0;1,0> D.0
ret (M1, 1)
"""


def answer(load: str) -> Verdict:
    """A store whose place is computed for any lanes, and in the target where lane 0 is on."""
    kernels = [read_kernel(KERNEL.format(load=load, mask=mask), f"{mask}.visaasm") for mask in ("M1_NM", "M1")]
    source, target = (Program(one, NOTHING_KNOWN, Platform.TGLLP) for one in kernels)
    return decide(compare(source, target, Scope(Assume.NONE, alias=Alias.NONE)), 2_000)


@pytest.mark.slow
def test_a_load_from_any_address_may_be_misaligned_so_that_only_lane_0_being_on_is_left_to_compare() -> None:
    found = answer("oword_ld_unaligned")
    assert isinstance(found, Refines)
    assert found.rung.endswith(MEANT)


def test_a_load_that_has_a_meaning_at_any_address_leaves_no_launch_out() -> None:
    """The target stores somewhere else than the source where lane 0 is off."""
    assert not isinstance(answer("oword_ld"), Refines)


# ---------------------------------------------------------------- lanes that are off

WIDENED = """.version 4.1
.kernel "k"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl C v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input X offset=32 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
mov (M1_NM, 8) C(0,0)<1> 0x76543210:v
shl (M1_NM, 8) C(0,0)<1> C(0,0)<1;1,0> 0x2:ud
mov (M1, 4) A(0,0)<1> C(0,0)<1;1,0>
{aligned}cmp.lt (M1, 4) P1 X(0,0)<1;1,0> {bound}:ud
(P1) scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 X.0
{more}ret (M1, 1)
"""
"""Four lanes store; a wider message has four more, and nothing wrote their addresses nor whether they store."""

UPPER_LANES_STORE = "(P1) scatter4_scaled.R (M1, 8) T6 0x40:ud C.0 X.0\n"
ALIGNED = "and (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0xfffffffc:ud\n"


def widened(bound: str = "0x40", more: str = "", aligned: str = "") -> Program:
    kernel = read_kernel(WIDENED.format(bound=bound, more=more, aligned=aligned), f"{bound}{bool(more)}.visaasm")
    return Program(kernel, NOTHING_KNOWN, Platform.TGLLP)


LOWER_LANES_OFF = "(M1, 4) X(0,0)<1> 0x80:ud\n"
ONLY_UPPER = f"mov {LOWER_LANES_OFF}cmp.lt (M1, 4) P1 X(0,0)<1;1,0> 0x40:ud\n" + UPPER_LANES_STORE
"""A further store of the upper lanes alone."""


@pytest.mark.slow
def test_lanes_are_off_that_may_store_at_a_misaligned_address() -> None:
    found = decide(compare(widened(), widened(more=ONLY_UPPER), Scope(Assume.NONE)), 2_000)
    assert isinstance(found, Refines)
    assert found.rung.endswith(MEANT)


def test_a_lane_that_stores_at_any_aligned_address_is_not_off() -> None:
    comparison = compare(widened(aligned=ALIGNED), widened(more=ONLY_UPPER, aligned=ALIGNED), Scope(Assume.NONE))
    assert where_meant(comparison) is None
    assert not isinstance(decide(comparison, 2_000), Refines)


def test_a_difference_where_these_lanes_are_off_is_one_of_all_launches() -> None:
    comparison = compare(widened(), widened(bound="0x3f"), Scope(Assume.NONE))
    meant = where_meant(comparison)
    assert meant is not None
    assert meant.granted.off == frozenset(comparison.question.lanes[4:])
    lane, x = meant.question.lanes[0], next(iter(meant.runners[0].start_words()))
    values: Values = {one: word_value(one, 0, 0, 64) for one in unknowns(meant.question, meant.runners)}
    values |= {lane: 1, x: 0x3F}
    found = difference(*meant.runners, meant.question, values, nothing)
    assert found is not None
    everywhere = in_all_launches(comparison, meant, found)
    assert everywhere is not None
    assert (everywhere.exec_mask, byte_of(everywhere).address) == (found.exec_mask, byte_of(found).address)
    assert again(*comparison.runners, comparison.question, everywhere) is not None
