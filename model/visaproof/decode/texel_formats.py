"""What a channel of a texel holds, and what messages and samplers make of it: always 32 bits.

The pages leave the conversion to the format of the surface; it is the one that OpenCL C gives for the image functions:
unorm as (float) c / max, written by convert_sat_rte(f · max); integers extended, and written saturated; halves as the
float that they are, written rounded to nearest even.  Denormals are kept, whatever %cr0 says.
"""

import struct
from enum import Enum
from fractions import Fraction

from msgspec import Struct

from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import FloatMode, Rounding
from visaproof.isa.types import DataType
from visaproof.semantics.concrete import floats

_ALL_KEPT = FloatMode(Rounding.NEAREST_EVEN, frozenset((DataType.HF, DataType.F)))


class ChannelKind(Enum):
    """How the bits of a channel are read."""

    RAW = ""
    """32 bits, of any type: nothing is converted."""
    UNORM = "unorm"
    UINT = "ui"
    SINT = "i"
    FLOAT = "f"


class ChannelFormat(Struct, frozen=True):
    """One channel of a surface."""

    kind: ChannelKind
    bits: int

    @property
    def _most(self) -> int:
        return (1 << self.bits) - 1

    def decode(self, stored: int) -> int:
        """The 32 bits that a read brings."""
        match self.kind:
            case ChannelKind.RAW | ChannelKind.UINT:
                return stored
            case ChannelKind.SINT:
                sign = 1 << (self.bits - 1)
                return (stored ^ sign) - sign & 0xFFFF_FFFF
            case ChannelKind.UNORM:
                return floats.pattern(Fraction(stored, self._most), DataType.F)
            case ChannelKind.FLOAT:
                return _converted(stored, DataType.HF, DataType.F)

    def encode(self, written: int) -> int:
        """What is stored of the 32 bits that are written.  Raises NotModelled for NaN as a half."""
        match self.kind:
            case ChannelKind.RAW:
                return written
            case ChannelKind.UINT:
                return min(written, self._most)
            case ChannelKind.SINT:
                sign, number = 1 << (self.bits - 1), (written ^ 1 << 31) - (1 << 31)
                return max(-sign, min(number, sign - 1)) & self._most
            case ChannelKind.UNORM:
                return self._normalised(written)
            case ChannelKind.FLOAT:
                return _converted(written, DataType.F, DataType.HF)

    def _normalised(self, written: int) -> int:
        value = floats.number(written, DataType.F, _ALL_KEPT)
        if not value > 0:  # NaN as well
            return 0
        if value >= 1:
            return self._most
        (scaled,) = struct.unpack("<f", struct.pack("<f", value * self._most))  # the product is exact before this
        return round(scaled)


def _converted(bits: int, source: DataType, result: DataType) -> int:
    try:
        return floats.converted(bits, source, result, _ALL_KEPT)
    except NotModelled:
        raise NotModelled("NaN in a texel of 16-bit floats, of which no page says which it becomes") from None


RAW32 = ChannelFormat(ChannelKind.RAW, 32)

_COUNTS = {"r": 1, "rg": 2, "rgba": 4}

FORMATS: dict[str, tuple[int, ChannelFormat]] = {
    f"{name}{bits}{'' if kind is ChannelKind.UNORM else kind.value}": (count, ChannelFormat(kind, bits))
    for name, count in _COUNTS.items()
    for kind, widths in {
        ChannelKind.RAW: (32,),
        ChannelKind.UNORM: (8, 16),
        ChannelKind.UINT: (8, 16),
        ChannelKind.SINT: (8, 16),
        ChannelKind.FLOAT: (16,),
    }.items()
    for bits in widths
}
"""By name: `rgba8` is unorm, `rg16f` floats, `r8i` signed and `rgba16ui` unsigned integers, `r32` any 32 bits."""
