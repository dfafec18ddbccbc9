"""Accesses as terms, and a lane of an atomic as an event: it finds something in its cell, and leaves something."""

from collections.abc import Mapping, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.queries.kernels.stores import Stores, UnitStore
from visaproof.refinement.effects.side import Side
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, Store
from visaproof.semantics.symbolic.effects import returned, updated
from visaproof.semantics.symbolic.names import FoundInMemory
from visaproof.smt import BitVec, Bool, Term, concat, conj, symbol


class AtomicEvent(Struct, frozen=True):
    """One lane's atomic, under the names that both kernels share."""

    message: int
    """Its message: those of one message come in any order (D30), messages one after another."""
    surface: str
    cell: BitVec
    access: Atomic
    found: BitVec
    """What its cell holds when it comes: arbitrary, and the same for the event of the other kernel."""
    before: tuple[tuple[str, Stores], ...]
    """What this kernel stored before, which other threads may read when they see the event."""

    @property
    def happens(self) -> Bool:
        """Where it changes memory or returns what is there."""
        return conj(self.access.guard, self.access.inside)

    @property
    def left(self) -> BitVec:
        """What it leaves in its cell."""
        return updated(self.access, self.found)

    def returned(self, found: BitVec) -> BitVec:
        """What it returns where its cell holds this."""
        return returned(self.access, found)


def event_of(
    number: int,
    message: int,
    surface: str,
    access: Atomic,
    seen: Sequence[Term],
    stores: Mapping[str, Sequence[UnitStore]],
) -> AtomicEvent:
    """A lane of an atomic with its terms under the shared names, and what was stored before."""
    guard, inside = cast(Bool, seen[0]), cast(Bool, seen[1])
    own = replace(with_operands(access, seen), guard=guard, inside=inside)
    before = tuple((name, tuple(those)) for name, those in sorted(stores.items()) if those)
    found = symbol(FoundInMemory(number), 8 * access.width)
    return AtomicEvent(message, surface, cast(BitVec, seen[3]), own, found, before)


def change_memory(side: Side, unit: int | None, accesses: Sequence[Access]) -> bool:
    """Whether the atomics of a message change what they find, one after another in any order.

    That is so where no other thread comes between, and nobody sees the order of those of one message.
    """
    atomics = [one for one in accesses if isinstance(one, Atomic)]
    if side.premises is None or side.by_events or not atomics:
        return False
    unseen = all(one.destination is None and one.op.commuting_group is not None for one in atomics)
    return all(one.width == unit for one in atomics) and (unseen or len(accesses) == 1)


# ---------------------------------------------------------------- the terms of an access


def with_operands(access: Atomic, seen: Sequence[Term]) -> Atomic:
    """The atomic with its operands under the shared names."""
    return replace(access, src0=cast(BitVec, seen[4]), src1=cast(BitVec, seen[5]))


def terms_of(access: Access) -> list[Term]:
    """Guard, bounds, where it is defined, its cell as one word, and what it writes."""
    cell = access.cell[0] if len(access.cell) == 1 else concat(*access.cell)
    terms: list[Term] = [access.guard, access.inside, access.defined, cell]
    match access:
        case Store():
            return [*terms, access.value]
        case Atomic():
            return [*terms, access.src0, access.src1]
        case Load():
            return terms
