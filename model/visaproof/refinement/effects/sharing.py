"""Buffers that may overlap, as one memory of 64-bit addresses in which a launch puts each of them somewhere.

An access of buffer B at offset c is one at address base(B) + c, and what a load finds is what the last store before it
left at its address, whatever buffer that went to.  Nothing is said of how far bases are from each other, so that a
proof holds wherever buffers lie: one in another, at the same place, or apart.

Two buffers may be known to be `apart`: no byte that is written belongs to both.  Then stores to one change nothing in
the other, and come in no order with those to the other.

Images have no addresses: of an image and another surface that may be one object it is not known which texel is which
byte.  Then a store to one may change anything in the other, and what that holds is arbitrary after it.  This is one
value for both kernels only after the same stores: both have to store to the same of these surfaces, message by message,
and each to leave the same there between two stores to the others, and until one of the others is read.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import cast

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.queries.kernels.stores import Owner, Stores, UnitStore
from visaproof.queries.kernels.surface_names import itself, like_then
from visaproof.semantics.symbolic.literals import alternatives, literals_of
from visaproof.semantics.symbolic.names import LaneOn, buffer_base
from visaproof.smt import BitVec, Bool, Op, add, conj, const, disj, scale, zero_extend

ALIGNMENT = 4
"""Bytes: the address of a buffer is a multiple, where it is not known what an argument points to."""

SHARED = "overlapping buffers"
"""The name of the memory that they share."""

SHARED_AT = 1 << 48
"""Where a buffer begins whose symbol is 0: no launch has a buffer at address 0."""

Pair = frozenset[str]
"""Two buffers."""


class Sharing(Struct, frozen=True):
    """The buffers that may overlap others, and which of them do not overlap each other."""

    alignments: Mapping[str, int]
    """By the common name of each buffer, of how many bytes its base is a multiple."""
    apart: frozenset[Pair] = field(default_factory=frozenset[Pair])
    narrow: int = 0
    """Lanes of the narrower thread where kernels of different widths are compared: then work items do not race, as in
    the source language, and those of one item alone come in an order."""
    images: frozenset[Pair] = field(default_factory=frozenset[Pair])
    """Pairs of surfaces that may be one object; one of both is an image."""
    elements: Mapping[str, int] = field(default_factory=dict[str, int])
    """By the common name of an argument, the bytes of an element, of which its address is a multiple."""

    def unit(self, buffer: str) -> int:
        """Of how many bytes the address of a buffer is a multiple."""
        return self.alignments.get(buffer) or self.elements.get(buffer, ALIGNMENT)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of surfaces that may overlap."""
        pairs = (frozenset(pair) for pair in combinations(self.alignments, 2))
        return *(pair for pair in pairs if pair not in self.apart), *sorted(self.images, key=sorted)

    def without(self, pairs: Collection[Pair]) -> "Sharing":
        """The same where these are apart as well."""
        pairs = frozenset(pairs)
        return replace(self, apart=self.apart | (pairs - self.images), images=self.images - pairs)

    def others(self, surface: str) -> frozenset[str]:
        """The memories of what may be one object with a surface, or with a buffer that may overlap it."""
        own = self.memory(surface)
        pairs = [frozenset(map(self.memory, pair)) for pair in self.images]
        return frozenset[str]().union(*(pair for pair in pairs if own in pair)) - {own}

    def memory(self, surface: str) -> str:
        """The memory in which a surface lies: its own, or the one that buffers share."""
        return like_then(SHARED, surface) if itself(surface) in self.alignments else surface

    def buffer(self, surface: str) -> str:
        """The buffer that a surface shows, if it may overlap others."""
        own = itself(surface)
        return own if own in self.alignments else ""

    def base(self, buffer: str) -> BitVec:
        """Where a buffer begins."""
        first = SHARED_AT if buffer in self.alignments else 0
        return add(const(first, 64), scale(buffer_base(buffer), self.unit(buffer)))

    def address(self, surface: str, cell: BitVec) -> BitVec:
        """Where an access of a surface is in its memory."""
        buffer = self.buffer(surface)
        return add(self.base(buffer), zero_extend(cell, 64)) if buffer else cell

    def items(self, thread: int, first_lane: int, lane: int | None) -> frozenset[int] | None:
        """The work items for which a thread makes an access, one of its lanes or all."""
        if not self.narrow:
            return None
        first = thread * self.narrow
        return frozenset(range(first, first + self.narrow) if lane is None else (first + first_lane + lane,))

    def are_apart(self, one: Owner, other: Owner) -> bool:
        """Whether two accesses have no written byte in common."""
        if one.buffer == other.buffer:
            return one.thread != other.thread and None not in (one.thread, other.thread)
        if one.items is not None and other.items is not None and one.items.isdisjoint(other.items):
            return True
        return frozenset((one.buffer, other.buffer)) in self.apart

    def seen_from(self, owner: Owner, stores: Iterable[UnitStore]) -> Iterator[UnitStore]:
        """The stores that may change what is in a buffer, each where it may."""
        return (self._by_itself(owner, store) for store in stores if not self.are_apart(owner, store.owner))

    def _by_itself(self, owner: Owner, store: UnitStore) -> UnitStore:
        """A store that a thread makes once for all of its lanes, as a work item finds it in another buffer.

            guard = ⋁ (lane k is on ∧ g(k)):   item i finds it where  lane i is on ∧ g(i)

        It is one of each item whose lane comes to it; where item k ≠ i stores what i reads, they race.
        """
        if not self.narrow or owner.items is None or len(owner.items) > 1 or owner.buffer == store.owner.buffer:
            return store
        (item,) = owner.items
        parts = store.guard.args if store.guard.op is Op.CONJ else (store.guard,)
        ways = [one for one in parts if one.op is Op.DISJ]
        lanes = [[_lane_of(one) for one in alternatives(cast(Bool, way))] for way in ways]
        if len(ways) != 1 or None in lanes[0]:
            return store
        own = [one for one, lane in zip(alternatives(cast(Bool, ways[0])), lanes[0], strict=True) if lane == item]
        rest = (cast(Bool, one) for one in parts if one is not ways[0])
        return replace(store, guard=conj(disj(*own), *rest))


NOTHING_SHARED = Sharing({})


def _lane_of(way: Bool) -> int | None:
    """The lane that is on where this holds; None where it is not said of one alone."""
    found = [one.payload.lane for one in literals_of(way) if isinstance(one.payload, LaneOn)]
    return found[0] if len(found) == 1 else None


def owners(*stores: Stores) -> Sequence[Owner]:
    """The buffers to which these go, whichever work items they are of."""
    return [Owner(name) for name in dict.fromkeys(store.owner.buffer for those in stores for store in those)]
