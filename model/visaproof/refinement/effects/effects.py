"""What one kernel does that can be seen from outside: guarded stores, under names that both kernels share."""

from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from visaproof.decode.synchronisation import Barrier
from visaproof.isa.errors import NotModelled
from visaproof.isa.identity import Same
from visaproof.machine.symbolic.loops.iteration import LoopIteration
from visaproof.machine.symbolic.trace import Trace
from visaproof.queries.kernels.conflict import conflict_questions
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.queries.kernels.stores import Stores
from visaproof.queries.kernels.undefined import Conditions, UndefinedKind
from visaproof.refinement.effects.events import AtomicEvent
from visaproof.refinement.effects.fences import is_atomic
from visaproof.refinement.effects.history import History
from visaproof.refinement.effects.places import Reach, is_texel_read
from visaproof.refinement.effects.races import LaneRaces, Races, item_races, lane_races
from visaproof.refinement.effects.side import Side, surface_then
from visaproof.refinement.effects.touched import Touched
from visaproof.refinement.observed import RegisterByte
from visaproof.smt import Bool, conj, disj, eq, iff, is_false, kept, neg, true

OF_ACCESSES = frozenset((UndefinedKind.MISALIGNED, UndefinedKind.BEYOND_VARIABLE))


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
    races: Races | None = None
    """Of the threads of a group."""
    lane_races: LaneRaces | None = None
    """Of a wide target, of lanes that threads of the source run which race."""
    item_races: LaneRaces | None = None
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
        LaneRaces(history, lane_races(side)) if side.narrow else None,
        None if side.threads or side.narrow else LaneRaces(history, item_races(side)),
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


def _of_what_nothing_wrote(history: History) -> Iterator[tuple[Bool, UndefinedKind]]:
    """The stores that depend on a kernel's own choice; always, where that decides whether they happen."""
    for one in (store for stores in history.stores.values() for store in stores):
        if history.is_chosen(one.guard):
            yield true(), UndefinedKind.UNINITIALISED
        elif history.is_chosen(one.cell) or history.is_chosen(one.value):
            yield one.guard, UndefinedKind.UNINITIALISED
