"""Quotients of signed numbers by constants, as compilers write them, where the numbers are not negative.

They are high bits of a product, and 1 more below zero.  With 0 <= x < 2^31 and S = 32 + s this is how C divides by d,
rounding towards 0:

    ⌊x·m/2^S⌋  =  ⌊x/d⌋          ⌊−x·m/2^S⌋ + 1  =  −⌊x/d⌋  (x > 0)          where  2^S < m·d <= 2^S + 2^(S−31)

The first holds as x·m/2^S is x/d and less than 1/d more; the second, also of x = 2^31, as it is more, so that the next
integer is the one behind ⌊x/d⌋.  Where m has 32 bits, it is m − 2^32 as a signed number: x is added to the high half.

Of quotients by powers of two it is x + 2^k − 1 that is shifted, or loses its low bits, where x < 0.
"""

from collections.abc import Callable
from typing import TypeVar, cast

from visaproof.smt.arithmetic import linear_parts, sub
from visaproof.smt.bits import sign_extend
from visaproof.smt.evaluate import subterms
from visaproof.smt.slices import extract, udiv
from visaproof.smt.substitution import substitute
from visaproof.smt.terms import BitVec, Bool, Op, Term, const, signed_value, value_of

DWORD = 32
Word = TypeVar("Word", BitVec, Bool)


def of_natural_numbers(word: Word, is_natural: Callable[[BitVec], bool]) -> Word:
    """The same word, with quotients of numbers that are not negative, as far as is known, as those without a sign."""
    found = dict[Term, Term]()
    for one in subterms(word):
        if not isinstance(one, BitVec) or one.op is not Op.ITE:
            continue
        if (quotient := signed_quotient(one)) is not None:
            if is_natural(number := substitute(quotient[0], found)):
                found[one] = udiv(number, const(quotient[1], DWORD))
        elif (divided := _shifted(one)) is not None and is_natural(substitute(divided, found)):
            found[one] = substitute(cast(BitVec, one.args[2]), found)
    return substitute(word, found)


def _shifted(word: BitVec) -> BitVec | None:
    """The number of whose quotient by a power of two a choice is made: x + 2^k − 1 or x, or the bits of these."""
    below, more, high = cast(tuple[Bool, BitVec, BitVec], word.args)
    if below.op is not Op.SLT or value_of(cast(BitVec, below.args[1])) != 0:
        return None
    number = cast(BitVec, below.args[0])
    while high is not number and high.op in (Op.EXTRACT, Op.SIGN_EXTEND, Op.AND) and high.args:
        if more.op is not high.op or more.payload != high.payload or more.args[:-1] != high.args[:-1]:
            return None
        more, high = cast(BitVec, more.args[-1]), cast(BitVec, high.args[-1])
    added = value_of(sub(more, high)) if more.width == high.width else None
    return number if high is number and added and not added & (added + 1) else None


def signed_quotient(word: BitVec) -> tuple[BitVec, int] | None:
    """The number and the constant of which a word of 32 bits is the quotient, as C rounds it; None where it is none."""
    if word.op is not Op.ITE or word.width != DWORD:
        return None
    below, more, high = cast(tuple[Bool, BitVec, BitVec], word.args)
    if below.op is not Op.SLT or value_of(cast(BitVec, below.args[1])) != 0 or value_of(sub(more, high)) != 1:
        return None
    whole = cast(BitVec, below.args[0])
    product, places = _product(whole), _places(whole, high)
    if product is None or places is None:
        return None
    (number, factor), shift = product, DWORD + places
    divisor = -(-(1 << shift) // factor)
    fits = 1 << shift < factor * divisor <= (1 << shift) + (1 << shift - DWORD + 1)
    return (number, divisor) if fits else None


def _places(whole: BitVec, high: BitVec) -> int | None:
    """By how many places a word has to be shifted for these high bits of it."""
    for places in range(DWORD):
        if high is sign_extend(extract(whole, DWORD - 1, places), DWORD):
            return places
    return None


def _product(whole: BitVec) -> tuple[BitVec, int] | None:
    """A number and a constant of 32 bits, of whose signed product the word is the high half."""
    for half in linear_parts(whole)[1]:
        if half.op is not Op.EXTRACT or half.payload != (2 * DWORD - 1, DWORD):
            continue
        constant, parts = linear_parts(cast(BitVec, half.args[0]))
        ((atom, factor), *more) = parts.items() or [(half, 0)]
        if constant or more or atom.op is not Op.SIGN_EXTEND:
            continue
        number = sign_extend(cast(BitVec, atom.args[0]), DWORD)
        factor, rest = signed_value(factor, 2 * DWORD), sub(whole, half)
        if 0 < factor < 1 << DWORD - 1 and value_of(rest) == 0:
            return number, factor
        if -(1 << DWORD - 1) <= factor < 0 and rest is number:
            return number, factor + (1 << DWORD)
    return None
