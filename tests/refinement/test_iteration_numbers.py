"""Words that each iteration moves by one amount: an index of one kernel is a pointer of another."""

import pytest

from benchmarks.growth import nested
from tests.refinement.test_refinement import APART, STORE_B, program
from tests.refinement.test_refinement_loops import BACK, COUNT, HEAD_OF_G, LEAVE, in_step_too
from tests.refinement.widths import test_refinement_widths as widths
from tests.refinement.widths.test_width_loops import looping
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.machine.symbolic.loops.iterations import MOST_TURNS
from visaproof.machine.symbolic.run import trace
from visaproof.refinement import iteration_numbers
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.effects import races
from visaproof.refinement.lockstep import in_step
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Refines
from visaproof.visaasm.reader import read_kernel

HEAD = HEAD_OF_G.replace(".decl P1", ".decl N v_type=G type=d num_elts=1 align=GRF\n.decl P1")
LOAD = "gather4_scaled.R (M1, 8) T6 0x0:ud C.0 G.0\nadd (M1, 8) X(0,0)<1> X(0,0)<1;1,0> G(0,0)<1;1,0>\n"
OF_OTHERS = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> C(0,1)<0;1,0>\n"
FROM_B = "mov (M1, 8) C(0,0)<1> B(0,0)<1;1,0>\n"
ON = "add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> {}:ud\n"


def loop(before: str, body: str) -> str:
    return f"{APART}{before}again:\n{body}{COUNT}{BACK}done:\n{STORE_B}"


def by_index(number: str = "Z(0,0)<1;1,0>", lanes: str = "M1, 8") -> str:
    """Each iteration loads the dword with the next number, which lanes count each, or one for all."""
    at = f"shl (M1, 8) C(0,0)<1> {number} 0x2:d\nadd (M1, 8) C(0,0)<1> C(0,0)<1;1,0> B(0,0)<1;1,0>\n"
    count = f"add ({lanes}) {number[:6]}<1> {number} 0x1:d\n"
    return loop(f"mov ({lanes}) {number[:6]}<1> 0x0:d\n", at + LOAD + count)


def by_pointer(before: str = FROM_B, step: int = 4) -> str:
    return loop(before, LOAD + ON.format(hex(step)))


SOURCES = {"each lane": by_index(), "the thread": by_index("N(0,0)<0;1,0>", "M1_NM, 1")}


@pytest.mark.parametrize("counts", SOURCES)
def test_a_pointer_is_where_an_index_is(counts: str) -> None:
    source = SOURCES[counts]
    assert in_step_too(source, by_pointer(), HEAD)
    assert in_step_too(by_pointer(), source, HEAD)
    assert not in_step_too(source, by_pointer(step=8), HEAD)
    assert not in_step_too(source, by_pointer(FROM_B + ON.format("0x4")), HEAD)


def test_the_verdict_needs_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = compare(program(by_index(), HEAD), program(by_pointer(), HEAD), Scope(Assume.NONE))
    assert isinstance(decide(asked, 1_000), Refines)
    monkeypatch.setattr(iteration_numbers, "_amount", lambda _: None)
    assert not in_step_too(by_index(), by_pointer(), HEAD)


@pytest.mark.parametrize(("read", "alike"), [("", True), (OF_OTHERS, False)])
def test_a_lane_that_leaves_before_it_counts_keeps_another_number(read: str, alike: bool) -> None:
    """While lanes run, their pointers are the same; that of a lane that has left is 4 more in one of the kernels."""
    first = loop(FROM_B, LOAD + read + ON.format("0x4") + LEAVE)
    last = loop(FROM_B, LOAD + read + LEAVE + ON.format("0x4"))
    assert in_step_too(first, last, HEAD) == alike
    assert in_step_too(last, first, HEAD) == alike
    assert in_step_too(last, last.replace("0x4:ud", "0x4:uw"), HEAD)


def breaking(text: str, limit: str = "X(0,0)<1;1,0>") -> str:
    """Lanes leave behind the load where its address is the limit, past a store."""
    leave = f"cmp.eq (M1, 8) P1 C(0,0)<1;1,0> {limit}\n(P1) goto (M1, 8) done\n"
    past = STORE_B.replace("X.0", "Y.0")
    return text.replace(LOAD, LOAD + leave).replace(f"done:\n{STORE_B}", f"{STORE_B}done:\n{past}")


@pytest.mark.parametrize("counts", SOURCES)
def test_lanes_leave_where_an_index_or_a_pointer_is(counts: str) -> None:
    source = breaking(SOURCES[counts])
    assert in_step_too(source, breaking(by_pointer()), HEAD)
    assert not in_step_too(source, breaking(by_pointer(step=8)), HEAD)
    assert not in_step_too(source, breaking(by_pointer(), "Y(0,0)<1;1,0>"), HEAD)


def loop_of(simd: int, body: str) -> Program:
    """X is 0 before the loop."""
    text = looping(simd, body).replace("again:\n", widths.each(simd, "mov {m} X({r},0)<1> 0x0:ud") + "again:\n")
    return widths.kernel(simd, text)


@pytest.mark.slow
def test_threads_are_in_iterations_of_different_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each iteration but the first stores eight lanes further on: the next thread was there before, or will be."""
    flag = "cmp.ne {m} P1 X({r},0)<1;1,0> 0x0:ud"  # not in the first iteration
    store = "(P1) scatter4_scaled.R {m} T6 0x0:ud AT.{b} Y.{b}\nmov {m} X({r},0)<1> 0x1:ud"
    body = f"{flag}\n{store}\nadd {{m}} AT({{r}},0)<1> AT({{r}},0)<1;1,0> 0x20:ud"
    one, other = (loop_of(simd, body) for simd in (16, 8))
    asked, _ = widths.asked(one, other)
    question = asked.runners, asked.question.launched, asked.scope, asked.split
    assert in_step(*question) is None
    monkeypatch.setattr(races, "in_another_iteration", lambda access: access)
    assert in_step(*question) is not None


@pytest.mark.slow
def test_work_grows_with_the_depth_of_loops_and_not_with_the_product_of_their_iterations() -> None:
    shift = "mul (M1_NM, 8) A(0,0)<1> 0x76543210:v 0x4:uw"
    twice = shift.replace("0x4", "0x2") + "\nadd (M1_NM, 8) A(0,0)<1> A(0,0)<1;1,0> A(0,0)<1;1,0>"
    asked = [
        compare(of_text(nested(depth)), of_text(nested(depth).replace(shift, twice)), Scope(Assume.NONE))
        for depth in (5, 6)
    ]
    unrolled = [len(trace(of_text(nested(depth)).kernel, Platform.DG2, generalise=False).performed) for depth in (5, 6)]
    stepped = [in_step(one.runners, one.question.launched, one.scope, one.split) for one in asked]
    iterations = [len(one.source.loops) for one in stepped if one is not None]
    assert unrolled[1] == unrolled[0] < 2 * MOST_TURNS
    assert len(iterations) == 2
    assert iterations[1] <= 2 * iterations[0]


def of_text(text: str) -> Program:
    return Program(read_kernel(text, "k.visaasm"), NOTHING_KNOWN, Platform.DG2)


# ---------------------------------------------------------------- numbers in two halves

HALVES = HEAD.replace(
    ".decl P1",
    ".decl Q v_type=G type=uq num_elts=8 align=GRF\n.decl W v_type=G type=ud num_elts=16 alias=<Q, 0>\n"
    ".decl XU v_type=G type=ud num_elts=8 alias=<X, 0>\n"
    ".decl HI v_type=G type=ud num_elts=8 align=GRF\n.decl CY v_type=G type=ud num_elts=8 align=GRF\n.decl P1",
)
SUM = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> {}\n"
CARRY = """addc (M1, 8) C(0,0)<1> CY(0,0)<1> C(0,0)<1;1,0> N(0,0)<0;1,0>
add (M1, 8) HI(0,0)<1> HI(0,0)<1;1,0> CY(0,0)<1;1,0>
"""


def in_split_words(carry: str = CARRY, high: str = "0x0:ud") -> str:
    """Each iteration loads where the low half is, and adds up the high ones."""
    return loop(f"{FROM_B}mov (M1, 8) HI(0,0)<1> {high}\n", LOAD + SUM.format("HI(0,0)<1;1,0>") + carry)


def whole() -> str:
    low = "mov (M1, 8) C(0,0)<1> W(0,0)<2;1,0>\n"
    step = "add (M1, 8) Q(0,0)<1> Q(0,0)<1;1,0> N(0,0)<0;1,0>\n"
    return loop("mov (M1, 8) Q(0,0)<1> B(0,0)<1;1,0>\n", low + LOAD + SUM.format("W(0,1)<2;1,0>") + step)


def test_a_number_in_halves_is_one_number() -> None:
    head = HALVES.replace(".decl N v_type=G type=d ", ".decl N v_type=G type=ud ")
    assert in_step_too(whole(), in_split_words(), head)
    assert in_step_too(in_split_words(), whole(), head)
    wrong = (
        in_split_words(high="0x1:ud"),
        in_split_words(CARRY.replace("CY(0,0)<1;1,0>\n", "0x1:ud\n")),
        in_split_words(CARRY + "add (M1, 8) HI(0,0)<1> HI(0,0)<1;1,0> CY(0,0)<1;1,0>\n"),
        in_split_words(CARRY + ON.format("0x4")),
        in_split_words(CARRY.replace("C(0,0)<1;1,0> N", "B(0,0)<1;1,0> N")),
    )
    assert not any(in_step_too(whole(), one, head) for one in wrong)


def test_halves_by_what_iterations_change_are_not_counted() -> None:
    """With x before an iteration of number n, the pointer is not x·n behind where it was before the loop."""
    moved = loop(FROM_B + "mov (M1, 8) HI(0,0)<1> 0x0:ud\n", CARRY.replace("N(0,0)<0;1,0>", "XU(0,0)<1;1,0>") + LOAD)
    add = "add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> {}(0,0)<1;1,0>\n"
    at = "mul (M1, 8) C(0,0)<1> XU(0,0)<1;1,0> Z(0,0)<1;1,0>\n" + "".join(map(add.format, ("B", "XU", "CY")))
    start = "mov (M1, 8) Z(0,0)<1> 0xffffffff:d\nmov (M1, 8) CY(0,0)<1> XU(0,0)<1;1,0>\n"
    assert not in_step_too(moved, loop(start, at + LOAD + "add (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x1:d\n"), HALVES)
