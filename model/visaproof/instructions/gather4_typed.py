"""GATHER4_TYPED (0x4B): reads up to four channels of a texel per lane.  Page: GATHER4_TYPED.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.typed_texels import CHANNELS, READINGS, require_typed, slots, texel_of
from visaproof.isa.operands import NULL, Channels, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import Bool, bool_const, conj, const, disj

ALPHA = 3
ONE, ONE_FLOAT = 1, 0x3F80_0000
"""What a read outside returns in the alpha channel, to integers and to floats."""


class Gather4Typed(Struct, frozen=True):
    """`[(P)] gather4_typed.CHANNELS (MASK, SIZE) surface u v r lod dst`; absent coordinates are null."""

    spec: ClassVar[Spec] = Spec(
        opcode=0x4B,
        mnemonic="GATHER4_TYPED",
        page="GATHER4_TYPED.md",
        exec_sizes=(8, 16),
        readings=(*READINGS, "typed-alpha"),
    )

    execution: Execution
    channels: Channels
    surface: str
    u: RawOperand
    v: RawOperand
    r: RawOperand
    lod: RawOperand
    dst: RawOperand
    """For each enabled channel, one dword per lane, each channel in a register of its own."""
    floats: bool = False
    """Whether dst has type F."""

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}gather4_typed.{self.channels} {self.execution} "
            f"{self.surface} {self.u} {self.v} {self.r} {self.lod} {self.dst}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        where = self.u, self.v, self.r, self.lod
        require_typed(self.execution, self.channels, self.surface, where, self.spec, platform, readings)

    def execute(self, state: ConcreteState) -> None:
        exec_size, image = self.execution.size, state.image(self.surface)
        enabled = [i for i in range(exec_size) if state.channel_enabled(self.execution, i)]
        slot_dwords = max(exec_size, state.platform.grf_bytes // 4)
        loaded: dict[int, int] = {}
        ch_pos = 0
        for c in range(CHANNELS):
            if self.channels.mask >> c & 1:
                ch_start = ch_pos * slot_dwords  # Page: ch_start = ch_pos * max(exec_size, GRF_SIZE / 4)
                for i in enabled:
                    u, v, r, lod = (
                        0 if operand == NULL else state.read_dword(operand, i)
                        for operand in (self.u, self.v, self.r, self.lod)
                    )
                    # Page: "On read: ones are returned in the alpha channel, zeros in the other channels."
                    outside = 0 if c != ALPHA else ONE_FLOAT if self.floats else ONE
                    texel = u, v, r, lod
                    loaded[ch_start + i] = image.channel(texel, c) if image.contains(texel) else outside
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
        image, where = state.image(self.surface), (self.u, self.v, self.r, self.lod)
        lanes = state.lanes_enabled(self.execution)
        for channel, start in slots(self.channels, self.execution, state.platform):
            for lane, (enabled, predicate_known) in enumerate(lanes):
                (u, v, r, lod), texel_known = texel_of(state, where, lane, enabled)
                place = RegisterSlice(self.dst.variable, self.dst.offset + start + 4 * lane, 4)
                fits = state.registers.holds(place.variable, place.start, 4)
                yield Load(
                    guard=enabled,
                    lane=lane,
                    surface=self.surface,
                    cell=(u, v, r, lod, const(channel, 2)),
                    width=4,
                    inside=image.contains(u, v, r, lod),
                    defined=conj(predicate_known, bool_const(texel_known and fits)),
                    destination=place,
                    outside=(ONE_FLOAT if self.floats else ONE) * (channel == ALPHA),
                )

    def undefined_bytes(self, state: SymbolicState) -> Iterator[tuple[Bool, RegisterSlice]]:
        """Page: "the remaining part of the register has undefined values"."""
        rest = state.platform.grf_bytes - 4 * self.execution.size
        if rest <= 0:
            return
        any_lane = disj(*(enabled for enabled, _ in state.lanes_enabled(self.execution)))
        size = state.registers.sizes[self.dst.variable]
        for _, start in slots(self.channels, self.execution, state.platform):
            unused = self.dst.offset + start + 4 * self.execution.size
            if unused + 4 <= size:
                yield any_lane, RegisterSlice(self.dst.variable, unused, min(rest, (size - unused) // 4 * 4))
