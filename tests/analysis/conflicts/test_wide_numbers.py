"""Quotients and remainders of 64 bits as digits, of sizes that are multiplied in halves."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.analysis.conflicts.digits.digits import OF_NUMBERS
from visaproof.cli import main

DATA = Path(__file__).parents[2] / "data" / "quotients"
NEEDED = ("w >= 1", "h >= 1", "h*w <= 4611686018427387904")


def scatter(capsys: pytest.CaptureFixture[str], *options: str, where: tuple[str, ...] = ()) -> Any:
    stated = [word for one in where for word in ("--where", one)]
    launch = ("--launch", str(DATA / "wide.ze_info"), "--format", "json")
    main(["conflicts", str(DATA / "wide_transposed.visaasm"), *launch, *stated, *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    (found,) = file["scatters"]
    return found


def test_what_is_missing_of_wide_sizes_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    found = scatter(capsys)
    assert found["free_if"]["by"] == OF_NUMBERS
    assert tuple(found["free_if"]["relations"]) == NEEDED


def test_what_is_named_of_wide_sizes_suffices(capsys: pytest.CaptureFixture[str]) -> None:
    found = scatter(capsys, where=NEEDED)
    assert (found["verdict"], found["by"]) == ("proved", OF_NUMBERS)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("left", range(len(NEEDED)))
def test_without_one_relation_of_wide_sizes_it_is_not_proved(left: int, capsys: pytest.CaptureFixture[str]) -> None:
    found = scatter(capsys, "--limit", "8", where=NEEDED[:left] + NEEDED[left + 1 :])
    assert found["verdict"] != "proved"


def test_without_the_premise_wide_numbers_stay_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    found = scatter(capsys, "--limit", "5", "--assume", "launch,-integer-division", where=NEEDED)
    assert found["verdict"] == "unknown"
