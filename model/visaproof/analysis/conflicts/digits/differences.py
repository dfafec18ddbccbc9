"""Addresses with constant strides: by what the ids of two lanes of one message can differ is counted out.

Lanes count through the items of their group, the fastest id first.  With sizes l₀, l₁, l₂ and at most m lanes between,

    δ₀ + l₀·r = d,   δ₁ + l₁·s = r,   δ₂ = s          1 <= d <= m,   |δ_i| < l_i,   l₀·l₁·l₂ <= 1024

for the differences δ of their ids.  Of each d and l₀ there are two r at most, ⌊d/l₀⌋ and ⌈d/l₀⌉, and so on: some ten
thousand triples in all.  The addresses differ by Σ s_i·δ_i, and by what the parts of a number differ by: of quotients

    ⌊n/l⌋ − ⌊n'/l⌋  is  ⌊(n − n')/l⌋  or  ⌈(n − n')/l⌉

where the number is a sum with one id that does not wrap, and n − n' a multiple of r where a guard says what n mod r is.
No triple may bring two lanes as near as they write bytes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import lcm

from msgspec import Struct

from visaproof.analysis.conflicts.digits.constant_radices import piece_of, quotients_of
from visaproof.analysis.conflicts.digits.digits import Digits
from visaproof.analysis.conflicts.digits.guards import counts_up
from visaproof.analysis.conflicts.digits.records import Part, Stride
from visaproof.analysis.conflicts.digits.strides import sum_of
from visaproof.launch.ids.local_ids import MOST_GROUP_ITEMS
from visaproof.smt import BitVec, value_of

STAGE = "differences of ids in one message"

Triple = tuple[int, int, int]
Sizes = tuple[int | None, int | None, int | None]


class Quotients(Struct, frozen=True):
    """Of one number: how often each quotient is added, from that by 1 on, each divisor a multiple of the one before."""

    dimension: int
    """Of the local id of which it is a sum with what all have in common."""
    counts: tuple[tuple[int, int], ...]
    multiple: int
    """Of which the difference of two such numbers is one, as guards say."""


@cache
def differences(most: int, order: tuple[int, ...], sizes: Sizes) -> frozenset[Triple]:
    """Of the ids of two items with at most so many items from one to the other; None of the sizes are open."""
    found = set[Triple]()
    for distance in range(1, most + 1):
        for differ in _differences(distance, tuple(sizes[d] for d in order), MOST_GROUP_ITEMS):
            by_dimension = dict(zip(order, differ, strict=False))
            found.add((by_dimension.get(0, 0), by_dimension.get(1, 0), by_dimension.get(2, 0)))
    return frozenset(found)


def _differences(count: int, sizes: Sequence[int | None], items: int) -> Iterator[tuple[int, ...]]:
    """Of the dimensions that are left, where the first counts so far; sizes are at most so many items together."""
    if not count:
        yield ()
        return
    size, *others = sizes
    if not others:
        if count < (items if size is None else size):
            yield (count,)
        return
    for one in range(1, items + 1) if size is None else (size,):
        whole, rest = divmod(count, one)
        for differ, further in ((rest, whole), (rest - one, whole + 1))[: 1 + (rest > 0)]:
            for more in _differences(further, others, items // one):
                yield (differ, *more)


def apart_by_differences(digits: Digits, triples: Iterable[Triple]) -> bool:
    """Whether lanes write apart where their ids differ so; False where strides or parts are not constant."""
    ids, numbers = _constants(digits)
    if ids is None or numbers is None:
        return False
    strides, limits = digits.strides, _limits(digits)
    modulus, near = 1 << strides.bits, -(-strides.width // strides.unit)
    for triple in triples:
        if any(abs(one) >= limit for one, limit in zip(triple, limits, strict=True)):
            continue
        total = sum(stride * triple[d] for d, stride in ids.items())
        for one in _sums(total, numbers, triple):
            if one % modulus < near or -one % modulus < near:
                return False
    return True


def _sums(total: int, numbers: Sequence[Quotients], triple: Triple) -> Iterator[int]:
    """What addresses may differ by, with the parts of these numbers."""
    if not numbers:
        yield total
        return
    first, *others = numbers
    difference = triple[first.dimension]
    if not difference % first.multiple:
        for one in _of_quotients(first.counts, difference, 1):
            yield from _sums(total + one, others, triple)


def _of_quotients(counts: Sequence[tuple[int, int]], difference: int, divisor: int) -> Iterator[int]:
    """What so many quotients of two numbers may differ by, whose quotients by `divisor` differ so."""
    if not counts:
        yield 0
        return
    (by, count), *others = counts
    down, up = difference // (by // divisor), -(-difference // (by // divisor))
    for one in dict.fromkeys((down, up)):
        for more in _of_quotients(others, one, by):
            yield count * one + more


def _limits(digits: Digits) -> Triple:
    """What ids differ by less than, as guards say."""
    bounds = {d: value_of(one.word) for d, one in digits.id_bounds.items()}
    x, y, z = (1 if d in digits.fixed else bounds.get(d) or MOST_GROUP_ITEMS for d in range(3))
    return x, y, z


def _constants(digits: Digits) -> tuple[Mapping[int, int] | None, list[Quotients] | None]:
    """The strides of ids, and the parts of numbers; None where they are not constant, or the numbers may wrap."""
    by_digit = digits.strides.by_digit
    if any(set(stride) != {()} for stride in by_digit.values()):
        return None, None
    ids = {digit: stride[()] for digit, stride in by_digit.items() if isinstance(digit, int)}
    numbers = list[Quotients]()
    for number in dict.fromkeys(one.number for one in by_digit if isinstance(one, Part)):
        found = _quotients(digits, number, {one: by_digit[one] for one in by_digit if isinstance(one, Part)})
        if found is None:
            return ids, None
        numbers.append(found)
    return ids, numbers


def _quotients(digits: Digits, number: BitVec, parts: Mapping[Part, Stride]) -> Quotients | None:
    own = sum_of(number)
    if own is None or own.bits != number.width or len(own.by_digit) != 1:
        return None
    ((dimension, stride),) = own.by_digit.items()
    if not isinstance(dimension, int) or stride != {(): 1} or not counts_up(number, dimension, digits.integers):
        return None
    found = quotients_of({one: stride for one, stride in parts.items() if one.number is number}, digits.strides.bits)
    if found is None:
        return None
    counts = [(divisor, stride.get((), 0)) for divisor, stride in sorted(found.items())]
    if any(high % low for (low, _), (high, _) in pairwise(counts)):
        return None
    pieces = (piece_of(one) for one in digits.fixed if isinstance(one, Part) and one.number is number)
    radices = (one[1] for one in pieces if one is not None and one[0] == 1 and one[1] is not None)
    return Quotients(dimension, tuple(counts), lcm(*radices))
