"""Quotients and remainders of 64 bits as digits, of sizes that are multiplied in halves."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.digits.digits import OF_NUMBERS
from visaproof.analysis.conflicts.launches import usual_launches
from visaproof.analysis.conflicts.launches.usual_launches import simple_words_for
from visaproof.cli import main
from visaproof.isa.platform import Platform
from visaproof.launch.assume import Assume
from visaproof.launch.launch import read_launch
from visaproof.smt import conj, const, eq
from visaproof.visaasm.linking.names import read_program

DATA = Path(__file__).parents[2] / "data" / "quotients"
NEEDED = ("w >= 1", "h >= 1", "h*w <= 4611686018427387904")


def scatter(
    capsys: pytest.CaptureFixture[str], *options: str, where: tuple[str, ...] = (), kernel: str = "transposed"
) -> Any:
    stated = [word for one in where for word in ("--where", one)]
    launch = ("--launch", str(DATA / "wide.ze_info"), "--format", "json")
    main(["conflicts", str(DATA / f"wide_{kernel}.visaasm"), *launch, *stated, *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    (found,) = file["scatters"]
    return found


@pytest.mark.slow
def test_what_is_missing_of_wide_sizes_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    found = scatter(capsys)
    assert found["free_if"]["by"] == OF_NUMBERS
    assert tuple(found["free_if"]["relations"]) == NEEDED


def test_what_is_named_of_wide_sizes_suffices(capsys: pytest.CaptureFixture[str]) -> None:
    found = scatter(capsys, where=NEEDED)
    assert (found["verdict"], found["by"]) == ("proved", OF_NUMBERS)


@pytest.mark.slow
@pytest.mark.parametrize("left", range(len(NEEDED)))
def test_without_one_relation_of_wide_sizes_it_is_not_proved(left: int, capsys: pytest.CaptureFixture[str]) -> None:
    found = scatter(capsys, "--limit", "8", where=NEEDED[:left] + NEEDED[left + 1 :])
    assert found["verdict"] != "proved"


@pytest.mark.slow
def test_without_the_premise_wide_numbers_stay_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    found = scatter(capsys, "--limit", "5", "--assume", "launch,-integer-division", where=NEEDED)
    assert found["verdict"] == "unknown"


ROWS = ("w >= 1", "pitch >= w", "local_size_x*pitch <= 4611686018427387904")
"""No guard bounds the number: two items of a group differ by less than its size."""


@pytest.mark.slow
def test_numbers_without_a_bound_differ_by_less_than_a_group(capsys: pytest.CaptureFixture[str]) -> None:
    found = scatter(capsys, kernel="rows")
    assert tuple(found["free_if"]["relations"]) == ROWS
    proved = scatter(capsys, kernel="rows", where=ROWS)
    assert (proved["verdict"], proved["by"]) == ("proved", OF_NUMBERS)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("left", range(len(ROWS)))
def test_without_one_relation_numbers_without_a_bound_are_not_proved(
    left: int, capsys: pytest.CaptureFixture[str]
) -> None:
    found = scatter(capsys, "--limit", "8", where=ROWS[:left] + ROWS[left + 1 :], kernel="rows")
    assert found["verdict"] != "proved"


def test_simple_words_have_nothing_in_the_high_halves_of_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else products of them wrap, and none of the words is simple."""
    kernel = read_program(DATA / "wide_transposed.visaasm")
    asked = ask_kernel(kernel, Platform.Xe2, read_launch(DATA / "wide.ze_info", kernel), Assume.LAUNCH, 1_000).asked
    width = kernel.inputs[4].variable
    low, high = (asked.start.initial(width, at)[0] for at in (0, 4))
    formula = conj(eq(low, const(64, 32)), eq(high, const(0, 32)))
    assert simple_words_for(asked, formula) is not None
    monkeypatch.setattr(usual_launches, "high_dwords", lambda _: ())
    assert simple_words_for(asked, formula) is None


def are_apart(places: list[int]) -> bool:
    return len(set(places)) == len(places)


def test_what_is_said_of_numbers_without_a_bound_holds() -> None:
    """Of all small sizes, in addresses of 6 bits."""
    modulus = 64
    for w, stride, size, base in product(range(1, 9), range(1, 9), range(1, 9), range(0, 20, 3)):
        numbers = range(base, base + size)
        if w >= size:
            assert are_apart([n % w for n in numbers])
        if stride >= w and stride * size <= modulus:
            assert are_apart([(n // w * stride + n % w) % modulus for n in numbers])
        if stride >= size and stride * w <= modulus:
            assert are_apart([(n % w * stride + n // w) % modulus for n in numbers])


def test_a_group_that_is_too_large_is_not_apart() -> None:
    assert not are_apart([n % 4 for n in range(3, 8)])
    assert not are_apart([(n % 2 * 3 + n // 2) for n in range(8)])
