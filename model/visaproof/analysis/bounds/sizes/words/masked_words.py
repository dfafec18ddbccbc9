"""Multiples of powers of two that are below a word: where that begins which an unrolled loop leaves over.

    (x & −2^m) <= x − r      where x mod 2^m is none of 0, …, r − 1

So is what iterations that came before chose: 0 if there was none, 4 if there was one, and so on, as a solver says.
"""

from collections.abc import Callable, Sequence
from typing import cast

from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.polynomials import Polynomial, plus
from visaproof.machine.symbolic.loops.came_back import CountedLoop
from visaproof.semantics.symbolic.literals import Literals
from visaproof.smt import BitVec, Bool, Op, Term, const, eq, extract, neg, sub, subterms, symbols_of, ult, value_of

MOST_CHOICES = 32
"""In one word."""


def masked_words(
    address: BitVec,
    loops: Sequence[CountedLoop],
    guard: Literals,
    known: dict[Term, Polynomial],
    never: Callable[[Bool], bool],
) -> dict[str, Polynomial]:
    """What those of an address, and of what its counters begin at, are at most, by names that become `known`."""
    most, used = dict[str, Polynomial](), frozenset(symbols_of(address))
    counters = (one for loop in loops for one in loop.counters_of(guard))
    for word in subterms(address, *(one.first for one in counters if not used.isdisjoint(symbols_of(one.word)))):
        if word in known or (found := _multiple_below(word)) is None:
            continue
        whole, bits = found
        low, left = extract(whole, bits - 1, 0), 0
        while left < 1 << bits and neg(eq(low, const(left, bits))) in guard:
            left += 1
        if (end := known.get(whole)) is None or not (
            word.op is Op.AND or never(ult(sub(whole, const(left, whole.width)), cast(BitVec, word)))
        ):
            continue
        name = InnerName(Kind.CLAMPED, len(most))
        known[word], most[name] = {(name,): 1}, plus(end, {(): -left})
    return most


def _multiple_below(word: Term) -> tuple[BitVec, int] | None:
    """The word of which this may be the multiple of a power of two that is below it, and how many bits are left."""
    left, found = [word], set[tuple[BitVec, int]]()
    for _ in range(MOST_CHOICES):
        if not left:
            break
        one = left.pop()
        if one.op is Op.ITE:
            left += one.args[1:]
        elif one.op is Op.AND and len(one.args) == 2:
            mask, whole = cast(tuple[BitVec, BitVec], one.args)
            number = value_of(mask)
            unit = 0 if number is None else (1 << mask.width) - number
            if unit.bit_count() != 1:
                return None
            found.add((whole, unit.bit_length() - 1))
        elif value_of(cast(BitVec, one)) is None:
            return None
    return found.pop() if len(found) == 1 and not left else None
