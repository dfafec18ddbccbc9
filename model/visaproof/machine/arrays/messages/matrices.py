"""2D blocks on arrays: all elements of a block at once.  Source: docs/pages/current-compiler.md §6."""

import numpy as np

from visaproof.instructions.family import LscLoadBlock2d, LscStoreBlock2d
from visaproof.instructions.lsc.block2d import BlockPlace, BlockShape
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import Position
from visaproof.isa.operands import NULL, RawOperand
from visaproof.machine.arrays.arena import Arena
from visaproof.machine.arrays.arrays import UNSIGNED, Addresses, Array, Bools, Indices
from visaproof.machine.arrays.batch import Batch, Enabled, NotVectorised, require_bits
from visaproof.machine.arrays.messages import raw
from visaproof.machine.arrays.step import Step
from visaproof.machine.arrays.threads import Threads

Matrix = LscLoadBlock2d | LscStoreBlock2d


def matrix_step(position: Position, message: Matrix, threads: Threads, arena: Arena) -> Step:
    """Raises NotVectorised for data that is shorter than the block."""
    require_bits(message.execution, threads)
    if isinstance(message, LscLoadBlock2d) and message.dst == NULL:
        return Step(message.execution, lambda _batch, _enabled: None)
    shape, trail = message.shape, threads.trail
    where, (columns, rows, registers) = _Place(message.place, threads), _elements(shape, threads.platform.grf_bytes)
    data = message.dst if isinstance(message, LscLoadBlock2d) else message.src
    whole = (
        -(-int(registers.max() + 1) * shape.element_bytes // threads.platform.grf_bytes) * threads.platform.grf_bytes
    )
    used = whole if isinstance(message, LscLoadBlock2d) else int(registers.max() + 1) * shape.element_bytes
    if data.offset + used > threads.sizes[data.variable]:
        raise NotVectorised("data shorter than its block")
    held = threads.registers[data.variable][:, data.offset : data.offset + used]

    def run(batch: Batch, enabled: Enabled) -> Bools | None:
        address, there = where.elements(batch, columns, rows, shape.element_bytes)
        wanted = there & enabled.lanes
        if trail is not None:
            trail.note(position, batch.indices, address, wanted)
        arena.here = position
        index, inside = arena.locate(FLAT, address, shape.element_bytes, batch.owners(FLAT))
        left = arena.strays(FLAT, inside, wanted, address, batch.indices)
        live = wanted & inside if left is None else wanted & inside & ~left[:, None]
        if isinstance(message, LscStoreBlock2d):
            values = np.ascontiguousarray(batch.pick(held)).view(UNSIGNED[shape.element_bytes])[:, registers]
            arena.write(index[live], shape.element_bytes, values[live])
            return left
        found = np.zeros((batch.count, used // shape.element_bytes), UNSIGNED[shape.element_bytes])
        found[:, registers] = np.where(live, arena.read(np.where(live, index, 0), shape.element_bytes), 0)
        running: Bools = enabled.lanes[:, 0] if left is None else enabled.lanes[:, 0] & ~left
        held[batch.indices[running]] = found.view(np.uint8)[running]
        return left

    return Step(message.execution, run)


def _elements(shape: BlockShape, grf_bytes: int) -> tuple[Indices, Indices, Indices]:
    """Of each element (elements,): its column, its row, and its number among those of the registers."""
    block, y, x = (one.reshape(-1) for one in np.indices((shape.blocks, shape.height, shape.width)))
    in_dword = 32 // shape.bits if shape.vnni else 1
    across, along = (shape.width, shape.height) if shape.transposed else (shape.height, shape.width)
    pitch = 1 << (along - 1).bit_length()
    lines = -(-across // in_dword) * in_dword
    in_register = grf_bytes // shape.element_bytes
    block_pitch = -(-pitch * lines // in_register) * in_register
    plain = y // in_dword * in_dword * pitch + x * in_dword + y % in_dword
    place = x * pitch + y if shape.transposed else plain
    return block * shape.width + x, y, block * block_pitch + place


class _Place:
    """Where the matrix and the block of each thread are."""

    def __init__(self, place: BlockPlace, threads: Threads) -> None:
        self._moved = place.moved_x, place.moved_y
        self._base = _number(threads, place.base, 8)
        self._parts = [_number(threads, one, 4) for one in (place.width, place.height, place.pitch, place.x, place.y)]

    def elements(self, batch: Batch, columns: Indices, rows: Indices, size: int) -> tuple[Addresses, Bools]:
        """The addresses (threads, elements), and which elements are in the matrix."""
        last_byte, last_row, pitch, x, y = (number(batch).astype(np.int64) for number in self._parts)
        x, y = (one << 32 >> 32 for one in (x, y))
        x, y = x + self._moved[0] + columns, y + self._moved[1] + rows
        there: Bools = (x >= 0) & (x * size + size - 1 <= last_byte) & (y >= 0) & (y <= last_row)
        x, y = x.astype(np.uint64), y.astype(np.uint64)
        address = self._base(batch) + y * (pitch + 1).astype(np.uint64) + x * np.uint64(size)
        shape = (batch.count, len(columns))
        return np.broadcast_to(address, shape), np.broadcast_to(there, shape)


def _number(threads: Threads, operand: RawOperand | int, width: int) -> raw.Numbers:
    if isinstance(operand, RawOperand):
        return raw.numbers(threads, operand, width, 1)
    constant: Array = np.array([[operand % 256**width]], np.uint64)
    return lambda _: constant
