"""lsc_load_block2d of LSC_UNTYPED: a block of a matrix in memory, read into registers.

Source: docs/pages/current-compiler.md §6.
"""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require_execution
from visaproof.instructions.lsc.block2d import (
    DWORD_BITS,
    PAGE,
    READINGS,
    BlockPlace,
    BlockShape,
    data_bytes,
    element_cells,
    execute_place,
    power_of_two,
    register_places,
    require_block,
)
from visaproof.instructions.svm_gather import FLAT
from visaproof.instructions.undefined_bytes import ClearedSlice
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import Bool, add, bool_const, conj, const, neg


class LscLoadBlock2d(Struct, frozen=True):
    """`[(P)] lsc_load_block2d.ugm (MASK, 1) dst:shape flat[BASE,WIDTH,HEIGHT,PITCH,X,Y]`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x89,
        mnemonic="LSC_LOAD_BLOCK2D",
        page=PAGE,
        exec_sizes=(1,),
        since=Platform.PVC,
        readings=READINGS,
    )

    execution: Execution
    place: BlockPlace
    shape: BlockShape
    dst: RawOperand
    """Null where the load only fills the cache."""
    surface: str = FLAT

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}lsc_load_block2d.ugm {self.execution} {self.dst}:{self.shape} "
            f"{self.surface}{self.place}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        require_block(self.shape, self.execution, platform)

    def execute(self, state: ConcreteState) -> None:
        if self.dst == NULL or not state.channel_enabled(self.execution, 0):
            return
        shape, memory, place = self.shape, state.buffer(self.surface), execute_place(state, self.place)
        size, grf = shape.element_bytes, state.platform.grf_bytes
        registers = bytearray()
        for b in range(shape.blocks):
            # Page: the rows of a block have a power of two of elements; what lies between them is 0
            columns = [
                [place.read(memory, b * shape.width + x, y, size) for y in range(shape.height)]
                for x in range(shape.width)
            ]
            rows = [list(row) for row in zip(*columns, strict=True)]
            lines = columns if shape.transposed else rows
            if shape.vnni:  # Page: q elements that are one above the other form a dword
                q = DWORD_BITS // shape.bits
                above = [row + [0] * (power_of_two(shape.width) - len(row)) for row in rows]
                above += [[0] * len(above[0])] * (-len(above) % q)
                lines = [
                    [element for dword in zip(*above[y : y + q], strict=True) for element in dword]
                    for y in range(0, len(above), q)
                ]
            for line in lines:
                wide = power_of_two(len(line))
                for value in line + [0] * (wide - len(line)):
                    registers += value.to_bytes(size, "little")
            registers += bytes(-len(registers) % grf)
        for start in range(0, len(registers), 4):
            state.read_bytes(self.dst, start, 4)  # the whole block must fit (D6)
        for start in range(0, len(registers), 4):
            state.write_bytes(self.dst, start, 4, int.from_bytes(registers[start : start + 4], "little"))

    def footprint(self, state: SymbolicState) -> Iterator[Load]:
        if self.dst == NULL:
            return
        ((enabled, predicate_known),) = state.lanes_enabled(self.execution)
        fits = self._fits(state)
        cells, known = element_cells(state, self.place, self.shape, enabled)
        size = self.shape.element_bytes
        width, surface = min(4, size), state.buffer(self.surface)
        defined = conj(predicate_known, bool_const(known and fits))
        for b, y, x, byte in register_places(self.shape, state.platform.grf_bytes):
            address, in_matrix = cells(b * self.shape.width + x, y)
            for part in range(0, size, 4):
                at = add(address, const(part, address.width)) if part else address
                yield Load(
                    guard=conj(enabled, in_matrix),
                    lane=None,
                    surface=self.surface,
                    cell=(at,),
                    width=width,
                    inside=surface.contains(at, width),
                    defined=defined,
                    destination=RegisterSlice(self.dst.variable, self.dst.offset + byte + part, width),
                )

    def undefined_bytes(self, state: SymbolicState) -> Iterator[tuple[Bool, RegisterSlice]]:
        """The zeros: of elements outside the matrix, and between and after the rows."""
        if self.dst == NULL or not self._fits(state):
            return
        ((enabled, _),) = state.lanes_enabled(self.execution)
        cells, _ = element_cells(state, self.place, self.shape, enabled)
        grf, size = state.platform.grf_bytes, self.shape.element_bytes
        filled: set[int] = set()
        for b, y, x, byte in register_places(self.shape, grf):
            _, in_matrix = cells(b * self.shape.width + x, y)
            filled |= set(range(byte, byte + size))
            yield conj(enabled, neg(in_matrix)), ClearedSlice(self.dst.variable, self.dst.offset + byte, size)
        for byte in sorted(set(range(data_bytes(self.shape, grf))) - filled):
            yield enabled, ClearedSlice(self.dst.variable, self.dst.offset + byte, 1)

    def _fits(self, state: SymbolicState) -> bool:
        last = self.dst.offset + data_bytes(self.shape, state.platform.grf_bytes) - 4
        return state.registers.holds(self.dst.variable, last, 4)
