"""Sums that a guard keeps from being negative, as words of their own.

    a[i + k] where 0 <= i + k and i + k < n:        the place is w, with 0 <= w and w < n
    a[i - k] where k <= i and i - k < n:            the same, for numbers k that are at least 0

Neither i nor k need be known as integers then, nor that their sum does not wrap: k may be negative, as where neighbours
beyond an edge are left out.  w is i + k in its own bits, so that i is w − k wherever it stands: this is the same word.
"""

from collections.abc import Iterator
from typing import cast

from msgspec import Struct

from visaproof.analysis.bounds.sizes.launch_integers import conjuncts, not_negative
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    conj,
    const,
    linear_parts,
    scale,
    slt,
    sub,
    symbol,
    symbols_of,
    value_of,
)
from visaproof.smt.substitution import substitute_all

MOST_SUMS = 4
"""Of one access: coordinates of an image, and of a filter."""


class GuardedSum(Struct, frozen=True):
    """What its symbol stands for."""

    place: int

    def __str__(self) -> str:
        return f"guarded_sum.{self.place}"


def with_guarded_sums(address: BitVec, guard: Bool) -> tuple[BitVec, Bool] | None:
    """The address with words for such sums, if it depends on less then, and what the guard says of either."""
    natural = filter(None, map(_from_number, conjuncts(guard)))
    changed, said = address, conj(guard, *(slt(const(-1, one.width), one) for one in natural))
    for place in range(MOST_SUMS):
        used = _others(changed)
        found = [
            (_others(address_of), number, address_of, one)
            for number, one in enumerate(_replacements(said, place))
            if (address_of := substitute_all([changed], one)[0]) is not changed
        ]
        if not found or min(found)[0] >= used:
            break
        _, _, changed, best = min(found)
        said = conj(said, *cast(list[Bool], substitute_all(conjuncts(said), best)))
    return None if changed is address else (changed, said)


def _others(address: BitVec) -> int:
    """On how many symbols it depends beside those of sums."""
    return sum(not isinstance(one.payload, GuardedSum) for one in symbols_of(address))


def _replacements(guard: Bool, place: int) -> Iterator[dict[Term, Term]]:
    """What is put in the place of one part of such a sum, for each that stands in it once."""
    for sum_of in dict.fromkeys(filter(None, map(_bounded, conjuncts(guard)))):
        constant, parts = linear_parts(sum_of)
        word = symbol(GuardedSum(place), sum_of.width)
        for part, count in parts.items() if constant or len(parts) > 1 else ():
            if count in (1, (1 << sum_of.width) - 1):
                rest = sub(sum_of, scale(part, count))
                yield {part: scale(sub(word, rest), count)}


def _bounded(condition: Bool) -> BitVec | None:
    """The word that it keeps from being negative, or below another one."""
    inner = condition.args[0] if condition.op is Op.NOT else condition
    if inner.op is Op.ULT:
        return cast(BitVec, inner.args[inner is not condition])
    return not_negative(condition)


def _from_number(condition: Bool) -> BitVec | None:
    """Of k < i as signed numbers i - (k + 1), which is at least 0 if k is."""
    if condition.op is not Op.SLT or (number := value_of(cast(BitVec, condition.args[0]))) is None:
        return None
    word = cast(BitVec, condition.args[1])
    return None if number >> word.width - 1 or value_of(word) is not None else sub(word, const(number + 1, word.width))
