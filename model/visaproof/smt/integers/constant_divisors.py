"""Quotients by constants, as compilers write them: a product with a constant, of which the high bits are taken.

With a number n < 2^32, and where d and the shifts below are the same:

    ⌊n·m/2^s⌋ = ⌊n/d⌋           where  2^s <= m·d <= 2^s + 2^(s−32)                                        (1)

Where such an m has 33 bits, 2^32 + k, a sum with it would wrap.  Then half of what is left of n is added instead:

    t = ⌊n·k/2^32⌋,      ⌊(⌊(n − t)/2⌋ + t)/2^p⌋ = ⌊(n + t)/2^(p+1)⌋ = ⌊n·m/2^(33+p)⌋                       (2)

as t <= n, and (1) holds of m with s = 33 + p.
"""

from typing import cast

from visaproof.smt.arithmetic import linear_parts
from visaproof.smt.slices import extract
from visaproof.smt.terms import BitVec, Op, value_of

DWORD = 32


def divided_by_constant(word: BitVec) -> tuple[BitVec, int] | None:
    """The number and the constant of which a word is the quotient by its form; None where it is none."""
    if word.op is not Op.EXTRACT:
        return None
    whole, (high, low) = cast(BitVec, word.args[0]), cast(tuple[int, int], word.payload)
    if high < whole.width - 1:
        return None
    if whole.width == DWORD:
        return _of_halves(whole, low)
    product = _product(whole)
    if product is None or low < DWORD:
        return None
    number, factor = product
    divisor = _divisor(factor, low)
    return None if divisor is None else (number, divisor)


def without_low_bits(word: BitVec, unused: int = 0) -> tuple[BitVec, int] | None:
    """The quotient by 2^k, and k, of which a word is the multiple as a number has its low k bits cleared.

    So many of its highest bits do not matter, and may be cleared, too.
    """
    if word.op is not Op.AND or (ones := run_of_ones(value_of(cast(BitVec, word.args[0])))) is None:
        return None
    low, high = ones
    if not low or high + 1 < word.width - unused:
        return None
    return extract(cast(BitVec, word.args[1]), word.width - 1, low), low


def run_of_ones(mask: int | None) -> tuple[int, int] | None:
    """The lowest and the highest place of the ones of a mask, if they are side by side."""
    if not mask:
        return None
    low, high = (mask & -mask).bit_length() - 1, mask.bit_length() - 1
    return (low, high) if mask == (1 << high + 1) - (1 << low) else None


def _divisor(factor: int, shift: int) -> int | None:
    """By what a number of 32 bits is divided where it is multiplied so, and shifted: (1)."""
    divisor = -(-(1 << shift) // factor)
    return divisor if divisor * factor <= (1 << shift) + (1 << shift - DWORD) else None


def _product(word: BitVec) -> tuple[BitVec, int] | None:
    """A number of 32 bits and a constant below 2^32 whose product of 64 bits the word is."""
    constant, parts = linear_parts(word)
    ((atom, factor), *more) = parts.items() or [(word, 0)]
    if constant or more or not factor or factor >> DWORD or word.width != 2 * DWORD or atom.op is not Op.ZERO_EXTEND:
        return None
    number = cast(BitVec, atom.args[0])
    return (number, factor) if number.width <= DWORD else None


def _of_halves(word: BitVec, places: int) -> tuple[BitVec, int] | None:
    """The same of ⌊(n − t)/2⌋ + t, shifted by so many places: (2)."""
    constant, parts = linear_parts(word)
    if constant or len(parts) != 2 or set(parts.values()) != {1}:
        return None
    for high, half in (tuple(parts), tuple(reversed(parts))):
        product = _high_half(high)
        left = cast(BitVec, half.args[0]) if half.op is Op.ZERO_EXTEND else half
        if product is None or left.op is not Op.EXTRACT or left.payload != (DWORD - 1, 1):
            continue
        number, factor = product
        rest, own = linear_parts(cast(BitVec, left.args[0])), linear_parts(number)
        if number.width == DWORD and rest == (own[0], {**own[1], high: (1 << DWORD) - 1}):
            divisor = _divisor((1 << DWORD) + factor, DWORD + 1 + places)
            return None if divisor is None else (number, divisor)
    return None


def _high_half(word: BitVec) -> tuple[BitVec, int] | None:
    """A number and a constant where the word is the high half of their product."""
    if word.op is not Op.EXTRACT or word.payload != (2 * DWORD - 1, DWORD):
        return None
    return _product(cast(BitVec, word.args[0]))
