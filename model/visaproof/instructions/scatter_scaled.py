"""SCATTER_SCALED (0x79): one, two or four bytes per lane, written to scattered addresses.  Page: SCATTER_SCALED.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.gather_scaled import BLOCKS
from visaproof.instructions.instruction import require, require_execution
from visaproof.isa.operands import Execution, RawOperand, Scalar
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import LaneWrite
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicState
from visaproof.smt import add, bool_const, conj, truncate, zero_extend


class ScatterScaled(Struct, frozen=True):
    """`[(P)] scatter_scaled.BLOCKS (MASK, SIZE) surface offset element_offset src`; any byte address is legal."""

    spec: ClassVar[Spec] = Spec(
        opcode=0x79,
        mnemonic="SCATTER_SCALED",
        page="SCATTER_SCALED.md",
        exec_sizes=(1, 2, 4, 8, 16, 32),
        collision_undefined=True,
        readings=(
            "mask-alignment", "short-predicate", "any-all-window", "short-variable", "scatter4-address",
            "offset-sum-wraps", "scatter-bounds-grain", "slm-bounds", "collision",
        ),
    )  # fmt: skip

    execution: Execution
    num_blocks: int
    surface: str
    offset: Scalar
    """Global byte offset."""
    element_offset: RawOperand
    """One UD byte offset per lane."""
    src: RawOperand
    """One dword per lane, of which the low `num_blocks` bytes are written."""

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}scatter_scaled.{self.num_blocks} {self.execution} "
            f"{self.surface} {self.offset} {self.element_offset} {self.src}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        require(self.num_blocks in BLOCKS, f"{self.num_blocks} blocks is not one of 1, 2, 4", self.spec.page)

    def execute(self, state: ConcreteState) -> None:
        writes: list[LaneWrite] = []
        for i in range(self.execution.size):
            if state.channel_enabled(self.execution, i):
                address = (state.scalar(self.offset) + state.read_dword(self.element_offset, i)) % 2**32  # D9, D10
                value = state.read_dword(self.src, i) % 256**self.num_blocks  # Page: "the upper bytes will be ignored"
                writes.append(LaneWrite(i, address, self.num_blocks, value))
        state.buffer(self.surface).scatter(writes)  # Page: "data is dropped", element by element as in D11

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        surface = state.buffer(self.surface)
        lanes = state.lanes_enabled(self.execution)
        base, base_known = state.scalar(self.offset)
        for lane, (enabled, predicate_known) in enumerate(lanes):
            element, element_known = state.read_dword(self.element_offset, lane, enabled)
            value, value_known = state.read_dword(self.src, lane, enabled)
            address = zero_extend(add(base, element), ADDRESS_BITS)
            yield Store(
                guard=enabled,
                lane=lane,
                surface=self.surface,
                cell=(address,),
                width=self.num_blocks,
                inside=surface.contains(address, self.num_blocks),
                defined=conj(predicate_known, bool_const(base_known and element_known and value_known)),
                value=truncate(value, 8 * self.num_blocks),
            )
