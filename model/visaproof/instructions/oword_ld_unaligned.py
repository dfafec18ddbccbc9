"""OWORD_LD_UNALIGNED (0x3C): block read of owords from a dword-aligned address.  Page: OWORD_LD_UNALIGNED.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require
from visaproof.instructions.oword_ld import OWORD_BYTES, SLM
from visaproof.isa.operands import RawOperand, Scalar
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicState
from visaproof.smt import add, bool_const, conj, const, eq, true, truncate, zero_extend


class OwordLdUnaligned(Struct, frozen=True):
    """`oword_ld_unaligned (size) surface offset dst`; always NoMask, never predicated."""

    spec: ClassVar[Spec] = Spec(
        opcode=0x3C,
        mnemonic="OWORD_LD_UNALIGNED",
        page="OWORD_LD_UNALIGNED.md",
        readings=("short-variable", "slm-bounds", "oword-bounds-grain", "oword-address-wraps", "oword-rest"),
    )

    size: int
    """1, 2, 4 or 8 owords."""
    surface: str
    offset: Scalar
    """In bytes, a multiple of 4."""
    dst: RawOperand

    def __str__(self) -> str:
        return f"oword_ld_unaligned ({self.size}) {self.surface} {self.offset} {self.dst}"

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        page = self.spec.page
        require(self.size in (1, 2, 4, 8), f"{self.size} owords is not one of 1, 2, 4, 8", page)
        if self.surface == SLM:
            require(platform >= Platform.ICLLP, "T0 (SLM) is allowed from ICLLP on", page)

    def execute(self, state: ConcreteState) -> None:
        offset = state.scalar(self.offset)
        state.require_aligned(offset, 4)  # Page: "the offset is dword-aligned"; else undefined, as D13
        surface = state.buffer(self.surface)
        loaded = [surface.read_dword(offset + byte) for byte in range(0, OWORD_BYTES * self.size, 4)]  # D19
        state.read_dword(self.dst, len(loaded) - 1)  # the whole block must fit (D6)
        for index, value in enumerate(loaded):
            state.write_dword(self.dst, index, value)

    def footprint(self, state: SymbolicState) -> Iterator[Load]:
        surface = state.buffer(self.surface)
        offset_bytes, offset_known = state.scalar(self.offset)
        fits = state.registers.holds(self.dst.variable, self.dst.offset, OWORD_BYTES * self.size)
        aligned = eq(truncate(offset_bytes, 2), const(0, 2))
        for byte in range(0, OWORD_BYTES * self.size, 4):
            address = add(zero_extend(offset_bytes, ADDRESS_BITS), const(byte, ADDRESS_BITS))
            yield Load(
                guard=true(),
                lane=None,
                surface=self.surface,
                cell=(address,),
                width=4,
                inside=surface.contains(address, 4),
                defined=conj(aligned, bool_const(fits and offset_known)),
                destination=RegisterSlice(self.dst.variable, self.dst.offset + byte, 4),
            )
