"""The field table of a page: what can be held against the page, field by field.  Pure data."""

from enum import Enum

from msgspec import Struct

from visaproof.isa.encoding import EXEC_SIZE_CODES
from visaproof.isa.execution import ExecMask
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType


class Width(Enum):
    """What a field is made of; the value is what the pages write behind its name."""

    UB = "ub"
    UW = "uw"
    RAW = "raw_operand"
    SCALAR = "scalar"


class Code(Struct, frozen=True):
    """A legal value of a bit range."""

    value: int
    meaning: str
    since: Platform = Platform.BDW
    only: str = ""
    """What else must hold, in words."""


class Bits(Struct, frozen=True):
    """A range of bits of a field, with its codes; without codes any value is legal."""

    high: int
    low: int
    meaning: str
    codes: tuple[Code, ...] = ()
    since: Platform = Platform.BDW


class Field(Struct, frozen=True):
    """A column of a page's Format table."""

    name: str
    width: Width
    meaning: str
    bits: tuple[Bits, ...] = ()
    types: tuple[DataType, ...] = ()
    """Of an operand ("Must have type …"); empty where the page asks for none."""
    null: str = ""
    """When the operand may or must be null; "" for never."""
    source: str = ""
    """Decisions, where the page alone does not say it."""


MASK_BITS = Bits(7, 4, "execution mask", tuple(Code(mask.value, mask.name) for mask in ExecMask))


def execution_field(*sizes: int) -> Field:
    """Exec_size, for the sizes that a page has."""
    codes = tuple(Code(EXEC_SIZE_CODES[size], f"{size} lane{'s' * (size > 1)}") for size in sizes)
    meaning = "how many lanes, and which of the thread's: the first is 4 times the low bits of the mask code"
    return Field("Exec_size", Width.UB, meaning, (Bits(2, 0, "lanes", codes), MASK_BITS), source="D1, D2")


PRED = Field(
    "Pred",
    Width.UW,
    "predication: combined first, then inverted",
    (
        Bits(15, 15, "inverse"),
        Bits(14, 13, "combine", (Code(0, "each lane its own bit"), Code(1, ".any"), Code(2, ".all"))),
        Bits(11, 0, "predicate variable (0 for none)"),
    ),
    source="D3, D4",
)
