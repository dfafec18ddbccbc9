"""How floats are rounded and whether denormals are kept: bits of the control register %cr0.

``| 10: hf | 7: f | 6: df | 5..4: rounding |``: a denormal bit that is set keeps the denormals of its type, else
they are flushed to zero.  IGC's preamble sets all three (0x4c0), and rounds to nearest even, which is 0.  From Xe2 on
it sets bit 30 as well (0x400004c0), which is about `dpas` alone (D52).
"""

from enum import Enum
from functools import lru_cache

from msgspec import Struct

from visaproof.isa.types import DataType

CONTROL = "%cr0"

DENORMAL_BITS = {DataType.HF: 10, DataType.F: 7, DataType.DF: 6}
"""The bit that keeps denormals; of other types it is not known."""

ROUNDING_HIGH, ROUNDING_LOW = 5, 4

OF_DPAS = 30
"""The bit that only `dpas` looks at."""


class Rounding(Enum):
    """To a number of the format; the values are SMT-LIB's names."""

    NEAREST_EVEN = "RNE"
    UP = "RTP"
    DOWN = "RTN"
    ZERO = "RTZ"

    __hash__ = object.__hash__


ROUNDINGS = (Rounding.NEAREST_EVEN, Rounding.UP, Rounding.DOWN, Rounding.ZERO)
"""By the number in the control register."""


class FloatMode(Struct, frozen=True):
    """What one value of the control register says."""

    rounding: Rounding
    kept: frozenset[DataType]
    """The types whose denormals are kept."""

    @staticmethod
    @lru_cache(maxsize=64)
    def of(control: int) -> "FloatMode":
        kept = frozenset(data_type for data_type, bit in DENORMAL_BITS.items() if control >> bit & 1)
        return FloatMode(ROUNDINGS[control >> ROUNDING_LOW & 3], kept)

    def keeping(self, data_type: DataType) -> "FloatMode":
        return FloatMode(self.rounding, self.kept | {data_type})

    def flushing(self, data_type: DataType) -> "FloatMode":
        return FloatMode(self.rounding, self.kept - {data_type})


NEAREST = FloatMode(Rounding.NEAREST_EVEN, frozenset())
"""Where there is no control register, or where only the rounding matters."""
