"""Indices that a kernel loads: buffers that have to be as large as the largest of them says."""

import json
import random
import struct
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visaproof.analysis.bounds.sizes.reached import LARGEST, ends_below
from visaproof.analysis.bounds.sizes.words.element_words import ElementWords, Extremes
from visaproof.cli import main
from visaproof.execution.arguments import prepare
from visaproof.execution.payload import Program
from visaproof.execution.run import run_launch
from visaproof.execution.shape import Shape
from visaproof.isa.platform import Platform
from visaproof.launch.launch import launch_of
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.smt import BitVec, add, bool_symbol, const, evaluate, ite, mul, slt, symbol, zero_extend
from visaproof.visaasm.reader import read_kernel

DATA = Path(__file__).parents[3] / "data" / "elements"
LAUNCH = ("--launch", str(DATA / "elements.ze_info"))
NAMED: dict[str, dict[str, tuple[str, set[str]]]] = {
    "products": {
        "row": ("4*n + 4", set()),
        "col": ("4*max(row)", {"min(row) >= 0"}),
        "val": ("4*max(row)", {"min(row) >= 0"}),
        "x": ("4*max(col) + 4", {"min(col) >= 0"}),
        "y": ("4*n", set()),
    },
    "shifted": {"idx": ("4*n", set()), "in": ("4*max(idx) + 12", set()), "out": ("4*n", set())},
    "counted": {"in": ("global_size_x", set()), "bins": ("4*max(in) + 4", set())},
    "ends": {
        "first": ("4*n", set()),
        "list": ("4*total", {"max(first) <= total", "min(first) >= 0", "total >= 0"}),
        "out": ("4*n", set()),
    },
}


def asked(capsys: pytest.CaptureFixture[str], kernel: str, *options: str) -> list[dict[str, Any]]:
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *LAUNCH, "--format", "json", "--limit", "300", *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages"]


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("kernel", NAMED)
def test_sizes_follow_from_the_largest_index(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    found: dict[str, tuple[str, set[str]]] = {}
    for one in asked(capsys, kernel):
        if (enough := one["inside_if"]) is not None:
            found.setdefault(one["surface"], (enough["bytes"], set(enough["where"])))
    assert found == NAMED[kernel]


NATURAL = ("--where", "min(col) >= 0", "--where", "min(row) >= 0")


def verdict(capsys: pytest.CaptureFixture[str], kernel: str, surface: str, *options: str) -> str:
    """Of the first message of a kernel to a buffer."""
    return next(one["bounds"]["verdict"] for one in asked(capsys, kernel, *options) if one["surface"] == surface)


@pytest.mark.parametrize(("size", "found"), [("4*max(idx) + 12", "proved"), ("4*max(idx) + 8", "refuted")])
def test_what_is_named_is_proved_once_stated(size: str, found: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert verdict(capsys, "shifted", "in", "--size", f"in={size}") == found


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((*NATURAL, "--size", "x=4*max(col) + 4"), "proved"),
        ((*NATURAL, "--where", "max(col) < n", "--size", "x=4*n"), "proved"),
        ((*NATURAL, "--size", "x=4*max(col)"), "refuted"),
        ((*NATURAL[2:], "--size", "x=4*max(col) + 4"), "refuted"),
        ((*NATURAL, "--where", "max(row) < n", "--size", "x=4*n"), "refuted"),
    ],
    ids=["as named", "below n", "one less", "negative", "of another buffer"],
)
def test_columns_are_bounded_by_what_is_stated(
    options: tuple[str, ...], found: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verdict(capsys, "products", "x", *options) == found


@pytest.mark.slow
def test_a_launch_obeys_what_is_stated_of_elements(capsys: pytest.CaptureFixture[str]) -> None:
    """Small numbers are at most 15, and those that count up in 16 KiB below 4096."""
    options = ("--size", "idx=16384", "--where", "n <= 4096", "--where")
    for limit, contents in (("max(idx) == 15", "small"), ("max(idx) == 4095", "counting"), ("max(idx) == 0", "zeros")):
        shown = launches(capsys, *options, limit)
        assert shown
        assert all(f"idx={contents}" in one for one in shown)
    assert not launches(capsys, *options, "max(idx) == 3")


def launches(capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    """The commands that are shown of `shifted`."""
    main(["bounds", str(DATA / "shifted.visaasm"), *LAUNCH, "--limit", "300", *options])
    return [line for line in capsys.readouterr().out.splitlines() if "visaproof run" in line]


PRODUCTS = read_kernel((DATA / "products.visaasm").read_text(), "products.visaasm")
LAUNCHED = Program(PRODUCTS, *launch_of(DATA / "elements.ze_info", PRODUCTS, Platform.DG2))


def words(numbers: list[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}i", *numbers)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=5), st.integers(0, 1 << 32))
def test_runs_stay_inside_of_what_is_named(lengths: list[int], seed: int) -> None:
    """And leave a buffer with one element less, where one is reached at all."""
    rows, draw = [0, *accumulate(lengths)], random.Random(seed)
    columns = [draw.randrange(6) for _ in range(rows[-1])]
    count = len(lengths)
    sizes = {2: 4 * max(rows), 3: 4 * max(columns, default=0) + 4}
    for smaller in (None, 2, 3):
        sized = {index: size - 4 * (index == smaller) for index, size in sizes.items()}
        if smaller is not None and not (columns and sized[smaller]):
            continue
        contents = {0: words(rows), 1: words(columns or [0]), 4: bytes(4 * count)}
        contents |= {index: bytes(max(size, 4)) for index, size in sized.items()}
        values, memory = prepare(LAUNCHED, Shape((count, 1, 1), (count, 1, 1)), {5: str(count)}, contents)
        left = {one.memory for one in run_launch(LAUNCHED, values, memory).outside}
        assert bool(left) == (smaller is not None)


WORD = symbol("word", 32)
WORDS = st.integers(0, LARGEST - 1) | st.integers(LARGEST - 32, LARGEST - 1)
ADDRESSES = {
    "of elements": mul(WORD, const(4, 32)),
    "from a multiple on": add(mul(WORD, const(8, 32)), const(12, 32)),
    "of any byte": WORD,
    "of 64 bits": mul(zero_extend(WORD, 64), const(4, 64)),
}


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
@given(
    word=st.integers(0, (1 << 32) - 1) | st.integers((1 << 32) - 32, (1 << 32) - 1),
    width=st.sampled_from([1, 2, 4, 8, 12]),
)
def test_what_ends_below_does_so_wherever_it_is(address: BitVec, word: int, width: int) -> None:
    wide = zero_extend(address, 72)
    assert not ends_below(wide, width, ()) or evaluate(wide, {WORD: word}) + width <= LARGEST


def test_elements_end_below_and_what_is_not_aligned_need_not() -> None:
    assert [ends_below(one, 4, ()) for one in ADDRESSES.values()] == [True, True, False, False]
    assert not ends_below(ADDRESSES["of elements"], 12, ())


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({("n",): 1}, True),
        ({("n",): 2}, False),
        ({("n",): 1, (): 1}, False),
        ({(InnerName(Kind.GROUP, 0),): 1}, False),
        ({}, False),
    ],
    ids=["an argument", "a multiple", "one more", "a group", "0"],
)
def test_what_is_taken_beside_an_element_has_to_be_an_argument(other: Polynomial, named: bool) -> None:
    """Users can state a relation to no other integer."""
    end = symbol("end", 32)
    guard = slt(symbol("place", 32), ite(bool_symbol("is_last"), end, WORD))
    words = ElementWords()
    assert bool(words.chosen([guard], {WORD: Extremes("max(row)", "min(row)")}, {end: other})) == named
    assert words.related(words.ends) == frozenset({("max(row)", "n")} if named else ())
