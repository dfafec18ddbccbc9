"""Words that a guard keeps at least 0 and below something, as coordinates of 2D blocks and indices from memory."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.analysis.bounds.sizes.test_at_ends import value
from visaproof.analysis.bounds.sizes import largest
from visaproof.analysis.bounds.sizes.counters.loop_counters import LoopCounters
from visaproof.analysis.bounds.sizes.integers import Below, Integers
from visaproof.analysis.bounds.sizes.words import small_words
from visaproof.analysis.bounds.sizes.words.names_in_guards import least_of_names
from visaproof.analysis.bounds.sizes.words.small_words import guarded_words, smaller_words
from visaproof.cli import main
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.smt import Bool, Term, add, const, ite, neg, sign_extend, slt, sub, symbol, ult, zero_extend
from visaproof.smt.evaluate import evaluate

DATA = Path(__file__).parents[3] / "data" / "blocks"
SIZES = {
    "moved": {"in": "2*w*h", "out": "2*w*h"},
    "binned": {"bins": "4*count", "in": "4*n"},
    "stacked": {"in": "2*w*rows", "out": "2*w*rows"},
    "paged": {"table": "4*length", "pages": "4*size*count*width", "out": "4*length*width"},
}


def asked(capsys: pytest.CaptureFixture[str], kernel: str) -> dict[str, dict[str, Any]]:
    """What is named of the messages of a kernel, by their buffers."""
    launch = ("--launch", str(DATA / "blocks.ze_info"), "--format", "json", "--limit", "300")
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *launch])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return {one["surface"]: one["inside_if"] for one in file["messages"] if one["inside_if"]}


@pytest.mark.parametrize(
    "kernel", ["moved", "binned", *(pytest.param(one, marks=pytest.mark.slow) for one in ("stacked", "paged"))]
)
def test_a_guarded_index_needs_what_bounds_it(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, kernel)
    assert {surface: one["bytes"] for surface, one in found.items()} == SIZES[kernel]
    assert not any("global_size" in relation for one in found.values() for relation in one["where"])


def test_a_block_needs_small_launches_where_its_coordinates_are_read_as_ids(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_words, "guarded_words", lambda *_: ({}, {}))
    found = asked(capsys, "moved")
    assert any("global_size" in relation for one in found.values() for relation in one["where"])


def test_a_block_of_a_matrix_that_may_be_empty_has_no_size(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(largest, "needed_least", lambda *_: dict[str, int]())
    monkeypatch.setattr(largest, "of_arguments", lambda one, _: ({}, one))
    found = asked(capsys, "moved")
    assert {surface: one["bytes"] for surface, one in found.items()} != SIZES["moved"]


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    ("sizes", "where", "code"),
    [
        (("in=2*w*h", "out=2*w*h"), ("w >= 1", "h >= 1", "2*w*h <= 4294967296"), 0),
        (("in=2*w*h", "out=2*w*h - 2"), ("w >= 1", "h >= 1", "2*w*h <= 4294967296"), 1),
        (("in=2*w*h", "out=2*w*h"), ("h >= 1", "2*w*h <= 4294967296"), 1),  # of no columns the last one is 2^32 - 1
        (("in=2*w*h", "out=2*w*h"), ("w >= 1", "2*w*h <= 4294967296"), 1),
    ],
    ids=["inside", "one element less", "no columns", "no rows"],
)
def test_a_matrix_is_as_large_as_named_and_not_empty(
    sizes: Sequence[str], where: Sequence[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [word for one in sizes for word in ("--size", one)] + [word for one in where for word in ("--where", one)]
    launch = ("--launch", str(DATA / "blocks.ze_info"), "--quiet")
    assert main(["bounds", str(DATA / "moved.visaasm"), *launch, *options]) == code
    assert ("out" in capsys.readouterr().out) == bool(code)


PLACE, SIZE = symbol("place", 8), symbol("size", 8)
LONG = sign_extend(PLACE, 16)
NONE: frozenset[Bool] = frozenset()


@given(
    st.one_of(st.integers(-5, 5), st.integers(-(1 << 15), (1 << 15) - 1)),
    st.booleans(),
    st.booleans(),
    st.integers(0, 255),
)
@example(-5, False, True, 0x80)  # −128 − 5 is 123
@example(-(1 << 15), True, True, 0x80)
@example(5, False, False, 0x7F)
def test_a_guarded_word_is_the_integer_that_is_named(added: int, longer: bool, above: bool, number: int) -> None:
    word = LONG if longer else PLACE
    whole = add(word, const(added, word.width))
    guard = slt(const(-1, word.width), whole) if above else neg(slt(whole, const(0, word.width)))
    words, most = guarded_words(frozenset((guard,)), Integers({}))
    assume(evaluate(guard, {PLACE: number}))
    if not words:
        assert not -(1 << 14) < added < 1 << 14 if longer else (added ^ 0x80) % 256 < 0x80
        return
    (name,) = most
    integer = evaluate(whole, {PLACE: number})
    assert value(words[word], {name: integer}) == (number ^ 0x80) - 0x80
    assert 0 <= integer <= value(most[name], {})


@pytest.mark.parametrize(
    "guard", [neg(ult(PLACE, const(3, 8))), slt(const(-2, 8), PLACE), slt(PLACE, const(0, 8)), neg(slt(SIZE, PLACE))]
)
def test_what_may_be_negative_is_no_guarded_word(guard: Bool) -> None:
    assert guarded_words(frozenset((guard,)), Integers({})) == ({}, {})


@given(st.booleans(), st.integers(0, 255), st.integers(0, 255))
def test_the_smaller_of_two_words_is_at_most_both(turned: bool, number: int, other: int) -> None:
    two = (SIZE, PLACE) if turned else (PLACE, SIZE)
    least = ite(ult(*two), *two)
    words, most, said = smaller_words(add(least, const(3, 8)), Integers({SIZE: {("size",): 1}}))
    values: dict[Term, int] = {PLACE: number, SIZE: other}
    (name,) = most
    assert value(words[least], {name: evaluate(least, values)}) == min(number, other) <= value(most[name], {})
    assert all(evaluate(one, values) for one in said)


def test_the_larger_of_two_words_is_none_that_is_bounded() -> None:
    words, most, said = smaller_words(ite(ult(PLACE, SIZE), SIZE, PLACE), Integers({SIZE: {("size",): 1}}))
    assert (words, most, said) == ({}, {}, ())


def test_a_sum_of_ids_is_left_to_these() -> None:
    known: dict[Term, Polynomial] = {PLACE: {("id",): 1}}
    assert guarded_words(frozenset((neg(slt(PLACE, const(0, 8))),)), Integers(known)) == ({}, {})


LAST = add(SIZE, const(-1, 8))
TWICE = add(SIZE, SIZE, const(-3, 8))
SAID = [
    neg(ult(LAST, const(80, 8))),
    neg(slt(LAST, const(80, 8))),
    ult(const(80, 8), TWICE),
    slt(const(-4, 8), LAST),
    neg(ult(zero_extend(LAST, 16), const(9, 16))),
    slt(sub(const(3, 8), SIZE), SIZE),
    neg(slt(LAST, sub(const(100, 8), SIZE))),
    slt(sub(const(-3, 8), SIZE), TWICE),
]


@given(st.sampled_from(SAID), st.integers(0, 255))
def test_a_guard_says_how_large_an_argument_is_at_least(guard: Bool, number: int) -> None:
    counters = LoopCounters.of([], frozenset((guard,)), SIZE, {SIZE: {("size",): 1}}, {})
    least, limits = least_of_names(counters.compared_words, counters.reader, lambda one: one)
    assume(evaluate(guard, {SIZE: number}) and holds(limits, {"size": number}))
    assert number >= least.get("size", 0)


ID, ROW_ID = (InnerName(Kind.ID, dimension) for dimension in range(2))
ROW = symbol("row", 8)
SAID_BY_IDS = [
    slt(PLACE, sub(SIZE, const(2, 8))),
    ult(PLACE, sub(SIZE, const(2, 8))),
    slt(add(PLACE, const(3, 8)), sub(TWICE, const(9, 8))),
    slt(sub(const(5, 8), PLACE), sub(SIZE, const(2, 8))),
    neg(slt(sub(SIZE, const(4, 8)), PLACE)),
    slt(add(ROW, sub(const(5, 8), PLACE)), sub(SIZE, const(2, 8))),
]
BY_IDS: dict[Term, Polynomial] = {SIZE: {("size",): 1}, PLACE: {(ID,): 1}, ROW: {(ROW_ID,): 1}}


@given(st.sampled_from(SAID_BY_IDS), st.integers(0, 255), st.integers(0, 127), st.integers(0, 127))
@example(SAID_BY_IDS[1], 1, 0, 0)
@example(SAID_BY_IDS[3], 3, 5, 0)
@example(SAID_BY_IDS[5], 3, 5, 0)
def test_what_ids_are_below_is_larger_than_the_least_of_them(guard: Bool, number: int, place: int, row: int) -> None:
    counters = LoopCounters.of([], frozenset((guard,)), SIZE, BY_IDS, {})
    least, limits = least_of_names(counters.compared_words, counters.reader, lambda one: one)
    names = {"size": number, ID: place, ROW_ID: row}
    assume(evaluate(guard, {SIZE: number, PLACE: place, ROW: row}) and holds(limits, names))
    assert number >= least.get("size", 0)


def test_the_least_of_ids_says_something() -> None:
    found: list[int] = []
    for guard in SAID_BY_IDS:
        counters = LoopCounters.of([], frozenset((guard,)), SIZE, BY_IDS, {})
        least, _ = least_of_names(counters.compared_words, counters.reader, lambda one: one)
        found.append(least.get("size", 0))
    assert found == [3, 0, 8, 0, 4, 0]


def holds(limits: Sequence[Below], names: dict[str, int]) -> bool:
    return all(0 <= value(one.sum, names) < 1 << one.bits for one in limits)


def test_numbers_that_are_negative_say_nothing() -> None:
    counters = LoopCounters.of([], frozenset((SAID[3],)), SIZE, {SIZE: {("size",): 1}}, {})
    assert least_of_names(counters.compared_words, counters.reader, lambda one: one) == ({}, [])
    counters = LoopCounters.of([], frozenset((SAID[0],)), SIZE, {SIZE: {("size",): 1}}, {})
    assert least_of_names(counters.compared_words, counters.reader, lambda one: one)[0] == {"size": 81}
