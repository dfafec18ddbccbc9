"""Words that a solver shows to be between 0 and a sum: indices that are clamped, or that a guard keeps inside.

    0 <= w + c <= u      whatever w, u and the guard are made of, if 0 <= u           as signed numbers
    0 <= w + c <= u − 1                                           if 1 <= u

    min(max(x, 0), n − 1),      if x < n: max(x, 0), else n − 1          are at most n − 1
    −2 < x and x + 1 < n                                                 keeps x + 1 below n, and x at least −1

No form is looked for: `u` is a sum that the word or the guard compares with something.  Products and quotients stand
for any number, so what is shown holds of the kernel, and of each lane alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import cast

from visaproof.analysis.bounds.sizes.integers import Below, Integers
from visaproof.analysis.bounds.sizes.sums import is_unknown
from visaproof.analysis.bounds.sizes.words.any_numbers import AnyNumbers
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.polynomials import Polynomial, plus
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    conj,
    const,
    linear_parts,
    neg,
    signed_value,
    sle,
    subterms,
    symbols_of,
    value_of,
)

MOST_BOUNDS = 6
"""Sums that are tried for one word."""
MOST_TERMS = 500
"""Of a word: a solver needs long for a larger one."""
MOST_ADDED = 1 << 16
"""Larger numbers are no neighbours of an index."""
READ_INSIDE = (Op.MUL, Op.CONCAT, Op.EXTRACT, Op.ZERO_EXTEND)


def ranged_words(
    address: BitVec, guard: Sequence[Bool], reader: Integers, asked: AnyNumbers
) -> tuple[dict[Term, Polynomial], dict[str, Polynomial]]:
    """What words of an address are that nothing else reads, and what the names in that are at most.

    The reader gets the limits under which it is so.
    """
    words, most = dict[Term, Polynomial](), dict[str, Polynomial]()
    for word in _unread(address, reader):
        inner = cast(BitVec, word.args[0]) if word.op is Op.SIGN_EXTEND else word
        for each in dict.fromkeys((inner, word)):
            if (found := _range(each, guard, reader, asked)) is not None:
                added, end = found
                name = InnerName(Kind.RANGED, len(words))
                words[word] = words[each] = {(name,): 1, (): -added} if added else {(name,): 1}
                most[name] = end
                break
    return words, most


def _unread(address: BitVec, reader: Integers) -> Iterator[BitVec]:
    """The words of which sums cannot be read otherwise."""
    left, seen = [address], set[Term]()
    while left:
        word = left.pop()
        if word in seen or _reads(word, reader):
            continue
        seen.add(word)
        parts = [each for each in linear_parts(word)[1] if each is not word]
        if parts:
            left += parts
        elif word.op in READ_INSIDE:
            left += cast(tuple[BitVec, ...], word.args)
        elif len(subterms(word)) <= MOST_TERMS:
            yield word


def _reads(word: BitVec, reader: Integers) -> bool:
    limits = len(reader.limits)
    found = reader.read(word)
    del reader.limits[limits:]
    return found is not None


def _range(word: BitVec, guard: Sequence[Bool], reader: Integers, asked: AnyNumbers) -> tuple[int, Polynomial] | None:
    """A number c, and what w + c is at most, where it is at least 0; None where that is not shown."""
    own = frozenset(symbols_of(word))
    said = [one for one in guard if not own.isdisjoint(symbols_of(one)) and len(subterms(one)) <= MOST_TERMS]
    compared = [*_comparisons(chain((word,), said))]
    for bound, end in _bounds(word, compared, reader):
        for added in _numbers(word, said):
            number = add(word, const(added, word.width))
            for less in (1, 0):
                least = const(less, word.width)
                inside = conj(sle(const(0, word.width), number), sle(number, add(bound, const(-less, word.width))))
                if asked.never(*said, sle(least, bound), neg(inside)):
                    last = plus(end, {(): -less})
                    reader.exact(bound, bound.width - 1)
                    reader.limits.append(Below(last, bound.width - 1))
                    return added, last
    return None


def _comparisons(terms: Iterable[Term]) -> Iterator[tuple[BitVec, BitVec]]:
    """What they compare as signed numbers."""
    for one in dict.fromkeys(inner for term in terms for inner in subterms(term)):
        if one.op is Op.SLT:
            yield cast(tuple[BitVec, BitVec], one.args)


def _bounds(
    word: BitVec, compared: Iterable[tuple[BitVec, BitVec]], reader: Integers
) -> Iterator[tuple[BitVec, Polynomial]]:
    """Words that may be above it, as sums of names that a host gives: numbers last."""
    found = dict[BitVec, Polynomial]()
    for bound in dict.fromkeys(chain.from_iterable(compared)):
        limits, number = len(reader.limits), value_of(bound)
        is_signed = bound.width == word.width and (number is None or not number >> bound.width - 1)
        end = reader.exact(bound, bound.width - 1) if is_signed else None
        del reader.limits[limits:]
        if end and not any(is_unknown(name) for part in end for name in part):
            found[bound] = end
    each = sorted(found.items(), key=lambda one: (not any(one[1]), len(one[1])))
    yield from each[:MOST_BOUNDS]


def _numbers(word: BitVec, guard: Iterable[Bool]) -> list[int]:
    """What a guard adds to the word before it compares it."""
    found = {0: None}
    for side in chain.from_iterable(_comparisons(guard)):
        constant, parts = linear_parts(side)
        if parts == {word: 1} and 0 < (added := signed_value(constant, word.width)) < MOST_ADDED:
            found[added] = None
    return [*found]
