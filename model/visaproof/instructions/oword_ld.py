"""OWORD_LD (0x35): block read of contiguous owords.  Page: OWORD_LD.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from visaproof.instructions.instruction import require
from visaproof.isa.operands import RawOperand, Scalar
from visaproof.isa.platform import Platform
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicState
from visaproof.smt import add, bool_const, const, scale, true, zero_extend

OWORD_BYTES = 16
SLM = "%slm"
"""The grammar's name of T0."""


@dataclass(frozen=True, slots=True)
class OwordLd:
    """`oword_ld (size) surface offset dst`; always NoMask, never predicated."""

    spec: ClassVar[Spec] = Spec(
        opcode=0x35,
        mnemonic="OWORD_LD",
        page="OWORD_LD.md",
        readings=(
            "short-variable",
            "slm-bounds",
            "oword-unit",
            "oword-bounds-grain",
            "oword-address-wraps",
            "oword-rest",
        ),
    )

    size: int
    """1, 2, 4 or 8 owords; 16 from XeHP_SDV on and only from T0."""
    surface: str
    offset: Scalar
    """In owords."""
    dst: RawOperand

    def __str__(self) -> str:
        return f"oword_ld ({self.size}) {self.surface} {self.offset} {self.dst}"

    def validate(self, platform: Platform) -> None:
        page = self.spec.page
        require(self.size in (1, 2, 4, 8, 16), f"{self.size} owords is not one of 1, 2, 4, 8, 16", page)
        if self.size == 16:
            allowed = platform >= Platform.XeHP_SDV and self.surface == SLM
            require(allowed, "16 owords need XeHP_SDV or later and surface T0", f"{page}, D16")
        if self.surface == SLM:
            require(platform >= Platform.ICLLP, "T0 (SLM) is allowed from ICLLP on", f"{page}, D45")

    def execute(self, state: ConcreteState) -> None:
        surface = state.buffer(self.surface)
        offset = state.scalar(self.offset)  # read before dst is written (D36)
        loaded: list[int] = []
        for i in range(self.size):
            oword = (offset + i) * OWORD_BYTES  # Page: dst[i] = surface[offset+i], 16 byte, oword-aligned
            loaded += [surface.read_dword(oword + byte) for byte in range(0, OWORD_BYTES, 4)]  # D19
        state.read_dword(self.dst, len(loaded) - 1)  # the whole block must fit (D6)
        for index, value in enumerate(loaded):
            state.write_dword(self.dst, index, value)

    def footprint(self, state: SymbolicState) -> Iterator[Load]:
        surface = state.buffer(self.surface)
        first_oword, offset_known = state.scalar(self.offset)
        block = scale(zero_extend(first_oword, ADDRESS_BITS), 16)
        fits = state.registers.holds(self.dst.variable, self.dst.offset, 16 * self.size)
        for byte in range(0, 16 * self.size, 4):
            address = add(block, const(byte, ADDRESS_BITS))
            yield Load(
                guard=true(),
                lane=None,
                surface=self.surface,
                cell=(address,),
                width=4,
                inside=surface.contains(address, 4),
                defined=bool_const(fits and offset_known),
                destination=RegisterSlice(self.dst.variable, self.dst.offset + byte, 4),
            )
