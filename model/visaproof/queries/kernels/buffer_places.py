"""In which buffer a 64-bit address lies, and how far behind its beginning.

A buffer begins at the pointer that the launch hands over and ends below 2^64, so with all numbers modulo 2^64:

    address … address + width is inside   ⇔   (address − begin) + width ≤ size   where the sum does not wrap
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TypeVar, cast

from msgspec import Struct, field

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import SCRATCH
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.state import FLAT_BITS
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    const,
    false,
    is_false,
    linear_parts,
    sub,
    substitute,
    subterms,
    true,
    ule,
    zero_extend,
)
from visaproof.smt.arithmetic import sum_of
from visaproof.smt.halves.sums import recombined
from visaproof.smt.substitution import Substitution

T = TypeVar("T", bound=Term)

MOST_CHOICES = 8
"""Choices in an address of which it is asked whether a guard settles them."""


class AddressedBuffer(Struct, frozen=True):
    """A buffer that is reached by 64-bit addresses."""

    key: str
    pointer: BitVec
    size: BitVec | None
    """None where the launch information does not say it, and no name for it exists."""
    behind: BitVec = field(default_factory=lambda: const(0, FLAT_BITS))
    """How far behind the pointer it begins."""

    @property
    def begin(self) -> BitVec:
        return add(self.pointer, self.behind)


class Place(Struct, frozen=True):
    """Where an access begins."""

    buffer: AddressedBuffer
    size: BitVec
    offset: BitVec
    """Behind the beginning of the buffer, 64 bits: a place before it has a large one."""

    def inside(self, width: int) -> Bool:
        """Whether `width` bytes lie in the buffer."""
        end = add(zero_extend(self.offset, FLAT_BITS + 1), const(width, FLAT_BITS + 1))
        return ule(end, zero_extend(self.size, FLAT_BITS + 1))


class LaunchBuffers(Struct, frozen=True, dict=True):
    """The buffers that a launch hands over."""

    buffers: tuple[AddressedBuffer, ...]

    @cached_property
    def _seen(self) -> "Pointers":
        return Pointers(frozenset(buffer.pointer for buffer in self.buffers))

    @cached_property
    def _settled(self) -> "Settled":
        return Settled()

    def place(self, access: Access, facts: Mapping[Term, Term]) -> Place | str:
        """Where the access begins, or why it is not known; `facts` are conditions that hold, each as true."""
        by_pointer = {buffer.pointer: buffer for buffer in self.buffers}
        found = self._seen.behind(access.cell[0])
        if found is None and self._seen.occur_in(access.cell[0]):  # no guard brings one
            address, guard = substitute(access.cell[0], facts), substitute(access.guard, facts)
            address = under_guard(address, guard, self._settled)
            found = self._seen.behind(address)
        if found is None:
            return _lost(access.cell[0], by_pointer)
        buffer = by_pointer[found[0]]
        if buffer.size is None:
            return f"the launch information does not say how large {buffer.key} is"
        return Place(buffer, buffer.size, sub(found[1], buffer.behind))


def facts_of(premises: Sequence[Bool]) -> dict[Term, Term]:
    """The premises that are a single condition, each as true."""
    return {one: true() for one in premises if one.op is Op.SYMBOL}


def _lost(address: BitVec, pointers: Mapping[BitVec, AddressedBuffer]) -> str:
    if not pointers:
        return "no input is known to be the address of a buffer: `--launch FILE`, or `--input VAR=buffer_address:argN`"
    return "an address that is not one buffer's plus an offset"


class Pointers(Struct, frozen=True):
    """Words of the launch, each a symbol, that stand in addresses; lanes share most parts of these."""

    words: Collection[BitVec]
    _without: set[Term] = field(default_factory=set[Term])
    """Terms in which none of them stands."""

    def behind(self, address: BitVec) -> tuple[BitVec, BitVec] | None:
        """The pointer to which an address adds something that depends on no pointer, and what it adds."""
        constant, parts = linear_parts(recombined(address))
        bases = [atom for atom in parts if atom in self.words]
        if len(bases) != 1 or parts[bases[0]] != 1:
            return None
        rest = sum_of(constant, {atom: factor for atom, factor in parts.items() if atom is not bases[0]}, 64)
        return None if self.occur_in(rest) else (bases[0], rest)

    def occur_in(self, term: Term) -> bool:
        """Whether one of them stands in the term."""
        parts = subterms(term, known=self._without)
        found = any(part in self.words for part in parts)
        self._without.update(() if found else parts)
        return found


def behind_pointer(address: BitVec, pointers: Collection[BitVec]) -> tuple[BitVec, BitVec] | None:
    """The same of one address."""
    return Pointers(pointers).behind(address)


class Settled(Struct, frozen=True):
    """Terms with a condition as a constant; lanes share most parts of these."""

    by_condition: dict[tuple[Bool, bool], Substitution] = field(default_factory=dict[tuple[Bool, bool], Substitution])

    def given(self, condition: Bool, held: bool, term: T) -> T:
        """The term where the condition holds, or where it does not."""
        kept = self.by_condition.get((condition, held))
        if kept is None:
            kept = self.by_condition[condition, held] = Substitution({condition: true() if held else false()})
        return kept.of(term)


def under_guard(address: BitVec, guard: Bool, settled: Settled) -> BitVec:
    """The same address wherever the guard holds, without choices that it settles.

    A generic pointer is of shared local memory or of a buffer, and a message comes after a test of which.
    """
    conditions = dict.fromkeys(cast(Bool, term.args[0]) for term in subterms(address) if term.op is Op.ITE)
    said = set(subterms(guard)) if conditions else set[Term]()  # about others it says nothing
    for condition in islice((one for one in conditions if one in said), MOST_CHOICES):
        for held in (True, False):
            if is_false(settled.given(condition, not held, guard)):
                address, guard = settled.given(condition, held, address), settled.given(condition, held, guard)
    return address


def is_private(trace: Trace, performed: Performed, access: Access) -> bool:
    return performed.surface in (FLAT, SCRATCH) and trace.private.owns(access)
