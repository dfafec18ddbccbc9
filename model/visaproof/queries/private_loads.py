"""What a thread loads from its private memory, as the engine forwards it, against memory byte by byte.

Written: each byte of the load is that of the newest store that happens and has it, else what was there.  This knows
neither distances nor parts of words; `PrivateMemory` knows both.
"""

from collections.abc import Sequence

from msgspec import Struct

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import SCRATCH
from visaproof.machine.symbolic.private import MANY_CHOICES, PrivateMemory
from visaproof.queries.identities import computed
from visaproof.queries.query import Query
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice, Store
from visaproof.semantics.symbolic.literals import literals_of
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SCRATCH_BITS
from visaproof.smt import BitVec, Bool, add, const, symbol, true, written, zero_extend

BASE = symbol("base", 64)
CLAIM = "private-memory/load"
ALWAYS = true()


class Stored(Struct, frozen=True):
    """A store behind the base of private memory, or with an offset of 32 bits in `%scratch`."""

    offset: BitVec
    value: BitVec
    guard: Bool = ALWAYS


class Loaded(Struct, frozen=True):
    """A load after stores, the oldest first."""

    name: str
    stores: Sequence[Stored]
    offset: BitVec
    width: int
    """In bytes."""
    assumed: Bool = ALWAYS
    """What holds wherever the load happens."""

    def __str__(self) -> str:
        return self.name


def load_brings_what_was_stored(case: Loaded) -> Query:
    """What the engine takes a load to bring is what memory holds."""
    return computed(CLAIM, case.name, _held(case), _forwarded(case), (case.assumed,))


def load_brings_what_another_would(case: Loaded, other: Loaded, variant: str) -> Query:
    """As if the engine took one load, or its stores, for another."""
    return computed(CLAIM, case.name, _held(case), _forwarded(other), (case.assumed,), variant)


def _before(case: Loaded) -> BitVec:
    return symbol(f"before{case.width}", 8 * case.width)


def _forwarded(case: Loaded) -> BitVec:
    memory = PrivateMemory(BASE, MANY_CHOICES)
    memory.store(
        Store(one.guard, 0, *_place(one.offset), one.value.width // 8, true(), true(), one.value) for one in case.stores
    )
    destination = RegisterSlice("V", 0, case.width)
    load = Load(case.assumed, 0, *_place(case.offset), case.width, true(), true(), destination)
    return memory.load(load, _before(case), literals_of(case.assumed))


def _place(offset: BitVec) -> tuple[str, tuple[BitVec]]:
    """The surface and the cell, as messages name them."""
    if offset.width == SCRATCH_BITS:
        return SCRATCH, (zero_extend(offset, ADDRESS_BITS),)
    return FLAT, (add(BASE, offset),)


def _held(case: Loaded) -> BitVec:
    return written.concat(*(_byte_held(case, index) for index in reversed(range(case.width))))


def _byte_held(case: Loaded, index: int) -> BitVec:
    """What memory holds at this byte of the load: what was stored at addresses of another width is elsewhere."""
    place = _address(case.offset, index)
    value = _byte(_before(case), index)
    for store in (one for one in case.stores if one.offset.width == case.offset.width):
        for own in range(store.value.width // 8):
            here = written.eq(place, _address(store.offset, own))
            value = written.ite(written.conj(store.guard, here), _byte(store.value, own), value)
    return value


def _address(offset: BitVec, index: int) -> BitVec:
    """Of a byte, as it is written."""
    behind = const(index, offset.width)
    return written.add(offset, behind) if offset.width == SCRATCH_BITS else written.add(BASE, offset, behind)


def _byte(word: BitVec, index: int) -> BitVec:
    return written.extract(word, 8 * index + 7, 8 * index)
