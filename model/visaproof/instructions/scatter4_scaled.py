"""SCATTER4_SCALED (0x75): up to four dwords per lane, written to scattered addresses.  Page: SCATTER4_SCALED.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require, require_execution
from visaproof.isa.answers import ChannelAddress, ChannelSets, DwordMisaligned, OffsetSum, ScatterBounds
from visaproof.isa.fields import PRED, Bits, Code, Field, Width, execution_field
from visaproof.isa.operands import Channels, Execution, Parameter, RawOperand, Scalar
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import LaneWrite
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicState, field_term
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bit,
    bool_const,
    concat,
    conj,
    const,
    eq,
    extract,
    false,
    implies,
    is_false,
    ite,
    ite_bool,
    symbol,
    true,
    truncate,
    zero_extend,
)

CHANNELS = 4
"""R, G, B, A."""

PREFIXES = (0b0001, 0b0011, 0b0111, 0b1111)
"""R, RG, RGB, RGBA: the sets that other layers support (D15)."""


class Scatter4Scaled(Struct, frozen=True):
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
            "collision", "channel-sets", "small-sizes",
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

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        if isinstance(self.channels, Channels):
            mask, page = self.channels.mask, self.spec.page
            require(0 < mask < 16, "at least one of the channels R, G, B, A must be enabled", page)
            prefix = readings.channel_sets is not ChannelSets.PREFIX_ONLY or mask in PREFIXES
            require(prefix, f"{self.channels} is none of R, RG, RGB, RGBA", "D15")

    def execute(self, state: ConcreteState) -> None:
        if isinstance(self.channels, Parameter):
            raise TypeError("the channel set stands for any value: execute needs one")
        exec_size = self.execution.size
        enabled = [i for i in range(exec_size) if state.channel_enabled(self.execution, i)]
        if enabled:
            state.require_lanes(self.element_offset, exec_size - 1)
        starts = [self._start(state, i) for i in enabled]
        writes: list[LaneWrite] = []
        ch_pos = 0
        for c in range(CHANNELS):
            if self.channels.mask >> c & 1:
                ch_start = ch_pos * max(exec_size, state.platform.grf_bytes // 4)  # Page: ch_start = ch_pos * max(…)
                if enabled:
                    state.require_lanes(self.src, ch_start + exec_size - 1)
                for i, (start, keeps_datum) in zip(enabled, starts, strict=True):
                    address = _channel_address(start, c, state.readings)
                    state.require_inside(self.surface, address, 4)
                    datum = state.read_dword(self.src, ch_start + i)
                    writes.append(LaneWrite(i, address, 4, datum if keeps_datum else _ANY_DATUM))
                ch_pos += 1
        surface = state.buffer(self.surface)
        kept = _dropped_together(writes, surface.size, state.readings.scatter_bounds_grain)
        surface.scatter(kept, state.readings.collision)  # Page: "data is dropped"

    def _start(self, state: ConcreteState, lane: int) -> tuple[int, bool]:
        """The lane's `address` (D9, D10, D13), and whether its data arrives there."""
        address = state.scalar(self.offset) + state.read_dword(self.element_offset, lane)
        if state.readings.offset_sum_wraps is OffsetSum.WRAPS:
            address %= 2**32
        match state.readings.dword_misaligned:
            case DwordMisaligned.UNDEFINED:
                state.require_aligned(address, 4)  # Page: "must be dword-aligned"
            case DwordMisaligned.FLOOR:
                address = address // 4 * 4
            case DwordMisaligned.BYTE_EXACT:
                pass
            case DwordMisaligned.DATA_UNDEFINED:
                return address // 4 * 4, address % 4 == 0
        return address, True

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        channels = self._channel_set()
        lanes = state.lanes_enabled(self.execution)
        groups = [self._group(state, lane, enabled) for lane, (enabled, _) in enumerate(lanes)]
        # at_slot[k]: exactly k channels below this one are enabled, so its data lies in slot k of src.
        at_slot: list[Bool] = [true(), false(), false(), false()]
        for channel in range(CHANNELS):
            selected = bit(channels, channel)
            if is_false(selected):
                continue
            for lane, (enabled, predicate_known) in enumerate(lanes):
                group, address = groups[lane], groups[lane].cells[channel]
                value, value_known = self._datum(state, at_slot, lane, enabled)
                meaning = state.has_meaning(self.surface, address, 4)
                yield Store(
                    guard=conj(selected, enabled),
                    lane=lane,
                    surface=self.surface,
                    cell=(address,),
                    width=4,
                    inside=group.inside[channel],
                    defined=conj(group.aligned, predicate_known, bool_const(group.known), value_known, meaning),
                    value=ite(group.keeps_data, value, symbol(f"any.{lane}.{channel}", 32)),
                    yields=state.yields(lane),
                    per_byte=state.readings.scatter_bounds_grain is ScatterBounds.PER_BYTE,
                    unaligned=state.readings.dword_misaligned is DwordMisaligned.BYTE_EXACT,
                )
            at_slot = [
                ite_bool(selected, below, here) for below, here in zip([false(), *at_slot], at_slot, strict=False)
            ]

    def _channel_set(self) -> BitVec:
        return field_term(self.channels.mask if isinstance(self.channels, Channels) else self.channels, CHANNELS)

    def _group(self, state: SymbolicState, lane: int, enabled: Bool) -> "_Group":
        """Where a lane's channels lie."""
        readings, surface = state.readings, state.buffer(self.surface)
        base, base_known = state.scalar(self.offset)
        element, element_known = state.read_lane(self.element_offset, lane, self.execution.size - 1, enabled)
        if readings.offset_sum_wraps is OffsetSum.WRAPS:
            start = zero_extend(add(base, element), ADDRESS_BITS)
        else:
            start = add(zero_extend(base, ADDRESS_BITS), zero_extend(element, ADDRESS_BITS))
        aligned, keeps_data = eq(truncate(start, 2), const(0, 2)), true()
        if readings.dword_misaligned is DwordMisaligned.DATA_UNDEFINED:
            keeps_data = aligned
        if readings.dword_misaligned is not DwordMisaligned.UNDEFINED:
            aligned = true()
        if readings.dword_misaligned in (DwordMisaligned.FLOOR, DwordMisaligned.DATA_UNDEFINED):
            start = concat(extract(start, ADDRESS_BITS - 1, 2), const(0, 2))
        channels = self._channel_set()
        selected = {c: one for c in range(CHANNELS) if not is_false(one := bit(channels, c))}
        cells = {channel: add(start, const(4 * channel, ADDRESS_BITS)) for channel in selected}
        if readings.channel_address_wraps is ChannelAddress.WRAPS:
            upper = extract(start, ADDRESS_BITS - 1, 32)
            cells = {channel: concat(upper, truncate(cell, 32)) for channel, cell in cells.items()}
        needed = 1 if readings.scatter_bounds_grain is ScatterBounds.PER_BYTE else 4
        inside = {channel: surface.contains(cell, needed) for channel, cell in cells.items()}
        if readings.scatter_bounds_grain is ScatterBounds.PER_LANE:
            whole = conj(*(implies(selected[channel], here) for channel, here in inside.items()))
            inside = dict.fromkeys(selected, whole)
        return _Group(cells, inside, aligned, keeps_data, base_known and element_known)

    def _datum(self, state: SymbolicState, at_slot: list[Bool], lane: int, enabled: Bool) -> tuple[BitVec, Bool]:
        """The dword that a lane writes, and whether src has it."""
        slot_dwords = max(self.execution.size, state.platform.grf_bytes // 4)
        value, known = const(0, 32), true()
        for slot, here in enumerate(at_slot):
            if is_false(here):
                continue
            first = slot * slot_dwords
            dword, held = state.read_lane(self.src, first + lane, first + self.execution.size - 1, enabled)
            value = ite(here, dword, value)
            known = conj(known, implies(here, bool_const(held)))
        return value, known


class _Group(Struct, frozen=True):
    """The selected channels of a lane: their cells, whether each is inside, and what they need to be defined."""

    cells: dict[int, BitVec]
    inside: dict[int, Bool]
    aligned: Bool
    keeps_data: Bool
    """Else it writes any value (D13)."""
    known: bool


_ANY_DATUM = 0
"""What `execute` writes where any value may be written (D13): the value that symbols without a choice have."""


def _channel_address(start: int, c: int, readings: Readings) -> int:
    """Page: `address/4 + c`, in dwords; here in bytes (D10b)."""
    address = start + 4 * c
    if readings.channel_address_wraps is ChannelAddress.WRAPS:
        return start // 2**32 * 2**32 + address % 2**32
    return address


def _dropped_together(writes: list[LaneWrite], size: int, grain: ScatterBounds) -> list[LaneWrite]:
    """The writes in the pieces that are dropped on their own (D11)."""
    match grain:
        case ScatterBounds.PER_DWORD:
            return writes
        case ScatterBounds.PER_BYTE:
            return [
                LaneWrite(write.lane, write.address + k, 1, write.value >> 8 * k & 0xFF)
                for write in writes
                for k in range(4)
            ]
        case ScatterBounds.PER_LANE:
            beyond = {write.lane for write in writes if write.address + 4 > size}
            return [write for write in writes if write.lane not in beyond]
