"""What one kernel changes in memory the other changes in a register, which it stores: the same in each iteration."""

from collections.abc import Mapping

import pytest

from visaproof.isa.atomics import AtomicOp
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.input_meaning import Argument, ArgumentValue, BufferAddress, LocalId, Piece
from visaproof.launch.launch import Launch
from visaproof.launch.matching import Program
from visaproof.queries.kernels.stores import Change, Owner, UnitStore, stored_by
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind
from visaproof.refinement import lockstep
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.effects.question import Question
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Refines, Verdict
from visaproof.refinement.words_in_memory import words_in_memory
from visaproof.semantics.symbolic.literals import literals_of
from visaproof.smt import Term, add, bool_symbol, conj, const, symbol
from visaproof.visaasm.reader import read_kernel

LOAD = "lsc_load.ugm (M1, {simd}) Y:d32 flat[A]:a64"
STORE = "lsc_store.ugm (M1, {simd}) flat[A]:a64 Y:d32"
CHANGE = "mul (M1, {simd}) Y(0,0)<1> Y(0,0)<1;1,0> X(0,0)<1;1,0>"
TIMES_N = "mul (M1, {simd}) AT(0,0)<1> AT(0,0)<1;1,0> N(0,0)<0;1,0>"
"""Nobody knows how far lanes are apart: they collide, or they do not."""
PLACE = (
    "mov (M1, {simd}) W(0,0)<1> AT(0,0)<1;1,0>",
    "add (M1, {simd}) A(0,0)<1> W(0,0)<1;1,0> PTR(0,0)<0;1,0>",
)


def items(simd: int, *statements: str) -> Program:
    """X: the local ids, AT: four times that, A: so many bytes behind the begin of a buffer."""
    lines = [
        ".version 4.1", '.kernel "k"',
        ".decl ID v_type=G type=uw num_elts=16 align=GRF", ".decl N v_type=G type=ud num_elts=1 align=GRF",
        ".decl PTR v_type=G type=uq num_elts=1 align=GRF", ".decl LATER v_type=G type=ud num_elts=1 align=GRF",
        ".decl M v_type=G type=ud num_elts=1 align=GRF",
        *(f".decl {name} v_type=G type=ud num_elts={simd} align=GRF" for name in ("X", "AT", "Y")),
        *(f".decl {name} v_type=G type=uq num_elts={simd} align=GRF" for name in ("W", "A", "B")),
        f".decl P1 v_type=P num_elts={simd}",
        ".input ID offset=32 size=32", ".input N offset=128 size=4", ".input PTR offset=136 size=8",
        f".kernel_attr SimdSize={simd}", '.function "k"', "_main:",
        f"mov (M1, {simd}) X(0,0)<1> ID(0,0)<1;1,0>", f"shl (M1, {simd}) AT(0,0)<1> X(0,0)<1;1,0> 0x2:ud",
        *(one.format(simd=simd) for one in statements), "ret (M1, 1)", "",
    ]  # fmt: skip
    meanings = {
        "ID": (Piece(0, 2 * simd, LocalId(0)),),
        "N": (Piece(0, 4, ArgumentValue(Argument(1))),),
        "PTR": (Piece(0, 8, BufferAddress(Argument(0))),),
    }
    launch = Launch(simd, meanings, platform=Platform.DG2)
    return Program(read_kernel("\n".join(lines), "k.visaasm"), launch, Platform.DG2)


def looping(simd: int, *statements: str, before: tuple[str, ...] = ()) -> Program:
    """N iterations, after a load."""
    return items(simd, *before, *PLACE, LOAD, "again:", *statements, *back("N", "again"))


def back(count: str, label: str) -> tuple[str, ...]:
    return (
        f"add (M1_NM, 1) {count}(0,0)<1> {count}(0,0)<0;1,0> 0xffffffff:ud",
        f"cmp.ne (M1, {{simd}}) P1 {count}(0,0)<0;1,0> 0x0:ud",
        f"(P1) goto (M1, {{simd}}) {label}",
    )


def asked(source: Program, target: Program, forbidden: frozenset[UndefinedKind] = FORBIDDEN) -> Verdict:
    return decide(compare(source, target, Scope(Assume.LAUNCH, forbidden, timeout_ms=1_000)), 1_000)


def in_both_ways(
    simd: int, *more: str, change: tuple[str, ...] = (CHANGE, STORE), before: tuple[str, ...] = ()
) -> tuple[Program, Program]:
    """With a load in each iteration, and without."""
    return looping(simd, LOAD, *change, *more, before=before), looping(simd, *change, *more, before=before)


@pytest.mark.parametrize(("one", "other"), [(8, 8), (8, 16)])
def test_what_is_in_memory_may_be_kept_in_a_register(one: int, other: int) -> None:
    for place in (0, 1):
        found = asked(in_both_ways(one)[place], in_both_ways(other)[1 - place])
        assert isinstance(found, Refines), found
        assert "iteration by iteration" in found.by


FURTHER = "add (M1, {simd}) A(0,0)<1> A(0,0)<1;1,0> 0x100:uq"
STORE_X = STORE.replace("Y", "X")
STORE_ELSEWHERE = STORE_X.replace("[A]", "[B]")
ELSEWHERE = (
    "and (M1, {simd}) W(0,0)<1> W(0,0)<1;1,0> 0x1c:uq",
    "add (M1, {simd}) B(0,0)<1> W(0,0)<1;1,0> PTR(0,0)<0;1,0>",
)
"""B is where another lane may be."""
BARRIER = "lsc_fence.ugm.none.group\nbarrier"

WRONG = {
    "another place": FURTHER,
    "another lane": STORE_ELSEWHERE,
    "others write": BARRIER,
    "no store": CHANGE,
}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("more", WRONG.values(), ids=WRONG)
def test_a_register_that_memory_does_not_hold_is_not_taken_for_it(more: str) -> None:
    found = asked(*in_both_ways(8, *ELSEWHERE, more))
    assert not isinstance(found, Refines), found


def once(compare: str, *statements: str) -> tuple[str, ...]:
    """Statements under P1, in the first iteration (eq) or in all others (ne)."""
    under = (f"(P1) {one}" for one in statements)
    return (f"cmp.{compare} (M1, {{simd}}) P1 LATER(0,0)<0;1,0> 0x0:ud", *under)


NOT_LATER, LATER = (f"mov (M1_NM, 1) LATER(0,0)<1> {number}:ud" for number in ("0x0", "0x1"))
NOT_AT_FIRST = "cmp.ne (M1, {simd}) P1 M(0,0)<0;1,0> N(0,0)<0;1,0>"
INSIDE = ("mov (M1_NM, 1) M(0,0)<1> N(0,0)<0;1,0>", "inside:", NOT_AT_FIRST, "(P1) " + STORE_X, *back("M", "inside"))
"""A loop in the loop, which stores in its own iterations but the first."""

Case = tuple[tuple[str, ...], tuple[str, ...], int, bool]
"""What stands before the loop and at the end of iterations, how many words are found, and whether lanes may collide."""

CASES: dict[str, Case] = {
    "the same": ((), (), 8, False),
    "further on": ((), (FURTHER,), 0, False),
    "another lane": ((), (*ELSEWHERE, STORE_ELSEWHERE), 0, False),
    "another lane before": ((NOT_LATER,), (*ELSEWHERE, *once("eq", STORE_ELSEWHERE), LATER), 0, False),
    "another lane later": ((NOT_LATER,), (*ELSEWHERE, *once("ne", STORE_ELSEWHERE), LATER), 0, False),
    "others write": ((NOT_LATER,), (BARRIER, *once("eq", STORE), *once("ne", STORE_X), LATER), 0, False),
    "a loop inside": ((NOT_LATER,), (*INSIDE, *once("eq", STORE), LATER), 0, False),
    "undefined": ((TIMES_N,), (), 8, False),
    "collision": ((TIMES_N,), (), 0, True),
}


class _FoundError(Exception):
    pass


@pytest.mark.parametrize(("before", "more", "count", "collide"), CASES.values(), ids=CASES)
def test_words_are_found_where_each_iteration_leaves_them(
    before: tuple[str, ...], more: tuple[str, ...], count: int, collide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int] = []

    def noted(question: Question, names: Mapping[Term, Term]) -> dict[Term, Term]:
        found.append(len(words_in_memory(question, names)))
        raise _FoundError

    monkeypatch.setattr(lockstep, "words_in_memory", noted)
    source, target = in_both_ways(8, *more, before=before)
    with pytest.raises(_FoundError):
        asked(source, target, FORBIDDEN - {UndefinedKind.COLLISION} if collide else FORBIDDEN)
    assert found == [count]


def test_a_word_that_is_not_always_stored_is_not_taken_for_it() -> None:
    some = (CHANGE, "cmp.gt (M1, {simd}) P1 Y(0,0)<1;1,0> 0x100:ud", "(P1) " + STORE)
    assert not isinstance(asked(*in_both_ways(8, change=some)), Refines)


def test_a_word_is_kept_where_lanes_may_collide() -> None:
    """Of lanes of one message that collide the source is undefined."""
    twice = (TIMES_N, *PLACE, LOAD, CHANGE, STORE)
    source, target = items(8, *twice, LOAD, CHANGE, STORE), items(8, *twice, CHANGE, STORE)
    found = asked(source, target)
    assert isinstance(found, Refines)
    assert "normal form" in found.by, found.by
    assert not isinstance(asked(source, target, FORBIDDEN - {UndefinedKind.COLLISION}), Refines)


# ---------------------------------------------------------------- what a load finds that has stored there


ON, OTHER = bool_symbol("on"), bool_symbol("other")
AT, ANYWHERE = symbol("at", 32), symbol("anywhere", 32)
FIRST, SECOND = const(1, 32), const(2, 32)
MINE = UnitStore(ON, AT, FIRST, Owner(message=1))


def test_a_load_finds_what_its_lane_has_stored() -> None:
    where = literals_of(conj(ON, OTHER))
    assert stored_by((MINE,), AT, where) is FIRST
    assert stored_by((MINE, UnitStore(OTHER, ANYWHERE, SECOND, Owner(message=1))), AT, where) is FIRST
    assert stored_by((MINE, UnitStore(ON, AT, SECOND, Owner(message=2))), AT, where) is SECOND
    assert stored_by((MINE, UnitStore(ON, add(AT, const(4, 32)), SECOND)), AT, where) is FIRST


def test_a_load_may_find_what_another_message_has_stored() -> None:
    where = literals_of(conj(ON, OTHER))
    assert stored_by((MINE, UnitStore(OTHER, ANYWHERE, SECOND, Owner(message=2))), AT, where) is None
    assert stored_by((MINE, UnitStore(OTHER, ANYWHERE, SECOND)), AT, where) is None
    assert stored_by((MINE,), AT, literals_of(OTHER)) is None
    assert stored_by((MINE,), ANYWHERE, where) is None
    unknown = UnitStore(ON, AT, FIRST)
    assert stored_by((unknown, UnitStore(OTHER, ANYWHERE, SECOND)), AT, where) is None
    assert stored_by((UnitStore(ON, AT, FIRST, Owner(message=1), Change(AtomicOp.ADD)),), AT, where) is None
