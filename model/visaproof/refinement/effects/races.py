"""Where two threads of a group access one byte that nothing puts in an order: they race, and are undefined.

What a thread does before it signals comes before what another does after its wait; fences alone order no two threads.
Atomics do not disturb each other.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from visaproof.decode.synchronisation import SIGNAL, WAIT, WHOLE, Barrier
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.conflict import lanes_meet
from visaproof.queries.kernels.lane_accesses import accesses_by_lane
from visaproof.refinement.iteration_numbers import in_another_iteration
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load
from visaproof.smt import Bool, is_false


class Race(NamedTuple):
    """When lanes of two threads race."""

    meet: Bool
    in_rounds: bool
    """Whether one of them does so in any iteration of a loop: the other may be in another one."""


class _Message(NamedTuple):
    thread: int
    performed: Performed
    signals: int
    """How many barriers its thread has signalled before."""
    waits: int
    """For how many it has waited."""

    def is_ordered(self, other: "_Message") -> bool:
        """Whether a barrier puts both in an order."""
        return self.signals < other.waits or other.signals < self.waits


def races(trace: Trace, threads: Sequence[int], surfaces: Sequence[str]) -> Iterator[Race]:
    """When two of the threads race, for each two lanes; `threads` and `surfaces` are those of each message."""
    by_surface: dict[str, list[_Message]] = {}
    for place, (thread, surface, performed) in enumerate(zip(threads, surfaces, trace.performed, strict=True)):
        message = _Message(thread, performed, _before(trace, place, SIGNAL), _before(trace, place, WAIT))
        by_surface.setdefault(surface, []).append(message)
    for messages in by_surface.values():
        for one, other in combinations(messages, 2):
            if one.thread != other.thread and not one.is_ordered(other):
                in_rounds = one.performed.any_round or other.performed.any_round
                theirs = other.performed.with_accesses(in_another_iteration) if in_rounds else other.performed
                yield from (Race(meet, in_rounds) for meet in _of_messages(trace, one.performed, theirs))


def _before(trace: Trace, place: int, half: Barrier) -> int:
    """How many halves of barriers of this kind come before a message."""
    return sum(one.before <= place and one.event in (WHOLE, half) for one in trace.events)


def _of_messages(trace: Trace, one: Performed, other: Performed) -> Iterator[Bool]:
    mine, theirs = _visible(trace, one), _visible(trace, other)
    if not mine or not theirs or (_is_read(mine) and _is_read(theirs)):
        return
    if all(isinstance(access, Atomic) for access in (*mine, *theirs)):
        return
    others = accesses_by_lane(other, theirs)
    for first in accesses_by_lane(one, mine):
        for second in others:
            meet = lanes_meet(first, second)
            if not is_false(meet):
                yield meet


def _visible(trace: Trace, performed: Performed) -> list[Access]:
    return [access for access in performed.accesses if not is_private(trace, performed, access)]


def _is_read(accesses: list[Access]) -> bool:
    return all(isinstance(access, Load) for access in accesses)
