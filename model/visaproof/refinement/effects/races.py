"""Where threads of a group, lanes or work items race: conditions under which a run is undefined.

Two threads of a group race, and are undefined, where they access one byte that nothing puts in an order.  What a
thread does before it signals comes before what another does after its wait; fences alone order no two threads.
Atomics do not disturb each other.

Work items that race: a thread runs its messages in an order, but its lanes run work items that have none.

    lane i stores in message m a byte that lane j ≠ i stores in message n ≠ m,  no barrier and no fence between m and n
    ⇒  two work items race, which OpenCL C leaves undefined

Such a thread is defined by the pages: what it stores last stays.  But where m and n are one message of the target, or
come in the other order there, the same work items collide, or leave something else.  So a proof that leaves the source
undefined there has a condition, which the answer names (`Condition.ITEMS_APART`).

As a compiler splits a message into parts for so many lanes, a store of some lanes is held against that of others which
is as many stores of these lanes after the last barrier.  That some pairs are left out makes the condition weaker.
"""

from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from itertools import chain, combinations, product
from typing import NamedTuple

from msgspec import Struct

from visaproof.decode.synchronisation import SIGNAL, WAIT, WHOLE, Barrier
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.conflict import PairedLane
from visaproof.queries.kernels.lane_accesses import accesses_by_lane
from visaproof.queries.kernels.undefined import Conditions, UndefinedKind
from visaproof.refinement.effects.history import History
from visaproof.refinement.effects.side import Side, lane_of, surface_then
from visaproof.refinement.iteration_numbers import in_another_iteration
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, Store
from visaproof.smt import Bool, is_false

# ---------------------------------------------------------------- threads of a group


class Race(NamedTuple):
    """When lanes of two threads race."""

    meet: Bool
    in_iterations: bool
    """Whether one of them does so in any iteration of a loop: the other may be in another one."""


class _Seen(Struct, frozen=True, dict=True):
    """What a message does that others see."""

    performed: Performed
    accesses: tuple[Access, ...]

    @cached_property
    def lanes(self) -> list[PairedLane]:
        return [PairedLane(one) for one in accesses_by_lane(self.performed, self.accesses)]

    def overlaps(self, other: "_Seen") -> Iterator[Bool]:
        """Where a lane of each disturb each other."""
        both = (*self.accesses, *other.accesses)
        if not self.accesses or not other.accesses or any(_are(kind, both) for kind in (Load, Atomic)):
            return
        meets = (first.meets(second) for first, second in product(self.lanes, other.lanes))
        yield from (meet for meet in meets if not is_false(meet))


def _are(kind: type[Access], accesses: Iterable[Access]) -> bool:
    return all(isinstance(access, kind) for access in accesses)


class _Message(Struct, frozen=True, dict=True):
    thread: int
    performed: Performed
    signals: int
    """How many barriers its thread has signalled before."""
    waits: int
    """For how many it has waited."""
    trace: Trace

    def is_ordered(self, other: "_Message") -> bool:
        """Whether a barrier puts both in an order."""
        return self.signals < other.waits or other.signals < self.waits

    @cached_property
    def seen(self) -> _Seen:
        return self._seen(self.performed)

    @cached_property
    def in_iterations(self) -> tuple[_Seen, ...]:
        """What the thread does in the iteration that the other one is in, and in any: the first is one of these, but by
        its form it may be what lanes of a wide thread do in one message."""
        elsewhere = self.performed.with_accesses(in_another_iteration)
        return (self.seen,) if elsewhere.accesses == self.performed.accesses else (self.seen, self._seen(elsewhere))

    def _seen(self, performed: Performed) -> _Seen:
        visible = (access for access in performed.accesses if not is_private(self.trace, performed, access))
        return _Seen(performed, tuple(visible))


def races(side: Side, *, within_statements: bool) -> Iterator[Race]:
    """When two threads race, for each two lanes: in messages of one statement, or of two statements."""
    trace, by_surface = side.trace, dict[str, list[_Message]]()
    for place, (thread, performed) in enumerate(zip(side.threads, trace.performed, strict=True)):
        message = _Message(thread, performed, _before(trace, place, SIGNAL), _before(trace, place, WAIT), trace)
        by_surface.setdefault(side.surface(performed.surface), []).append(message)
    for messages in by_surface.values():
        for one, other in combinations(messages, 2):
            is_within = one.performed.instruction.position == other.performed.instruction.position
            if is_within is within_statements and one.thread != other.thread and not one.is_ordered(other):
                in_iterations = one.performed.any_round or other.performed.any_round
                for theirs in other.in_iterations if in_iterations else (other.seen,):
                    yield from (Race(meet, in_iterations) for meet in one.seen.overlaps(theirs))


def _before(trace: Trace, place: int, half: Barrier) -> int:
    """How many halves of barriers of this kind come before a message."""
    return sum(one.before <= place and one.event in (WHOLE, half) for one in trace.events)


class Races:
    """Where threads of a group race: so many conditions that they are made only if they decide something.

    There are as many as pairs of lanes in pairs of messages.
    """

    def __init__(self, side: Side, history: History, forbidden: bool) -> None:
        self._side, self._history, self._forbidden = side, history, forbidden

    def found(self) -> Iterator[Race]:
        """Also such as are not forbidden."""
        yield from self._within
        yield from self._across

    @cached_property
    def _within(self) -> list[Race]:
        return list(races(self._side, within_statements=True))

    @cached_property
    def _across(self) -> list[Race]:
        return list(races(self._side, within_statements=False))

    @cached_property
    def within_statements(self) -> Conditions:
        """Where messages of one statement race, under the shared names."""
        return self._conditions(self._within)

    @cached_property
    def across_statements(self) -> Conditions:
        """Where messages of two statements race."""
        return self._conditions(self._across)

    def _conditions(self, found: list[Race]) -> Conditions:
        common = self._history.common([race.meet for race in found]) if self._forbidden else []
        return {one: UndefinedKind.RACE for one in common if not is_false(one)}

    @property
    def may_happen(self) -> bool:
        """Whether there is one, before more is known than addresses and guards."""
        ways = (races(self._side, within_statements=within) for within in (True, False))
        return self._forbidden and next(chain.from_iterable(ways), None) is not None


# ---------------------------------------------------------------- lanes of a thread


class LaneRaces:
    """Where lanes of a thread race; made if it decides."""

    def __init__(self, history: History, meets: Iterator[Bool]) -> None:
        self._history, self._meets = history, meets

    @cached_property
    def conditions(self) -> Conditions:
        """Under the shared names."""
        meets = self._history.common(list(self._meets))
        return {meet: UndefinedKind.RACE for meet in meets if not is_false(meet)}


def lane_races(side: Side) -> Iterator[Bool]:
    """Of a wide target: where a lane would find what a lane of another thread of the source stored."""
    stored: dict[str, list[PairedLane]] = {}
    for place, performed in enumerate(side.trace.performed):
        surface = surface_then(side, place)
        for one, other in product(stored.get(surface, ()), _lanes(side, performed, Load)):
            apart = one.write.lane // side.narrow != other.write.lane // side.narrow
            if apart and not is_false(meet := one.meets(other)):
                yield meet
        stored.setdefault(surface, []).extend(_lanes(side, performed, Store))


def _lanes(side: Side, performed: Performed, kind: type[Load] | type[Store]) -> list[PairedLane]:
    """What lanes do of this kind, as far as it is known whose it is (`Side.owner`)."""
    own = (
        access
        for access in performed.accesses
        if isinstance(access, kind) and access.lane is not None and len(access.cell) == 1
    )
    seen = [one for one in own if not is_private(side.trace, performed, one)]
    return [PairedLane(one) for one in accesses_by_lane(performed, seen)]


def item_races(side: Side) -> Iterator[Bool]:
    """Where lanes of two messages of a thread store one byte."""
    found: dict[Hashable, dict[tuple[int, ...], list[list[PairedLane]]]] = {}
    for place, performed in enumerate(side.trace.performed):
        stores = [one for one in performed.accesses if isinstance(one, Store) and lane_of(performed, one) is not None]
        seen = [one for one in stores if not is_private(side.trace, performed, one)]
        lanes = [PairedLane(one) for one in accesses_by_lane(performed, seen)]
        ordered = sum(one.before <= place for one in side.trace.events)
        of_surface = found.setdefault((surface_then(side, place), ordered), {})
        of_surface.setdefault(tuple(one.write.lane for one in lanes), []).append(lanes)
    for of_surface in found.values():
        for (one, first), (other, second) in combinations(of_surface.items(), 2):
            if set(one).isdisjoint(other):
                pairs = (pair for both in zip(first, second, strict=False) for pair in product(*both))
                meets = (mine.meets(theirs) for mine, theirs in pairs)
                yield from (meet for meet in meets if not is_false(meet))
