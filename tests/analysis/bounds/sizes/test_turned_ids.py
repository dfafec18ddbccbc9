"""Rows with a pitch that are read backwards, or at neighbours that are clamped to the image."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.analysis.bounds.sizes.test_at_ends import value
from visaproof.analysis.bounds.sizes import largest
from visaproof.analysis.bounds.sizes.by_guard import ByGuard
from visaproof.analysis.bounds.sizes.global_ids import GlobalIds, TurnedIds
from visaproof.analysis.bounds.sizes.integers import Below, Integers
from visaproof.analysis.bounds.sizes.launch_integers import Counted
from visaproof.analysis.bounds.sizes.words.small_words import clamped_words
from visaproof.cli import main
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.polynomials import Polynomial, plus, times
from visaproof.smt import BitVec, Bool, Term, add, const, ite, scale, slt, symbol, true, ult
from visaproof.smt.evaluate import evaluate

DATA = Path(__file__).parents[3] / "data" / "pitched"
LAUNCH = ("--launch", str(DATA / "pitched.ze_info"), "--limit", "60", "--cache-mode", "off")
PLANE = ("4*w + 4*h*pitch - 4*pitch", "pitch >= 0")


def asked(capsys: pytest.CaptureFixture[str], kernel: str) -> dict[str, tuple[str, ...]]:
    """What is enough of each buffer."""
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *LAUNCH, "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    found = {one["surface"]: one["inside_if"] or {"bytes": "", "where": []} for one in file["messages"]}
    return {surface: (one["bytes"], *one["where"]) for surface, one in found.items()}


def test_images_that_are_turned_need_their_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, "turned") == {"in": PLANE, "out": ("4*h*pitch + 4*w - 4*pitch", "pitch >= 0")}


def test_neighbours_that_are_clamped_need_the_rows_of_the_image(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, "neighbours")["in"] == (PLANE[0], "w >= 1", "pitch >= 0", "r >= 0")


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("kernel", "cut"), [("neighbours", "clamped_words"), ("turned", "TurnedIds.turned")])
def test_nothing_else_says_it(
    kernel: str, cut: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing: Callable[..., Any] = {"clamped_words": lambda *_: {}, "TurnedIds.turned": lambda _, one: one}[cut]
    monkeypatch.setattr(f"{largest.__name__}.{cut}", nothing)
    monkeypatch.setattr(ByGuard, "finds", lambda *_: False)
    assert asked(capsys, kernel)["in"][0] != PLANE[0]


@pytest.mark.slow
def test_what_the_guard_lets_be_less_than_nothing_needs_another_relation(capsys: pytest.CaptureFixture[str]) -> None:
    """x <= w leaves in[-1]: unless no work item has x = w."""
    found = asked(capsys, "beyond")["in"]
    assert not found[0] or "w >= global_size_x" in found


@pytest.mark.slow
@pytest.mark.parametrize(("less", "code"), [(0, 0), (4, 1)])
def test_no_less_than_what_is_named_is_enough(less: int, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    where = [word for one in ("pitch >= 0", "w >= 1", "h >= 1") for word in ("--where", one)]
    sizes = ("--size", f"in={PLANE[0]} - {less}", "--size", f"out={PLANE[0]}")
    assert main(["bounds", str(DATA / "turned.visaasm"), *LAUNCH, "--quiet", *sizes, *where]) == code


A, B = symbol("a", 8), symbol("b", 8)
ATOMS: dict[Term, Polynomial] = {A: {("a",): 1}, B: {("b",): 1}}
BYTES = st.integers(0, 255)
Order = Callable[[BitVec, BitVec], Bool]


def holds(limits: Sequence[Below], names: dict[str, int]) -> bool:
    return all(0 <= value(one.sum, names) < 1 << one.bits for one in limits)


@given(
    words=st.tuples(st.sampled_from([slt, ult]), st.booleans(), st.booleans(), st.booleans()),
    number=BYTES,
    added=BYTES,
    numbers=st.tuples(BYTES, BYTES),
    times_b=st.integers(-3, 3),
)
def test_clamped_words_are_between_what_is_said(
    words: tuple[Order, bool, bool, bool], number: int, added: int, numbers: tuple[int, int], times_b: int
) -> None:
    order, is_larger, is_swapped, to_number = words
    one, other = add(A, scale(B, times_b), const(added, 8)), const(number, 8) if to_number else B
    one, other = (other, one) if is_swapped else (one, other)
    word = ite(order(one, other), *((other, one) if is_larger else (one, other)))
    reader = Integers(dict(ATOMS))
    most = clamped_words(word, reader)
    if not most:
        return
    names = {"a": numbers[0], "b": numbers[1]}
    (name,) = most
    assume(holds(reader.limits, names))
    now = evaluate(word, {A: numbers[0], B: numbers[1]})
    above = now - value(reader.atoms[word], {name: 0})
    assert 0 <= above <= value(most[name], names)


@pytest.mark.parametrize(
    "word",
    [
        ite(slt(A, B), B, A),
        ite(ult(A, const(3, 8)), const(4, 8), A),
        ite(slt(const(-1, 8), A), A, const(-1, 8)),
        ite(slt(A, symbol("any", 8)), A, symbol("any", 8)),
    ],
)  # fmt: skip
def test_other_choices_are_no_clamped_words(word: BitVec) -> None:
    reader = Integers(dict(ATOMS))
    assert clamped_words(word, reader) == {}
    assert reader.limits == []


def test_a_clamped_word_in_another_one_has_numbers() -> None:
    inner = ite(slt(const(1, 8), A), A, const(1, 8))
    reader = Integers(dict(ATOMS))
    most = clamped_words(ite(slt(inner, B), inner, B), reader)
    assert [*most.values()] == [{("a",): 1}, {("b",): 1}]


class _Ids(GlobalIds):
    """Of a lane whose guard keeps its id in x below n − 2, where n + 1 does not wrap."""

    def is_in_group(self, dimension: int) -> bool:
        return dimension == 0

    def last(self, dimension: int) -> Polynomial:
        self.shifted.append(Below({("n",): 1, (): 1}, 31))
        return {("n",): 1, (): -3}


def turned_ids(step: Polynomial, counted: Counted) -> TurnedIds:
    unused: Any = None
    ids = _Ids(unused, true(), 0, (), {}, lambda _: False)
    return TurnedIds(ids, (step,) * 3, (counted,) * 3)


OWN, GROUP, TURNED = (InnerName(kind, 0) for kind in (Kind.ID, Kind.GROUP, Kind.TURNED))
STEPS: list[Polynomial] = [{(): 16}, {("local_size_x",): 1}]
SMALL = st.integers(0, 5)


@given(
    step=st.sampled_from(STEPS),
    counted=st.builds(Counted, st.integers(1, 2), st.integers(0, 3)),
    factor=st.sampled_from([(), ("p",)]),
    counts=st.tuples(st.integers(1, 3), st.integers(0, 4), st.integers(-2, 2)),
    numbers=st.tuples(SMALL, SMALL, SMALL, SMALL, st.integers(0, 40)),
)
def test_a_turned_id_is_the_same_sum(
    step: Polynomial, counted: Counted, factor: tuple[str, ...], counts: tuple[int, int, int], numbers: tuple[int, ...]
) -> None:
    taken, added, of_others = counts
    own: Polynomial = {(OWN,): counted.times, (): counted.first}
    whole = plus(times({(GROUP,): 1}, step), own)
    one = plus(times({("n",): added, (): 7}, {factor: 1}), times(whole, {factor: -taken}))
    one = plus(one, {("p", "q"): of_others})
    ids = turned_ids(step, counted)
    found = ids.turned(one)
    values = dict(zip((OWN, GROUP, "local_size_x", "p", "q"), (*numbers[:4], 2), strict=True)) | {"n": numbers[4]}
    now = value(whole, values)
    if any(TURNED in part for part in found):
        assert added >= taken
        assert not any(OWN in part or GROUP in part for part in found)
        assert ids.limits
        away = values["n"] - 3 - now
        assert value(found, {**values, TURNED: away}) == value(one, values)
        assert away <= value(ids.most[TURNED], values)
    else:
        assert found == {part: count for part, count in one.items() if count}
        assert added < taken


@pytest.mark.parametrize(
    "one",
    [
        {("n",): 1, (OWN,): -1, (GROUP,): -8},
        {("n",): 1, (OWN,): -1},
        {("n",): 1, (OWN,): 1, (GROUP,): -16},
        {("n",): 1, (InnerName(Kind.ID, 1),): -1, (InnerName(Kind.GROUP, 1),): -16},
        {("n",): 1, (OWN, OWN): -1, (GROUP, OWN): -16},
    ],
)  # fmt: skip
def test_what_is_no_global_id_is_not_turned(one: Polynomial) -> None:
    assert turned_ids({(): 16}, Counted()).turned(one) == one
