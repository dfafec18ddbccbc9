"""What was proved of the lanes of one scatter is said of others: only of those that say all of it."""

from collections.abc import Sequence

import pytest

from visaproof.analysis.conflicts import known_apart
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.known_apart import KnownApart
from visaproof.analysis.conflicts.simpler_formulas import without_products
from visaproof.analysis.conflicts.verdicts import Conflict, Free
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.smt import Bool, Op, add, bool_symbol, conj, const, disj, eq, neg, subterms, symbol, ult
from visaproof.smt.answers import Answer, Undecided
from visaproof.visaasm.reader import read_kernel

X, Y, N = (symbol(name, 32) for name in "xyn")
SMALL = ult(X, const(8, 32)), ult(const(8, 32), Y)
ON, INSIDE = bool_symbol("em.0"), bool_symbol("inside")


def known(*premises: Bool) -> KnownApart:
    return KnownApart(conj(*premises), without_products)


def test_what_says_all_of_it_and_more_is_excluded() -> None:
    apart = known(*SMALL)
    apart.learn([conj(eq(X, Y), ON)])
    assert apart.excludes(lambda: conj(eq(X, Y), ON, INSIDE))
    assert apart.excludes(lambda: disj(conj(eq(X, Y), ON, INSIDE), conj(eq(X, Y), ON, neg(INSIDE))))


def test_what_says_less_or_something_else_is_not() -> None:
    apart = known(*SMALL)
    apart.learn([conj(eq(X, Y), ON)])
    assert not apart.excludes(lambda: eq(X, Y))
    assert not apart.excludes(lambda: conj(eq(X, add(Y, const(1, 32))), ON))
    assert not apart.excludes(lambda: disj(conj(eq(X, Y), ON), conj(eq(X, N), ON)))


def test_what_can_hold_is_not_learned() -> None:
    apart = known(SMALL[0])
    apart.learn([conj(eq(X, Y), ON)])
    assert not apart.excludes(lambda: conj(eq(X, Y), ON))


@pytest.mark.parametrize("last_holds", [False, True])
def test_pairs_are_asked_one_by_one_where_all_take_long(last_holds: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that were proved are kept, also where one of them can hold."""
    ones = [conj(eq(X, add(Y, const(distance, 32))), ON) for distance in range(3)]
    pairs = [*ones, conj(ult(X, Y), ON)] if last_holds else ones
    asked: list[int] = []

    def only_small(formulas: Sequence[Bool], timeout_ms: int, *, alone: bool) -> Answer:
        asked.append(sum(one.op is Op.DISJ for one in subterms(formulas[0])))
        return Undecided("long") if asked[-1] else solve(formulas, timeout_ms, alone=alone)

    solve = known_apart.solve
    monkeypatch.setattr(known_apart, "solve", only_small)
    apart = known(*SMALL, ult(Y, const(16, 32)))
    assert apart.learn(pairs) is not last_holds
    assert asked == [0, 1, *(0 for _ in pairs[1:])]
    assert all(apart.excludes(lambda one=one: conj(one, INSIDE)) for one in ones)
    assert not apart.excludes(lambda: conj(ult(X, Y), ON))


# ---------------------------------------------------------------- two scatters of a kernel

HEAD = """.version 4.1
.kernel "k"
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl W v_type=G type=ud num_elts=8 align=GRF
.decl N v_type=G type=ud num_elts=1 align=dword
.decl M v_type=G type=ud num_elts=1 align=dword
.decl L v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input V offset=32 size=32
.input N offset=64 size=4
.input M offset=68 size=4
.kernel_attr SimdSize=8
.function "k"
_main:
    movs (M1_NM, 1) T6(0) 0x1:ud
    mov (M1, 8) L(0,0)<1> 0x76543210:uv
    min (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 0x3c:ud
    mad (M1, 8) V(0,0)<1> L(0,0)<1;1,0> 0x40:ud V(0,0)<1;1,0>
    add (M1, 8) W(0,0)<1> V(0,0)<1;1,0> N(0,0)<0;1,0>
    scatter4_scaled.R (M1, 8) T6 0x0:ud W.0 V.0
"""
"""At 64·lane + min(v, 60) + n."""
SECOND = """    add (M1, 8) W(0,0)<1> {address} M(0,0)<0;1,0>
    {guard}scatter4_scaled.R (M1, 8) T6 0x0:ud W.0 V.0
"""
GUARD = "    cmp.lt (M1, 8) P1 M(0,0)<0;1,0> N(0,0)<0;1,0>\n"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Bool]:
    """What a solver was asked about lanes that meet."""
    found: list[Bool] = []

    def noted(formulas: Sequence[Bool], timeout_ms: int, *, alone: bool) -> object:
        found.extend(formulas)
        return solve(formulas, timeout_ms, alone=alone)

    solve = known_apart.solve
    monkeypatch.setattr(known_apart, "solve", noted)
    return found


def answers(*statements: str) -> list[object]:
    kernel = read_kernel(f"{HEAD}{''.join(statements)}    ret (M1, 1)\n", "k.visaasm")
    found = ask_kernel(kernel, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, 10_000)
    return [finding.answer for finding in found.answers()]


def test_lanes_as_far_apart_are_asked_about_once(asked: list[Bool]) -> None:
    (first,) = answers()
    assert isinstance(first, Free)
    alone = len(asked)
    assert alone
    guarded = GUARD, SECOND.format(address="W(0,0)<1;1,0>", guard="(P1) ")
    assert all(isinstance(one, Free) for one in answers(*guarded))
    assert len(asked) <= 2 * alone  # of the first scatter, in both kernels


def test_other_lanes_that_meet_are_found_behind_lanes_that_are_apart() -> None:
    """The false neighbour: the second scatter leaves out what tells the lanes apart."""
    first, second = answers(SECOND.format(address="N(0,0)<0;1,0>", guard=""))
    assert isinstance(first, Free)
    assert isinstance(second, Conflict)
