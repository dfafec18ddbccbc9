"""Which barriers and fences of two kernels stand for each other: the places at which other threads may take part.

Barriers, and the iterations of loops that stand for others, have to be the same in both, in kind, number and order; a
barrier is a signal with its wait where nothing stands between them.  A fence of the source needs one in the target that
is at least as strong, between the same barriers, unless it orders nothing: because on one side of it is nothing that
others see, or because one beside it orders the same.  The target may have others.

At each pair memory is cut: what is accessed before it in one kernel is accessed before it in the other.  For a fence,
which names some memory alone, that may be more than it asks for, and is never less.
"""

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from msgspec.structs import replace

from visaproof.decode.synchronisation import SIGNAL, WAIT, WHOLE, Fence, Memory, Synchronised, is_known
from visaproof.isa.errors import NotModelled
from visaproof.machine.symbolic.course import MarkKind, course
from visaproof.refinement.effects.fences import (
    Moments,
    are_likened,
    are_narrowed,
    is_atomic,
    is_covered,
    is_for_group,
    is_for_the_compiler_alone,
    is_seen,
    memories,
    orders_something,
    samples,
    stands_for,
)
from visaproof.refinement.effects.side import Matched, Side
from visaproof.smt import is_true

Events = tuple[Synchronised, ...]

ROUNDS = {MarkKind.ROUND: "an iteration begins", MarkKind.BEHIND: "a loop ends"}


class Unlike(NotModelled):
    """Barriers or fences of the source for which the target has none that stand for them."""

    def __init__(self, what: str, source: Side, target: Side, wrong: bool = False) -> None:
        super().__init__(what)
        self.events: tuple[Events, Events] = source.trace.events, target.trace.events
        self.wrong = wrong
        """Whether the target does something else wherever a group has several threads."""


class _Step(NamedTuple):
    """A barrier, or where an iteration begins or ends: both kernels have to come to it."""

    what: str
    place: int
    """How many messages come before it."""
    seen: int
    """How many of these others see."""
    events: Events
    """The barrier; the signal and the wait where nothing stands between."""


class _Fences(NamedTuple):
    """Fences with nothing between them that others see."""

    steps: int
    """How many steps come before."""
    place: int
    seen: int
    events: Events


class _Course(NamedTuple):
    """What a kernel comes to, in order."""

    side: Side
    steps: list[_Step]
    fences: list[_Fences]
    reached: list[Memory]
    """What the messages reach that others see."""


_Pair = tuple[_Fences, _Fences]


def synchronised(source: Side, target: Side) -> tuple[Side, Side]:
    """Both kernels with what stands for each other.  Raises Unlike where something is missing.

    Where the target has further barriers, others may come between any two messages.
    """
    if source.unwritten != target.unwritten:
        unwritten = source.unwritten & target.unwritten
        source, target = replace(source, unwritten=unwritten), replace(target, unwritten=unwritten)
    one = _course(source, all_fences=False)
    other = _course(target, all_fences=True)
    alike = [step.what for step in one.steps] == [step.what for step in other.steps]
    steps = list(zip(one.steps, other.steps, strict=True)) if alike else _beside_more(one, other)
    fences = _in_segments(one, other) if alike else _at_places(one, other)
    events = [(mine, theirs) for a, b in steps for mine, theirs in zip(_ends(a), _ends(b), strict=True)]
    atomics = _atomics(source, target) if alike else []
    places = sorted([*((a.place, b.place) for a, b in (*steps, *fences) if a.events), *atomics])
    cuts = [both for both in places if any(both)]  # before the first message there is nothing to cut off
    for mine, theirs in fences:
        events += [(fence, _counterpart(fence, theirs, one, other)) for fence in mine.events]
    devices = source.platform, target.platform
    likened = any(are_likened(one.event, other.event, devices) for one, other in events)
    narrowed = any(are_narrowed(one.event, other.event) for one, other in events)
    matched = [
        Matched(tuple(cut[at] for cut in cuts), tuple(pair[at] for pair in events), likened, narrowed, len(atomics))
        for at in (0, 1)
    ]
    found = replace(source, disturbed=not alike, matched=matched[0])
    return found, found if target is source else replace(target, disturbed=not alike, matched=matched[1])


def _atomics(source: Side, target: Side) -> list[tuple[int, int]]:
    """The messages of atomics of both, if there are as many: no pages say that plain accesses may cross one.

    Of those of several threads, or of fewer lanes each, none stands for one of the other kernel.
    """
    places = [[place for place, one in enumerate(side.trace.performed) if is_atomic(one)] for side in (source, target)]
    alike = len(places[0]) == len(places[1]) and not source.threads and not target.threads
    return list(zip(*places, strict=True)) if alike else []


def _ends(step: _Step) -> Events:
    """The signal of a barrier and its wait, which may be one statement."""
    return (step.events[0], step.events[-1]) if step.events else ()


# ---------------------------------------------------------------- what a kernel comes to


def _course(side: Side, all_fences: bool) -> _Course:
    """The steps and the fences, those that another one covers left out, and on request those that order nothing."""
    before = [0]
    for one in side.trace.performed:
        before.append(before[-1] + is_seen(side, one))
    reached, marks = memories(side), course(side.trace)
    moments = [
        (before[mark.before], side.trace.events[mark.which] if mark.kind is MarkKind.EVENT else None) for mark in marks
    ]
    found = _Course(side, [], [], reached)
    for place, (mark, (seen, event)) in enumerate(zip(marks, moments, strict=True)):
        if event is None or not isinstance(event.event, Fence):
            what = ROUNDS[mark.kind] if event is None else str(event.event)
            _add_step(found, _Step(what, mark.before, seen, () if event is None else (event,)))
        elif (samples(side) or not is_covered(place, moments)) and (  # a read through the sampler may stand anywhere
            all_fences or _is_needed(side, event.event, place, moments, reached)
        ):
            _add_fence(found, _Fences(len(found.steps), mark.before, seen, (event,)))
    return found


def _is_needed(side: Side, fence: Fence, place: int, moments: Moments, reached: Sequence[Memory]) -> bool:
    if is_for_the_compiler_alone(place, moments):
        return False
    anywhere = bool(side.trace.loops) or samples(side)  # an iteration comes before others, and behind them
    return anywhere or orders_something(fence, moments[place][0], reached, moments)


def _add_step(found: _Course, step: _Step) -> None:
    """Takes in a step; a wait after its signal is a barrier."""
    last = found.steps[-1] if found.steps else None
    if last is not None and (last.what, step.what) == (str(SIGNAL), str(WAIT)) and last.seen == step.seen:
        between = found.fences and found.fences[-1].steps == len(found.steps)
        if not between and last.events[0].guard is step.events[0].guard:
            found.steps[-1] = _Step(str(WHOLE), last.place, last.seen, (*last.events, *step.events))
            return
    found.steps.append(step)


def _add_fence(found: _Course, fence: _Fences) -> None:
    last = found.fences[-1] if found.fences else None
    if last is not None and (last.steps, last.seen) == (fence.steps, fence.seen):
        found.fences[-1] = last._replace(events=(*last.events, *fence.events))
    else:
        found.fences.append(fence)


# ---------------------------------------------------------------- barriers


def _beside_more(one: _Course, other: _Course) -> list[tuple[_Step, _Step]]:
    """The barriers of the source, each with the target's between the same messages; the target's others are whole."""
    remaining, found = list(other.steps), list[tuple[_Step, _Step]]()
    inside = False
    for step in one.steps:
        while remaining and (remaining[0].what, remaining[0].seen) != (step.what, step.seen):
            if remaining[0].what != str(WHOLE) or inside:
                raise _unlike_steps(one, other)
            del remaining[0]
        if not remaining:
            raise _unlike_steps(one, other)
        found.append((step, remaining.pop(0)))
        inside = step.what == str(SIGNAL)
    if inside or any(step.what != str(WHOLE) for step in remaining):
        raise _unlike_steps(one, other)
    return found


def _unlike_steps(one: _Course, other: _Course) -> Unlike:
    """The first barrier that is not the same."""
    for mine, theirs in zip(one.steps, other.steps, strict=False):
        if mine.what != theirs.what:
            return _unlike(one, other, f"{_said(mine)} in the source, {_said(theirs)} in the target", mine)
    if len(one.steps) > len(other.steps):
        lacking = one.steps[len(other.steps)]
        return _unlike(one, other, f"nothing in the target stands for {_said(lacking)} of the source", lacking)
    if len(other.steps) > len(one.steps):
        more = other.steps[len(one.steps)]
        return _unlike(one, other, f"nothing in the source stands for {_said(more)} of the target", None)
    return _unlike(one, other, "barriers that stand between other messages", None)


def _said(step: _Step) -> str:
    return f"{step.what} at {step.events[0].position}" if step.events else step.what


def _unlike(one: _Course, other: _Course, what: str, first: _Step | None) -> Unlike:
    return Unlike(f"other barriers: {what}", one.side, other.side, _is_wrong(one, other, first))


def _is_wrong(one: _Course, other: _Course, first: _Step | None) -> bool:
    """Whether every run comes to these barriers, and the target's are ill-formed or lack one that orders something."""
    for each in (one, other):
        trace = each.side.trace
        plain = all(is_true(event.guard) and is_known(event.event) for event in trace.events)
        if trace.loops or trace.bounded or trace.stopped is not None or not plain:
            return False
    if _halves(one) == _halves(other):  # something stands between a signal and its wait
        return False
    if _is_well_formed(one.steps) and not _is_well_formed(other.steps):
        return True
    return first is not None and bool(first.events) and 0 < first.seen < len(one.reached)


def _halves(each: _Course) -> list[str]:
    """The barriers, each as a signal and a wait."""
    whole, halves = str(WHOLE), [str(SIGNAL), str(WAIT)]
    return [half for step in each.steps for half in (halves if step.what == whole else [step.what])]


def _is_well_formed(steps: Sequence[_Step]) -> bool:
    """Whether each signal has its wait before the next one comes."""
    signalled = False
    for step in steps:
        if step.what in (str(SIGNAL), str(WHOLE)) and signalled:
            return False
        if step.what == str(WAIT) and not signalled:
            return False
        signalled = step.what == str(SIGNAL) or (signalled and step.what != str(WAIT))
    return not signalled


# ---------------------------------------------------------------- fences


def _in_segments(one: _Course, other: _Course) -> list[_Pair]:
    """For the fences of the source those of the target between the same two steps, in order."""
    found: list[_Pair] = []
    for steps in dict.fromkeys(each.steps for each in one.fences):
        mine = [each for each in one.fences if each.steps == steps]
        theirs = [each for each in other.fences if each.steps == steps]
        start = [each.steps[steps - 1].seen if steps else 0 for each in (one, other)]
        pairs = _closest(mine, theirs, (start[0], start[1]), one, other)
        if pairs is None:
            raise _lacking(mine, theirs, one, other)
        found += pairs
    return found


def _closest(
    mine: Sequence[_Fences], theirs: Sequence[_Fences], start: tuple[int, int], one: _Course, other: _Course
) -> list[_Pair] | None:
    """Pairs in order in which the target's stand for the source's, with the most equal numbers of messages between."""
    best: list[tuple[int, list[_Pair]] | None] = [(0, [])] * (len(theirs) + 1)
    for fences in mine:
        ahead: list[tuple[int, list[_Pair]] | None] = [None] * (len(theirs) + 1)
        for place, others in enumerate(theirs):
            choices = [ahead[place]] if ahead[place] is not None else []
            before = best[place]
            if before is not None and _stand_for(others, fences, one, other):
                apart = abs((fences.seen - start[0]) - (others.seen - start[1]))
                choices.append((before[0] + apart, [*before[1], (fences, others)]))
            ahead[place + 1] = min((each for each in choices if each is not None), key=itemgetter(0), default=None)
        best = ahead
    return None if best[-1] is None else best[-1][1]


def _at_places(one: _Course, other: _Course) -> list[_Pair]:
    """For the fences of the source those of the target between the same messages."""
    found: list[_Pair] = []
    for fences in one.fences:
        there = [each for each in other.fences if each.seen == fences.seen and _stand_for(each, fences, one, other)]
        if not there:
            raise _lacking([fences], other.fences, one, other)
        found.append((fences, there[0]))
    return found


def _stand_for(theirs: _Fences, mine: _Fences, one: _Course, other: _Course) -> bool:
    return all(any(True for _ in _counterparts(fence, theirs, one, other)) for fence in mine.events)


def _counterparts(fence: Synchronised, theirs: _Fences, one: _Course, other: _Course) -> Iterator[Synchronised]:
    """The target's fences at one place that stand for one of the source's."""
    devices = one.side.platform, other.side.platform
    reached, for_group = frozenset(one.reached), is_for_group(fence, one.side, other.side)
    for each in theirs.events:
        match fence.event, each.event:
            case Fence() as mine, Fence() as found if stands_for(found, mine, reached, devices, for_group):
                yield each
            case _:
                pass


def _counterpart(fence: Synchronised, theirs: _Fences, one: _Course, other: _Course) -> Synchronised:
    """The one that is compared: one that is reached always, or under the same condition, if there is one."""
    found = list(_counterparts(fence, theirs, one, other))
    return next((each for each in found if is_true(each.guard)), found[0])


def _lacking(mine: Sequence[_Fences], theirs: Sequence[_Fences], one: _Course, other: _Course) -> Unlike:
    """The first fence that none of the target's stands for, or too few do."""
    for fences in mine:
        for fence in fences.events:
            if not any(True for each in theirs for _ in _counterparts(fence, each, one, other)):
                weaker = [f"{each.event} at {each.position}" for group in theirs for each in group.events]
                beside = f"; there is {', '.join(weaker[:3])}" if weaker else ""
                what = f"no fence of the target stands for {fence.event} at {fence.position}{beside}"
                return Unlike(what, one.side, other.side)
    first = mine[0].events[0]
    what = f"fewer fences in the target, or others, than those from {first.event} at {first.position} on"
    return Unlike(what, one.side, other.side)
