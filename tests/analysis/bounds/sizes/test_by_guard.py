"""Sums that are no negative numbers by what a guard compares."""

from types import SimpleNamespace
from typing import NamedTuple, cast

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.analysis.bounds.sizes.test_at_ends import value
from visaproof.analysis.bounds.sizes.by_guard import ByGuard
from visaproof.analysis.bounds.sizes.counters.loop_counters import Bounded, LoopCounters
from visaproof.analysis.bounds.sizes.global_ids import GlobalIds
from visaproof.analysis.bounds.sizes.ids_at_ends import IdsAtEnds
from visaproof.analysis.bounds.sizes.integers import Below
from visaproof.analysis.bounds.sizes.largest import Largest
from visaproof.analysis.bounds.sizes.launch_integers import Counted, LaunchIntegers
from visaproof.analysis.bounds.sizes.sums import is_natural
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.smt import Bool, Term, add, const, neg, slt, sub, symbol, ult
from visaproof.smt.evaluate import evaluate

NAMES = ("i", "n", "w")
AT, N, W = (symbol(name, 8) for name in NAMES)
ATOMS: dict[Term, Polynomial] = {AT: {("i",): 1}, N: {("n",): 1}, W: {("w",): 1}}
SAID = [
    slt(AT, N),
    neg(slt(N, AT)),
    ult(AT, N),
    slt(add(AT, const(3, 8)), N),
    slt(AT, sub(N, const(2, 8))),
    neg(slt(N, W)),
]
SUMS: list[Polynomial] = [
    {("n",): 1, ("i",): -1},
    {("n",): 4, ("i",): -4, (): -4},
    {("n", "w"): 2, ("i", "w"): -2, ("w",): -1},
    {("n",): 1, ("i",): -2},
    {("n",): 1, ("i",): -1, ("w",): 1, (): -5},
    {("n",): 2, ("i",): -1, ("w",): -1},
]
NUMBER = st.one_of(st.integers(0, 12), st.integers(120, 136), st.integers(0, 255))


NO_IDS = IdsAtEnds(cast(GlobalIds, None), cast(LaunchIntegers, None), {})


def of_guard(guard: Bool) -> ByGuard:
    return ByGuard(LoopCounters.of([], frozenset((guard,)), AT, ATOMS, {}), NO_IDS)


def holds(one: Below, names: dict[str, int]) -> bool:
    return 0 <= value(one.sum, names) < 1 << one.bits


def is_at_least_0(one: Polynomial) -> bool:
    """Where n is at least 2, and the others at least 0."""
    return is_natural(one, {"n": 2})


PAIRS = [(guard, one) for guard in SAID for one in SUMS if of_guard(guard).finds(one, is_at_least_0)]


@given(st.sampled_from(PAIRS), NUMBER, st.integers(-2, 2), NUMBER)
def test_what_a_guard_shows_is_no_negative_number(pair: tuple[Bool, Polynomial], n: int, less: int, w: int) -> None:
    guard, one = pair
    names = {"i": (n - less) % 256, "n": n, "w": w}
    assume(n >= 2 and evaluate(guard, {AT: names["i"], N: n, W: w}))
    found = of_guard(guard)
    assert found.finds(one, is_at_least_0)
    assert found.shows(one, is_at_least_0)
    if all(holds(limit, names) for limit in found.limits):
        assert value(one, names) >= 0


def test_without_its_limits_it_would_show_too_much() -> None:
    """100 < -56 in 8 bits, as numbers without a sign are."""
    found = of_guard(SAID[0])
    assert found.finds(SUMS[0], is_at_least_0)
    names = {"i": 200, "n": 100, "w": 0}
    assert evaluate(SAID[0], {AT: names["i"], N: names["n"]})
    assert value(SUMS[0], names) < 0
    assert not all(holds(limit, names) for limit in found.limits)


def test_a_guard_shows_what_it_compares_and_no_more() -> None:
    shown = [[of_guard(guard).finds(one, lambda sum_of: is_natural(sum_of, {})) for one in SUMS] for guard in SAID]
    assert shown == [
        [True, True, True, False, False, False],
        [True, False, False, False, False, False],
        [True, True, True, False, False, False],
        [True, True, True, False, False, False],
        [False, False, False, False, False, False],  # n - 2 may be negative
        [False, False, False, False, False, False],
    ]


class Group(NamedTuple):
    """What is asked of ids and of sizes."""

    is_full: bool

    def is_in_group(self, dimension: int) -> bool:
        return self.is_full and not dimension

    def local_size(self, dimension: int) -> Polynomial:
        return {(f"size {dimension}",): 1}

    def at_sizes(self, one: Polynomial) -> Polynomial:
        return one


def differences(group: Group) -> list[Polynomial]:
    steps = {0: Counted(32, 16), 1: Counted()}
    return [*IdsAtEnds(cast(GlobalIds, group), cast(LaunchIntegers, group), steps).differences()]


@given(st.integers(0, 20), st.integers(1, 300))
def test_ids_are_below_the_size_of_their_group(base: int, size: int) -> None:
    (one,) = differences(Group(is_full=True))
    if 32 * base + 16 < size:
        assert value(one, {InnerName(Kind.ID, 0): base, "size 0": size}) == size - 1 - (32 * base + 16) >= 0


def test_of_a_lane_that_may_be_none_of_a_group_nothing_is_known() -> None:
    assert differences(Group(is_full=False)) == []


COUNTER = InnerName(Kind.COUNTER, 0)
AWAY = Below({(COUNTER,): 1, ("n",): -1}, 32)


@pytest.mark.parametrize(("limits", "is_shown"), [((), True), ((AWAY,), False)])
def test_a_guard_says_nothing_of_the_iterations_before(limits: tuple[Below, ...], is_shown: bool) -> None:
    """Of a[i - n] behind n <= i that is enough, and not of i - n in what bounds i: it is so of smaller i as well."""
    atoms: dict[Term, Polynomial] = {**ATOMS, AT: {(COUNTER,): 1}}
    counters = LoopCounters.of([], frozenset((neg(slt(AT, N)),)), AT, atoms, {})
    access = SimpleNamespace(
        loops={COUNTER},
        bounded={COUNTER: Bounded({}, limits)},
        names_sums=False,
        message=SimpleNamespace(arguments=()),
        _is_natural=lambda one, least: is_natural(one, least),
    )
    found = Largest._sums(cast(Largest, access), [AWAY], {}, ByGuard(counters, NO_IDS))
    assert (found == ()) == is_shown
