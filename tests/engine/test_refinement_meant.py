"""Where a choice of what nothing wrote leaves the source without a meaning, any target refines it."""

from visaproof.engine.refinement.comparison import compare
from visaproof.engine.refinement.decision import MEANT, Refines, Verdict, decide
from visaproof.engine.refinement.scope import Scope
from visaproof.isa.platform import Platform
from visaproof.kernel.assumptions import Assume
from visaproof.kernel.launch import NOTHING_KNOWN
from visaproof.kernel.matching import Program
from visaproof.kernel.reader import read_kernel

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
    return decide(compare(source, target, Scope(Assume.NONE)), 2_000)


def test_a_load_from_any_address_may_be_misaligned_so_that_only_lane_0_being_on_is_left_to_compare() -> None:
    found = answer("oword_ld_unaligned")
    assert isinstance(found, Refines)
    assert found.rung.endswith(MEANT)


def test_a_load_that_has_a_meaning_at_any_address_leaves_no_launch_out() -> None:
    """The target stores somewhere else than the source where lane 0 is off."""
    assert not isinstance(answer("oword_ld"), Refines)
