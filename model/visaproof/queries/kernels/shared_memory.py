"""Memory that two kernels share before they start: one symbol for each cell, whichever of them reads it.

A cell is a unit of `1`, `2` or `4` bytes.  Cells with one normal form are one symbol; that cells which are equal for
some inputs hold the same is `consistent`.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple, cast

from visaproof.queries.kernels.constant_data import NO_TABLES, Tables
from visaproof.queries.kernels.stores import Stores, after, stored_by
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.literals import Literals
from visaproof.semantics.symbolic.names import MemoryBefore, NamedLoad, OpenResult
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    bool_symbol,
    concat,
    const,
    eq,
    implies,
    is_false,
    known_trailing_zeros,
    symbol,
    symbols_of,
)

WORD = 4
"""Bytes of the largest unit."""


def unit_of(accesses: Iterator[Access]) -> int:
    """The largest unit of which all accesses are whole and aligned multiples."""
    unit = WORD
    for access in accesses:
        address, *coordinates = access.cell
        if coordinates:  # a channel of a texel, or a texel as a whole
            return access.width
        while access.width % unit or 1 << known_trailing_zeros(address) < unit:
            unit //= 2
    return unit


MOST_PAIRS = 2016
"""Of cells that are compared: each pair of 64, or those of a few with many others."""


class SharedMemory:
    """Names for what both kernels may read, given out in the order in which they are asked for."""

    def __init__(
        self,
        units: Mapping[str, int],
        tables: Tables = NO_TABLES,
        aligned: frozenset[str] = frozenset(),
        collide: bool = False,
    ) -> None:
        self.units = dict(units)
        self.aligned = aligned
        """The memories of dwords of which nobody may reach parts of two."""
        self.collide = collide
        """Whether it is undefined that two lanes of a message store one byte."""
        self.tables = tables
        self.alike: dict[Term, Term] = {}
        """Terms, and for each another one that stands for it, since both are equal for all inputs."""
        self.cells: dict[tuple[str, BitVec], BitVec] = {}
        self.places: dict[Term, tuple[str, BitVec]] = {}
        """The surface and the address of a cell."""
        self.definitions: dict[Term, BitVec] = {}
        """What a named value is."""
        self.order: list[Term] = []
        """Cells and named values, each behind those that it depends on."""
        self._described: dict[Term, BitVec] = {}
        """The address of a cell, or what a named value is."""
        self._names: dict[BitVec, BitVec] = {}
        self._stored = set[BitVec]()
        """What loads have found that had stored it: the other kernel may have it in a register, without a name."""
        self._results: dict[Hashable, Term] = {}
        self._operations: dict[Term, Hashable] = {}
        self._spelled: dict[Term, str] = {}
        self._loaded: dict[tuple[str, BitVec], dict[int, list[tuple[Stores, BitVec]]]] = {}
        """By the number of stores, what a unit holds after them."""

    def initial(self, surface: str, cell: BitVec) -> BitVec:
        """What the unit at this address holds before the kernels start."""
        found = self.cells.get((surface, cell))
        if found is None:
            found = symbol(MemoryBefore(surface, len(self.cells)), 8 * self.units[surface])
            self.cells[surface, cell] = found
            self.places[found] = surface, cell
            self._described[found] = cell
            self.order.append(found)
        return found

    def after(self, stores: Stores, surface: str, cell: BitVec) -> BitVec:
        """What it holds after these stores, from what it was found to hold after the most of them:

            after(s1 … sn) = after(sk+1 … sn) of what it holds after(s1 … sk)

        A kernel loads a unit again after more stores, and the other kernel after the same ones.
        """
        known = self._loaded.setdefault((surface, cell), {0: [((), self.initial(surface, cell))]})
        counts = sorted((count for count in known if count <= len(stores)), reverse=True)
        found = (one for count in counts for one in known[count] if one[0] == stores[:count])
        before, value = next(found)
        if len(before) < len(stores):
            value = after(stores[len(before) :], cell, value)
            known.setdefault(len(stores), []).append((stores, value))
        return value

    def found(self, stores: Stores, surface: str, cell: BitVec, where: Literals) -> BitVec:
        """The same for a load that happens where this holds: of what it has itself stored there, just that."""
        own = stored_by(stores, cell, where) if self.collide else None
        if own is None:
            return self.after(stores, surface, cell)
        self._stored.add(own)
        return own

    def named(self, value: BitVec) -> BitVec:
        """A symbol for the value: it keeps terms small that are computed from what a kernel loads."""
        plain = value.args if value.op is Op.CONCAT else (value,)
        if value in self._stored or all(part.op in (Op.SYMBOL, Op.CONST) for part in plain):
            return value
        if value not in self._names:
            self._names[value] = name = symbol(NamedLoad(len(self._names)), value.width)
            self.definitions[name] = self._described[name] = value
            self.order.append(name)
        return self._names[value]

    def result(self, operation: Hashable, width: int) -> Term:
        """One arbitrary value for each operation on given operands; a truth value where the width is 0."""
        if operation not in self._results:
            name = OpenResult(len(self._results))
            self._results[operation] = found = symbol(name, width) if width else bool_symbol(name)
            self._operations[found] = operation
        return self._results[operation]

    @property
    def operations(self) -> Mapping[Term, Hashable]:
        """What each result is the result of, in the order in which they were asked for."""
        return self._operations

    def spell(self, value: Term, spelling: str) -> None:
        """Notes of which operation an uninterpreted or nondeterministic value is; the first spelling stands."""
        self._spelled.setdefault(value, spelling)

    def spelled(self, terms: Iterable[Term]) -> Iterator[str]:
        """The operations whose results the terms depend on and that are uninterpreted or nondeterministic."""
        for one in self._all_behind(dict.fromkeys(symbols_of(*terms))):
            if one in self._spelled:
                yield self._spelled[one]

    def pieces(self, surface: str, cell: BitVec, width: int) -> Iterator[tuple[int, BitVec]]:
        """The units of `width` bytes from an address on: their byte in it, and their own address."""
        for byte in range(0, width, self.units[surface]):
            yield byte, add(cell, const(byte, cell.width))

    def behind(self, term: Term) -> tuple[BitVec, ...]:
        """The address of a cell, or what a named value is."""
        return (self._described[term],) if term in self._described else ()

    def facts(self, terms: Iterable[Term]) -> Iterator[Bool]:
        """What the named values in the terms are, and that one address holds one value.

        Of too many pairs of cells only those with a cell that the terms themselves name are taken, or none: then more
        seems possible than is, and never less.
        """
        asked = dict.fromkeys(symbols_of(*terms))
        found = self._all_behind(asked)
        for name in found:
            if name in self.definitions:
                yield eq(cast(BitVec, name), self.definitions[name])
        read = self._cells_among(found)
        for cell in read:
            yield from self.tables.facts(cell.surface, cell.address, cell.value)
        for one, other in _pairs(read, [cell for cell in read if cell.value in asked]):
            if one.surface == other.surface and not is_false(same := eq(one.address, other.address)):
                yield implies(same, eq(one.value, other.value))

    def facts_are_all(self, terms: Iterable[Term]) -> bool:
        """Whether no pair of cells is left out of the facts."""
        count = len(self._cells_among(self._all_behind(dict.fromkeys(symbols_of(*terms)))))
        return count * (count - 1) // 2 <= MOST_PAIRS

    def _all_behind(self, asked: Mapping[Term, None]) -> dict[Term, None]:
        """These names, and those that they depend on."""
        found = dict(asked)
        for name in reversed(self.order):
            if name in found:
                found |= dict.fromkeys(symbols_of(self._described[name]))
        return found

    def _cells_among(self, names: Mapping[Term, None]) -> "list[_Cell]":
        return [_Cell(*place, value) for place, value in self.cells.items() if value in names]


class _Cell(NamedTuple):
    surface: str
    address: BitVec
    value: BitVec


def _pairs(cells: Sequence[_Cell], asked: Sequence[_Cell]) -> Iterator[tuple[_Cell, _Cell]]:
    """All pairs of cells if these are few, else those with a cell that is asked for, if these are."""
    if len(cells) * (len(cells) - 1) // 2 <= MOST_PAIRS:
        yield from combinations(cells, 2)
    elif len(asked) * len(cells) <= MOST_PAIRS:
        others = [cell for cell in cells if cell not in asked]
        yield from combinations(asked, 2)
        yield from product(asked, others)


def joined(units: list[BitVec]) -> BitVec:
    """The units of a value, the lowest first."""
    return concat(*reversed(units)) if len(units) > 1 else units[0]
