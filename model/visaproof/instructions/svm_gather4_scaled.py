"""SVM_GATHER4_SCALED (0x4E/06): up to four dwords per lane from 64-bit addresses.  Page: SVM_GATHER4_SCALED.md."""

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
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import FLAT_BITS, SymbolicState
from visaproof.smt import BitVec, Bool, add, bool_const, conj, const, disj, eq, truncate

CHANNELS = 4
"""R, G, B, A."""


class SvmGather4Scaled(Struct, frozen=True):
    """`[(P)] svm_gather4scaled.CHANNELS (MASK, SIZE) address element_offset dst`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x4E,
        mnemonic="SVM_GATHER4SCALED",
        page="SVM_GATHER4_SCALED.md",
        exec_sizes=(8, 16),
        readings=(
            "mask-alignment", "short-predicate", "any-all-window", "short-variable", "disabled-lanes", "flat-bounds",
            "flat-address-wraps", "dword-misaligned",
        ),
    )  # fmt: skip

    execution: Execution
    channels: Channels
    address: RawOperand | ImmediateUD
    """Global byte address; IGC emits 0:ud where the page demands UQ."""
    element_offset: RawOperand
    """One UQ byte offset per lane."""
    dst: RawOperand
    """For each enabled channel, one dword per lane, each channel in a register of its own."""
    surface: str = FLAT

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}svm_gather4scaled.{self.channels} {self.execution} "
            f"{self.address} {self.element_offset} {self.dst}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        require(0 < self.channels.mask < 16, "at least one of the channels R, G, B, A must be enabled", self.spec.page)

    def execute(self, state: ConcreteState) -> None:
        exec_size = self.execution.size
        enabled = [i for i in range(exec_size) if state.channel_enabled(self.execution, i)]
        slot_dwords = max(exec_size, state.platform.grf_bytes // 4)
        loaded: dict[int, int] = {}
        ch_pos = 0
        for c in range(CHANNELS):
            if self.channels.mask >> c & 1:
                ch_start = ch_pos * slot_dwords  # Page: ch_start = ch_pos * max(exec_size, GRF_SIZE / 4)
                for i in enabled:
                    base = self.address.value if isinstance(self.address, ImmediateUD) else self._read(state)
                    address = (base + state.read_bytes(self.element_offset, 8 * i, 8)) % 2**64
                    state.require_aligned(address, 4)  # Page: "the final address must be dword-aligned"
                    loaded[ch_start + i] = state.buffer(self.surface).read_dword((address + 4 * c) % 2**64)
                if enabled:  # Page: "the remaining part of the register has undefined values": here 0
                    loaded |= dict.fromkeys(range(ch_start + exec_size, ch_start + slot_dwords), 0)
                ch_pos += 1
        for index in loaded:
            if index % slot_dwords < exec_size:
                state.read_dword(self.dst, index)  # every enabled lane must fit (D6)
        size = len(state.registers[self.dst.variable])
        for index, value in loaded.items():
            if self.dst.offset + 4 * index + 4 <= size:
                state.write_dword(self.dst, index, value)

    def _read(self, state: ConcreteState) -> int:
        assert isinstance(self.address, RawOperand)
        return state.read_bytes(self.address, 0, 8)

    def footprint(self, state: SymbolicState) -> Iterator[Load]:
        surface = state.buffer(self.surface)
        base, base_known = self._base(state)
        lanes = state.lanes_enabled(self.execution)
        for channel, start in self._slots(state):
            for lane, (enabled, predicate_known) in enumerate(lanes):
                element, element_known = state.read_bytes(self.element_offset, 8 * lane, 8, enabled)
                first = add(base, element)
                address = add(first, const(4 * channel, FLAT_BITS))
                fits = state.registers.holds(self.dst.variable, start + 4 * lane, 4)
                aligned = eq(truncate(first, 2), const(0, 2))
                yield Load(
                    guard=enabled,
                    lane=lane,
                    surface=self.surface,
                    cell=(address,),
                    width=4,
                    inside=surface.contains(address, 4),
                    defined=conj(aligned, predicate_known, bool_const(base_known and element_known and fits)),
                    destination=RegisterSlice(self.dst.variable, start + 4 * lane, 4),
                )

    def _base(self, state: SymbolicState) -> tuple[BitVec, bool]:
        if isinstance(self.address, ImmediateUD):
            return const(self.address.value, FLAT_BITS), True
        return state.read_bytes(self.address, 0, 8)

    def undefined_bytes(self, state: SymbolicState) -> Iterator[tuple[Bool, RegisterSlice]]:
        """Page: "the remaining part of the register has undefined values"."""
        rest = state.platform.grf_bytes - 4 * self.execution.size
        if rest <= 0:
            return
        any_lane = disj(*(enabled for enabled, _ in state.lanes_enabled(self.execution)))
        size = state.registers.sizes[self.dst.variable]
        for _, start in self._slots(state):
            unused = start + 4 * self.execution.size
            if unused + 4 <= size:
                yield any_lane, RegisterSlice(self.dst.variable, unused, min(rest, (size - unused) // 4 * 4))

    def _slots(self, state: SymbolicState) -> list[tuple[int, int]]:
        """Each enabled channel, and the first byte of its data in dst's variable."""
        channels = [channel for channel in range(CHANNELS) if self.channels.mask >> channel & 1]
        slot_bytes = max(4 * self.execution.size, state.platform.grf_bytes)
        return [(channel, self.dst.offset + slot * slot_bytes) for slot, channel in enumerate(channels)]
