"""SVM_SCATTER4_SCALED (0x4E/07): up to four dwords per lane to 64-bit addresses.  Page: SVM_SCATTER4_SCALED.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require, require_execution
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import Channels, Execution, ImmediateUD, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import LaneWrite
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.state import FLAT_BITS, SymbolicState
from visaproof.smt import BitVec, add, bool_const, conj, const, eq, truncate

CHANNELS = 4
"""R, G, B, A."""


class SvmScatter4Scaled(Struct, frozen=True):
    """`[(P)] svm_scatter4scaled.CHANNELS (MASK, SIZE) address element_offset src`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x4E,
        mnemonic="SVM_SCATTER4SCALED",
        page="SVM_SCATTER4_SCALED.md",
        exec_sizes=(8, 16),
        collision_undefined=True,  # the page is silent: reading "flat-collision"
        readings=(
            "mask-alignment", "short-predicate", "any-all-window", "short-variable", "flat-bounds",
            "flat-address-wraps", "dword-misaligned", "flat-collision",
        ),
    )  # fmt: skip

    execution: Execution
    channels: Channels
    address: RawOperand | ImmediateUD
    """Global byte address; IGC emits 0:ud where the page demands UQ."""
    element_offset: RawOperand
    """One UQ byte offset per lane."""
    src: RawOperand
    """For each enabled channel, one dword per lane, each channel in a register of its own."""
    surface: str = FLAT

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}svm_scatter4scaled.{self.channels} {self.execution} "
            f"{self.address} {self.element_offset} {self.src}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        require(0 < self.channels.mask < 16, "at least one of the channels R, G, B, A must be enabled", self.spec.page)

    def execute(self, state: ConcreteState) -> None:
        exec_size = self.execution.size
        slot_dwords = max(exec_size, state.platform.grf_bytes // 4)
        enabled_channels = [c for c in range(CHANNELS) if self.channels.mask >> c & 1]
        writes: list[LaneWrite] = []
        for i in range(exec_size):
            if not state.channel_enabled(self.execution, i):
                continue
            base = self.address.value if isinstance(self.address, ImmediateUD) else state.read_bytes(self.address, 0, 8)
            first = (base + state.read_bytes(self.element_offset, 8 * i, 8)) % 2**64
            state.require_aligned(first, 4)
            for ch_pos, c in enumerate(enabled_channels):
                value = state.read_dword(self.src, ch_pos * slot_dwords + i)
                writes.append(LaneWrite(i, (first + 4 * c) % 2**64, 4, value))
        state.buffer(self.surface).scatter(writes)

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        surface = state.buffer(self.surface)
        base, base_known = self._base(state)
        slot_bytes = max(4 * self.execution.size, state.platform.grf_bytes)
        channels = [channel for channel in range(CHANNELS) if self.channels.mask >> channel & 1]
        for lane, (enabled, predicate_known) in enumerate(state.lanes_enabled(self.execution)):
            element, element_known = state.read_bytes(self.element_offset, 8 * lane, 8, enabled)
            first = add(base, element)
            aligned = eq(truncate(first, 2), const(0, 2))
            for slot, channel in enumerate(channels):
                address = add(first, const(4 * channel, FLAT_BITS))
                value, value_known = state.read_bytes(self.src, slot * slot_bytes + 4 * lane, 4, enabled)
                known = base_known and element_known and value_known
                yield Store(
                    guard=enabled,
                    lane=lane,
                    surface=self.surface,
                    cell=(address,),
                    width=4,
                    inside=surface.contains(address, 4),
                    defined=conj(aligned, predicate_known, bool_const(known)),
                    value=value,
                )

    def _base(self, state: SymbolicState) -> tuple[BitVec, bool]:
        if isinstance(self.address, ImmediateUD):
            return const(self.address.value, FLAT_BITS), True
        return state.read_bytes(self.address, 0, 8)
