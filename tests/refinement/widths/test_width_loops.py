"""Loops in kernels of different SIMD widths: threads take them in step with the wide one, or nothing is claimed."""

import pytest

from tests.refinement.widths.test_refinement_widths import LOAD, STORE, asked, differs, each, ids, kernel, verdict
from tests.support.differences import kind_of
from visaproof.checking.stages import Answer, GaveUp
from visaproof.isa.errors import NotModelled
from visaproof.launch.assumptions import Assume
from visaproof.launch.matching import Program
from visaproof.queries.kernels.undefined import UndefinedKind, forbidden_by
from visaproof.refinement.comparison import compare, compare_iterations
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Bounded, Refines
from visaproof.refinement.widths import thread_group
from visaproof.smt import Bool, symbols_of

ADD = "add {m} X({r},0)<1> X({r},0)<1;1,0> 0x6:ud"
ADD_TWICE = "add {m} X({r},0)<1> X({r},0)<1;1,0> 0x2:ud\nadd {m} X({r},0)<1> X({r},0)<1;1,0> 0x4:ud"


def looping(simd: int, body: str, start: str = "add {m} Y({r},0)<1> X({r},0)<1;1,0> N(0,0)<0;1,0>") -> str:
    """Y counts the iterations of each lane, which are its id and N."""
    count = each(simd, "add {m} Y({r},0)<1> Y({r},0)<1;1,0> 0xffffffff:ud")
    go_on = each(simd, "cmp.ne {m} P1 Y({r},0)<1;1,0> 0x0:ud") + f"(P1) goto (M1, {simd}) again\n"
    return ids(simd) + each(simd, start) + "again:\n" + each(simd, body) + count + go_on


def stored(simd: int, body: str) -> Program:
    return kernel(simd, looping(simd, body) + each(simd, STORE))


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("one", "other"), [(16, 8), (8, 16), (32, 16)])
def test_lanes_that_leave_in_different_rounds_do_the_same(one: int, other: int) -> None:
    found = verdict(stored(one, ADD), stored(other, ADD_TWICE))
    assert isinstance(found, Refines)
    assert "iteration by iteration" in found.by


def breaking(simd: int, body: str, by_sum: str = "past", by_count: str = "near") -> Program:
    """In the middle lanes leave whose sum is N, and those that have seven iterations to go, past the store or not."""
    leave = "".join(
        each(simd, f"cmp.eq {{m}} P1 {word}") + f"(P1) goto (M1, {simd}) {place}\n"
        for word, place in (("X({r},0)<1;1,0> N(0,0)<0;1,0>", by_sum), ("Y({r},0)<1;1,0> 0x7:ud", by_count))
    )
    text = looping(simd, body).replace("again:\n", "again:\n" + leave)
    return kernel(simd, f"{text}near:\n{each(simd, STORE)}past:\n")


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("one", "other"), [(16, 8), (8, 16), (32, 16)])
def test_lanes_that_leave_to_different_places_do_the_same(one: int, other: int) -> None:
    found = verdict(breaking(one, ADD), breaking(other, ADD_TWICE))
    assert isinstance(found, Refines)
    assert "iteration by iteration" in found.by
    assert not isinstance(verdict(breaking(one, ADD), breaking(other, ADD, "near", "past")), Refines)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    "wrong",
    [
        ADD.replace("0x6", "0x7"),
        ADD + "\nadd {m} Y({r},0)<1> Y({r},0)<1;1,0> 0x1:ud\nshr {m} Y({r},0)<1> Y({r},0)<1;1,0> 0x1:ud",
        ADD + "\nmov {m} X({r},0)<1> X({r},0)<0;1,0>",  # what the first lane of the piece has
    ],
    ids=["another sum", "fewer iterations", "the sum of another lane"],
)
def test_a_loop_that_does_something_else_is_refuted(wrong: str) -> None:
    differs(stored(16, ADD), stored(8, wrong))
    differs(stored(8, ADD), stored(16, wrong))


def meeting(simd: int, change: str = "", goes_on: str = "N(0,0)<0;1,0> 0x0:ud", before: str = "") -> Program:
    """Each iteration adds what a lane of the other thread has: N iterations, with two barriers in each."""
    turned = each(simd, "xor {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x20:ud")
    added = each(simd, "add {m} X({r},0)<1> X({r},0)<1;1,0> Y({r},0)<1;1,0>") + (each(simd, change) if change else "")
    body = each(simd, STORE) + "barrier\n" + turned + each(simd, LOAD) + added + "barrier\n" + turned
    count = "add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0xffffffff:ud\n"
    again = each(simd, f"cmp.ne {{m}} P1 {goes_on}") + f"(P1) goto (M1, {simd}) again\n"
    return kernel(simd, ids(simd) + before + "again:\n" + body + count + again + each(simd, STORE))


def summing(simd: int, summand: str) -> Program:
    """A loop before it without barriers, which each lane leaves when its sum is large enough."""
    add = each(simd, f"add {{m}} X({{r}},0)<1> X({{r}},0)<1;1,0> {summand}")
    more = each(simd, "cmp.lt {m} P1 X({r},0)<1;1,0> 0x40:ud") + f"(P1) goto (M1, {simd}) more\n"
    return meeting(simd, before="more:\n" + add + more)


@pytest.mark.slow
def test_lanes_need_not_stay_together_in_loops_without_barriers() -> None:
    found = verdict(summing(8, "0x5:ud"), summing(16, "0x5:ud"))
    assert isinstance(found, Refines)
    assert "iteration by iteration" in found.by
    assert not isinstance(verdict(summing(8, "0x5:ud"), summing(16, "0x4:ud")), Refines)


def test_threads_meet_at_barriers_in_a_loop_that_all_lanes_leave_together() -> None:
    found = verdict(meeting(8), meeting(16))
    assert isinstance(found, Refines)
    assert "iteration by iteration" in found.by


@pytest.mark.parametrize(
    ("change", "goes_on"),
    [
        ("add {m} X({r},0)<1> X({r},0)<1;1,0> 0x1:ud", "N(0,0)<0;1,0> 0x0:ud"),
        ("", "N(0,0)<0;1,0> 0x1:ud"),
        ("mov {m} X({r},0)<1> Y({r},0)<0;1,0>", "N(0,0)<0;1,0> 0x0:ud"),
    ],
    ids=["another sum", "fewer iterations", "the sum of another lane"],
)
def test_a_loop_with_barriers_that_does_something_else_is_not_proved(change: str, goes_on: str) -> None:
    assert not isinstance(verdict(meeting(8), meeting(16, change, goes_on)), Refines)


def leaving(simd: int, word: str) -> Program:
    """The loop that is left behind its first barrier, by a word that counts iterations."""
    turned = each(simd, "xor {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x20:ud")
    added = each(simd, LOAD) + each(simd, "add {m} X({r},0)<1> X({r},0)<1;1,0> Y({r},0)<1;1,0>")
    count = f"add (M1_NM, 1) {word} {word.replace('<1>', '<0;1,0>')} 0xffffffff:ud\n"
    leave = each(simd, f"cmp.eq {{m}} P1 {word.replace('<1>', '<0;1,0>')} 0x0:ud") + f"(P1) goto (M1, {simd}) end\n"
    body = each(simd, STORE) + "barrier\n" + turned + added + count + leave + "barrier\n" + turned
    again = each(simd, "cmp.eq {m} P1 X({r},0)<0;1,0> X({r},0)<0;1,0>") + f"(P1) goto (M1, {simd}) again\n"
    return kernel(simd, ids(simd) + "again:\n" + body + again + "end:\n" + each(simd, STORE))


def test_threads_leave_between_barriers_if_their_counters_are_alike() -> None:
    found = verdict(leaving(8, "N(0,0)<1>"), leaving(16, "N(0,0)<1>"))
    assert isinstance(found, Refines)
    assert "iteration by iteration" in found.by


@pytest.mark.slow
def test_lanes_that_leave_a_loop_with_barriers_alone_are_not_in_step() -> None:
    by_lane = "X({r},0)<1;1,0> 0x5:ud"
    assert not isinstance(verdict(meeting(8, "", by_lane), meeting(16, "", by_lane)), Refines)


def test_the_rounds_of_a_thread_are_not_those_of_the_wide_one() -> None:
    """A count without a mask grows as long as any lane of the thread is in the loop."""

    def counting(simd: int) -> Program:
        body = looping(simd, ADD).replace("again:\n", "again:\nadd (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:ud\n")
        return kernel(simd, body + each(simd, "mov {m} X({r},0)<1> N(0,0)<0;1,0>") + each(simd, STORE))

    differs(counting(16), counting(8))
    differs(counting(8), counting(16))


@pytest.mark.slow
def test_a_count_of_the_thread_is_the_same_in_a_round_that_both_take() -> None:
    """Each lane that is still there adds it."""

    def counting(simd: int, counts: str) -> Program:
        count = f"again:\nadd (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> {counts}\n"
        body = looping(simd, "add {m} X({r},0)<1> X({r},0)<1;1,0> N(0,0)<0;1,0>").replace("again:\n", count)
        return kernel(simd, body + each(simd, STORE))

    assert isinstance(verdict(counting(16, "0x1:ud"), counting(8, "0x1:ud")), Refines)
    assert isinstance(verdict(counting(8, "0x1:ud"), counting(16, "0x1:ud")), Refines)
    differs(counting(16, "0x1:ud"), counting(8, "Y(0,0)<0;1,0>"))
    differs(counting(8, "Y(0,0)<0;1,0>"), counting(16, "Y(0,0)<0;1,0>"))


@pytest.mark.slow
def test_a_store_in_each_round_to_the_lanes_own_place() -> None:
    assert isinstance(verdict(stored(16, f"{ADD}\n{STORE}"), stored(8, f"{ADD_TWICE}\n{STORE}")), Refines)
    assert isinstance(verdict(stored(8, f"{ADD}\n{STORE}"), stored(16, f"{ADD_TWICE}\n{STORE}")), Refines)
    differs(stored(8, f"{ADD}\n{STORE}"), stored(16, f"{ADD_TWICE}\n{STORE}\n{ADD}"))


@pytest.mark.slow
def test_threads_race_in_different_rounds() -> None:
    """Each iteration stores eight lanes further on: the next thread was there an iteration ago, or will be."""
    body = f"{ADD}\n{STORE}\nadd {{m}} AT({{r}},0)<1> AT({{r}},0)<1;1,0> 0x20:ud"
    assert kind_of(differs(stored(16, body), stored(8, body))) is UndefinedKind.RACE
    assert isinstance(verdict(stored(8, body), stored(16, body)), Refines)


FAR_LOAD = "add {m} Y({r},0)<1> AT({r},0)<1;1,0> N(0,0)<0;1,0>\ngather4_scaled.R {m} T6 0x0:ud Y.{b} Y.{b}"
"""Y: what another work item may store."""
SUM = "add {m} X({r},0)<1> X({r},0)<1;1,0> Y({r},0)<1;1,0>"


def exchanging(simd: int, *lines: str) -> Program:
    """N iterations, in which each lane stores to its own place."""
    body = "".join(line if line == "barrier\n" else each(simd, line) for line in lines)
    count = "add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0xffffffff:ud\n"
    again = each(simd, "cmp.ne {m} P1 N(0,0)<0;1,0> 0x0:ud") + f"(P1) goto (M1, {simd}) again\n"
    return kernel(simd, ids(simd) + "again:\n" + body + count + again)


@pytest.mark.slow
@pytest.mark.parametrize("between", [(), ("barrier\n",)], ids=["no barrier", "a barrier in each iteration"])
def test_threads_find_in_an_iteration_nothing_that_others_store_in_it(between: tuple[str, ...]) -> None:
    """The second thread loads after the stores of the first: where it reaches them, they race."""
    narrow, wide = (exchanging(simd, FAR_LOAD, SUM, STORE, *between) for simd in (8, 16))
    assert isinstance(verdict(narrow, wide), Refines)
    within = exchanging(16, STORE, FAR_LOAD, SUM, *between)  # what lanes of the same narrow thread have stored
    assert not isinstance(verdict(narrow, within), Refines)


@pytest.mark.slow
def test_threads_find_what_others_store_before_a_barrier_of_an_iteration() -> None:
    before = exchanging(8, STORE, "barrier\n", FAR_LOAD, SUM, "barrier\n")
    after = exchanging(16, FAR_LOAD, SUM, STORE, "barrier\n", "barrier\n")
    assert isinstance(verdict(before, exchanging(16, STORE, "barrier\n", FAR_LOAD, SUM, "barrier\n")), Refines)
    assert not isinstance(verdict(before, after), Refines)


def meeting_in_an_iteration(simd: int, mask: str) -> Program:
    """In each of N iterations lanes store a word further on: those of lanes that are alike below the mask meet."""
    start = each(simd, f"and {{m}} AT({{r}},0)<1> AT({{r}},0)<1;1,0> {mask}")
    body = each(simd, STORE) + each(simd, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x4:ud")
    count = "add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0xffffffff:ud\n"
    again = each(simd, "cmp.ne {m} P1 N(0,0)<0;1,0> 0x0:ud") + f"(P1) goto (M1, {simd}) again\n"
    return kernel(simd, ids(simd) + start + "again:\n" + body + count + again)


@pytest.mark.slow
def test_where_lanes_collide_in_an_iteration_narrow_threads_race_in_it() -> None:
    narrow, wide = (meeting_in_an_iteration(simd, "0x1c:ud") for simd in (8, 16))
    assert isinstance(verdict(narrow, wide), Refines)
    elsewhere = meeting_in_an_iteration(8, "0x3c:ud")  # where lanes of the wide thread collide, these do not
    assert not isinstance(verdict(elsewhere, wide), Refines)


@pytest.mark.slow
def test_threads_in_an_order_are_not_in_step() -> None:
    """Where a race is defined, the first thread has left its loop before the second begins."""
    ordered = forbidden_by([(UndefinedKind.RACE, False)])
    found = verdict(stored(8, ADD), stored(16, ADD_TWICE), ordered)
    assert isinstance(found, Bounded)


def behind_a_barrier(simd: int, offset: str) -> Program:
    text = ids(simd) + each(simd, STORE) + looping(simd, ADD) + "barrier\n"
    text += each(simd, f"add {{m}} Y({{r}},0)<1> AT({{r}},0)<1;1,0> {offset}")
    text += each(simd, "gather4_scaled.R {m} T6 0x0:ud Y.{b} X.{b}")
    text += each(simd, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x1000:ud")
    return kernel(simd, text + each(simd, STORE))


@pytest.mark.slow
def test_behind_a_loop_all_threads_come_to_the_barrier() -> None:
    """Then each lane reads what the lane eight behind has stored before the loop."""
    assert isinstance(verdict(behind_a_barrier(16, "0x20:ud"), behind_a_barrier(8, "0x20:ud")), Refines)
    assert isinstance(verdict(behind_a_barrier(8, "0x20:ud"), behind_a_barrier(16, "0x20:ud")), Refines)
    differs(behind_a_barrier(16, "0x20:ud"), behind_a_barrier(8, "0x24:ud"))


def test_whether_a_barrier_is_reached_is_asked_within_the_time_given(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: set[int] = set()

    def decide_goal(_: object, __: object, timeout_ms: int) -> GaveUp:
        limits.add(timeout_ms)
        return GaveUp("no time")

    monkeypatch.setattr(thread_group, "decide_goal", decide_goal)
    programs = behind_a_barrier(16, "0x20:ud"), behind_a_barrier(8, "0x20:ud")
    with pytest.raises(NotModelled):
        compare_iterations(*programs, Scope(Assume.IDS, timeout_ms=1_234), by_buffers=None)
    assert limits == {1_234}


def test_that_all_leave_a_loop_is_known_without_what_they_count(monkeypatch: pytest.MonkeyPatch) -> None:
    real = thread_group.decide_goal

    def decide_goal(assumed: tuple[Bool, ...], goal: Bool, timeout_ms: int) -> Answer:
        counts = any(one.width for one in symbols_of(*assumed, goal))
        return GaveUp("about words") if counts else real(assumed, goal, timeout_ms)

    monkeypatch.setattr(thread_group, "decide_goal", decide_goal)
    found = compare(behind_a_barrier(16, "0x20:ud"), behind_a_barrier(8, "0x20:ud"), Scope(Assume.IDS))
    assert found.open is None


COUNT = "again:\nadd (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:ud\n"
SAME = "mov {m} Y({r},0)<1> N(0,0)<0;1,0>"
LARGER = "max {m} Y({r},0)<1> X({r},0)<1;1,0> N(0,0)<0;1,0>"


def counting(simd: int, start: str, count: str = COUNT) -> Program:
    """N counts the iterations of the thread, and each lane stores it."""
    body = looping(simd, ADD, start).replace("again:\n", count)
    return kernel(simd, body + each(simd, "mov {m} X({r},0)<1> N(0,0)<0;1,0>") + each(simd, STORE))


@pytest.mark.parametrize("some", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_threads_whose_lanes_stay_until_one_moment_count_alike(some: bool) -> None:
    one, other = (8, 16) if some else (16, 8)
    source, target = (entered(simd, some) for simd in (one, other))
    assert isinstance(verdict(source, target), Refines)


def entered(simd: int, some: bool, count: str = COUNT, past: bool = True) -> Program:
    """The loop, into which all lanes come, or only those of small ids; the others go out, past the stores or not."""
    skips = each(simd, "cmp.ge {m} P1 X({r},0)<1;1,0> N(0,0)<0;1,0>") + f"(P1) goto (M1, {simd}) out\n"
    text = looping(simd, ADD, SAME).replace("again:\n", (skips if some else "") + count, 1)
    copied = each(simd, "mov {m} X({r},0)<1> N(0,0)<0;1,0>") + each(simd, STORE)
    return kernel(simd, text + (copied + "out:\n" if past else "out:\n" + copied))


@pytest.mark.parametrize("some", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_threads_that_count_otherwise_are_refuted(some: bool) -> None:
    differs(entered(8, some), entered(16, some, COUNT.replace("0x1:ud", "0x2:ud")))


@pytest.mark.parametrize(("one", "other"), [(8, 16), pytest.param(16, 8, marks=pytest.mark.slow)])
def test_lanes_that_did_not_come_into_a_loop_see_how_often_others_of_their_thread_went_through(
    one: int, other: int
) -> None:
    differs(entered(one, some=True, past=False), entered(other, some=True, past=False))


@pytest.mark.parametrize("simd", [8, pytest.param(16, marks=pytest.mark.slow)])
def test_threads_of_which_lanes_stay_longer_than_others_do_not_count_alike(simd: int) -> None:
    """The wide thread counts as long as any lane is there."""
    assert not isinstance(verdict(counting(simd, LARGER), counting(24 - simd, LARGER)), Refines)


@pytest.mark.slow
def test_what_is_not_shown_round_by_round_is_bounded() -> None:
    """That (X | N) & N is N for all lanes alike is not seen by the form."""
    start = "or {m} Y({r},0)<1> X({r},0)<1;1,0> N(0,0)<0;1,0>\nand {m} Y({r},0)<1> Y({r},0)<1;1,0> N(0,0)<0;1,0>"
    comparison, found = asked(counting(8, start), counting(16, start))
    assert isinstance(found, Bounded)
    assert comparison.question.bounded
