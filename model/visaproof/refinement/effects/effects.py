"""What one kernel does that can be seen from outside: guarded stores, under names that both kernels share."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, combinations, product
from typing import NamedTuple

from msgspec import Struct

from visaproof.decode.synchronisation import SIGNAL, WAIT, WHOLE, Barrier
from visaproof.isa.errors import NotModelled
from visaproof.isa.identity import Same
from visaproof.machine.symbolic.loops.iteration import LoopIteration
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.conflict import PairedLane, conflict_questions
from visaproof.queries.kernels.lane_accesses import accesses_by_lane
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.queries.kernels.stores import Stores
from visaproof.queries.kernels.undefined import Conditions, UndefinedKind
from visaproof.refinement.effects.events import AtomicEvent
from visaproof.refinement.effects.fences import is_atomic
from visaproof.refinement.effects.history import History
from visaproof.refinement.effects.items import ItemRaces
from visaproof.refinement.effects.observed_registers import RegisterByte
from visaproof.refinement.effects.places import Reach
from visaproof.refinement.effects.side import Side, surface_then
from visaproof.refinement.effects.touched import Touched
from visaproof.refinement.effects.undefined_accesses import is_texel_read, lane_races
from visaproof.refinement.iteration_numbers import in_another_iteration
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load
from visaproof.smt import Bool, conj, disj, eq, iff, is_false, kept, neg, true

OF_ACCESSES = frozenset((UndefinedKind.MISALIGNED, UndefinedKind.BEYOND_VARIABLE))


# ---------------------------------------------------------------- races

# Two threads of a group race, and are undefined, where they access one byte that nothing puts in an order.  What a
# thread does before it signals comes before what another does after its wait; fences alone order no two threads.
# Atomics do not disturb each other.


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


def races(trace: Trace, threads: Sequence[int], surfaces: Sequence[str], *, within_statements: bool) -> Iterator[Race]:
    """When two of the threads race, for each two lanes: in messages of one statement, or of two statements.

    `threads` and `surfaces` are those of each message.
    """
    by_surface: dict[str, list[_Message]] = {}
    for place, (thread, surface, performed) in enumerate(zip(threads, surfaces, trace.performed, strict=True)):
        message = _Message(thread, performed, _before(trace, place, SIGNAL), _before(trace, place, WAIT), trace)
        by_surface.setdefault(surface, []).append(message)
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


# ---------------------------------------------------------------- effects


class Effects(Struct, frozen=True, dict=True):
    """What a kernel does that can be seen from outside."""

    stores: dict[str, Stores]
    """By surface, in the order in which they happen; those of one message that meet make it undefined."""
    undefined_alone: Conditions
    """Where one of these holds, the run is undefined without regard to what its threads do to each other."""
    reaches: tuple[Reach, ...] = ()
    """The accesses to buffers that are taken to lie inside."""
    comes: tuple[Bool, ...] = ()
    """When the thread comes to each barrier and fence that stands for one of the other kernel."""
    barriers: tuple[Bool, ...] = ()
    """When it comes to each barrier, also to those of this kernel alone."""
    atomics: bool = False
    """Whether the order of atomics is left open."""
    ends: tuple[Bool, ...] = ()
    """Of each loop that may run longer than it was unrolled, that it does not."""
    loops: tuple[LoopIteration, ...] = ()
    """The iterations that stand for others; what was held before and after them has the shared names."""
    registers: tuple[tuple[RegisterByte, ...], ...] = ()
    """What the registers hold at the end that are observed."""
    touched: tuple[Touched, ...] = ()
    """What it accesses that others see, in the order of the run."""
    events: tuple[AtomicEvent, ...] = ()
    """The lanes of atomics one by one, if it is asked of them so; they are in no `stores` then."""
    races: "Races | None" = None
    """Of the threads of a group."""
    lane_races: "LaneRaces | None" = None
    """Of a wide target, of lanes that threads of the source run which race."""
    item_races: ItemRaces | None = None
    """Of one thread of which each lane is a work item."""
    items_apart: bool = False
    """Whether it is taken for undefined where these race."""

    @cached_property
    def undefined_within_statements(self) -> Conditions:
        """The same with races of threads in one statement, which lanes of a wide thread have as collisions."""
        return _joined(self.undefined_alone, self.races.within_statements if self.races else {})

    @cached_property
    def undefined(self) -> Conditions:
        """The run is undefined where one of these holds."""
        found = _joined(self.undefined_within_statements, self.races.across_statements if self.races else {})
        found = _joined(found, self.lane_races.conditions if self.lane_races else {})
        return _joined(found, self.item_races.conditions if self.item_races and self.items_apart else {})

    @property
    def races_in_iterations(self) -> bool:
        """Whether threads may race in different iterations of loops: of those one iteration for all says nothing."""
        return self.races is not None and any(one.in_iterations for one in self.races.found())

    @property
    def may_race(self) -> bool:
        """Whether threads may race, and may not."""
        return self.races is not None and self.races.may_happen


def _joined(one: Conditions, other: Conditions) -> Conditions:
    return {**one, **{condition: kind for condition, kind in other.items() if condition not in one}}


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
        return list(_races(self._side, within_statements=True))

    @cached_property
    def _across(self) -> list[Race]:
        return list(_races(self._side, within_statements=False))

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
        ways = (_races(self._side, within_statements=within) for within in (True, False))
        return self._forbidden and next(chain.from_iterable(ways), None) is not None


class LaneRaces:
    """Where lanes of a wide target find what those of another thread of the source stored; made if it decides."""

    def __init__(self, side: Side, history: History) -> None:
        self._side, self._history = side, history

    @cached_property
    def conditions(self) -> Conditions:
        meets = self._history.common(list(lane_races(self._side)))
        return {meet: UndefinedKind.RACE for meet in meets if not is_false(meet)}


def effects_of(side: Side, memory: SharedMemory, expand: bool, forbidden: frozenset[UndefinedKind]) -> Effects:
    """The effects under the shared names.  Raises NotModelled where it is not known what kind of undefined one is."""
    history = _history(side, memory, expand)
    if history.unclear is not None and len(OF_ACCESSES & forbidden) == 1:
        raise NotModelled("an address that may be misaligned, beside registers beyond a variable", history.unclear)
    apart = list(_undefined_apart_from_accesses(side))
    common = history.common([condition for condition, _ in apart])
    found = [*history.undefined, *zip(common, (kind for _, kind in apart), strict=True)]
    found += _of_what_nothing_wrote(history)
    if UndefinedKind.OUTSIDE in forbidden:
        found += _of_unstated_texels(side, memory, expand, history)
    undefined: dict[Bool, UndefinedKind] = {}
    for condition, kind in found:
        if kind in forbidden and not is_false(condition):
            undefined.setdefault(condition, kind)
    return Effects(
        {surface: tuple(stores) for surface, stores in history.stores.items()},
        undefined,
        tuple(history.reaches),
        tuple(history.common([one.guard for one in side.matched.events])),
        tuple(history.common([one.guard for one in side.trace.events if isinstance(one.event, Barrier)])),
        any(map(is_atomic, side.trace.performed)),
        tuple(history.common([ends for ends, _ in side.trace.bounded])),
        tuple(history.round(one) for one in side.trace.loops),
        tuple(history.registers(side)) if side.observed else (),
        tuple(history.touched),
        tuple(history.events),
        Races(side, history, UndefinedKind.RACE in forbidden) if side.threads else None,
        LaneRaces(side, history) if side.narrow else None,
        None if side.threads or side.narrow else ItemRaces(side, history),
    )


def _history(side: Side, memory: SharedMemory, expand: bool, other_texels: bool = False) -> History:
    """Of the whole run."""
    history = History(side, memory, expand, other_texels)
    for place, performed in enumerate(side.trace.performed):
        thread = side.threads[place] if side.finders else 0
        item_thread = side.threads[place] if side.threads else 0
        history.add(performed, surface_then(side, place), side.atomic_steps.get(place), thread, item_thread)
    return history


def _of_unstated_texels(
    side: Side, memory: SharedMemory, expand: bool, history: History
) -> Iterator[tuple[Bool, UndefinedKind]]:
    """Where other bits read outside of images leave other memory: then no language states what is left.

    OpenCL C leaves what a read without a sampler brings there open, so that the read alone is harmless.
    """
    if not any(is_texel_read(access) for one in side.trace.performed for access in one.accesses):
        return
    other = _history(side, memory, expand, other_texels=True)
    for surface, stores in history.stores.items():
        for one, changed in zip(stores, other.stores[surface], strict=True):
            same = conj(eq(one.cell, changed.cell), eq(one.value, changed.value))
            differs = disj(neg(iff(one.guard, changed.guard)), conj(one.guard, neg(same)))
            yield differs, UndefinedKind.OUTSIDE


def _undefined_apart_from_accesses(side: Side) -> Iterator[tuple[Bool, UndefinedKind]]:
    """Register addresses that leave their variable, and lanes of one message that meet (D14)."""
    for condition, _ in side.trace.conditions:
        yield neg(condition), UndefinedKind.BEYOND_VARIABLE
    for meet in _collisions(Same(side.trace)):
        yield meet, UndefinedKind.COLLISION


@kept(4)
def _collisions(ran: Same[Trace]) -> tuple[Bool, ...]:
    """Where lanes of one message meet: a run stands for its kernel in several questions."""
    return tuple(pair.meet for question in conflict_questions(ran.it) for pair in question.pairs)


def _races(side: Side, *, within_statements: bool) -> Iterator[Race]:
    """Where threads of a group meet."""
    surfaces = [side.surface(one.surface) for one in side.trace.performed]
    yield from races(side.trace, side.threads, surfaces, within_statements=within_statements)


def _of_what_nothing_wrote(history: History) -> Iterator[tuple[Bool, UndefinedKind]]:
    """The stores that depend on a kernel's own choice; always, where that decides whether they happen."""
    for one in (store for stores in history.stores.values() for store in stores):
        if history.is_chosen(one.guard):
            yield true(), UndefinedKind.UNINITIALISED
        elif history.is_chosen(one.cell) or history.is_chosen(one.value):
            yield one.guard, UndefinedKind.UNINITIALISED
