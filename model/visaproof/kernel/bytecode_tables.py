"""The Format tables of the four pages, and the records of what stands in their fields.

Source: the pages' Format tables; spec/instructions.md §0.1-§0.4, §1-§4.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from visaproof.isa.encoding import (
    ATOMIC_CODES,
    EXEC_SIZE_CODES,
    PREDEC_CODE,
    SCALAR_REGION,
    RegionField,
    predicate_field,
)
from visaproof.isa.types import DataType

# ---------------------------------------------------------------- records


@dataclass(frozen=True, slots=True)
class RawField:
    """``ud variable | uw byte offset``"""

    index: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class GeneralField:
    """A scalar operand in a variable; `modifier` is "", "abs", "-", "-abs" or "~"."""

    index: int
    row: int = 0
    column: int = 0
    region: RegionField = SCALAR_REGION
    modifier: str = ""


@dataclass(frozen=True, slots=True)
class IndirectField:
    """A scalar operand behind element `element` of an address variable."""

    index: int
    element: int
    byte_offset: int
    type: DataType
    region: RegionField = SCALAR_REGION
    modifier: str = ""


@dataclass(frozen=True, slots=True)
class ImmediateField:
    """A scalar operand in the instruction; `bits` are the low bits of its value, as many as the type has."""

    type: DataType
    bits: int


ScalarField = GeneralField | IndirectField | ImmediateField
FieldValue = int | RawField | ScalarField


@dataclass(frozen=True, slots=True)
class EncodedInstruction:
    """An instruction as byte code has it: `fields` in the order of its Format table, the opcode left out."""

    mnemonic: str
    fields: tuple[FieldValue, ...]

    def __getitem__(self, name: str) -> FieldValue:
        """The field that the Format table calls so."""
        names = [layout.name for layout in FORMATS[self.mnemonic].fields]
        return self.fields[names.index(name)]

    def number(self, name: str) -> int:
        value = self[name]
        assert isinstance(value, int)
        return value

    def raw(self, name: str) -> RawField:
        value = self[name]
        assert isinstance(value, RawField)
        return value


# ---------------------------------------------------------------- Format tables


class Width(Enum):
    """What a field is made of."""

    UB = auto()
    UW = auto()
    RAW = auto()
    SCALAR = auto()


@dataclass(frozen=True, slots=True)
class Layout:
    """A column of a Format table; `reserved` says of a number whether the page leaves it without a meaning."""

    name: str
    width: Width
    reserved: Callable[[int], bool] = lambda _: False


@dataclass(frozen=True, slots=True)
class Format:
    """A Format table."""

    opcode: int
    fields: tuple[Layout, ...]


def _has_reserved_bits(word: int) -> bool:
    try:
        predicate_field(word)
    except ValueError:
        return True
    return False


_EXEC_SIZE = Layout("Exec_size", Width.UB, lambda byte: byte & 0xF not in EXEC_SIZE_CODES.values())
_PRED = Layout("Pred", Width.UW, _has_reserved_bits)
_SURFACE = Layout("Surface", Width.UB)
_OFFSET = Layout("Offset", Width.SCALAR)
_KNOWN_OPS = frozenset(ATOMIC_CODES.values()) | {PREDEC_CODE}

FORMATS = {
    "scatter4_scaled": Format(
        0x75,
        (
            _EXEC_SIZE,
            _PRED,
            Layout("Channels", Width.UB, lambda byte: byte > 15),
            Layout("Scale", Width.UW),  # any value, no effect (D43)
            _SURFACE,
            _OFFSET,
            Layout("Element_offset", Width.RAW),
            Layout("Src", Width.RAW),
        ),
    ),
    "oword_ld": Format(
        0x35,
        (
            Layout("Size", Width.UB, lambda byte: byte > 4),
            Layout("Is_modified", Width.UB),  # any value, no effect (D17)
            _SURFACE,
            _OFFSET,
            Layout("Dst", Width.RAW),
        ),
    ),
    "qw_scatter": Format(
        0x87,
        (
            _EXEC_SIZE,
            _PRED,
            Layout("Num_blocks", Width.UB, lambda byte: byte > 3),
            _SURFACE,
            Layout("Offset", Width.RAW),
            Layout("Src", Width.RAW),
        ),
    ),
    "typed_atomic": Format(
        0x73,
        (
            Layout("Op", Width.UB, lambda byte: byte >> 6 != 0 or byte & 0x1F not in _KNOWN_OPS),  # D44
            _EXEC_SIZE,
            _PRED,
            _SURFACE,
            *(Layout(name, Width.RAW) for name in ("U", "V", "R", "LOD", "Src0", "Src1", "Dst")),
        ),
    ),
}
"""The instructions by the grammar's mnemonic."""
