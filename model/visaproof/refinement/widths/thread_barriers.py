"""Barriers and fences behind loops: a thread comes to them in every run whose loops end while unrolled."""

from collections.abc import Sequence
from dataclasses import replace

from visaproof.checking.ladder import Holds, climb
from visaproof.machine.symbolic.trace import Trace
from visaproof.smt import Bool, disj, is_true, true


def with_plain_events(trace: Trace, lanes: Sequence[Bool], timeout_ms: int) -> Trace:
    """The run in which an event stands under no condition where every run of a thread of these lanes comes to it.

    Nothing is asked of runs in which a loop goes on.
    """
    ends = tuple(condition for condition, _ in trace.bounded)
    reached = {
        guard: _is_reached(guard, lanes, ends, timeout_ms) for guard in dict.fromkeys(one.guard for one in trace.events)
    }
    events = tuple(replace(one, guard=true()) if reached[one.guard] else one for one in trace.events)
    return replace(trace, events=events)


def _is_reached(guard: Bool, lanes: Sequence[Bool], ends: tuple[Bool, ...], timeout_ms: int) -> bool:
    launched = disj(*lanes)
    return is_true(guard) or guard is launched or isinstance(climb((launched, *ends), guard, timeout_ms), Holds)
