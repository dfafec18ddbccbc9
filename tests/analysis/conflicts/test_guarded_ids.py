"""Rows behind guards: a local id is below what its global id is below, so that small rows are apart, too."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.analysis.conflicts.any_items.items_apart import STAGE as ITEMS
from visaproof.analysis.conflicts.digits import digits, uniform_words
from visaproof.analysis.conflicts.digits.digits import STAGE
from visaproof.cli import main
from visaproof.launch.relations.expressions import Name, Number, Relation

DATA = Path(__file__).parents[2] / "data" / "guarded_rows"


def scatter(capsys: pytest.CaptureFixture[str], kernel: str, *relations: str) -> dict[str, Any]:
    stated = [word for one in relations for word in ("--where", one)]
    launch = ("--launch", str(DATA / "guarded_rows.ze_info"), "--format", "json")
    main(["conflicts", str(DATA / f"{kernel}.visaasm"), *launch, "--limit", "20", *stated])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    (one,) = file["scatters"]
    return one


NEEDED = {
    "inside": ["w < 4194304"],
    "pitched": ["pitch >= w", "pitch < 4194304"],
    "interior": ["w >= 1", "w < 4194304"],
    "rows_alone": ["w >= local_size_x", "w < 4194304"],  # no guard of x
    "twice": ["w >= local_size_x", "w < 4194304"],  # the guard lets x be beyond a row
    "shifted": ["w >= local_size_x", "w < 4194304"],  # of a number that may be below 0
    "halves": ["w < 8388608"],  # rows of w / 2, behind x < w / 2
    "first_halves": ["w < 4194304"],  # rows of w, behind x < w / 2
    "quarters": ["w >= 4*local_size_x", "w < 268435456"],  # rows of w / 4: the guard lets x be beyond one
}
OTHERWISE = {"quarters": ITEMS}
"""By what those are found of which not all is named."""


@pytest.mark.slow(but=3)
@pytest.mark.parametrize("kernel", NEEDED)
def test_rows_need_no_more_than_the_guards_leave_open(capsys: pytest.CaptureFixture[str], kernel: str) -> None:
    found = scatter(capsys, kernel)
    assert found["verdict"] == "refuted"
    assert found["free_if"]["relations"] == NEEDED[kernel]
    assert found["free_if"]["by"].split(",")[0] == OTHERWISE.get(kernel, STAGE)


@pytest.mark.slow(but=3)
@pytest.mark.parametrize("kernel", NEEDED)
def test_rows_are_apart_where_that_is_stated(capsys: pytest.CaptureFixture[str], kernel: str) -> None:
    found = scatter(capsys, kernel, *NEEDED[kernel])
    assert (found["verdict"], found["by"].split(",")[0]) == ("proved", OTHERWISE.get(kernel, STAGE))


@pytest.mark.slow(but=3)
@pytest.mark.parametrize(
    ("kernel", "fewer"),
    [
        ("inside", "w < 2147483647"),
        ("pitched", "pitch + 1 >= w"),
        ("interior", "w < 4194304"),  # w - 1 wraps where w is the least number
        ("rows_alone", "w < 4194304"),
        ("twice", "w < 4194304"),
        ("shifted", "w < 4194304"),
        ("halves", "w < 2147483647"),
        ("first_halves", "w < 2147483647"),
        ("quarters", "w < 268435456"),
    ],
)
def test_rows_meet_where_less_is_stated(capsys: pytest.CaptureFixture[str], kernel: str, fewer: str) -> None:
    assert scatter(capsys, kernel, fewer)["verdict"] == "refuted"


@pytest.mark.slow
def test_without_guards_rows_are_as_long_as_groups(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(digits, "bounds_of_ids", lambda *_: ())
    assert scatter(capsys, "inside")["free_if"]["relations"] == NEEDED["twice"]


def test_what_no_argument_holds_is_named_in_no_relation(capsys: pytest.CaptureFixture[str]) -> None:
    found = scatter(capsys, "loaded")  # rows as long as a number in a buffer
    assert (found["verdict"], found["free_if"]) == ("refuted", None)


@pytest.mark.slow
def test_halves_of_arguments_are_at_most_these(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(uniform_words, "largest_divisor", lambda *_: 4)  # that w / 2 is at most w / 4 does not hold
    assert scatter(capsys, "halves")["free_if"]["relations"] != NEEDED["halves"]


@pytest.mark.slow
def test_that_a_relation_of_words_follows_is_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def too_weak(*_: object) -> Relation:
        return Relation("<", Name("w"), Number((1 << 31) - 1))

    monkeypatch.setattr(digits, "of_arguments", too_weak)
    assert scatter(capsys, "halves")["free_if"]["relations"] != ["w < 2147483647"]
