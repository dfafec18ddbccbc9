"""The symbols and words that the rules of the normal form are about.

`w` is the width of the words x, y and z; `wide` is twice that.
"""

from visaproof.smt import BitVec, bool_symbol, const, symbol
from visaproof.smt.terms import T
from visaproof.smt.written import Words

p, q, r = bool_symbol("p"), bool_symbol("q"), bool_symbol("r")
NARROW = (8, 16, 32)
"""Widths of words that are extended: to twice as much, as far as words go."""

SMALL = 4
"""Bits of words that are known to be small."""


def x(width: int) -> BitVec:
    return symbol(f"x{width}", width)


def y(width: int) -> BitVec:
    return symbol(f"y{width}", width)


def z(width: int) -> BitVec:
    return symbol(f"z{width}", width)


def c(value: int, width: int) -> BitVec:
    return const(value, width)


def wide(b: Words, word: BitVec) -> BitVec:
    """The word with as many zeros above."""
    return b.zero_extend(word, 2 * word.width)


def signed(b: Words, word: BitVec) -> BitVec:
    """The word with as many copies of its sign above."""
    return b.sign_extend(word, 2 * word.width)


def small(b: Words, name: str, width: int) -> BitVec:
    """A word below 16."""
    return b.zero_extend(symbol(name, SMALL), width)


def many(b: Words, name: str, width: int) -> BitVec:
    """A sum of so many words that a product of two such sums is not multiplied out."""
    return b.add(*(symbol(f"{name}{number}.{width}", width) for number in range(8)))


def choice(b: Words, then: int, otherwise: int, width: int) -> BitVec:
    return b.ite(p, c(then, width), c(otherwise, width))


def copied_sign(b: Words, word: BitVec) -> BitVec:
    """Its sign in all bits."""
    return b.sign_extend(b.extract(word, word.width - 1, word.width - 1), word.width)


def kept(expression: T) -> tuple[T, T]:
    """No rule makes anything else of it."""
    return expression, expression


def of_words(b: Words, word: BitVec) -> BitVec:
    """What any function gives: it has one value at x, and one at y unless that is x."""
    return b.ite(b.eq(word, x(word.width)), symbol(f"at.x{word.width}", word.width), z(word.width))
