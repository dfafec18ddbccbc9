"""Element types of vISA operands.  Source: docs/pages/operands-and-files.md §3."""

from enum import Enum
from typing import NamedTuple


class _TypeFacts(NamedTuple):
    size: int
    signed: bool
    floating: bool


class DataType(Enum):
    """A scalar element type; its value is (bytes, signed, floating)."""

    UD = ("ud", _TypeFacts(4, False, False))
    D = ("d", _TypeFacts(4, True, False))
    F = ("f", _TypeFacts(4, True, True))
    UW = ("uw", _TypeFacts(2, False, False))
    W = ("w", _TypeFacts(2, True, False))
    HF = ("hf", _TypeFacts(2, True, True))
    BF = ("bf", _TypeFacts(2, True, True))
    UB = ("ub", _TypeFacts(1, False, False))
    B = ("b", _TypeFacts(1, True, False))
    UQ = ("uq", _TypeFacts(8, False, False))
    Q = ("q", _TypeFacts(8, True, False))
    DF = ("df", _TypeFacts(8, True, True))
    V = ("v", _TypeFacts(4, True, False))
    """Packed: eight signed 4-bit integers, for immediates only."""
    UV = ("uv", _TypeFacts(4, False, False))
    """Packed: eight unsigned 4-bit integers, for immediates only."""
    VF = ("vf", _TypeFacts(4, True, True))
    """Packed: four restricted 8-bit floats, for immediates only."""

    def __init__(self, spelling: str, facts: _TypeFacts) -> None:
        # Attributes, not properties: symbolic runs ask for them at every lane.
        self.spelling = spelling
        self.size = facts.size
        """Bytes of one element."""
        self.bits = 8 * facts.size
        self.signed = facts.signed
        self.floating = facts.floating

    __hash__ = object.__hash__

    @property
    def packed(self) -> bool:
        return self in (DataType.V, DataType.UV, DataType.VF)


_BY_SPELLING = {data_type.spelling: data_type for data_type in DataType}


def type_named(name: str) -> DataType:
    """The type spelled `name`, case ignored.  Raises KeyError for any other name."""
    return _BY_SPELLING[name.lower()]
