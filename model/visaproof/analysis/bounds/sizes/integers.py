"""Words as sums of products of integers that are at least 0, wherever nothing wraps; some may be subtracted.

    zero_extend(y·pitch + x)      is the integer y·pitch + x      where that is below 2^32

A word is read as a sum to which it is equal modulo 2^width.  Where bits above are looked at, as by an extension, it
has to be at least 0 and below a power of two: what is read is right where all these limits hold.
"""

from collections.abc import Iterator, Mapping
from typing import cast

from msgspec import Struct, field

from visaproof.launch.relations.polynomials import Polynomial, plus, times
from visaproof.smt import BitVec, Op, Term, linear_parts, signed_value, value_of

MOST_PARTS = 24
"""Products of a sum: a longer one is not read by anybody."""


class Below(Struct, frozen=True):
    """A sum that has to be below 2^bits, and no negative number."""

    sum: Polynomial
    bits: int


class Half(Struct, frozen=True):
    """The bits of an integer from a place on."""

    whole: Polynomial
    place: int


class Integers(Struct):
    """Reads the words of one access."""

    atoms: Mapping[Term, Polynomial]
    """What integers some words are."""
    halves: Mapping[Term, Half] = field(default_factory=dict[Term, Half])
    """What some words are parts of."""
    modular: Mapping[Term, Polynomial] = field(default_factory=dict[Term, Polynomial])
    """To what sums some words are equal modulo 2^width: these may be larger than the word."""
    limits: list[Below] = field(default_factory=list[Below])
    """Under which all that was read is right."""

    def exact(self, word: BitVec, bits: int | None = None) -> Polynomial | None:
        """The integer that the word is; None where it depends on something that is no such sum."""
        return self._limited(word, self.read(word), word.width if bits is None else bits)

    def _limited(self, word: BitVec, found: Polynomial | None, bits: int) -> Polynomial | None:
        """What was read, if it is less than 2^bits."""
        if found is not None and not (self._is_atom(word) and word.high >> bits == 0):
            self.limits.append(Below(found, bits))
        return found

    def _is_atom(self, word: BitVec) -> bool:
        """Whether its integer is known, and is no negative number: of n − 5 that has to be shown."""
        atom = self.atoms.get(word)
        return value_of(word) is not None or (atom is not None and all(count >= 0 for count in atom.values()))

    def read(self, word: BitVec) -> Polynomial | None:
        """To what the word is equal modulo 2^width."""
        if (value := value_of(word)) is not None:
            return {(): value} if value else {}
        if (atom := self.atoms.get(word)) is not None:
            return atom
        if (half := self.halves.get(word)) is not None:
            return self._half(half)
        if (modular := self.modular.get(word)) is not None:
            return modular
        inner = cast(tuple[BitVec, ...], word.args)
        match word.op:
            case Op.ZERO_EXTEND:
                return self.exact(inner[0])
            case Op.SIGN_EXTEND:
                return self.exact(inner[0], inner[0].width - 1)
            case Op.EXTRACT:
                return self._slice(inner[0], cast(tuple[int, int], word.payload))
            case Op.CONCAT:
                return self._joined(inner)
            case Op.MUL:
                return self._product(inner)
            case _:
                return self._sum(word)

    def _half(self, half: Half) -> Polynomial:
        """The low bits, or high ones of which all are 0."""
        if not half.place:
            return half.whole
        self.limits.append(Below(half.whole, half.place))
        return {}

    def _slice(self, word: BitVec, place: tuple[int, int]) -> Polynomial | None:
        """All low bits, or the others: of 4·n its fourth, and of what fits below them nothing."""
        high, low = place
        if not low:
            return self.read(word)
        found = self.read(word)
        if found and not any(count % (1 << low) for count in found.values()):
            self.limits.append(Below(found, high + 1))
            return {part: count >> low for part, count in found.items()}
        return None if self._limited(word, found, low) is None else {}

    def _joined(self, parts: tuple[BitVec, ...]) -> Polynomial | None:
        total: Polynomial = {}
        bits = 0
        for place, part in enumerate(reversed(parts)):
            last = place == len(parts) - 1
            found = self.read(part) if last else self.exact(part)
            if found is None:
                return None
            total, bits = plus(total, times(found, {(): 1 << bits})), bits + part.width
        return total

    def _product(self, factors: tuple[BitVec, ...]) -> Polynomial | None:
        total: Polynomial = {(): 1}
        for factor in factors:
            if (found := self.read(factor)) is None:
                return None
            total = times(total, found)
        return total if len(total) <= MOST_PARTS else None

    def _sum(self, word: BitVec) -> Polynomial | None:
        constant, parts = linear_parts(word)
        if list(parts) == [word]:
            return None
        total: Polynomial = {(): signed_value(constant, word.width)} if constant else {}
        left = dict(parts)
        for low, high, whole in self._wholes(parts, word.width):
            total = plus(total, times(whole, {(): signed_value(left.pop(low), word.width)}))
            del left[high]
        for atom, count in left.items():
            if (found := self.read(atom)) is None:
                return None
            total = plus(total, times(found, {(): signed_value(count, word.width)}))
        total = {part: count for part, count in total.items() if count % (1 << word.width)}
        return total if len(total) <= MOST_PARTS else None

    def _wholes(self, parts: Mapping[BitVec, int], width: int) -> Iterator[tuple[BitVec, BitVec, Polynomial]]:
        """Two halves that are summands, and the integer that they are together: its high half counts so much more."""
        halves = {atom: half for atom in parts if (half := self.halves.get(bare(atom))) is not None}
        for high, half in halves.items():
            for low, other in halves.items() if half.place else ():
                is_counted = parts[high] == (parts[low] << half.place) % (1 << width)
                if other.whole == half.whole and not other.place and is_counted:
                    yield low, high, half.whole


def bare(word: BitVec) -> BitVec:
    """What is extended with zeros, or the word itself."""
    return cast(BitVec, word.args[0]) if word.op is Op.ZERO_EXTEND else word
