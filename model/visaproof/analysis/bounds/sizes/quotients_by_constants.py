"""Quotients by constants: the bits of a word from a place on, and products of which the high bits are taken.

    bits h .. l of w  =  ⌊w/2^l⌋ − 2^(h−l+1)·⌊w/2^(h+1)⌋

Quotients by other constants are read in the forms that compilers write.  So the parts of one number add up to
quotients of it: 4·(w mod 16) + 64·⌊w/16⌋ is 4·w.  Where one is subtracted, a remainder is left, and of what is added
each is at most a part of the number (k·b <= n, k <= c, and w >= 0):

    c·⌊w/d⌋ − n·⌊w/(d·b)⌋  =  (c − k)·⌊w/d⌋ − (n − k·b)·⌊w/(d·b)⌋ + k·(⌊w/d⌋ mod b)       ⌊w/d⌋ mod b <= b − 1
    n·⌊w/d⌋ + m·⌊w/e⌋  <=  ⌈n/d + m/e⌉·w
"""

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from math import ceil, gcd
from typing import cast

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.bounds.sizes.integers import Below, Integers
from visaproof.launch.relations.inner_names import InnerName, Kind, is_inner
from visaproof.launch.relations.polynomials import Polynomial, constant_of, divided, plus, times
from visaproof.smt import BitVec, Op, Term, value_of
from visaproof.smt.integers.constant_divisors import divided_by_constant, run_of_ones, without_low_bits

MOST_SHIFTED = 24
"""Bits below a quotient: where more are left out, a word is asked for its sign, or whether it is long."""

Largest = Callable[[Polynomial], Polynomial | None]


class ByConstant(Struct, frozen=True):
    """A quotient."""

    dividend: Polynomial
    divisor: int
    bits: int
    """The dividend has to be a number of so many, where anything is said of the quotient by itself."""


class QuotientsByConstants(Struct):
    """Those on which one access may depend."""

    reader: Integers
    """Of words that may have them, which gets what they are."""
    found: dict[str, ByConstant] = field(default_factory=dict[str, ByConstant])
    natural: dict[str, Below] = field(default_factory=dict[str, Below])
    """Under which limits those that were used by themselves are no negative numbers."""

    def read(self, word: Term) -> None:
        """What a word is, if it is bits of another one, or a quotient of it."""
        if word in self.reader.atoms or word in self.reader.modular or not is_part(word):
            return
        number, low, high, scale = _bits(cast(BitVec, word))
        quotient, divisor = _quotient(cast(BitVec, word)), None
        if quotient is not None:
            number, divisor = quotient
        reader, limits = self.reader, len(self.reader.limits)
        is_exact = scale == 1 and high == number.width - 1
        whole = reader.exact(number) if is_exact or divisor is not None else reader.read(number)
        if whole is None:
            del reader.limits[limits:]
            return
        sum_ = self.of(whole, divisor or 1 << low, number.width)
        if divisor is None and high < number.width - 1:
            above = self.of(whole, 1 << high + 1, number.width)
            sum_ = plus(sum_, times(above, {(): -1 << high + 1 - low}))
        sums = reader.modular if scale != 1 and high == number.width - 1 else reader.atoms
        cast(dict[Term, Polynomial], sums)[word] = times(sum_, {(): scale})

    def of(self, dividend: Polynomial, divisor: int, bits: int) -> Polynomial:
        """⌊(d·a + b)/d⌋ = a + ⌊b/d⌋, where ⌊k·b/(k·d)⌋ is ⌊b/d⌋, and ⌊⌊b/c⌋/d⌋ is ⌊b/(c·d)⌋."""
        whole, left = dict[tuple[str, ...], int](), dict[tuple[str, ...], int]()
        for part, count in dividend.items():
            quotient, rest = divmod(count, divisor) if not part or not count % divisor else (0, count)
            whole[part], left[part] = quotient, rest
        left = {part: count for part, count in left.items() if count}
        ends = [constant_of(self.with_remainders(left, largest_of_each=most)) for most in (False, True)]
        if not all(end is not None and 0 <= end < divisor for end in ends):
            unit = gcd(divisor, *(count for part, count in left.items() if part))
            left = {part: count // unit for part, count in left.items() if count // unit}
            one = ByConstant(left, divisor // unit, bits)
            names = next(iter(left)) if [*left.values()] == [1] else ()
            if len(names) == 1 and (of := self.found.get(names[0])) is not None:  # of ⌊b/c⌋·w nothing is known
                one = replace(of, divisor=of.divisor * one.divisor)
            name = next((name for name, other in self.found.items() if other == one), None)
            if name is None:
                name = InnerName(Kind.QUOTIENT, len(self.found))
                self.found[name] = one
            whole[name,] = 1
        return {part: count for part, count in whole.items() if count}

    def at_most(self, one: Polynomial, largest: Largest) -> Polynomial | None:
        """A sum that is at least as large and has none of them; None where a dividend has no largest value."""
        total = self.with_remainders(one, largest_of_each=True)
        while name := next((name for part in total for name in part if is_quotient(name)), None):
            dividend, rest = self.found[name].dividend, dict[tuple[str, ...], int]()
            parts = dict[tuple[str, ...], list[tuple[int, int]]]()
            for part, count in total.items():
                named = next((each for each in part if self._divides(each, dividend)), None)
                if named is None:
                    rest[part] = count
                    continue
                of = self.found[named]
                self.natural[named] = Below(of.dividend, of.bits)
                if count > 0:  # else it is subtracted, and at least 0
                    parts.setdefault(_without(part, named), []).append((count, of.divisor))
            if (most := largest(dividend)) is None:
                return None
            total = rest
            for part, each in parts.items():
                total = plus(total, times({part: 1}, _at_most(each, most)))
        return total

    def _divides(self, name: str, dividend: Polynomial) -> bool:
        return is_quotient(name) and self.found[name].dividend == dividend

    def with_remainders(self, one: Polynomial, *, largest_of_each: bool = False) -> Polynomial:
        """The same sum with remainders where quotients are subtracted; these are 0, or as large as each can be."""
        total = dict(one)
        named = [(self.found[name], part, name) for part in one for name in part if is_quotient(name)]
        named.sort(key=lambda each: each[0].divisor)
        for of, part, name in named:
            rest, larger = _without(part, name), [each for each in named if each[0].divisor > of.divisor]
            up = any(not each.divisor % of.divisor and _without(other, own) == rest for each, other, own in larger)
            for divisor in self._divisors_of(of) if total.get(part, 0) < 0 else ():
                by, less = of.divisor // divisor, self.of(of.dividend, divisor, of.bits)
                own = -total.get(part, 0)
                count = min(_times_in(total, less, rest), -(-own // by) if up or not largest_of_each else own // by)
                if count > 0:
                    total = plus(total, times(less, {rest: -count}))
                    total = plus(total, plus({part: count * by}, {rest: count * (by - 1) * largest_of_each}))
        return {part: count for part, count in total.items() if count}

    def _divisors_of(self, one: ByConstant) -> list[int]:
        """By which its dividend is divided, too: of each it may be the remainder that is left."""
        found = {1, *(other.divisor for other in self.found.values() if other.divisor < one.divisor)}
        return sorted((divisor for divisor in found if not one.divisor % divisor), reverse=True)

    def are_natural(self, one: Polynomial) -> bool:
        """Whether the limits are known under which those in a sum are no negative numbers."""
        return all(name in self.natural for part in one for name in part if is_quotient(name))


def is_quotient(name: str) -> bool:
    """Whether it stands for one."""
    return is_inner(name, Kind.QUOTIENT)


def _without(part: tuple[str, ...], name: str) -> tuple[str, ...]:
    place = part.index(name)
    return part[:place] + part[place + 1 :]


def _times_in(total: Polynomial, one: Polynomial, rest: tuple[str, ...]) -> int:
    """How often a sum, times a product, is in another one; it may have another constant."""
    return min(total.get(tuple(sorted(rest + part)), 0) // count for part, count in one.items() if part and count > 0)


def parts_of(address: BitVec, known: Collection[Term]) -> list[Term]:
    """All such words that an address has, oldest first; none of those that are known, nor what these alone have.

    Of a quotient the number alone: else the product, which is larger than a word, would limit the number.
    """
    seen, stack = set[Term](), [cast(Term, address)]
    while stack:
        word = stack.pop()
        if word in seen or word in known:
            continue
        seen.add(word)
        quotient = _quotient(word) if isinstance(word, BitVec) else None
        stack += word.args if quotient is None else quotient[:1]
    return sorted(filter(is_part, seen), key=lambda word: word.serial)


def is_part(word: Term) -> bool:
    """Whether it is some of the bits of another word, in their places or from the lowest one."""
    if not isinstance(word, BitVec):
        return False
    if word.op is Op.EXTRACT:
        _, low = cast(tuple[int, int], word.payload)
        return 0 < low <= MOST_SHIFTED or divided_by_constant(word) is not None
    if word.op is Op.UDIV:
        return _quotient(word) is not None
    return word.op is Op.AND and len(word.args) == 2 and run_of_ones(value_of(cast(BitVec, word.args[0]))) is not None


def _bits(word: BitVec) -> tuple[BitVec, int, int, int]:
    """The number, the places of its bits, and for what the lowest of them counts."""
    if word.op is Op.EXTRACT:
        high, low = cast(tuple[int, int], word.payload)
        return cast(BitVec, word.args[0]), low, high, 1
    if word.op is Op.UDIV:
        return cast(BitVec, word.args[0]), 0, word.width - 1, 1
    mask, number = cast(tuple[BitVec, BitVec], word.args)
    low, high = run_of_ones(value_of(mask)) or (0, 0)
    return number, low, high, 1 << low


def _quotient(word: BitVec) -> tuple[BitVec, int] | None:
    """What is divided, and by what constant, where a word is the quotient, or a power of two times it."""
    if word.op is Op.UDIV:
        number, by = cast(tuple[BitVec, BitVec], word.args)
        return (number, divisor) if (divisor := value_of(by)) else None
    multiple = without_low_bits(word)
    return divided_by_constant(word if multiple is None else multiple[0])


def _at_most(parts: Sequence[tuple[int, int]], dividend: Polynomial) -> Polynomial:
    """What so many quotients by each divisor are at most."""
    if (value := constant_of(dividend)) is not None:
        return {(): sum(count * (value // divisor) for count, divisor in parts)}
    total: Polynomial = {}
    left = Fraction()
    for count, divisor in parts:
        whole = divided(plus(dividend, {(): 1}), {(): divisor})
        if whole is None:
            left += Fraction(count, divisor)
        else:
            total = plus(total, times(plus(whole, {(): -1}), {(): count}))
    return plus(total, times(dividend, {(): ceil(left)}))
