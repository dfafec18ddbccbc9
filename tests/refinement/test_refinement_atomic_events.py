"""Atomics that change nothing: they may come or not, and bring what was there, which others may change meanwhile."""

import pytest
from msgspec.structs import replace

from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, Argument, ArgumentValue
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Alias, Scope
from visaproof.refinement.strategies.atomic_events import EVENT_BY_EVENT
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl C v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl E v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=d num_elts=8 align=GRF
.decl Y v_type=G type=d num_elts=8 align=GRF
.decl Z v_type=G type=d num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input X offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
mov (M1_NM, 8) C(0,0)<1> 0x76543210:v
shl (M1_NM, 8) C(0,0)<1> C(0,0)<1;1,0> 0x2:d
add (M1_NM, 8) D(0,0)<1> C(0,0)<1;1,0> 0x40:d
add (M1_NM, 8) E(0,0)<1> C(0,0)<1;1,0> 0x80:d
movs (M1_NM, 1) T6(0) 0x0:ud
"""


def program(body: str) -> Program:
    kernel = read_kernel(HEAD + body + "ret (M1, 1)\n", "k.visaasm")
    launch = replace(NOTHING_KNOWN.with_inputs(kernel, [("X", ArgumentValue(Argument(1)))]), binding_table={0: 0, 1: 1})
    return Program(kernel, launch, Platform.DG2)


def asked(source: str, target: str) -> Verdict:
    return decide(compare(program(source), program(target), Scope(Assume.NONE)), 10_000)


def atomic(op: str, *operands: str, cell: str = "C", brought: str = "%null", predicate: str = "") -> str:
    src0, src1 = (*operands, "%null", "%null")[:2]
    return f"{predicate} lsc_atomic_{op}.ugm (M1, 8) {brought}:d32 bti(0x0)[{cell}]:a32 {src0} {src1}\n".lstrip()


def unless(number: int) -> str:
    """P1: lanes in which X is another number."""
    return f"cmp.ne (M1, 8) P1 X(0,0)<1;1,0> {number:#x}:d\n"


STORED = "scatter4_scaled.R (M1, 8) T6 0x0:ud E.0 Y.0\n"


def constant(number: int) -> str:
    return f"mov (M1, 8) Z(0,0)<1> {number:#x}:d\n"


@pytest.mark.parametrize(
    ("op", "neutral", "other"),
    [("iadd", 0, 1), ("or", 0, 1), ("and", 0xFFFFFFFF, 0), ("umin", 0xFFFFFFFF, 0), ("smax", 0x80000000, 0)],
)
def test_an_atomic_that_changes_nothing_and_brings_nothing_may_be_left_out(op: str, neutral: int, other: int) -> None:
    once, nothing = constant(neutral) + atomic(op, "Z"), constant(neutral)
    assert isinstance(asked(once, nothing), Refines)
    assert isinstance(asked(nothing, once), Refines)
    assert isinstance(asked(constant(other) + atomic(op, "Z"), nothing), Difference)


def test_an_exchange_for_the_same_changes_nothing_and_one_for_another_does() -> None:
    assert isinstance(asked(atomic("icas", "X", "X"), ""), Refines)
    assert isinstance(asked(constant(0) + atomic("icas", "Z", "X"), constant(0)), Difference)


def test_a_predicate_may_go_that_is_off_only_where_the_atomic_changes_nothing() -> None:
    with_it, without = (atomic("iadd", "X", predicate=one) for one in ("(P1)", ""))
    for source, target in ((with_it, without), (without, with_it)):
        assert isinstance(asked(unless(0) + source, unless(0) + target), Refines)
        assert isinstance(asked(unless(1) + source, unless(1) + target), Difference)


def test_the_source_may_find_what_a_further_read_brings_and_the_target_may_not() -> None:
    """Where the lane is off in the source, its register is uninitialised; then it goes through another atomic."""
    some, all_lanes = (atomic("iadd", "X", brought="Y", predicate=one) for one in ("(P1)", ""))
    used = STORED + atomic("icas", "X", "Y", cell="D")
    assert isinstance(asked(unless(0) + some + used, unless(0) + all_lanes + used), Refines)
    assert not isinstance(asked(unless(0) + all_lanes + used, unless(0) + some + used), Refines)
    assert not isinstance(asked(unless(1) + some + used, unless(1) + all_lanes + used), Refines)


@pytest.mark.slow
def test_reads_keep_their_order_as_others_write_between_them() -> None:
    def both(first: str, second: str) -> str:
        """Y: what the cell of C held, less what that of D held."""
        reads = {"C": atomic("iadd", "Z", brought="Y"), "D": atomic("iadd", "Z", cell="D", brought="X")}
        less = "add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> (-)X(0,0)<1;1,0>\n"
        return constant(0) + reads[first] + reads[second] + less + STORED

    between = atomic("iadd", "X", cell="D")
    assert isinstance(asked(both("C", "D"), both("C", "D")), Refines)
    assert not isinstance(asked(both("C", "D"), both("D", "C")), Refines)
    assert isinstance(asked(between + between, between + constant(0) + atomic("or", "Z") + between), Refines)
    read = constant(0) + atomic("iadd", "Z", cell="D", brought="Y")
    assert not isinstance(asked(between + read + STORED, read + between + STORED), Refines)


# ---------------------------------------------------------------- event by event


def by(source: str, target: str) -> str:
    """How it is shown, where buffers share no byte."""
    scope = Scope(Assume.NONE, alias=Alias.NONE)
    found = decide(compare(program(source), program(target), scope), 10_000)
    return found.by if isinstance(found, Refines) else ""


KEPT = "scatter4_scaled.R (M1, 8) T7 0x0:ud E.0 Y.0\n"
SECOND = "movs (M1_NM, 1) T7(0) 0x1:ud\n"


def test_an_increment_is_an_addition_of_one_and_not_of_two() -> None:
    """Whatever others do between, each lane does the same to what it finds, and brings the same."""
    increment = SECOND + atomic("iinc", brought="Y") + KEPT
    added = [SECOND + constant(number) + atomic("iadd", "Z", brought="Y") + KEPT for number in (1, 2)]
    assert by(increment, added[0]) == by(added[0], increment) == EVENT_BY_EVENT
    assert not by(increment, added[1])


def test_a_difference_of_negations_is_a_sum() -> None:
    negated = "mov (M1, 8) Z(0,0)<1> (-)X(0,0)<1;1,0>\n"
    assert by(atomic("isub", "X"), negated + atomic("iadd", "Z"))
    assert not by(atomic("isub", "X"), negated + atomic("isub", "Z"))


@pytest.mark.slow
def test_events_keep_what_was_stored_before_them() -> None:
    """Another thread that sees the atomic may read what was stored before it."""
    increment, added, kept = atomic("iinc"), constant(1) + atomic("iadd", "Z"), SECOND + KEPT.replace("Y", "X")
    assert by(kept + increment, kept + added)
    assert not by(kept + increment, added + kept)


@pytest.mark.slow
def test_events_of_two_messages_keep_their_order() -> None:
    """They commute on one cell, but others may come between them."""
    one, other = atomic("iinc"), constant(1) + atomic("iadd", "Z", cell="D")
    assert by(one + other, constant(1) + atomic("iadd", "Z") + atomic("iinc", cell="D"))
    assert not by(one + other, other + one)
