"""Addresses with constant strides: what ids of one message differ by, and which lanes are apart for that."""

import json
from itertools import combinations, product
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.analysis.conflicts.any_items import items_apart
from visaproof.analysis.conflicts.digits.differences import STAGE, differences
from visaproof.analysis.conflicts.digits.digits import OF_NUMBERS
from visaproof.analysis.conflicts.digits.digits import STAGE as DIGITS
from visaproof.cli import main

DATA = Path(__file__).parents[2] / "data" / "one_message"
APART = {
    "layers": STAGE,
    "thirds": OF_NUMBERS,
    "sevenths": OF_NUMBERS,
    "last_third": OF_NUMBERS,
    "row": DIGITS,
    "numbered": DIGITS,
}
MEET = ("layers_meet", "thirds_meet", "sevenths_meet", "last_thirds", "long_row", "misnumbered")
"""Of each of these one that is nearly so."""


def scatters(capsys: pytest.CaptureFixture[str], kernel: str) -> list[dict[str, Any]]:
    launch = ("--launch", str(DATA / "one_message.ze_info"), "--format", "json", "--limit", "20")
    main(["conflicts", str(DATA / f"{kernel}.visaasm"), *launch])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["scatters"]


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("kernel", APART)
def test_lanes_are_apart(capsys: pytest.CaptureFixture[str], kernel: str) -> None:
    first = scatters(capsys, kernel)[0]
    assert (first["verdict"], first["by"]) == ("proved", APART[kernel])


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("kernel", MEET)
def test_lanes_that_nearly_are_meet(capsys: pytest.CaptureFixture[str], kernel: str) -> None:
    assert scatters(capsys, kernel)[0]["verdict"] == "refuted"


def test_without_these_ids_nothing_is_proved(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items_apart, "differences", lambda *_: frozenset({(0, 0, 0)}))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert scatters(capsys, "layers")[0]["by"] != STAGE


@given(
    sizes=st.tuples(*[st.integers(1, 6)] * 3),
    most=st.integers(1, 9),
    order=st.permutations([0, 1, 2]),
    known=st.sets(st.integers(0, 2)),
)
def test_ids_of_one_message_differ_by_nothing_else(
    sizes: tuple[int, int, int], most: int, order: list[int], known: set[int]
) -> None:
    first, second, third = order
    items = list(product(*(range(size) for size in sizes)))
    items.sort(key=lambda one: (one[third], one[second], one[first]))
    assert len(items) == prod(sizes)
    x, y, z = (size if d in known else None for d, size in enumerate(sizes))
    found = differences(most, tuple(order), (x, y, z))
    for one, other in combinations(range(len(items)), 2):
        if other - one <= most:
            assert tuple(b - a for a, b in zip(items[one], items[other], strict=True)) in found


def test_each_difference_is_one_of_some_group() -> None:
    for x, y, z in differences(3, (0, 1, 2), (None, None, None)):
        sizes = product(range(abs(x) + 1, abs(x) + 5), range(abs(y) + 1, abs(y) + 4))
        assert any(0 < x + lx * (y + ly * z) <= 3 and lx * ly * (abs(z) + 1) <= 1024 for lx, ly in sizes)
