"""The statements of a program: a closed union, one class for each way in which a machine runs a statement."""

from collections.abc import Mapping
from typing import NoReturn, Protocol

from msgspec import Struct

from visaproof.decode.dpas import Dpas
from visaproof.decode.image_info import ImageInfo
from visaproof.decode.message import Message
from visaproof.decode.sampler import SamplerRead
from visaproof.decode.surfaces import StateElement
from visaproof.decode.synchronisation import Event
from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.opcodes import ROWS, Row
from visaproof.isa.operands import Execution
from visaproof.program.operands import (
    AddressRegisters,
    Destination,
    PredicateTarget,
    Source,
    StorageAddress,
    Unlowered,
)


class Origin(Protocol):
    """Where a statement comes from, for messages to the reader: the front end has more of it."""

    @property
    def position(self) -> Position: ...

    @property
    def text(self) -> str:
        """As it is written."""
        ...

    @property
    def opcode(self) -> str:
        """The name of the instruction."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]: ...

    @property
    def first_lane(self) -> int:
        """The first of the thread's lanes that it covers."""
        ...


class _Lowered(Struct, frozen=True):
    origin: Origin

    @property
    def position(self) -> Position:
        return self.origin.position


class Operation(Struct, frozen=True):
    """What is computed: an opcode of `isa/opcodes.py` and what its suffixes say."""

    name: str
    """Of the row."""
    saturates: bool = False
    table: int | None = None
    """Of `bfn`: its eight entries, entry 0 in bit 0."""

    @property
    def row(self) -> Row:
        return ROWS[self.name]

    @property
    def function(self) -> tuple[str, ...]:
        """A name for the function of the operands that it is; `sel` converts as `mov` does."""
        table = () if self.table is None else (f"x{self.table:x}",)
        return ("mov" if self.name == "sel" else self.name, *table, *("sat",) * self.saturates)


# ---------------------------------------------------------------- statements that compute


class Compute(_Lowered, frozen=True):
    """Elements of sources give elements of the targets, lane by lane; the predicate of `sel` chooses a source."""

    lanes: Execution
    operation: Operation
    targets: tuple[Destination, ...]
    sources: tuple[Source, ...]

    @property
    def target(self) -> Destination:
        """The first one."""
        return self.targets[0]


class Compare(_Lowered, frozen=True):
    """`cmp`: a bit of each lane, or -1 and 0."""

    lanes: Execution
    operation: Operation
    relation: str
    """One of eq, ne, lt, le, gt, ge."""
    target: PredicateTarget | Destination
    sources: tuple[Source, ...]


class MovePredicate(_Lowered, frozen=True):
    """`mov` of a predicate: its bits as a number."""

    lanes: Execution
    target: Destination
    predicate: str


class SetPredicate(_Lowered, frozen=True):
    """`setp`: bits of a scalar, or the lowest bit of each lane's element."""

    lanes: Execution
    target: PredicateTarget | Unlowered
    source: Source


class CombinePredicates(_Lowered, frozen=True):
    """`and`, `or`, `xor` or `not` of predicates."""

    lanes: Execution
    operation: Operation
    target: str
    sources: tuple[str, ...]


class SetAddress(_Lowered, frozen=True):
    """`addr_add`: an address plus an offset of each lane."""

    lanes: Execution
    target: AddressRegisters
    base: StorageAddress | AddressRegisters | Unlowered
    offset: Source


class ClearAddress(_Lowered, frozen=True):
    """`mov` of 0: the registers name no variable."""

    lanes: Execution
    target: AddressRegisters


class BindState(_Lowered, frozen=True):
    """`movs` into elements of a surface or sampler variable, as many as there are lanes."""

    lanes: Execution
    target: StateElement
    source: StateElement | Source
    surfaces: Mapping[StateElement, str | StateElement]
    """For each element of a surface variable: the name of its surface, or the element that it is copied from."""


class ReadState(_Lowered, frozen=True):
    """`movs` of the indices that elements of a surface or sampler variable hold."""

    lanes: Execution
    target: Destination
    source: StateElement
    source_position: Position


# ---------------------------------------------------------------- messages, and what has no result


class MemoryMessage(_Lowered, frozen=True):
    """A memory message; its surface is the variable of the text."""

    message: Message

    @property
    def is_atomic(self) -> bool:
        """Whether it may leave something else each time that it runs."""
        return "ATOMIC" in self.message.spec.mnemonic

    @property
    def is_load(self) -> bool:
        """Whether it only looks at memory."""
        return hasattr(self.message, "dst") and not self.is_atomic


class SamplerMessage(_Lowered, frozen=True):
    """A read through the sampler."""

    opcode: str
    """Whether texels are named, or a level: as in `decode.sampler`."""
    read: SamplerRead


class InfoMessage(_Lowered, frozen=True):
    """The extents of an image."""

    info: ImageInfo


class MatrixProduct(_Lowered, frozen=True):
    """`dpas`: a product of matrices in registers."""

    product: Dpas


class Synchronise(_Lowered, frozen=True):
    """A barrier or a fence."""

    event: Event
    waits: bool
    """Whether the thread waits there for all of its group; of a split barrier, at its second half."""
    of_some: bool
    """Whether it is for some threads of the group: no run of one thread shows for how long."""


class Nothing(_Lowered, frozen=True):
    """No register, predicate or surface changes that a lane could see."""


class Landing(Struct, frozen=True):
    """A place that branches may name."""

    name: str
    position: Position


class Branch(_Lowered, frozen=True):
    """`goto` or `jmp` to the statement at a place."""

    lanes: Execution
    target: int


class End(_Lowered, frozen=True):
    """`ret`: the end of the thread."""

    predicated: bool


class Refused(_Lowered, frozen=True):
    """A statement that is not modelled, or whose operands do not fit."""

    what: str
    at: Position | None
    malformed: bool = False
    hint: str = ""

    def refuse(self) -> NoReturn:
        """Raises NotModelled, or ReadError for what is malformed."""
        if self.malformed:
            raise ReadError(self.what, self.at or self.position, self.hint)
        raise NotModelled(self.what, self.at)


Statement = (
    Compute
    | Compare
    | MovePredicate
    | SetPredicate
    | CombinePredicates
    | SetAddress
    | ClearAddress
    | BindState
    | ReadState
    | MemoryMessage
    | SamplerMessage
    | InfoMessage
    | MatrixProduct
    | Synchronise
    | Nothing
    | Landing
    | Branch
    | End
    | Refused
)

Run = (
    Compute
    | Compare
    | MovePredicate
    | SetPredicate
    | CombinePredicates
    | SetAddress
    | ClearAddress
    | BindState
    | ReadState
    | MemoryMessage
    | SamplerMessage
    | InfoMessage
    | MatrixProduct
    | Synchronise
    | Nothing
    | Branch
    | End
    | Refused
)
"""All of them that were an instruction."""

COMPUTING = (Compute, Compare, MovePredicate, SetPredicate, CombinePredicates, SetAddress, ClearAddress)
"""Those that read registers and predicates and write them."""

Computing = Compute | Compare | MovePredicate | SetPredicate | CombinePredicates | SetAddress | ClearAddress
