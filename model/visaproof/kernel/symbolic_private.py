"""Private memory of a thread on terms: what it stores there it loads again, and nobody else sees it.

An address is private where it is the base of private memory, which the launch hands to the kernel, plus anything that
does not depend on an address.  Where it is not certain whether a load meets a store, the choice is between both.
"""

from collections.abc import Iterable
from typing import NamedTuple

from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, Store
from visaproof.semantics.symbolic.guarded import Literals, literals_of, missing
from visaproof.smt import (
    BitVec,
    Bool,
    concat,
    conj,
    const,
    eq,
    extract,
    is_false,
    is_true,
    ite,
    linear_parts,
    neg,
    sub,
    value_of,
)
from visaproof.smt.arithmetic import sum_of
from visaproof.smt.bits import zero_extend
from visaproof.smt.halves import as_sum

MAX_CHOICES = 8
"""Stores that a byte may come from; a load of a byte with more of them brings anything."""


class PrivateStore(NamedTuple):
    """Bytes that were written where the guard held; or, without a value, everything became arbitrary."""

    guard: Literals
    start: BitVec
    """Behind the base."""
    value: BitVec | None


class PrivateMemory:
    """The stores to private memory so far."""

    def __init__(self, base: BitVec | None) -> None:
        self._base = base
        self._stores: list[PrivateStore] = []
        self._offsets: dict[BitVec, BitVec | None] = {}

    def contents(self) -> tuple[PrivateStore, ...]:
        """What `restore` brings back."""
        return tuple(self._stores)

    def restore(self, contents: Iterable[PrivateStore]) -> None:
        self._stores = list(contents)

    def owns(self, address: BitVec) -> bool:
        """Whether this is an address of private memory."""
        return self.offset(address) is not None

    def offset(self, address: BitVec) -> BitVec | None:
        """How far behind the base an address lies; None where it is not known to be private."""
        if self._base is None:
            return None
        if address not in self._offsets:
            constant, parts = linear_parts(as_sum(address))
            alone = {atom: factor for atom, factor in parts.items() if atom is not self._base}
            private = parts.get(self._base) == 1
            self._offsets[address] = sum_of(constant, alone, address.width) if private else None
        return self._offsets[address]

    def store(self, accesses: Iterable[Access]) -> None:
        """Takes in the stores of a message; the bytes of an atomic become arbitrary."""
        for access in accesses:
            start = None if isinstance(access, Load) else self.offset(access.cell[0])
            if start is None:
                continue
            if isinstance(access, Atomic):
                self.forget()
            elif isinstance(access, Store):
                self._stores.append(PrivateStore(literals_of(access.guard), start, access.value))

    def forget(self) -> None:
        """Makes everything arbitrary."""
        if self._base is not None:
            self._stores.append(PrivateStore(frozenset(), const(0, self._base.width), None))

    def load(self, access: Access, otherwise: BitVec, assumed: Literals) -> BitVec:
        """What the access brings; `otherwise`, which is this load's own, where it is not known."""
        start = self.offset(access.cell[0])
        assert start is not None
        if isinstance(access, Atomic):
            return otherwise
        unit = _unit(start, access.width, self._stores)
        pieces: list[BitVec] = []
        for byte in range(0, access.width, unit):
            before = extract(otherwise, 8 * (byte + unit) - 1, 8 * byte)
            pieces.append(self._unit_at(start, byte, unit, before, assumed))
        value = as_sum(concat(*reversed(pieces))) if access.width == 8 else concat(*reversed(pieces))
        return zero_extend(value, otherwise.width)  # a narrow element leaves the rest to the page

    def _unit_at(self, start: BitVec, byte: int, unit: int, otherwise: BitVec, assumed: Literals) -> BitVec:
        chosen: list[tuple[Bool, BitVec]] = []
        value = otherwise
        for store in reversed(self._stores):
            if store.value is None:
                break
            piece, met = _meeting(store, start, byte, unit)
            condition = conj(met, missing(store.guard, assumed)) if piece is not None else met
            if piece is None or is_false(condition):
                continue
            if is_true(condition):
                value = piece
                break
            chosen.append((condition, piece))
            assumed = assumed | {neg(condition)}
            if len(chosen) > MAX_CHOICES:
                break  # `otherwise` stands for anything
        for condition, piece in reversed(chosen):
            value = ite(condition, piece, value)
        return value


def _unit(start: BitVec, width: int, stores: Iterable[PrivateStore]) -> int:
    """The largest power of two of bytes that no store can meet in part only."""
    unit = width & -width
    for store in stores:
        if store.value is None:
            continue
        distance = sub(start, store.start)
        while unit > 1 and (store.value.width // 8 % unit or distance.zeros & (unit - 1) != unit - 1):
            if _apart(distance, width, store.value.width // 8):
                break
            unit //= 2
    return unit


def _apart(distance: BitVec, width: int, stored: int) -> bool:
    """Whether a load lies wholly beside a store that begins this far before it."""
    known = value_of(distance)
    return known is not None and stored <= known <= (1 << distance.width) - width


def _meeting(store: PrivateStore, start: BitVec, byte: int, unit: int) -> tuple[BitVec | None, Bool]:
    """What the unit at `byte` behind `start` is if the store wrote it, and the condition that it is that unit.

    Of a store of several units the condition chooses which.
    """
    assert store.value is not None
    units: list[tuple[Bool, BitVec]] = []
    distance = sub(start, store.start)
    for at in range(0, store.value.width // 8, unit):
        same = eq(distance, const(at - byte, distance.width))
        if not is_false(same):
            units.append((same, extract(store.value, 8 * (at + unit) - 1, 8 * at)))
    if not units:
        return None, eq(const(0, 1), const(1, 1))
    met = units[0][0]
    value = units[0][1]
    for same, other in units[1:]:
        value = ite(same, other, value)
        met = neg(conj(neg(met), neg(same)))
    return value, met
