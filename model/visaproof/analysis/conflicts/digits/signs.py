"""Words without what integer divisions of the kernel do for zeros and negative or long numbers, where there are none.

    −1 where w = 0,  −(i mod −w) where w < 0,  … ,  else i mod w      is      i mod w      where w ≥ 1 and i ≥ 0

    ⌊i″/c⌋ where i′ = 0,  else the quotient of 64 bits         is      ⌊i″/c⌋          where i < 2^32 (i′, i″: halves)

With i ≥ 0 and w ≥ 1 neither ⌊i/w⌋ nor i mod w is negative, so that this goes on where they are divided again.
"""

from collections.abc import Collection, Iterator
from typing import TypeVar, cast

from msgspec import Struct, field

from visaproof.analysis.conflicts.digits.named_integers import NamedIntegers
from visaproof.analysis.conflicts.digits.parts_of_numbers import ONE
from visaproof.analysis.conflicts.digits.records import DIVISIONS
from visaproof.analysis.conflicts.digits.strides import depends_on_ids
from visaproof.launch.relations.expressions import Relation
from visaproof.launch.relations.polynomials import Polynomial, at_least
from visaproof.smt import BitVec, Bool, Op, Term, const, false, sub, substitute, subterms, true, zero_extend
from visaproof.smt.integers.signed_quotients import of_natural_numbers

MOST_DIVISIONS = 8
"""One after the other."""
MOST_CHOICES = 8
"""Whose conditions are asked about, of one word."""


Word = TypeVar("Word", BitVec, Bool)


class Signs(Struct):
    """What was taken to hold of words."""

    integers: NamedIntegers
    positive: dict[Relation, None] = field(default_factory=dict[Relation, None])
    """What has to hold for it."""
    known: dict[BitVec, bool] = field(default_factory=dict[BitVec, bool])
    """Whether a word is above 0, or of items not below."""
    decided: dict[Bool, bool] = field(default_factory=dict[Bool, bool])
    """Whether a condition holds for all items of a group."""

    def settled(self, word: Word) -> Word:
        """The word where divisors are positive, and what is divided is not negative if that is so of all items."""
        word = of_natural_numbers(word, lambda number: depends_on_ids(number) and self._is_not_negative(number))
        for _ in range(MOST_DIVISIONS):
            settled = substitute(word, dict(self._excluded(word)))
            if settled is word:
                break
            word = settled
        return word

    def _excluded(self, word: Term) -> Iterator[tuple[Term, Term]]:
        """What is said of the sign of an operand of a division, or that it is 0, and what that is."""
        parts = subterms(word)
        yield from self._decided(parts)
        operands = {one for term in parts if term.op in DIVISIONS for one in subterms(*term.args)}
        for one in parts:
            match one.op:
                case Op.SLT | Op.EQ if isinstance(one.args[0], BitVec):
                    left, right = cast(tuple[BitVec, BitVec], one.args)
                    ways = (sub(left, right), sub(right, left)) if one.op is Op.EQ else (left,) * _is_zero(right)
                    if any(way in operands and self._holds(way, one.op is Op.EQ) for way in ways):
                        yield one, false()
                case Op.EXTRACT if one.width == 1 and _is_sign(one):
                    number = cast(BitVec, one.args[0])
                    if number in operands and self._holds(number, above=False):
                        yield one, const(0, 1)
                case Op.SIGN_EXTEND if (number := _extended_number(one)) is not None and depends_on_ids(number):
                    if self._is_not_negative(number):
                        yield one, zero_extend(cast(BitVec, one.args[0]), one.width)
                case _:
                    pass

    def _decided(self, parts: Collection[Term]) -> Iterator[tuple[Term, Term]]:
        """Conditions of choices that say whether a word of ids is some number, where it always is."""
        conditions = dict.fromkeys(one.args[0] for one in parts if one.op is Op.ITE and isinstance(one, BitVec))
        asked = [one for one in conditions if one.op is Op.EQ and any(one.op is Op.CONST for one in one.args)]
        for one in cast(list[Bool], asked)[:MOST_CHOICES]:
            if one not in self.decided:
                words = [word for word in one.args if isinstance(word, BitVec)]
                self.decided[one] = depends_on_ids(*words) and self.integers.holds_in_group(one)
            if self.decided[one]:
                yield one, true()

    def _holds(self, number: BitVec, above: bool) -> bool:
        """Whether it is above 0, or of items not below."""
        if depends_on_ids(number):
            return not above and self._is_not_negative(number)
        if number not in self.known:
            polynomial = self.integers.of_word(number)
            self.known[number] = polynomial is not None and self._is_above(polynomial)
        return self.known[number]

    def _is_above(self, polynomial: Polynomial) -> bool:
        """Whether it is above 0, of w and not of −w; of a product its factors are."""
        if sum(polynomial.values()) <= 0:
            return False
        (names, *more) = polynomial
        needed = [at_least({(name,): 1}, ONE) for name in names] if not more else [at_least(polynomial, ONE)]
        self.positive |= dict.fromkeys(one for one in needed if isinstance(one, Relation))
        return all(needed)

    def _is_not_negative(self, number: BitVec) -> bool:
        if number not in self.known:
            if number.op in DIVISIONS:
                dividend, by = cast(tuple[BitVec, BitVec], number.args)
                self.known[number] = self._holds(dividend, above=False) and self._holds(by, above=True)
            else:
                self.known[number] = self.integers.is_not_negative(number)
        return self.known[number]


def _is_zero(word: BitVec) -> bool:
    return word.op is Op.CONST and not word.payload


def _extended_number(word: Term) -> BitVec | None:
    """The number of which all but the low bits are extended with its sign."""
    high = cast(BitVec, word.args[0])
    number = cast(BitVec, high.args[0]) if high.op is Op.EXTRACT else high
    return number if high.op is Op.EXTRACT and number.width - 1 == cast(tuple[int, int], high.payload)[0] else None


def _is_sign(bit: Term) -> bool:
    whole = cast(BitVec, bit.args[0])
    return bit.payload == (whole.width - 1, whole.width - 1)
