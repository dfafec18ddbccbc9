"""The symbolic runs of several threads as one run: one thread behind the other, from mark to mark.

A mark is a barrier, a fence, or the beginning or the end of an iteration of a loop that stands for others.  All threads
come to the same ones; in an iteration a thread that has left its loop does nothing.  Where no two threads race, every
other order of their messages leaves the same.

An event of a source may stand under conditions, of thread t under c(t):

    c = c(0) ∨ c(1) ∨ …        c  ⇒  all threads come to it,   for a barrier, as else those that do wait for ever
                               c  ⇒  some thread does, and it orders what that one does,   for a fence
                               ¬c ⇒  none does, and what is before it and after it may happen in any order

So the wide thread has to come to it where c holds.  A source of which some threads wait for ever does not end, and
nothing is asked of it.  One order is enough of a source, which is undefined where threads race.  That races across the
event are left out where c does not hold makes fewer of its runs undefined.  Of a target this would not do.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from visaproof.decode.synchronisation import SIGNAL, WAIT, WHOLE, Barrier, Synchronised
from visaproof.isa.errors import NotModelled
from visaproof.machine.symbolic.course import Mark, MarkKind, course
from visaproof.machine.symbolic.loops.iteration import Held, LoopIteration
from visaproof.machine.symbolic.loops.lane_marks import EVERY_LANE
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted
from visaproof.refinement.widths.wide_thread import Split
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.smt import Bool, disj, is_true

_FOR_ALL = (WHOLE, SIGNAL, WAIT)
"""The barriers of all threads of a group."""


class _Phase(NamedTuple):
    """What a thread does between two marks."""

    performed: Sequence[Performed]
    arbitrary: Sequence[Uninterpreted]
    first: int
    """How many values the thread left open before."""


class Merged(Struct, frozen=True):
    """One run of all threads."""

    trace: Trace
    threads: tuple[int, ...]
    """The thread of each message."""
    finders: tuple[int, ...]
    """The thread of each value that is left open."""


def merged(traces: Sequence[Trace], split: Split, comes: Sequence[Sequence[Bool]], *, conditional: bool) -> Merged:
    """One run of all threads, on request with `conditional` events; `comes` has when each comes to each.

    Raises NotModelled where threads do not come to the same marks.
    """
    _require_one_course(traces, conditional)
    performed: list[Performed] = []
    threads: list[int] = []
    arbitrary: list[Uninterpreted] = []
    finders: list[int] = []
    ends: list[int] = []
    for phase in zip(*(_phases(one) for one in traces), strict=True):
        for number, own in enumerate(phase):
            shift = len(arbitrary) - own.first
            performed += (replace(one, left_open=one.left_open + shift) for one in own.performed)
            threads += [number] * len(own.performed)
            arbitrary += own.arbitrary
            finders += [number] * len(own.arbitrary)
        ends.append(len(performed))
    at = {(mark.kind, mark.which): end for mark, end in zip(course(traces[0]), ends, strict=False)}
    loops = zip(*(one.loops for one in traces), strict=True)
    guards = [
        _of_some_thread(each, ways)
        for each, ways in zip(zip(*(one.events for one in traces), strict=True), zip(*comes, strict=True), strict=True)
    ]
    found = replace(
        traces[0],
        performed=tuple(performed),
        surfaces={key: surface for one in traces for key, surface in one.surfaces.items()},
        arbitrary=tuple(arbitrary),
        conditions=tuple(each for one in traces for each in one.conditions),
        bounded=tuple(each for one in traces for each in one.bounded),
        stopped=next((one.stopped for one in traces if one.stopped is not None), None),
        events=tuple(
            replace(one, before=at[MarkKind.EVENT, n], guard=guards[n]) for n, one in enumerate(traces[0].events)
        ),
        loops=tuple(
            _round(own, split, at[MarkKind.ROUND, loop], at[MarkKind.BEHIND, loop]) for loop, own in enumerate(loops)
        ),
    )
    return Merged(found, tuple(threads), tuple(finders))


def _of_some_thread(events: Sequence[Synchronised], comes: Sequence[Bool]) -> Bool:
    """When some thread comes to an event: of threads that come under one condition, that."""
    first = events[0].guard
    return first if all(one.guard is first for one in events) else disj(*comes)


def _require_one_course(traces: Sequence[Trace], conditional: bool) -> None:
    courses = [[(mark.kind, _name(one, mark)) for mark in course(one)] for one in traces]
    for one, marks in zip(traces, courses, strict=True):
        if any(isinstance(a, Atomic) and len(a.cell) > 1 for each in one.performed for a in each.accesses):
            raise NotModelled("atomics on texels in kernels of different SIMD widths")
        for event in one.events:
            if event.event not in _FOR_ALL and isinstance(event.event, Barrier):
                raise NotModelled(f"{event.event} in kernels of different SIMD widths", event.position)
        plain = (each for each in one.events if not conditional or each.event in (SIGNAL, WAIT))
        if marks != courses[0] or not all(is_true(each.guard) for each in plain):
            raise NotModelled("barriers or fences under conditions, in kernels of different SIMD widths")


def _name(trace: Trace, mark: Mark) -> object:
    """What has to be the same at a mark of all threads."""
    return trace.events[mark.which].event if mark.kind is MarkKind.EVENT else mark.which


def _phases(trace: Trace) -> Iterator[_Phase]:
    """What is between the marks; a value that is left open stands before the messages that were performed after it."""
    cuts = [0, *(mark.before for mark in course(trace)), len(trace.performed)]
    taken = 0
    for start, end in pairwise(cuts):
        known = trace.performed[end - 1].left_open if end > start else taken
        if end == len(trace.performed):
            known = len(trace.arbitrary)
        yield _Phase(trace.performed[start:end], trace.arbitrary[taken:known], taken)
        taken = max(taken, known)


def _round(threads: Sequence[LoopIteration], split: Split, first: int, behind: int) -> LoopIteration:
    """The iterations of all threads as one of the wide thread's lanes."""
    held = tuple(_of_lane(one, thread, split) for thread, own in enumerate(threads) for one in own.held)
    ways = ([own.lanes, *own.exits] for own in threads)
    if len({len(own.exits) for own in threads}) > 1:
        raise NotModelled("loops that threads leave to different places, in kernels of different SIMD widths")
    lanes, *exits = (_of_all(way, split) for way in zip(*ways, strict=True))
    return replace(
        threads[0],
        begins=threads[0].begins._replace(messages=first),
        ends=threads[0].ends._replace(messages=behind),
        held=held,
        lanes=lanes,
        exits=tuple(exits),
    )


def _of_all(threads: Sequence[Sequence[Held]], split: Split) -> tuple[Held, ...]:
    """What is said of the lanes of each thread, of the wide thread's lanes; and what is said of no lane."""
    lanes = [_of_lane(one, thread, split) for thread, own in enumerate(threads) for one in own[: split.narrow]]
    return *lanes, *threads[0][len(lanes) :]


def _of_lane(held: Held, thread: int, split: Split) -> Held:
    return held if held.lane == EVERY_LANE else held._replace(lane=thread * split.narrow + held.lane)
