"""Operands as bytes of storage.  Page: 5_operands.md.

`storage` is a register variable that owns its bytes.  Distances are in elements, so that a machine multiplies them by
the size of the type itself.
"""

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.isa.types import DataType


class Region(Struct, frozen=True):
    """`<v;w,h>`: element i·w + j lies i·vertical + j·horizontal elements after the first."""

    vertical: int
    width: int
    horizontal: int


SCALAR = Region(0, 1, 0)
"""Every lane reads one element."""

CONTIGUOUS = Region(1, 1, 0)
"""Each lane reads the element of its number."""


class RowRegion(Struct, frozen=True):
    """`<w,h>` through addresses: element i·w + j lies j·horizontal elements after what register k + i names."""

    width: int
    horizontal: int


# ---------------------------------------------------------------- sources


class Constant(Struct, frozen=True):
    """One number for all lanes: its bits."""

    bits: int
    type: DataType
    position: Position

    @property
    def is_scalar(self) -> bool:
        return True


class PackedConstant(Struct, frozen=True):
    """The bits of elements that are repeated lane after lane: `:v`, `:uv` or `:vf`."""

    elements: tuple[int, ...]
    type: DataType
    """Of an element."""
    position: Position

    @property
    def is_scalar(self) -> bool:
        """As an immediate; no page says what a predicate gets of one."""
        return True


class Elements(Struct, frozen=True):
    """Elements of a variable by a region: a modifier is still to be applied."""

    storage: str
    start: int
    """The first byte; it may lie outside of the storage."""
    region: Region
    type: DataType
    modifier: str
    """"", "-", "abs", "-abs" or "~"."""
    position: Position

    @property
    def is_scalar(self) -> bool:
        return self.region == SCALAR


class AddressedElements(Struct, frozen=True):
    """Elements after the byte that an address register names, or each row after that of its own register."""

    address: str
    register: int
    byte_offset: int
    region: Region | RowRegion
    type: DataType
    modifier: str
    position: Position

    @property
    def is_scalar(self) -> bool:
        """Never: lanes may read one element, but the pages do not call it a scalar."""
        return False


class Unlowered(Struct, frozen=True):
    """An operand in a form that has no record: it is not modelled."""

    what: str
    position: Position

    @property
    def is_scalar(self) -> bool:
        return False


Source = Constant | PackedConstant | Elements | AddressedElements | Unlowered

# ---------------------------------------------------------------- destinations


class Target(Struct, frozen=True):
    """Elements of a variable, `stride` elements from lane to lane."""

    storage: str
    start: int
    stride: int
    type: DataType
    position: Position


class AddressedTarget(Struct, frozen=True):
    """Elements after the byte that an address register names."""

    address: str
    register: int
    byte_offset: int
    stride: int
    type: DataType
    position: Position


class DroppedTarget(Struct, frozen=True):
    """`%null`: the result is dropped."""

    type: DataType
    position: Position


Destination = Target | AddressedTarget | DroppedTarget | Unlowered

# ---------------------------------------------------------------- what is no bytes


class PredicateTarget(Struct, frozen=True):
    """The bits of a predicate variable, from the statement's first lane on."""

    variable: str


class AddressRegisters(Struct, frozen=True):
    """Address registers of a variable, from one on; as a destination `stride` from lane to lane."""

    variable: str
    first: int
    stride: int
    position: Position


class StorageAddress(Struct, frozen=True):
    """The address of a byte of storage."""

    storage: str
    byte: int
    position: Position
