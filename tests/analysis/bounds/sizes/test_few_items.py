"""A message that only launches of more than 2^31 work items come to: that there are fewer is named, and enough.

Such launches are asked for by lifting the premise int-ids.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.analysis.bounds.sizes.few_items import is_negative
from visaproof.cli import main
from visaproof.smt import Bool, conj, const, neg, slt, symbol, ult

DATA = Path(__file__).parents[3] / "data" / "counters"
FEW = "global_size_x <= 2147483648"
LIFTED = ("--assume", "launch,-int-ids")
ID, COUNT, ZERO = symbol("id", 32), symbol("n", 32), const(0, 32)


@pytest.mark.parametrize(
    ("guard", "negative"),
    [
        (conj(slt(ID, COUNT), neg(slt(ZERO, COUNT))), True),
        (conj(slt(ID, COUNT), slt(ZERO, COUNT)), False),
        (conj(ult(ID, COUNT), neg(slt(ZERO, COUNT))), False),
        (conj(slt(ID, COUNT), neg(slt(ZERO, ID))), False),
    ],
)
def test_what_is_below_a_number_that_is_not_above_0_is_negative(guard: Bool, negative: bool) -> None:
    assert is_negative(guard) == negative


def asked(capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, Any]]:
    """The message under i < n and n <= 0, in both halves."""
    launch = ("--launch", str(DATA / "negative.ze_info"), "--format", "json", "--cache-mode", "off")
    main(["bounds", str(DATA / "negative.visaasm"), *launch, *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages"][:2]


@pytest.mark.slow
def test_by_default_they_are_inside(capsys: pytest.CaptureFixture[str]) -> None:
    assert {one["bounds"]["verdict"] for one in asked(capsys)} == {"proved"}


@pytest.mark.slow
def test_fewer_work_items_are_named_and_enough(capsys: pytest.CaptureFixture[str]) -> None:
    for one in asked(capsys, *LIFTED):
        assert one["bounds"]["verdict"] == "refuted"
        assert one["inside_if"]["where"] == [FEW]
        assert one["inside_if"]["bytes"] is None
    assert {one["bounds"]["verdict"] for one in asked(capsys, *LIFTED, "--where", FEW)} == {"proved"}


@pytest.mark.slow
def test_with_any_global_offset_they_are_not_enough(capsys: pytest.CaptureFixture[str]) -> None:
    for one in asked(capsys, "--assume", "launch,-int-ids,-global-ids"):
        assert one["bounds"]["verdict"] == "refuted"
        assert one["inside_if"] is None or one["inside_if"]["where"] != [FEW]


@pytest.mark.slow
def test_what_the_user_excludes_is_not_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Of launches with more work items only, none has fewer."""
    for one in asked(capsys, *LIFTED, "--where", "global_size_x >= 4294967295"):
        assert one["bounds"]["verdict"] == "refuted"
        assert one["inside_if"] is None or one["inside_if"]["where"] != [FEW]
