"""Words of which only is known between which numbers they are, as the size of a sub-group is, or the smaller of two.

So are those that a guard keeps from being negative, and those that it compares.

if the sub-group is none but the last: 32, else local_size & 31          is at most 32
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import product
from typing import cast

from visaproof.analysis.bounds.sizes.integers import Below, Half, Integers
from visaproof.analysis.bounds.sizes.launch_integers import conjuncts, not_negative
from visaproof.analysis.bounds.sizes.sums import added_and_subtracted, is_unknown, without_names
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.polynomials import Polynomial, plus
from visaproof.semantics.symbolic.literals import Literals
from visaproof.smt import BitVec, Bool, Op, Term, conj, linear_parts, neg, signed_value, subterms, ult, value_of

SMALL = 1 << 10
"""No sub-group has more work items, nor has a group more on Intel's devices."""


def small_words(address: BitVec, reader: Integers) -> tuple[dict[Term, Polynomial], Mapping[str, Polynomial]]:
    """The choices in it that are no integers otherwise, each with a name, and what these are at most."""
    words, most = dict[Term, Polynomial](), dict[str, Polynomial]()
    alone = Integers(reader.atoms, reader.halves, reader.modular)
    for word in subterms(address):
        if isinstance(word, BitVec) and word.op is Op.ITE and word.high < SMALL and alone.read(word) is None:
            name = InnerName(Kind.SMALL, len(words))
            words[word], most[name] = {(name,): 1}, {(): word.high}
    return words, most


def smaller_words(
    address: BitVec, reader: Integers
) -> tuple[dict[Term, Polynomial], dict[str, Polynomial], tuple[Bool, ...]]:
    """The smaller of two words, of which one is no other integer, in an address: what each is, and is at most.

    if a < b: a, else b  is at most a, and at most b
    """
    words, most, said = dict[Term, Polynomial](), dict[str, Polynomial](), list[Bool]()
    for word in subterms(address):
        if not isinstance(word, BitVec) or word.op is not Op.ITE or cast(Bool, word.args[0]).op is not Op.ULT:
            continue
        both = cast(tuple[BitVec, BitVec], word.args[1:])
        if word.args[0].args == both and any(reader.read(one) is None for one in both):
            name = InnerName(Kind.SMALLER, len(words))
            words[word], most[name] = {(name,): 1}, {(): (1 << word.width) - 1}
            said += (neg(ult(one, word)) for one in both)
    return words, most, tuple(said)


def clamped_words(address: BitVec, reader: Integers, known: Collection[str] = ()) -> dict[str, Polynomial]:
    """What the larger of a word and a number, and the smaller of two words are at most, by names that the reader gets.

        max(a, c)  =  c + n      where 0 <= n <= p of a − c = p − q: in p and q nothing is subtracted, and c >= 0
        min(a, b)  =  n          where 0 <= n <= a and n <= b, if neither is negative

    The order of words is that of the sums where each is what it is read as: as signed numbers p' and q' of a = p' − q'
    have to be below 2^(bits − 1), and of the smaller of two both words.
    """
    most = dict[str, Polynomial]()
    for word in subterms(address):
        if not isinstance(word, BitVec) or word.op is not Op.ITE or word in reader.atoms:
            continue
        condition, limits = cast(Bool, word.args[0]), len(reader.limits)
        both = cast(tuple[BitVec, BitVec], word.args[1:])
        if condition.op not in (Op.ULT, Op.SLT) or {*condition.args} != {*both}:
            continue
        clamped = (_smaller if condition.args == both else _larger)(both, condition.op is Op.SLT, reader)
        end = clamped and without_names(clamped[1], most)
        if clamped is None or end is None:
            del reader.limits[limits:]
            continue
        name = InnerName(Kind.CLAMPED, len(known) + len(most))
        cast(dict[Term, Polynomial], reader.atoms)[word] = plus({(name,): 1}, clamped[0])
        most[name] = end
    return most


def _larger(both: tuple[BitVec, BitVec], is_signed: bool, reader: Integers) -> tuple[Polynomial, Polynomial] | None:
    """The number, and what the larger of it and the word is at most above it."""
    number = next((value for one in both if (value := value_of(one)) is not None), None)
    word = both[value_of(both[0]) is not None]
    bits = word.width - is_signed
    if number is None or number >> bits or (whole := reader.read(word)) is None:
        return None
    added, taken = added_and_subtracted(whole)
    reader.limits += [Below(added, bits), Below(taken, bits)] if is_signed else [Below(whole, bits)]
    return {(): number}, added_and_subtracted(plus(whole, {(): -number}))[0]


def _smaller(both: tuple[BitVec, BitVec], is_signed: bool, reader: Integers) -> tuple[Polynomial, Polynomial] | None:
    """Nothing, and the first of them that is no sum of ids."""
    found = [reader.exact(one, one.width - is_signed) for one in both]
    one, other = found
    if one is None or other is None:
        return None
    return {}, next((each for each in (one, other) if not any(is_unknown(name) for part in each for name in part)), one)


def named_words(
    address: BitVec,
    guard: Literals,
    known: Mapping[Term, Polynomial],
    halves: Mapping[Term, Half],
    parts: Callable[[BitVec, Mapping[Term, Polynomial]], Mapping[Term, Polynomial]],
) -> tuple[dict[Term, Polynomial], dict[str, Polynomial], tuple[Bool, ...]]:
    """What words are, beside those that are `known`; what some are at most in any case, and what holds of them."""
    smaller, most, said = smaller_words(address, Integers(known, halves))
    every = {**known, **smaller}
    every = {**parts(address, every), **every}
    words, more = guarded_words(guard, Integers(every, halves))
    return every | words, most | more, said


def guarded_words(guard: Literals, reader: Integers) -> tuple[dict[Term, Polynomial], dict[str, Polynomial]]:
    """Words that a guard keeps from being negative, as integers, and what those are at most whatever it says else.

    Of 0 <= a + c as signed numbers a + c is the integer, which is below 2^(bits − 1) + c where `a` has so many.  It
    must not wrap: −128 − 5 is not negative in 8 bits, so that c is at least 0, or `a` has fewer bits than are compared
    and c is small.  Words that are read as sums of ids are left to these, but for numbers that were made longer before
    they were compared, as coordinates of 2D blocks are: they are what they are, however they came about.
    """
    words, most = dict[Term, Polynomial](), dict[str, Polynomial]()
    for one in conjuncts(conj(*guard)):
        if (whole := not_negative(one)) is None:
            continue
        constant, parts = linear_parts(whole)
        ((word, count), *more) = parts.items() or [(None, 0)]
        if word is None or more or count != 1 or word in words:
            continue
        added = signed_value(constant, word.width)
        longer = word.op is Op.SIGN_EXTEND and abs(added) < 1 << word.width - 2
        if longer or (added >= 0 and reader.read(word) is None):
            bits = (cast(BitVec, word.args[0]) if longer else word).width
            name = InnerName(Kind.GUARDED, len(words))
            words[word] = {(name,): 1, (): -added}
            most[name] = {(): (1 << bits - 1) - 1 + max(added, 0)}
    return words, most


def comparisons(guard: Iterable[Bool]) -> Iterator[tuple[BitVec, BitVec, int, int]]:
    """Words with what they are at most, as a word and what is added to it, and the bits of the numbers.

    x < min(a, b)  is  x < a and x < b,      max(a, b) < x  is  a < x and b < x      in the order of the comparison
    """
    for one in guard:
        inner = cast(Bool, one.args[0]) if one.op is Op.NOT else one
        if inner.op not in (Op.ULT, Op.SLT):
            continue
        left, right = cast(tuple[BitVec, BitVec], inner.args)
        bits = left.width - (inner.op is Op.SLT)
        word, bound, more = (right, left, 0) if one.op is Op.NOT else (left, right, -1)
        for each, most in product(_parted(word, inner.op, least=False), _parted(bound, inner.op, least=True)):
            yield each, most, more, bits


def _parted(word: BitVec, order: Op, *, least: bool) -> Iterator[BitVec]:
    """The words of which it is the least one, or the largest, in this order; the word itself if it is none."""
    if word.op is Op.ITE and (condition := cast(Bool, word.args[0])).op is order:
        one, other = cast(tuple[BitVec, BitVec], word.args[1:])
        if condition.args == ((one, other) if least else (other, one)):
            for each in sorted((one, other), key=lambda each: len(subterms(each))):  # an argument before a sum of ids
                yield from _parted(each, order, least=least)
            return
    yield word
