"""A parametric footprint with numbers put in for its parameters, by substitution in terms."""

from collections.abc import Mapping
from typing import cast

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.queries.subject import CHANNEL_SET
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, Store, every_term
from visaproof.semantics.symbolic.state import field_term
from visaproof.smt import BitVec, Bool, Term, conj, eq, false, iff, implies, is_false
from visaproof.smt.substitution import substitute_all

Values = Mapping[Term, Term]
_Key = tuple[tuple[Term, ...], tuple[tuple[Term, Term], ...]]


class Instantiator(Struct, frozen=True):
    """Substitutes once where footprints of several platforms or surfaces have the same terms."""

    done: dict[_Key, list[Term]] = field(default_factory=dict[_Key, list[Term]])

    def instantiated(self, parametric: tuple[Access, ...], values: Values) -> tuple[Access, ...]:
        """The accesses at these values, without those that then never happen.

        Channels come last: what is left of masks and predicates by then is shared by all channel sets.
        """
        channels = field_term(CHANNEL_SET, 4)
        terms = tuple(part for access in parametric for part in every_term(access))
        terms = self._put_in(terms, {name: value for name, value in values.items() if name is not channels})
        if channels in values:
            terms = self._put_in(terms, {channels: values[channels]})
        found: list[Access] = []
        position = 0
        for access in parametric:
            count = len(every_term(access))
            parts, position = terms[position : position + count], position + count
            if not is_false(cast(Bool, parts[0])):
                found.append(_with_parts(access, parts))
        return tuple(found)

    def _put_in(self, terms: tuple[Term, ...], values: Values) -> tuple[Term, ...]:
        key = terms, tuple(values.items())
        if key not in self.done:
            self.done[key] = substitute_all(terms, values)
        return tuple(self.done[key])


def _with_parts(access: Access, parts: tuple[Term, ...]) -> Access:
    guard, inside, defined = cast(tuple[Bool, Bool, Bool], parts[:3])
    words = cast(tuple[BitVec, ...], parts[3:])
    cell, data = words[: len(access.cell)], words[len(access.cell) :]
    match access:
        case Store():
            return replace(access, guard=guard, inside=inside, defined=defined, cell=cell, value=data[0])
        case Atomic():
            return replace(access, guard=guard, inside=inside, defined=defined, cell=cell, src0=data[0], src1=data[1])
        case Load():
            return replace(access, guard=guard, inside=inside, defined=defined, cell=cell)


def agreement(instantiated: tuple[Access, ...], fixed: tuple[Access, ...]) -> Bool:
    """That the accesses which remain of a parametric footprint are the fixed ones, one for one."""
    if len(instantiated) != len(fixed):
        return false()
    return conj(*(_same(one, other) for one, other in zip(instantiated, fixed, strict=True)))


def _same(one: Access, other: Access) -> Bool:
    """Whether two accesses happen together and are then the same."""
    if one == other:
        return conj()
    if _with_parts(one, every_term(other)) != other:
        return false()
    pairs = list(zip(every_term(one), every_term(other), strict=True))
    same = [_equal(mine, theirs) for mine, theirs in pairs]
    return conj(same[0], *(implies(one.guard, equal) for equal in same[1:]))


def _equal(one: Term, other: Term) -> Bool:
    if isinstance(one, Bool) and isinstance(other, Bool):
        return iff(one, other)
    return eq(cast(BitVec, one), cast(BitVec, other))
