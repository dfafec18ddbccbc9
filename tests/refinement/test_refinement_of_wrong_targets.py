"""Wrong targets that are hard to run or to prove, and changes that only look like one, in dumps of the corpus."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.support.differences import byte_of
from visaproof.checking.stages import Values
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, read_launch
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.record import refinement_record
from visaproof.refinement.refines import Programs
from visaproof.refinement.replay import replay_refinement
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.random_launches import unknowns
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.verdicts import Difference, Refines, TargetUndefined, Verdict
from visaproof.smt import Term, symbols_of
from visaproof.visaasm.linking.names import read_program
from visaproof.visaasm.reader import read_kernel

DATA = Path(__file__).parents[1] / "data"


def planted(dump: str, before: str, after: str) -> Comparison:
    """A dump beside itself, in which one statement is another."""
    grf_bytes = 64 if "/pvc" in dump else 32
    path = DATA / "visaasm" / f"{dump}.visaasm"
    kernel = read_program(path, grf_bytes=grf_bytes)
    launch = read_launch(DATA / "manifest.json", kernel)
    assert launch.platform is not None
    text = path.read_text("utf-8")
    assert text.count(before) == 1
    wrong = read_kernel(text.replace(before, after), str(path), grf_bytes=grf_bytes)
    source, target = (Program(one, launch, launch.platform) for one in (kernel, wrong))
    return compare(source, target, Scope(Assume.IDS))


def answer(dump: str, before: str, after: str) -> Verdict:
    return decide(planted(dump, before, after), 5_000)


def test_a_surface_by_a_handle_of_no_argument_is_met_in_a_run() -> None:
    """The upper half of what the launch passes for a surface is no handle; the example replays."""
    comparison = planted("qw_reverse/dg2-O2-simd8-bindless", "V0066(0,0)<0;1,0>", "V0066(0,1)<0;1,0>")
    assert comparison.open is not None
    found = decide(comparison, 2_000)
    assert isinstance(found, Difference)
    assert isinstance(found.what, TargetUndefined)
    assert "that of no argument" in found.what.undefined.message
    assert not replay_refinement(refinement_record(comparison, found, "a handle of no argument"), "example.json")


@pytest.mark.slow
def test_the_same_handle_in_another_way_is_no_difference() -> None:
    """An unmasked copy is the handle in every launch; under the mask it is where lane 0 is on."""
    copied = "mov (M1_NM, 1) V0065(0,0)<1> V0066(0,0)<0;1,0>"
    twice = f"{copied}\n    mov (M1_NM, 1) V0065(0,0)<1> V0066(0,0)<0;1,0>"
    assert isinstance(answer("qw_reverse/dg2-O2-simd8-bindless", copied, twice), Refines)
    masked = answer("qw_reverse/dg2-O2-simd8-bindless", copied, copied.replace("M1_NM", "M1"))
    assert isinstance(masked, Difference)
    assert not masked.exec_mask & 1


SIGN_OF_G = "V0059(0,0)<1> V0054(1,0)<1;1,0> 0x80000000:d"

CMPXCHG = "typed_atomic.cmpxchg (M1, 8) T8 V39.0 V40.0 %null.0 %null.0 V40.0 V41.0 V41.0"


@pytest.mark.slow
def test_an_atomic_on_texels_that_happens_twice_is_refuted() -> None:
    """The texel holds something before, and the byte that differs does not depend on uninitialised values."""
    found = answer("vc_typed_atomic/tgllp-vc", CMPXCHG, f"{CMPXCHG}\n    {CMPXCHG}")
    assert isinstance(found, Difference)


@pytest.mark.slow
def test_texels_that_are_loaded_by_their_coordinates_hold_something() -> None:
    """A mask of one bit more changes what is stored of them; the example replays."""
    comparison = planted("img_rw/tgllp-O2-simd8", SIGN_OF_G, SIGN_OF_G.replace("0x80000000", "0x80000001"))
    found = decide(comparison, 5_000)
    assert isinstance(found, Difference)
    assert byte_of(found).surface == "argument 0"
    assert not replay_refinement(refinement_record(comparison, found, "a texel"), "example.json")


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    ("before", "after"),
    [("shr (M1, 1) V39", "shr (M1_NM, 1) V39"), ("add (M1, 8) V41", "add (M1_NM, 8) V41")],
    ids=["offset", "data"],
)
def test_what_the_target_computes_in_lanes_that_are_off_the_source_may_find_there(before: str, after: str) -> None:
    assert isinstance(answer("vc_oword_copy/pvc-vc-noopt", before, after), Refines)


@pytest.mark.slow
def test_the_source_does_not_find_what_is_wrong_in_lanes_that_are_on() -> None:
    found = answer("vc_oword_copy/pvc-vc-noopt", "shr (M1, 1) V39", "shl (M1_NM, 1) V39")
    assert isinstance(found, Difference)
    assert found.exec_mask & 1


HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=d num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input X offset=32 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
"""


def test_a_launch_chooses_what_is_in_predicates_that_nothing_wrote() -> None:
    texts = (f"(P1) scatter4_scaled.R (M1, 8) T6 {offset} X.0 X.0\nret (M1, 1)\n" for offset in ("0x0:ud", "0x4:ud"))
    kernels = (read_kernel(HEAD + text, "k.visaasm") for text in texts)
    source, target = (Program(kernel, NOTHING_KNOWN, Platform.TGLLP) for kernel in kernels)
    comparison = compare(source, target, Scope(Assume.NONE))
    names = {str(one.payload) for one in unknowns(comparison.question, comparison.runners)}
    assert {f"{side}:P1[{lane}]" for side in ("source", "target") for lane in range(8)} <= names


@pytest.mark.parametrize(
    ("added", "is_found"), [pytest.param("0x0:d", True, marks=pytest.mark.slow), ("0x40:d", False)]
)
def test_a_handle_that_a_kernel_computes_is_found_by_its_number(added: str, is_found: bool) -> None:
    """Terms do not follow it, so that a run alone shows whether it is that of an argument."""
    path = DATA / "smaller" / "ids.visaasm"
    start = f"_main_0:\n    add (M1_NM, 1) V0048(0,0)<1> V0048(0,0)<0;1,0> {added}\n"
    text = path.read_text("utf-8").replace("_main_0:\n", start)
    known = Programs()
    source = known.read(path, path.with_suffix(".ze_info"))
    asked = compare(source, replace(source, kernel=read_kernel(text, str(path))), Scope(Assume.LAUNCH))
    assert asked.open is not None
    if is_found:
        with pytest.raises(NotModelled):
            decide(asked, 1_000)
    else:
        assert isinstance(decide(asked, 1_000), Difference)


def by_lanes(handle: str) -> Comparison:
    """Bindless qw_reverse beside itself with the handle of its output taken from among lanes, as code of -O0 does."""
    moved = "mov (M1_NM, 1) V0065(0,0)<1>"
    lanes = f"mov (M1_NM, 8) V0067(0,0)<1> {handle}(0,0)<0;1,0>\n    {moved} V0067(0,3)<0;1,0>"
    return planted("qw_reverse/dg2-O2-simd8-bindless", f"{moved} V0066(0,0)<0;1,0>", lanes)


def test_a_handle_that_lanes_hold_is_known_by_its_value() -> None:
    assert isinstance(decide(by_lanes("V0066"), 5_000), Refines)


def test_the_handle_of_another_argument_that_lanes_hold_shows_in_a_run() -> None:
    """A run finds the surface by the number of its handle, and so does its replay."""
    comparison = by_lanes("V0052")
    assert comparison.open is None
    found = decide(comparison, 5_000)
    assert isinstance(found, Difference)
    assert not replay_refinement(refinement_record(comparison, found, "another argument"), "example.json")


def test_arguments_with_one_handle_are_not_run() -> None:
    comparison = by_lanes("V0066")
    words = comparison.runners[1].handle_words
    assert len(words) == 2
    same: dict[Term, int] = dict.fromkeys((*symbols_of(*words.values()), *comparison.question.lanes), 1)
    memory = {comparison.runners[1].surface(key): (8, dict[int, int]()) for key in words}
    with pytest.raises(NotModelled, match="the same handle"):
        comparison.runners[1].prepared(memory, comparison.question.lanes, Values(same))


def test_an_image_that_a_run_finds_by_its_handle_alone_is_not_modelled() -> None:
    path = DATA / "smaller" / "ids.visaasm"
    known = Programs().read(path, path.with_suffix(".ze_info"))
    asked = compare(known, known, Scope(Assume.LAUNCH))
    runner = asked.runners[1]
    assert isinstance(runner, Runner)
    lost = replace(runner, lost=("bindless V1.0 line 7",))
    with pytest.raises(NotModelled, match="by their handles"):
        lost.prepared({}, asked.question.lanes, Values())
