"""Symbolic private memory of a thread: what it stores there it loads again, and nobody else sees it.

There are two kinds of it, which share no byte.  A 64-bit address is private where it is the base of private memory,
which the launch hands to the kernel, plus anything that does not depend on an address; and the surface `%scratch` is
private, with 32-bit addresses.  Where it is not certain whether a load meets a store, the choice is between both.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import SCRATCH
from visaproof.machine.symbolic.private_places import PlaceIndex, Places, are_apart
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, Store
from visaproof.semantics.symbolic.literals import NONE, Literals, literals_of, missing
from visaproof.semantics.symbolic.state import SCRATCH_BITS
from visaproof.semantics.symbolic.value_names import LoadedValue, OfLoop, OpenValue
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    concat,
    conj,
    const,
    disj,
    eq,
    extract,
    false,
    is_false,
    is_true,
    ite,
    linear_parts,
    neg,
    symbol,
    truncate,
)
from visaproof.smt.arithmetic import difference, sum_of
from visaproof.smt.bits import zero_extend
from visaproof.smt.halves.sums import recombined

FEW_CHOICES, MANY_CHOICES = 8, 32
"""Stores that a byte may come from; a load of a byte with more of them brings anything.  Two kernels are compared with
many; questions about one, which seldom depend on such a byte, are asked sooner with few."""


PrivateCell = tuple[BitVec, int]
"""Bytes of private memory: where they begin, and how many they are."""


class PrivateStore(NamedTuple):
    """Bytes that were written where the guard held; or, without a value, all of this kind became arbitrary."""

    guard: Literals
    start: BitVec
    """Behind the base, in 64 bits; or in `%scratch`, in 32."""
    value: BitVec | None


class _Met(NamedTuple):
    """A store that a load may meet: the load begins `distance` behind it."""

    guard: Literals
    value: BitVec
    distance: BitVec


def _is_handed(word: BitVec) -> bool:
    """Whether the word was there when the thread started."""
    return word.op is Op.SYMBOL and not isinstance(word.payload, OfLoop | LoadedValue | OpenValue)


class PrivateMemory:
    """The stores to private memory so far."""

    def __init__(self, base: BitVec | None, choices: int = MANY_CHOICES) -> None:
        self._base = base
        self._choices = choices
        self._stores: list[PrivateStore] = []
        self._offsets: dict[BitVec, BitVec | None] = {}
        self._places = Places()
        self._indices: dict[int, PlaceIndex] = {}
        """Of the stores with a value, by the bits of their offsets."""
        self._anything: dict[int, list[int]] = {}
        """By the bits, the numbers of the stores by which everything became arbitrary."""

    def contents(self) -> tuple[PrivateStore, ...]:
        """What `restore` brings back."""
        return tuple(self._stores)

    def restore(self, contents: Sequence[PrivateStore]) -> None:
        mine = self._stores
        kept = next(
            (k for k, (one, other) in enumerate(zip(mine, contents, strict=False)) if one is not other), len(contents)
        )
        kept = min(kept, len(mine))
        for index in self._indices.values():
            index.drop(kept)
        for numbers in self._anything.values():
            while numbers and numbers[-1] >= kept:
                numbers.pop()
        del mine[kept:]
        for store in contents[kept:]:
            self._append(store)

    def _append(self, store: PrivateStore) -> None:
        number, bits = len(self._stores), store.start.width
        self._stores.append(store)
        if store.value is None:
            self._anything.setdefault(bits, []).append(number)
        else:
            index = self._indices.setdefault(bits, PlaceIndex())
            index.add(number, self._places.of(store.start), store.value.width // 8)

    def owns(self, access: Access) -> bool:
        """Whether this is an access of private memory."""
        return self._offset(access) is not None

    def _offset(self, access: Access) -> BitVec | None:
        """Where an access begins: behind the base, or in `%scratch`.  None where it is not known to be private."""
        address = access.cell[0]
        if access.surface == SCRATCH:
            return truncate(address, SCRATCH_BITS)
        if self._base is None or access.surface != FLAT:
            return None
        if address not in self._offsets:
            constant, parts = linear_parts(recombined(address))
            alone = {atom: factor for atom, factor in parts.items() if atom is not self._base}
            private = parts.get(self._base) == 1
            self._offsets[address] = sum_of(constant, alone, address.width) if private else None
        return self._offsets[address]

    def store(self, accesses: Iterable[Access]) -> None:
        """Takes in the stores of a message; by an atomic, and one that may be private, everything becomes arbitrary."""
        for access in accesses:
            if isinstance(access, Load):
                continue
            start = self._offset(access)
            if isinstance(access, Store) and start is not None:
                self._append(PrivateStore(literals_of(access.guard), start, access.value))
            elif start is not None or not self._is_elsewhere(access.cell[0]):
                self._havoc(access.surface)

    def _is_elsewhere(self, address: BitVec) -> bool:
        """Whether this is another pointer of the launch plus something.

        Of an address that a loop has moved, or that was loaded, it is not known where it comes from.
        """
        _, parts = linear_parts(recombined(address))
        return any(factor == 1 and atom is not self._base and _is_handed(atom) for atom, factor in parts.items())

    def havoc(self) -> None:
        """Makes everything arbitrary."""
        for surface in (FLAT, SCRATCH):
            self._havoc(surface)

    def _havoc(self, surface: str) -> None:
        if surface == SCRATCH:
            self._append(PrivateStore(NONE, const(0, SCRATCH_BITS), None))
        elif self._base is not None:
            self._append(PrivateStore(NONE, const(0, self._base.width), None))

    def since(self, stores: int) -> Sequence[PrivateStore]:
        """The stores behind the first so many."""
        return self._stores[stores:]

    def blur(self, name: str, cells: Mapping[PrivateCell, Literals]) -> None:
        """Makes these cells arbitrary, each where its guard holds."""
        for number, ((start, size), guard) in enumerate(cells.items()):
            self._append(PrivateStore(guard, start, symbol(OfLoop(name, f"private{number}"), 8 * size)))

    def load(self, access: Access, otherwise: BitVec, assumed: Literals) -> BitVec:
        """What the access brings; `otherwise`, which is this load's own, where it is not known."""
        start = self._offset(access)
        assert start is not None
        if isinstance(access, Atomic):
            return otherwise
        value = self.held(start, access.width, otherwise, assumed)
        value = recombined(value) if access.width == 8 else value
        return zero_extend(value, otherwise.width)  # a narrow element leaves the rest to the page

    def held(self, start: BitVec, width: int, otherwise: BitVec, assumed: Literals) -> BitVec:
        """What is in so many bytes from a place on; `otherwise` where it is not known."""
        met = list(self._met(start, width, assumed))
        unit = _unit(met, width)
        pieces: list[BitVec] = []
        for byte in range(0, width, unit):
            before = extract(otherwise, 8 * (byte + unit) - 1, 8 * byte)
            pieces.append(_unit_at(met, byte, unit, before, assumed, self._choices))
        return concat(*reversed(pieces))

    def _met(self, start: BitVec, width: int, assumed: Literals) -> Iterator[_Met]:
        """The stores that a load may meet, newest first, up to one that wrote all of it or left anything."""
        if (index := self._indices.get(start.width)) is None:
            return
        full, places = (1 << start.width) - 1, self._places
        place, low = places.of(start), places.of_low_half(start)
        anything = self._anything.get(start.width)
        first = anything[-1] if anything else -1
        for number in index.near(place, width):
            if number < first:
                return
            store = self._stores[number]
            assert store.value is not None
            size, own = store.value.width // 8, places.of(store.start)
            if are_apart(place, own, width, size) or are_apart(low, places.of_low_half(store.start), width, size):
                continue
            if place.parts == own.parts:
                known, unknown = place.constant - own.constant & full, {}
            else:
                known, unknown = difference(start, store.start)
            yield _Met(store.guard, store.value, sum_of(known, unknown, start.width))
            if not unknown and known + width <= size and store.guard <= assumed:
                return


def _unit_at(
    stores: Iterable[_Met], byte: int, unit: int, otherwise: BitVec, assumed: Literals, choices: int
) -> BitVec:
    """What a load brings from this byte of it on."""
    chosen: list[tuple[Bool, BitVec]] = []
    value = otherwise
    for store in stores:
        piece, met = _overlap(store, byte, unit)
        condition = conj(met, missing(store.guard, assumed)) if piece is not None else met
        if piece is None or is_false(condition):
            continue
        if is_true(condition):
            value = piece
            break
        chosen.append((condition, piece))
        assumed = assumed | {neg(condition)}
        if len(chosen) > choices:
            break  # `otherwise` stands for anything
    if len(chosen) > 1 and is_true(disj(*(condition for condition, _ in chosen))):
        _, value = chosen.pop()  # one of them is met, and if none before, this one
    for condition, piece in reversed(chosen):
        value = ite(condition, piece, value)
    return value


def _unit(stores: Iterable[_Met], width: int) -> int:
    """The largest power of two of bytes that no store can meet in part only."""
    unit = width & -width
    for store in stores:
        while unit > 1 and (store.value.width // 8 % unit or store.distance.zeros & (unit - 1) != unit - 1):
            unit //= 2
    return unit


def _overlap(store: _Met, byte: int, unit: int) -> tuple[BitVec | None, Bool]:
    """What the unit at `byte` of a load is if the store wrote it, and the condition that it is that unit.

    Of a store of several units the condition chooses which.
    """
    units: list[tuple[Bool, BitVec]] = []
    for at in range(0, store.value.width // 8, unit):
        same = eq(store.distance, const(at - byte, store.distance.width))
        if not is_false(same):
            units.append((same, extract(store.value, 8 * (at + unit) - 1, 8 * at)))
    if not units:
        return None, false()
    met, value = units[0]
    for same, other in units[1:]:
        value = ite(same, other, value)
        met = disj(met, same)
    return value, met
