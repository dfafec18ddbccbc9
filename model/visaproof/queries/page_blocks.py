"""The page of 2D blocks once more, register byte by register byte.  Source: docs/pages/current-compiler.md §6.

The two writings go from an element to its place in the registers; here each place is asked which element it holds.
Coordinates are compared on 72 bits, which no sum of theirs leaves.
"""

from collections.abc import Iterator

from msgspec import Struct

from visaproof.instructions.lsc.block2d import BlockPlace, BlockShape
from visaproof.isa.operands import RawOperand
from visaproof.semantics.symbolic.state import FLAT_BITS, SymbolicState
from visaproof.smt import BitVec, Bool, add, bit, conj, const, mul, neg, sign_extend, truncate, ule, zero_extend

WIDE = 72
"""Bits: X and Y have 32, and an element is at most 8 bytes."""
PART_BYTES = 4
"""An element of 8 bytes is touched as two dwords."""


class Part(Struct, frozen=True):
    """An element of a block, or half of one of 8 bytes."""

    start: int
    """Its first byte, counted from the data operand."""
    width: int
    address: BitVec
    in_matrix: Bool


def parts_of_a_block(shape: BlockShape, place: BlockPlace, state: SymbolicState) -> list[Part]:
    """The parts in the order block, row, column."""
    grf, size = state.platform.grf_bytes, shape.element_bytes
    step = min(PART_BYTES, size)
    matrix = _Matrix(place, state)
    found: dict[tuple[int, int, int, int], Part] = {}
    for start in range(0, filled_bytes(shape, grf), step):
        held = _held(shape, grf, start)
        if held is not None:
            block, row, column, byte = held
            address, in_matrix = matrix.element(block * shape.width + column, row, size)
            there = add(address, const(byte, FLAT_BITS))
            found[block, row, column, byte] = Part(start, step, there, in_matrix)
    return [found[key] for key in sorted(found)]


def gaps_of_a_block(shape: BlockShape, grf_bytes: int) -> Iterator[int]:
    """The bytes of its registers in which no element lies."""
    return (byte for byte in range(filled_bytes(shape, grf_bytes)) if _held(shape, grf_bytes, byte) is None)


def filled_bytes(shape: BlockShape, grf_bytes: int) -> int:
    """Bytes of the registers of all blocks."""
    return shape.blocks * _block_bytes(shape, grf_bytes)


def _held(shape: BlockShape, grf_bytes: int, byte: int) -> tuple[int, int, int, int] | None:
    """Block, row and column of the element at a byte behind the data operand, and which of its bytes that is."""
    block, within = divmod(byte, _block_bytes(shape, grf_bytes))
    number, of_element = divmod(within, shape.element_bytes)
    line, place = divmod(number, _line(shape) * _stacked(shape))
    column, above = divmod(place, _stacked(shape))
    row = line * _stacked(shape) + above
    if shape.transposed:
        row, column = column, row
    return (block, row, column, of_element) if row < shape.height and column < shape.width else None


def _line(shape: BlockShape) -> int:
    """Page: the next power of two of a row; of a column where the block is transposed."""
    count = 1
    while count < (shape.height if shape.transposed else shape.width):
        count += count
    return count


def _stacked(shape: BlockShape) -> int:
    """Elements of a column in a dword."""
    return 32 // shape.bits if shape.vnni else 1


def _block_bytes(shape: BlockShape, grf_bytes: int) -> int:
    """Page: blocks begin in registers of their own."""
    lines, registers = (shape.width if shape.transposed else shape.height), 1
    while lines % _stacked(shape):
        lines += 1
    while registers * grf_bytes < lines * _line(shape) * shape.element_bytes:
        registers += 1
    return registers * grf_bytes


class _Matrix:
    """What the message says about the matrix, and where in it the block begins."""

    def __init__(self, place: BlockPlace, state: SymbolicState) -> None:
        def read(operand: RawOperand | int, width: int) -> BitVec:
            if isinstance(operand, int):
                return const(operand, 8 * width)
            return state.registers.read(operand.variable, operand.offset, width)

        self._base = read(place.base, 8)
        self._width, self._height, self._pitch = (read(one, 4) for one in (place.width, place.height, place.pitch))
        self._x = add(sign_extend(read(place.x, 4), WIDE), const(place.moved_x, WIDE))
        self._y = add(sign_extend(read(place.y, 4), WIDE), const(place.moved_y, WIDE))

    def element(self, column: int, row: int, size: int) -> tuple[BitVec, Bool]:
        """Its address modulo 2^64, and whether it is in the matrix: all its bytes are at most WIDTH."""
        x, y = add(self._x, const(column, WIDE)), add(self._y, const(row, WIDE))
        last = add(mul(x, const(size, WIDE)), const(size - 1, WIDE))
        in_row = conj(neg(bit(x, WIDE - 1)), ule(last, zero_extend(self._width, WIDE)))
        in_column = conj(neg(bit(y, WIDE - 1)), ule(y, zero_extend(self._height, WIDE)))
        down = mul(truncate(y, FLAT_BITS), add(zero_extend(self._pitch, FLAT_BITS), const(1, FLAT_BITS)))
        along = truncate(mul(x, const(size, WIDE)), FLAT_BITS)
        return add(self._base, down, along), conj(in_row, in_column)
