"""SVM_GATHER (0x4E/03): blocks of 1, 4 or 8 bytes per lane, read from 64-bit addresses.  Page: SVM_GATHER.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require, require_execution
from visaproof.isa.operands import Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import FLAT_BITS, SymbolicState
from visaproof.smt import Bool, add, bool_const, conj, const, eq, true, truncate

FLAT = "flat"
"""The name of the 64-bit address space."""
BLOCK_SIZES = (1, 4, 8)
BLOCK_COUNTS = (1, 2, 4, 8)


def require_blocks(size: int, count: int, execution: Execution, page: str) -> None:
    require(size in BLOCK_SIZES, f"{size}-byte blocks are not of 1, 4 or 8 bytes", page)
    require(count in BLOCK_COUNTS, f"{count} blocks is not one of 1, 2, 4, 8", page)
    eight = count < 8 or (size == 4 and execution.size == 8)
    require(eight, "8 blocks need 4-byte blocks and execution size 8", page)
    require(count == 1 or execution.size >= 8, "more than one block needs execution size 8 or more", page)


def block_bytes(size: int, count: int, lanes: int, lane: int) -> list[tuple[int, int, int]]:
    """For each access of a lane: bytes behind its address, bytes behind the data operand, and width."""
    if size == 1:
        return [(at, lane * max(4, count) + at, min(4, count)) for at in range(0, count, 4)]
    return [
        (size * block + part, size * (block * lanes + lane) + part, 4)
        for block in range(count)
        for part in range(0, size, 4)
    ]


class SvmGather(Struct, frozen=True):
    """`[(P)] svm_gather.SIZE.BLOCKS (MASK, SIZE) addresses dst`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x4E,
        mnemonic="SVM_GATHER",
        page="SVM_GATHER.md",
        exec_sizes=(1, 2, 4, 8, 16),
        readings=(
            "mask-alignment", "short-predicate", "any-all-window", "short-variable", "disabled-lanes", "flat-bounds",
            "flat-address-wraps", "dword-misaligned", "qword-misaligned",
        ),
    )  # fmt: skip

    execution: Execution
    block_size: int
    num_blocks: int
    addresses: RawOperand
    """One UQ byte address per lane."""
    dst: RawOperand
    surface: str = FLAT

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}svm_gather.{self.block_size}.{self.num_blocks} {self.execution} "
            f"{self.addresses} {self.dst}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        require_blocks(self.block_size, self.num_blocks, self.execution, self.spec.page)

    def execute(self, state: ConcreteState) -> None:
        memory = state.buffer(self.surface)
        loaded: list[tuple[int, int, int]] = []
        for i in range(self.execution.size):
            if not state.channel_enabled(self.execution, i):
                continue
            address = state.read_bytes(self.addresses, 8 * i, 8)
            state.require_aligned(address, self.block_size)  # Page: "must be aligned to the <block_size>"
            if self.block_size == 1:
                min_block_size = max(4, self.num_blocks)  # Page: num_blocks < 4 ? 4 : num_blocks
                for j in range(0, min_block_size, 4):  # bytes above num_blocks "undefined": here 0
                    width = min(4, self.num_blocks)
                    loaded.append((i * min_block_size + j, 4, memory.read((address + j) % 2**64, width)))
                continue
            for j in range(self.num_blocks):  # Page: dst[j*exec_size+i] = *(Addresses[i] + j*block_size)
                place = (j * self.execution.size + i) * self.block_size
                block = (address + j * self.block_size) % 2**64
                loaded.append((place, self.block_size, memory.read(block, self.block_size)))
        for place, width, _ in loaded:
            state.read_bytes(self.dst, place, width)  # every enabled lane must fit (D6)
        for place, width, value in loaded:
            state.write_bytes(self.dst, place, width, value)

    def footprint(self, state: SymbolicState) -> Iterator[Load]:
        surface = state.buffer(self.surface)
        unit_bits = self.block_size.bit_length() - 1
        for lane, (enabled, predicate_known) in enumerate(state.lanes_enabled(self.execution)):
            first, known = state.read_bytes(self.addresses, 8 * lane, 8, enabled)
            aligned = eq(truncate(first, unit_bits), const(0, unit_bits)) if unit_bits else true()
            for behind, place, width in block_bytes(self.block_size, self.num_blocks, self.execution.size, lane):
                address = add(first, const(behind, FLAT_BITS))
                slot = RegisterSlice(self.dst.variable, self.dst.offset + place, width)
                fits = state.registers.holds(slot.variable, slot.start, 4)
                yield Load(
                    guard=enabled,
                    lane=lane,
                    surface=self.surface,
                    cell=(address,),
                    width=width,
                    inside=surface.contains(address, width),
                    defined=conj(aligned, predicate_known, bool_const(known and fits)),
                    destination=slot,
                )

    def undefined_bytes(self, state: SymbolicState) -> Iterator[tuple[Bool, RegisterSlice]]:
        """Page: "Ai[N] has undefined value if N>=num_blocks", for 1-byte blocks."""
        if self.block_size > 1 or self.num_blocks >= 4:
            return
        for lane, (enabled, _) in enumerate(state.lanes_enabled(self.execution)):
            start = self.dst.offset + 4 * lane + self.num_blocks
            if state.registers.holds(self.dst.variable, start, 4 - self.num_blocks):
                yield enabled, RegisterSlice(self.dst.variable, start, 4 - self.num_blocks)
