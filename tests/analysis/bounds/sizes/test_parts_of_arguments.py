"""Sizes that follow from halves of arguments, from counters that loops halve, and from guards of neighbours."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from visaproof.analysis.bounds.sizes import global_ids
from visaproof.analysis.bounds.sizes.counters import loop_counters
from visaproof.analysis.bounds.sizes.enough_bytes import SizeFinder
from visaproof.analysis.bounds.sizes.global_ids import GlobalIds
from visaproof.analysis.bounds.sizes.words.divided_words import PartsOfArguments
from visaproof.cli import main
from visaproof.launch.relations import parts_of_arguments
from visaproof.launch.relations.exact_terms import Word
from visaproof.machine.symbolic.loops import came_back
from visaproof.smt import Bool, conj, disj, eq, extract, sign_extend, slt, symbol, ult

DATA = Path(__file__).parents[3] / "data" / "parts"


def asked(
    capsys: pytest.CaptureFixture[str], kernel: str, *options: str, folder: str = "parts"
) -> list[dict[str, Any]]:
    data = DATA.parent / folder
    launch = ("--launch", str(data / f"{folder}.ze_info"), "--format", "json", "--limit", "60")
    main(["bounds", str(data / f"{kernel}.visaasm"), *launch, *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages"]


def needed(messages: list[dict[str, Any]]) -> set[tuple[str, ...]]:
    """The sizes, and the relations of those that are known."""
    found = [one["inside_if"] for one in messages if one["inside_if"]]
    return {(one["bytes"],) if one["bytes"] else tuple(one["where"]) for one in found}


NEEDED = {
    "pooled": {("4*w*h",), ("w*h",)},
    "summed": {("4*global_size_x",), ("local_size_x <= 256",), ("local_size_x <= 512",), ("4*group_count_x",)},
    "summed_signed": {("4*n",), ("2*n",)},
    "neighbours": {("4*w*h",)},
    "far_neighbours": {("4*n",)},
    "layers": {("4*w*h*d",)},
    "stencil": {("4*w*h*d",)},
}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("kernel", NEEDED)
def test_sizes_follow_from_parts_of_arguments(capsys: pytest.CaptureFixture[str], kernel: str) -> None:
    messages = asked(capsys, kernel)
    assert needed(messages) == NEEDED[kernel]
    assert all(one["inside_if"] for one in messages if one["bounds"]["verdict"] != "proved")


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    ("kernel", "stated"),
    [
        ("pooled", ("x=4*w*h", "y=w*h")),
        ("summed_signed", ("x=4*n",)),
        ("neighbours", ("x=4*w*h", "y=4*w*h")),
    ],
)
def test_kernels_are_inside_of_what_is_named(
    capsys: pytest.CaptureFixture[str], kernel: str, stated: tuple[str, ...]
) -> None:
    options = [word for one in stated for word in ("--size", one)]
    options += ["--where", f"{stated[0].split('=')[1]} <= 4294967296"]
    options += [word for name in ("n" if "n" in stated[0] else "wh") for word in ("--where", f"{name} >= 0")]
    assert {one["bounds"]["verdict"] for one in asked(capsys, kernel, *options)} == {"proved"}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    ("kernel", "stated"),
    [
        ("pooled", ("x=4*w*h - 4*w - 4", "y=w*h - 4")),
        ("summed_signed", ("x=4*n - 4",)),
        ("neighbours", ("x=4*w*h - 4",)),
        ("far_neighbours", ("x=4*n - 4",)),
        ("stencil", ("x=4*w*h*d - 4*w - 8",)),
    ],
)
def test_they_leave_what_is_smaller(capsys: pytest.CaptureFixture[str], kernel: str, stated: tuple[str, ...]) -> None:
    options = [word for one in stated for word in ("--size", one)]
    assert "refuted" in {one["bounds"]["verdict"] for one in asked(capsys, kernel, *options)}


@pytest.mark.slow
def test_one_work_item_more_than_there_are_words_leaves_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert {one["bounds"]["verdict"] for one in asked(capsys, "summed", "--where", "local_size_x <= 257")} >= {
        "refuted"
    }


@pytest.mark.slow
def test_counters_that_double_have_no_first_value_as_bound(capsys: pytest.CaptureFixture[str]) -> None:
    store = asked(capsys, "doubled")[-1]  # x[i + s] of s < n
    assert (store["bounds"]["verdict"], store["inside_if"]) == ("refuted", None)


@pytest.mark.slow
def test_without_halving_a_loop_is_not_decided(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(came_back, "at_most_first", lambda *_: ())
    where = ("--where", "local_size_x <= 256")
    assert "proved" not in {
        one["bounds"]["verdict"] for one in asked(capsys, "summed", *where) if ":d32  flat[V0082]" in str(one)
    }


@pytest.mark.slow
def test_no_part_is_larger_than_is_proved(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(parts_of_arguments, "MOST_PART", 1)  # of w / 2 only that it is at most w
    assert needed(asked(capsys, "pooled")) == {("8*w*h",), ("4*w + 8*w*h",), ("4*w*h",)}


@pytest.mark.slow
def test_neighbours_need_what_guards_say_of_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(SizeFinder, "_first", lambda *_: None)  # what addresses say alone, without solvers
    assert needed(asked(capsys, "layers")) == {("4*w*h*d",)}
    monkeypatch.setattr(global_ids, "MOST_SHIFT", 1)
    monkeypatch.setattr(loop_counters, "factor_of", lambda *_: {})
    assert needed(asked(capsys, "layers")) == {("4*w + 4*w*h*d",), ("4*w*h*d",)}


@pytest.mark.slow
def test_ids_that_a_guard_adds_to_must_not_wrap(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(SizeFinder, "_first", lambda *_: None)
    load = asked(capsys, "far_layers")[0]  # j + 3 < h also where j + 3 is beyond the largest number
    assert "h + 3 <= 2147483648" in load["inside_if"]["where"]


@pytest.mark.slow
def test_ids_of_64_bits_are_compared_with_signed_arguments(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By halves, of which the upper one is the sign of the argument."""
    messages = asked(capsys, "masked", folder="wide_ids")
    assert needed(messages) == {("4*n*batch",), ("4*batch",)}
    assert all("n >= 0" in one["inside_if"]["where"] for one in messages if one["inside_if"]["bytes"] == "4*n*batch")
    monkeypatch.setattr(GlobalIds, "_said", lambda *_: iter(()))
    monkeypatch.setattr(PartsOfArguments, "_is_sign", lambda *_: False)
    assert ("4*n*batch",) not in needed(asked(capsys, "masked", folder="wide_ids"))


HIGH, LOW, N = symbol("high", 32), symbol("low", 32), symbol("n", 32)
SIGN = sign_extend(extract(N, 31, 31), 32)
BELOW = slt(LOW, N)
BY_HALVES = disj(conj(BELOW, eq(HIGH, SIGN)), ult(HIGH, SIGN))


@pytest.mark.parametrize(("guard", "natural"), [(BELOW, {"n"}), (BY_HALVES, set[str]())], ids=["in any case", "in one"])
def test_an_argument_is_not_negative_by_what_holds_only_if_it_is_not(guard: Bool, natural: set[str]) -> None:
    """Of numbers of 64 bits one case is left out since the argument is not negative: that shows nothing of its sign."""
    names = SimpleNamespace(found=lambda _: SimpleNamespace(word=Word(N, signed=True)))
    ids = GlobalIds(cast(Any, SimpleNamespace(names=names)), guard, 0, [], {}, lambda _: False)
    assert ids._says_below(LOW, "n", "global_size_x")
    assert ids.natural == natural
