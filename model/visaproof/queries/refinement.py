"""Does one kernel refine another?  Both as guarded stores over one memory, and the question at one arbitrary place.

For all inputs:  ¬undefined(source)  ⇒  ¬undefined(target)  ∧  memory after target = memory after source.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from visaproof.isa.errors import NotModelled
from visaproof.kernel.observed import Observed
from visaproof.queries.refinement_effects import Effects, effects_of
from visaproof.queries.refinement_observed import register_stores
from visaproof.queries.refinement_places import Reach, is_private
from visaproof.queries.refinement_side import Side, surface_then
from visaproof.queries.refinement_stores import after
from visaproof.queries.refinement_undefined import FORBIDDEN, UndefinedKind
from visaproof.queries.shared_memory import SharedMemory, unit_of
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.state import ADDRESS_BITS
from visaproof.smt import Bool, const, disj, eq, neg, symbol, ule

LARGEST_SURFACE = 1 << 32
"""Bytes: messages to surfaces have 32-bit offsets."""


@dataclass(frozen=True, slots=True)
class Question:
    """Whether the target refines the source."""

    source: Effects
    target: Effects
    memory: SharedMemory
    lanes: tuple[Bool, ...]
    forbidden: frozenset[UndefinedKind] = FORBIDDEN
    """What has no meaning; the other kinds have one."""

    @property
    def surfaces(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.source.stores, *self.target.stores)))


def refinement_question(
    source: Side,
    target: Side,
    lanes: tuple[Bool, ...],
    expand: bool = False,
    forbidden: frozenset[UndefinedKind] = FORBIDDEN,
) -> Question:
    """The effects of both kernels over one memory, on request in the second normal form.

    What is not `forbidden` has a meaning.

    Raises NotModelled for what this cannot compare.
    """
    for side in (source, target):
        require_comparable(side)
    memory = SharedMemory(_units(source, target))
    effects = [effects_of(side, memory, expand, forbidden) for side in (source, target)]
    if source.observed:
        memory.units |= {one.surface: 1 for one in source.observed}
        effects = [_with_registers(one, source.observed, effects[0]) for one in effects]
    question = Question(effects[0], effects[1], memory, lanes, forbidden)
    if question.source.barriers != question.target.barriers:
        raise NotModelled("barriers that both kernels do not have alike")
    return question


def _with_registers(effects: Effects, observed: Sequence[Observed], source: Effects) -> Effects:
    """The effects with what is left in registers, where the source defines it."""
    stores = dict(register_stores(observed, source.registers, effects.registers))
    return replace(effects, stores=effects.stores | stores)


def require_comparable(side: Side) -> None:
    """Raises NotModelled where the run on terms does not stand for all runs."""
    if side.trace.stopped is not None:
        raise side.trace.stopped
    if side.trace.bounded:
        raise NotModelled("a loop whose number of rounds depends on inputs", side.trace.bounded[0][1])


def _units(*sides: Side) -> dict[str, int]:
    by_surface: dict[str, list[Access]] = {}
    for side in sides:
        for place, performed in enumerate(side.trace.performed):
            visible = (access for access in performed.accesses if not is_private(side.trace, performed, access))
            by_surface.setdefault(surface_then(side, place), []).extend(visible)
    for accesses in by_surface.values():
        if len({len(access.cell) for access in accesses}) > 1:
            raise NotModelled("a typed surface by texels and by their channels")
    return {surface: unit_of(iter(accesses)) for surface, accesses in by_surface.items()}


def open_undefined(question: Question) -> Bool:
    """Where the target is undefined for reasons that the source does not have as well."""
    known = set(question.source.undefined)
    return disj(*(condition for condition in question.target.undefined if condition not in known))


def same_at_probe(question: Question, surface: str) -> Bool:
    """Whether an arbitrary unit of the surface is the same after both kernels."""
    source, target = question.source.stores.get(surface, ()), question.target.stores.get(surface, ())
    probe = symbol(f"probe.{surface}", (source or target)[0].cell.width)
    before = question.memory.initial(surface, probe)
    return eq(after(source, probe, before), after(target, probe, before))


def premises(question: Question, goal: Bool, inside: tuple[Reach, ...] = ()) -> tuple[Bool, ...]:
    """A thread with a lane on, and a source that is defined; and of memory what these and the goal are about.

    Also that these accesses stay `inside` of their buffers.
    """
    within = [reach.inside for reach in inside]
    defined = [neg(condition) for condition in question.source.undefined]
    sizes = [symbol(f"size.{surface}", ADDRESS_BITS) for surface in question.surfaces]
    limits = [ule(size, const(LARGEST_SURFACE, ADDRESS_BITS)) for size in sizes]
    return disj(*question.lanes), *limits, *defined, *within, *question.memory.facts((goal, *defined, *within))
