"""Sizes where tiles go through shared local memory: guards compare a group and another id, or a loop's counter."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.analysis.bounds.sizes.counters import loop_counters
from visaproof.analysis.bounds.sizes.global_ids import GlobalIds
from visaproof.cli import main

DATA = Path(__file__).parents[3] / "data" / "tiles"


def asked(capsys: pytest.CaptureFixture[str], kernel: str, *options: str) -> dict[str, dict[str, Any]]:
    """The messages of a kernel to its buffers that may be outside."""
    launch = ("--launch", str(DATA / "tiles.ze_info"), "--format", "json", "--limit", "300")  # each message has a share
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *launch, *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return {one["surface"]: one for one in file["messages"] if one["inside_if"]}


def needed(messages: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {surface: one["inside_if"]["bytes"] for surface, one in messages.items()}


TRANSPOSED = {"in": "4*w*h", "out": "4*w*h"}
PRODUCT = {"a": "4*m*k", "b": "4*n*k", "c": "4*m*n"}


def test_a_transposition_needs_its_rows_and_columns(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "transposed")
    assert needed(found) == TRANSPOSED
    assert not any("global_size" in one for each in found.values() for one in each["inside_if"]["where"])


def test_a_group_beside_another_id_has_no_bound_but_by_the_guard(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert needed(asked(capsys, "half_guarded")) == {"out": "4*h*global_size_x"}
    monkeypatch.setattr(GlobalIds, "_says_below", lambda *_: True)
    assert needed(asked(capsys, "half_guarded")) != {"out": "4*h*global_size_x"}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("stated", [TRANSPOSED, {**TRANSPOSED, "out": "4*w*h - 4"}], ids=["all of them", "less"])
def test_a_transposition_is_inside_of_what_is_named(stated: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    sizes = [word for name, size in stated.items() for word in ("--size", f"{name}={size}")]
    where = [word for one in ("4*w*h <= 4294967296", "w >= 1", "h >= 1") for word in ("--where", one)]
    launch = ("--launch", str(DATA / "tiles.ze_info"), "--quiet")
    assert main(["bounds", str(DATA / "transposed.visaasm"), *launch, *sizes, *where]) == (stated != TRANSPOSED)
    assert ("out" in capsys.readouterr().out) == (stated != TRANSPOSED)


@pytest.mark.slow
def test_a_product_of_tiles_needs_its_matrices(capsys: pytest.CaptureFixture[str]) -> None:
    assert needed(asked(capsys, "product")) == PRODUCT


@pytest.mark.slow
def test_a_product_of_tiles_needs_more_where_counters_are_not_compared(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a sum with a counter that the guard keeps below k."""
    monkeypatch.setattr(loop_counters, "factor_of", lambda *_: {})
    assert {*needed(asked(capsys, "product")).values()} != {*PRODUCT.values()}
