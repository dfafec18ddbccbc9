"""Of a surface whose size is known, the relations with which accesses stay inside: proved, needed, and taken back."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.analysis.bounds import kernel as bounds
from visaproof.analysis.bounds.sizes import fixed_sizes
from visaproof.analysis.bounds.sizes.by_ends import STAGE
from visaproof.analysis.bounds.sizes.enough_bytes import SizeFinder
from visaproof.analysis.bounds.verdicts import Undecided
from visaproof.cli import main
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.isa.errors import LimitReached

DATA = Path(__file__).parents[3] / "data" / "fixed"
OF_ITEMS = ("--size", "in=4*global_size_x", "--size", "out=4*global_size_x")
OF_N = ("--size", "in=4*n", "--size", "out=4*n")
EXPECTED = {
    "sums": {"local_size_x <= 512", "local_size_x <= 256"},
    "tile": {"local_size_x + 16*local_size_y <= 272"},
}


def asked(capsys: pytest.CaptureFixture[str], kernel: str, *options: str) -> list[dict[str, Any]]:
    """Its messages, as JSON."""
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *options, "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert not any(one["size_is_arbitrary"] for one in file["messages"])
    return file["messages"]


def relations(messages: list[dict[str, Any]]) -> set[str]:
    return {relation for one in messages if one["inside_if"] for relation in one["inside_if"]["where"]}


@pytest.mark.slow
@pytest.mark.parametrize("kernel", EXPECTED)
def test_groups_that_shared_local_memory_is_large_enough_for_are_named(
    kernel: str, capsys: pytest.CaptureFixture[str]
) -> None:
    messages = asked(capsys, kernel, *OF_ITEMS)
    assert relations(messages) == EXPECTED[kernel]
    for one in messages:
        assert (one["bounds"]["verdict"] == "refuted") == (one["inside_if"] is not None)
    where = [word for one in EXPECTED[kernel] for word in ("--where", one)]
    assert {one["bounds"]["verdict"] for one in asked(capsys, kernel, *OF_ITEMS, *where)} == {"proved"}


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "weaker"), [("sums", "local_size_x <= 257"), ("tile", "local_size_x <= 257")])
def test_one_more_work_item_is_outside(kernel: str, weaker: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "refuted" in {one["bounds"]["verdict"] for one in asked(capsys, kernel, *OF_ITEMS, "--where", weaker)}


def test_the_relation_of_a_tile_is_that_of_its_last_element() -> None:
    """Of all groups that have at most 1,024 work items."""
    for x in range(1, 1025):
        for y in range(1, 1024 // x + 1):
            assert (x + 16 * y <= 272) == (16 * (y - 1) + x - 1 < 256)


@pytest.mark.slow
def test_an_argument_must_count_all_work_items_where_the_size_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    messages = asked(capsys, "copied", *OF_N)
    assert relations(messages) == {"n >= global_size_x"}
    assert len(messages) == 4
    stated = asked(capsys, "copied", *OF_N, "--where", "n >= global_size_x")
    assert {one["bounds"]["verdict"] for one in stated} == {"proved"}


def test_nothing_is_named_that_no_launch_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    """The last work item of `next` is outside, however large n is."""
    messages = asked(capsys, "next", *OF_N)
    assert [one["bounds"]["verdict"] for one in messages] == ["refuted", "refuted", "proved", "proved"]
    assert relations(messages) == set()


def test_the_relation_stands_first_and_decides_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["bounds", str(DATA / "sums.visaasm"), *OF_ITEMS])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    first = next(number for number, line in enumerate(lines) if line.startswith("inside if"))
    assert lines[first] == "inside if local_size_x <= 512 (proved: ids at their largest); else:"
    assert lines[first + 1].startswith("OUTSIDE")
    assert "hint: --where 'local_size_x <= 512'" in lines
    assert code == ExitCode.REFUTED


OF_ROWS = ("--size", "in=4*k*global_size_y", "--size", "out=4*n*global_size_y")
LONG_ENOUGH = ("n >= global_size_x", "4*n*global_size_y <= 4294967296")


def by_message(capsys: pytest.CaptureFixture[str], *relations: str) -> dict[str, dict[str, Any]]:
    """The first message to each buffer of `row_sums`."""
    where = [word for one in relations for word in ("--where", one)]
    found: dict[str, dict[str, Any]] = {}
    for one in asked(capsys, "row_sums", *OF_ROWS, *where):
        found.setdefault(one["surface"], one)
    return found


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("stated", [LONG_ENOUGH, LONG_ENOUGH[1:]], ids=["rows are long enough", "rows may be shorter"])
def test_a_stated_relation_may_say_that_a_product_is_large_enough(
    stated: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No solver is asked about rows: then nothing else shows it."""
    monkeypatch.setattr(SizeFinder, "stated", lambda *_: "")
    monkeypatch.setattr(bounds, "decide_bounds", lambda *_: Undecided("not asked"))
    answer = by_message(capsys, *stated)["out"]
    assert (answer["bounds"]["verdict"] == "proved") == (stated == LONG_ENOUGH)


@pytest.mark.slow
def test_what_would_suffice_is_said_of_what_stays_unknown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "decide_bounds", lambda *_: Undecided("not asked"))
    answer = by_message(capsys)["out"]
    assert answer["bounds"]["verdict"] == "unknown"
    assert "n >= global_size_x" in answer["inside_if"]["where"]


@pytest.mark.slow
def test_an_offset_of_32_bits_reaches_no_further_than_a_larger_size(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever in=4*k*global_size_y is: of more than 4 GiB no access is outside."""
    assert by_message(capsys)["in"]["bounds"] == {"verdict": "proved", "by": STAGE}


@pytest.mark.slow
def test_what_suffices_in_a_loop_is_known_before_the_time_is_over(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_long(*_: object) -> Undecided:
        raise LimitReached(5)

    monkeypatch.setattr(bounds, "decide_bounds", too_long)
    main(["bounds", str(DATA / "row_sums.visaasm"), "--size", "in=4*n*global_size_y"])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    unknown = lines.index("UNKNOWN: limit of 5 s reached")
    assert lines[unknown - 1].startswith("inside if n*global_size_y >= k*global_size_y and k >= 0 (proved: ")
    assert lines[unknown + 1] == "hint: --where 'n*global_size_y >= k*global_size_y' --where 'k >= 0'"


WIDE = DATA.parent / "wide_ids"


def of_loop(capsys: pytest.CaptureFixture[str], size: str) -> dict[str, Any]:
    """What is said of the load in a loop of n iterations, at 64-bit addresses."""
    launch = ("--launch", str(WIDE / "wide_ids.ze_info"), "--size", "out=4*global_size_x")
    main(["bounds", str(WIDE / "sums.visaasm"), *launch, "--size", size, "--limit", "20", "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages"][0]


def test_a_stated_size_is_not_negative(capsys: pytest.CaptureFixture[str]) -> None:
    """And at 64-bit addresses it may be above 4 GiB."""
    assert of_loop(capsys, "in=4*n")["bounds"]["verdict"] == "proved"


def test_of_a_size_that_lacks_an_element_that_does_not_suffice(capsys: pytest.CaptureFixture[str]) -> None:
    assert of_loop(capsys, "in=4*n - 4")["bounds"]["verdict"] != "proved"


def test_without_the_sizes_the_sign_is_to_be_stated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = fixed_sizes.are_stated
    monkeypatch.setattr(fixed_sizes, "are_stated", lambda relations, names, _: known(relations, names))
    assert of_loop(capsys, "in=4*n")["inside_if"]["where"] == ["n >= 0"]
