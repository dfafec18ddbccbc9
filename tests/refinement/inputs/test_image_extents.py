"""Images are no larger than those of a device: what could differ only beyond that does not."""

import pytest

from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.refinement import questions
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Refines, Verdict
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl Z v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input X offset=64 size=32
.input Y offset=96 size=32
.input Z offset=128 size=32
.kernel_attr SimdSize=8
.function "k"
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1, 8) A(0,0)<1> X(0,0)<1;1,0>
"""
STORE = "    scatter4_typed.R (M1, 8) T6 {}.0 {} {} %null.0 A.0\n    ret (M1, 1)\n"
BELOW = "    cmp.lt (M1, 8) P1 {}(0,0)<1;1,0> 0x{:x}:ud\n    (P1) "


def asked(place: str, most: int, axes: tuple[str, str, str]) -> Verdict:
    """Whether a store may be left out where a coordinate is not below `most`."""
    u, v, r = axes
    store = STORE.format(u, v if v == "%null.0" else f"{v}.0", r if r == "%null.0" else f"{r}.0")
    texts = (store, BELOW.format(place, most) + store.lstrip())
    one, other = (Program(read_kernel(HEAD + text, "k.visaasm"), NOTHING_KNOWN, Platform.TGLLP) for text in texts)
    comparison = compare(one, other, Scope(Assume.NONE))
    assert ("image-extents" in {each.name for each in comparison.assumed}) is (v != "%null.0")
    return decide(comparison, 5000)


PLANE, VOLUME, LINE = ("X", "Y", "%null.0"), ("X", "Y", "Z"), ("X", "%null.0", "%null.0")


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    ("place", "most", "axes"), [("X", 1 << 14, PLANE), ("Y", 1 << 14, PLANE), ("Z", 1 << 11, VOLUME)]
)
def test_a_store_outside_of_every_image_may_be_left_out(place: str, most: int, axes: tuple[str, str, str]) -> None:
    assert isinstance(asked(place, most, axes), Refines)
    assert not isinstance(asked(place, most - 1, axes), Refines)


def test_an_image_of_one_dimension_may_be_that_of_a_buffer() -> None:
    assert not isinstance(asked("X", 1 << 14, LINE), Refines)


def test_without_the_limits_it_may_not(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: tuple[()] = ()
    monkeypatch.setattr(questions, "limits", lambda trace, name: nothing)
    with pytest.raises(AssertionError):
        asked("X", 1 << 14, PLANE)
