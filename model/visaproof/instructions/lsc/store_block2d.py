"""lsc_store_block2d of LSC_UNTYPED: registers, written to a block of a matrix in memory.

Source: docs/pages/current-compiler.md §6.
"""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require, require_execution
from visaproof.instructions.lsc.block2d import (
    MOST_STORED_ROWS,
    PAGE,
    READINGS,
    BlockPlace,
    BlockShape,
    element_cells,
    execute_place,
    power_of_two,
    register_places,
    require_block,
)
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import LaneWrite
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import add, bool_const, conj, const


class LscStoreBlock2d(Struct, frozen=True):
    """`[(P)] lsc_store_block2d.ugm (MASK, 1) flat[BASE,WIDTH,HEIGHT,PITCH,X,Y] src:shape`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x89,
        mnemonic="LSC_STORE_BLOCK2D",
        page=PAGE,
        exec_sizes=(1,),
        since=Platform.PVC,
        readings=(*READINGS, "block2d-overlap"),
    )

    execution: Execution
    place: BlockPlace
    shape: BlockShape
    src: RawOperand
    surface: str = FLAT

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}lsc_store_block2d.ugm {self.execution} {self.surface}{self.place} "
            f"{self.src}:{self.shape}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        require_block(self.shape, self.execution, platform)
        require(not self.shape.transposed and not self.shape.vnni, "a store has its rows as they are", PAGE)
        require(self.shape.blocks == 1, f"a store of {self.shape.blocks} blocks", PAGE)
        require(self.shape.height <= MOST_STORED_ROWS, f"a store of {self.shape.height} rows", PAGE)

    def execute(self, state: ConcreteState) -> None:
        if not state.channel_enabled(self.execution, 0):
            return
        place, size = execute_place(state, self.place), self.shape.element_bytes
        row_bytes = power_of_two(self.shape.width) * size
        writes: list[LaneWrite] = []
        for y in range(self.shape.height):
            for x in range(self.shape.width):
                value = state.read_bytes(self.src, y * row_bytes + x * size, size)
                address = place.element(x, y, size)
                for part in range(0, size if address >= 0 else 0, 4):
                    width = min(4, size)
                    piece = value >> 8 * part & 256**width - 1
                    writes.append(LaneWrite(None, (address + part) % 2**64, width, piece))
        state.buffer(self.surface).scatter(writes)

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        ((enabled, predicate_known),) = state.lanes_enabled(self.execution)
        cells, known = element_cells(state, self.place, self.shape, enabled)
        size = self.shape.element_bytes
        width, surface = min(4, size), state.buffer(self.surface)
        for b, y, x, byte in register_places(self.shape, state.platform.grf_bytes):
            address, in_matrix = cells(b * self.shape.width + x, y)
            for part in range(0, size, 4):
                at = add(address, const(part, address.width)) if part else address
                value, value_known = state.read_bytes(self.src, byte + part, width, enabled)
                yield Store(
                    guard=conj(enabled, in_matrix),
                    lane=None,
                    surface=self.surface,
                    cell=(at,),
                    width=width,
                    inside=surface.contains(at, width),
                    defined=conj(predicate_known, bool_const(known and value_known)),
                    value=value,
                )
