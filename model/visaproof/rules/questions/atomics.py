"""Refinement where the order of atomics can be seen: the set of outcomes, not one order.

Both sides are taken as lists of atomic accesses.  The lanes of one message come in any order (D30), messages one
behind the other.  The k-th access of the target is set beside the k-th of the source.  If each pair does the same to
whatever its cell holds, and whatever order the target leaves open the source leaves open as well, then each outcome
of the target is an outcome of the source: by induction over the accesses in the order that the target takes, both
find the same in their cells.  That holds for any number of lanes; nothing is said where a pair differs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from visaproof.isa.errors import NotModelled
from visaproof.isa.identity import Same
from visaproof.rules.language.instances import Instance
from visaproof.rules.questions.question import (
    Side,
    observed_elements,
    own_name,
    surface_names,
    surface_of,
    undefined_apart,
    whole_cell,
)
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.semantics.symbolic.effects import returned, updated
from visaproof.semantics.symbolic.names import FoundInMemory
from visaproof.smt import BitVec, Bool, Term, conj, disj, eq, false, iff, implies, is_false, neg, symbol
from visaproof.smt.evaluate import substitute_all


@dataclass(frozen=True, slots=True)
class Event:
    """One lane's turn."""

    message: int
    surface: str
    cell: BitVec
    access: Atomic

    @property
    def happens(self) -> Bool:
        """Where it changes memory or returns what is there."""
        return conj(self.access.guard, self.access.inside)


@dataclass(frozen=True, slots=True)
class Matched:
    """Both sides' events side by side, and what they leave in registers."""

    pairs: tuple[tuple[Event, Event], ...]
    found: tuple[BitVec, ...]
    """What the cell of each pair holds when it has its turn: the same on both sides, and arbitrary."""
    source_undefined: tuple[Bool, ...]
    target_undefined: tuple[Bool, ...]
    observed: tuple[tuple[str, int, BitVec, BitVec], ...]
    """Register, element, and what it holds after the source and after the target."""


def has_open_order(*sides: Side) -> bool:
    """Whether a side has atomics: then the order of their lanes may be seen."""
    return any(isinstance(access, Atomic) for side in sides for one in side.trace.performed for access in one.accesses)


def match(instance: Instance, source: Side, target: Side, known: Mapping[Term, Term]) -> Matched:
    """The events of both sides, in order.  Raises NotModelled where they cannot be set side by side."""
    walks = [_Walk(instance, side, known) for side in (source, target)]
    counts = [len(walk.events) for walk in walks]
    if counts[0] != counts[1]:
        raise NotModelled(f"{counts[0]} atomics beside {counts[1]}, whose order can be seen")
    pairs: list[tuple[Event, Event]] = []
    found: list[BitVec] = []
    for index in range(counts[0]):
        one, other = (walk.event(index) for walk in walks)
        if one.access.width != other.access.width:
            raise NotModelled("atomics of different widths side by side")
        before = symbol(FoundInMemory(index), 8 * one.access.width)
        for walk, event in zip(walks, (one, other), strict=True):
            walk.returns(index, event, before)
        pairs.append((one, other))
        found.append(before)
    observed = [walk.observed() for walk in walks]
    return Matched(
        tuple(pairs),
        tuple(found),
        walks[0].undefined(),
        walks[1].undefined(),
        tuple((name, k, left, right) for (name, k, left), (_, _, right) in zip(*observed, strict=True)),
    )


class _Walk:
    """One side's events, under the names that both sides share."""

    def __init__(self, instance: Instance, side: Side, known: Mapping[Term, Term]) -> None:
        self._instance = instance
        self._side = side
        self._known = dict(known)
        self._names: dict[Term, Term] = surface_names(instance, side.trace)
        self._names |= {one.symbol: own_name(side, one.symbol) for one in side.trace.arbitrary}
        self.events = list(_atomics(instance, side))
        self._symbols = {Same(access): value for one in side.trace.performed for access, value in one.loaded}
        self._accesses = [event.access for event in self.events]
        self._undefined: list[Bool] = []

    def _renamed(self, terms: Sequence[Term]) -> list[Term]:
        return substitute_all(substitute_all(terms, self._names), self._known)

    def event(self, index: int) -> Event:
        event, plain = self.events[index], self._accesses[index]
        terms = (plain.guard, plain.inside, plain.defined, whole_cell(plain), plain.src0, plain.src1, *plain.cell)
        guard, inside, defined, cell, src0, src1, *parts = self._renamed(terms)
        access = replace(
            plain,
            guard=cast(Bool, guard),
            inside=cast(Bool, inside),
            defined=cast(Bool, defined),
            cell=tuple(cast(list[BitVec], parts)),
            src0=cast(BitVec, src0),
            src1=cast(BitVec, src1),
        )
        self._undefined.append(conj(access.guard, neg(access.defined)))
        return replace(event, access=access, cell=cast(BitVec, cell))

    def returns(self, index: int, event: Event, found: BitVec) -> None:
        """Names what a lane's turn brings back."""
        value = self._symbols.get(Same(self._accesses[index]))
        if value is not None:
            self._names[value] = returned(event.access, found)

    def undefined(self) -> tuple[Bool, ...]:
        apart = cast(list[Bool], self._renamed(list(undefined_apart(self._side.trace))))
        return tuple(dict.fromkeys(one for one in (*self._undefined, *apart) if not is_false(one)))

    def observed(self) -> list[tuple[str, int, BitVec]]:
        elements = list(observed_elements(self._instance, self._side.trace))
        values = cast(list[BitVec], self._renamed([value for _, _, value in elements]))
        return [(name, k, value) for (name, k, _), value in zip(elements, values, strict=True)]


def _atomics(instance: Instance, side: Side) -> Iterator[Event]:
    for message, performed in enumerate(side.trace.performed):
        for access in performed.accesses:
            if not isinstance(access, Atomic):
                raise NotModelled(
                    "atomics whose order can be seen, among other messages", performed.instruction.position
                )
            yield Event(message, surface_of(instance, performed), whole_cell(access), access)


# ---------------------------------------------------------------- what has to hold


def same_turn(source: Event, target: Event, found: BitVec) -> Bool:
    """Whether both do the same to a cell that holds `found`."""
    if source.surface != target.surface or source.cell.width != target.cell.width:
        return conj(neg(source.happens), neg(target.happens))
    left, right = updated(source.access, found), updated(target.access, found)
    same = conj(eq(source.cell, target.cell), eq(left, right))
    return conj(iff(source.happens, target.happens), implies(source.happens, same))


def orders(matched: Matched) -> Iterator[Bool]:
    """That no order between two turns is fixed by the source and left open, or turned round, by the target."""
    for later, (source, target) in enumerate(matched.pairs):
        for earlier in range(later):
            before, before_target = matched.pairs[earlier]
            if before.message < source.message and not before_target.message < target.message:
                yield _apart_or_commuting(before, source)


def _apart_or_commuting(one: Event, other: Event) -> Bool:
    if one.surface != other.surface:
        return neg(false())
    apart = neg(eq(one.cell, other.cell))
    return disj(neg(one.happens), neg(other.happens), apart, _commute(one.access, other.access))


def _commute(one: Atomic, other: Atomic) -> Bool:
    """Whether neither order of two turns on one cell can be told from the other, whatever the cell holds."""
    found = symbol(FoundInMemory("between"), 8 * one.width)
    first = updated(other, updated(one, found))
    second = updated(one, updated(other, found))
    unseen: list[Bool] = []
    for this, that in ((one, other), (other, one)):
        if this.destination is not None:
            unseen.append(eq(returned(this, found), returned(this, updated(that, found))))
    return conj(eq(first, second), *unseen)
