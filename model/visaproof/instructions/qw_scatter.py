"""QW_SCATTER (0x87): one qword per lane, written to scattered addresses.  Page: QW_SCATTER.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require, require_execution, require_platform
from visaproof.isa.answers import QwordBlocks, QwordBounds, QwordMisaligned, QwordStride, QwordUnit
from visaproof.isa.encoding import BLOCK_CODES
from visaproof.isa.fields import PRED, Bits, Code, Field, Width, execution_field
from visaproof.isa.operands import Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import LaneWrite
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicState
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bool_const,
    concat,
    conj,
    const,
    eq,
    extract,
    scale,
    true,
    truncate,
    zero_extend,
)


class QwScatter(Struct, frozen=True):
    """`[(P)] qw_scatter.1 (MASK, SIZE) surface offset src`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x87,
        mnemonic="QW_SCATTER",
        page="QW_SCATTER.md",
        exec_sizes=(1, 2, 4, 8, 16),
        since=Platform.XeHP_SDV,
        collision_undefined=True,
        readings=(
            "mask-alignment", "short-predicate", "any-all-window", "short-variable", "slm-bounds", "qword-unit",
            "qword-bounds-grain", "qword-misaligned", "qword-blocks", "qword-stride", "collision",
        ),
        text="[(P)] qw_scatter.NUM_BLOCKS (MASK, SIZE) SURFACE OFFSET SRC",
        out_of_bounds="a write outside is dropped",
        fields=(
            execution_field(1, 2, 4, 8, 16),
            PRED,
            Field("Num_blocks", Width.UB, "blocks of 8 bytes for each lane", (Bits(1, 0, "blocks", (Code(0, "1"),)),),
                  source="D22"),
            Field("Surface", Width.UB, "index of the surface variable; T0 is allowed"),
            Field("Offset", Width.RAW, "one offset in bytes for each lane", types=(DataType.UD,), source="D23"),
            Field("Src", Width.RAW, "one qword for each lane", types=(DataType.Q, DataType.UQ, DataType.DF)),
        ),
        examples=(
            "qw_scatter.1 (M1, 8) T6 V1.0 V2.0",
            "(!P1) qw_scatter.1 (M5, 16) %slm V1.0 V2.0",
        ),
    )  # fmt: skip

    execution: Execution
    surface: str
    offset: RawOperand
    """One UD byte offset per lane."""
    src: RawOperand
    """One qword per lane."""
    num_blocks: int = 1

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}qw_scatter.{self.num_blocks} {self.execution} "
            f"{self.surface} {self.offset} {self.src}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_platform(self.spec, platform, "D46")
        require_execution(self.execution, self.spec, readings)
        if readings.qword_blocks is QwordBlocks.ONE:
            require(self.num_blocks == 1, f"{self.num_blocks} blocks: the page has only one", f"{self.spec.page}, D22")
        require(self.num_blocks in BLOCK_CODES, f"{self.num_blocks} blocks is not one of 1, 2, 4, 8", "D22")

    def execute(self, state: ConcreteState) -> None:
        surface, last = state.buffer(self.surface), self.execution.size - 1
        writes: list[LaneWrite] = []
        for i in range(self.execution.size):
            if state.channel_enabled(self.execution, i):
                state.require_lanes(self.offset, last)
                start = self._address(state, i)
                for j in range(self.num_blocks):
                    qword = j * self._stride(state) + i  # Page: j*exec_size + i (D24)
                    state.require_lanes(self.src, 2 * (j * self._stride(state) + last) + 1)
                    # Page: Surface[Offset[i] + j], of 8 bytes each (D23)
                    address = start + (j if state.readings.qword_unit is QwordUnit.LITERAL else 8 * j)
                    low, high = state.read_dword(self.src, 2 * qword), state.read_dword(self.src, 2 * qword + 1)
                    state.require_inside(self.surface, address, 8)
                    if state.readings.qword_bounds_grain is QwordBounds.PER_QWORD:
                        writes.append(LaneWrite(i, address, 8, high << 32 | low))
                    else:  # each half on its own (D25)
                        writes += [LaneWrite(i, address, 4, low), LaneWrite(i, address + 4, 4, high)]
        surface.scatter(writes, state.readings.collision)  # Page: "data is dropped"

    def _stride(self, state: ConcreteState) -> int:
        """Qwords of src from one block to the next (D24)."""
        size = self.execution.size
        return (
            size if state.readings.qword_stride is QwordStride.EXEC_SIZE else max(size, state.platform.grf_bytes // 4)
        )

    def _address(self, state: ConcreteState, lane: int) -> int:
        """Page: byte offsets into the surface (D23), aligned or not (D26)."""
        address = state.read_dword(self.offset, lane)
        if state.readings.qword_unit is QwordUnit.QWORD_INDEX:
            address *= 8
        match state.readings.qword_misaligned:
            case QwordMisaligned.UNDEFINED:
                state.require_aligned(address, 8)
            case QwordMisaligned.DWORD_ALIGNED:
                state.require_aligned(address, 4)
            case QwordMisaligned.FLOOR:
                address = address // 8 * 8
            case QwordMisaligned.BYTE_EXACT:
                pass
        return address

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        surface, readings, lanes = state.buffer(self.surface), state.readings, self.execution.size
        pitch = lanes
        if readings.qword_stride is QwordStride.PADDED:
            pitch = max(lanes, {32: 8, 64: 16}[state.platform.grf_bytes])
        step = 1 if readings.qword_unit is QwordUnit.LITERAL else 8
        unaligned = readings.qword_misaligned is QwordMisaligned.BYTE_EXACT or (step == 1 and self.num_blocks > 1)
        for lane, (enabled, predicate_known) in enumerate(state.lanes_enabled(self.execution)):
            offset_bytes, offset_known = state.read_lane(self.offset, lane, lanes - 1, enabled)
            start, aligned = _start_of(offset_bytes, readings)
            for block in range(self.num_blocks):
                halves = [add(start, const(step * block + 4 * half, ADDRESS_BITS)) for half in (0, 1)]
                inside = [surface.contains(address, 4) for address in halves]
                if readings.qword_bounds_grain is QwordBounds.PER_QWORD:
                    whole = conj(*inside)
                    inside = [whole, whole]
                for half, address in enumerate(halves):
                    first, last = 2 * pitch * block, 2 * (pitch * block + lanes - 1) + 1
                    value, value_known = state.read_lane(self.src, first + 2 * lane + half, last, enabled)
                    meaning = state.has_meaning(self.surface, address, 4)
                    yield Store(
                        guard=enabled,
                        lane=lane,
                        surface=self.surface,
                        cell=(address,),
                        width=4,
                        inside=inside[half],
                        defined=conj(aligned, predicate_known, bool_const(offset_known and value_known), meaning),
                        value=value,
                        yields=state.yields(lane),
                        unaligned=unaligned,
                    )


def _start_of(offset: BitVec, readings: Readings) -> tuple[BitVec, Bool]:
    """The address of a lane's qword, and whether it is aligned as the reading demands."""
    wide = zero_extend(offset, ADDRESS_BITS)
    start = scale(wide, 8) if readings.qword_unit is QwordUnit.QWORD_INDEX else wide
    match readings.qword_misaligned:
        case QwordMisaligned.UNDEFINED:
            return start, eq(truncate(start, 3), const(0, 3))
        case QwordMisaligned.DWORD_ALIGNED:
            return start, eq(truncate(start, 2), const(0, 2))
        case QwordMisaligned.FLOOR:
            return concat(extract(start, ADDRESS_BITS - 1, 3), const(0, 3)), true()
        case QwordMisaligned.BYTE_EXACT:
            return start, true()
