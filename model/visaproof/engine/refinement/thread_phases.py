"""The runs of several threads on terms as one run: one thread behind the other, from mark to mark.

A mark is a barrier, or the beginning or the end of a round of a loop that stands for others.  All threads come to the
same ones; in a round a thread that has left its loop does nothing.  Where no two threads race, every other order of
their messages leaves the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

from visaproof.isa.errors import NotModelled
from visaproof.kernel.open_values import Arbitrary
from visaproof.kernel.symbolic.loops import EVERY_LANE, Held, LoopRound
from visaproof.kernel.symbolic.machine import Performed
from visaproof.kernel.symbolic.run import Trace
from visaproof.kernel.thread_group import Split
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.smt import is_true, true


class _Kind(IntEnum):
    """What a mark is."""

    BARRIER = 0
    ROUND = 1
    BEHIND = 2


class _Mark(NamedTuple):
    """A place that all threads come to."""

    before: int
    """How many messages of the thread come before it."""
    kind: _Kind
    which: int
    """The barrier or the loop, counted."""


class _Phase(NamedTuple):
    """What a thread does between two marks."""

    performed: Sequence[Performed]
    arbitrary: Sequence[Arbitrary]
    first: int
    """How many values the thread left open before."""


@dataclass(frozen=True, slots=True)
class Merged:
    """One run of all threads."""

    trace: Trace
    threads: tuple[int, ...]
    """The thread of each message."""
    finders: tuple[int, ...]
    """The thread of each value that is left open."""


def merged(traces: Sequence[Trace], split: Split) -> Merged:
    """One run of all threads.  Raises NotModelled where they do not come to the same marks."""
    _require_one_course(traces)
    performed: list[Performed] = []
    threads: list[int] = []
    arbitrary: list[Arbitrary] = []
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
    at = {(mark.kind, mark.which): end for mark, end in zip(_marks(traces[0]), ends, strict=False)}
    loops = zip(*(one.rounds for one in traces), strict=True)
    found = replace(
        traces[0],
        performed=tuple(performed),
        surfaces={key: surface for one in traces for key, surface in one.surfaces.items()},
        arbitrary=tuple(arbitrary),
        conditions=tuple(each for one in traces for each in one.conditions),
        bounded=tuple(each for one in traces for each in one.bounded),
        stopped=next((one.stopped for one in traces if one.stopped is not None), None),
        barriers=tuple((at[_Kind.BARRIER, place], true()) for place in range(len(traces[0].barriers))),
        rounds=tuple(
            _round(own, split, at[_Kind.ROUND, loop], at[_Kind.BEHIND, loop]) for loop, own in enumerate(loops)
        ),
    )
    return Merged(found, tuple(threads), tuple(finders))


def _require_one_course(traces: Sequence[Trace]) -> None:
    courses = [[(mark.kind, mark.which) for mark in _marks(one)] for one in traces]
    for one, course in zip(traces, courses, strict=True):
        if any(isinstance(a, Atomic) and len(a.cell) > 1 for each in one.performed for a in each.accesses):
            raise NotModelled("atomics on texels in kernels of different SIMD widths")
        if course != courses[0] or not all(is_true(guard) for _, guard in one.barriers):
            raise NotModelled("barriers under conditions, in kernels of different SIMD widths")


def _marks(trace: Trace) -> list[_Mark]:
    marks = [_Mark(before, _Kind.BARRIER, place) for place, (before, _) in enumerate(trace.barriers)]
    for loop, one in enumerate(trace.rounds):
        marks += (_Mark(one.first, _Kind.ROUND, loop), _Mark(one.behind, _Kind.BEHIND, loop))
    return sorted(marks)


def _phases(trace: Trace) -> Iterator[_Phase]:
    """What is between the marks; a value that is left open stands before the messages that were performed after it."""
    cuts = [0, *(mark.before for mark in _marks(trace)), len(trace.performed)]
    taken = 0
    for start, end in pairwise(cuts):
        known = trace.performed[end - 1].left_open if end > start else taken
        if end == len(trace.performed):
            known = len(trace.arbitrary)
        yield _Phase(trace.performed[start:end], trace.arbitrary[taken:known], taken)
        taken = max(taken, known)


def _round(threads: Sequence[LoopRound], split: Split, first: int, behind: int) -> LoopRound:
    """The rounds of all threads as one of the wide thread's lanes."""
    held = tuple(_of_lane(one, thread, split) for thread, own in enumerate(threads) for one in own.held)
    lanes = [_of_lane(one, thread, split) for thread, own in enumerate(threads) for one in own.lanes[: split.narrow]]
    return replace(
        threads[0],
        first=first,
        behind=behind,
        held=held,
        lanes=(*lanes, *threads[0].lanes[len(lanes) :]),
        breaks=any(one.breaks for one in threads),
    )


def _of_lane(held: Held, thread: int, split: Split) -> Held:
    return held if held.lane == EVERY_LANE else held._replace(lane=thread * split.narrow + held.lane)
