"""Guarded stores of a unit of memory each, and when those of two kernels are the same."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.atomics import AtomicOp, commute
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.semantics.symbolic.effects import new_value
from visaproof.semantics.symbolic.literals import Literals, literals_of
from visaproof.semantics.symbolic.names import FoundInMemory
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    conj,
    const,
    disj,
    eq,
    extract,
    iff,
    implies,
    is_false,
    ite,
    linear_parts,
    neg,
    sub,
    substitute,
    symbol,
)


@dataclass(frozen=True, slots=True)
class Owner:
    """Of an access of memory that buffers share: the buffer that it is of, and which work items make it."""

    buffer: str = ""
    items: frozenset[int] | None = field(default=None, compare=False)
    """None where that is not known."""
    thread: int | None = field(default=None, compare=False)
    """Of a group of threads that race where two of them access one byte, the thread; else None."""
    message: int | None = field(default=None, compare=False)
    """Of a store of one lane among others, its message, in which no two lanes may store one byte; else None."""

    def collides(self, other: "Owner") -> bool:
        """Whether both are of one message, so that where they are at one place its lanes collide."""
        return self.message is not None and self.message == other.message


NO_OWNER = Owner()
"""Of an access of a surface that has a memory of its own."""


class Change(Struct, frozen=True):
    """What an atomic does to a unit that it finds in memory, of which nobody sees when it came."""

    op: AtomicOp
    readings: Readings = DEFAULT

    def left(self, before: BitVec, operands: BitVec) -> BitVec:
        """What the unit holds after it; its two operands are side by side in one word."""
        width = before.width
        return new_value(
            self.op, before, extract(operands, 2 * width - 1, width), extract(operands, width - 1, 0), self.readings
        )

    @property
    def adds(self) -> bool:
        """Whether it adds a number that does not depend on what is there."""
        return self.op.commuting_group is AtomicOp.ADD


class UnitStore(Struct, frozen=True):
    """One unit of memory that is written where the guard holds, which includes that it is inside its surface."""

    guard: Bool
    cell: BitVec
    value: BitVec
    """Of an atomic that changes what is there, its operands."""
    owner: Owner = NO_OWNER
    """Whose it is in memory that buffers share."""
    change: Change | None = None

    def left(self, before: BitVec) -> BitVec:
        """What the unit holds after it, where it held `before`."""
        return self.value if self.change is None else self.change.left(before, self.value)

    def leaves_its_value(self, where: Literals) -> bool:
        """Whether it certainly stores its value wherever this holds."""
        return self.change is None and literals_of(self.guard) <= where

    def hits(self, cell: BitVec) -> Bool:
        same = eq(self.cell, cell)
        return same if is_false(same) else conj(self.guard, same)


Stores = tuple[UnitStore, ...]


def after(stores: Iterable[UnitStore], cell: BitVec, before: BitVec) -> BitVec:
    """What a unit holds after the stores."""
    value = before
    for store in stores:
        if is_false(hit := store.hits(cell)):
            continue
        if store.change is not None and store.change.adds:  # a sum stays a sum: its order does not matter
            value = add(value, ite(hit, sub(store.left(value), value), const(0, value.width)))
        else:
            value = ite(hit, store.left(value), value)
    return value


def stored_by(stores: Stores, cell: BitVec, where: Literals) -> BitVec | None:
    """What the last store before a load has left, where it comes from the same lane and is at the same place.

        where ⇒ s,   s: c := v,   and all stores after it that may be at c are of the same message:   c holds v

    In one message two lanes that store at c collide, which is undefined.
    """
    there = (place for place, one in enumerate(stores) if one.cell is cell and one.leaves_its_value(where))
    last = max(there, default=None)
    if last is None:
        return None
    mine = stores[last]
    apart = (mine.owner.collides(one.owner) or is_false(one.hits(cell)) for one in stores[last + 1 :])
    return mine.value if all(apart) else None


def lasting(stores: Stores) -> Stores:
    """Those that no later one overwrites by its form: to one cell under one guard the last one stands."""
    last = {(one.guard, one.cell, one.owner): place for place, one in enumerate(stores) if one.change is None}
    return tuple(
        one
        for place, one in enumerate(stores)
        if one.change is not None or last[one.guard, one.cell, one.owner] == place
    )


def at_once(stores: Stores) -> Stores:
    """Those of one value to one cell that follow each other as one, which whoever stores it first does:

    a: c := v,  b: c := v   leaves what   a ∨ b: c := v   leaves.
    """
    found: list[UnitStore] = []
    for one in stores:
        before = found[-1] if found else one
        if found and _says_the_same(before, one):
            found[-1] = replace(before, guard=disj(before.guard, one.guard), owner=Owner(one.owner.buffer))
        else:
            found.append(one)
    return tuple(found)


def _says_the_same(one: UnitStore, other: UnitStore) -> bool:
    """Whether both store one value in one cell, which atomics that change it do not."""
    alike = (one.cell, one.value, one.owner) == (other.cell, other.value, other.owner)
    return alike and one.change is None and other.change is None


def _never(one: Owner, other: Owner) -> bool:
    return False


def exchanged(
    source: Stores, target: Stores, are_apart: Callable[[Owner, Owner], bool] = _never
) -> Iterator[Bool] | None:
    """What has to hold so that both are the same guarded stores, in orders that cannot be told apart.

    That those which are exchanged do not meet; None where they are not the same stores.  Those to two buffers that
    `are_apart` cannot.
    """
    places: dict[UnitStore, list[int]] = {}
    for place, store in enumerate(source):
        places.setdefault(store, []).append(place)
    order: list[int] = []
    for store in target:
        remaining = places.get(store)
        if not remaining:
            return None
        order.append(remaining.pop(0))
    if len(order) != len(source):
        return None
    return (
        neg(conj(source[later].guard, source[place].guard, same_place(source[later].cell, source[place].cell)))
        for index, place in enumerate(order)
        for later in order[:index]
        if later > place
        and not are_apart(source[later].owner, source[place].owner)
        and not _commute(source[later], source[place])
    )


def same_place(one: BitVec, other: BitVec) -> Bool:
    """Whether two cells are one: of texels, coordinate by coordinate.

    x : y = v : w  ⟺  x = v ∧ y = w;  2^k·zx(x : y) = 0 : x : y : 0  where the shift by k loses no bit
    """
    parts, others = _coordinates(one), _coordinates(other)
    if [part.width for part in parts] != [part.width for part in others]:
        return eq(one, other)
    return conj(*(eq(part, another) for part, another in zip(parts, others, strict=True)))


def _coordinates(cell: BitVec) -> tuple[BitVec, ...]:
    """The words of which a cell is concatenated, the highest first; else the cell itself."""
    constant, summands = linear_parts(cell)
    if constant or len(summands) != 1:
        return (cell,)
    ((word, factor),) = summands.items()
    inner = cast(BitVec, word.args[0]) if word.op is Op.ZERO_EXTEND else word
    shift = factor.bit_length() - 1
    above = cell.width - shift - inner.width
    if inner.op is not Op.CONCAT or factor != 1 << shift or above < 0:
        return (cell,)
    high = (const(0, above),) if above else ()
    low = (const(0, shift),) if shift else ()
    return (*high, *cast(tuple[BitVec, ...], inner.args), *low)


def _commute(one: UnitStore, other: UnitStore) -> bool:
    """Whether both are atomics that leave the same in either order; units of one memory have one width."""
    return one.change is not None and other.change is not None and commute(one.change.op, other.change.op)


class Step(Struct, frozen=True):
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
    if source.change is None is target.change:
        same = eq(source.value, value)
    else:
        units = (store.value.width // (1 if store.change is None else 2) for store in (source, target))
        before = symbol(FoundInMemory("there"), min(units))
        same = eq(source.left(before), replace(target, value=value).left(before))
    return conj(iff(source.guard, guard), implies(source.guard, same))
