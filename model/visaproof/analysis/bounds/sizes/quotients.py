"""Quotients and remainders that an address has, where divisors are at least 1 and nothing that is divided is negative.

    ⌊a/b⌋ ≤ Q − 1   where a ≤ Q·b − 1, else ⌊a/b⌋ ≤ a          a mod b ≤ b − 1

What a program does for other signs is left out first: −1 where b = 0, −⌊−a/b⌋ where a < 0, … , else ⌊a/b⌋  is  ⌊a/b⌋.
So that a is not negative is one more limit of it, and that names are at least 1 is a condition of the answer.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import cast

from msgspec import Struct, field

from visaproof.analysis.bounds.sizes.integers import Integers
from visaproof.analysis.bounds.sizes.quotients_by_constants import QuotientsByConstants, parts_of
from visaproof.analysis.bounds.sizes.sums import is_unknown
from visaproof.analysis.conflicts.digits.records import DIVISIONS
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.polynomials import Polynomial, divided, plus, times
from visaproof.smt import BitVec, Bool, Op, Term, const, false, sub, subterms, udiv
from visaproof.smt.integers.signed_quotients import of_natural_numbers
from visaproof.smt.substitution import substitute_all

MOST_DIVISIONS = 8
"""One after the other."""


class Division(Struct, frozen=True):
    """A quotient, or a remainder."""

    dividend: Polynomial
    divisor: Polynomial
    is_quotient: bool
    word: BitVec

    def most(self, dividend: Polynomial) -> Polynomial:
        """With what the dividend is at most."""
        if not self.is_quotient:
            return plus(self.divisor, {(): -1})
        whole = divided(plus(dividend, {(): 1}), self.divisor)
        return dividend if whole is None else plus(whole, {(): -1})


class Divisions(Struct, dict=True):
    """Those on which one access may depend."""

    reader: Integers
    """Of words that may have them, which gets their names."""
    found: dict[str, Division] = field(default_factory=dict[str, Division])
    positive: dict[str, None] = field(default_factory=dict[str, None])
    """Names that have to be at least 1."""
    divisors: dict[BitVec, Polynomial | None] = field(default_factory=dict[BitVec, "Polynomial | None"])

    @cached_property
    def by_constants(self) -> QuotientsByConstants:
        """What is a quotient by a constant."""
        return QuotientsByConstants(self.reader)

    def read(self, address: BitVec, guard: Sequence[Bool]) -> tuple[BitVec, list[Bool]]:
        """Both without what is done for signs that are excluded; the divisions that are left have names."""
        given = frozenset(self.reader.atoms)  # bits of a word that has a name are none of a sum
        for _ in range(MOST_DIVISIONS):
            before, address = address, of_natural_numbers(address, self._is_natural_of_ids)
            guard = [of_natural_numbers(one, self._is_natural_of_ids) for one in guard]
            parts, bits = subterms(address), parts_of(address, given)
            self._name(parts, bits)
            known = dict(self._excluded(parts, bits))
            if not known and before is address:
                break
            (address,), guard = substitute_all([address], known), substitute_all(guard, known)
        return address, [*guard]

    def _name(self, parts: Sequence[Term], bits: Collection[Term]) -> None:
        """Names for the divisions whose operands are sums, and for quotients of which some are bits."""
        for one in parts:
            if one in bits:
                self.by_constants.read(one)
            if one.op not in DIVISIONS or one in self.reader.atoms:
                continue
            dividend, by = cast(tuple[BitVec, BitVec], one.args)
            divisor, limits = self._divisor(by), len(self.reader.limits)
            whole = None if divisor is None else self.reader.exact(dividend)
            if divisor is None or whole is None:
                del self.reader.limits[limits:]
                continue
            self.positive |= dict.fromkeys(name for part in divisor for name in part)
            name = self._named(Division(whole, divisor, one.op is Op.UDIV, cast(BitVec, one)))
            cast(dict[Term, Polynomial], self.reader.atoms)[one] = {(name,): 1}

    def _named(self, division: Division) -> str:
        name = InnerName(Kind.DIVISION, len(self.found))
        self.found[name] = division
        return name

    def by_quotients(self, one: Polynomial, known: Collection[str] | None = None) -> Polynomial:
        """The same with quotients for remainders that are subtracted, a − a mod b = b·⌊a/b⌋: of all, or the `known`."""
        total: Polynomial = {}
        for part, count in one.items():
            name = next((each for each in part if count < 0 and self._is_remainder(each)), None)
            quotient = None if name is None else self._quotient_of(name)
            if name is None or quotient is None or (known is not None and quotient not in known):
                total = plus(total, {part: count})
                continue
            rest, of = list(part), self.found[name]
            rest.remove(name)
            whole = plus(of.dividend, times(times(of.divisor, {(quotient,): 1}), {(): -1}))
            total = plus(total, times({tuple(rest): count}, whole))
        return {part: count for part, count in total.items() if count}

    def quotient_at_most(self, name: str, dividend: Polynomial) -> str | None:
        """That of a remainder, if b·⌊a/b⌋ is no more than the largest dividend: that one more is a multiple of b."""
        if not self._is_remainder(name) or divided(plus(dividend, {(): 1}), self.found[name].divisor) is None:
            return None
        return self._quotient_of(name)

    def _quotient_of(self, name: str) -> str:
        of = self.found[name]
        for other, one in self.found.items():
            if one.is_quotient and (one.dividend, one.divisor) == (of.dividend, of.divisor):
                return other
        word = udiv(*cast(tuple[BitVec, BitVec], of.word.args))
        return self._named(Division(of.dividend, of.divisor, True, word))

    def _is_remainder(self, name: str) -> bool:
        return name in self.found and not self.found[name].is_quotient

    def _divisor(self, word: BitVec) -> Polynomial | None:
        """A product of arguments, or a number; None where it is no such one."""
        if word not in self.divisors:
            own = Integers(self.reader.atoms, self.reader.halves)
            found = own.exact(word)
            is_product = found is not None and len(found) == 1 and all(count > 0 for count in found.values())
            known = is_product and found is not None and not any(is_unknown(name) for part in found for name in part)
            self.divisors[word] = found if known else None
            if known:
                self.reader.limits.extend(own.limits)
        return self.divisors[word]

    def _excluded(self, parts: Sequence[Term], bits: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
        """What is said of the sign of an operand of a division, or that it is 0, and what that is."""
        divisions = [one for one in parts if one.op in DIVISIONS]
        operands = {one for term in (*bits, *divisions) for one in subterms(*term.args)}
        for one in parts:
            match one.op:
                case Op.SLT if _is_zero(one.args[1]) and one.args[0] in operands:
                    if self._is_natural(cast(BitVec, one.args[0])):
                        yield one, false()
                case Op.EQ if divisions and isinstance(one.args[0], BitVec):
                    left, right = cast(tuple[BitVec, BitVec], one.args)
                    ways = [way for way in (sub(left, right), sub(right, left)) if way in operands]
                    if any(self._divisor(way) is not None for way in ways):
                        self._need(ways)
                        yield one, false()
                case Op.EXTRACT if one.width == 1 and one.args[0] in operands:
                    number = cast(BitVec, one.args[0])
                    if one.payload == (number.width - 1, number.width - 1) and self._is_natural(number):
                        yield one, const(0, 1)
                case _:
                    pass

    def _need(self, words: Sequence[BitVec]) -> None:
        for one in words:
            self.positive |= dict.fromkeys(name for part in self._divisor(one) or () for name in part)

    def _is_natural_of_ids(self, word: BitVec) -> bool:
        """The same of a sum of ids; quotients of arguments alone have names of their own."""
        limits, found = len(self.reader.limits), self.reader.read(word) or {}
        del self.reader.limits[limits:]
        return any(is_unknown(name) for part in found for name in part) and self._is_natural(word)

    def _is_natural(self, word: BitVec) -> bool:
        """Whether it is a sum, which then has to be below half of what the word can be, and no negative number."""
        limits = len(self.reader.limits)
        if self.reader.exact(word, word.width - 1) is None:
            del self.reader.limits[limits:]
            return False
        return True


def _is_zero(word: Term) -> bool:
    return word.op is Op.CONST and not word.payload
