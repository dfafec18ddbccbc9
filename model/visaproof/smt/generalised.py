"""One term for two that differ in numbers, as those of two lanes do which know the number of their lane.

    16·3 + a   and   16·7 + a        are 16·n + a, with n = 3 and n = 7

Symbols of which it does not matter how they are called may differ as well.
"""

from collections.abc import Callable, Hashable, Sequence
from operator import is_
from typing import cast

from msgspec import Struct, field

from visaproof.smt.arithmetic import add, linear_parts, scale
from visaproof.smt.bits import zero_extend
from visaproof.smt.substitution import rebuild, substitute_all
from visaproof.smt.terms import BitVec, Op, Term, const, signed_value

MOST_DEPTH = 100
"""Of terms: none is looked for where these are deeper."""


def generalised(
    one: Sequence[Term],
    other: Sequence[Term],
    places: tuple[int, int],
    number: BitVec,
    kind: Callable[[Term], Hashable],
) -> list[Term] | None:
    """Terms that are the first ones where `number` is the first of two places, and the others where it is the second.

    Their symbols are those of the first ones; the others may have another symbol of the same `kind` in the place of
    each, unless the kind is None.  None where there are no such terms, or none are found.
    """
    pairs = _Pairs(places, number, kind)
    found = [pairs.of(*both) for both in zip(one, other, strict=True)]
    if any(each is None for each in found):
        return None
    terms = cast(list[Term], found)
    first, second = (const(place, number.width) for place in places)
    as_one = substitute_all(terms, {number: first})
    as_other = substitute_all(terms, {number: second, **pairs.renamed})
    is_both = all(map(is_, as_one, one)) and all(map(is_, as_other, other))
    return terms if is_both else None


class _Pairs(Struct):
    """Pairs of terms."""

    places: tuple[int, int]
    number: BitVec
    kind: Callable[[Term], Hashable]
    renamed: dict[Term, Term] = field(default_factory=dict[Term, Term])
    known: dict[tuple[Term, Term], Term | None] = field(default_factory=dict[tuple[Term, Term], "Term | None"])

    def of(self, one: Term, other: Term, depth: int = 0) -> Term | None:
        if one is other:  # where it has a symbol that is another one there, that shows at the end
            return one
        if (one, other) not in self.known:
            may_be = one.width == other.width and depth < MOST_DEPTH
            self.known[one, other] = self._of(one, other, depth + 1) if may_be else None
        return self.known[one, other]

    def _of(self, one: Term, other: Term, depth: int) -> Term | None:
        if Op.SUM in (one.op, other.op):
            return self._sum(cast(BitVec, one), cast(BitVec, other), depth)
        if one.op is not other.op:
            return None
        if one.op is Op.CONST and one.width:
            return self._counted(cast(int, one.payload), cast(int, other.payload), one.width)
        if one.op is Op.SYMBOL:
            kind = self.kind(one)
            may_be = kind is not None and kind == self.kind(other)
            return one if may_be and self.renamed.setdefault(one, other) is other else None
        if one.payload != other.payload or len(one.args) != len(other.args):
            return None
        args = [self.of(*both, depth) for both in zip(one.args, other.args, strict=True)]
        return None if any(each is None for each in args) else rebuild(one, tuple(cast(list[Term], args)))

    def _counted(self, one: int, other: int, width: int) -> BitVec | None:
        """A number that goes with the places, if it does so in whole steps: that shows at the end."""
        first, second = self.places
        if width < self.number.width:
            return None
        step = signed_value(other - one, width) // (second - first)
        return add(const(one - step * first, width), scale(zero_extend(self.number, width), step))

    def _sum(self, one: BitVec, other: BitVec, depth: int) -> BitVec | None:
        (number, parts), (its_number, its_parts) = linear_parts(one), linear_parts(other)
        if [*parts.values()] != [*its_parts.values()]:
            return None
        total = const(number, one.width) if number == its_number else self._counted(number, its_number, one.width)
        for (part, count), its_part in zip(parts.items(), its_parts, strict=True):
            both = self.of(part, its_part, depth)
            if total is None or both is None:
                return None
            total = add(total, scale(cast(BitVec, both), count))
        return total
