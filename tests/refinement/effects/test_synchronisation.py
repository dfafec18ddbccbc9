"""Barriers, fences, cache options and atomics of two kernels: what may be changed, and what may not.

The pairs are made from tables of short words, of which each is a statement or two.
"""

import pytest

from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, Launch
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.effects import synchronisation
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Resynchronised, Unknown, Verdict
from visaproof.report.two_kernels.answer import verdict_json, verdict_lines
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl AT v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ud num_elts=8 align=GRF
.decl C v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl Z v_type=G type=ud num_elts=8 align=GRF
.decl N v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input AT offset=32 size=32
.input X offset=64 size=32
.kernel_attr SimdSize=8
.kernel_attr SpillMemOffset=128
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x2:ud
movs (M1_NM, 1) T7(0) 0x3:ud
add (M1_NM, 8) B(0,0)<1> 0x76543210:uv 0x0:ud
shl (M1_NM, 8) B(0,0)<1> B(0,0)<1;1,0> 0x2:ud
add (M1_NM, 8) C(0,0)<1> B(0,0)<1;1,0> 0x20:ud
mov (M1_NM, 8) N(0,0)<1> 0x0:ud
"""
"""B are eight dwords, one for each lane, and C the eight behind them."""

WORDS = {
    "st": "lsc_store.slm (M1, 8) flat[B]:a32 X:d32",
    "st2": "lsc_store.slm (M1, 8) flat[C+0x40]:a32 X:d32",
    "ld": "lsc_load.slm (M1, 8) Y:d32 flat[C]:a32",
    "put": "lsc_store.ugm (M1, 8) bti(0x0)[B]:a32 X:d32",
    "put2": "lsc_store.ugm (M1, 8) bti(0x0)[C+0x40]:a32 X:d32",
    "get": "lsc_load.ugm (M1, 8) Y:d32 bti(0x0)[C]:a32",
    "get2": "lsc_load.ugm (M1, 8) Z:d32 bti(0x1)[C]:a32",
    "out": "lsc_store.ugm (M1, 8) bti(0x1)[B]:a32 Y:d32",
    "out2": "lsc_store.ugm (M1, 8) bti(0x1)[B+0x40]:a32 Z:d32",
    "uget": "lsc_load.ugm.uc.uc (M1, 8) Y:d32 bti(0x0)[C]:a32",
    "cget": "lsc_load.ugm.ca.ca (M1, 8) Y:d32 bti(0x0)[C]:a32",
    "mget": "lsc_load.ugm.uc.ca (M1, 8) Y:d32 bti(0x0)[C]:a32",
    "uput": "lsc_store.ugm.uc.uc (M1, 8) bti(0x0)[B]:a32 X:d32",
    "tput": "lsc_store.ugm.wt.wb (M1, 8) bti(0x0)[B]:a32 X:d32",
    "bput": "lsc_store.ugm.wb.wb (M1, 8) bti(0x0)[B]:a32 X:d32",
    "add": "lsc_atomic_iadd.ugm (M1, 8) %null:d32 bti(0x2)[B]:a32 X %null",
    "see": "lsc_atomic_or.ugm (M1, 8) Z:d32 bti(0x2)[B]:a32 N %null",
    "take": "lsc_atomic_iinc.ugm (M1, 8) Z:d32 bti(0x2)[B]:a32 %null %null",
    "adds": "lsc_atomic_iadd.slm (M1, 8) %null:d32 flat[B+0x100]:a32 X %null",
    "own": "scatter4_scaled.R (M1, 8) %scratch 0x0:ud B.0 X.0",
    "mine": "gather4_scaled.R (M1, 8) %scratch 0x0:ud B.0 Y.0",
    "tst": "scatter4_typed.R (M1, 8) T7 B.0 C.0 %null.0 %null.0 X.0",
    "if": "cmp.gt (M1, 8) P1 X(0,0)<1;1,0> 0x0:ud\n(P1) goto (M1, 8) _on",
    "gt1": "cmp.le (M1, 8) P1 X(0,0)<0;1,0> 0x1:ud\n(P1) goto (M1, 8) _on",
    "ne0": "cmp.eq (M1, 8) P1 X(0,0)<0;1,0> 0x0:ud\n(P1) goto (M1, 8) _on",
    "ne1": "cmp.eq (M1, 8) P1 X(0,0)<0;1,0> 0x1:ud\n(P1) goto (M1, 8) _on",
    "fi": "_on:",
    "idle": "mov (M1_NM, 8) N(0,0)<1> 0x0:ud",
    "bar": "barrier",
    "sig": "sbarrier.signal",
    "wait": "sbarrier.wait",
    "n1": "nbarrier.signal 1 8\nnbarrier.wait 1",
    "n1s": "nbarrier.signal 1 8",
    "n1w": "nbarrier.wait 1",
    "n1g": "nbarrier.signal 1 0 8 8\nnbarrier.wait 1",
    "n1p": "nbarrier.signal 1 1 8 8\nnbarrier.wait 1",
    "n2": "nbarrier.signal 2 8\nnbarrier.wait 2",
    "n1few": "nbarrier.signal 1 4\nnbarrier.wait 1",
    "tdr": "wait 0x1:ub",
    "tdr2": "wait 0x2:ub",
    "flush": "cache_flush",
    "sw": "fence_sw",
    "fl": "fence_local.E",
    "fg": "fence_global.E",
    "fg1": "fence_global.EL1",
    "fgr": "fence_global.ER",
}


def statements(words: str) -> str:
    """A dotted word that is none of the list is an LSC fence."""
    return "".join(f"{WORDS.get(word, f'lsc_fence.{word}')}\n" for word in words.split())


def program(words: str, name: str, platform: Platform = Platform.DG2, launch: Launch = NOTHING_KNOWN) -> Program:
    return Program(read_kernel(f"{HEAD}{statements(words)}ret (M1, 1)\n", name), launch, platform)


def compared(source: str, target: str, device: Platform = Platform.DG2, other: Platform | None = None) -> Comparison:
    """The target has a statement more, that does nothing, so that it is not the same text."""
    one = program(source, "source.visaasm", device)
    return compare(one, program(f"idle {target}", "target.visaasm", other or device), Scope(Assume.NONE))


def asked(source: str, target: str, device: Platform = Platform.DG2, other: Platform | None = None) -> Verdict:
    return decide(compared(source, target, device, other), 300)


PUBLISH = "put ugm.evict.gpu add"
"""Data, then a flag that says that it is there."""
RECEIVE = "see ugm.invalidate.gpu get out out2"
"""The flag, then the data."""

RIGHT = [
    # the same
    ("st bar ld out", "st bar ld out"),
    ("st sig wait ld out", "st sig wait ld out"),
    ("st sig get2 wait ld out out2", "st sig get2 wait ld out out2"),
    ("st n1 ld out", "st n1 ld out"),
    ("st tdr ld out", "st tdr ld out"),
    ("st slm.none.group bar ld out", "st slm.none.group bar ld out"),
    ("put flush get out", "put flush get out"),
    (PUBLISH, PUBLISH),
    (RECEIVE, RECEIVE),
    ("uget uput out", "uget uput out"),
    ("put if ugm.none.gpu fi get out", "put if ugm.none.gpu fi get out"),
    ("put if ugm.none.gpu fi get out", "put ugm.none.gpu get out"),
    # tested once, and twice
    ("st gt1 bar fi ld out", "st ne0 ne1 bar fi ld out"),
    ("st ne0 ne1 bar fi ld out", "st ne0 gt1 bar fi ld out"),
    ("put gt1 ugm.none.gpu fi get out", "put ne0 ne1 ugm.none.gpu fi get out"),
    # a barrier is a signal and a wait with nothing between
    ("st sig wait ld out", "st bar ld out"),
    ("st bar ld out", "st sig wait ld out"),
    ("st sig own wait ld out mine", "st own bar ld out mine"),
    ("st fl sig fl wait ld out", "st fl bar ld out"),
    ("st n1 ld out", "st n1g ld out"),
    # stronger, and more
    ("put ugm.none.group get out", "put ugm.evict.gpu get out"),
    ("put ugm.none.tile get out", "put ugm.none.gpu get out"),
    ("put ugm.clean.gpu get out", "put ugm.evict.gpu get out"),
    ("put ugm.invalidate.gpu get out", "put ugm.evict.gpu get out"),
    ("put ugm.none.gpus get out", "put ugm.none.sysrel get out"),
    ("put fg get out", "put fg1 get out"),
    ("put fg get out", "put fgr get out"),
    ("put sw get out", "put fg get out"),
    ("put get out", "put ugm.none.group get out"),
    ("st bar ld out", "st slm.none.group bar ld out"),
    ("put ugm.none.gpu get out", "put ugm.none.group ugm.none.gpu get out"),
    ("put put2 ugm.none.gpu get out", "put ugm.none.gpu put2 ugm.none.gpu get out"),
    ("put ugm.none.gpu slm.none.group get out", "put slm.none.group ugm.none.gpu get out"),
    ("put slm.none.group bar get out", "put bar get out"),
    ("st ld out ugm.none.gpu", "st ld out"),
    ("ugm.invalidate.gpu put", "put"),
    ("put bar get out", "put ugm.none.gpu bar get out"),
    # more that is kept, stronger caches
    ("cget out", "uget out"),
    ("cget out", "mget out"),
    ("bput", "tput"),
    ("tput", "uput"),
    ("get out", "uget out"),
    # what nobody else sees may move
    ("own st bar mine ld out", "st own bar ld out"),
    ("st own bar ld out", "own st bar mine ld out"),
    ("put own ugm.none.gpu get out", "own put ugm.none.gpu get out"),
    # plain accesses of one interval
    ("st put bar ld out", "put st bar ld out"),
    ("bar get get2 out out2", "bar get2 get out2 out"),
    ("put put2 bar get out", "put2 put bar get out"),
    ("see ugm.invalidate.gpu get get2 out out2", "see ugm.invalidate.gpu get2 get out out2"),
    ("take get out out2", "take get out2 out"),
]

WRONG = [
    # dropped
    ("st bar ld out", "st ld out"),
    ("st bar ld out bar put", "st bar ld out put"),
    ("st sig wait ld out", "st wait ld out"),
    ("st sig wait ld out", "st sig ld out"),
    ("st n1 ld out", "st ld out"),
    ("st n1 ld out", "st n1s ld out"),
    ("st tdr ld out", "st ld out"),
    ("put ugm.none.gpu get out", "put get out"),
    ("put flush get out", "put get out"),
    ("put fg get out", "put get out"),
    ("put sw get out", "put get out"),
    ("st slm.none.group bar ld out", "st bar ld out"),
    (PUBLISH, "put add"),
    (RECEIVE, "see get out out2"),
    ("tst tgm.none.gpu put", "tst put"),
    ("put ugm.none.gpu get out", "put if ugm.none.gpu fi get out"),
    ("st bar ld out", "st if bar fi ld out"),
    ("st if bar fi ld out", "st bar ld out"),
    ("st gt1 bar fi ld out", "st ne0 bar fi ld out"),
    ("st ne0 bar fi ld out", "st ne0 ne1 bar fi ld out"),
    ("put ne0 ugm.none.gpu fi get out", "put gt1 ugm.none.gpu fi get out"),
    # another kind
    ("st bar ld out", "st sig ld out"),
    ("st bar ld out", "st wait ld out"),
    ("st sig wait ld out", "st wait sig ld out"),
    ("st sig wait ld out", "st sig wait wait ld out"),
    ("st bar ld out", "st n1 ld out"),
    ("st n1 ld out", "st bar ld out"),
    ("st n1 ld out", "st n2 ld out"),
    ("st n1 ld out", "st n1few ld out"),
    ("st n1 ld out", "st n1p ld out"),
    ("st tdr ld out", "st tdr2 ld out"),
    ("st bar ld out", "st tdr ld out"),
    ("st bar ld out", "st slm.none.group ld out"),
    ("st slm.none.group ld out", "st sw ld out"),
    # moved
    ("st bar ld out", "bar st ld out"),
    ("st bar ld out", "st ld bar out"),
    ("st sig wait ld out", "st sig ld wait out"),
    ("st sig ld wait out", "st sig wait ld out"),
    ("st sig wait put", "st sig put wait"),
    ("st sig get2 wait ld out out2", "st get2 sig wait ld out out2"),
    ("st sig wait ld out", "sig st wait ld out"),
    ("st sig bar ld out", "st sig wait ld out"),
    ("st sig own wait ld out", "sig st own wait ld out"),
    ("put ugm.none.gpu get out", "ugm.none.gpu put get out"),
    ("put ugm.none.gpu get out", "put get ugm.none.gpu out"),
    ("put get out ugm.none.gpu put2", "put ugm.none.gpu get out put2"),
    (PUBLISH, "ugm.evict.gpu put add"),
    (PUBLISH, "put add ugm.evict.gpu"),
    (RECEIVE, "get see ugm.invalidate.gpu out out2"),
    (RECEIVE, "ugm.invalidate.gpu see get out out2"),
    (RECEIVE, "see get ugm.invalidate.gpu out out2"),
    ("put add", "add put"),
    ("add take out2", "take add out2"),
    ("adds bar ld out", "bar adds ld out"),
    ("bar get out", "get bar out"),
    ("take get out out2", "get take out out2"),
    ("get take out out2", "take get out out2"),
    ("see get out out2", "get see out out2"),
    ("st fl bar ld out", "st sig fl wait ld out"),
    # exchanged
    ("put ugm.none.gpu bar get out", "put bar ugm.none.gpu get out"),
    ("st bar put ugm.none.gpu get out", "st ugm.none.gpu put bar get out"),
    ("st n1 put n2 ld out", "st n2 put n1 ld out"),
    # weaker
    ("put ugm.none.gpu get out", "put ugm.none.tile get out"),
    ("put ugm.none.gpu get out", "put ugm.none.group get out"),
    ("put ugm.none.gpus get out", "put ugm.none.sysacq get out"),
    ("put ugm.none.sysrel get out", "put ugm.none.gpus get out"),
    ("put ugm.evict.gpu get out", "put ugm.none.gpu get out"),
    ("put ugm.evict.gpu get out", "put ugm.clean.gpu get out"),
    ("put ugm.evict.gpu get out", "put ugm.invalidate.gpu get out"),
    ("put ugm.flushl3.gpu get out", "put ugm.evict.gpu get out"),
    ("put ugm.none.gpu get out", "put ugm.discard.gpu get out"),
    ("put ugm.none.gpu get out", "put slm.none.gpu get out"),
    ("st slm.none.group ld out", "st ugm.none.group ld out"),
    ("tst tgm.none.gpu put", "tst ugm.none.gpu put"),
    ("put fg1 get out", "put fg get out"),
    ("put fgr get out", "put fg get out"),
    ("put fg get out", "put fl get out"),
    ("st fl ld out", "st fg ld out"),
    ("put fg1 get out", "put ugm.none.gpu get out"),
    ("put fg get out", "put ugm.none.group get out"),
    ("put ugm.none.gpu slm.none.group st", "put ugm.none.gpu st"),
    # cached
    ("uget out", "cget out"),
    ("uget out", "mget out"),
    ("uget out", "get out"),
    ("mget out", "cget out"),
    ("cget out", "get out"),
    ("get out", "cget out"),
    ("uput", "bput"),
    ("uput", "tput"),
    ("tput", "bput"),
    ("uput", "put"),
]


@pytest.mark.parametrize(("source", "target"), RIGHT)
def test_a_change_that_nobody_sees_refines(source: str, target: str) -> None:
    found = asked(source, target)
    assert isinstance(found, Refines), found


@pytest.mark.slow
@pytest.mark.parametrize(("source", "target"), WRONG)
def test_a_change_that_others_may_see_does_not_refine(source: str, target: str) -> None:
    """And what is said of it names statements."""
    found = asked(source, target)
    assert isinstance(found, Unknown | Resynchronised | Difference), found
    if not isinstance(found, Difference):
        assert ".visaasm:" in found.reason


def test_other_barriers_need_no_run_and_both_sequences_are_shown() -> None:
    comparison = compared("st sig wait ld out", "st sig ld out")
    found = decide(comparison, 300)
    assert isinstance(found, Resynchronised)
    shown = "\n".join(verdict_lines(comparison, found))
    assert "DOES NOT REFINE" in shown
    assert "sbarrier.signal   target.visaasm" in shown
    record = verdict_json(comparison, found)
    assert (record["verdict"], record["replayed"]) == ("does not refine", False)
    assert [one["event"] for one in record["synchronisation"]["source"]] == ["sbarrier.signal", "sbarrier.wait"]


@pytest.mark.slow
def test_a_barrier_with_nothing_on_one_side_is_not_refuted() -> None:
    """Nothing that this thread does is ordered by it."""
    assert isinstance(asked("st bar", "st"), Unknown)
    assert isinstance(asked("bar st", "st"), Unknown)


@pytest.mark.slow
def test_a_barrier_of_a_group_of_one_thread_is_not_refuted() -> None:
    """The compiler leaves it out where the required size fits one thread."""
    launch = Launch(group_size=(8, 1, 1))
    one, other = (program(words, "k.visaasm", launch=launch) for words in ("st bar ld out", "idle st ld out"))
    assert isinstance(decide(compare(one, other, Scope(Assume.NONE)), 300), Unknown)


@pytest.mark.slow
def test_what_crosses_a_fence_is_named_with_both_places() -> None:
    found = asked("put ugm.none.gpu get out", "put get ugm.none.gpu out")
    assert isinstance(found, Unknown)
    assert "the load at target.visaasm:" in found.reason
    assert "than the load at source.visaasm:" in found.reason


# ---------------------------------------------------------------- two devices, two kinds of messages

LIKE = [
    ("st fl bar ld out", "st slm.none.group bar ld out", Platform.TGLLP, Platform.DG2),
    ("st fl bar ld out", "st slm.none.group bar ld out", Platform.DG2, Platform.DG2),
    ("put fg1 get out", "put ugm.invalidate.tile get out", Platform.TGLLP, Platform.DG2),
    ("put ugm.evict.tile get out", "put ugm.none.gpu get out", Platform.DG2, Platform.Xe2),
    ("st fl bar ld out", "st sw bar ld out", Platform.TGLLP, Platform.SKL),
    ("st sw bar ld out", "st fl bar ld out", Platform.SKL, Platform.TGLLP),
]
UNLIKE = [
    ("put fg1 get out", "put ugm.none.gpu get out", Platform.TGLLP, Platform.DG2),
    ("put ugm.none.gpu get out", "put ugm.none.group get out", Platform.DG2, Platform.Xe2),
    ("put ugm.none.gpu get out", "put slm.none.gpu get out", Platform.DG2, Platform.Xe2),
    ("put fg get out", "put ugm.none.group get out", Platform.TGLLP, Platform.DG2),
    ("put fg get out bar", "put ugm.none.group get out bar", Platform.TGLLP, Platform.DG2),
    ("put fg bar get out add", "put ugm.none.group bar get out add", Platform.TGLLP, Platform.DG2),
    ("put ugm.none.gpu bar get out", "put ugm.none.group bar get out", Platform.DG2, Platform.Xe2),
    ("put fg1 bar get out", "put ugm.none.group bar get out", Platform.TGLLP, Platform.DG2),
    ("put fg get out", "put sw get out", Platform.TGLLP, Platform.SKL),
    ("st fl put get out", "st sw put get out", Platform.TGLLP, Platform.DG2),
]


def test_a_fence_beside_a_barrier_reaches_the_group_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """In kernels without atomics, where the page of the source names no reach."""
    pair = _plain("put fg bar get out"), _plain("put ugm.none.group bar get out")
    comparison = compared(*pair, Platform.TGLLP, Platform.DG2)
    assert isinstance(decide(comparison, 300), Refines)
    assert "groups-unordered" in {one.name for one in comparison.assumed}
    further = compared(pair[0], _plain("put ugm.none.gpu bar get out"), Platform.TGLLP, Platform.DG2)
    assert "groups-unordered" not in {one.name for one in further.assumed}
    monkeypatch.setattr(synchronisation, "is_for_group", lambda *_: False)
    assert not isinstance(decide(compared(*pair, Platform.TGLLP, Platform.DG2), 300), Refines)


@pytest.mark.parametrize(("source", "target", "device", "other"), LIKE)
def test_fences_that_no_page_compares_rest_on_a_premise(
    source: str, target: str, device: Platform, other: Platform
) -> None:
    comparison = compared(_plain(source), _plain(target), device, other)
    assert isinstance(decide(comparison, 300), Refines)
    named = {one.name for one in comparison.assumed}
    assert ("fences-alike" in named) == ("sw" not in source.split())


@pytest.mark.slow
@pytest.mark.parametrize(("source", "target", "device", "other"), UNLIKE)
def test_fences_of_two_devices_name_the_same_memory(
    source: str, target: str, device: Platform, other: Platform
) -> None:
    assert isinstance(asked(_plain(source), _plain(target), device, other), Unknown)


def _plain(words: str) -> str:
    """With messages that every device has."""
    return " ".join(OLD.get(word, word) for word in words.split())


OLD = {word: f"{word}-old" for word in ("st", "ld", "put", "get", "out")}
WORDS |= {
    "st-old": "scatter4_scaled.R (M1, 8) %slm 0x0:ud B.0 X.0",
    "ld-old": "gather4_scaled.R (M1, 8) %slm 0x0:ud C.0 Y.0",
    "put-old": "scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 X.0",
    "get-old": "gather4_scaled.R (M1, 8) T6 0x0:ud C.0 Y.0",
    "out-old": "scatter4_scaled.R (M1, 8) T7 0x0:ud B.0 Y.0",
}


def test_a_rule_about_a_fence_is_not_asked() -> None:
    """What other threads see is no part of what a rule is shown to keep."""
    from visaproof.decode.synchronisation import OPCODES

    assert {"barrier", "sbarrier", "nbarrier", "wait", "lsc_fence", "fence_global", "fence_local"} <= OPCODES
