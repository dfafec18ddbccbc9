"""Does one kernel refine another?  Both as guarded stores over one memory, and the question at one arbitrary place.

For all inputs:  ¬undefined(source)  ⇒  ¬undefined(target)  ∧  memory after target = memory after source.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from visaproof.decode.synchronisation import Fence
from visaproof.isa.errors import NotModelled, Position
from visaproof.launch.ids.work_items import NO_GROUP, Group
from visaproof.launch.local_memory import ANY_LOCAL_MEMORY, LocalMemory
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.constant_data import NO_TABLES, Tables
from visaproof.queries.kernels.extents import limits
from visaproof.queries.kernels.shared_memory import SharedMemory, unit_of
from visaproof.queries.kernels.stores import after, same_stores
from visaproof.queries.kernels.surface_names import itself
from visaproof.queries.kernels.undefined import FORBIDDEN, OF_THE_SOURCE, UndefinedKind
from visaproof.refinement.effects.effects import Effects, effects_of
from visaproof.refinement.effects.images import with_stores_counted
from visaproof.refinement.effects.local_memory import unobserved
from visaproof.refinement.effects.observed_registers import register_stores
from visaproof.refinement.effects.places import Reach
from visaproof.refinement.effects.sharing import NOTHING_SHARED, Sharing, owners
from visaproof.refinement.effects.side import Side, surface_then
from visaproof.refinement.effects.synchronisation import Unlike
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.state import ADDRESS_BITS
from visaproof.smt import Bool, conj, const, disj, eq, is_true, neg, symbol, ule

LARGEST_SURFACE = 1 << 32
"""Bytes: messages to surfaces have 32-bit offsets."""


@dataclass(frozen=True, slots=True)
class Launched:
    """The lanes of the thread, or of the wide one of two, and what their launch says of them."""

    lanes: tuple[Bool, ...]
    group: Group = NO_GROUP
    tables: Tables = NO_TABLES
    """The tables that both programs have, with known contents."""
    local: LocalMemory = ANY_LOCAL_MEMORY
    """Shared local memory of a group, where both kernels have the same size."""
    limited: bool = True
    """Whether images are no larger than a device's."""

    @property
    def possible(self) -> tuple[Bool, ...]:
        """A lane is on, and no lane that is has an id outside of its group."""
        return disj(*self.lanes), *self.group.possible(self.lanes)


@dataclass(frozen=True, slots=True)
class Question:
    """Whether the target refines the source."""

    source: Effects
    target: Effects
    memory: SharedMemory
    launched: Launched
    forbidden: frozenset[UndefinedKind] = FORBIDDEN
    """What is undefined; the other kinds are allowed."""
    disturbed: bool = False
    """Whether other threads may write between any two messages: then both have to have the same, in the same order."""
    limits: tuple[Bool, ...] = ()
    """How large images are at most."""
    bounded: tuple[Position, ...] = ()
    """The loops that may run longer than they were unrolled.  Nothing is asked of longer runs."""
    sharing: Sharing = NOTHING_SHARED
    """The buffers that may overlap."""
    cut: tuple[str, ...] = ()
    """The barriers, fences and atomics at which memory may change."""
    relaxed: bool = False
    """Whether there are atomics over which plain loads may be moved."""
    turns: bool = False
    """Whether lanes of a message of atomics are compared with those of several."""
    likened: bool = False
    """Whether fences stand for each other of which no page says which is stronger."""

    @property
    def lanes(self) -> tuple[Bool, ...]:
        return self.launched.lanes

    @property
    def surfaces(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.source.stores, *self.target.stores)))

    @property
    def surfaces_touched(self) -> tuple[str, ...]:
        """Those that are only read as well."""
        return tuple(dict.fromkeys(one.surface for side in (self.source, self.target) for one in side.touched))


def refinement_question(
    source: Side,
    target: Side,
    launched: Launched,
    expand: bool = False,
    forbidden: frozenset[UndefinedKind] = FORBIDDEN,
    memory: SharedMemory | None = None,
) -> Question:
    """The effects of both kernels over one memory, on request a known one, and in the second normal form.

    What is not `forbidden` is defined.  Barriers that only the target has let the threads of a group do less, if
    each does the same whatever the others write; then that is the question.  The sides are `synchronised`.

    Raises NotModelled for what this cannot compare.
    """
    for side in (source, target):
        require_comparable(side)
    source, target = with_stores_counted(source, target)
    memory = memory or SharedMemory(_units(source, target), launched.tables)
    one, other = _both(source, target, memory, expand, forbidden)
    loops = tuple(dict.fromkeys(position for side in (source, target) for _, position in side.trace.bounded))
    _require_reached(source, target, one, other, launched.lanes)
    extents = _extents(source, target) if launched.limited else ()
    return Question(
        one, other, memory, launched, forbidden, source.disturbed, extents, loops,
        cut=source.matched.kinds, relaxed=(one.atomics or other.atomics) and not source.matched.atomics,
        turns=bool(source.turns),
        likened=source.matched.likened, sharing=source.sharing,
    )  # fmt: skip


def _extents(*sides: Side) -> tuple[Bool, ...]:
    """How large the images of both are at most."""
    return tuple(dict.fromkeys(limit for side in sides for limit in limits(side.trace, side.surface)))


def _require_reached(source: Side, target: Side, one: Effects, other: Effects, lanes: tuple[Bool, ...]) -> None:
    """Raises Unlike where the target may miss a barrier or a fence, or come to a barrier alone."""
    pairs = zip(source.matched.events, target.matched.events, one.comes, other.comes, strict=True)
    for mine, theirs, comes, others in pairs:
        always = is_true(others) or others is disj(*lanes)
        if comes is others or (always and isinstance(theirs.event, Fence)):
            continue
        what = f"{theirs.event} at {theirs.position} under another condition than {mine.event} at {mine.position}"
        raise Unlike(what, source, target)
    if not source.disturbed:
        return
    if source.threads or target.threads:
        raise Unlike("barriers that only the target has, in kernels of different SIMD widths", source, target)
    if not all(is_true(comes) or comes is disj(*lanes) for comes in other.barriers):
        raise Unlike("a barrier that only the target has, and that not every run comes to", source, target)


def _both(
    source: Side, target: Side, memory: SharedMemory, expand: bool, forbidden: frozenset[UndefinedKind]
) -> tuple[Effects, Effects]:
    """The effects of both, with what is left in registers where the source defines it."""
    one = effects_of(source, memory, expand, forbidden)
    other = one if target is source else effects_of(target, memory, expand, forbidden - OF_THE_SOURCE)
    one, other = _as_seen(one, unobserved(source, target)), _as_seen(other, unobserved(source, target))
    if not source.observed:
        return one, other
    memory.units |= {each.surface: 1 for each in source.observed}
    stores = [dict(register_stores(source.observed, one.registers, side.registers)) for side in (one, other)]
    return replace(one, stores=one.stores | stores[0]), replace(other, stores=other.stores | stores[1])


def _as_seen(effects: Effects, unseen: str | None) -> Effects:
    """The effects without what is stored where nobody can read it any more."""
    return replace(effects, stores=effects.stores | {unseen: ()}) if unseen in effects.stores else effects


def require_comparable(side: Side) -> None:
    """Raises NotModelled where the symbolic run did not come to its end."""
    if side.trace.stopped is not None:
        raise side.trace.stopped


def _units(*sides: Side) -> dict[str, int]:
    by_surface: dict[str, list[Access]] = {}
    for side in sides:
        for place, performed in enumerate(side.trace.performed):
            visible = (access for access in performed.accesses if not is_private(side.trace, performed, access))
            by_surface.setdefault(surface_then(side, place), []).extend(visible)
    for accesses in by_surface.values():
        if len({len(access.cell) for access in accesses}) > 1:
            raise NotModelled("a typed surface by texels and by their channels")
    return _of_memories({name: unit_of(iter(accesses)) for name, accesses in by_surface.items()}, sides[0].sharing)


def _of_memories(units: dict[str, int], sharing: Sharing) -> dict[str, int]:
    """The unit of each memory: of one that buffers share, no larger than of any of them, and than they are aligned."""
    found: dict[str, int] = {}
    for surface, unit in units.items():
        memory, buffer = sharing.memory(surface), sharing.buffer(surface)
        aligned = min(unit, sharing.alignments[buffer]) if buffer else unit
        found[memory] = min(aligned, found.get(memory, aligned))
    return found


def same_written(question: Question) -> bool:
    """Whether both have the same stores, term by term."""
    effects = question.source.stores, question.target.stores
    apart = question.sharing.are_apart
    return all(
        same_stores(effects[0].get(surface, ()), effects[1].get(surface, ()), apart) for surface in question.surfaces
    )


def open_undefined(question: Question) -> Bool:
    """Where the target is undefined for reasons that the source does not have as well."""
    known = set(question.source.undefined)
    return disj(*(condition for condition in question.target.undefined if condition not in known))


def same_at_probe(question: Question, surface: str) -> Bool:
    """Whether an arbitrary unit of the surface is the same after both kernels.

    Of memory that buffers share, whether that is so of a unit of any buffer that is written.
    """
    source, target = question.source.stores.get(surface, ()), question.target.stores.get(surface, ())
    probe = symbol(f"probe.{surface}", (source or target)[0].cell.width)
    before = question.memory.initial(surface, probe)
    seen = question.sharing.seen_from
    return conj(*(
        eq(after(seen(owner, source), probe, before), after(seen(owner, target), probe, before))
        for owner in owners(source, target)
    ))  # fmt: skip


def premises(question: Question, goal: Bool, inside: tuple[Reach, ...] = ()) -> tuple[Bool, ...]:
    """A thread of a launch, and a source that is defined; and of memory what these and the goal are about.

    Also that loops end in time, and that these accesses stay `inside` of their buffers.
    """
    ends = (*question.source.ends, *question.target.ends)
    within = [reach.inside for reach in inside]
    defined = [neg(condition) for condition in question.source.undefined]
    surfaces = dict.fromkeys((*map(itself, question.surfaces), *question.sharing.alignments))
    sizes = (*question.limits, *(each for name in surfaces for each in _limits(question, name)))
    needed = (*ends, *defined, *within)
    return *question.launched.possible, *sizes, *needed, *question.memory.facts((goal, *needed))


def _limits(question: Question, surface: str) -> Iterator[Bool]:
    """Between which sizes that of a surface lies."""
    size, local = symbol(f"size.{surface}", ADDRESS_BITS), question.launched.local
    if surface == SHARED_LOCAL:
        yield ule(const(local.least, ADDRESS_BITS), size)
    yield ule(size, const(local.most if surface == SHARED_LOCAL else LARGEST_SURFACE, ADDRESS_BITS))
