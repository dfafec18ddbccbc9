"""Where two threads of a group access one byte that nothing puts in an order: they race, and have no meaning.

A barrier orders what is before it and behind it; atomics do not disturb each other.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from visaproof.kernel.symbolic.machine import Performed
from visaproof.kernel.symbolic.run import Trace
from visaproof.queries.conflict import accesses_by_lane, lanes_meet
from visaproof.queries.refinement.places import is_private
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load
from visaproof.smt import Bool, is_false


class Race(NamedTuple):
    """When lanes of two threads race."""

    meet: Bool
    in_rounds: bool
    """Whether one of them does so in any round of a loop: the other may be in another one."""


def races(trace: Trace, threads: Sequence[int], surfaces: Sequence[str]) -> Iterator[Race]:
    """When two of the threads race, for each two lanes.

    `threads` and `surfaces` have the thread and the surface of each message; behind a barrier a surface is another.
    """
    by_surface: dict[str, list[tuple[int, Performed]]] = {}
    for thread, surface, performed in zip(threads, surfaces, trace.performed, strict=True):
        by_surface.setdefault(surface, []).append((thread, performed))
    for messages in by_surface.values():
        for (thread, one), (other_thread, other) in combinations(messages, 2):
            if thread != other_thread:
                in_rounds = one.any_round or other.any_round
                yield from (Race(meet, in_rounds) for meet in _of_messages(trace, one, other))


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
