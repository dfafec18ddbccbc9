"""An element of an operand, symbolically: its bits, its type and its modifier, as the integer that it is."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from visaproof.isa.types import DataType
from visaproof.smt import BitVec, Bool, bit_not, const, ite, negate, sign_extend, slt, truncate, zero_extend


class Source(Struct, frozen=True):
    """An element as it was read, its type, and the modifier that applies to it."""

    bits: BitVec
    type: DataType
    modifier: str = ""

    def modulo(self, width: int) -> BitVec:
        """The value modulo 2^width; exact where `width` exceeds the type's by one."""
        match self.modifier:
            case "-":
                return negate(self._plain(width))
            case "~":
                return Source(bit_not(self.bits), self.type).modulo(width)
            case "abs" | "-abs":
                return self._absolute(width)
            case _:
                return self._plain(width)

    def _plain(self, width: int) -> BitVec:
        if width <= self.type.bits:
            return truncate(self.bits, width)
        return sign_extend(self.bits, width) if self.type.signed else zero_extend(self.bits, width)

    @property
    def held(self) -> int:
        """Bits of a signed word that holds the value."""
        return self.type.bits + (not self.type.signed or self.modifier in ("-", "abs", "-abs"))

    def _absolute(self, width: int) -> BitVec:
        value = self._plain(width)
        if self.type.signed:
            value = ite(slt(self.bits, const(0, self.type.bits)), negate(value), value)
        return value if self.modifier == "abs" else negate(value)


Operation = Callable[[Sequence[Source], DataType], BitVec]
"""From the sources and the destination's type to the destination's bits."""


class Integer(Struct, frozen=True):
    """An integer as a word that holds it, read as signed or as unsigned."""

    bits: BitVec
    signed: bool = True

    def cut(self, result: DataType) -> BitVec:
        """The integer modulo the size of the type."""
        return resized(self.bits, result.bits, self.signed)

    def saturated(self, result: DataType) -> BitVec:
        """The nearest integer that the type holds (`.sat`)."""
        width = max(self.bits.width, result.bits) + 1
        word = resized(self.bits, width, self.signed)
        most = (1 << (result.bits - result.signed)) - 1
        least = -most - 1 if result.signed else 0
        below = ite(slt(const(most, width), word), const(most, result.bits), truncate(word, result.bits))
        return ite(slt(word, const(least, width)), const(least, result.bits), below)


class Meaning(Struct, frozen=True):
    """A result: a pattern, an integer, or a comparison."""

    value: BitVec | Bool
    open: Bool
    """Where it may be anything."""


def resized(term: BitVec, width: int, signed: bool) -> BitVec:
    """The term cut or extended to `width` bits."""
    if term.width >= width:
        return truncate(term, width)
    return sign_extend(term, width) if signed else zero_extend(term, width)


def ring_width(sources: Sequence[Source], result: DataType) -> int:
    return max(result.bits, *(source.type.bits for source in sources))


def order_width(sources: Sequence[Source]) -> tuple[int, bool]:
    """A width in which the sources compare as the integers that they are, and whether as signed ones."""
    signs = {source.type.signed for source in sources}
    widest = max(source.type.bits for source in sources)
    if len(signs) == 1 and not any(source.modifier in ("-", "abs", "-abs") for source in sources):
        return widest, signs.pop()
    return widest + 2, True
