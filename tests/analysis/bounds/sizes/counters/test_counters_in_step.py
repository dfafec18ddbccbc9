"""Two counters of one loop: an address of 64 bits goes as far as the index that the guard compares, times its step."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.bounds.sizes.test_at_ends import value
from visaproof.analysis.bounds.sizes.counters import loop_counters
from visaproof.analysis.bounds.sizes.counters.loop_counters import LoopCounters
from visaproof.cli import main
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.machine.symbolic.loops.came_back import CountedLoop, Counter
from visaproof.smt import BitVec, Bool, Term, add, bool_symbol, const, scale, symbol, ult

DATA = Path(__file__).parents[4] / "data" / "elements"
INDEX, PLACE, FIRST, BEGIN, MOST = (
    symbol("index", 8), symbol("place", 16), symbol("first", 8), symbol("begin", 16), symbol("most", 8),
)  # fmt: skip
LANE, OTHER = bool_symbol("lane"), bool_symbol("other")
ATOMS: dict[Term, Polynomial] = {one: {(str(one.payload),): 1} for one in (FIRST, BEGIN, MOST)}
GUARD = ult(INDEX, MOST)


def in_step(step: int, times: int, compared: Bool = GUARD, lane: Bool = LANE) -> LoopCounters:
    """Of an index that is compared, and of a place that goes `times` as far in the iterations of a lane."""
    counters = Counter(INDEX, FIRST, const(step, 8), LANE), Counter(PLACE, BEGIN, const(times * step, 16), lane)
    loop = CountedLoop(counters, {LANE: frozenset({compared})})
    return LoopCounters.of([loop], frozenset({LANE, compared}), PLACE, ATOMS, {})


BYTES = st.integers(0, 255)


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 300), BYTES, st.integers(0, (1 << 16) - 1))
def test_both_are_where_so_many_iterations_bring_them(
    step: int, times: int, rounds: int, first: int, begin: int
) -> None:
    read = in_step(step, times)
    (name,) = read.counters
    numbers = {"first": first, "begin": begin, name: step * rounds}
    assert value(read.words[INDEX], numbers) % 256 == (first + step * rounds) % 256
    assert value(read.words[PLACE], numbers) % (1 << 16) == (begin + times * step * rounds) % (1 << 16)
    assert set(read.bounded()) == {name}


@pytest.mark.parametrize(
    "read",
    [
        in_step(2, 2, compared=ult(add(INDEX, symbol("low", 8)), MOST)),
        in_step(4, 1, lane=OTHER),
        in_step(0, 3),
    ],
    ids=["nothing bounds the index", "of another lane", "the index stands still"],
)
def test_a_place_beside_no_bounded_index_has_no_bound(read: LoopCounters) -> None:
    bounded = read.bounded()
    assert not [name for part in read.words.get(PLACE, {}) for name in part if name in bounded]


def test_a_place_that_goes_no_multiple_of_the_index_is_a_counter_of_its_own() -> None:
    counters = Counter(INDEX, FIRST, const(4, 8), LANE), Counter(PLACE, BEGIN, const(6, 16), LANE)
    loop = CountedLoop(counters, {LANE: frozenset({GUARD})})
    read = LoopCounters.of([loop], frozenset({LANE, GUARD}), PLACE, ATOMS, {})
    assert len(read.counters) == 2
    assert len(read.bounded()) == 1


ROW = symbol("row", 16)


def by_rows(step: int, row: BitVec, times: int = 1) -> LoopCounters:
    """Of an index that is compared, and of a place to which each iteration adds `times` of a row, or a row and 1."""
    added = add(scale(row, times), const(0 if times > 1 else 1, 16)) if times else row
    counters = Counter(INDEX, FIRST, const(step, 8), LANE), Counter(PLACE, BEGIN, added, LANE)
    loop = CountedLoop(counters, {LANE: frozenset({GUARD})})
    return LoopCounters.of([loop], frozenset({LANE, GUARD}), PLACE, {**ATOMS, ROW: {("row",): 1}}, {})


@given(st.integers(1, 3), st.integers(0, 300), BYTES, st.integers(0, (1 << 16) - 1), st.integers(0, (1 << 16) - 1))
def test_a_place_to_which_rows_are_added_is_where_so_many_rows_bring_it(
    unit: int, rounds: int, first: int, begin: int, row: int
) -> None:
    """A step of 2 and 6·row give 3·row for each number that the index goes on; a step of 1 gives all of a step."""
    step, times, added = (1, 0, row) if unit == 1 else (1, 1, row + 1) if unit == 2 else (2, 6, 6 * row)
    read = by_rows(step, ROW, times)
    (name,) = read.counters
    numbers = {"first": first, "begin": begin, "row": row, name: step * rounds}
    assert value(read.words[PLACE], numbers) % (1 << 16) == (begin + added * rounds) % (1 << 16)
    assert set(read.bounded()) == {name}


@pytest.mark.parametrize(
    "read",
    [by_rows(4, ROW, 6), by_rows(2, ROW), by_rows(1, symbol("unknown", 16), 0)],
    ids=["no multiple", "a row and 1", "nobody knows the row"],
)
def test_rows_that_are_no_multiple_of_the_index_are_counted_apart(read: LoopCounters) -> None:
    assert len(read.counters) == 2
    assert not read.bounded().keys() & {name for part in read.words[PLACE] for name in part}


def of_pvc(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any] | None]:
    """What is named of each buffer of a product with a sparse matrix, at 64-bit addresses."""
    launch = ("--launch", str(DATA / "elements_pvc.ze_info"), "--format", "json", "--limit", "300")
    main(["bounds", str(DATA / "products_pvc.visaasm"), *launch])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return {one["surface"]: one["inside_if"] for one in file["messages"]}


@pytest.mark.slow
def test_rows_at_addresses_of_64_bits_have_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    named = of_pvc(capsys)
    assert [one and one["bytes"] for one in (named["col"], named["val"])] == ["4*max(row)"] * 2


@pytest.mark.slow
def test_they_have_none_where_counters_are_not_in_step(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop_counters, "_constant_step", lambda *_: 0)
    named = of_pvc(capsys)
    assert [named["col"], named["val"]] == [None, None]
