"""Relations and sizes as terms: wide enough that nothing wraps.

The widest number of an expression decides: all of it is computed in so many bits, in two's complement where some part
may be negative.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import product

from msgspec import Struct

from visaproof.launch.relations.expressions import OPERATIONS, Expression, Name, Number, Operation, Relation
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    const,
    eq,
    ite,
    mul,
    neg,
    sign_extend,
    sle,
    slt,
    sub,
    truncate,
    ule,
    ult,
    urem,
    zero_extend,
)

MOST_BITS = 256
"""Of what a relation computes: products of four arguments of 64 bits."""


class TooWide(Exception):
    """The numbers need more than MOST_BITS bits."""


class Word(Struct, frozen=True):
    """A value as it stands in the payload."""

    term: BitVec
    signed: bool = False

    @property
    def range(self) -> "Range":
        """What the word may be."""
        if self.signed:
            half = 1 << (self.term.width - 1)
            return Range(-half, half - 1)
        return Range(self.term.low, self.term.high)


class Range(Struct, frozen=True):
    """The integers from `low` to `high`."""

    low: int
    high: int

    @property
    def bits(self) -> int:
        """In which all of them fit."""
        if self.low >= 0:
            return max(1, self.high.bit_length())
        return max(self.high.bit_length(), (-self.low - 1).bit_length()) + 1

    def joined(self, other: "Range") -> "Range":
        return Range(min(self.low, other.low), max(self.high, other.high))


Words = Mapping[str, Word]


class Exact(Struct, frozen=True):
    """The value of an expression: a term of the width at which it was asked for, and what it may be."""

    term: BitVec
    range: Range


def exact(expression: Expression, words: Words, least_bits: int = 1) -> Exact:
    """The expression in at least so many bits.  Raises TooWide."""
    width = max(least_bits, _bits(expression, words=words))
    return Exact(_term(expression, words, width), range_of(expression, words))


def relation_term(relation: Relation, words: Words) -> Bool:
    """Whether the relation holds of the words.  Raises TooWide."""
    width = _bits(relation.left, relation.right, words=words)
    signed = any(one.low < 0 for side in (relation.left, relation.right) for one in _ranges(side, words))
    left, right = (_term(side, words, width) for side in (relation.left, relation.right))
    return _COMPARISONS[relation.sign](left, right, signed)


def range_of(expression: Expression, words: Words) -> Range:
    match expression:
        case Number(value):
            return Range(value, value)
        case Name(text):
            return words[text].range
        case Operation("%", _, right):
            return Range(0, range_of(right, words).high - 1)
        case Operation("-", left, right):
            one, other = range_of(left, words), range_of(right, words)
            return Range(one.low - other.high, one.high - other.low)
        case Operation(sign, left, right):
            one, other = range_of(left, words), range_of(right, words)
            ends = [OPERATIONS[sign](a, b) for a, b in product((one.low, one.high), (other.low, other.high))]
            return Range(min(ends), max(ends))


def _bits(*sides: Expression, words: Words) -> int:
    """In which every part fits, whatever its sign."""
    parts = [part for side in sides for part in _ranges(side, words)]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    if whole.bits > MOST_BITS:
        raise TooWide(f"this needs numbers of {whole.bits} bits, and {MOST_BITS} are the most")
    return whole.bits


def _ranges(expression: Expression, words: Words) -> Iterator[Range]:
    """Of each part."""
    yield range_of(expression, words)
    if isinstance(expression, Operation):
        yield from _ranges(expression.left, words)
        yield from _ranges(expression.right, words)
        if expression.sign == "%":
            part = range_of(expression.left, words)
            yield Range(part.low, part.high + _lift(expression, words))


def _lift(remainder: Operation, words: Words) -> int:
    """The least multiple of the divisor that makes the left side at least 0."""
    divisor = range_of(remainder.right, words).high
    return max(0, -(range_of(remainder.left, words).low // divisor) * divisor)


def _term(expression: Expression, words: Words, width: int) -> BitVec:
    match expression:
        case Number(value):
            return const(value, width)
        case Name(text):
            word = words[text]
            if word.term.width > width:  # of a local size that is known, say
                return truncate(word.term, width)
            return sign_extend(word.term, width) if word.signed else zero_extend(word.term, width)
        case Operation("%", left, right):
            lifted = add(_term(left, words, width), const(_lift(expression, words), width))
            return urem(lifted, _term(right, words, width))
        case Operation(sign, left, right):
            return _OPERATIONS[sign](_term(left, words, width), _term(right, words, width))


_OPERATIONS: Mapping[str, Callable[[BitVec, BitVec], BitVec]] = {"+": add, "-": sub, "*": mul}


def _at_most(left: BitVec, right: BitVec, signed: bool) -> Bool:
    return sle(left, right) if signed else ule(left, right)


def _below(left: BitVec, right: BitVec, signed: bool) -> Bool:
    return slt(left, right) if signed else ult(left, right)


_COMPARISONS: Mapping[str, Callable[[BitVec, BitVec, bool], Bool]] = {
    ">=": lambda left, right, signed: _at_most(right, left, signed),
    "<=": _at_most,
    "==": lambda left, right, _: eq(left, right),
    "!=": lambda left, right, _: neg(eq(left, right)),
    ">": lambda left, right, signed: _below(right, left, signed),
    "<": _below,
}


def clamped(amount: Exact, most: int) -> BitVec:
    """The amount in as many bits as `most` has: 0 for what is below 0, and `most` for what is above it."""
    bits, term = most.bit_length(), amount.term
    low = truncate(term, bits) if term.width > bits else zero_extend(term, bits)
    if amount.range.high > most:
        signed = amount.range.low < 0
        low = ite(_at_most(term, const(most, term.width), signed), low, const(most, bits))
    if amount.range.low < 0:
        low = ite(slt(term, const(0, term.width)), const(0, bits), low)
    return low
