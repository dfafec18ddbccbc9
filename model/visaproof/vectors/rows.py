"""Vectors as they are written, and as an instruction in a state: what the functions for the pages share."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from visaproof.instructions import Instruction
from visaproof.isa.operands import ImmediateUD, RawOperand
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Surface

SURFACE = "T6"
DST = RawOperand("VD")
UNKNOWN_DWORD = 0xEEEE_EEEE
"""What a register holds where a vector says nothing."""


class Memory(msgspec.Struct):
    """Exactly `size` bytes, as hexadecimal digits."""

    size: int
    before: str
    after: str


class Check(msgspec.Struct):
    """What of the result may be compared."""

    mem: bool = False
    dst: bool = False
    dst_lanes: int = 0


class Parameters(msgspec.Struct):
    """The fields of the instruction; those of other pages are absent."""

    exec_size: int = 8
    bits: int = 32
    op: str = ""
    ch_mask: int = 0
    num_owords: int = 0
    num_blocks: int = 1
    dim: str = ""
    width: int = 1
    height: int = 1
    depth_or_layers: int = 1
    pitch: int | None = None


class Row(msgspec.Struct):
    """One vector: an instruction of a page, its operands, and memory and dst before and after."""

    id: str
    instr: str
    source: str
    params: Parameters
    surface: Memory
    operands: dict[str, int | list[int]]
    mask: int | str
    check: Check
    dst_before: list[int] = []
    dst_after: list[int] = []
    tags: list[str] = []

    @property
    def lanes(self) -> int:
        return 0 if isinstance(self.mask, str) else self.mask

    def numbers(self, name: str) -> list[int]:
        value = self.operands[name]
        return value if isinstance(value, list) else [value]

    def scalar(self, name: str) -> ImmediateUD:
        (value,) = self.numbers(name)
        return ImmediateUD(checked(value, 32))


class Expected(Struct, frozen=True):
    """`width` bytes of dst from byte `start` on."""

    start: int
    width: int
    value: int


class Trial(Struct, frozen=True):
    """An instruction in a state, and what the vector says of memory and of dst afterwards."""

    instruction: Instruction
    before: ConcreteState
    memory: Surface | None
    dst: tuple[Expected, ...]


def checked(value: int, bits: int) -> int:
    """The value, if it has no more bits.  Raises ValueError."""
    if not 0 <= value < 2**bits:
        raise ValueError(f"{value} does not fit {bits} bits")
    return value


def register(values: Sequence[int], width: int = 4) -> bytearray:
    """A variable with these elements."""
    return bytearray(b"".join(checked(value, 8 * width).to_bytes(width, "little") for value in values))


def state_of(row: Row, platform: Platform, registers: dict[str, bytearray]) -> ConcreteState:
    """The state in which the instruction starts."""
    state = ConcreteState(platform, exec_mask=checked(row.lanes, 32), registers=registers)
    state.surfaces[SURFACE] = buffer_of(row.surface.size, row.surface.before)
    return state


def buffer_of(size: int, content: str) -> Buffer:
    """A surface with these bytes."""
    return Buffer(size, dict(enumerate(bytes.fromhex(content))))


def memory_of(row: Row) -> Surface | None:
    """The surface afterwards, where it may be compared."""
    return buffer_of(row.surface.size, row.surface.after) if row.check.mem else None


def per_lane(row: Row, width: int) -> tuple[Expected, ...]:
    """One element of dst for each lane that may be compared."""
    lanes = (lane for lane in range(row.params.exec_size) if row.check.dst_lanes >> lane & 1)
    return tuple(Expected(width * lane, width, row.dst_after[lane]) for lane in lanes)
