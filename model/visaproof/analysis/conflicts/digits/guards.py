"""Local ids that a guard bounds: where a work item writes, its local id is below what its global id is below.

    id < b  and  0 ≤ local id ≤ id      ⇒      local id < b

So in `if (x < w && y < h) out[y * w + x] = …` rows are apart however small w is beside the group.
"""

from collections.abc import Collection, Iterator
from typing import cast

from msgspec import Struct

from visaproof.analysis.conflicts.digits.named_integers import NamedIntegers
from visaproof.analysis.conflicts.digits.strides import depends_on_ids, extended_from, sum_of
from visaproof.launch.ids.any_items import any_ids
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.smt import BitVec, Bool, Op, ule, zero_extend

ONE_TIMES = {(): 1}


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
        if guard.op not in (Op.ULT, Op.SLT):
            continue
        one, word = cast(tuple[BitVec, BitVec], guard.args)
        found = None if depends_on_ids(word) else sum_of(extended_from(one))
        if found is None:
            continue
        alone = [d for d, stride in found.by_digit.items() if isinstance(d, int) and stride == ONE_TIMES]
        below = integers.of_word(word, uniform=True) if len(alone) == len(found.by_digit) == 1 else None
        if below is None or (guard.op is Op.SLT and not integers.is_not_negative(one)):
            continue
        own = any_ids(0)[alone[0]]
        if one.width >= own.width and integers.holds_in_group(ule(zero_extend(own, one.width), one)):
            yield IdBound(alone[0], below, word, guard)
