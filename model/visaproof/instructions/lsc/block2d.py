"""The 2D blocks of LSC_UNTYPED: what their loads and stores share.  Source: docs/pages/current-compiler.md §6.

A surface is a matrix in memory, of which a message names the place, the extents and one block:

    element (b, y, x) is at BASE + (Y + y)·(PITCH + 1) + (X + b·W + x)·S/8
"""

from collections.abc import Callable, Iterator
from functools import cache

from msgspec import Struct

from visaproof.instructions.instruction import require
from visaproof.isa.operands import Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer
from visaproof.semantics.symbolic.state import FLAT_BITS, SymbolicState
from visaproof.smt import BitVec, Bool, add, conj, const, mul, scale, sign_extend, sle, zero_extend

PAGE = "docs/pages/current-compiler.md §6"

READINGS = (
    "mask-alignment", "short-predicate", "any-all-window", "short-variable", "flat-bounds", "flat-address-wraps",
    "block2d-edges", "block2d-alignment",
)  # fmt: skip

ELEMENT_BITS = (8, 16, 32, 64)
MOST_ROW_BYTES = 64
MOST_ROWS = 32
MOST_STORED_ROWS = 8
DWORD_BITS = 32


class BlockShape(Struct, frozen=True):
    """`d16.2x16x16nt`: `blocks` beside each other, each of `height` rows of `width` elements of so many bits."""

    bits: int
    width: int
    height: int
    blocks: int = 1
    transposed: bool = False
    vnni: bool = False
    """Whether elements that are one above the other lie in one dword."""

    def __str__(self) -> str:
        count = f"{self.blocks}x" if self.blocks > 1 else ""
        letters = f"{'t' if self.transposed else 'n'}{'t' if self.vnni else 'n'}"
        return f"d{self.bits}.{count}{self.width}x{self.height}{letters}"

    @property
    def element_bytes(self) -> int:
        return self.bits // 8


class BlockPlace(Struct, frozen=True):
    """`flat[BASE,WIDTH,HEIGHT,PITCH,X,Y]`: where the matrix lies, and where in it the block begins."""

    base: RawOperand | int
    """A byte address of 64 bits."""
    width: RawOperand | int
    """Bytes of a row, less 1; like all that follow, 32 bits."""
    height: RawOperand | int
    """Rows, less 1."""
    pitch: RawOperand | int
    """Bytes from row to row, less 1."""
    x: RawOperand | int
    """In elements, signed."""
    y: RawOperand | int
    """In rows, signed."""
    moved_x: int = 0
    """What is added to X before anything else."""
    moved_y: int = 0

    def __str__(self) -> str:
        if (found := self.payload) is not None:
            return f"[{found} + ({self.moved_x},{self.moved_y})]"
        x = f"{_shown(self.x)}{f'{self.moved_x:+#x}' if self.moved_x else ''}"
        y = f"{_shown(self.y)}{f'{self.moved_y:+#x}' if self.moved_y else ''}"
        return f"[{','.join(map(_shown, (self.base, self.width, self.height, self.pitch)))},{x},{y}]"

    @property
    def payload(self) -> RawOperand | None:
        """Where the parts begin, if they lie as in a payload."""
        if not isinstance(self.base, RawOperand):
            return None
        same = place_in_payload(self.base.variable, self.base.offset, self.moved_x, self.moved_y)
        return self.base if self == same else None


PAYLOAD = (0, 8, 12, 16, 20, 24)
"""Where a payload has the parts, in bytes.  Its last dword repeats the shape of the statement and is not looked at."""


def place_in_payload(variable: str, start: int, moved_x: int = 0, moved_y: int = 0) -> BlockPlace:
    """`flat[V + (X,Y)]`: a register from whose byte `start` on the parts lie."""
    base, width, height, pitch, x, y = (RawOperand(variable, start + byte) for byte in PAYLOAD)
    return BlockPlace(base, width, height, pitch, x, y, moved_x, moved_y)


def _shown(operand: RawOperand | int) -> str:
    return f"{operand:#x}" if isinstance(operand, int) else str(operand)


def require_block(shape: BlockShape, execution: Execution, platform: Platform) -> None:
    """Raises IllegalInstruction where the shape or the device has no such message."""
    require(platform >= Platform.PVC, "2D blocks exist from PVC on", PAGE)
    require(execution.size == 1, f"a 2D block has one lane, not {execution.size}", PAGE)
    require(shape.bits in ELEMENT_BITS, f"elements of {shape.bits} bits", PAGE)
    require(shape.blocks in (1, 2, 4), f"{shape.blocks} blocks", PAGE)
    require(1 <= shape.width * shape.blocks * shape.element_bytes <= MOST_ROW_BYTES, "a row of over 64 bytes", PAGE)
    require(1 <= shape.height <= MOST_ROWS, f"{shape.height} rows", PAGE)
    require(not (shape.transposed and shape.vnni), "transposed and VNNI at once", PAGE)
    require(not shape.transposed or shape.bits >= DWORD_BITS, "transposed elements below 32 bits", PAGE)
    require(not shape.vnni or shape.bits < DWORD_BITS, "VNNI of elements of 32 bits or more", PAGE)


def power_of_two(count: int) -> int:
    """The least power of two that is not below `count`."""
    return 1 << (count - 1).bit_length()


def register_places(shape: BlockShape, grf_bytes: int) -> Iterator[tuple[int, int, int, int]]:
    """Block, row and column of each element, with the byte behind the data operand at which it lies.

    ```
    n n:  b·block + y·row + x         row = P(W), block = row·H, rounded up to whole registers
    t n:  b·block + x·row + y         row = P(H), block = row·W
    n t:  b·block + (y − y mod q)·row + x·q + y mod q,  q elements in a dword
    ```
    """
    row = power_of_two(shape.height if shape.transposed else shape.width)
    lines = shape.width if shape.transposed else shape.height
    packed = DWORD_BITS // shape.bits if shape.vnni else 1
    lines = -(-lines // packed) * packed
    block_bytes = -(-row * lines * shape.element_bytes // grf_bytes) * grf_bytes
    for b in range(shape.blocks):
        for y in range(shape.height):
            for x in range(shape.width):
                plain = (y - y % packed) * row + x * packed + y % packed
                element = x * row + y if shape.transposed else plain
                yield b, y, x, b * block_bytes + element * shape.element_bytes


def data_bytes(shape: BlockShape, grf_bytes: int) -> int:
    """Bytes of registers that a load fills."""
    row = power_of_two(shape.height if shape.transposed else shape.width)
    lines = shape.width if shape.transposed else shape.height
    packed = DWORD_BITS // shape.bits if shape.vnni else 1
    lines = -(-lines // packed) * packed
    return shape.blocks * (-(-row * lines * shape.element_bytes // grf_bytes) * grf_bytes)


# ---------------------------------------------------------------- the concrete machine


class ConcretePlace(Struct, frozen=True):
    """The place of a block, in numbers."""

    base: int
    last_byte: int
    """Of a row."""
    last_row: int
    pitch: int
    x: int
    y: int

    def element(self, column: int, row: int, size: int) -> int:
        """The address of the first byte of an element of the block, -1 where it is outside the matrix."""
        x, y = self.x + column, self.y + row
        if x < 0 or x * size + size - 1 > self.last_byte or not 0 <= y <= self.last_row:
            return -1
        return (self.base + y * self.pitch + x * size) % 2**64

    def read(self, memory: Buffer, column: int, row: int, size: int) -> int:
        """An element of the block, 0 outside the matrix."""
        address = self.element(column, row, size)
        if address < 0:
            return 0
        parts = range(0, size, 4)
        return sum(memory.read((address + part) % 2**64, min(4, size)) << 8 * part for part in parts)


def execute_place(state: ConcreteState, place: BlockPlace) -> ConcretePlace:
    def read(operand: RawOperand | int, width: int) -> int:
        return operand % 256**width if isinstance(operand, int) else state.read_bytes(operand, 0, width)

    x, y = ((read(one, 4) ^ 1 << 31) - (1 << 31) for one in (place.x, place.y))
    return ConcretePlace(
        read(place.base, 8),
        read(place.width, 4),
        read(place.height, 4),
        read(place.pitch, 4) + 1,
        x + place.moved_x,
        y + place.moved_y,
    )


# ---------------------------------------------------------------- the symbolic machine

Cells = Callable[[int, int], tuple[BitVec, Bool]]
"""For a column and a row of the block: the address of its element, and whether it is in the matrix."""


def element_cells(state: SymbolicState, place: BlockPlace, shape: BlockShape, enabled: Bool) -> tuple[Cells, bool]:
    """Where the elements lie, and whether the variables have what the message names."""
    known: list[bool] = []

    def read(operand: RawOperand | int, width: int) -> BitVec:
        if isinstance(operand, int):
            return const(operand, 8 * width)
        value, held = state.read_bytes(operand, 0, width, enabled)
        known.append(held)
        return value

    def wide(operand: RawOperand | int, moved: int) -> BitVec:
        return add(sign_extend(read(operand, 4), 64), const(moved, 64))

    base, size = read(place.base, 8), shape.element_bytes
    last_byte, last_row = (zero_extend(read(one, 4), 64) for one in (place.width, place.height))
    pitch = add(zero_extend(read(place.pitch, 4), 64), const(1, 64))
    first_x, first_y = wide(place.x, place.moved_x), wide(place.y, place.moved_y)
    zero = const(0, 64)

    @cache
    def column(number: int) -> tuple[BitVec, Bool]:
        x = add(first_x, const(number, 64))
        distance = scale(x, size)
        last = add(distance, const(size - 1, 64))  # below 2^63, since X has 32 bits: the comparison is exact
        return distance, conj(sle(zero, x), sle(last, last_byte))

    @cache
    def row(number: int) -> tuple[BitVec, Bool]:
        y = add(first_y, const(number, 64))
        return add(base, mul(y, pitch)), conj(sle(zero, y), sle(y, last_row))

    def cell(x: int, y: int) -> tuple[BitVec, Bool]:
        (distance, in_row), (start, in_column) = column(x), row(y)
        return zero_extend(add(start, distance), FLAT_BITS), conj(in_row, in_column)

    return cell, all(known)
