"""Counters that count down, and those that begin by an outer one: what they are in no iteration."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.analysis.bounds.sizes.test_at_ends import value
from visaproof.analysis.bounds.sizes import largest
from visaproof.analysis.bounds.sizes.by_guard import ByGuard
from visaproof.analysis.bounds.sizes.counters import loop_counters
from visaproof.analysis.bounds.sizes.counters.counted_down import counted_down
from visaproof.analysis.bounds.sizes.counters.loop_counters import LoopCounters
from visaproof.analysis.bounds.sizes.integers import Below, Integers
from visaproof.analysis.bounds.sizes.launch_integers import least_of
from visaproof.analysis.bounds.sizes.sums import of_arguments
from visaproof.cli import main
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.machine.symbolic.loops.came_back import CountedLoop, Counter
from visaproof.semantics.symbolic.value_names import LoadedValue, OfLoop, RegisterByte
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    add,
    bool_symbol,
    conj,
    const,
    disj,
    eq,
    neg,
    slt,
    sub,
    symbol,
    ult,
)
from visaproof.smt.evaluate import evaluate

DATA = Path(__file__).parents[4] / "data" / "counted_down"
NOW, FIRST, LEAST, MORE = (symbol(name, 8) for name in ("i", "first", "least", "more"))
LANE, OUTER_LANE = bool_symbol("lane"), bool_symbol("outer_lane")
ATOMS: dict[Term, Polynomial] = {FIRST: {("first",): 1}, LEAST: {("least",): 1}, MORE: {("more",): 1}}
NAMES: tuple[str, ...] = ("first", "least", "more")
NUMBER = st.one_of(st.integers(0, 20), st.integers(118, 136), st.integers(240, 255))
COMPARED = [
    slt(const(-1, 8), NOW),
    slt(const(0, 8), NOW),
    slt(const(0, 8), add(NOW, const(1, 8))),
    slt(const(-4, 8), NOW),
    neg(slt(NOW, LEAST)),
    slt(sub(LEAST, const(1, 8)), NOW),
    slt(const(-1, 8), add(NOW, MORE)),
    slt(const(-1, 8), sub(NOW, MORE)),
    slt(LEAST, sub(NOW, const(2, 8))),
    neg(eq(const(0, 8), NOW)),
    neg(eq(const(1, 8), NOW)),
    ult(const(0, 8), NOW),
    ult(const(4, 8), NOW),
    ult(LEAST, NOW),
    neg(slt(NOW, sub(LEAST, MORE))),
]
BEGINS = [FIRST, sub(FIRST, const(1, 8)), sub(FIRST, MORE), const(100, 8), const(0, 8), add(FIRST, MORE)]


def holds(limits: Sequence[Below], names: dict[str, int]) -> bool:
    return all(0 <= value(one.sum, names) < 1 << one.bits for one in limits)


@given(
    st.sampled_from(COMPARED),
    st.sampled_from(BEGINS),
    st.sampled_from([1, 2, 3, 127, 128]),
    st.tuples(NUMBER, NUMBER, NUMBER),
    st.sampled_from(["always", "but first"]),
)
@example(COMPARED[0], FIRST, 128, (127, 0, 0), "always")
@example(COMPARED[0], FIRST, 1, (200, 0, 0), "but first")  # a negative number at first
@example(COMPARED[12], FIRST, 3, (200, 0, 0), "always")
@example(COMPARED[0], BEGINS[2], 1, (0, 0, 200), "always")  # -200 is 56
@example(COMPARED[14], FIRST, 100, (50, 0, 100), "always")  # above -100: from -50 to 106
def test_no_iteration_leaves_what_a_counter_is(
    compared: Bool, begin: BitVec, down: int, numbers: tuple[int, int, int], holds_when: str
) -> None:
    counter = Counter(NOW, begin, const(-down, 8), LANE)
    held, later = ((compared,), ()) if holds_when == "always" else ((), (compared,))
    found = counted_down(counter, held, later, Integers(ATOMS))
    assume(found is not None)
    assert found is not None
    names: dict[str, int] = dict(zip(NAMES, numbers, strict=True))
    assume(holds(found.limits, names))
    state: dict[Term, int] = dict(zip((FIRST, LEAST, MORE), numbers, strict=True))
    said = compared if holds_when == "always" else disj(compared, eq(NOW, begin))
    now = evaluate(begin, state)
    for _ in range(300):
        if not evaluate(said, {**state, NOW: now}):
            break
        assert any(
            (value(found.beside, names) + above) % 256 == now for above in range(value(found.most, names) + 1)
        ), now
        now = (now - down) % 256


def test_each_comparison_is_read_but_where_numbers_may_wrap() -> None:
    counter = Counter(NOW, FIRST, const(-1, 8), LANE)
    found = [counted_down(counter, (one,), (), Integers(ATOMS)) is not None for one in COMPARED]
    assert found == [True] * 3 + [False] + [True] * 9 + [False, True]
    faster = Counter(NOW, FIRST, const(-3, 8), LANE)  # from 2 to 255
    assert counted_down(faster, (COMPARED[11],), (), Integers(ATOMS)) is None
    assert counted_down(faster, (COMPARED[12],), (), Integers(ATOMS)) is not None


LOADED = symbol(LoadedValue("", "1"), 8)


@pytest.mark.parametrize("compared", [slt(const(-1, 8), add(NOW, LOADED)), slt(LOADED, NOW)])
def test_what_each_iteration_loads_bounds_nothing(compared: Bool) -> None:
    counter = Counter(NOW, FIRST, const(-1, 8), LANE)
    atoms: dict[Term, Polynomial] = {**ATOMS, LOADED: {("loaded",): 1}}
    assert counted_down(counter, (compared,), (), Integers(atoms)) is None


INNER, OUTER = (symbol(OfLoop(name, RegisterByte("V1", 0)), 8) for name in ("inner", "outer"))
OUTER_NAME, INNER_NAME = "loop 0", "loop 1"


def of_both(outer: Counter, goes_on: Bool, inner: Bool) -> LoopCounters:
    """A loop in another one, from behind the counter of that."""
    loops = [
        CountedLoop((Counter(INNER, add(OUTER, const(1, 8)), const(1, 8), LANE),), {LANE: frozenset((inner,))}),
        CountedLoop((outer,), {OUTER_LANE: frozenset((goes_on,))}),
    ]
    guard = frozenset((LANE, OUTER_LANE, goes_on, inner))
    return LoopCounters.of(loops, guard, INNER, ATOMS, {})


@given(
    st.sampled_from([slt(INNER, LEAST), slt(sub(INNER, const(3, 8)), LEAST), slt(add(INNER, MORE), LEAST)]),
    st.booleans(),
    st.tuples(st.integers(0, 40), NUMBER, st.integers(0, 40)),
    st.integers(0, 10),
)
def test_no_inner_iteration_leaves_what_its_counter_is(
    inner: Bool, is_down: bool, numbers: tuple[int, int, int], turns: int
) -> None:
    outer = Counter(OUTER, FIRST, const(-1 if is_down else 1, 8), OUTER_LANE)
    goes_on = slt(const(-1, 8), OUTER) if is_down else slt(OUTER, MORE)
    counted = of_both(outer, goes_on, inner)
    bounded, reader = counted.bounded(), counted.reader()
    assert {*bounded} == {OUTER_NAME, INNER_NAME}
    assert reader.read(INNER) == {**(reader.read(OUTER) or {}), (): 1, (INNER_NAME,): 1}
    names: dict[str, int] = dict(zip(NAMES, numbers, strict=True))
    state: dict[Term, int] = dict(zip((FIRST, LEAST, MORE), numbers, strict=True))
    outers = [(numbers[0] + turn * (-1 if is_down else 1)) % 256 for turn in range(turns + 1)]
    assume(all(evaluate(goes_on, {**state, OUTER: one}) for one in outers))
    names[OUTER_NAME] = outers[-1] if is_down else turns
    assert names[OUTER_NAME] <= value(bounded[OUTER_NAME].most, names)
    assume(holds(bounded[OUTER_NAME].limits, names))
    most = value(bounded[INNER_NAME].most, names)
    assume(all(holds(bounded[INNER_NAME].limits, {**names, INNER_NAME: one}) for one in (0, max(0, most))))
    for number in range(300):
        if not evaluate(inner, {**state, OUTER: outers[-1], INNER: (outers[-1] + 1 + number) % 256}):
            break
        assert number <= most


@pytest.mark.parametrize("is_said", [True, False])
def test_what_the_guard_says_of_the_first_value_is_no_condition(is_said: bool) -> None:
    """Of an inner loop that is run where it has an iteration: that i is below m is known, and no limit then."""
    compared, first = slt(INNER, LEAST), slt(OUTER, LEAST)
    said = disj(compared, eq(INNER, OUTER))
    loops = [
        CountedLoop((Counter(INNER, OUTER, const(1, 8), LANE),), {LANE: frozenset((said,))}),
        CountedLoop((Counter(OUTER, FIRST, const(1, 8), OUTER_LANE),), {OUTER_LANE: frozenset((slt(OUTER, MORE),))}),
    ]
    guard = frozenset((LANE, OUTER_LANE, slt(OUTER, MORE), said, *((first,) if is_said else ())))
    bounded = LoopCounters.of(loops, guard, INNER, ATOMS, {}).bounded()
    assert bounded.keys() == {OUTER_NAME, INNER_NAME}
    subtracted = {
        name for one in bounded[INNER_NAME].limits for part, count in one.sum.items() if count < 0 for name in part
    }
    assert (OUTER_NAME in subtracted) != is_said


def test_two_counters_of_one_loop_bound_none() -> None:
    """i + j < n, where both go on: what begins below n need not stay there."""
    both = [Counter(one, FIRST, const(1, 8), LANE) for one in (INNER, OUTER)]
    compared = slt(add(INNER, OUTER), LEAST)
    loop = CountedLoop(tuple(both), {LANE: frozenset((compared,))})
    assert not LoopCounters.of([loop], frozenset((LANE, compared)), add(INNER, OUTER), ATOMS, {}).bounded()


@pytest.mark.parametrize(
    ("said", "least"),
    [
        ([slt(const(0, 8), FIRST), slt(const(1, 8), sub(FIRST, const(3, 8)))], 5),
        ([neg(eq(const(0, 8), FIRST)), neg(eq(const(1, 8), FIRST))], 1),  # that it is not 1 either is seen later
    ],
)
def test_a_guard_says_what_less_is_at_least(said: list[Bool], least: int) -> None:
    guard = conj(*said)
    assert least_of(guard, FIRST) == least
    assert min(one for one in range(256) if evaluate(guard, {FIRST: one})) >= least


# ------------------------------------------------------------ kernels

SIZES = {
    "reversed": {"a": "4*n", "o": "4*global_size_x"},
    "suffix": {"a": "4*n", "o": "4*n"},
    "upwards": {"a": "4*h*global_size_x", "o": "4*h*global_size_x"},
    "unsigned": {"a": "4*n", "o": "4*global_size_x"},
    "fours": {"a": "4*n", "o": "4*global_size_x"},
    "neighbours": {"a": "4*n", "o": "4*global_size_x"},
}


def asked(kernel: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    launch = ("--launch", str(DATA / "counted_down.ze_info"), "--format", "json", "--cache-mode", "off")
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *launch, "--limit", "60"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages"]


@pytest.mark.parametrize(
    "kernel", [pytest.param(one, marks=pytest.mark.slow if one == "upwards" else ()) for one in SIZES]
)
def test_kernels_need_what_their_loops_read(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    found: dict[object, set[object]] = {}
    for one in asked(kernel, capsys):
        inside = one["inside_if"]
        assert isinstance(inside, dict)
        found.setdefault(one["surface"], set()).add(inside["bytes"])
    assert found == {surface: {size} for surface, size in SIZES[kernel].items()}


def test_without_what_counts_down_it_has_no_size(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop_counters, "counted_down", lambda *_: None)
    assert [one["surface"] for one in asked("reversed", capsys) if one.get("inside_if")] == ["o", "o"]


def test_a_clamped_place_needs_that_there_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    """Of clamp(i, 0, n - 2) both ends cross where n is less than 2."""
    for one in asked("neighbours", capsys):
        inside = one["inside_if"]
        assert isinstance(inside, dict)
        assert ("n >= 2" in inside["where"]) == (one["surface"] == "a")


SUMS: list[tuple[Polynomial, Polynomial]] = [
    ({("n",): 4, ("m",): -4, (): -64, ("id",): 4}, {("n",): 1, ("m",): -1, (): -16}),
    ({("n", "s"): 1, ("m",): -2, ("id", "s"): 1}, {("n", "s"): 1, ("m",): -2}),
    ({("m",): -4, ("id",): 4}, {}),  # no argument makes up for it
    ({("id",): 4, (): -4}, {}),
]


@pytest.mark.parametrize(("one", "own"), SUMS)
@given(names=st.fixed_dictionaries(dict.fromkeys(("n", "m", "s", "id"), st.integers(0, 40))))
def test_a_sum_is_that_of_its_arguments_and_a_rest(one: Polynomial, own: Polynomial, names: dict[str, int]) -> None:
    found, rest = of_arguments(one, ("n", "m", "s"))
    assert found == own
    if value(found, names) >= 0 and value(rest, names) >= 0:
        assert value(one, names) >= 0


def relations(kernel: str, capsys: pytest.CaptureFixture[str]) -> dict[object, set[object] | None]:
    found: dict[object, set[object] | None] = {}
    for one in asked(kernel, capsys):
        inside = one.get("inside_if")
        found[one["surface"]] = {*inside["where"]} if isinstance(inside, dict) else None
    return found


def test_what_is_subtracted_may_be_made_up_for_by_the_host(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a tile that is moved: a[y*stride + x + first - begin] with y = min(8*group, extent - 8) + id."""
    found = relations("tile", capsys)
    assert found["a"] is not None
    assert found["o"] is not None
    assert {"extent >= 8", "first >= begin"} < found["a"]
    assert not any("begin" in str(one) for one in found["o"])
    monkeypatch.setattr(largest, "of_arguments", lambda one, _: ({}, one))
    assert relations("tile", capsys)["a"] is None


def test_ids_are_subtracted_where_a_guard_keeps_them_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`if (l + 1 <= r) o[r - 1 - l] = …; if (l >= r) o[l - r] = …;` with the local id l."""

    def sizes() -> set[object]:
        inside = [one["inside_if"] for one in asked("left_wing", capsys) if one["surface"] == "o"]
        return {one["bytes"] if isinstance(one, dict) else None for one in inside}

    assert sizes() == {"4*local_size_x - 4*r", "4*r"}
    monkeypatch.setattr(ByGuard, "finds", lambda *_: False)
    assert sizes() != {"4*local_size_x - 4*r", "4*r"}


def test_what_no_launch_makes_up_for_has_no_size(capsys: pytest.CaptureFixture[str]) -> None:
    """a[first - begin - x] may be before a whatever the host says of its arguments."""
    assert relations("before", capsys)["a"] is None
