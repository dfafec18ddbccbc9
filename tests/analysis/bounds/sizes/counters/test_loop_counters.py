"""Counters of loops as integers: no iteration leaves what is named, and what only the last one says bounds nothing."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.analysis.bounds.sizes.test_at_ends import value
from visaproof.analysis.bounds.sizes.by_ends import most_of_each
from visaproof.analysis.bounds.sizes.counters.loop_counters import LoopCounters
from visaproof.analysis.bounds.sizes.integers import Below
from visaproof.analysis.bounds.sizes.sums import needed_least
from visaproof.analysis.bounds.sizes.words.small_words import comparisons
from visaproof.cli import main
from visaproof.launch.relations.expression_reader import parse_expression
from visaproof.launch.relations.polynomials import Polynomial, polynomial
from visaproof.machine.symbolic.loops.came_back import CountedLoop, Counter
from visaproof.semantics.symbolic.literals import Literals
from visaproof.semantics.symbolic.value_names import OfLoop, RegisterByte
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    bool_symbol,
    concat,
    const,
    disj,
    eq,
    ite,
    neg,
    signed_value,
    slt,
    sub,
    symbol,
    ult,
    zero_extend,
)
from visaproof.smt.evaluate import evaluate

DATA = Path(__file__).parents[4] / "data" / "counters"
SIZES = {
    "grid_stride": {"out": "4*n"},
    "left_early": {"out": "4*m*n + 4*global_size_x - 4*m"},
    "blocks_of_rows": {"out": "4*n"},
    "long_stride": {"base": "offset + 4*n"},
    "product": {"a": "4*global_size_y*k", "b": "4*k*n", "c": "4*global_size_y*n"},
}
SIGNED = {
    "left_early": ["m >= 0", "n >= 0"],
    "blocks_of_rows": [
        "n >= 0",
        "size >= 0",
        "local_size_x + size*group_count_x + 1280 - size <= 2147483648",
        "n + 256 <= 2147483648",
    ],
    "long_stride": ["n >= 0", "offset >= 0", "global_size_x < 2147483648"],
}
LAUNCH = {kernel: DATA / f"{kernel}.ze_info" for kernel in ("blocks_of_rows", "long_stride")}

NOW, FIRST, STEP, MOST = (symbol(name, 8) for name in ("i", "first", "step", "most"))
WIDE = symbol("wide", 16)
LANE, OTHER = bool_symbol("lane"), bool_symbol("other")
ATOMS: dict[Term, Polynomial] = {
    FIRST: {("first",): 1},
    STEP: {("step",): 1},
    MOST: {("most",): 1},
    WIDE: {("wide",): 1},
}
COMPARED = [
    ult(NOW, MOST),
    neg(ult(MOST, NOW)),
    slt(NOW, MOST),
    neg(slt(MOST, NOW)),
    ult(add(NOW, const(3, 8)), MOST),
    slt(add(NOW, const(-2, 8)), MOST),
    ult(zero_extend(NOW, 16), WIDE),
    ult(add(zero_extend(NOW, 16), const(7, 16)), WIDE),
]


def holds(limits: Sequence[Below], names: dict[str, int]) -> bool:
    return all(0 <= value(one.sum, names) < 1 << one.bits for one in limits)


def counters(step: BitVec, guard: Literals, reasons: Literals) -> LoopCounters:
    loop = CountedLoop((Counter(NOW, FIRST, step, LANE),), {LANE: reasons})
    return LoopCounters.of([loop], guard, NOW, ATOMS, {})


@given(
    st.sampled_from(COMPARED),
    st.sampled_from([const(1, 8), const(3, 8), const(-1, 8), STEP]),
    st.one_of(st.integers(0, 9), st.integers(0, 255)),
    st.one_of(st.integers(0, 40), st.integers(0, 255)),
    st.one_of(st.integers(240, 270), st.integers(0, 999)),
    st.integers(0, 255),
)
def test_no_iteration_leaves_what_a_counter_is_at_most(
    compared: Bool, step: BitVec, first: int, each: int, wide: int, most: int
) -> None:
    found = counters(step, frozenset((LANE, compared)), frozenset((compared,))).bounded()
    assume(found)
    (name,), (bounded,) = found, found.values()
    names = {"first": first, "step": each, "most": most, "wide": wide}
    largest = value(bounded.most, names)
    assume(all(holds(bounded.limits, {**names, name: number}) for number in (0, max(0, largest))))
    state: dict[Term, int] = {FIRST: first, STEP: each, MOST: most, WIDE: wide}
    amount = evaluate(step, state)
    for number in range(300):
        if not evaluate(compared, {**state, NOW: (first + number * amount) % 256}):
            break
        assert number * amount <= largest
        assert first + number * amount < 256


BELOW_ZERO = [sub(const(0, 8), FIRST), sub(const(5, 8), FIRST), const(-7, 8), sub(FIRST, MOST), FIRST]
NEAR_ENDS = st.one_of(st.integers(0, 20), st.integers(118, 136), st.integers(240, 255))
SIGNED_COMPARISONS = [
    slt(NOW, MOST),
    neg(slt(MOST, NOW)),
    slt(sub(NOW, const(1, 8)), MOST),
    slt(add(NOW, const(3, 8)), MOST),
    ult(NOW, MOST),
]


@given(
    st.sampled_from(SIGNED_COMPARISONS),
    st.sampled_from(BELOW_ZERO),
    st.sampled_from([const(1, 8), const(3, 8)]),
    NEAR_ENDS,
    NEAR_ENDS,
    st.sampled_from(["always", "but first", "or otherwise"]),
)
@example(SIGNED_COMPARISONS[0], BELOW_ZERO[0], const(1, 8), 129, 127, "but first")  # comes round
def test_no_iteration_leaves_it_where_it_begins_below_zero(
    compared: Bool, begin: BitVec, step: BitVec, first: int, most: int, holds_when: str
) -> None:
    """Also where the loop is run once whatever is compared: that is said of all other iterations."""
    others = {"but first": [eq(NOW, begin)], "or otherwise": [eq(NOW, MOST)]}
    said = disj(compared, *others.get(holds_when, []))
    loop = CountedLoop((Counter(NOW, begin, step, LANE),), {LANE: frozenset((said,))})
    found = LoopCounters.of([loop], frozenset((LANE, said)), NOW, ATOMS, {}).bounded()
    assume(found)
    (name,), (bounded,) = found, found.values()
    names = {"first": first, "most": most}
    largest = value(bounded.most, names)
    assume(all(holds(bounded.limits, {**names, name: number}) for number in (0, max(0, largest))))
    state: dict[Term, int] = {FIRST: first, MOST: most}
    amount = evaluate(step, state)
    for number in range(300):
        if not evaluate(said, {**state, NOW: (evaluate(begin, state) + number * amount) % 256}):
            break
        assert number * amount <= largest


@pytest.mark.parametrize(("begin", "first", "most"), [(BELOW_ZERO[0], 1, 1), (BELOW_ZERO[3], -1, 2)])
def test_counters_that_begin_below_zero_are_bounded(begin: BitVec, first: int, most: int) -> None:
    compared = slt(NOW, MOST)
    loop = CountedLoop((Counter(NOW, begin, const(1, 8), LANE),), {LANE: frozenset((compared,))})
    (bounded,) = LoopCounters.of([loop], frozenset((LANE, compared)), NOW, ATOMS, {}).bounded().values()
    assert {part: count for part, count in bounded.most.items() if part} == {("first",): first, ("most",): most}
    assert all(count >= 0 for one in bounded.limits for count in one.sum.values())


@pytest.mark.parametrize("said", [[0, 1], [1, 0]])
def test_of_two_comparisons_the_one_that_says_more_counts(said: list[int]) -> None:
    both = [neg(slt(MOST, FIRST)), slt(FIRST, MOST)]
    found = LoopCounters.of([], frozenset(both[place] for place in said), FIRST, ATOMS, {}).compared({("first",): 1})
    assert found is not None
    assert {part: count for part, count in found.most.items() if count} == {("most",): 1, (): -1}


HIGH, LOW = (symbol(OfLoop("loop", RegisterByte(name, 0)), 8) for name in ("high", "low"))
LONG = concat(HIGH, LOW)


@given(
    st.sampled_from([slt(LONG, WIDE), ult(LONG, WIDE), slt(add(LONG, const(3, 16)), WIDE)]),
    st.integers(0, 255),
    st.one_of(st.integers(1, 9), st.integers(0, 255)),
    st.one_of(st.integers(0, 999), st.integers(0, (1 << 16) - 1)),
)
def test_a_low_half_goes_with_its_counter(compared: Bool, first: int, each: int, wide: int) -> None:
    long = Counter(LONG, zero_extend(FIRST, 16), zero_extend(STEP, 16), LANE)
    loop = CountedLoop((Counter(LOW, FIRST, STEP, LANE), long), {LANE: frozenset((compared,))})
    counted = LoopCounters.of([loop], frozenset((LANE, compared)), LOW, ATOMS, {})
    reader, found = counted.reader(), counted.bounded()
    (name,), (bounded,) = found, found.values()
    assert reader.read(LOW) == {("first",): 1, (name,): 1}
    names = {"first": first, "step": each, "wide": wide}
    largest = value(bounded.most, names)
    assume(all(holds(bounded.limits, {**names, name: number}) for number in (0, max(0, largest))))
    state: dict[Term, int] = {FIRST: first, STEP: each, WIDE: wide}
    for number in range(300):
        total = first + number * each
        if not evaluate(compared, {**state, LOW: total % 256, HIGH: total // 256 % 256}):
            break
        assert number * each <= largest


Order = Callable[[BitVec, BitVec], Bool]
Extreme = Callable[[Order, BitVec, BitVec], BitVec]


def smaller(order: Order, one: BitVec, other: BitVec) -> BitVec:
    return ite(order(one, other), one, other)


def larger(order: Order, one: BitVec, other: BitVec) -> BitVec:
    return ite(order(one, other), other, one)


WORDS = st.tuples(*[st.integers(0, 255)] * 3)


@given(
    values=st.tuples(
        WORDS, st.sampled_from([slt, ult]), st.sampled_from([slt, ult]), st.sampled_from([smaller, larger])
    ),
    swapped=st.booleans(),
    denied=st.booleans(),
)
def test_a_guard_bounds_by_each_word_of_which_it_has_the_least(
    values: tuple[tuple[int, ...], Order, Order, Extreme], swapped: bool, denied: bool
) -> None:
    numbers, order, own, extreme = values
    state: dict[Term, int] = dict(zip((NOW, FIRST, MOST), numbers, strict=True))
    both = NOW, extreme(own, FIRST, MOST)
    guard = order(*(both[::-1] if swapped else both))
    guard = neg(guard) if denied else guard
    assume(evaluate(guard, state))
    found = [*comparisons([guard])]
    fits = own is order and (extreme is smaller) != (swapped != denied)
    assert len(found) == (2 if fits else 1)
    for word, bound, more, bits in found:
        one, most = (evaluate(each, state) for each in (word, bound))
        one, most = (signed_value(each, 8) if bits == 7 else each for each in (one, most))
        assert one <= most + more


def test_what_only_the_last_iteration_says_bounds_nothing() -> None:
    """for (i = 5; i != last; i++) if (i < most) …: also where i has wrapped, and is less than 5."""
    guard = frozenset((LANE, OTHER, ult(NOW, MOST)))
    assert counters(const(1, 8), guard, frozenset((ult(NOW, MOST),))).bounded()
    assert not counters(const(1, 8), guard, frozenset((OTHER,))).bounded()


def test_an_element_of_a_lane_that_may_have_left_is_no_counter() -> None:
    guard = frozenset((OTHER, ult(NOW, MOST)))
    assert not counters(const(1, 8), guard, frozenset((ult(NOW, MOST),))).bounded()


@pytest.mark.parametrize(("wide", "enough"), [(255, True), (256, False)])
def test_the_next_sum_must_not_wrap_either(wide: int, enough: bool) -> None:
    """Below 256 in 16 bits, a counter of 8 bits wraps to 0, and goes on below what it was first."""
    compared = ult(zero_extend(NOW, 16), WIDE)
    (bounded,) = counters(const(1, 8), frozenset((LANE, compared)), frozenset((compared,))).bounded().values()
    names = {"first": 5, "wide": wide}
    largest = value(bounded.most, names)
    assert holds(bounded.limits, {**names, "loop 0": largest}) == enough


# ------------------------------------------------------------ kernels


def asked(capsys: pytest.CaptureFixture[str], kernel: str, *options: str) -> list[dict[str, object]]:
    launch = ("--launch", str(LAUNCH.get(kernel, DATA / "counters.ze_info")), "--format", "json", "--cache-mode", "off")
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *launch, *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages"]


def named(messages: Sequence[dict[str, object]]) -> dict[str, str]:
    """The size of each buffer."""
    found: dict[str, str] = {}
    for one in messages:
        match one:
            case {"surface": str(surface), "inside_if": {"bytes": str(size)}}:
                found[surface] = size
            case _:
                pass
    return found


def test_numbers_of_a_type_with_a_name_of_its_own_are_read_signed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Compilers do not say what a typedef stands for; a float of one has a name in no address."""
    text = LAUNCH["long_stride"].read_text()
    assert text.count("'long;8'") == 2
    (launch := tmp_path / "typedef.ze_info").write_text(text.replace("'long;8'", "'index_t;8'"))
    main(["bounds", str(DATA / "long_stride.visaasm"), "--launch", str(launch), "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert named(file["messages"]) == SIZES["long_stride"]
    assert {"n >= 0", "offset >= 0"} <= set(file["messages"][0]["inside_if"]["where"])


def counted(size: str) -> Polynomial | None:
    """Whatever the order of its factors."""
    return polynomial(parse_expression(size, "--size"))


def verdicts(messages: Sequence[dict[str, object]]) -> set[object]:
    return {bounds["verdict"] for one in messages if isinstance(bounds := one["bounds"], dict)}


@pytest.mark.slow
@pytest.mark.parametrize("kernel", SIZES)
def test_what_is_named_suffices(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = named(asked(capsys, kernel))
    assert {name: counted(size) for name, size in sizes.items()} == {
        name: counted(size) for name, size in SIZES[kernel].items()
    }
    options = [word for name, size in SIZES[kernel].items() for word in ("--size", f"{name}={size}")]
    options += [word for size in SIZES[kernel].values() for word in ("--where", f"{size} <= 4294967296")]
    options += [word for relation in SIGNED.get(kernel, ()) for word in ("--where", relation)]
    assert verdicts(asked(capsys, kernel, *options)) == {"proved"}


LAUNCHES = [
    ("grid_stride", (8, 1), {"n": 29}),
    ("grid_stride", (64, 1), {"n": 7}),
    ("product", (12, 3), {"k": 9, "n": 7}),
    ("product", (4, 2), {"k": 8, "n": 4}),
    ("left_early", (4, 1), {"n": 9, "m": 3}),
    ("long_stride", (4, 1), {"n": 30, "offset": 12}),
    ("blocks_of_rows", (256, 1), {"n": 600, "size": 700}),
    ("left_early", (8, 1), {"n": 7, "m": 8}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "items", "arguments"), LAUNCHES)
@pytest.mark.parametrize("less", [0, 4])
def test_launches_stay_inside_what_is_named(
    kernel: str, items: tuple[int, int], arguments: dict[str, int], less: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """With buffers of exactly that size; in buffers that are smaller some reach the end."""
    names = {**arguments, "global_size_x": items[0], "global_size_y": items[1]}
    sizes = {name: eval(size, {}, names) - less for name, size in SIZES[kernel].items()}
    options = [word for name, number in arguments.items() for word in ("--arg", f"{name}={number}")]
    options += [word for name, size in sizes.items() for word in ("--buffer", f"{name}=zeros:{size}")]
    launch = ["--launch", str(LAUNCH.get(kernel, DATA / "counters.ze_info")), "--global-size", f"{items[0]},{items[1]}"]
    groups = ("--local-size", f"{items[0]},1", "--engine", "scalar")
    main(["run", str(DATA / f"{kernel}.visaasm"), *launch, *options, *groups])
    written = capsys.readouterr().out
    assert "ran to the end" in written
    assert ("outside of it" in written) == bool(less)


@pytest.mark.slow
def test_without_that_net_a_size_would_be_named_where_the_counter_wraps(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At i = 0 the address is 4·(2^32 − 5 + x)."""
    assert not named(asked(capsys, "wrapped"))
    monkeypatch.setattr(CountedLoop, "held", lambda _, guard: guard)
    assert named(asked(capsys, "wrapped")) == {"out": "4*n + 4*global_size_x"}


def are_long(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of the counters of the loops that are looked at, whether each is one of two halves."""
    found: list[bool] = []
    of = LoopCounters.of

    def noted(loops: Sequence[CountedLoop], *more: Any) -> LoopCounters:
        found.extend(one.word.op is Op.CONCAT for loop in loops for one in loop.counters)
        return of(loops, *more)

    monkeypatch.setattr(LoopCounters, "of", staticmethod(noted))
    return found


def test_halves_of_which_one_carries_are_a_counter(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    long = are_long(monkeypatch)
    (message,) = asked(capsys, "long_stride")
    assert any(long)
    match message:
        case {"inside_if": {"where": list(relations)}}:  # what 4*n bytes say of n is not said of the counter again
            assert not any("9223372036854775808" in one for one in cast(list[str], relations))
        case _:
            pytest.fail("no size")


@pytest.mark.parametrize(("amount", "most"), [({("n",): 4, (): 8}, {"n": 25}), ({("n",): 4, ("m",): -1}, {})])
def test_a_size_bounds_what_it_counts_if_nothing_is_subtracted(amount: Polynomial, most: dict[str, int]) -> None:
    assert most_of_each(amount, 100) == most


@pytest.mark.slow
@pytest.mark.parametrize(
    "high",
    [
        r"mov (M\1, 8) V0063(\2,0)<1> 0xffffffff:d",  # less than n for ever
        r"add3 (M\1, 8) V0063(\2,0)<1> \3<1;1,0> V0063(\2,0)<1;1,0> V0063(\2,0)<1;1,0>",  # doubled
    ],
)
def test_halves_are_no_counter_where_the_high_one_is_not_what_carries(
    high: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    carried = re.compile(r"add3 \(M(\d), 8\) V0063\((\d),0\)<1> (V\d+\(0,0\)).*")
    text, lost = carried.subn(high, (DATA / "long_stride.visaasm").read_text())
    assert lost == 2
    long = are_long(monkeypatch)
    (path := tmp_path / "long_stride.visaasm").write_text(text)
    main(["bounds", str(path), "--launch", str(LAUNCH["long_stride"]), "--format", "json", "--cache-mode", "off"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert [one["inside_if"] for one in file["messages"]] == [None]
    assert long
    assert not any(long)


# ------------------------------------------------------------ shared local memory


@pytest.mark.slow
@pytest.mark.parametrize(("bound", "verdict"), [("0x100:d", "proved"), ("0x101:d", "refuted")])
def test_a_table_that_a_group_fills_in_strides_is_proved(
    bound: str, verdict: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For any local size: of the loop a solver knows only the iterations that were unrolled."""
    path = tmp_path / "histogram.visaasm"
    path.write_text((DATA / "histogram.visaasm").read_text().replace("0x100:d ", f"{bound} "))
    main(["bounds", str(path), "--launch", str(DATA / "histogram.ze_info"), "--format", "json", "--cache-mode", "off"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    tables = [one for one in file["messages"] if ".slm" in one["instruction"] and "atomic" not in one["instruction"]]
    assert [one["bounds"]["verdict"] for one in tables] == [verdict] * 2


def test_a_comparison_does_not_show_that_its_own_sum_does_not_wrap() -> None:
    """first + 5 < most, as signed numbers, holds of one that has wrapped; first + 4 < most says that it has not."""
    own, before = (slt(add(FIRST, const(more, 8)), MOST) for more in (5, 4))
    total: Polynomial = {("first",): 1, (): 5}
    for guard, shown in (((own,), False), ((own, before), True)):
        found = LoopCounters.of([], frozenset(guard), FIRST, ATOMS, {})
        assert found.compared(total)
        assert bool(found.compared(total, less=True)) == shown


@pytest.mark.parametrize(
    ("one", "least", "needed"),
    [
        ({("n",): 1, (): -1}, {}, {"n": 1}),
        ({("n",): 1, (): -1}, {"n": 1}, {}),
        ({("n",): 1, (): -1, ("m",): 64}, {}, {"n": 1}),  # m is how far an iteration goes
        ({("n",): 1, (): -65, ("m",): 64}, {}, {"m": 1, "n": 1}),
        ({("n", "s"): 1, ("s",): -1, ("w",): 4, (): -1}, {}, {"n": 1, "w": 1}),
        ({("n",): 1, (): -2}, {}, {"n": 2}),
        ({("n",): 3, (): -7, ("s", "w"): 1}, {}, {"n": 3}),
        ({("n",): 3, (): -7}, {"n": 2}, {"n": 3}),
        ({("n",): 1, ("m",): 1, (): -5}, {}, {}),  # either of them
        ({("n", "m"): 1, (): -5}, {}, {}),
        ({("n",): 1, ("m",): -1}, {}, {}),
        ({("x",): 1, (): -1}, {}, {}),  # no argument
    ],
)
def test_as_few_arguments_as_it_takes_are_needed(
    one: Polynomial, least: dict[str, int], needed: dict[str, int]
) -> None:
    assert needed_least(one, least, ("n", "m", "s", "w")) == needed


def test_a_step_may_be_an_argument(capsys: pytest.CaptureFixture[str]) -> None:
    launch = ("--launch", str(DATA.parent / "decided" / "decided.ze_info"), "--format", "json", "--limit", "300")
    main(["bounds", str(DATA.parent / "decided" / "stepped.visaasm"), *launch])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    for one in (each["inside_if"] for each in file["messages"] if each["surface"] == "in"):
        assert one["bytes"] == "4*total"
        assert {"total >= 1", "groups >= 0"} < {*one["where"]}
        assert any(relation.startswith("total + 320*groups <=") for relation in one["where"])
