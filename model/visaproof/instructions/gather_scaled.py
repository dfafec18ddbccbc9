"""GATHER_SCALED (0x78): one, two or four bytes per lane, read from scattered addresses.  Page: GATHER_SCALED.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require, require_execution
from visaproof.isa.operands import Execution, RawOperand, Scalar
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicState
from visaproof.smt import Bool, add, bool_const, conj, zero_extend

BLOCKS = (1, 2, 4)
"""Bytes per lane."""


class GatherScaled(Struct, frozen=True):
    """`[(P)] gather_scaled.BLOCKS (MASK, SIZE) surface offset element_offset dst`; any byte address is legal."""

    spec: ClassVar[Spec] = Spec(
        opcode=0x78,
        mnemonic="GATHER_SCALED",
        page="GATHER_SCALED.md",
        exec_sizes=(1, 2, 4, 8, 16, 32),
        readings=(
            "mask-alignment", "short-predicate", "any-all-window", "short-variable", "disabled-lanes",
            "scatter4-address", "offset-sum-wraps", "scatter-bounds-grain", "slm-bounds",
        ),
    )  # fmt: skip

    execution: Execution
    num_blocks: int
    surface: str
    offset: Scalar
    """Global byte offset."""
    element_offset: RawOperand
    """One UD byte offset per lane."""
    dst: RawOperand
    """One dword per lane; the upper bytes of a narrow read are undefined."""

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}gather_scaled.{self.num_blocks} {self.execution} "
            f"{self.surface} {self.offset} {self.element_offset} {self.dst}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        require(self.num_blocks in BLOCKS, f"{self.num_blocks} blocks is not one of 1, 2, 4", self.spec.page)

    def execute(self, state: ConcreteState) -> None:
        loaded: list[tuple[int, int]] = []
        for i in range(self.execution.size):
            if state.channel_enabled(self.execution, i):
                address = (state.scalar(self.offset) + state.read_dword(self.element_offset, i)) % 2**32  # D9, D10
                # The element is inside or outside as a whole, like the dwords of D11.
                loaded.append((i, state.buffer(self.surface).read(address, self.num_blocks)))
        for i, _ in loaded:
            state.read_dword(self.dst, i)  # every enabled lane must fit (D6)
        for i, value in loaded:
            state.write_dword(self.dst, i, value)  # Page: "the upper bytes have undefined values": here 0

    def footprint(self, state: SymbolicState) -> Iterator[Load]:
        surface = state.buffer(self.surface)
        lanes = state.lanes_enabled(self.execution)
        base, base_known = state.scalar(self.offset)
        for lane, (enabled, predicate_known) in enumerate(lanes):
            element, element_known = state.read_dword(self.element_offset, lane, enabled)
            address = zero_extend(add(base, element), ADDRESS_BITS)
            slot = RegisterSlice(self.dst.variable, self.dst.offset + 4 * lane, self.num_blocks)
            fits = state.registers.holds(slot.variable, slot.start, 4)
            yield Load(
                guard=enabled,
                lane=lane,
                surface=self.surface,
                cell=(address,),
                width=self.num_blocks,
                inside=surface.contains(address, self.num_blocks),
                defined=conj(predicate_known, bool_const(base_known and element_known and fits)),
                destination=slot,
            )

    def undefined_bytes(self, state: SymbolicState) -> Iterator[tuple[Bool, RegisterSlice]]:
        """Page: "For 1 and 2 byte reads the upper bytes have undefined values"."""
        if self.num_blocks == 4:
            return
        for lane, (enabled, _) in enumerate(state.lanes_enabled(self.execution)):
            start = self.dst.offset + 4 * lane + self.num_blocks
            if state.registers.holds(self.dst.variable, start, 4 - self.num_blocks):
                yield enabled, RegisterSlice(self.dst.variable, start, 4 - self.num_blocks)
