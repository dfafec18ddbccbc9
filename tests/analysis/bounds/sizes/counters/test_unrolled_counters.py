"""Loops that are unrolled: where their counters end, what is beside them, and where that begins which is left over."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.analysis.bounds.sizes.test_at_ends import value
from visaproof.analysis.bounds.sizes import largest
from visaproof.analysis.bounds.sizes.counters import loop_counters
from visaproof.analysis.bounds.sizes.counters.unrolled_counters import ends_of, with_sums
from visaproof.analysis.bounds.sizes.launch_integers import _with_multiples
from visaproof.analysis.bounds.sizes.words.masked_words import masked_words
from visaproof.cli import main
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.machine.symbolic.loops.came_back import CountedLoop, Counter
from visaproof.machine.symbolic.loops.exit_values import LoopExit
from visaproof.semantics.symbolic.value_names import LoadedValue, OfLoop, RegisterByte
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    add,
    bool_symbol,
    conj,
    const,
    eq,
    extract,
    ite,
    mul,
    neg,
    symbol,
    ult,
)
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.bits import bit_and, bit_or
from visaproof.smt.evaluate import evaluate
from visaproof.smt.solvers import solve

DATA = Path(__file__).parents[4] / "data" / "unrolled"
NOW = symbol(OfLoop("loop", RegisterByte("i", 0)), 8)
THEN = symbol(OfLoop("loop", RegisterByte("j", 0)), 8)
N, M = symbol(RegisterByte("n", 0), 8), symbol(RegisterByte("m", 0), 8)
LOADED = symbol(LoadedValue("", "end"), 8)
LANE = bool_symbol("lane")
FOURS = bit_and(N, const(0xFC, 8))


def never(*known: Bool) -> Any:
    return lambda one: isinstance(solve([conj(*known, one)], 1000), Unsatisfiable)


ENDING: list[tuple[BitVec, BitVec, int, list[Bool]]] = [
    (FOURS, const(0, 8), 4, []),
    (FOURS, const(8, 8), 4, [neg(ult(N, const(8, 8)))]),
    (FOURS, const(8, 8), 4, [neg(ult(N, const(4, 8))), neg(eq(FOURS, const(4, 8)))]),
    (N, const(0, 8), 1, []),
    (N, M, 1, [neg(ult(N, M))]),
    (bit_and(N, const(7, 8)), const(0, 8), 1, []),
    (bit_and(N, const(7, 8)), const(0, 8), 1, [ult(N, const(5, 8))]),
    (add(M, FOURS), M, 4, [ult(M, const(100, 8)), ult(N, const(100, 8))]),
]


@pytest.mark.parametrize("place", range(len(ENDING)))
@given(n=st.integers(0, 9) | st.integers(0, 255), m=st.integers(0, 255))
def test_no_iteration_is_past_the_end(place: int, n: int, m: int) -> None:
    end, first, step, known = ENDING[place]
    state: dict[Term, int] = {N: n, M: m}
    assume(evaluate(conj(*known), state))
    ((word, bound, more, bits),) = ends_of(
        Counter(NOW, first, const(step, 8), None), [neg(eq(end, NOW))], never(*known)
    )
    assert (word, bits) == (NOW, 8)
    most, now = evaluate(bound, state) + more, evaluate(first, state)
    for _ in range(300):
        if now == evaluate(end, state):
            break
        assert now <= most
        now = (now + step) % 256
    else:
        pytest.fail("it never ends")


@pytest.mark.parametrize(
    ("end", "first", "step", "known"),
    [
        (FOURS, const(8, 8), 4, []),  # past the end when it begins
        (FOURS, const(8, 8), 4, [neg(ult(N, const(4, 8)))]),
        (FOURS, const(2, 8), 4, [neg(ult(N, const(8, 8)))]),  # steps over it
        (N, const(0, 8), 4, []),
        (N, const(0, 8), 3, []),
        (N, const(0, 8), -1, []),
        (N, M, 1, []),
        (bit_and(LOADED, const(0xFC, 8)), const(0, 8), 4, []),  # another one in each iteration
        (add(THEN, const(4, 8)), const(0, 8), 1, []),
    ],
)
def test_a_counter_that_may_pass_its_end_has_none(end: BitVec, first: BitVec, step: int, known: list[Bool]) -> None:
    assert not [*ends_of(Counter(NOW, first, const(step, 8), None), [neg(eq(end, NOW))], never(*known))]


@given(st.integers(0, 63), st.integers(0, 255))
def test_parts_of_an_iteration_are_beside_its_counter(number: int, row: int) -> None:
    loop = CountedLoop((Counter(NOW, const(8, 8), const(4, 8), LANE),), {})
    address = add(mul(M, bit_or(NOW, const(3, 8))), bit_or(add(NOW, FOURS), const(2, 8)), bit_or(NOW, const(4, 8)))
    (found,) = with_sums([address], [loop], frozenset((LANE,)))
    assert found is add(mul(M, add(NOW, const(3, 8))), add(NOW, FOURS), const(2, 8), bit_or(NOW, const(4, 8)))
    state: dict[Term, int] = {NOW: 4 * number, M: row, N: row}
    assert evaluate(found, state) == evaluate(address, state)
    assert with_sums([address], [loop], frozenset()) == (address,)  # a lane that has left


CHOSEN = ite(ult(N, const(4, 8)), const(0, 8), ite(eq(FOURS, const(4, 8)), const(4, 8), FOURS))


@pytest.mark.parametrize("word", [FOURS, CHOSEN])
@pytest.mark.parametrize("left", range(4))
@given(fours=st.integers(0, 63), more=st.integers(0, 3))
def test_what_is_left_over_begins_below_the_rest(word: BitVec, left: int, fours: int, more: int) -> None:
    low, n = extract(N, 1, 0), 4 * fours + max(left, more)
    guard = frozenset(neg(eq(low, const(each, 2))) for each in range(left))
    assert evaluate(conj(*guard), {N: n})
    known: dict[Term, Polynomial] = {N: {("n",): 1}}
    most = masked_words(word, [], guard, known, never(*guard))
    (((name,), count),) = known[word].items()
    assert evaluate(word, {N: n}) <= value(most[name], {"n": n}) == n - left
    assert count == 1


def test_another_choice_is_no_multiple_below() -> None:
    for word in (ite(LANE, FOURS, const(4, 8)), ite(LANE, FOURS, M), bit_and(N, const(0xF4, 8)), bit_and(N, M)):
        known: dict[Term, Polynomial] = {N: {("n",): 1}}
        masked_words(word, [], frozenset(), known, never())
        assert word not in known


@given(st.integers(0, 255), st.integers(0, 255))
def test_excluded_multiples_make_a_number_larger(n: int, m: int) -> None:
    guard = conj(neg(ult(N, const(4, 8))), neg(eq(FOURS, const(4, 8))), neg(eq(FOURS, const(8, 8))))
    assert _with_multiples(guard, N, 4) == 12
    assert _with_multiples(guard, N, 0) == 0
    assert _with_multiples(guard, M, 4) == 4
    assert not evaluate(guard, {N: n, M: m}) or n >= 12


@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 60), st.sampled_from([1, 2, 4]), st.integers(0, 5))
def test_behind_a_loop_counters_are_where_it_ends(first: int, other: int, times: int, step: int, ratio: int) -> None:
    leader = Counter(NOW, N, const(step, 8), None)
    follower = Counter(THEN, M, const(step * ratio, 8), None)
    end = add(N, const(step * (times + 1), 8))
    ends = LoopExit("loop", {}, [eq(add(NOW, const(step, 8)), end)], [LANE], frozenset((N, M)))
    found = dict(ends._of_lanes([follower, leader], None, [0]))
    assert evaluate(found[NOW], {N: first, M: other}) == (first + step * (times + 1)) % 256
    assert evaluate(found[THEN], {N: first, M: other}) == (other + step * ratio * (times + 1)) % 256


@pytest.mark.parametrize(
    "leaving",
    [
        [ult(N, add(NOW, const(2, 8)))],
        [eq(add(NOW, const(2, 8)), LOADED)],
        [eq(add(NOW, const(2, 8)), N), eq(add(NOW, const(2, 8)), M)],
        [eq(add(NOW, const(2, 8)), N), bool_symbol("another reason")],
        [eq(mul(const(3, 8), NOW), N)],
    ],
)
def test_nothing_is_said_behind_a_loop_that_ends_otherwise(leaving: list[Bool]) -> None:
    counter = Counter(NOW, N, const(2, 8), None)
    ends = LoopExit("loop", {}, leaving, [LANE] * len(leaving), frozenset((N, M)))
    assert not [*ends._of_lanes([counter], None, range(len(leaving)))]
    assert not [*ends._of_lanes([counter], LANE, range(len(leaving)))]


def sizes(name: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What is named for each message, with the buffer; empty where nothing is."""
    launch = ("--launch", str(DATA / "unrolled.ze_info"), "--format", "json", "--limit", "40")
    main(["bounds", str(DATA / f"{name}.visaasm"), *launch])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    found = [(one["surface"], one["inside_if"]) for one in file["messages"]]
    return ["" if inside is None else f"{surface}: {inside['bytes']}" for surface, inside in found]


@pytest.mark.slow
def test_sums_of_columns_need_all_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert {*sizes("columns", capsys)} == {"in: 4*w*h", "in: 4*w*h + 4*w", "out: 4*w"}


@pytest.mark.slow
def test_dot_products_need_all_of_both(capsys: pytest.CaptureFixture[str]) -> None:
    assert {*sizes("dots", capsys)} == {"a: 4*M*K", "b: 4*N*K", "c: 4*M*N"}


@pytest.mark.slow
def test_a_row_more_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert "in: 4*w + 4*w*h" in sizes("beyond", capsys)


@pytest.mark.slow
def test_an_end_that_is_read_anew_bounds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    found = sizes("until", capsys)
    assert "" in found
    assert not any(one.startswith("in:") for one in found)


@pytest.mark.slow
@pytest.mark.parametrize("cut", ["ends", "sums", "values"])
def test_without_it_rows_have_no_size(
    cut: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    match cut:
        case "ends":
            monkeypatch.setattr(loop_counters, "ends_of", lambda *_: ())
        case "sums":
            monkeypatch.setattr(largest, "with_sums", lambda terms, *_: terms)
        case _:
            monkeypatch.setattr(LoopExit, "write", lambda *_: None)
    assert "" in sizes("dots", capsys)
