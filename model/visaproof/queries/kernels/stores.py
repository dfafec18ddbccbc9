"""Guarded stores of a unit of memory each, and when those of two kernels are the same."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from visaproof.smt import BitVec, Bool, Term, conj, eq, iff, implies, is_false, ite, substitute


@dataclass(frozen=True, slots=True)
class Owner:
    """Of an access of memory that buffers share: the buffer that it is of, and which work items make it."""

    buffer: str = ""
    items: frozenset[int] | None = field(default=None, compare=False)
    """None where that is not known."""


NO_OWNER = Owner()
"""Of an access of a surface that has a memory of its own."""


@dataclass(frozen=True, slots=True)
class UnitStore:
    """One unit of memory that is written where the guard holds, which includes that it is inside its surface."""

    guard: Bool
    cell: BitVec
    value: BitVec
    owner: Owner = NO_OWNER
    """Whose it is in memory that buffers share."""

    def hits(self, cell: BitVec) -> Bool:
        return conj(self.guard, eq(self.cell, cell))


Stores = tuple[UnitStore, ...]


def after(stores: Iterable[UnitStore], cell: BitVec, before: BitVec) -> BitVec:
    """What a unit holds after the stores."""
    value = before
    for store in stores:
        value = ite(store.hits(cell), store.value, value)
    return value


def _never(one: Owner, other: Owner) -> bool:
    return False


def same_stores(source: Stores, target: Stores, are_apart: Callable[[Owner, Owner], bool] = _never) -> bool:
    """Whether both are the same guarded stores, but for the order of stores that cannot meet.

    Those to two buffers that `are_apart` cannot.
    """
    places: dict[UnitStore, list[int]] = {}
    for place, store in enumerate(source):
        places.setdefault(store, []).append(place)
    order: list[int] = []
    for store in target:
        remaining = places.get(store)
        if not remaining:
            return False
        order.append(remaining.pop(0))
    if len(order) != len(source):
        return False
    return all(
        are_apart(source[later].owner, source[place].owner) or _apart(source[later], source[place])
        for index, place in enumerate(order)
        for later in order[:index]
        if later > place
    )


def _apart(one: UnitStore, other: UnitStore) -> bool:
    return is_false(conj(one.guard, other.guard, eq(one.cell, other.cell)))


@dataclass(frozen=True, slots=True)
class Step:
    """A small part of a question: two words that have to be equal, after which one may stand for the other."""

    source: BitVec
    target: BitVec

    @property
    def goal(self) -> Bool:
        return eq(self.source, self.target)


def address_step(source: UnitStore, target: UnitStore) -> Step:
    """What has to be equal for both to be one address: without what both addresses have around it."""
    one, other = source.cell, target.cell
    while one.op is other.op and one.payload == other.payload and len(one.args) == len(other.args) == 1:
        inner, other_inner = cast(BitVec, one.args[0]), cast(BitVec, other.args[0])
        if inner.width != other_inner.width:
            break
        one, other = inner, other_inner
    return Step(one, other)


def same_store(source: UnitStore, target: UnitStore, known: Mapping[Term, Term]) -> Bool:
    """Whether both write the same, where `known` says what stands for what."""
    guard, value = substitute(target.guard, known), substitute(target.value, known)
    return conj(iff(source.guard, guard), implies(source.guard, eq(source.value, value)))
