"""Where stores to private memory begin: which of them a load may meet is looked up, as kernels spill thousands."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from visaproof.smt import BitVec, linear_parts, truncate
from visaproof.smt.arithmetic import sum_of
from visaproof.smt.terms import lowest_bit


class Place(NamedTuple):
    """An offset in parts."""

    parts: int
    """A number for all of it but its constant."""
    constant: int
    unit: int
    """All of it but its constant is a multiple of this power of two."""
    bits: int
    """How many it has."""


class Places:
    """The places of offsets, of which each is taken apart once."""

    def __init__(self) -> None:
        self._known: dict[BitVec, Place] = {}
        self._low_halves: dict[BitVec, Place] = {}
        self._parts: dict[frozenset[tuple[BitVec, int]], int] = {}
        """Offsets that differ by a constant have one number."""

    def of(self, offset: BitVec) -> Place:
        found = self._known.get(offset)
        if found is None:
            constant, parts = linear_parts(offset)
            number = self._parts.setdefault(frozenset(parts.items()), len(self._parts))
            unit = lowest_bit(sum_of(0, parts, offset.width))
            found = self._known[offset] = Place(number, constant, unit, offset.width)
        return found

    def of_low_half(self, offset: BitVec) -> Place:
        """The low half of an offset, which may be known where the halves of addresses are computed unlike."""
        found = self._low_halves.get(offset)
        if found is None:
            found = self._low_halves[offset] = self.of(truncate(offset, offset.width // 2))
        return found


def are_apart(load: Place, store: Place, width: int, size: int) -> bool:
    """Whether a load cannot meet a store: what their offsets are beside constants is equal, or multiples of a unit."""
    period = 1 << load.bits if load.parts == store.parts else min(load.unit, store.unit)
    return size <= (load.constant - store.constant) % period <= period - width


class PlaceIndex:
    """The places of stores, each with the number of its store: they come and go in the order of their numbers."""

    def __init__(self) -> None:
        self._places: list[tuple[int, Place]] = []
        self._largest = 1
        """Bytes of the largest store so far."""
        self._constants: dict[int, dict[int, list[int]]] = {}
        """By the parts, then by the constant, the numbers."""
        self._units: dict[int, dict[int, list[int]]] = {}
        """By the unit, then by the parts."""
        self._residues: dict[tuple[int, int], dict[int, list[int]]] = {}
        """By the unit and a period, then by the residue of the constant."""

    def add(self, number: int, place: Place, size: int) -> None:
        self._largest = max(self._largest, size)
        self._places.append((number, place))
        for numbers in self._lists(place):
            numbers.append(number)

    def drop(self, first: int) -> None:
        """Forgets the stores from this number on."""
        while self._places and self._places[-1][0] >= first:
            _, place = self._places.pop()
            for numbers in self._lists(place):
                numbers.pop()

    def near(self, load: Place, width: int) -> Iterable[int]:
        """The numbers of at least those stores that the load may meet, the last one first."""
        window = range(load.constant - self._largest + 1, load.constant + width)
        full, found = (1 << load.bits) - 1, set[int]()
        same = self._constants.get(load.parts, {})
        for constant in window:
            found.update(same.get(constant & full, ()))
        for unit, by_parts in self._units.items():
            period = min(load.unit, unit)
            if period <= len(window):
                for parts, numbers in by_parts.items():
                    if parts != load.parts:
                        found.update(numbers)
                continue
            residues = self._by_residue(unit, period)
            for constant in window:
                found.update(residues.get(constant % period, ()))
        return sorted(found, reverse=True)

    def _by_residue(self, unit: int, period: int) -> dict[int, list[int]]:
        found = self._residues.get((unit, period))
        if found is None:
            found = self._residues[unit, period] = {}
            for number, place in self._places:
                if place.unit == unit:
                    found.setdefault(place.constant % period, []).append(number)
        return found

    def _lists(self, place: Place) -> Iterator[list[int]]:
        """Those in which the place is."""
        yield self._constants.setdefault(place.parts, {}).setdefault(place.constant, [])
        yield self._units.setdefault(place.unit, {}).setdefault(place.parts, [])
        for (unit, period), residues in self._residues.items():
            if unit == place.unit:
                yield residues.setdefault(place.constant % period, [])
