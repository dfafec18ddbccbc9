"""What an audit of the premises looked at beside the table: it is right, or not decided; nothing of it is granted."""

import pytest
from msgspec.structs import replace

from tests.premises import kernels
from tests.premises.witness import conflicts
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Alias, Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ud num_elts=8 align=GRF
.decl Q v_type=G type=uq num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.input X offset=64 size=32
.input Q offset=128 size=64
.kernel_attr SimdSize=8
.function "k"
_main:
mov (M1, 8) A(0,0)<1> 0x0:ud
mov (M1, 8) B(0,0)<1> 0x4:ud
"""
IDLE = "mov (M1_NM, 8) B(0,0)<1> 0x4:ud\n"
"""It makes another text of a kernel, which does the same."""
WIDE = "lsc_atomic_iadd.ugm (M1, 1) %null:d64 bti(0x0)[A]:a32 Q %null\n"
UPPER = "lsc_atomic_umax.ugm (M1, 1) %null:d32 bti(0x0)[B]:a32 X %null\n"
PLAIN = "lsc_store.ugm (M1, 1) bti(0x0)[B]:a32 X:d32\n"


def program(body: str) -> Program:
    return Program(read_kernel(f"{HEAD}{body}ret (M1, 1)\n", "k.visaasm"), NOTHING_KNOWN, Platform.DG2)


def asked(source: str, target: str) -> Verdict:
    scope = Scope(Assume.LAUNCH, alias=Alias.NONE)
    return decide(compare(program(source), program(target), scope), 2_000)


@pytest.mark.parametrize("other", [UPPER, PLAIN])
def test_atomics_of_64_bits_and_accesses_to_their_upper_half_keep_their_order(other: str) -> None:
    """A carry into the half that the other one changes."""
    assert isinstance(asked(WIDE + other, WIDE + IDLE + other), Refines)
    assert isinstance(asked(WIDE + other, other + WIDE), Difference)


@pytest.mark.slow
def test_an_atomic_of_64_bits_is_not_taken_for_two_of_32() -> None:
    """Another thread may come between them."""
    whole = "mov (M1_NM, 8) Q(0,0)<1> 0x500000003:uq\nlsc_atomic_or.ugm (M1, 1) %null:d64 bti(0x0)[A]:a32 Q %null\n"
    half = "mov (M1_NM, 8) X(0,0)<1> 0x{}:ud\nlsc_atomic_or.ugm (M1, 1) %null:d32 bti(0x0)[{}]:a32 X %null\n"
    assert not isinstance(asked(whole, half.format(3, "A") + half.format(5, "B")), Refines)


STORE = "mov (M1_NM, 1) X(0,0)<1> 0x1:ud\nlsc_store.ugm (M1, 1) bti(0x0)[A]:a32 X:d32\n"
READS = {
    "load": "lsc_load.ugm (M1, 1) X:d32 bti(0x1)[A]:a32\n",
    "atomic": "lsc_atomic_or.ugm (M1, 1) X:d32 bti(0x1)[A]:a32 A %null\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("way", READS)
def test_nothing_is_proved_of_what_waits_for_another_thread(way: str) -> None:
    """A wait that is dropped, added, or crossed by what the other thread waits for."""
    wait = f"_l:\n{READS[way]}cmp.eq (M1, 1) P1 X(0,0)<0;1,0> 0x0:ud\n(P1) jmp (M1, 1) _l\n"
    changes = (wait + STORE, STORE), (STORE, wait + STORE), (STORE + wait, wait + STORE), (wait + STORE, STORE + wait)
    for source, target in changes:
        assert not isinstance(asked(source, target), Refines)


@pytest.mark.parametrize(("uniform", "verdict"), [(True, "free"), (False, "conflict"), (None, "conflict")])
def test_build_options_grant_whole_groups(uniform: bool | None, verdict: str) -> None:
    """Rows of four work items, where the last group may have fewer: not with `-cl-uniform-work-group-size`."""
    code = kernels.program(kernels.AT_X + kernels.ROWS + kernels.WRITE, group_size=(8, 4, 1), uniform=uniform)
    alone, lifted = (conflicts(code, assume) for assume in ("launch", "launch,-whole-groups"))
    assert alone.verdict == conflicts(code, "launch").verdict
    assert ("uniform-groups" in lifted.premises, "whole-groups" in alone.premises) == (bool(uniform), not uniform)
    assert lifted.right == (verdict == "free")


def test_a_target_that_refuses_smaller_last_groups_is_asked_of_whole_ones() -> None:
    source, target = (replace(one, launch=replace(one.launch, uniform=own))
                      for one, own in ((program(STORE), False), (program(IDLE + STORE), True)))  # fmt: skip
    for one, other, assumed in ((source, target, True), (target, source, False)):
        premises = compare(one, other, Scope(Assume.NONE)).assumed
        assert ("whole-groups" in {each.name for each in premises}) == assumed


def test_images_with_several_samples_are_not_modelled() -> None:
    """What the compiler makes of `image2d_msaa_t`."""
    body = "load_mcs.R (M1, 8) 0x0:uw %bss X.0 X.0 X.0\n"
    with pytest.raises(NotModelled):
        asked(body, IDLE + body)
