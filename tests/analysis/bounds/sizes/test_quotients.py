"""Sizes of kernels that take a number apart by quotients and remainders of arguments."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.analysis.bounds.sizes.integers import Integers
from visaproof.analysis.bounds.sizes.quotients import Division, Divisions
from visaproof.analysis.bounds.sizes.sums import without_names
from visaproof.cli import main
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.smt import Term, add, const, ite, slt, symbol, udiv, zero_extend

DATA = Path(__file__).parents[3] / "data" / "quotients"


def asked(capsys: pytest.CaptureFixture[str], kernel: str, *options: str) -> tuple[dict[str, Any], set[str]]:
    """With which sizes and relations its buffers are large enough, and what is assumed."""
    launch = ("--launch", str(DATA / "quotients.ze_info"), "--format", "json", "--limit", "60")
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *launch, *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    sizes = {one["surface"]: one["inside_if"] for one in file["messages"] if one["inside_if"]}
    return sizes, {one["name"] for one in file["premises"]}


SIZES = {
    "transposed": {"in": "4*w*h", "out": "4*w*h"},
    "channels": {"in": "4*planes*rows*width*images", "out": "4*planes*rows*width*images"},
    "columns": {"out": "4*w*h + 4 - 4*h"},
    "pitched": {"out": "4*n + 4*w*pitch - 4*pitch"},
}


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("kernel", SIZES)
def test_sizes_follow_from_what_divisors_bound(capsys: pytest.CaptureFixture[str], kernel: str) -> None:
    sizes, premises = asked(capsys, kernel)
    assert {name: one["bytes"] for name, one in sizes.items()} == SIZES[kernel]
    assert "integer-division" in premises


def test_a_size_follows_from_wide_quotients(capsys: pytest.CaptureFixture[str]) -> None:
    """Of numbers of 64 bits, which are multiplied in halves."""
    sizes, premises = asked(capsys, "wide_transposed", "--launch", str(DATA / "wide.ze_info"))
    assert {name: one["bytes"] for name, one in sizes.items()} == {"out": "4*w*h"}
    assert "w >= 1" in sizes["out"]["where"]
    assert "integer-division" in premises


@pytest.mark.slow
def test_a_loop_that_divides_leaves_the_rounding_mode_as_it_was(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Then each iteration rounds like the first; where one write of the mode is missing nothing is known of others."""
    launch = ("--launch", str(DATA / "repeated.ze_info"))
    sizes, _ = asked(capsys, "repeated", *launch)
    assert {name: one["bytes"] for name, one in sizes.items()} == {"a": "4*period", "out": "4*n"}
    lines = (DATA / "repeated.visaasm").read_text().splitlines()
    last = max(place for place, line in enumerate(lines) if line.lstrip().startswith("xor (M1_NM, 1) %cr0(0,0)<1>"))
    (changed := tmp_path / "repeated.visaasm").write_text("\n".join([*lines[:last], *lines[last + 1 :], ""]))
    main(["bounds", str(changed), *launch, "--format", "json", "--limit", "20"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert {one["surface"] for one in file["messages"] if one["inside_if"]} == {"out"}


def test_divisors_have_to_be_positive(capsys: pytest.CaptureFixture[str]) -> None:
    sizes, _ = asked(capsys, "columns")
    assert "w >= 1" in sizes["out"]["where"]


@pytest.mark.slow
def test_without_the_premise_no_division_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    sizes, premises = asked(capsys, "columns", "--assume", "launch,-integer-division", "--limit", "5")
    assert not sizes
    assert "integer-division" not in premises


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("size", "code"), [("4*w*h + 4 - 4*h", 0), ("4*w*h - 4*h", 1)])
def test_columns_are_inside_of_what_is_named(size: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    where = [word for one in ("4*w*h <= 4294967296", "w >= 1", "h >= 1") for word in ("--where", one)]
    launch = ("--launch", str(DATA / "quotients.ze_info"), "--quiet", "--size", f"out={size}")
    assert main(["bounds", str(DATA / "columns.visaasm"), *launch, *where]) == code
    capsys.readouterr()


@pytest.mark.slow
@pytest.mark.parametrize("positive", ["w", "h"])
def test_columns_may_leave_what_is_named_where_a_divisor_is_not_positive(
    positive: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of w and h that are negative the product is above 0, and i % w times h is not."""
    where = ("--where", "4*w*h <= 4294967296", "--where", f"{positive} <= -1", "--size", "out=4*w*h")
    launch = ("--launch", str(DATA / "quotients.ze_info"), "--quiet")
    assert main(["bounds", str(DATA / "columns.visaasm"), *launch, *where]) == 1
    capsys.readouterr()


WORD = symbol("x", 32)
N, W, ONE = {("n",): 1}, {("w",): 1}, {(): 1}


@pytest.mark.parametrize(
    ("division", "dividend", "most"),
    [
        (Division(N, W, True, WORD), {("h", "w"): 1, (): -1}, {("h",): 1, (): -1}),
        (Division(N, W, True, WORD), {("h", "w"): 1}, {("h", "w"): 1}),  # one more is no multiple
        (Division(N, {(): 8}, True, WORD), {("h",): 16, (): -1}, {("h",): 2, (): -1}),
        (Division(N, W, False, WORD), {("h", "w"): 1, (): -1}, {("w",): 1, (): -1}),
    ],
)
def test_a_quotient_is_at_most_what_divisors_say(division: Division, dividend: Polynomial, most: Polynomial) -> None:
    assert division.most(dividend) == most


def test_a_sum_with_a_quotient_that_has_no_bound_has_none() -> None:
    assert without_names({("a", "a"): 1}, {"a": ONE}) is None
    assert without_names({("a", "w"): 2, (): 1}, {"a": N}) == {("n", "w"): 2, (): 1}


@pytest.mark.parametrize(("dividend", "is_known"), [({("h", "w"): 1, (): -1}, True), ({("n",): 1}, False)])
def test_a_remainder_is_taken_away_by_a_quotient_where_that_reaches_no_further(
    dividend: Polynomial, is_known: bool
) -> None:
    """n - n mod w is at most n; w times what n / w is known to be at most, n, is more."""
    divisions = Divisions(Integers({}), found={"r": Division(N, W, False, udiv(WORD, symbol("y", 32)))})
    assert (divisions.quotient_at_most("r", dividend) is not None) == is_known


def test_what_is_read_of_arguments_alone_leaves_no_limits() -> None:
    """They have no ids, so that their quotients are left as they are: w + h need not fit into 16 bits."""
    width, height = symbol("w", 16), symbol("h", 16)
    words: dict[Term, Polynomial] = {width: {("w",): 1}, height: {("h",): 1}}
    number = add(zero_extend(add(width, height), 32), const(-5, 32))
    half = ite(slt(number, const(0, 32)), add(number, const(1, 32)), number)
    divisions = Divisions(Integers(words))
    assert divisions.read(half, ()) == (half, [])
    assert not divisions.reader.limits
