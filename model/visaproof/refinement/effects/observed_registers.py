"""Registers at the end of two kernels, as if each byte were stored to a surface where the source has defined it.

A byte of the source that depends on uninitialised values may be anything, and the target may leave anything there.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, cast

from msgspec import Struct

from visaproof.machine.symbolic.trace import Trace
from visaproof.queries.kernels.stores import Stores, UnitStore
from visaproof.refinement.observed import Observed
from visaproof.semantics.symbolic.literals import NONE, literals_of
from visaproof.semantics.symbolic.value_names import is_own
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    conj,
    const,
    disj,
    eq,
    false,
    iff,
    is_false,
    ite,
    neg,
    substitute,
    symbols_of,
    true,
)

T = TypeVar("T", bound=Term)
Chosen = Callable[[Term], bool]
"""Whether a term depends on uninitialised values."""


class RegisterByte(Struct, frozen=True):
    """What a byte holds at the end (of a predicate, 0 or 1), and when that does not depend on uninitialised values."""

    value: BitVec
    defined: Bool


def raw_terms(trace: Trace, observed: Sequence[Observed], side: str) -> list[list[Term]]:
    """The bytes and bits of each register at the end of a run."""
    found: list[list[Term]] = []
    for one in observed:
        place = one.place(side)
        places = range(place.first, place.first + one.count)
        if place.is_predicate:
            found.append([trace.predicates.read_under(place.variable, at, NONE) for at in places])
        else:
            found.append([trace.registers.read_under(place.variable, at, 1, NONE) for at in places])
    return found


def register_byte(term: Term, side: str, chosen: Chosen) -> RegisterByte:
    """A byte or a bit under the names that both kernels share."""
    if isinstance(term, Bool):
        return RegisterByte(ite(term, const(1, 8), const(0, 8)), _defined_bit(term, side, chosen))
    value = cast(BitVec, term)
    return RegisterByte(value, _defined(value, side, chosen))


def _defined(value: BitVec, side: str, chosen: Chosen) -> Bool:
    if not chosen(value):
        return true()
    if value.op is Op.ITE and not chosen(value.args[0]):
        condition, then, otherwise = cast(Bool, value.args[0]), cast(BitVec, value.args[1]), cast(BitVec, value.args[2])
        return disj(
            conj(condition, _defined(then, side, chosen)), conj(neg(condition), _defined(otherwise, side, chosen))
        )
    own = _own(value, side)
    if not own or value in own or (value.op is Op.EXTRACT and value.args[0] in own):
        return false()
    low, high = (_with(value, own, ones) for ones in (False, True))
    return eq(low, high)  # rather too often than too seldom: what is compared in vain is no proof of a difference


def _defined_bit(bit: Bool, side: str, chosen: Chosen) -> Bool:
    if not chosen(bit):
        return true()
    own = _own(bit, side)
    if not own or bit in own:
        return false()
    for one in symbols_of(bit):
        if one in own or not isinstance(one, Bool):
            continue
        here, elsewhere = substitute(bit, {one: true()}), substitute(bit, {one: false()})
        if not chosen(here) and elsewhere in own:
            return one
    return iff(_with(bit, own, ones=False), _with(bit, own, ones=True))


def _own(term: Term, side: str) -> list[Term]:
    return [one for one in symbols_of(term) if is_own(one, side)]


def _with(term: T, own: list[Term], ones: bool) -> T:
    values: dict[Term, Term] = {}
    for one in own:
        filled = const((1 << one.width) - 1 if ones else 0, one.width) if one.width else true() if ones else false()
        values[one] = filled
    return substitute(term, values)


def register_stores(
    observed: Sequence[Observed], source: Sequence[Sequence[RegisterByte]], other: Sequence[Sequence[RegisterByte]]
) -> Iterator[tuple[str, Stores]]:
    """The registers of one side as stores to a surface each, where the source defines the bytes."""
    for one, defining, held in zip(observed, source, other, strict=True):
        stores: list[UnitStore] = []
        for at, (before, byte) in enumerate(zip(defining, held, strict=True)):
            if not is_false(before.defined):
                stores.append(UnitStore(before.defined, const(at, 32), _where(before.defined, byte.value)))
        yield one.surface, tuple(stores)


def _where(defined: Bool, value: BitVec) -> BitVec:
    """The value, simplified by what holds where it counts."""
    known: dict[Term, Term] = {}
    for literal in literals_of(defined):
        known |= {literal: true(), neg(literal): false()}
    return substitute(value, known)
