"""Counters of unrolled loops: they end where they are equal to a word, and parts of an iteration are beside them.

    for (i = 0; i != n & −4; i += 4) { … a[i], a[i | 1], a[i | 2], a[i | 3] … }

    s = f, f + c, …,  s ≠ e in each iteration,  f <= e,  c = 2^k a divisor of f and e      =>      s <= e − c

By induction: s <= e − c, so that s + c <= e does not wrap; it is not e, and e − (s + c) is a multiple of c.

    i | k = i + k      where i is a multiple of 2^m, and k below it
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from typing import TypeVar, cast

from visaproof.machine.symbolic.loops.came_back import CountedLoop, Counter
from visaproof.semantics.symbolic.literals import Literals
from visaproof.semantics.symbolic.value_names import OfLoop, RegisterByte
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    const,
    eq,
    extract,
    is_false,
    known_trailing_zeros,
    neg,
    scale,
    sub,
    subterms,
    symbol,
    symbols_of,
    ult,
    value_of,
)
from visaproof.smt.substitution import substitute

T = TypeVar("T", BitVec, Bool)

MOST_LEFT = 15
"""Iterations that are left over, of which it is asked whether there are fewer."""


def ends_of(
    counter: Counter, held: Iterable[Bool], never: Callable[[Bool], bool]
) -> Iterator[tuple[BitVec, BitVec, int, int]]:
    """What a counter is at most, as a word and what is added to it, with the bits of the numbers.

    `held` are conditions of each iteration; `never` says whether one cannot hold of what no iteration changes.
    """
    step = value_of(counter.step) or 0
    if step.bit_count() != 1 or step >> counter.step.width - 1:
        return
    for one in held:
        if one.op is not Op.NOT or one.args[0].op is not Op.EQ:
            continue
        for word, end in permutations(cast(tuple[BitVec, BitVec], one.args[0].args)):
            if word is not counter.word or not all(map(is_of_launch, symbols_of(end))):
                continue
            if _ends_after(counter.first, end, step, never):
                yield word, _at_most(end, never), -step, word.width


def _ends_after(first: BitVec, end: BitVec, step: int, never: Callable[[Bool], bool]) -> bool:
    """Whether steps from one word come to the other one, which is no less."""
    rest = extract(sub(end, first), step.bit_length() - 2, 0) if step > 1 else None
    conditions = [ult(end, first)] if rest is None else [ult(end, first), neg(eq(rest, const(0, rest.width)))]
    return all(is_false(one) or never(one) for one in conditions)


def is_of_launch(one: Term) -> bool:
    """Whether it is one value in all iterations, as what an input holds, or the id of a lane: no load brings it."""
    return isinstance(one.payload, RegisterByte | str)


def _at_most(word: BitVec, never: Callable[[Bool], bool]) -> BitVec:
    """A word that is as large or larger: x & 7 is at most 7, or what a solver says, and x & −8 is at most x."""
    if word.op is not Op.AND or len(word.args) != 2:
        return word
    mask, other = cast(tuple[BitVec, BitVec], word.args)
    most = value_of(mask)
    if most is None or most & (most + 1):
        return word if most is None else other
    if most <= MOST_LEFT:
        most = bisect_left(range(most), True, key=lambda each: never(ult(const(each, word.width), word)))
    return const(most, word.width)


def with_sums(terms: Sequence[T], loops: Sequence[CountedLoop], guard: Literals) -> tuple[T, ...]:
    """Terms with i + 1 in the place of i | 1 where i is a multiple of 2, as counters are whose steps are."""
    parts = [one for one in subterms(*terms) if one.op is Op.OR]
    if not parts:
        return tuple(terms)
    zeros = dict[BitVec, int]()
    for loop in loops:
        for one in loop.counters_of(guard):
            if one.word.op is Op.SYMBOL:
                zeros[one.word] = min(known_trailing_zeros(one.first), known_trailing_zeros(one.step))
    multiples: dict[Term, Term] = {
        word: scale(symbol(OfLoop("", f"multiple{place}"), word.width), 1 << bits)
        for place, (word, bits) in enumerate(zeros.items())
        if 0 < bits < word.width
    }
    sums = dict[Term, Term]()
    for one in parts:
        if len(one.args) == 2:
            word, more = sorted(cast(tuple[BitVec, BitVec], one.args), key=lambda each: value_of(each) is not None)
            number = value_of(more)
            if number is not None and number < 1 << known_trailing_zeros(substitute(word, multiples)):
                sums[one] = add(word, const(number, word.width))
    return tuple(substitute(one, sums) for one in terms) if sums else tuple(terms)
