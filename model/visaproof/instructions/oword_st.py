"""OWORD_ST (0x36): block write of contiguous owords.  Page: OWORD_ST.md."""

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
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicState
from visaproof.smt import add, bool_const, const, scale, true, zero_extend


class OwordSt(Struct, frozen=True):
    """`oword_st (size) surface offset src`; always NoMask, never predicated, one writer."""

    spec: ClassVar[Spec] = Spec(
        opcode=0x36,
        mnemonic="OWORD_ST",
        page="OWORD_ST.md",
        readings=("short-variable", "slm-bounds", "oword-unit", "oword-bounds-grain", "oword-address-wraps"),
    )

    size: int
    """1, 2, 4 or 8 owords."""
    surface: str
    offset: Scalar
    """In owords."""
    src: RawOperand

    def __str__(self) -> str:
        return f"oword_st ({self.size}) {self.surface} {self.offset} {self.src}"

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        page = self.spec.page
        require(self.size in (1, 2, 4, 8), f"{self.size} owords is not one of 1, 2, 4, 8", page)
        if self.surface == SLM:
            require(platform >= Platform.ICLLP, "T0 (SLM) is allowed from ICLLP on", page)

    def execute(self, state: ConcreteState) -> None:
        offset = state.scalar(self.offset)  # Page: "in units of owords"
        values = [state.read_dword(self.src, index) for index in range(4 * self.size)]
        for index, value in enumerate(values):
            state.buffer(self.surface).write_dword(
                OWORD_BYTES * offset + 4 * index, value
            )  # each dword on its own, D19

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        surface = state.buffer(self.surface)
        first_oword, offset_known = state.scalar(self.offset)
        block = scale(zero_extend(first_oword, ADDRESS_BITS), OWORD_BYTES)
        words = [state.read_dword(self.src, index) for index in range(4 * self.size)]
        known = offset_known and all(held for _, held in words)
        for index, (value, _) in enumerate(words):
            address = add(block, const(4 * index, ADDRESS_BITS))
            yield Store(
                guard=true(),
                lane=None,
                surface=self.surface,
                cell=(address,),
                width=4,
                inside=surface.contains(address, 4),
                defined=bool_const(known),
                value=value,
            )
