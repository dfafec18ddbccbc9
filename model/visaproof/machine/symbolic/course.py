"""The marks that a run comes to in order: barriers and fences, and where iterations of loops begin and end."""

from enum import IntEnum
from typing import NamedTuple

from visaproof.machine.symbolic.trace import Trace


class MarkKind(IntEnum):
    """What a mark is; the value puts those in an order that nothing stands between."""

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
    """All marks in the order of the run."""
    marks = [Mark(place, one.before, MarkKind.EVENT, place) for place, one in enumerate(trace.events)]
    for loop, one in enumerate(trace.rounds):
        marks.append(Mark(one.begins.events, one.begins.messages, MarkKind.ROUND, loop))
        marks.append(Mark(one.ends.events, one.ends.messages, MarkKind.BEHIND, loop))
    return sorted(marks)
