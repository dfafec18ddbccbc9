"""Sizes at the borders of rows and images: read backwards, clamped without a guard, and up to a part of a product."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.analysis.bounds.sizes import largest
from visaproof.analysis.bounds.sizes.by_guard import ByGuard
from visaproof.analysis.bounds.sizes.enough_bytes import OfMessage
from visaproof.analysis.bounds.sizes.global_ids import TurnedIds
from visaproof.analysis.bounds.sizes.integers import Below, Integers
from visaproof.analysis.bounds.sizes.usual_relations import usual_relations, weaker
from visaproof.analysis.bounds.sizes.words.divided_words import PartsOfArguments
from visaproof.analysis.conflicts import any_lane
from visaproof.cli import main
from visaproof.launch.relations.expressions import Expression, Name, Number, Relation
from visaproof.machine.symbolic.loops.came_back import Known
from visaproof.smt import conj, extract, scale, symbol
from visaproof.smt.evaluate import evaluate

DATA = Path(__file__).parents[3] / "data" / "borders"
LAUNCH = ("--launch", str(DATA / "borders.ze_info"), "--limit", "60")


def asked(capsys: pytest.CaptureFixture[str], kernel: str, *options: str) -> list[dict[str, Any]]:
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *LAUNCH, "--format", "json", *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages"]


NEEDED = {
    "backwards": {("4*n",)},
    "blurred": {("4*w*h",)},
    "unguarded": {("4*w*h", "h >= 1", "w >= 1")},
    "cleared": {("98304*last + 98296",)},
    "counted": {("4*n",), ("4*max(counts) + 20", "min(counts) >= 0")},
}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("kernel", NEEDED)
def test_what_is_needed_at_borders_is_named(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = [one["inside_if"] for one in asked(capsys, kernel)]
    assert {(one["bytes"], *one["where"]) for one in found} == NEEDED[kernel]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "less", "code"),
    [("backwards", "4*n", 0), ("backwards", "4*n - 4", 1), ("blurred", "4*w*h", 0), ("blurred", "4*w*h - 4", 1)],
)
def test_no_less_than_what_is_named_is_enough(
    kernel: str, less: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    out = "4*n" if kernel == "backwards" else "4*w*h"
    small = ("--where", f"{out} <= 4294967296")
    sizes = ("--size", f"in={less}", "--size", f"out={out}", *small)
    assert main(["bounds", str(DATA / f"{kernel}.visaasm"), *LAUNCH, "--quiet", *sizes]) == code
    capsys.readouterr()


@pytest.mark.slow
def test_an_image_without_rows_is_no_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    """What is clamped to nothing is before the image."""
    size = ("--size", "out=4*w*h", "--where", "4*w*h <= 4294967296", "--quiet")
    options = (str(DATA / "unguarded.visaasm"), *LAUNCH, *size)
    assert main(["bounds", *options, "--where", "w >= 1", "--where", "h >= 1"]) == 0
    assert main(["bounds", *options, "--where", "w >= 1", "--where", "h >= 0"]) == 1
    capsys.readouterr()


@pytest.mark.slow
def test_a_word_that_one_lane_or_another_reads_has_a_size_if_each_way_has(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Known, "with_it", lambda known, guard: conj(guard, known.always))
    _, read, _ = asked(capsys, "counted")
    assert read["inside_if"] is None


def test_what_is_subtracted_as_a_large_number_of_times_has_no_size(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(any_lane, "signed_value", lambda value, _: value)
    monkeypatch.setattr(TurnedIds, "turned", lambda _, one: one)
    monkeypatch.setattr(ByGuard, "finds", lambda *_: False)
    (read, written) = asked(capsys, "backwards")
    assert read["inside_if"] is None
    assert written["inside_if"]["bytes"] == "4*n"


@pytest.mark.slow
def test_sizes_that_are_known_are_tried_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The questions of a kernel are counted: else each pixel would need those that are in vain."""
    counted: list[Expression] = []
    proved = OfMessage.proved

    def noted(message: OfMessage, amount: Expression, relations: Sequence[Relation]) -> str:
        counted.append(amount)
        return proved(message, amount, relations)

    def of_elements(message: OfMessage) -> Iterator[Expression]:
        return iter([*message.elements()])

    monkeypatch.setattr(largest, "ranged_words", lambda *_: ({}, {}))  # by which addresses show all sizes
    monkeypatch.setattr(OfMessage, "proved", noted)
    asked(capsys, "blurred")
    known = len(counted)
    monkeypatch.setattr(OfMessage, "candidates", of_elements)
    asked(capsys, "blurred")
    assert known < (len(counted) - known) / 2


@pytest.mark.slow
def test_a_part_of_a_product_is_no_more_than_the_product_says(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Integers, "_slice", lambda self, word, place: None if place[1] else self.read(word))
    monkeypatch.setattr(PartsOfArguments, "words", lambda *_: {})
    (message,) = asked(capsys, "cleared")
    assert (message["inside_if"] or {"bytes": ""})["bytes"] != "98304*last + 98296"


N, WORD = symbol("n", 8), st.integers(0, 255)


@given(WORD, st.sampled_from([4, 8, 12, 20]), st.sampled_from([(7, 2), (6, 2), (7, 1), (5, 1)]))
def test_a_multiple_is_divided_where_it_does_not_wrap(value: int, times: int, place: tuple[int, int]) -> None:
    """(times·n mod 256) from bit `low` to `high` is times·n/2^low where times·n is below 2^(high + 1)."""
    high, low = place
    reader = Integers({N: {("n",): 1}})
    word = extract(scale(N, times), high, low)
    found = reader.read(word)
    assert found == {("n",): times >> low}
    inside = all(0 <= one.sum[("n",)] * value < 1 << one.bits for one in reader.limits)
    assert not inside or evaluate(word, {N: value}) == (times >> low) * value
    assert inside == (times * value < 1 << high + 1)


def test_what_is_no_multiple_is_not_divided() -> None:
    reader = Integers({N: {("n",): 1}})
    assert reader.read(extract(scale(N, 6), 7, 2)) == {}
    assert reader.limits == [Below({("n",): 6}, 2)]


ONE, NATURAL = Relation(">=", Name("w"), Number(1)), Relation(">=", Name("w"), Number(0))
SMALL = Relation("<=", Name("w"), Number(9))


@pytest.mark.parametrize(
    ("enough", "left"),
    [
        ([()], ()),
        ([(SMALL, NATURAL)], (SMALL, NATURAL)),
        ([(SMALL,)], (SMALL,)),
        ([(ONE,)], (ONE,)),
        ([], (SMALL, ONE)),
    ],
)
def test_relations_that_are_not_needed_are_left_out(
    enough: list[tuple[Relation, ...]], left: tuple[Relation, ...]
) -> None:
    def proved(relations: Sequence[Relation]) -> str:
        return "a solver" if tuple(relations) in enough else ""

    assert weaker((SMALL, ONE), "first", proved, lambda _: True)[0] == left


def test_sizes_are_tried_where_there_are_elements() -> None:
    found = usual_relations(Name("w"), ["w", "h"], ["x"])
    assert ONE in found
    assert Relation(">=", Name("h"), Number(1)) not in found
