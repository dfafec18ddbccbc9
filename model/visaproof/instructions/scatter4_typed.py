"""SCATTER4_TYPED (0x4C): writes up to four channels of a texel per lane.  Page: SCATTER4_TYPED.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.typed_texels import CHANNELS, READINGS, require_typed, slots, texel_of
from visaproof.isa.operands import NULL, Channels, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import TexelWrite
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import bool_const, conj, const


class Scatter4Typed(Struct, frozen=True):
    """`[(P)] scatter4_typed.CHANNELS (MASK, SIZE) surface u v r lod src`; absent coordinates are null."""

    spec: ClassVar[Spec] = Spec(
        opcode=0x4C,
        mnemonic="SCATTER4_TYPED",
        page="SCATTER4_TYPED.md",
        exec_sizes=(8, 16),
        collision_undefined=True,
        readings=(*READINGS, "collision"),
    )

    execution: Execution
    channels: Channels
    surface: str
    u: RawOperand
    v: RawOperand
    r: RawOperand
    lod: RawOperand
    src: RawOperand
    """For each enabled channel, one dword per lane, each channel from a register of its own."""

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}scatter4_typed.{self.channels} {self.execution} "
            f"{self.surface} {self.u} {self.v} {self.r} {self.lod} {self.src}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        where = self.u, self.v, self.r, self.lod
        require_typed(self.execution, self.channels, self.surface, where, self.spec, platform, readings)

    def execute(self, state: ConcreteState) -> None:
        exec_size = self.execution.size
        enabled = [i for i in range(exec_size) if state.channel_enabled(self.execution, i)]
        writes: list[TexelWrite] = []
        ch_pos = 0
        for c in range(CHANNELS):
            if self.channels.mask >> c & 1:
                ch_start = ch_pos * max(exec_size, state.platform.grf_bytes // 4)  # Page: max(exec_size, GRF_SIZE / 4)
                for i in enabled:
                    u, v, r, lod = (
                        0 if operand == NULL else state.read_dword(operand, i)
                        for operand in (self.u, self.v, self.r, self.lod)
                    )
                    writes.append(TexelWrite(i, (u, v, r, lod), c, state.read_dword(self.src, ch_start + i)))
                ch_pos += 1
        # Page: "On write: data is dropped", and "undefined if more than one channel writes to the same address"
        state.image(self.surface).scatter(writes)

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        image, where = state.image(self.surface), (self.u, self.v, self.r, self.lod)
        lanes = state.lanes_enabled(self.execution)
        for channel, start in slots(self.channels, self.execution, state.platform):
            for lane, (enabled, predicate_known) in enumerate(lanes):
                (u, v, r, lod), texel_known = texel_of(state, where, lane, enabled)
                value, value_known = state.read_bytes(self.src, start + 4 * lane, 4, enabled)
                yield Store(
                    guard=enabled,
                    lane=lane,
                    surface=self.surface,
                    cell=(u, v, r, lod, const(channel, 2)),
                    width=4,
                    inside=image.contains(u, v, r, lod),
                    defined=conj(predicate_known, bool_const(texel_known and value_known)),
                    value=value,
                )
