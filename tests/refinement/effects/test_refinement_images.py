"""Kernels that read images by a sampler: runs of both find texels that tell them apart, and show them."""

import msgspec
import pytest

from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.record import refinement_record
from visaproof.refinement.replay import replay_refinement
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.report.two_kernels.answer import verdict_lines
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=d num_elts=8 align=GRF
.decl Y v_type=G type=d num_elts=8 align=GRF
.decl N v_type=G type=d num_elts=8 align=GRF
.decl L v_type=G type=f num_elts=8 align=GRF
.decl U v_type=G type=f num_elts=8 align=GRF
.decl V v_type=G type=f num_elts=8 align=GRF
.decl A v_type=G type=f num_elts=8 align=GRF
.decl B v_type=G type=f num_elts=8 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input X offset=32 size=32
.input Y offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
movs (M1_NM, 1) T7(0) 0x1:ud
"""
SUM = """movs (M1_NM, 1) S0(0) {sampler}:ud
mov (M1, 8) U(0,0)<1> X(0,0)<1;1,0>
mov (M1, 8) V(0,0)<1> Y(0,0)<1;1,0>
mov (M1, 8) L(0,0)<1> 0x0:f
sample_l.R (M1, 8) 0x0:uw S0 T6 A.0 L.0 U.0 V.0
add (M1, 8) U(0,0)<1> U(0,0)<1;1,0> {step}:f
sample_lz.R (M1, 8) {texel_offset}:uw S0 T6 B.0 U.0 V.0
add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>
"""
STORE = "scatter4_typed.R (M1, 8) {image} X.0 Y.0 %null.0 %null.0 A.0\n"


def summed(step: str = "0x3f800000", sampler: str = "0x0", texel_offset: str = "0x0", image: str = "T7") -> str:
    """Stores the sum of two texels side by side; of those at `step` 2.0, of every other texel."""
    return SUM.format(sampler=sampler, step=step, texel_offset=texel_offset) + STORE.format(image=image)


def program(body: str) -> Program:
    return Program(read_kernel(HEAD + body + "ret (M1, 1)\n", "k.visaasm"), NOTHING_KNOWN, Platform.TGLLP)


def asked(source: str, target: str, timeout_ms: int = 5_000) -> tuple[Comparison, Verdict]:
    comparison = compare(program(source), program(target), Scope(Assume.NONE))
    return comparison, decide(comparison, timeout_ms)


def shown(source: str, target: str) -> str:
    """The run that shows the difference, which its file replays."""
    comparison, found = asked(source, target)
    assert isinstance(found, Difference), found
    record = refinement_record(comparison, found, "they differ")
    assert replay_refinement(record, "k.json") == ()
    return "\n".join(verdict_lines(comparison, found))


def test_sums_of_other_texels_differ() -> None:
    text = shown(summed(), summed(step="0x40000000"))
    assert "R of texel" in text
    assert "outside of an image" in text
    assert "uninitialised" not in text
    held = "".join(line for line in text.splitlines() if "texels, " in line)
    assert 0 < held.count("= 0x") < 8, "most texels are 0"


def test_samplers_differ_in_what_they_bring_outside() -> None:
    text = shown(summed(), summed(sampler="0x1"))
    assert "sampler 0" in text
    assert "sampler 1" in text


def test_a_file_without_its_samplers_does_not_replay() -> None:
    comparison, found = asked(summed(), summed(step="0x40000000"))
    assert isinstance(found, Difference)
    record = msgspec.structs.replace(refinement_record(comparison, found, "they differ"), samplers={})
    assert any("does not run" in line for line in replay_refinement(record, "k.json"))


@pytest.mark.slow
def test_the_order_of_reads_is_not_seen() -> None:
    other = summed().replace("A(0,0)<1> A(0,0)<1;1,0> B(0,0)", "A(0,0)<1> B(0,0)<1;1,0> A(0,0)")
    assert not isinstance(asked(summed(), other, 300)[1], Difference)
    assert isinstance(asked(summed(), summed())[1], Refines)


@pytest.mark.slow
@pytest.mark.parametrize("changed", [{"texel_offset": "0x1"}, {"image": "T6"}])
def test_what_is_not_modelled_of_a_sampler_shows_no_difference(changed: dict[str, str]) -> None:
    """Texel offsets, and images that are stored to as well: runs know them of 0 alone."""
    assert not isinstance(asked(summed(**changed), summed(step="0x40000000", **changed), 300)[1], Difference)


def test_texels_that_are_named_hold_something_in_an_image_that_is_only_read() -> None:
    copied = "load_lz.R (M1, 8) 0x0:uw T6 A.0 {}.0 {}.0\n" + STORE.format(image="T7")
    text = shown(copied.format("X", "Y"), copied.format("Y", "X"))
    assert "R of texel" in text


def sums_as_coordinates(mask: str, read: str) -> str:
    """Stores the texel at (X + Y, Y); the sum is of lanes that are on, or of all."""
    text = f"""add ({mask}, 8) N(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>
add (M1_NM, 8) N(0,0)<1> N(0,0)<1;1,0> 0x1:d
load_lz.R ({read}, 8) 0x0:uw T6 A.0 N.0 Y.0
"""
    return text + STORE.format(image="T7").replace("M1", read)


@pytest.mark.slow
def test_coordinates_of_lanes_that_are_off_are_not_seen() -> None:
    """Where other lanes do not read, their coordinate may be a sum with uninitialised values."""
    on, everywhere = (sums_as_coordinates(mask, "M1") for mask in ("M1", "M1_NM"))
    assert isinstance(asked(on, everywhere)[1], Refines)
    assert isinstance(asked(everywhere, on)[1], Refines)
    on, everywhere = (sums_as_coordinates(mask, "M1_NM") for mask in ("M1", "M1_NM"))
    assert not isinstance(asked(everywhere, on)[1], Refines), "lanes that are off read, too"
