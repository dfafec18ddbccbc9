"""SVM_BLOCK_LD (0x4E/01): block read of contiguous owords from a 64-bit address.  Page: SVM_BLOCK_LD.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require
from visaproof.instructions.oword_ld import OWORD_BYTES
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import FLAT_BITS, SymbolicState
from visaproof.smt import add, bool_const, conj, const, eq, true, truncate


class SvmBlockLd(Struct, frozen=True):
    """`svm_block_ld[.unaligned] (SIZE) address dst`; always NoMask, never predicated."""

    spec: ClassVar[Spec] = Spec(
        opcode=0x4E,
        mnemonic="SVM_BLOCK_LD",
        page="SVM_BLOCK_LD.md",
        readings=("short-variable", "flat-bounds", "flat-address-wraps", "dword-misaligned", "oword-rest"),
    )

    size: int
    """1, 2, 4 or 8 owords."""
    address: RawOperand
    """One UQ byte address."""
    dst: RawOperand
    unaligned: bool = False
    surface: str = FLAT

    def __str__(self) -> str:
        suffix = ".unaligned" if self.unaligned else ""
        return f"svm_block_ld{suffix} ({self.size}) {self.address} {self.dst}"

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require(self.size in (1, 2, 4, 8), f"{self.size} owords is not one of 1, 2, 4, 8", self.spec.page)

    def execute(self, state: ConcreteState) -> None:
        memory = state.buffer(self.surface)
        address = state.read_bytes(self.address, 0, 8)
        state.require_aligned(address, 4 if self.unaligned else OWORD_BYTES)  # Page: bit 3 of Properties
        loaded: list[int] = []
        for i in range(self.size):  # Page: dst[i] = *(address+i*16)
            loaded += [memory.read_dword((address + i * OWORD_BYTES + byte) % 2**64) for byte in (0, 4, 8, 12)]
        state.read_dword(self.dst, len(loaded) - 1)  # the whole block must fit (D6)
        for index, value in enumerate(loaded):
            state.write_dword(self.dst, index, value)

    def footprint(self, state: SymbolicState) -> Iterator[Load]:
        surface = state.buffer(self.surface)
        first, known = state.read_bytes(self.address, 0, 8)
        bits = 2 if self.unaligned else 4
        aligned = eq(truncate(first, bits), const(0, bits))
        fits = state.registers.holds(self.dst.variable, self.dst.offset, 16 * self.size)
        for byte in range(0, 16 * self.size, 4):
            address = add(first, const(byte, FLAT_BITS))
            yield Load(
                guard=true(),
                lane=None,
                surface=self.surface,
                cell=(address,),
                width=4,
                inside=surface.contains(address, 4),
                defined=conj(aligned, bool_const(fits and known)),
                destination=RegisterSlice(self.dst.variable, self.dst.offset + byte, 4),
            )
