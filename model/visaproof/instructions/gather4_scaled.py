"""GATHER4_SCALED (0x74): up to four dwords per lane, read from scattered addresses.  Page: GATHER4_SCALED.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require, require_execution
from visaproof.isa.operands import Channels, Execution, RawOperand, Scalar
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicState
from visaproof.smt import Bool, add, bool_const, conj, const, disj, eq, truncate, zero_extend

CHANNELS = 4
"""R, G, B, A."""


class Gather4Scaled(Struct, frozen=True):
    """`[(P)] gather4_scaled.CHANNELS (MASK, SIZE) surface offset element_offset dst`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x74,
        mnemonic="GATHER4_SCALED",
        page="GATHER4_SCALED.md",
        exec_sizes=(8, 16),
        readings=(
            "mask-alignment", "short-predicate", "any-all-window", "short-variable", "disabled-lanes",
            "scatter4-address", "offset-sum-wraps", "channel-address-wraps", "scatter-bounds-grain", "slm-bounds",
            "dword-misaligned",
        ),
    )  # fmt: skip

    execution: Execution
    channels: Channels
    surface: str
    offset: Scalar
    """Global byte offset."""
    element_offset: RawOperand
    """One UD byte offset per lane."""
    dst: RawOperand
    """For each enabled channel, one dword per lane, each channel in a register of its own."""

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}gather4_scaled.{self.channels} {self.execution} "
            f"{self.surface} {self.offset} {self.element_offset} {self.dst}"
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
                    address = (state.scalar(self.offset) + state.read_dword(self.element_offset, i)) % 2**32  # D10
                    state.require_aligned(address, 4)  # Page: "the final address must be dword-aligned"
                    loaded[ch_start + i] = state.buffer(self.surface).read_dword((address // 4 + c) * 4)
                if enabled:  # Page: "the remaining part of the register has undefined values"
                    loaded |= dict.fromkeys(range(ch_start + exec_size, ch_start + slot_dwords), 0)
                ch_pos += 1
        for index in loaded:
            if index % slot_dwords < exec_size:
                state.read_dword(self.dst, index)  # every enabled lane must fit (D6)
        size = len(state.registers[self.dst.variable])
        for index, value in loaded.items():
            if self.dst.offset + 4 * index + 4 <= size:
                state.write_dword(self.dst, index, value)

    def footprint(self, state: SymbolicState) -> Iterator[Load]:
        surface = state.buffer(self.surface)
        lanes = state.lanes_enabled(self.execution)
        base, base_known = state.scalar(self.offset)
        for channel, start in self._slots(state):
            for lane, (enabled, predicate_known) in enumerate(lanes):
                element, element_known = state.read_dword(self.element_offset, lane, enabled)
                first = add(base, element)
                address = add(zero_extend(first, ADDRESS_BITS), const(4 * channel, ADDRESS_BITS))
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
