"""SVM_SCATTER (0x4E/04): blocks of 1, 4 or 8 bytes per lane, written to 64-bit addresses.  Page: SVM_SCATTER.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require_execution
from visaproof.instructions.svm_gather import FLAT, block_bytes, require_blocks
from visaproof.isa.operands import Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import LaneWrite
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.state import FLAT_BITS, SymbolicState
from visaproof.smt import add, bool_const, conj, const, eq, true, truncate


class SvmScatter(Struct, frozen=True):
    """`[(P)] svm_scatter.SIZE.BLOCKS (MASK, SIZE) addresses src`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x4E,
        mnemonic="SVM_SCATTER",
        page="SVM_SCATTER.md",
        exec_sizes=(1, 2, 4, 8, 16),
        collision_undefined=True,  # the page is silent: reading "flat-collision"
        readings=(
            "mask-alignment", "short-predicate", "any-all-window", "short-variable", "flat-bounds",
            "flat-address-wraps", "dword-misaligned", "qword-misaligned", "flat-collision",
        ),
    )  # fmt: skip

    execution: Execution
    block_size: int
    num_blocks: int
    addresses: RawOperand
    """One UQ byte address per lane."""
    src: RawOperand
    surface: str = FLAT

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}svm_scatter.{self.block_size}.{self.num_blocks} {self.execution} "
            f"{self.addresses} {self.src}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        require_blocks(self.block_size, self.num_blocks, self.execution, self.spec.page)

    def execute(self, state: ConcreteState) -> None:
        writes: list[LaneWrite] = []
        for i in range(self.execution.size):
            if not state.channel_enabled(self.execution, i):
                continue
            address = state.read_bytes(self.addresses, 8 * i, 8)
            state.require_aligned(address, self.block_size)  # Page: "must be aligned to the Block"
            if self.block_size == 1:
                min_block_size = max(4, self.num_blocks)  # Page: num_blocks < 4 ? 4 : num_blocks
                for j in range(0, min_block_size, 4):
                    width = min(4, self.num_blocks)
                    value = state.read_bytes(self.src, i * min_block_size + j, 4) % 256**width
                    writes.append(LaneWrite(i, (address + j) % 2**64, width, value))
                continue
            for j in range(self.num_blocks):  # Page: *(Addresses[i] + j*block_size) = src[j*exec_size+i]
                place = (j * self.execution.size + i) * self.block_size
                for part in range(0, self.block_size, 4):
                    value = state.read_bytes(self.src, place + part, 4)
                    writes.append(LaneWrite(i, (address + j * self.block_size + part) % 2**64, 4, value))
        state.buffer(self.surface).scatter(writes)

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        surface = state.buffer(self.surface)
        unit_bits = self.block_size.bit_length() - 1
        for lane, (enabled, predicate_known) in enumerate(state.lanes_enabled(self.execution)):
            first, known = state.read_bytes(self.addresses, 8 * lane, 8, enabled)
            aligned = eq(truncate(first, unit_bits), const(0, unit_bits)) if unit_bits else true()
            for behind, place, width in block_bytes(self.block_size, self.num_blocks, self.execution.size, lane):
                address = add(first, const(behind, FLAT_BITS))
                value, value_known = state.read_bytes(self.src, place, 4, enabled)
                yield Store(
                    guard=enabled,
                    lane=lane,
                    surface=self.surface,
                    cell=(address,),
                    width=width,
                    inside=surface.contains(address, width),
                    defined=conj(aligned, predicate_known, bool_const(known and value_known)),
                    value=truncate(value, 8 * width),
                )
