"""Refinement of kernels of different SIMD widths, written by hand: one wide thread against those that run its lanes."""

import pytest
from msgspec.structs import replace

from tests.support.differences import kind_of
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.input_meaning import Argument, ArgumentValue, LocalId, Piece
from visaproof.launch.launch import Launch
from visaproof.launch.matching import Program
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind, forbidden_by
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.record import refinement_record
from visaproof.refinement.replay import replay_refinement
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.refinement.widths.thread_group import ThreadGroup
from visaproof.visaasm.reader import read_kernel

NAMES = ("AT", "X", "Y")
LANES = {8: ((8, "M1", 0),), 16: ((16, "M1", 0),), 32: ((16, "M1", 0), (16, "M5", 16))}
"""The pieces in which a kernel of a width runs its lanes: how many, under which mask, and the first."""


def kernel(simd: int, body: str) -> Program:
    """A kernel of the local ids of x, an argument N, and two buffers."""
    ids = -(-2 * simd // 32) * 32
    lines = [
        ".version 4.1", '.kernel "k"',
        f".decl ID v_type=G type=uw num_elts={ids // 2} align=GRF",
        *(f".decl {name} v_type=G type=ud num_elts={simd} align=GRF" for name in NAMES),
        ".decl N v_type=G type=ud num_elts=1 align=GRF",
        ".decl A v_type=G type=d num_elts=8 alias=<%r0, 0>",
        f".decl P1 v_type=P num_elts={simd}",
        ".decl T6 v_type=T num_elts=1",
        ".input ID offset=32 size=" + str(ids), ".input N offset=512 size=4",
        f".kernel_attr SimdSize={simd}", '.function "k"', "_main:",
        "movs (M1_NM, 1) T6(0) 0x1:ud",
    ]  # fmt: skip
    meanings = {"ID": (Piece(0, 2 * simd, LocalId(0)),), "N": (Piece(0, 4, ArgumentValue(Argument(2))),)}
    launch = Launch(simd, meanings, {0: 0, 1: 1})
    text = "\n".join(lines) + f"\n{body}ret (M1, 1)\n"
    return Program(read_kernel(text, "k.visaasm"), launch, Platform.DG2)


def each(simd: int, line: str) -> str:
    """A line for each piece of the lanes: `{m}` is its width and mask, `{r}` its row, `{b}` its byte."""
    return "".join(
        line.format(m=f"({mask}, {n})", b=4 * first, r=first // 8, n=n) + "\n" for n, mask, first in LANES[simd]
    )


def ids(simd: int) -> str:
    """X: the local ids; AT: four times that."""
    text = ""
    for n, mask, first in LANES[simd]:
        text += f"mov ({mask}, {n}) X({first // 8},0)<1> ID({first // 16},{first % 16})<1;1,0>\n"
        text += f"shl ({mask}, {n}) AT({first // 8},0)<1> X({first // 8},0)<1;1,0> 0x2:ud\n"
    return text


STORE = "scatter4_scaled.R {m} T6 0x0:ud AT.{b} X.{b}"
LOAD = "gather4_scaled.R {m} T6 0x0:ud AT.{b} Y.{b}"


def stored(simd: int, change: str = "") -> Program:
    return kernel(simd, ids(simd) + (each(simd, change) if change else "") + each(simd, STORE))


def asked(
    source: Program, target: Program, forbidden: frozenset[UndefinedKind] = FORBIDDEN
) -> tuple[Comparison, Verdict]:
    comparison = compare(source, target, Scope(Assume.IDS, forbidden))
    return comparison, decide(comparison, 10_000)


def verdict(source: Program, target: Program, forbidden: frozenset[UndefinedKind] = FORBIDDEN) -> Verdict:
    return asked(source, target, forbidden)[1]


def differs(source: Program, target: Program, forbidden: frozenset[UndefinedKind] = FORBIDDEN) -> Difference:
    """The difference, which was replayed as a file."""
    comparison, found = asked(source, target, forbidden)
    assert isinstance(found, Difference), found
    assert replay_refinement(refinement_record(comparison, found, ""), "k.json") == ()
    return found


@pytest.mark.parametrize(("one", "other"), [(16, 8), (32, 8), (32, 16)])
def test_a_wide_thread_does_what_the_narrow_ones_do(one: int, other: int) -> None:
    assert isinstance(verdict(stored(one), stored(other)), Refines)
    assert isinstance(verdict(stored(other), stored(one)), Refines)


@pytest.mark.parametrize(
    "change",
    [
        "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x4:ud",  # a wrong offset in each half
        "add {m} X({r},0)<1> X({r},0)<1;1,0> N(0,0)<0;1,0>",
        "mov {m} X({r},0)<1> X({r},0)<0;1,0>",  # the ids of the first lane
    ],
)
def test_a_wrong_target_is_refuted(change: str) -> None:
    differs(stored(16), stored(8, change))
    differs(stored(8), stored(16, change))


WRONG_HALVES = {
    "dropped": "",
    "wrong offset": "scatter4_scaled.R (M3, 8) T6 0x20:ud AT.32 X.32\n",
    "first half twice": "scatter4_scaled.R (M3, 8) T6 0x0:ud AT.0 X.0\n",
    "wrong data": "scatter4_scaled.R (M3, 8) T6 0x0:ud AT.32 X.0\n",
    "wrong mask": "scatter4_scaled.R (M1, 8) T6 0x0:ud AT.32 X.32\n",
    "no mask": "scatter4_scaled.R (M3_NM, 8) T6 0x0:ud AT.32 X.32\n",
}


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("second", WRONG_HALVES.values(), ids=WRONG_HALVES)
def test_a_wrong_second_half_is_refuted(second: str) -> None:
    """A kernel of 16 lanes in two halves, of which the second is wrong; the first direction is right without that."""
    first = ids(16) + "scatter4_scaled.R (M1, 8) T6 0x0:ud AT.0 X.0\n"
    right = kernel(16, first + "scatter4_scaled.R (M3, 8) T6 0x0:ud AT.32 X.32\n")
    assert isinstance(verdict(stored(8), right), Refines)
    assert isinstance(verdict(right, stored(8)), Refines)
    wrong = kernel(16, first + second)
    differs(stored(8), wrong)
    if "_NM" not in second:  # a lane that is off stores uninitialised values
        differs(wrong, stored(8))


def test_threads_that_write_one_byte_race() -> None:
    """In one wide thread the halves are in order; nothing orders the narrow threads."""
    body = "and {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x1c:ud"
    halves = each(32, body).replace("32)", "16)") + each(32, STORE)
    wide = kernel(32, ids(32) + halves)
    narrow = kernel(16, ids(16) + each(16, body) + each(16, STORE))
    found = differs(wide, narrow)
    assert kind_of(found) is UndefinedKind.RACE
    assert isinstance(verdict(narrow, wide), Refines)
    ordered = forbidden_by([(UndefinedKind.RACE, False)])
    assert isinstance(verdict(wide, narrow, ordered), Refines)
    assert isinstance(verdict(narrow, wide, ordered), Refines)


TIMES_N = "mul {m} AT({r},0)<1> AT({r},0)<1;1,0> N(0,0)<0;1,0>"


def test_races_of_two_statements_are_made_only_if_they_decide() -> None:
    """Lanes of two threads that meet in one statement are lanes of the wide thread that do; of two statements, not."""
    body = {simd: ids(simd) + each(simd, TIMES_N) + each(simd, STORE) + each(simd, LOAD) for simd in (8, 16)}
    comparison, found = asked(kernel(8, body[8]), kernel(16, body[16]))
    assert isinstance(found, Refines)
    source = comparison.question.source
    assert source.may_race
    assert "undefined_within_statements" in vars(source)
    assert source.undefined_alone.keys() < source.undefined_within_statements.keys()
    assert "undefined" not in vars(source)


def test_what_a_thread_reads_no_other_may_write() -> None:
    """Each lane reads the dword of the lane eight behind and adds it to its own: one thread reads before it writes."""

    def body(simd: int) -> str:
        shifted = each(simd, "add {m} Y({r},0)<1> AT({r},0)<1;1,0> 0x20:ud")
        return ids(simd) + shifted + each(simd, "gather4_scaled.R {m} T6 0x0:ud Y.{b} X.{b}") + each(simd, STORE)

    wide, narrow = kernel(16, body(16)), kernel(8, body(8))
    assert kind_of(differs(wide, narrow)) is UndefinedKind.RACE
    assert isinstance(verdict(narrow, wide), Refines)
    ordered = forbidden_by([(UndefinedKind.RACE, False)])
    assert isinstance(verdict(wide, narrow, ordered), Refines)


def test_a_barrier_puts_threads_in_order() -> None:
    """What is behind it reads what any thread may have written: the same in both kernels."""

    def body(simd: int, offset: str) -> str:
        again = each(simd, f"add {{m}} AT({{r}},0)<1> AT({{r}},0)<1;1,0> {offset}")
        return ids(simd) + each(simd, STORE) + "barrier\n" + again + each(simd, LOAD) + each(
            simd, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x1000:ud"
        ) + each(simd, STORE.replace("X.", "Y."))  # fmt: skip

    wide, narrow = kernel(16, body(16, "0x20:ud")), kernel(8, body(8, "0x20:ud"))
    assert isinstance(verdict(wide, narrow), Refines)
    assert isinstance(verdict(narrow, wide), Refines)
    differs(wide, kernel(8, body(8, "0x24:ud")))


def test_a_thread_without_a_lane_is_not_launched() -> None:
    """A store without a mask happens once in the wide kernel, and in each narrow thread that runs."""
    one = "mov (M1_NM, 1) AT(0,0)<1> 0x40:ud\nscatter4_scaled.R (M1_NM, 1) T6 0x0:ud AT.0 N.0\n"
    assert isinstance(verdict(kernel(8, one), kernel(16, one)), Refines)
    found = differs(kernel(16, one), kernel(8, one))
    assert kind_of(found) is UndefinedKind.RACE
    assert found.exec_mask & 0xFF
    assert found.exec_mask & 0xFF00


@pytest.mark.slow
def test_what_threads_get_unlike_is_not_taken_as_equal() -> None:
    """A dword of r0 that is no group id differs from thread to thread; a group id does not."""

    def body(simd: int, dword: int) -> str:
        return (
            ids(simd) + each(simd, f"add {{m}} X({{r}},0)<1> X({{r}},0)<1;1,0> A(0,{dword})<0;1,0>") + each(simd, STORE)
        )

    assert isinstance(verdict(kernel(16, body(16, 6)), kernel(8, body(8, 6))), Refines)
    comparison, found = asked(kernel(16, body(16, 5)), kernel(8, body(8, 5)))
    assert not isinstance(found, Refines | Difference)
    assert any("%r0.20" in one for one in map(str, comparison.assumed))


def counted(simd: int) -> Program:
    """Each lane counts on one dword, and stores which number it got."""
    zero = each(simd, "mov {m} AT({r},0)<1> 0x0:ud")
    pieces = ((mask, 4 * 8 * half) for half, mask in enumerate(("M1", "M3")[: simd // 8]))
    count = "".join(f"dword_atomic.inc ({mask}, 8) T6 AT.{at} %null.0 %null.0 Y.{at}\n" for mask, at in pieces)
    apart = ids(simd) + each(simd, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x40:ud")
    return kernel(simd, zero + count + apart + each(simd, STORE.replace("X.", "Y.")))


@pytest.mark.slow
def test_the_order_of_the_threads_atomics_is_open() -> None:
    """The old values tell the order: halves of a wide thread have one, narrow threads any."""
    found = differs(counted(16), counted(8))
    assert found.order == 1
    with pytest.raises(NotModelled, match="atomics"):
        verdict(counted(8), counted(16))


COUNT_AND_STORE = """movs (M1_NM, 1) T6(0) 0x0:ud
{count}movs (M1_NM, 1) T6(0) 0x1:ud
"""


def with_atomics(simd: int, count: str, result: str = "Y") -> Program:
    """Atomics on one buffer, and then a store of what they brought to another."""
    text = COUNT_AND_STORE.format(count=count) + ids(simd) + each(simd, STORE.replace("X.", f"{result}."))
    return kernel(simd, text)


def lane_atomics(simd: int, op: str = "add") -> str:
    """Each lane modifies the dword that its id modulo four names."""
    at = "and {m} AT({r},0)<1> AT({r},0)<1;1,0> 0xc:ud"
    pieces = ((mask, 32 * half) for half, mask in enumerate(("M1", "M3")[: simd // 8]))
    return ids(simd) + each(simd, at) + "".join(
        f"dword_atomic.{op} ({mask}, 8) T6 AT.{at} X.{at} %null.0 Y.{at}\n" for mask, at in pieces
    )  # fmt: skip


@pytest.mark.slow
def test_atomics_of_the_same_lanes_take_turns() -> None:
    """The source's threads may be in the order of the target's messages; the other way round they need not."""
    narrow, wide = with_atomics(8, lane_atomics(8)), with_atomics(16, lane_atomics(16))
    assert isinstance(verdict(narrow, wide), Refines)
    differs(wide, narrow)
    with pytest.raises(NotModelled, match="any order"):
        verdict(with_atomics(16, lane_atomics(16), "X"), with_atomics(8, lane_atomics(8), "X"))


def test_other_atomics_are_not_the_same() -> None:
    narrow = with_atomics(8, lane_atomics(8))
    assert not isinstance(verdict(narrow, with_atomics(16, lane_atomics(16, "sub"))), Refines)
    first_only = lane_atomics(16).rpartition("dword_atomic")[0]
    differs(with_atomics(8, lane_atomics(8), "X"), with_atomics(16, first_only, "X"))


def summed(simd: int, start: str = "0x0:ud") -> str:
    """One lane adds the number of lanes that are on, and brings what was there."""
    text = f"mov (M1_NM, {simd}) Y(0,0)<1> {start}\n" + each(simd, "mov {m} Y({r},0)<1> 0x1:ud")
    half = simd
    while half > 1:
        half //= 2
        row = f"Y({half // 8},{half % 8})<1;1,0>"
        text += f"add (M1_NM, {half}) Y(0,0)<1> Y(0,0)<1;1,0> {row}\n"
    return text + "mov (M1_NM, 1) AT(0,0)<1> 0x0:ud\ndword_atomic.add (M1_NM, 1) T6 AT.0 Y.0 %null.0 X.0\n"


def test_one_atomic_may_be_the_sum_of_several() -> None:
    """What the last one leaves is the same; a sum that counts a lane that is off is another."""
    narrow = kernel(8, summed(8))
    assert isinstance(verdict(narrow, kernel(16, summed(16))), Refines)
    assert not isinstance(verdict(narrow, kernel(16, summed(16, "0x1:ud"))), Refines)


UNWRITTEN = "mov {m} X({r},0)<1> Y({r},0)<1;1,0>"


def test_what_nothing_wrote_may_be_what_the_target_finds() -> None:
    """Each lane stores an uninitialised word: the source may find there what the target does."""
    assert isinstance(verdict(stored(8, UNWRITTEN), stored(16, UNWRITTEN)), Refines)
    assert isinstance(verdict(stored(16, UNWRITTEN), stored(8, UNWRITTEN)), Refines)


def test_one_unwritten_word_is_not_two() -> None:
    """All lanes of the source store one word, so that lanes of the target may not store several."""
    one = "mov {m} X({r},0)<1> Y(0,0)<0;1,0>"
    assert not isinstance(verdict(stored(16, one), stored(8, UNWRITTEN)), Refines)
    assert not isinstance(verdict(stored(16, one), stored(8, one)), Refines)  # each thread has a word of its own
    assert isinstance(verdict(stored(8, one), stored(16, one)), Refines)


def test_a_group_knows_the_surfaces_that_any_of_its_threads_reaches() -> None:
    """A limit may stop the first thread before it comes to shared local memory, and leave time to the second."""
    group = compare(stored(16), stored(8), Scope(Assume.IDS)).runners[1]
    assert isinstance(group, ThreadGroup)
    first, second = group.members
    group = replace(group, members=(replace(first, surface={}.__getitem__), second))
    reached = next(iter(second.trace.surfaces))
    assert group.surface(reached) == second.surface(reached)
    with pytest.raises(KeyError):
        group.surface("bti 7")


@pytest.mark.slow
@pytest.mark.parametrize(("source", "target"), [(8, 16), (16, 8)])
def test_narrow_threads_do_not_choose_what_the_device_writes(source: int, target: int) -> None:
    """The source stores the time: a target that stores 5 is no refinement, as 5 is not what the time has to be."""
    time, five = "mov {m} X({r},0)<1> %tsc(0,0)<0;1,0>", "mov {m} X({r},0)<1> 0x5:ud"
    found = decide(compare(stored(source, time), stored(target, five), Scope(Assume.IDS)), timeout_ms=100)
    assert not isinstance(found, Refines), found


FAR = "add {m} Y({r},0)<1> AT({r},0)<1;1,0> N(0,0)<0;1,0>"
"""Y: the address of what another work item may store."""
LOAD_FAR = "gather4_scaled.R {m} T6 0x0:ud Y.{b} Y.{b}"
STORE_FAR = STORE.replace("X.{b}", "Y.{b}")


def exchanged(simd: int, *lines: str) -> Program:
    return kernel(simd, ids(simd) + each(simd, FAR) + "".join(each(simd, line) for line in lines))


@pytest.mark.slow
def test_threads_that_do_not_race_find_nothing_of_what_others_store() -> None:
    """The loads of the second thread come after the stores of the first, those of a wide thread before all stores."""
    narrow, wide = (exchanged(simd, LOAD_FAR, STORE_FAR) for simd in (8, 16))
    assert isinstance(verdict(narrow, wide), Refines)
    assert isinstance(verdict(wide, narrow), Difference)  # a wide thread does not race with itself
    allowed = forbidden_by([(UndefinedKind.RACE, False)])
    assert not isinstance(verdict(narrow, wide, allowed), Refines)


def test_lanes_of_one_thread_find_what_others_of_it_store() -> None:
    """These do not race: the target loads what lanes of the same narrow thread have stored."""
    source, target = exchanged(8, LOAD_FAR, STORE, STORE_FAR), exchanged(16, STORE, LOAD_FAR, STORE_FAR)
    assert not isinstance(verdict(source, target), Refines)
    differs(source, target)
