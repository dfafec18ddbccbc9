"""The operands of statements in a `.visaasm` file, as they are written.  Source: docs/pages/operands-and-files.md."""

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.isa.types import DataType


class Region(Struct, frozen=True):
    """`<v;w,h>`: element i·w + j lies i·vertical + j·horizontal elements behind the origin."""

    vertical: int
    width: int
    horizontal: int


class RowRegion(Struct, frozen=True):
    """`<w,h>` of an indirect source: element i·w + j lies j·horizontal elements behind what register k + i names."""

    width: int
    horizontal: int


class RawOperand(Struct, frozen=True):
    """`V.64`, or `V` for `V.0`: the bytes of `variable` from `offset` on."""

    variable: str
    offset: int
    position: Position


class VectorSource(Struct, frozen=True):
    """`(-)V(row,column)<v;w,h>`; `modifier` is "", "-", "abs", "-abs" or "~"."""

    variable: str
    row: int
    column: int
    region: Region
    modifier: str
    position: Position
    index: int | None = None
    """`V(0,0)<0;1,0>[2]`: how many surface states after the one whose address the variable holds."""


class VectorDestination(Struct, frozen=True):
    """`V(row,column)<h>`, a destination with stride `horizontal`; row 0, column 0 where it is not written."""

    variable: str
    row: int
    column: int
    horizontal: int
    position: Position


class IndirectOperand(Struct, frozen=True):
    """`r[A(k),n]<v;w,h>:t`, `r[A(k),n]<w,h>:t` (sources, with a region) or `r[A(k),n]<h>:t` (destination)."""

    address_variable: str
    element: int
    byte_offset: int
    region: Region | RowRegion | None
    horizontal: int | None
    type: DataType
    modifier: str
    position: Position


class Immediate(Struct, frozen=True):
    """`0x10:ud`: `bits` are the low `type.bits` bits of the written value, in two's complement.

    `1:f` is bit pattern 1; `1.5:f` is the IEEE pattern of 1.5.
    """

    bits: int
    type: DataType
    position: Position


class Number(Struct, frozen=True):
    """`3`: an integer without a type, as `fcall` and `raw_send` take it."""

    value: int
    position: Position


class AddressOf(Struct, frozen=True):
    """`&V` or `&V[n]`: the address of a variable plus `byte_offset`, as `addr_add` takes it."""

    variable: str
    byte_offset: int
    position: Position


class SubscriptedName(Struct, frozen=True):
    """`T6(0)`, `A0(3)<1>`, `A0(0)<0;1,0>`: an element of a surface, sampler or address variable."""

    name: str
    element: int
    region: Region | None
    horizontal: int | None
    position: Position


class Name(Struct, frozen=True):
    """A bare word: a surface, sampler, address variable, predicate, label or function."""

    name: str
    position: Position


class LscData(Struct, frozen=True):
    """`V0055:d32x2t`: the data operand of an `lsc_*` instruction; `shape` is the text behind the colon."""

    variable: str
    offset: int
    shape: str
    position: Position


LscBase = Number | Name | RawOperand | VectorSource
"""What stands in the parentheses of an address model: `0x6`, `T6`, `V10` (from its first byte on), `V10(0,1)`."""


class LscAddress(Struct, frozen=True):
    """`flat[V+0x10]:a64`, `bti(0x6)[V]:a32`: addresses base + `scale`·V + `immediate`; `size` is as in "a64"."""

    model: str
    """The word before the bracket; "flat" where none is written."""
    base: LscBase | None
    variable: str
    offset: int
    """Bytes from the start of `variable` to the addresses."""
    scale: int
    immediate: int
    size: str
    position: Position
    index: int = 0
    """`bss(V10, 3)`: how many surface states after the one that the base names."""


class LscPlace(Struct, frozen=True):
    """`bss(V10)[U,V]:a32`, `flat[BASE,WIDTH,HEIGHT,PITCH,X,Y]`: an address of several parts."""

    model: str
    base: LscBase | None
    parts: tuple[LscBase, ...]
    moved: tuple[int, ...]
    """The constant behind each part, 0 where there is none."""
    size: str
    """As in "a32"; empty where none is written."""
    position: Position
    index: int = 0


class LscPayload(Struct, frozen=True):
    """`flat[V10 + (0,8)]`: a register with the six parts of a 2D block, and what is added to X and Y."""

    model: str
    variable: str
    offset: int
    moved_x: int
    moved_y: int
    position: Position


class Text(Struct, frozen=True):
    """An operand in a form that has no class of its own yet, kept as it is written."""

    text: str
    position: Position


Operand = (
    RawOperand
    | VectorSource
    | VectorDestination
    | IndirectOperand
    | Immediate
    | Number
    | AddressOf
    | SubscriptedName
    | Name
    | LscData
    | LscAddress
    | LscPlace
    | LscPayload
    | Text
)
