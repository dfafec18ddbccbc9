"""The Format tables of the four pages, and the records of what stands in their fields.

Source: the pages' Format tables; docs/pages/instructions.md §0.1-§0.4, §1-§4.
"""

from collections.abc import Callable

from msgspec import Struct

from visaproof.instructions import ALL
from visaproof.isa.encoding import (
    ATOMIC_CODES,
    EXEC_SIZE_CODES,
    PREDEC_CODE,
    SCALAR_REGION,
    RegionField,
    predicate_field,
)
from visaproof.isa.fields import Width
from visaproof.isa.spec import Spec
from visaproof.isa.types import DataType

# ---------------------------------------------------------------- records


class RawField(Struct, frozen=True):
    """``ud variable | uw byte offset``"""

    index: int
    offset: int = 0


class GeneralField(Struct, frozen=True):
    """A scalar operand in a variable; `modifier` is "", "abs", "-", "-abs" or "~"."""

    index: int
    row: int = 0
    column: int = 0
    region: RegionField = SCALAR_REGION
    modifier: str = ""


class IndirectField(Struct, frozen=True):
    """A scalar operand behind element `element` of an address variable."""

    index: int
    element: int
    byte_offset: int
    type: DataType
    region: RegionField = SCALAR_REGION
    modifier: str = ""


class ImmediateField(Struct, frozen=True):
    """A scalar operand in the instruction; `bits` are the low bits of its value, as many as the type has."""

    type: DataType
    bits: int


ScalarField = GeneralField | IndirectField | ImmediateField
FieldValue = int | RawField | ScalarField


class EncodedInstruction(Struct, frozen=True):
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


class Layout(Struct, frozen=True):
    """A column of a Format table; `reserved` says of a number whether the page leaves it undefined."""

    name: str
    width: Width
    reserved: Callable[[int], bool] = lambda _: False


class Format(Struct, frozen=True):
    """A Format table."""

    opcode: int
    fields: tuple[Layout, ...]


def _has_reserved_bits(word: int) -> bool:
    try:
        predicate_field(word)
    except ValueError:
        return True
    return False


_KNOWN_OPS = frozenset(ATOMIC_CODES.values()) | {PREDEC_CODE}

_RESERVED: dict[str, Callable[[int], bool]] = {
    "Exec_size": lambda byte: byte & 0xF not in EXEC_SIZE_CODES.values(),
    "Pred": _has_reserved_bits,
    "Channels": lambda byte: byte > 15,
    "Size": lambda byte: byte > 4,
    "Num_blocks": lambda byte: byte > 3,
    "Op": lambda byte: byte >> 6 != 0 or byte & 0x1F not in _KNOWN_OPS,  # D44
}
"""Codes that stand for nothing; Intel's tools give a meaning to some that no page has.

Scale and Is_modified may have any value, without effect (D43, D17).
"""


def _format(spec: Spec) -> Format:
    return Format(
        spec.opcode,
        tuple(Layout(each.name, each.width, _RESERVED.get(each.name, lambda _: False)) for each in spec.fields),
    )


FORMATS = {page.spec.name: _format(page.spec) for page in ALL}
"""The instructions by the grammar's mnemonic: the field tables of their pages."""
