"""The marks that a run comes to in order: barriers and fences, and where iterations of loops begin and end."""

from enum import IntEnum
from typing import NamedTuple

from visaproof.machine.symbolic.trace import Trace


class MarkKind(IntEnum):
    """What a mark is."""

    ROUND = 0
    """An iteration begins that stands for others."""
    BEHIND = 1
    """What is behind its loop begins."""
    EVENT = 2


class Mark(NamedTuple):
    """A place of a run."""

    events: int
    """How many events come before it."""
    before: int
    """How many messages come before it."""
    kind: MarkKind
    which: int
    """The event or the loop, counted."""


def course(trace: Trace) -> list[Mark]:
    """All marks in the order of the run: loops are in the order in which they end, and outer ones begin first."""
    marks: list[Mark] = []
    loops = trace.loops
    for ending, behind in enumerate(loops):
        for loop in (one for one in reversed(range(ending, len(loops))) if loops[one].ended_before == ending):
            begins = loops[loop].begins
            marks.append(Mark(begins.events, begins.messages, MarkKind.ROUND, loop))
        marks.append(Mark(behind.ends.events, behind.ends.messages, MarkKind.BEHIND, ending))
    marks += [Mark(place, one.before, MarkKind.EVENT, place) for place, one in enumerate(trace.events)]
    return sorted(marks, key=lambda one: (one.events, one.before, one.kind is MarkKind.EVENT))
