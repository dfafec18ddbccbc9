"""Local ids that a guard bounds: where a work item writes, its local id is below what its global id is below.

    id < b  and  0 ≤ local id ≤ id      ⇒      local id < b

The same where a guard says id <= c, with a number c.  So in `if (x < w && y < h) out[y * w + x] = …` rows are apart
however small w is beside the group.

Where a guard says what a digit is, as `if (i % 3 == 2)` does, it is the same for all lanes that write:

    ±d + c = c' (mod 2^w),  c and c' the same for all,  0 ≤ d < 2^w      ⇒      d is the same for all
"""

from collections.abc import Collection, Iterator
from typing import cast

from msgspec import Struct

from visaproof.analysis.conflicts.digits.named_integers import NamedIntegers
from visaproof.analysis.conflicts.digits.records import Digit, Stride
from visaproof.analysis.conflicts.digits.strides import depends_on_ids, extended_from, sum_of
from visaproof.launch.ids.any_items import any_ids
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.smt import BitVec, Bool, Op, const, linear_parts, sub, ule, value_of, zero_extend

ONE_TIMES = {(): 1}
ONCE: tuple[Stride, ...] = (ONE_TIMES, {(): -1})


class Below(Struct, frozen=True):
    """That a word is below another one."""

    word: BitVec
    limit: BitVec
    signed: bool


def upper_limit(guard: Bool) -> Below | None:
    """What a guard says so; None where it says no such thing."""
    inner = cast(Bool, guard.args[0]) if guard.op is Op.NOT else guard
    if inner.op not in (Op.ULT, Op.SLT):
        return None
    signed = inner.op is Op.SLT
    left, right = cast(tuple[BitVec, BitVec], inner.args)
    if inner is guard:
        return Below(left, right, signed)
    most = value_of(left)
    if most is None or most + 1 == 1 << left.width - signed:
        return None
    return Below(right, const(most + 1, left.width), signed)


def fixed_digits(conditions: Collection[Bool]) -> Iterator[Digit]:
    """The digits of which conditions of the first lane say what they are."""
    for guard in conditions:
        if guard.op is not Op.EQ or not isinstance(guard.args[0], BitVec):
            continue
        found = sum_of(sub(*cast(tuple[BitVec, BitVec], guard.args)))
        if found is not None and len(found.by_digit) == 1:
            ((digit, stride),) = found.by_digit.items()
            if stride in ONCE:
                yield digit


class IdBound(Struct, frozen=True):
    """What a local id is below, in names."""

    dimension: int
    below: Polynomial
    word: BitVec
    """That has to be this integer."""
    guard: Bool


def bounds_of_ids(conditions: Collection[Bool], integers: NamedIntegers) -> Iterator[IdBound]:
    """What conditions of the first lane say of its local ids."""
    for guard in conditions:
        said = upper_limit(guard)
        if said is None:
            continue
        one, word = said.word, said.limit
        found = None if depends_on_ids(word) else sum_of(extended_from(one))
        if found is None:
            continue
        alone = [d for d, stride in found.by_digit.items() if isinstance(d, int) and stride == ONE_TIMES]
        below = integers.of_word(word, uniform=True) if len(alone) == len(found.by_digit) == 1 else None
        if below is None or (said.signed and not integers.is_not_negative(one)):
            continue
        if counts_up(one, alone[0], integers):
            yield IdBound(alone[0], below, word, guard)


def counts_up(number: BitVec, dimension: int, integers: NamedIntegers) -> bool:
    """Whether a sum of a local id, and of what all items have in common, does not wrap: then it is no less."""
    constant, parts = linear_parts(number)
    if constant + sum(times * atom.high for atom, times in parts.items()) < 1 << number.width:
        return True
    own = any_ids(0)[dimension]
    return number.width >= own.width and integers.holds_in_group(ule(zero_extend(own, number.width), number))
