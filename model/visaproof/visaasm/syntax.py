"""What a `.visaasm` file says: declarations (variables.py), inputs and instructions (operands.py), each with its place.

Names are resolved and numbers are read; nothing is interpreted.  Source: docs/pages/operands-and-files.md.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property

from msgspec import Struct, field

from visaproof.isa.errors import Position
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.registers import Register, StateVariable
from visaproof.visaasm.attributes import stated_items, stated_lanes, stated_local_bytes, stated_scratch_bytes
from visaproof.visaasm.operands import AddressOf as AddressOf
from visaproof.visaasm.operands import Immediate as Immediate
from visaproof.visaasm.operands import IndirectOperand as IndirectOperand
from visaproof.visaasm.operands import LscAddress as LscAddress
from visaproof.visaasm.operands import LscBase as LscBase
from visaproof.visaasm.operands import LscData as LscData
from visaproof.visaasm.operands import LscPayload as LscPayload
from visaproof.visaasm.operands import LscPlace as LscPlace
from visaproof.visaasm.operands import Name as Name
from visaproof.visaasm.operands import Number as Number
from visaproof.visaasm.operands import Operand as Operand
from visaproof.visaasm.operands import RawOperand as RawOperand
from visaproof.visaasm.operands import Region as Region
from visaproof.visaasm.operands import RowRegion as RowRegion
from visaproof.visaasm.operands import SubscriptedName as SubscriptedName
from visaproof.visaasm.operands import Text as Text
from visaproof.visaasm.operands import VectorDestination as VectorDestination
from visaproof.visaasm.operands import VectorSource as VectorSource
from visaproof.visaasm.variables import AddressVariable as AddressVariable
from visaproof.visaasm.variables import Alias as Alias
from visaproof.visaasm.variables import GeneralVariable as GeneralVariable
from visaproof.visaasm.variables import Input as Input
from visaproof.visaasm.variables import PredicateVariable as PredicateVariable
from visaproof.visaasm.variables import SamplerVariable as SamplerVariable
from visaproof.visaasm.variables import SurfaceVariable as SurfaceVariable
from visaproof.visaasm.variables import Variable as Variable


class PredicateUse(Struct, frozen=True):
    """`(!P1.any)` before a mnemonic: combine first, then invert."""

    variable: str
    inverse: bool
    combine: Combine


class ExecutionField(Struct, frozen=True):
    """`(M3_NM, 8)`; `size` is what stands there: lanes, or owords for the block instructions."""

    mask: ExecMask
    size: int


class Instruction(Struct, frozen=True):
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


class Label(Struct, frozen=True):
    """`NAME:`"""

    name: str
    position: Position


Statement = Instruction | Label


class Kernel(Struct, frozen=True, dict=True):
    """One `.visaasm` file."""

    path: str
    version: tuple[int, int]
    name: str
    is_function: bool
    """`.global_function` instead of `.kernel`."""
    variables: Mapping[str, Variable]
    """Predefined and declared ones by name, in declaration order.

    A name that is declared again in another `{ }` is there as `NAME#2`, and operands refer to it so.
    """
    inputs: tuple[Input, ...]
    attributes: Mapping[str, str | int | None]
    statements: tuple[Statement, ...]
    source_lines: tuple[str, ...]
    unlinked: Mapping[Position, str] = field(default_factory=dict[Position, str])
    """Why a call could not be linked, by its place."""

    def __repr__(self) -> str:
        return f"Kernel({self.path!r}, {self.name!r}, {len(self.statements)} statements)"

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
