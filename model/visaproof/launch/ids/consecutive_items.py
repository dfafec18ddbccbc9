"""Two lanes of one message: work items of one group that are less than a message apart.

Lanes count through the items of their group, so that lane l + d runs the item d after that of lane l.  With x fastest

    n(x, y, z) = x + lx·(y + ly·z),      0 < n(x', y', z') − n(x, y, z) ≤ most

That has no product of unknowns where the rows r and the layers s between both are counted:

    0 < x' + r·lx − x ≤ most,      y' + s·ly = y + r,      z' = z + s

Since x − x' < lx, (r − 1)·lx < most, and r ≤ most; since y − y' < ly, (s − 1)·ly < r, and s ≤ r.
"""

from collections.abc import Iterator, Sequence
from functools import reduce

from visaproof.launch.ids.any_items import Ids
from visaproof.launch.ids.group_shape import GroupShape
from visaproof.launch.ids.open_ids import orders_of
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bool_symbol,
    conj,
    const,
    disj,
    eq,
    ite,
    scale,
    ule,
    ult,
    zero_extend,
)

BETWEEN = ("rows_between", "layers_between")
"""How often an id starts again between two lanes, the fastest first."""


def counts_items(shape: GroupShape) -> bool:
    """Whether lanes count through the items of their group."""
    return shape.counted and not any(way.tiles for way in shape.ways())


def in_one_message(shape: GroupShape, sizes: Ids, one: Ids, other: Ids, most: int) -> Bool | None:
    """That the item `other` comes at most so many after `one`; None where lanes do not count through their group."""
    if not counts_items(shape):
        return None
    return disj(
        *(
            conj(when, *_comes_after([(sizes[d], one[d], other[d]) for d in order], most))
            for when, order in orders_of(shape, shape.open, dict(enumerate(sizes)))
        )
    )


def _comes_after(ids: Sequence[tuple[BitVec, BitVec, BitVec]], most: int) -> Iterator[Bool]:
    """Of sizes and both ids, the fastest dimension first."""
    bits = most.bit_length()
    width = ids[0][0].width + bits + 1  # of a size so many times, and an id more: nothing wraps
    count = const(0, width)
    for place, words in enumerate(ids):
        size, one, other = (zero_extend(word, width) for word in words)
        from_here = add(one, count)
        if place + 1 < len(ids):
            binary = [bool_symbol(f"{BETWEEN[place]}.{at}") for at in range(bits)]
            other, count = add(other, _times(binary, size)), _times(binary, const(1, width))
        if place:
            yield eq(other, from_here)
        else:
            yield from (ult(from_here, other), ule(other, add(from_here, const(most, width))))


def _times(binary: Sequence[Bool], size: BitVec) -> BitVec:
    """So many times the size, as a sum."""
    parts = (ite(bit, scale(size, 1 << at), const(0, size.width)) for at, bit in enumerate(binary))
    return reduce(add, parts)
