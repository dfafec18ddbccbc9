"""What the registers of a thread hold when it starts: r0, local ids, arguments and the values of the launch."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field

from visaproof.execution.shape import Shape, ThreadId, Triple
from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.platform import THREAD_NUMBER_BYTE, THREAD_NUMBER_SINCE, Platform, ThreadNumber
from visaproof.isa.registers import Input
from visaproof.launch.ids.laid_out import laid_out
from visaproof.launch.ids.local_ids import Host, LaidOut
from visaproof.launch.input_meaning import (
    ArgumentValue,
    BufferAddress,
    BufferOffset,
    ImageExtent,
    LaunchValue,
    LocalId,
    Piece,
    Sampler,
    SlmAddress,
    Surface,
    TableSurface,
)
from visaproof.launch.launch import Launch
from visaproof.program.lower import Runnable
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Surface as MemorySurface

R0_GROUP_IDS = (1, 6, 7)
"""The dwords of r0 with the group ids x, y, z."""

HANDLE_BYTES = 64
"""Distance of two surface states: what a bindless handle counts in."""


class Program(Struct, frozen=True, dict=True):
    """A kernel with what is known of its launch, and the device."""

    kernel: Runnable
    launch: Launch
    platform: Platform

    @property
    def simd(self) -> int:
        """Work items of a thread."""
        return self.launch.simd or self.kernel.work_items or THREAD_LANES

    @cached_property
    def laid_out(self) -> LaidOut:
        """How its local ids are laid out: by the OpenCL driver where no host is stated."""
        return self.laid_out_by(self.launch.host or Host.OPENCL)

    def laid_out_by(self, host: Host) -> LaidOut:
        """How they are under an API."""
        return laid_out(self.kernel, self.launch, self.simd, self.platform, host)

    def threads(self, shape: Shape, group: Triple = (0, 0, 0)) -> int:
        """Threads of a group: none has more than the first one."""
        return self.laid_out.threads(shape.size_of(group))


class Values(Struct, frozen=True):
    """What the caller of the kernel passes."""

    shape: Shape
    arguments: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    """By-value arguments, by index."""
    addresses: Mapping[int, int] = field(default_factory=dict[int, int])
    """Where the buffers of pointer arguments begin."""
    local_addresses: Mapping[int, int] = field(default_factory=dict[int, int])
    """Where in shared local memory `local` arguments begin."""
    symbols: Mapping[str, int] = field(default_factory=dict[str, int])
    """The address of each symbol that the linker knows, by the variable that stands for it."""
    pointers: Mapping[LaunchValue, int] = field(default_factory=dict[LaunchValue, int])
    """The addresses of private memory, of constants and of what the runtime keeps."""
    extents: Mapping[int, Triple] = field(default_factory=dict[int, Triple])
    """Of images, by argument."""
    pad: bool = False
    """Whether what lies behind a variable in its last register is 0; otherwise it is undefined to read it (D6)."""


class Payloads:
    """The first state of each thread of a launch."""

    def __init__(self, program: Program, values: Values) -> None:
        self._program = program
        self._values = values
        self._local_ids_by_size: dict[Triple, Sequence[Sequence[Triple | None]]] = {}
        self._pieces = [
            (item, piece)
            for item in program.kernel.inputs
            if item.variable in program.kernel.registers
            for piece in program.launch.pieces(item.variable)
        ]

    def unknown(self) -> Iterator[tuple[Input, Piece]]:
        """The pieces of which nothing is known."""
        for item, piece in self._pieces:
            if self._bytes(piece, ThreadId((0, 0, 0), 0)) is None:
                yield item, piece

    def state(self, thread: ThreadId, hardware_id: int, surfaces: dict[str, MemorySurface]) -> ConcreteState:
        """The registers and lanes with which the thread starts."""
        lanes = self._program.laid_out.lanes(self._values.shape.size_of(thread.group), thread.number)
        # A thread of the VectorCompiler is one work item; its SIMD instructions have all their lanes.
        mask = (1 << lanes) - 1 if self._program.simd > 1 else (1 << THREAD_LANES) - 1
        state = ConcreteState(self._program.platform, mask, surfaces=surfaces)
        if self._values.pad:
            self._pad(state)
        self._set_predefined(state, thread, hardware_id)
        for item, piece in self._pieces:
            content = self._bytes(piece, thread)
            if content is not None:
                self._put(state, item.variable, piece.offset, content)
        return state

    def _pad(self, state: ConcreteState) -> None:
        grf = self._program.platform.grf_bytes
        for one in self._program.kernel.registers.values():
            if one.owns_storage:
                state.registers[one.name] = bytearray(-(-one.size // grf) * grf)

    def _set_predefined(self, state: ConcreteState, thread: ThreadId, hardware_id: int) -> None:
        for name, dword, group in zip("xyz", R0_GROUP_IDS, thread.group, strict=True):
            self._put(state, "%r0", 4 * dword, group.to_bytes(4, "little"))
            self._put(state, f"%group_id_{name}", 0, group.to_bytes(4, "little"))
        if self._program.platform >= THREAD_NUMBER_SINCE:
            self._put(state, "%r0", THREAD_NUMBER_BYTE, (thread.number % 256).to_bytes(1, "little"))
        self._put(state, "%hw_id", 0, hardware_id.to_bytes(4, "little"))
        if (number := self._program.platform.device.thread_number) is not None:
            for variable, word in zip(("%sr0", "%msg0"), thread_words(hardware_id, number), strict=True):
                self._put(state, variable, 0, word.to_bytes(4, "little"))
        for variable, address in self._values.symbols.items():
            self._put(state, variable, 0, address.to_bytes(8, "little"))

    def _put(self, state: ConcreteState, variable: str, start: int, content: bytes) -> None:
        registers = self._program.kernel.registers
        owner, place = registers[variable].owner, registers[variable].first + start
        register = state.registers.setdefault(owner, bytearray(registers[owner].size))
        register[place : place + len(content)] = content[: max(0, len(register) - place)]

    def _bytes(self, piece: Piece, thread: ThreadId) -> bytes | None:
        """What a piece of the payload holds; None where that is not known."""
        values = self._values
        match piece.meaning:
            case LocalId(dimension, first_lane):
                return self._local_ids(thread, dimension, first_lane, piece.size // 2)
            case ArgumentValue(argument, offset):
                whole = values.arguments.get(argument.index)
                return None if whole is None else whole[offset : offset + piece.size]
            case BufferAddress(argument):
                address = values.addresses.get(argument.index)
                return None if address is None else _cut(address.to_bytes(8, "little"), piece)
            case SlmAddress(argument):
                address = values.local_addresses.get(argument.index)
                return None if address is None else _cut(address.to_bytes(8, "little"), piece)
            case Surface(argument):
                return _cut((surface_handle(argument.index)).to_bytes(8, "little"), piece)
            case TableSurface(table):  # the low dword of its address names it, as that of a buffer may
                content = self._launch_value(table, thread)
                return None if content is None else _cut(content, piece)
            case Sampler(argument, number):
                return _cut(surface_handle(argument.index if argument else number or 0).to_bytes(8, "little"), piece)
            case ImageExtent(argument, dimension):
                extents = values.extents.get(argument.index)
                return None if extents is None else _cut(extents[dimension].to_bytes(4, "little"), piece)
            case BufferOffset():
                return bytes(piece.size)
            case LaunchValue() as value:
                content = self._launch_value(value, thread)
                return None if content is None else _cut(content, piece)
            case _:
                return None

    def _local_ids(self, thread: ThreadId, dimension: int, first_lane: int, lanes: int) -> bytes:
        row = self._layout(thread.group)[thread.number][first_lane : first_lane + lanes]
        ids = [0 if one is None else one[dimension] for one in row]
        return b"".join(one.to_bytes(2, "little") for one in ids).ljust(2 * lanes, b"\0")

    def _layout(self, group: Triple) -> Sequence[Sequence[Triple | None]]:
        """The local ids of each lane of each thread."""
        size = self._values.shape.size_of(group)
        if size not in self._local_ids_by_size:
            self._local_ids_by_size[size] = self._program.laid_out.layout(size)
        return self._local_ids_by_size[size]

    def _launch_value(self, value: LaunchValue, thread: ThreadId) -> bytes | None:
        shape = self._values.shape
        triples = {
            LaunchValue.GLOBAL_ID_OFFSET: shape.offset,
            LaunchValue.LOCAL_SIZE: shape.size_of(thread.group),
            LaunchValue.ENQUEUED_LOCAL_SIZE: shape.local_size,
            LaunchValue.GLOBAL_SIZE: shape.global_size,
            LaunchValue.GROUP_COUNT: shape.group_count,
        }
        if value in triples:
            return b"".join(part.to_bytes(4, "little") for part in triples[value])
        if value is LaunchValue.WORK_DIMENSIONS:
            return shape.dimensions.to_bytes(4, "little")
        address = self._values.pointers.get(value)
        return None if address is None else address.to_bytes(8, "little")


def surface_handle(index: int) -> int:
    """What names the surface of an argument where it is not in the binding table."""
    return HANDLE_BYTES * (index + 1)


def _cut(content: bytes, piece: Piece) -> bytes:
    return content[piece.first_byte : piece.first_byte + piece.size]


def thread_words(hardware_id: int, place: ThreadNumber) -> tuple[int, int]:
    """The first dwords of `%sr0` and `%msg0`, in which IGC's code finds the number of a thread.

    That is how it finds a thread's part of private memory, so that threads that run together differ in it.
    """
    low_bits, high_bits = place.low_bits, place.high_bits
    low, high = hardware_id % (1 << low_bits), hardware_id >> low_bits
    for bit in place.skipped:
        low = low & ((1 << bit) - 1) | low >> bit << bit + 1
    return low, high % (1 << high_bits)
