"""Indices that are clamped to an image, and then compared with it, as filters of images read their pixels."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.analysis.bounds.sizes.launch_integers import LaunchIntegers, above_naturals
from visaproof.analysis.bounds.sizes.words import small_words
from visaproof.cli import main
from visaproof.smt import Bool, bit_or, conj, const, neg, slt, symbol, ult
from visaproof.smt.evaluate import evaluate

DATA = Path(__file__).parents[3] / "data" / "clamped"
LAUNCH = ("--launch", str(DATA / "clamped.ze_info"))
SIZES = {"in": "4*iw*ih*id", "out": "4*w*h*d"}


def asked(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    """What is named of each buffer."""
    main(["bounds", str(DATA / "scaled.visaasm"), *LAUNCH, "--format", "json", "--limit", "300"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return {one["surface"]: one["inside_if"] for one in file["messages"] if one["inside_if"]}


def test_a_clamped_volume_needs_its_voxels(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys)
    assert {surface: one["bytes"] for surface, one in found.items()} == SIZES
    assert [one["where"] for one in found.values()] == [[f"{size} <= 8589934592"] for size in SIZES.values()]


@pytest.mark.slow
def test_a_clamped_volume_needs_voxels_where_a_joined_guard_is_not_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """That a | b is not negative, as the compiler compares two coordinates: a solver shows it of no empty volume."""
    monkeypatch.setattr(small_words, "guarded_words", lambda *_: ({}, {}))
    assert {"iw >= 1", "ih >= 1"} <= {*asked(capsys)["in"]["where"]}


@pytest.mark.slow
def test_sizes_may_be_negative_unless_the_guard_says_that_they_are_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LaunchIntegers, "above", lambda *_: set[str]())
    assert {"iw >= 0", "ih >= 0", "id >= 0"} <= {*asked(capsys)["in"]["where"]}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("size", "code"), [("4*iw*ih*id", 0), ("4*iw*ih*id - 4", 1)], ids=["all of it", "less"])
def test_a_clamped_volume_is_inside_of_what_is_named(size: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ("--size", f"in={size}", "--size", "out=4*w*h*d")
    where = ("--where", "4*iw*ih*id <= 8589934592", "--where", "4*w*h*d <= 8589934592")
    assert main(["bounds", str(DATA / "scaled.visaasm"), *LAUNCH, "--quiet", "--limit", "300", *sizes, *where]) == code
    assert ("in" in capsys.readouterr().out) == bool(code)


PLACE, OTHER, SIZE = symbol("place", 8), symbol("other", 8), symbol("size", 8)
NOT_NEGATIVE = slt(const(-1, 8), PLACE), slt(const(-1, 8), bit_or(PLACE, OTHER)), neg(slt(PLACE, const(0, 8)))
BYTES = st.integers(0, 255)


@given(st.sampled_from(NOT_NEGATIVE), BYTES, BYTES, BYTES)
def test_a_word_above_one_that_is_not_negative_is_positive(natural: Bool, place: int, other: int, size: int) -> None:
    guard = conj(natural, slt(PLACE, SIZE))
    assert above_naturals(guard) == {SIZE}
    assert 0 < size < 128 or not evaluate(guard, {PLACE: place, OTHER: other, SIZE: size})


@pytest.mark.parametrize(
    "guard",
    [
        slt(PLACE, SIZE),
        conj(slt(const(-2, 8), PLACE), slt(PLACE, SIZE)),
        conj(NOT_NEGATIVE[0], ult(PLACE, SIZE)),
        conj(NOT_NEGATIVE[0], neg(slt(PLACE, SIZE))),
        conj(slt(const(-1, 8), OTHER), slt(PLACE, SIZE)),
    ],
)  # fmt: skip
def test_a_word_above_one_that_may_be_negative_may_be_negative(guard: Bool) -> None:
    assert above_naturals(guard) == set()
