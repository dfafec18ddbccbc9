"""What a `.visaasm` file says: declarations (in variables.py), inputs and instructions, each with its place.

Names are resolved and numbers are read; nothing is interpreted.  Source: docs/pages/operands-and-files.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from visaproof.isa.errors import Position
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.registers import Register, StateVariable
from visaproof.isa.types import DataType
from visaproof.visaasm.attributes import stated_items, stated_lanes, stated_local_bytes, stated_scratch_bytes
from visaproof.visaasm.variables import AddressVariable as AddressVariable
from visaproof.visaasm.variables import Alias as Alias
from visaproof.visaasm.variables import GeneralVariable as GeneralVariable
from visaproof.visaasm.variables import Input as Input
from visaproof.visaasm.variables import PredicateVariable as PredicateVariable
from visaproof.visaasm.variables import SamplerVariable as SamplerVariable
from visaproof.visaasm.variables import SurfaceVariable as SurfaceVariable
from visaproof.visaasm.variables import Variable as Variable

# ---------------------------------------------------------------- operands


@dataclass(frozen=True, slots=True)
class Region:
    """`<v;w,h>`: element i·w + j lies i·vertical + j·horizontal elements behind the origin."""

    vertical: int
    width: int
    horizontal: int


@dataclass(frozen=True, slots=True)
class RowRegion:
    """`<w,h>` of an indirect source: element i·w + j lies j·horizontal elements behind what register k + i names."""

    width: int
    horizontal: int


@dataclass(frozen=True, slots=True)
class RawOperand:
    """`V.64`, or `V` for `V.0`: the bytes of `variable` from `offset` on."""

    variable: str
    offset: int
    position: Position


@dataclass(frozen=True, slots=True)
class VectorSource:
    """`(-)V(row,column)<v;w,h>`; `modifier` is "", "-", "abs", "-abs" or "~"."""

    variable: str
    row: int
    column: int
    region: Region
    modifier: str
    position: Position
    index: int | None = None
    """`V(0,0)<0;1,0>[2]`: how many surface states after the one whose address the variable holds."""


@dataclass(frozen=True, slots=True)
class VectorDestination:
    """`V(row,column)<h>`, a destination with stride `horizontal`; row 0, column 0 where it is not written."""

    variable: str
    row: int
    column: int
    horizontal: int
    position: Position


@dataclass(frozen=True, slots=True)
class IndirectOperand:
    """`r[A(k),n]<v;w,h>:t`, `r[A(k),n]<w,h>:t` (sources, with a region) or `r[A(k),n]<h>:t` (destination)."""

    address_variable: str
    element: int
    byte_offset: int
    region: Region | RowRegion | None
    horizontal: int | None
    type: DataType
    modifier: str
    position: Position


@dataclass(frozen=True, slots=True)
class Immediate:
    """`0x10:ud`: `bits` are the low `type.bits` bits of the written value, in two's complement.

    `1:f` is bit pattern 1; `1.5:f` is the IEEE pattern of 1.5.
    """

    bits: int
    type: DataType
    position: Position


@dataclass(frozen=True, slots=True)
class Number:
    """`3`: an integer without a type, as `fcall` and `raw_send` take it."""

    value: int
    position: Position


@dataclass(frozen=True, slots=True)
class AddressOf:
    """`&V` or `&V[n]`: the address of a variable plus `byte_offset`, as `addr_add` takes it."""

    variable: str
    byte_offset: int
    position: Position


@dataclass(frozen=True, slots=True)
class SubscriptedName:
    """`T6(0)`, `A0(3)<1>`, `A0(0)<0;1,0>`: an element of a surface, sampler or address variable."""

    name: str
    element: int
    region: Region | None
    horizontal: int | None
    position: Position


@dataclass(frozen=True, slots=True)
class Name:
    """A bare word: a surface, sampler, address variable, predicate, label or function."""

    name: str
    position: Position


@dataclass(frozen=True, slots=True)
class LscData:
    """`V0055:d32x2t`: the data operand of an `lsc_*` instruction; `shape` is the text behind the colon."""

    variable: str
    offset: int
    shape: str
    position: Position


LscBase = Number | Name | RawOperand | VectorSource
"""What stands in the parentheses of an address model: `0x6`, `T6`, `V10` (from its first byte on), `V10(0,1)`."""


@dataclass(frozen=True, slots=True)
class LscAddress:
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


@dataclass(frozen=True, slots=True)
class LscPlace:
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


@dataclass(frozen=True, slots=True)
class LscPayload:
    """`flat[V10 + (0,8)]`: a register with the six parts of a 2D block, and what is added to X and Y."""

    model: str
    variable: str
    offset: int
    moved_x: int
    moved_y: int
    position: Position


@dataclass(frozen=True, slots=True)
class Text:
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


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class PredicateUse:
    """`(!P1.any)` before a mnemonic: combine first, then invert."""

    variable: str
    inverse: bool
    combine: Combine


@dataclass(frozen=True, slots=True)
class ExecutionField:
    """`(M3_NM, 8)`; `size` is what stands there: lanes, or owords for the block instructions."""

    mask: ExecMask
    size: int


@dataclass(frozen=True, slots=True)
class Instruction:
    """One statement: `opcode` without its suffixes, `suffixes` in order ("scatter4_scaled", ("RGBA",))."""

    opcode: str
    suffixes: tuple[str, ...]
    predicate: PredicateUse | None
    execution: ExecutionField | None
    operands: tuple[Operand, ...]
    position: Position
    text: str
    """The statement as written, without comment and surrounding blanks."""

    @property
    def first_lane(self) -> int:
        """The first of the thread's lanes that it covers."""
        return self.execution.mask.lane_offset if self.execution else 0


@dataclass(frozen=True, slots=True)
class Label:
    """`NAME:`"""

    name: str
    position: Position


Statement = Instruction | Label


@dataclass(frozen=True)
class Kernel:
    """One `.visaasm` file."""

    path: str
    version: tuple[int, int]
    name: str
    is_function: bool
    """`.global_function` instead of `.kernel`."""
    variables: Mapping[str, Variable] = field(repr=False)
    """Predefined and declared ones by name, in declaration order.

    A name that is declared again in another `{ }` is there as `NAME#2`, and operands refer to it so.
    """
    inputs: tuple[Input, ...] = field(repr=False)
    attributes: Mapping[str, str | int | None] = field(repr=False)
    statements: tuple[Statement, ...] = field(repr=False)
    source_lines: tuple[str, ...] = field(repr=False)
    unlinked: Mapping[Position, str] = field(default_factory=dict[Position, str], repr=False)
    """Why a call could not be linked, by its place."""

    def instructions(self) -> Iterator[Instruction]:
        for statement in self.statements:
            if isinstance(statement, Instruction):
                yield statement

    @property
    def of_several_files(self) -> bool:
        """Whether functions of other files were linked to it."""
        return any(statement.position.path != self.path for statement in self.statements)

    def root_of(self, variable: GeneralVariable) -> tuple[GeneralVariable, int]:
        """The variable that owns the storage of `variable`, and the byte offset into it (aliases add up)."""
        offset = 0
        while variable.alias is not None:
            offset += variable.alias.offset
            base = self.variables[variable.alias.base]
            assert isinstance(base, GeneralVariable)
            variable = base
        return variable, offset

    @property
    def registers(self) -> Mapping[str, Register]:
        """The general variables, with their aliases resolved."""
        return self._registers

    @cached_property
    def _registers(self) -> dict[str, Register]:
        found: dict[str, Register] = {}
        for one in self.variables.values():
            if isinstance(one, GeneralVariable):
                owner, first = self.root_of(one)
                found[one.name] = Register(one.name, one.type, one.num_elts, owner.name, first, one.position is None)
        return found

    @property
    def predicates(self) -> Mapping[str, int]:
        """Bits of each predicate."""
        return {one.name: one.num_elts for one in self.variables.values() if isinstance(one, PredicateVariable)}

    @property
    def states(self) -> Mapping[str, StateVariable]:
        """The variables of surfaces and samplers."""
        return {
            one.name: StateVariable(one.num_elts, isinstance(one, SurfaceVariable))
            for one in self.variables.values()
            if isinstance(one, SurfaceVariable | SamplerVariable)
        }

    @property
    def work_items(self) -> int | None:
        """How many a thread runs."""
        return stated_items(self.attributes)

    @property
    def lanes(self) -> int | None:
        """How many a thread may start with."""
        return stated_lanes(self.attributes)

    @property
    def local_bytes(self) -> int | None:
        """Shared local memory of a group."""
        return stated_local_bytes(self.attributes)

    @property
    def scratch_bytes(self) -> int | None:
        """Private memory of a thread in the scratch surface."""
        return stated_scratch_bytes(self.attributes)
