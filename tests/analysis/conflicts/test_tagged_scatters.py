"""Scatters to shared local memory, of whose addresses IGC's tag is no part."""

import pytest

from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.verdicts import Conflict, Free
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.visaasm.reader import read_kernel

KERNEL = """.version 4.1
.kernel "k"
.decl A v_type=G type=ud num_elts=8 align=GRF
.kernel_attr SimdSize=8
.kernel_attr SLMSize=1
.function "k"
    mov (M1_NM, 8) A(0,0)<1> 0x76543210:uv
    mul (M1_NM, 8) A(0,0)<1> A(0,0)<1;1,0> {step}:ud
    add (M1_NM, 8) A(0,0)<1> A(0,0)<1;1,0> {tag}:ud
    {message}
    ret (M1, 1)
"""
MESSAGES = "scatter4_scaled.R (M1, 8) %slm 0x0:ud A.0 A.0", "lsc_store.slm (M1, 8)  flat[A]:a32  A:d32"


@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("tag", ["0x0", "0x10000000"])
@pytest.mark.parametrize(("step", "verdict"), [("0x4", Free), ("0x0", Conflict)])
def test_lanes_that_write_one_byte_collide_with_the_tag_as_without_it(
    message: str, tag: str, step: str, verdict: type[Free | Conflict]
) -> None:
    """A tagged address is none outside, where all lanes would be free."""
    kernel = read_kernel(KERNEL.format(step=step, tag=tag, message=message), "k.visaasm")
    answers = ask_kernel(kernel, Platform.DG2, NOTHING_KNOWN, Assume.NONE, 2000)
    (finding,) = answers.answers()
    assert isinstance(finding.answer, verdict)
    assert ("slm-tag" in {one.name for one in answers.start.assumed}) is (tag != "0x0")


WIDE = """.version 4.1
.kernel "k"
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ud num_elts=1 align=dword
.decl D v_type=G type=ud num_elts=32 align=GRF
.input B offset=32 size=4
.kernel_attr SimdSize=8
.kernel_attr SLMSize=1
.function "k"
    mov (M1_NM, 8) A(0,0)<1> 0x76543210:uv
    mul (M1_NM, 8) A(0,0)<1> A(0,0)<1;1,0> {step}:ud
    add (M1_NM, 8) A(0,0)<1> A(0,0)<1;1,0> B(0,0)<0;1,0>
    or (M1_NM, 8) A(0,0)<1> A(0,0)<1;1,0> 0x10000000:ud
    lsc_store.slm (M1, 8)  flat[A]:a32  D:d32x4
    ret (M1, 1)
"""


@pytest.mark.parametrize(("step", "verdict"), [("0x10", Free), ("0xc", Conflict), ("0x0", Conflict)])
def test_four_dwords_of_a_lane_of_which_the_tag_is_perhaps_a_part(step: str, verdict: type[Free | Conflict]) -> None:
    """Each dword by itself may lie where the tag ends: then they lie at no constant distances from each other."""
    kernel = read_kernel(WIDE.format(step=step), "k.visaasm")
    (finding,) = ask_kernel(kernel, Platform.DG2, NOTHING_KNOWN, Assume.NONE, 5000).answers()
    assert isinstance(finding.answer, verdict)
    assert len(finding.question.lanes) > 8
