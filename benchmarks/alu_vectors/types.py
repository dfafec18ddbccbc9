"""Element types of the pages, and what may be found in a lane.  Pages: 2_datatypes.md."""

from msgspec import Struct


class FloatFormat(Struct, frozen=True):
    """A binary floating-point format: widths of its fields."""

    exponent: int
    mantissa: int

    @property
    def bits(self) -> int:
        return 1 + self.exponent + self.mantissa

    @property
    def bias(self) -> int:
        return 2 ** (self.exponent - 1) - 1

    @property
    def infinity(self) -> int:
        """The bits of +infinity."""
        return (2**self.exponent - 1) << self.mantissa

    @property
    def one(self) -> int:
        return self.bias << self.mantissa

    @property
    def smallest_normal(self) -> int:
        return 1 << self.mantissa

    @property
    def sign(self) -> int:
        """The sign bit as a mask."""
        return 1 << (self.bits - 1)

    def is_nan(self, bits: int) -> bool:
        return bits & ~self.sign > self.infinity

    def is_denormal(self, bits: int) -> bool:
        return 0 < bits & ~self.sign < self.smallest_normal


class Type(Struct, frozen=True):
    """An element type by its spelling; `format` of floats only."""

    name: str
    bits: int
    signed: bool
    format: FloatFormat | None = None

    @property
    def bytes(self) -> int:
        return self.bits // 8

    @property
    def least(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def most(self) -> int:
        return (1 << (self.bits - self.signed)) - 1

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1

    def integer(self, bits: int) -> int:
        """The number that these bits are in an integer type."""
        return bits - (1 << self.bits) if self.signed and bits >> (self.bits - 1) else bits


HALF, SINGLE, DOUBLE = FloatFormat(5, 10), FloatFormat(8, 23), FloatFormat(11, 52)
BFLOAT, BF8 = FloatFormat(8, 7), FloatFormat(5, 2)

TYPES = {
    each.name: each
    for each in (
        Type("ud", 32, False),
        Type("d", 32, True),
        Type("uw", 16, False),
        Type("w", 16, True),
        Type("ub", 8, False),
        Type("b", 8, True),
        Type("uq", 64, False),
        Type("q", 64, True),
        Type("f", 32, True, SINGLE),
        Type("df", 64, True, DOUBLE),
        Type("hf", 16, True, HALF),
        Type("bf", 16, True, BFLOAT),
    )
}
PACKED = {"v": "w", "uv": "uw", "vf": "f"}
"""Packed immediates and the type that their elements have."""


def packed_elements(kind: str, bits: int) -> list[int]:
    """The elements of a packed immediate, as bits of the type that PACKED names."""
    if kind == "vf":
        return [_restricted_float(bits >> (8 * k) & 0xFF) for k in range(4)]
    nibbles = [bits >> (4 * k) & 0xF for k in range(8)]
    return [n | 0xFFF0 if kind == "v" and n & 8 else n for n in nibbles]


def _restricted_float(byte: int) -> int:
    """Sign, three exponent bits of bias 3 and four mantissa bits as a single; 0x00 and 0x80 are the zeros."""
    sign, magnitude = byte >> 7 << 31, byte & 0x7F
    if magnitude == 0:
        return sign
    return sign | ((magnitude >> 4) - 3 + SINGLE.bias) << 23 | (magnitude & 0xF) << 19
