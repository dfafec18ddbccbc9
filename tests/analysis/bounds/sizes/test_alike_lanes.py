"""Lanes that differ in their ids alone are looked at together: what is found is what is found of each alone."""

from collections.abc import Iterable, Iterator
from dataclasses import replace as with_fields
from itertools import cycle
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kernel import BoundsAnswers
from visaproof.analysis.bounds.sizes import at_ends
from visaproof.analysis.bounds.sizes.alike_lanes import Alike, AlikeLanes, OfLanes
from visaproof.analysis.bounds.sizes.elements import address_of
from visaproof.analysis.bounds.sizes.launch_integers import LaunchIntegers
from visaproof.analysis.bounds.sizes.reached import Accessed, Reached, outermost
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.checking.stages import literals
from visaproof.isa.errors import LimitReached
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import read_launch
from visaproof.launch.relations.element_names import NOTHING_LOADED, Loaded
from visaproof.machine.symbolic.loops.came_back import CountedLoop
from visaproof.semantics.symbolic.value_names import LoadedValue, OpenValue
from visaproof.smt import BitVec, add, bool_symbol, conj, const, disj, substitute, symbol, true, ult, zero_extend
from visaproof.visaasm.reader import read_kernel

DATA = Path(__file__).parents[3] / "data" / "ends"
KERNELS = ("strided", "volume", "enqueued")
NUMBERED = "rows"
"""Each lane of a sub-group begins at its number, in a loop."""


def answers(name: str) -> BoundsAnswers:
    path = DATA / f"{name}.visaasm"
    kernel = read_kernel(path.read_text(), str(path))
    launch = read_launch(DATA / "ends.ze_info", kernel)
    return ask_bounds(kernel, Platform.DG2, launch, Assume.LAUNCH, StatedLaunch(align=4), 5_000)


def accesses_of(found: BoundsAnswers) -> list[Accessed]:
    return [(one, doubt, address_of(one, doubt.access)) for one in found.questions for doubt in one.outside]


def lanes_of(found: BoundsAnswers) -> AlikeLanes:
    launched = found.start.group.launched
    assert launched is not None
    return AlikeLanes(LaunchIntegers(found.sizes.names, launched))


def reached(found: BoundsAnswers, questions: slice = slice(None)) -> list[Reached]:
    ends = at_ends.Ends(found.sizes.names, found.sizes.ends.excluded, found.asked.trace.counted)
    asked = found.questions[questions]
    zeros = found.sizes.offsets(asked[0].surfaces[0])
    accesses = [one for one in accesses_of(found) if one[0] in asked]
    some = ends.reached(accesses, found.sizes.names.of_arguments(), zeros)
    assert some is not None
    return some


@pytest.mark.parametrize("name", KERNELS)
def test_lanes_together_reach_as_far_as_each_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answers(name)
    together = reached(found)

    def alone(_: AlikeLanes, accesses: list[Accessed]) -> Iterator[Alike]:
        return (Alike(None, [one]) for one in accesses)

    monkeypatch.setattr(AlikeLanes, "groups", alone)
    each = reached(found)
    assert len({*map(id, together)}) < len(each) == len(accesses_of(found))
    assert together == each


@pytest.mark.parametrize("excludes", [True, False])
def test_what_a_solver_says_of_one_lane_is_not_said_of_others(excludes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is looked at then; where the solver was of no use, one is looked at for all."""
    found = answers("volume")
    far, lanes = reached(found)[0], lanes_of(found)
    group = next(one for one in lanes.groups(accesses_of(found)) if len(one.accesses) > 1)

    def asked(one: at_ends.Largest, _: object) -> Reached:
        assert one.message.is_excluded(one.question, bool_symbol("said")) == excludes
        return far

    monkeypatch.setattr(at_ends.Largest, "reached", asked)
    message = OfLanes(lanes.integers, lanes, lambda *_: excludes, lambda _: False, (), (), ())
    assert at_ends._of_any_ids(message, group) == (None if excludes else far)


@pytest.mark.parametrize(
    ("of_ways", "agrees"), [((0, 0), True), ((0, 1), False), ((0, None), False), ((None, 0), False)]
)
def test_what_is_read_in_one_way_or_another_ends_where_it_does_in_each(
    of_ways: tuple[int | None, ...], agrees: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the guard as a whole nothing is known."""
    found = answers("volume")
    ends, lanes, ways = reached(found)[:2], lanes_of(found), [bool_symbol("first"), bool_symbol("second")]
    ends[1] = replace(ends[0], end={(): 4})
    of_way = {way: None if place is None else ends[place] for way, place in zip(ways, of_ways, strict=True)}

    def asked(one: at_ends.Largest, _: object) -> Reached | None:
        return of_way.get(one.doubt.access.guard)

    monkeypatch.setattr(at_ends.Largest, "reached", asked)
    question, doubt, address = accesses_of(found)[0]
    doubt = replace(doubt, access=replace(doubt.access, guard=disj(*ways)))
    message = OfLanes(lanes.integers, lanes, lambda *_: False, lambda _: False, (), (), ())
    assert at_ends._of_each_way(message, question, doubt, address) == (ends[0] if agrees else None)


@pytest.mark.parametrize("name", KERNELS)
def test_a_lane_under_another_guard_is_apart(name: str) -> None:
    found = answers(name)
    accesses = accesses_of(found)
    groups = [*lanes_of(found).groups(accesses)]
    assert len(groups) < len(accesses)
    question, doubt, address = accesses[1]
    more = replace(doubt, access=replace(doubt.access, guard=conj(doubt.access.guard, bool_symbol("more"))))
    changed = [accesses[0], (question, more, address), *accesses[2:]]
    assert len([*lanes_of(found).groups(changed)]) == len(groups) + 1
    further = zero_extend(add(address, const(4, address.width)), address.width)
    changed = [accesses[0], (question, doubt, further), *accesses[2:]]
    assert len([*lanes_of(found).groups(changed)]) == len(groups) + 1


def groups_with(words: Iterable[BitVec], loaded: Loaded = NOTHING_LOADED, *, twice: bool = False) -> int:
    """How many accesses there are, if each goes as much further as one of these words says, or is guarded by one."""
    found = answers("volume")
    launched = found.start.group.launched
    assert launched is not None
    changed: list[Accessed] = []
    for (question, doubt, address), word in zip(accesses_of(found), cycle(words), strict=False):
        further = add(address, zero_extend(word, address.width))
        said = conj(doubt.access.guard, ult(word, const(9, 32)) if twice else true())
        changed.append((question, replace(doubt, access=replace(doubt.access, guard=said)), further))
    names = with_fields(found.sizes.names, loaded=loaded)
    return len([*AlikeLanes(LaunchIntegers(names, launched)).groups(changed)])


def loads(several: int) -> list[BitVec]:
    return [symbol(LoadedValue("", str(number)), 32) for number in range(several)]


def left_open(several: int) -> list[BitVec]:
    return [symbol(OpenValue("", str(number)), 32) for number in range(several)]


def test_what_is_loaded_for_all_lanes_leaves_them_alike() -> None:
    """What each lane loads for itself makes an access of its own, unless it is an element of one buffer."""
    found = answers("volume")
    accesses = accesses_of(found)
    alike, words = len([*lanes_of(found).groups(accesses)]), loads(len(accesses))
    assert groups_with(words[:1]) == alike < len(accesses)
    assert groups_with(words) == len(accesses)
    assert groups_with(words, {0: words}) == alike
    assert groups_with(words, {0: words[::2], 1: words[1::2]}) == 2 * alike


@pytest.mark.parametrize("twice", [False, True])
def test_values_left_open_for_each_lane_leave_them_alike(twice: bool) -> None:
    accesses = accesses_of(answers("volume"))
    one, every = (groups_with(left_open(several), twice=twice) for several in (1, len(accesses)))
    assert one == every < len(accesses)


def test_a_value_left_open_is_no_element_of_a_buffer() -> None:
    """Of which the largest is known: that bounds what it stands for in another lane, too."""
    words = [word for both in zip(left_open(99), loads(99), strict=True) for word in both]
    assert groups_with(words, {0: words[1::2]}) == 2 * groups_with(words[:1])
    assert groups_with(words[::2], {0: words[::4]}) == 2 * groups_with(words[:1])


def test_guards_that_say_the_same_in_another_order_are_alike() -> None:
    found = answers("volume")
    accesses = accesses_of(found)
    more = [bool_symbol(name) for name in ("more", "and more")]

    def said(turned: bool) -> int:
        changed: list[Accessed] = []
        for place, (question, doubt, address) in enumerate(accesses):
            own = reversed(more) if turned and place % 2 else more
            access = replace(doubt.access, guard=conj(*own, doubt.access.guard))
            changed.append((question, replace(doubt, access=access), address))
        return len([*lanes_of(found).groups(changed)])

    assert said(turned=True) == said(turned=False) == len([*lanes_of(found).groups(accesses)])


def test_a_lane_that_is_not_said_to_be_on_is_alone() -> None:
    found = answers("volume")
    question, doubt, address = accesses_of(found)[0]
    off = replace(doubt, access=replace(doubt.access, guard=bool_symbol("more")))
    assert [one.of_any for one in lanes_of(found).groups([(question, off, address)])] == [None]


@given(st.lists(st.integers(-(1 << 31), (1 << 31) - 1), min_size=1, max_size=6), st.integers(0, (1 << 32) - 1))
def test_an_access_between_two_others_is_inside_where_they_are(constants: list[int], base: int) -> None:
    """Of integers: those that no constant makes wrap, as it is asked of the first and of the last."""
    question, doubt, _ = accesses_of(_volume())[0]
    total = add(symbol("e", 32), symbol("f", 32))
    addresses = [zero_extend(add(total, const(one % (1 << 32), 32)), 64) for one in constants]
    left = {address for _, _, address in outermost([(question, doubt, address) for address in addresses])}
    first, last = min(constants), max(constants)
    assert left == {addresses[constants.index(first)], addresses[constants.index(last)]}
    if base + first >= 0 and base + last < 1 << 32:
        assert all(base + first <= (base + one) % (1 << 32) <= base + last for one in constants)


_KEPT: list[BoundsAnswers] = []


def _volume() -> BoundsAnswers:
    _KEPT.extend([] if _KEPT else [answers("volume")])
    return _KEPT[0]


def test_lanes_that_begin_at_their_numbers_are_looked_at_together() -> None:
    """But for the first one, of which 0 < n is n != 0."""
    found = answers(NUMBERED)
    lanes = AlikeLanes(lanes_of(found).integers, found.asked.trace.counted)
    for question in found.questions:
        groups = [*lanes.groups([one for one in accesses_of(found) if one[0] is question])]
        assert {16 - len(group.lanes) for group in groups} <= {0, 1, 15}
    sizes = [one.enough.size for one in found.answers() if one.enough is not None and one.enough.size is not None]
    assert [(one.surface, str(one.amount)) for one in sizes] == [
        ("a", "4*n + 4*pitch*global_size_x - 4*pitch"),
        ("o", "64*global_size_x"),
    ]


@pytest.mark.parametrize("values", [(200, 0, 1), (200, 7, 5), (200, 300, 2)])
@pytest.mark.parametrize("message", [slice(None, -1), slice(-1, None)])
def test_no_lane_reaches_further_alone_than_together(
    message: slice, values: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loads where all of them come to each iteration that was unrolled, and the store."""
    found = answers(NUMBERED)
    names: dict[str, int] = dict(zip(["n", "pitch", "global_size_x"], values, strict=True))

    def ends() -> list[int]:
        each = [one.end for one in reached(found, message)]
        return [sum(count * prod(names[name] for name in part) for part, count in end.items()) for end in each]

    together = ends()
    monkeypatch.setattr(at_ends, "_of_any_ids", lambda *_: None)
    alone = ends()
    assert alone != together
    assert all(one <= other for one, other in zip(alone, together, strict=True))


def test_a_number_is_as_large_as_that_of_the_last_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    found = answers(NUMBERED)
    lanes = AlikeLanes(lanes_of(found).integers, found.asked.trace.counted)
    stores = [one for one in accesses_of(found) if one[0] is found.questions[-1]]
    (group,) = lanes.groups(stores[3:9])
    whole = lanes.any_lane(group)
    assert whole is not None
    assert whole.last_lane == 8
    assert substitute(whole.access[2], whole.own) is stores[3][2]


@pytest.mark.parametrize("changed", ["address", "counter", "held"])
def test_a_lane_of_which_something_else_is_known_is_apart(changed: str) -> None:
    """Another place, another step of its counter, or nothing of the iterations before."""
    found = answers(NUMBERED)
    counted = found.asked.trace.counted
    question = found.questions[-2]  # of the load, in any later iteration
    accesses = [one for one in accesses_of(found) if one[0] is question][1:]
    of_lane = dict[str, tuple[CountedLoop, ...]]()
    (one, *_), (_, doubt, address), *_ = counted, accesses[2]
    own = {counter for counter in one.counters if counter.lane in {*literals(doubt.access.guard)}}
    faster = tuple(replace(each, step=const(1, each.step.width)) if each in own else each for each in one.counters)
    of_lane["counter"] = (replace(one, counters=faster), *counted[1:])
    goes_on = {lane: some for lane, some in one.goes_on.items() if lane not in {*literals(doubt.access.guard)}}
    of_lane["held"] = (replace(one, goes_on=goes_on), *counted[1:])
    if changed == "address":
        accesses[2] = question, doubt, zero_extend(add(address, const(4, address.width)), address.width)
    whole = AlikeLanes(lanes_of(found).integers, counted)
    assert [len(group.lanes) for group in whole.groups([*accesses[:2], *accesses[3:]])] == [14]
    parted = AlikeLanes(lanes_of(found).integers, of_lane.get(changed, counted))
    assert sorted(len(group.lanes) for group in parted.groups(accesses)) == [1, 14]


def test_only_what_held_before_is_said_of_the_iterations_before() -> None:
    found = answers(NUMBERED)
    (loop,) = found.asked.trace.counted
    lanes, more = AlikeLanes(lanes_of(found).integers, (loop,)), bool_symbol("in this one")
    accesses: list[Accessed] = []
    for question, doubt, address in accesses_of(found):
        if question is found.questions[-2]:
            guard = conj(doubt.access.guard, more)
            accesses.append((question, replace(doubt, access=replace(doubt.access, guard=guard)), address))
    (group,) = lanes.groups(accesses[3:9])
    whole = lanes.any_lane(group)
    assert whole is not None
    ((held,),) = (one.goes_on.values() for one in whole.counted)
    own = frozenset(literals(group.accesses[0][1].access.guard))
    assert more in own
    assert {substitute(one, whole.own) for one in held} == loop.held(own) != frozenset()


def test_what_was_found_when_the_time_ended_is_not_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    found = answers(NUMBERED)
    ends, times, asked = at_ends.Ends(found.sizes.names, found.sizes.ends.excluded), cycle([False, True]), list[int]()
    look = at_ends._of_each_way

    def late(*one: Any) -> Reached | None:
        asked.append(len(asked))
        if next(times):
            raise LimitReached(1)
        return look(*one)

    monkeypatch.setattr(at_ends, "_of_any_ids", lambda *_: None)
    monkeypatch.setattr(at_ends, "_of_each_way", late)
    accesses = accesses_of(found)[:16]
    for _ in accesses[1:]:
        with pytest.raises(LimitReached):
            ends.reached(accesses, [], ())
    assert ends.reached(accesses, [], ()) is not None
    assert len(asked) == 2 * len(accesses) - 1
