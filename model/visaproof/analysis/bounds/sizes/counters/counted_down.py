"""Counters of loops that count down, as integers: what a guard keeps them above, and what they are first.

    R = E, E − d, E − 2·d, …,  L <= R in each iteration      R = L + t with t <= E − L

R is the counter, or that and what no iteration changes.  By induction, of signed numbers of 2^bits, 0 <= L and
d <= 2^bits: R is at least 0, so that R − d is at least −2^bits and does not wrap; of numbers without a sign d is at
most L, so that R − d is at least 0.  The first R is E modulo two times 2^bits, and at least 0 as the guard says of it;
so it is E, where what E adds up is below 2^bits, and what it subtracts.

Where all iterations but the first say it, E has to be at least L.  None comes round: what follows R < d is no number
that the guard lets by, nor is it E.
"""

from collections.abc import Iterator, Sequence
from typing import cast

from msgspec import Struct

from visaproof.analysis.bounds.sizes.counters.unrolled_counters import is_of_launch
from visaproof.analysis.bounds.sizes.integers import Below, Integers
from visaproof.analysis.bounds.sizes.sums import added_and_subtracted
from visaproof.analysis.bounds.sizes.words.small_words import comparisons
from visaproof.launch.relations.polynomials import Polynomial, constant_of, plus, times
from visaproof.machine.symbolic.loops.came_back import Counter
from visaproof.smt import BitVec, Bool, Op, add, const, linear_parts, signed_value, sub, symbols_of, value_of


class CountedDown(Struct, frozen=True):
    """A counter as a sum of the name t and of what stands beside it."""

    beside: Polynomial
    """Modulo 2^width."""
    most: Polynomial
    """Of t."""
    limits: tuple[Below, ...]


def counted_down(counter: Counter, held: Sequence[Bool], later: Sequence[Bool], reader: Integers) -> CountedDown | None:
    """One that a constant is subtracted from, by what holds in each iteration, or in all `later` ones."""
    step = value_of(counter.step)
    down = 0 if step is None else -signed_value(step, counter.step.width)
    if down <= 0 or counter.word.op is Op.CONCAT:
        return None
    for conditions, is_later in ((held, False), (later, True)):
        for least, word, more, bits in _compared(conditions):
            if word.width == counter.word.width and linear_parts(word)[1].get(counter.word) == 1:
                kept = len(reader.limits)
                if (found := _read(counter, down, (least, word, more, bits), reader, is_later)) is not None:
                    return found
                del reader.limits[kept:]
    return None


def _compared(conditions: Sequence[Bool]) -> Iterator[tuple[BitVec, BitVec, int, int]]:
    """Words with one that is at least as large, if a number is added to it; and bits: what is not 0 is at least 1."""
    yield from comparisons(conditions)
    for one in conditions:
        if one.op is Op.NOT and one.args[0].op is Op.EQ:
            left, right = one.args[0].args
            for number, word in ((left, right), (right, left)):
                if isinstance(number, BitVec) and value_of(number) is not None:
                    rest = sub(cast(BitVec, word), number)
                    yield const(1, rest.width), rest, 0, rest.width


def _read(
    counter: Counter, down: int, compared: tuple[BitVec, BitVec, int, int], reader: Integers, is_later: bool
) -> CountedDown | None:
    """By one comparison; None where something in it is not read."""
    least, word, more, bits = compared
    rest = sub(word, counter.word)
    if not all(map(is_of_launch, symbols_of(least, rest))):
        return None
    is_signed = bits < word.width
    kept = len(reader.limits)
    low, first, beside = reader.read(least), reader.read(add(counter.first, rest)), reader.read(rest)
    if low is None or first is None or beside is None:
        return None
    low_number = value_of(least)
    if low_number is not None and is_signed:
        low = {(): signed_value(low_number, word.width)}
    limits = [*reader.limits[kept:]]
    low = plus(low, {(): -more})
    number = constant_of(low)
    if (number or 0) < (0 if is_signed else down):
        return None
    most = plus(first, times(low, {(): -1}))
    limits += [Below(low, bits)]
    limits += [Below(one, bits) for one in (added_and_subtracted(first) if is_signed else (first,))]
    limits += [Below(most, bits)] if is_later else []
    return CountedDown(plus(low, times(beside, {(): -1})), most, tuple(limits))
