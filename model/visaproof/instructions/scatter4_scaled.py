"""SCATTER4_SCALED (0x75): up to four dwords per lane, written to scattered addresses.  Page: SCATTER4_SCALED.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from visaproof.instructions.instruction import require, require_execution
from visaproof.isa.fields import PRED, Bits, Code, Field, Width, execution_field
from visaproof.isa.operands import Channels, Execution, Parameter, RawOperand, Scalar
from visaproof.isa.platform import Platform
from visaproof.isa.spec import Spec
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicState, field_term
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bit,
    bool_const,
    conj,
    const,
    eq,
    false,
    implies,
    is_false,
    ite,
    ite_bool,
    true,
    truncate,
    zero_extend,
)

CHANNELS = 4
"""R, G, B, A."""


@dataclass(frozen=True, slots=True)
class Scatter4Scaled:
    """`[(P)] scatter4_scaled.CHANNELS (MASK, SIZE) surface offset element_offset src`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x75,
        mnemonic="SCATTER4_SCALED",
        page="SCATTER4_SCALED.md",
        exec_sizes=(8, 16),
        collision_undefined=True,
        readings=(
            "mask-alignment", "short-predicate", "any-all-window", "short-variable", "scatter4-address",
            "offset-sum-wraps", "channel-address-wraps", "scatter-bounds-grain", "slm-bounds", "dword-misaligned",
            "collision",
        ),
        text="[(P)] scatter4_scaled.CHANNELS (MASK, SIZE) SURFACE OFFSET ELEMENT_OFFSET SRC",
        out_of_bounds="a write outside is dropped",
        fields=(
            execution_field(8, 16),
            PRED,
            Field("Channels", Width.UB, "which of R, G, B, A are written; at least one",
                  (Bits(3, 0, "R in bit 0, G in 1, B in 2, A in 3", tuple(
                      Code(mask, str(Channels(mask))) for mask in range(1, 16))),)),
            Field("Scale", Width.UW, "ignored: always zero", source="D43"),
            Field("Surface", Width.UB, "index of the surface variable", source="D5, D8"),
            Field("Offset", Width.SCALAR, "global offset in bytes", types=(DataType.UD,)),
            Field("Element_offset", Width.RAW, "one offset in bytes for each lane", types=(DataType.UD,)),
            Field("Src", Width.RAW, "for each enabled channel one dword for each lane, each channel from a register on",
                  types=(DataType.UD, DataType.D, DataType.F)),
        ),
        examples=(
            "scatter4_scaled.RGBA (M1, 8) T6 0x0:ud V1.0 V2.0",
            "(P1) scatter4_scaled.RA (M3_NM, 8) T6 0x10:ud V1.0 V2.0",
            "scatter4_scaled.R (M1, 16) %slm V3(0,0)<0;1,0> V1.0 V2.0",
        ),
    )  # fmt: skip

    execution: Execution
    channels: Channels | Parameter
    surface: str
    offset: Scalar
    """Global byte offset."""
    element_offset: RawOperand
    """One UD byte offset per lane."""
    src: RawOperand
    """For each enabled channel, one dword per lane, each channel from a register of its own."""

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}scatter4_scaled.{self.channels} {self.execution} "
            f"{self.surface} {self.offset} {self.element_offset} {self.src}"
        )

    def validate(self, platform: Platform) -> None:
        require_execution(self.execution, self.spec)
        if isinstance(self.channels, Channels):
            require(
                0 < self.channels.mask < 16, "at least one of the channels R, G, B, A must be enabled", self.spec.page
            )

    def execute(self, state: ConcreteState) -> None:
        if isinstance(self.channels, Parameter):
            raise TypeError("the channel set stands for any value: execute needs one")
        exec_size = self.execution.size
        lane_offsets = [state.read_dword(self.element_offset, i) for i in self._enabled(state)]
        writes: list[tuple[int, int, int]] = []
        ch_pos = 0
        for c in range(CHANNELS):
            if self.channels.mask >> c & 1:
                ch_start = ch_pos * max(exec_size, state.platform.grf_bytes // 4)  # Page: ch_start = ch_pos * max(…)
                for i, lane_offset in zip(self._enabled(state), lane_offsets, strict=True):
                    address = (state.scalar(self.offset) + lane_offset) % 2**32  # D9, D10
                    state.require_aligned(address, 4)  # Page: "must be dword-aligned"
                    writes.append((i, (address // 4 + c) * 4, state.read_dword(self.src, ch_start + i)))
                ch_pos += 1
        state.buffer(self.surface).scatter_dwords(writes)  # Page: "data is dropped"

    def _enabled(self, state: ConcreteState) -> list[int]:
        return [i for i in range(self.execution.size) if state.channel_enabled(self.execution, i)]

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        surface = state.buffer(self.surface)
        channels = field_term(self.channels.mask if isinstance(self.channels, Channels) else self.channels, CHANNELS)
        base, base_known = state.scalar(self.offset)
        # at_slot[k]: exactly k channels below this one are enabled, so its data lies in slot k of src.
        at_slot: list[Bool] = [true(), false(), false(), false()]
        lanes = state.lanes_enabled(self.execution)
        for channel in range(CHANNELS):
            selected = bit(channels, channel)
            if is_false(selected):
                continue
            for lane, (enabled, predicate_known) in enumerate(lanes):
                guard = conj(selected, enabled)
                element, element_known = state.read_dword(self.element_offset, lane, enabled)
                start = add(base, element)
                address = add(zero_extend(start, ADDRESS_BITS), const(4 * channel, ADDRESS_BITS))
                value, value_known = self._datum(state, at_slot, lane, enabled)
                aligned = eq(truncate(start, 2), const(0, 2))
                yield Store(
                    guard=guard,
                    lane=lane,
                    surface=self.surface,
                    cell=(address,),
                    width=4,
                    inside=surface.contains(address, 4),
                    defined=conj(aligned, predicate_known, bool_const(base_known and element_known), value_known),
                    value=value,
                )
            at_slot = [
                ite_bool(selected, below, here) for below, here in zip([false(), *at_slot], at_slot, strict=False)
            ]

    def _datum(self, state: SymbolicState, at_slot: list[Bool], lane: int, enabled: Bool) -> tuple[BitVec, Bool]:
        """The dword that a lane writes, and whether src has it."""
        slot_dwords = max(self.execution.size, state.platform.grf_bytes // 4)
        value, known = const(0, 32), true()
        for slot, here in enumerate(at_slot):
            if is_false(here):
                continue
            dword, held = state.read_dword(self.src, slot * slot_dwords + lane, enabled)
            value = ite(here, dword, value)
            known = conj(known, implies(here, bool_const(held)))
        return value, known
