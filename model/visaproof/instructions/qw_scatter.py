"""QW_SCATTER (0x87): one qword per lane, written to scattered addresses.  Page: QW_SCATTER.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from visaproof.instructions.instruction import require, require_execution, require_platform
from visaproof.isa.fields import PRED, Bits, Code, Field, Width, execution_field
from visaproof.isa.operands import Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.spec import Spec
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicState
from visaproof.smt import add, bool_const, conj, const, eq, truncate, zero_extend


@dataclass(frozen=True, slots=True)
class QwScatter:
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
            "qword-bounds-grain", "qword-misaligned", "collision",
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

    def validate(self, platform: Platform) -> None:
        require_platform(self.spec, platform, "D46")
        require_execution(self.execution, self.spec)
        require(self.num_blocks == 1, f"{self.num_blocks} blocks: the page has only one", f"{self.spec.page}, D22")

    def execute(self, state: ConcreteState) -> None:
        writes: list[tuple[int, int, int]] = []
        for i in range(self.execution.size):
            if state.channel_enabled(self.execution, i):
                address = state.read_dword(self.offset, i)  # Page: byte offsets into the surface (D23)
                state.require_aligned(address, 8)  # D26
                low, high = state.read_dword(self.src, 2 * i), state.read_dword(self.src, 2 * i + 1)
                writes += [(i, address, low), (i, address + 4, high)]  # D25: each half on its own
        state.buffer(self.surface).scatter_dwords(writes)  # Page: "data is dropped"

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        surface = state.buffer(self.surface)
        for lane, (enabled, predicate_known) in enumerate(state.lanes_enabled(self.execution)):
            offset_bytes, offset_known = state.read_dword(self.offset, lane, enabled)
            aligned = eq(truncate(offset_bytes, 3), const(0, 3))
            for half in (0, 1):
                address = add(zero_extend(offset_bytes, ADDRESS_BITS), const(4 * half, ADDRESS_BITS))
                value, value_known = state.read_dword(self.src, 2 * lane + half, enabled)
                yield Store(
                    guard=enabled,
                    lane=lane,
                    surface=self.surface,
                    cell=(address,),
                    width=4,
                    inside=surface.contains(address, 4),
                    defined=conj(aligned, predicate_known, bool_const(offset_known and value_known)),
                    value=value,
                )
