"""Sizes and indices of 64 bits, which compilers compare in halves (tests/data/long_sizes)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from visaproof.analysis.bounds.kernel import BoundsAnswers, BoundsFinding
from visaproof.analysis.bounds.sizes.at_ends import Ends
from visaproof.analysis.bounds.sizes.integers import Half, Integers
from visaproof.analysis.bounds.sizes.words import names_in_guards
from visaproof.analysis.bounds.sizes.words.names_in_guards import unequal_names
from visaproof.cli import main
from visaproof.report.one_kernel.launch_search import LaunchSearch
from visaproof.smt import BitVec, Bool, Term, add, conj, const, eq, neg, scale, symbol, zero_extend
from visaproof.smt.evaluate import evaluate

DATA = Path(__file__).parents[3] / "data" / "long_sizes"
LAUNCH = ("--launch", str(DATA / "long_sizes.ze_info"))
SIZES = {
    "rows": {"x": "4*w*h", "y": "4*w*h"},
    "product": {"a": "4*m*k", "b": "4*n*k", "c": "4*m*n"},
    "strided": {"x": "4*n", "y": "4*n"},
    "upper": {"a": "8*n + 8*pitch*n - 16*pitch"},
}


def answered(kernel: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *LAUNCH, "--format", "json", "--limit", "300"])
    return json.loads(capsys.readouterr().out)["files"][0]


def named(kernel: str, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The bytes that each argument needs; of those without any, nothing."""
    messages = answered(kernel, capsys)["messages"]
    return {one["surface"]: one["inside_if"]["bytes"] for one in messages if one["inside_if"]}


@pytest.mark.slow
def test_no_relation_says_that_a_buffer_is_one_that_there_may_be(capsys: pytest.CaptureFixture[str]) -> None:
    found = answered("upper", capsys)
    assert [one["inside_if"]["where"] for one in found["messages"]] == [[]] * 4
    assert any(one.startswith("buffers-below") for one in found["assumptions"])


@pytest.mark.parametrize(
    "kernel", ["rows", *(pytest.param(each, marks=pytest.mark.slow) for each in ("upper", "product", "strided"))]
)
def test_arguments_of_64_bits_bound_what_is_accessed(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert named(kernel, capsys) == SIZES[kernel]


@pytest.mark.parametrize("read", [True, False])
def test_ids_are_bounded_without_a_solver_where_orders_in_halves_are_read(
    read: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A solver may come to the same in its share of the time, or not."""

    def unread(condition: Bool) -> Bool:
        return condition

    monkeypatch.setattr(Ends, "is_excluded", lambda *_: False)
    if not read:
        monkeypatch.setattr("visaproof.machine.symbolic.predicates.as_order", unread)
    assert ("global_size_x" in named("rows", capsys)["y"]) != read


@pytest.mark.slow
def test_products_of_sums_in_halves_are_none_of_whole_words_by_themselves(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """i·pitch of i = group·size + id: no size is named where its halves stay as they are."""

    def unread(word: BitVec) -> BitVec:
        return word

    monkeypatch.setattr("visaproof.analysis.bounds.sizes.largest.whole_word", unread)
    assert named("upper", capsys) == {}


def test_two_halves_in_a_sum_are_their_whole_word() -> None:
    """Whatever it is; of other multiples each half is one that has to be below a power of two."""
    low, high, more = N["low"], N["high"], zero_extend(symbol("m", 8), 64)
    halves: dict[Term, Half] = {low: Half({("n",): 1}, 0), high: Half({("n",): 1}, 32)}
    for step, is_whole in ((3 << 32, True), (2 << 32, False)):
        reader = Integers({more: {("m",): 1}}, halves)
        word = add(scale(zero_extend(high, 64), step), scale(zero_extend(low, 64), 3), more)
        assert reader.read(word) == {("n",): 3, ("m",): 1}
        assert (not reader.limits) is is_whole
        for n in (5, (1 << 33) + 7, (1 << 64) - 1):
            values: dict[Term, int] = {low: n & 0xFFFFFFFF, high: n >> 32, symbol("m", 8): 9}
            holds = all(n * one.sum.get(("n",), 0) < 1 << one.bits for one in reader.limits)
            assert not holds or evaluate(word, values) == (3 * n + 9) % (1 << 64)


N, M = ({half: symbol(f"{half}.{name}", 32) for half in ("high", "low")} for name in "nm")
PARTS: dict[Term, Half] = {
    word[half]: Half({(name,): 1}, place)
    for name, word in (("n", N), ("m", M)) for half, place in (("low", 0), ("high", 32))
}  # fmt: skip


@pytest.mark.parametrize(
    ("high", "low", "unequal"), [(N["high"], N["low"], {("n", 0)}), (M["high"], N["low"], set())], ids=["one", "two"]
)
def test_halves_of_two_words_say_nothing_of_either(high: BitVec, low: BitVec, unequal: set[tuple[str, int]]) -> None:
    """Of m = 2^32 and n = 0 it holds that not both are 0, the high half of m and the low one of n."""
    zero = const(0, 32)
    guard = frozenset({neg(conj(eq(zero, high), eq(zero, low)))})
    assert unequal_names(guard, lambda: Integers({}, PARTS)) == unequal


@pytest.mark.slow
def test_a_loop_that_runs_at_least_once_needs_a_size_that_is_not_0(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is compared with 0 in halves: without it the first element of a row counts beside k others."""
    monkeypatch.setattr(names_in_guards, "_denied", lambda _: iter(()))
    assert named("product", capsys)["a"] != SIZES["product"]["a"]


@pytest.mark.parametrize(
    ("sizes", "code"), [(("x=4*w*h", "y=4*w*h"), 0), (("x=4*w*h-4", "y=4*w*h"), 1)], ids=["named", "one element less"]
)
def test_the_sizes_that_are_named_are_enough(sizes: tuple[str, str], code: int) -> None:
    relations = ("4*w*h <= 1099511627775", "w <= 4294967295", "h <= 4294967295")
    stated = [
        *(part for one in sizes for part in ("--size", one)),
        *(part for one in relations for part in ("--where", one)),
    ]
    assert main(["bounds", str(DATA / "rows.visaasm"), *LAUNCH, "--quiet", *stated]) == code


@pytest.mark.slow
def test_a_second_access_that_needs_as_much_is_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of a load and a store that need the same bytes of `a`; -v and JSON say of each what is enough."""
    command = ["bounds", str(DATA / "upper.visaasm"), *LAUNCH, "--limit", "300"]
    main(command)
    short = capsys.readouterr().out
    main([*command, "-v"])
    long = capsys.readouterr().out
    assert short.count("where a is too small, as line") == 2
    assert (short.count("inside if a has"), long.count("inside if a has")) == (2, 4)
    assert (short.count("launch: "), long.count("launch: ")) == (3, 5)


@pytest.mark.slow
def test_of_many_accesses_that_need_as_much_a_few_have_launches(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("visaproof.report.one_kernel.launch_search.MOST_ALIKE", 1)
    found = [one["launch"] for one in answered("upper", capsys)["messages"]]
    assert [one["found"] for one in found] == [True, True, False, False]
    assert found[2]["reason"] == "line 257, which needs as many bytes of a, has one"


@pytest.mark.slow
@pytest.mark.parametrize(("share", "order"), [(1.0, "al" * 4), (0.0, "aaaallll")], ids=["time", "no time"])
def test_launches_beyond_their_share_wait_until_all_messages_are_answered(
    share: float, order: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log: list[str] = []
    answers = BoundsAnswers.answers

    def noted(self: BoundsAnswers) -> Iterator[BoundsFinding]:
        for finding in answers(self):
            log.append("a")
            yield finding

    monkeypatch.setattr(BoundsAnswers, "answers", noted)
    monkeypatch.setattr(LaunchSearch, "of_outside", lambda *_: log.append("l"))
    monkeypatch.setattr("visaproof.report.one_kernel.launch_search.SHARE", share)
    lines = [one["line"] for one in answered("upper", capsys)["messages"]]
    assert lines == sorted(lines)
    assert "".join(log) == order


@pytest.mark.slow
def test_places_outside_are_elements_of_the_type_of_the_argument(capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes 12 to 15 are the upper half of a[1], a double."""
    launches = [one["launch"] for one in answered("upper", capsys)["messages"] if one["launch"]]
    places = [re.findall(r"a\[(\d+)\], bytes (0x[0-9a-f]+)", str(one)) for one in launches]
    assert [8 * int(index) <= int(byte, 16) < 8 * int(index) + 8 for one in places for index, byte in one] == [True] * 4
