"""SVM_BLOCK_ST (0x4E/02): block write of contiguous owords to a 64-bit address.  Page: SVM_BLOCK_ST.md."""

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
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.state import FLAT_BITS, SymbolicState
from visaproof.smt import add, bool_const, conj, const, eq, true, truncate


class SvmBlockSt(Struct, frozen=True):
    """`svm_block_st[.unaligned] (SIZE) address src`; always NoMask, never predicated, one writer."""

    spec: ClassVar[Spec] = Spec(
        opcode=0x4E,
        mnemonic="SVM_BLOCK_ST",
        page="SVM_BLOCK_ST.md",
        readings=("short-variable", "flat-bounds", "flat-address-wraps", "dword-misaligned"),
    )

    size: int
    """1, 2, 4 or 8 owords."""
    address: RawOperand
    """One UQ byte address."""
    src: RawOperand
    unaligned: bool = False
    surface: str = FLAT

    def __str__(self) -> str:
        suffix = ".unaligned" if self.unaligned else ""
        return f"svm_block_st{suffix} ({self.size}) {self.address} {self.src}"

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require(self.size in (1, 2, 4, 8), f"{self.size} owords is not one of 1, 2, 4, 8", self.spec.page)

    def execute(self, state: ConcreteState) -> None:
        address = state.read_bytes(self.address, 0, 8)
        # Page: "The address must be oword-aligned"; .unaligned is the word of the compiler of 2026, as for loads.
        state.require_aligned(address, 4 if self.unaligned else OWORD_BYTES)
        values = [state.read_dword(self.src, index) for index in range(4 * self.size)]
        for index, value in enumerate(values):
            state.buffer(self.surface).write_dword((address + 4 * index) % 2**64, value)

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        surface = state.buffer(self.surface)
        first, known = state.read_bytes(self.address, 0, 8)
        bits = 2 if self.unaligned else 4
        aligned = eq(truncate(first, bits), const(0, bits))
        words = [state.read_dword(self.src, index) for index in range(4 * self.size)]
        known = known and all(held for _, held in words)
        for index, (value, _) in enumerate(words):
            address = add(first, const(4 * index, FLAT_BITS))
            yield Store(
                guard=true(),
                lane=None,
                surface=self.surface,
                cell=(address,),
                width=4,
                inside=surface.contains(address, 4),
                defined=conj(aligned, bool_const(known)),
                value=value,
            )
