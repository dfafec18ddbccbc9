"""QW_GATHER (0x86): one qword per lane, read from scattered addresses.  Page: QW_GATHER.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require, require_execution, require_platform
from visaproof.isa.operands import Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicState
from visaproof.smt import add, bool_const, conj, const, eq, truncate, zero_extend


class QwGather(Struct, frozen=True):
    """`[(P)] qw_gather.1 (MASK, SIZE) surface offset dst`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x86,
        mnemonic="QW_GATHER",
        page="QW_GATHER.md",
        exec_sizes=(1, 2, 4, 8, 16),
        since=Platform.XeHP_SDV,
        readings=(
            "mask-alignment", "short-predicate", "any-all-window", "short-variable", "disabled-lanes", "slm-bounds",
            "qword-unit", "qword-bounds-grain", "qword-misaligned",
        ),
    )  # fmt: skip

    execution: Execution
    surface: str
    offset: RawOperand
    """One UD byte offset per lane."""
    dst: RawOperand
    """One qword per lane."""
    num_blocks: int = 1

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}qw_gather.{self.num_blocks} {self.execution} "
            f"{self.surface} {self.offset} {self.dst}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_platform(self.spec, platform, "D46")
        require_execution(self.execution, self.spec, readings)
        require(self.num_blocks == 1, f"{self.num_blocks} blocks: the page has only one", f"{self.spec.page}, D22")

    def execute(self, state: ConcreteState) -> None:
        loaded: list[tuple[int, int]] = []
        for i in range(self.execution.size):
            if state.channel_enabled(self.execution, i):
                address = state.read_dword(self.offset, i)  # Page: byte offsets into the surface (D23)
                state.require_aligned(address, 8)  # D26
                surface = state.buffer(self.surface)
                loaded += [(2 * i, surface.read_dword(address)), (2 * i + 1, surface.read_dword(address + 4))]  # D25
        for index, _ in loaded:
            state.read_dword(self.dst, index)  # every enabled lane must fit (D6)
        for index, value in loaded:
            state.write_dword(self.dst, index, value)

    def footprint(self, state: SymbolicState) -> Iterator[Load]:
        surface = state.buffer(self.surface)
        for lane, (enabled, predicate_known) in enumerate(state.lanes_enabled(self.execution)):
            offset_bytes, offset_known = state.read_dword(self.offset, lane, enabled)
            aligned = eq(truncate(offset_bytes, 3), const(0, 3))
            fits = state.registers.holds(self.dst.variable, self.dst.offset + 8 * lane, 8)
            for half in (0, 1):
                address = add(zero_extend(offset_bytes, ADDRESS_BITS), const(4 * half, ADDRESS_BITS))
                yield Load(
                    guard=enabled,
                    lane=lane,
                    surface=self.surface,
                    cell=(address,),
                    width=4,
                    inside=surface.contains(address, 4),
                    defined=conj(aligned, predicate_known, bool_const(offset_known and fits)),
                    destination=RegisterSlice(self.dst.variable, self.dst.offset + 8 * lane + 4 * half, 4),
                )
