"""Addresses as integers at their largest: the furthest byte is named; that suffices once stated, and no less does."""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.sizes.by_ends import STAGE, follows, is_at_least, sufficient
from visaproof.analysis.bounds.sizes.integers import Integers
from visaproof.analysis.bounds.sizes.launch_integers import least_of
from visaproof.analysis.bounds.sizes.reached import Reached
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.cli import main
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume, start_of
from visaproof.launch.launch import read_launch
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bit_and,
    bit_or,
    const,
    disj,
    eq,
    extract,
    mul,
    neg,
    sign_extend,
    slt,
    sub,
    symbol,
    ult,
    zero_extend,
)
from visaproof.smt.evaluate import evaluate
from visaproof.visaasm.reader import read_kernel

DATA = Path(__file__).parents[3] / "data" / "ends"
SIZES = {
    "strided": "4*offset + 4*inc*global_size_x + 4 - 4*inc",
    "volume": "4*global_size_x + 4*w*global_size_y + 4*w*h*global_size_z - (4*w + 4*w*h)",
    "enqueued": "32*global_size_x",
}
ROUNDED = {"strided": 0, "volume": 0, "enqueued": 28}
"""Bytes that are left out of a size, so that it counts whole elements."""
MORE = {"strided": ("inc >= 0", "offset >= 0"), "volume": (), "enqueued": ()}
OF_WHOLE_GROUPS = "32*global_size_x - 20*local_size_x"
"""What `enqueued` needs where no group is smaller."""


def asked(capsys: pytest.CaptureFixture[str], kernel: str, *options: str) -> list[dict[str, Any]]:
    launch = ("--launch", str(DATA / "ends.ze_info"), "--format", "json")
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *launch, *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages"]


def relations(kernel: str) -> list[str]:
    return [*MORE[kernel]]


def stated(kernel: str, amount: str, where: list[str]) -> list[str]:
    return ["--size", f"out={amount}", *(word for one in where for word in ("--where", one))]


@pytest.mark.slow
@pytest.mark.parametrize("kernel", SIZES)
def test_the_furthest_byte_is_named_and_a_launch_shown(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    for message in asked(capsys, kernel):
        named = message["inside_if"]
        assert (named["bytes"], named["where"], named["by"]) == (SIZES[kernel], relations(kernel), STAGE)
        assert message["launch"]["found"]


@pytest.mark.parametrize("kernel", [pytest.param(one, marks=[pytest.mark.slow] * (one != "strided")) for one in SIZES])
def test_what_is_named_suffices_and_less_does_not(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    enough = asked(capsys, kernel, *stated(kernel, SIZES[kernel], relations(kernel)))
    assert {one["bounds"]["verdict"] for one in enough} == {"proved"}
    less = asked(capsys, kernel, *stated(kernel, f"{SIZES[kernel]} - {ROUNDED[kernel] + 1}", relations(kernel)))
    fits = {"proved"} if kernel == "enqueued" else set[str]()  # lanes from 16 on reach less
    assert {one["bounds"]["verdict"] for one in less} == {"refuted"} | fits


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("missing", MORE["strided"])
def test_each_sign_is_needed(missing: str, capsys: pytest.CaptureFixture[str]) -> None:
    where = [one for one in relations("strided") if one != missing]
    found = asked(capsys, "strided", *stated("strided", SIZES["strided"], where))
    assert {one["bounds"]["verdict"] for one in found} == {"refuted"}


@pytest.mark.slow
def test_an_argument_of_64_bits_is_a_number_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    """Whether the guard's emulated comparison is seen through, x < w, depends on the time for it."""
    named = {one["inside_if"]["bytes"] for one in asked(capsys, "of_64_bits")}
    assert named <= {"4*w*global_size_y", "4*global_size_x + 4*w*global_size_y - 4*w"}


WHERE = ("4*h*w <= 4294967296", "global_size_x <= 2147483648", "global_size_y <= 2147483648", "h >= 0", "w >= 0")


def _row_above(capsys: pytest.CaptureFixture[str], kernel: str, *options: str) -> list[dict[str, Any]]:
    """What is said of in[(y − 1)·w + x], message by message."""
    where = [word for one in WHERE for word in ("--where", one)]
    found = asked(capsys, kernel, "--size", "in=4*h*w - 4*w", *where, *options)
    return [one["bounds"] for one in found if one["surface"] == "in"]


@pytest.mark.slow
def test_a_row_above_stays_inside_where_a_guard_asks_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    """It begins at the buffer where y > 0."""
    assert {(one["verdict"], one["by"]) for one in _row_above(capsys, "row_above")} == {("proved", STAGE)}


@pytest.mark.slow
def test_a_row_above_without_a_guard_is_refuted(capsys: pytest.CaptureFixture[str]) -> None:
    """No size is enough.  A solver takes long for the lanes behind the first 16, which other rows are for."""
    first, *others = (one["verdict"] for one in _row_above(capsys, "row_above_all", "--limit", "20"))
    assert first == "refuted"
    assert "proved" not in others


# ------------------------------------------------------------ the sizes, counted


Ids = tuple[int, int, int]


def furthest(address: Callable[[Ids, Ids, int], int], sizes: Ids, local: int) -> int:
    """Behind the last byte of a dword that a work item of a launch reaches, with groups of `local` items in x.

    The last group has what is left.
    """
    items = product(*map(range, sizes))
    return 4 + 4 * max(address((x // local, y, z), (x % local, y, z), local) for x, y, z in items)


@pytest.mark.parametrize("sizes", [(1, 1, 1), (4, 1, 1), (6, 3, 2), (2, 5, 3), (9, 1, 1)])
@pytest.mark.parametrize("numbers", [(0, 0), (1, 3), (7, 2), (3, 0)])
def test_no_work_item_reaches_further(sizes: Ids, numbers: tuple[int, int]) -> None:
    first, second = numbers
    for local in (1, 2, 3, 5, 8):
        names = host_names(sizes, local) | {"offset": first, "inc": second, "w": first, "h": second}
        counted = {
            "strided": furthest(lambda g, i, each: first + second * (g[0] * each + i[0]), (sizes[0], 1, 1), local),
            "volume": furthest(lambda g, i, each: (g[2] * second + g[1]) * first + g[0] * each + i[0], sizes, local),
        }
        assert {kernel: eval(SIZES[kernel], {}, names) for kernel in counted} == counted
        of_groups = furthest_of_enqueued(sizes[0], local)
        assert eval(SIZES["enqueued"], {}, names) - ROUNDED["enqueued"] >= of_groups


def host_names(sizes: Ids, local: int) -> dict[str, int]:
    """What the host knows of its launch: of a last group that is smaller it knows nothing."""
    names = dict(zip(("global_size_x", "global_size_y", "global_size_z"), sizes, strict=True))
    return names | {"local_size_x": local}


def furthest_of_enqueued(items: int, local: int) -> int:
    return furthest(lambda g, i, each: 8 * g[0] * each + 3 * i[0], (items, 1, 1), local)


@pytest.mark.parametrize(("items", "local", "suffices"), [(16, 8, True), (9, 8, False), (12, 8, False)])
def test_what_whole_groups_need_is_too_small_for_a_smaller_last_one(items: int, local: int, *, suffices: bool) -> None:
    host = eval(OF_WHOLE_GROUPS, {}, host_names((items, 1, 1), local))
    assert (host >= furthest_of_enqueued(items, local)) == suffices


@pytest.mark.slow
def test_a_local_size_that_is_stated_is_the_one_that_the_host_enqueues(capsys: pytest.CaptureFixture[str]) -> None:
    """So that a smaller last group leaves a buffer whose size subtracts it."""
    found = asked(capsys, "enqueued", *stated("enqueued", OF_WHOLE_GROUPS, relations("enqueued")))
    assert {one["bounds"]["verdict"] for one in found} == {"refuted"}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("uniform", [True, False])
def test_of_whole_groups_a_size_may_be_subtracted(uniform: bool) -> None:
    """Where build options refuse smaller ones: said as a premise."""
    kernel = read_kernel((DATA / "enqueued.visaasm").read_text(), "enqueued.visaasm")
    launch = replace(read_launch(DATA / "ends.ze_info", kernel), uniform=uniform)
    answers = ask_bounds(kernel, Platform.DG2, launch, Assume.LAUNCH, StatedLaunch(align=4), 20_000)
    named = {str(one.enough.size.amount) for one in answers.answers() if one.enough and one.enough.size}
    assert named == {OF_WHOLE_GROUPS if uniform else SIZES["enqueued"]}
    assert ("uniform-groups" in {one.name for one in answers.start.assumed}) == uniform


# ------------------------------------------------------------ words as integers


X, Y = symbol("x", 8), symbol("y", 8)


def words(width: int) -> st.SearchStrategy[BitVec]:
    """Of 16 bits, where the symbols have 8."""
    leaves = st.one_of(
        st.sampled_from([zero_extend(X, width), zero_extend(Y, width)]),
        st.integers(-40, 40).map(lambda value: const(value, width)),
    )

    def grown(inner: st.SearchStrategy[BitVec]) -> st.SearchStrategy[BitVec]:
        pairs = st.tuples(inner, inner)
        return st.one_of(
            pairs.map(lambda pair: add(*pair)),
            pairs.map(lambda pair: mul(*pair)),
            inner.map(lambda one: zero_extend(extract(one, 9, 0), width)),
            inner.map(lambda one: sign_extend(extract(one, 11, 0), width)),
            inner.map(lambda one: zero_extend(extract(one, 15, 10), width)),
        )

    return st.recursive(leaves, grown, max_leaves=6)


def value(one: Polynomial, names: dict[str, int]) -> int:
    total = 0
    for part, count in one.items():
        for name in part:
            count *= names[name]
        total += count
    return total


@given(words(16), st.integers(0, 255), st.integers(0, 255))
def test_a_word_is_the_sum_that_it_is_read_as_below_its_limits(word: BitVec, x: int, y: int) -> None:
    reader = Integers({X: {("x",): 1}, Y: {("y",): 1}})
    found = reader.exact(word)
    if found is None:
        return
    names = {"x": x, "y": y}
    if all(0 <= value(limit.sum, names) < 1 << limit.bits for limit in reader.limits):
        assert evaluate(word, {X: x, Y: y}) == value(found, names)


def test_a_sum_that_wraps_is_no_integer() -> None:
    """What the limits are for: without them 200 + 100 would be 300 in 8 bits."""
    reader = Integers({X: {("x",): 1}, Y: {("y",): 1}})
    found = reader.exact(zero_extend(add(X, Y), 16))
    assert found == {("x",): 1, ("y",): 1}
    assert not all(value(one.sum, {"x": 200, "y": 100}) < 1 << one.bits for one in reader.limits)


COEFFICIENTS = st.dictionaries(
    st.sampled_from([(), ("a",), ("b",), ("a", "b"), ("a", "a")]), st.integers(-6, 6), max_size=4
)


@given(COEFFICIENTS, COEFFICIENTS, st.integers(0, 3), st.integers(0, 3), st.integers(0, 9), st.integers(0, 9))
def test_a_sum_that_is_at_least_another_is(
    one: Polynomial, other: Polynomial, least_a: int, least_b: int, a: int, b: int
) -> None:
    if is_at_least(one, other, {"a": least_a, "b": least_b}):
        names = {"a": least_a + a, "b": least_b + b}
        assert value(one, names) >= value(other, names)


@given(COEFFICIENTS, COEFFICIENTS, *(st.integers(-20, 40),) * 2, *(st.integers(0, 9),) * 2)
def test_a_limit_that_is_left_out_follows(
    one: Polynomial, other: Polynomial, most: int, least: int, a: int, b: int
) -> None:
    names = {"a": a, "b": b}
    if follows(one, most, other, least) and value(other, names) <= least:
        assert value(one, names) <= most


@pytest.mark.parametrize(("one", "most", "said"), [(4, 40, True), (4, 39, False), (3, 40, True), (5, 40, False)])
def test_a_multiple_of_a_limit_follows_from_it(one: int, most: int, said: bool) -> None:
    assert follows({("a",): one, ("b",): -1}, most, {("a",): 2, (): 1}, 21) == said


@pytest.mark.parametrize(
    ("guard", "least"),
    [
        (ult(const(2, 8), X), 3),
        (slt(const(2, 8), X), 3),
        (neg(ult(X, const(5, 8))), 5),
        (neg(slt(X, const(5, 8))), 5),
        (neg(eq(X, const(0, 8))), 1),
        (neg(eq(X, const(7, 8))), 0),
        (slt(const(-3, 8), X), 0),
        (ult(X, const(5, 8)), 0),
        (disj(ult(const(2, 8), X), ult(const(2, 8), Y)), 0),
        (slt(const(-1, 8), sub(X, const(2, 8))), 2),
        (slt(const(4, 8), sub(X, const(3, 8))), 8),
        (neg(slt(sub(X, const(3, 8)), const(4, 8))), 7),
        (ult(const(2, 8), sub(X, const(1, 8))), 0),  # of 0 it is the largest
        (slt(const(1, 8), add(X, const(3, 8))), 0),
        (slt(const(-1, 8), bit_or(sub(X, const(3, 8)), Y)), 3),
        (slt(const(-2, 8), bit_or(sub(X, const(3, 8)), Y)), 0),
        (slt(const(-1, 8), bit_and(sub(X, const(3, 8)), Y)), 0),
    ],
)
def test_a_guard_says_no_more_than_it_does(guard: Bool, least: int) -> None:
    assert least_of(guard, X) == least
    assert all(x >= least for x in range(256) for y in (0, 9) if evaluate(guard, {X: x, Y: y}))


def test_a_sum_may_need_what_the_guard_says() -> None:
    """4·n is at least 12 where n is above 2, and else not."""
    assert is_at_least({("n",): 4}, {(): 12}, {"n": 3})
    assert not is_at_least({("n",): 4}, {(): 12}, {"n": 2})


@pytest.mark.parametrize(("at_pointers", "relations"), [(False, ["8*w <= 1099511627775"]), (True, [])])
def test_of_a_surface_it_is_said_that_it_has_no_more_than_addresses_reach(
    at_pointers: bool, relations: list[str]
) -> None:
    """The premise that no buffer has more is of those that are reached by 64-bit addresses."""
    long_sizes = Path(__file__).parents[3] / "data" / "long_sizes"
    kernel = read_kernel((long_sizes / "rows.visaasm").read_text(), "rows.visaasm")
    launch = read_launch(long_sizes / "long_sizes.ze_info", kernel)
    names = LaunchNames(kernel, launch, start_of(kernel, launch, Assume.LAUNCH))
    reached = Reached({("w",): 8}, (), {}, frozenset(), frozenset())
    found = sufficient([reached], names, bits=64, at_pointers=at_pointers)
    assert found is not None
    assert [str(one) for one in found.relations] == relations
