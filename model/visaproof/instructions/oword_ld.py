"""OWORD_LD (0x35): block read of contiguous owords.  Page: OWORD_LD.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require
from visaproof.instructions.undefined_bytes import ARBITRARY_BYTE, ArbitrarySlice
from visaproof.isa.answers import OwordAddress, OwordBounds, OwordRest
from visaproof.isa.fields import Bits, Code, Field, Width
from visaproof.isa.operands import SLM, RawOperand, Scalar
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicState
from visaproof.smt import Bool, add, bool_const, conj, const, scale, true, zero_extend

OWORD_BYTES = 16
_SIZES = Bits(
    2,
    0,
    "owords",
    (
        Code(0, "1 oword"),
        Code(1, "2 owords"),
        Code(2, "4 owords"),
        Code(3, "8 owords"),
        Code(4, "16 owords", Platform.XeHP_SDV, "surface T0"),
    ),
)


class OwordLd(Struct, frozen=True):
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
        text="oword_ld (OWORDS) SURFACE OFFSET DST",
        out_of_bounds="a read outside gives zeros",
        fields=(
            Field("Size", Width.UB, "how many owords (16 bytes each) are read", (_SIZES,)),
            Field("Is_modified", Width.UB, "ignored", source="D17"),
            Field("Surface", Width.UB, "index of the surface variable, a buffer; T0 from ICLLP on", source="D45"),
            Field("Offset", Width.SCALAR, "where the block begins, in owords", types=(DataType.UD,), source="D18"),
            Field("Dst", Width.RAW, "where the block goes, whatever the type"),
        ),
        examples=(
            "oword_ld (2) T6 0x1:ud V1.0",
            "oword_ld (8) T6 V2(0,0)<0;1,0> V1.0",
            "oword_ld (16) %slm 0x0:ud V1.0",
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

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        page = self.spec.page
        require(self.size in (1, 2, 4, 8, 16), f"{self.size} owords is not one of 1, 2, 4, 8, 16", page)
        if self.size == 16:
            allowed = platform >= Platform.XeHP_SDV and self.surface == SLM
            require(allowed, "16 owords need XeHP_SDV or later and surface T0", f"{page}, D16")
        if self.surface == SLM:
            require(platform >= Platform.ICLLP, "T0 (SLM) is allowed from ICLLP on", f"{page}, D45")

    def execute(self, state: ConcreteState) -> None:
        surface = state.buffer(self.surface)
        first = state.scalar(self.offset) * OWORD_BYTES  # read before dst is written (D36)
        if state.readings.oword_address_wraps is OwordAddress.WRAPS:
            first %= 2**32
        loaded: list[int] = []
        for i in range(self.size):
            oword = first + i * OWORD_BYTES  # Page: dst[i] = surface[offset+i], 16 byte, oword-aligned
            state.require_inside(self.surface, oword, OWORD_BYTES)
            for dword in range(4):
                read = self._reads(surface.size, first, i, state)
                loaded.append(self._dword(surface, oword + 4 * dword, state) if read else 0)
        state.require_block(self.dst, len(loaded))
        for index, value in enumerate(loaded):
            state.write_dword(self.dst, index, value)
        if state.readings.oword_rest is OwordRest.UNDEFINED:
            register = state.registers[self.dst.variable]
            end = self.dst.offset + OWORD_BYTES * self.size
            boundary = min(len(register), -(-end // state.platform.grf_bytes) * state.platform.grf_bytes)
            register[end:boundary] = bytes([ARBITRARY_BYTE]) * (boundary - end)

    def _dword(self, surface: Buffer, address: int, state: ConcreteState) -> int:
        """The dword at an address; zero outside, which a part of it may be or not (D19)."""
        if state.readings.oword_bounds_grain is OwordBounds.PER_ELEMENT and address < surface.size:
            return sum(surface.contents.get(address + k, 0) << 8 * k for k in range(4))
        return surface.read_dword(address)

    def _reads(self, size: int, first: int, i: int, state: ConcreteState) -> bool:
        """Whether oword i is read at all, where dwords are not zeroed each on its own (D19)."""
        match state.readings.oword_bounds_grain:
            case OwordBounds.PER_DWORD | OwordBounds.PER_ELEMENT:
                return True
            case OwordBounds.PER_OWORD:
                return first + (i + 1) * OWORD_BYTES <= size
            case OwordBounds.WHOLE_BLOCK:
                return first + self.size * OWORD_BYTES <= size

    def footprint(self, state: SymbolicState) -> Iterator[Load]:
        surface = state.buffer(self.surface)
        first_oword, offset_known = state.scalar(self.offset)
        block = scale(zero_extend(first_oword, ADDRESS_BITS), 16)
        if state.readings.oword_address_wraps is OwordAddress.WRAPS:
            block = zero_extend(scale(first_oword, 16), ADDRESS_BITS)
        fits = state.holds_block(self.dst, 4 * self.size)
        for byte in range(0, 16 * self.size, 4):
            address = add(block, const(byte, ADDRESS_BITS))
            match state.readings.oword_bounds_grain:
                case OwordBounds.PER_DWORD:
                    inside = surface.contains(address, 4)
                case OwordBounds.PER_ELEMENT:
                    inside = surface.contains(address, 1)
                case OwordBounds.PER_OWORD:
                    inside = surface.contains(add(block, const(byte - byte % 16, ADDRESS_BITS)), 16)
                case OwordBounds.WHOLE_BLOCK:
                    inside = surface.contains(block, 16 * self.size)
            yield Load(
                guard=true(),
                lane=None,
                surface=self.surface,
                cell=(address,),
                width=4,
                inside=inside,
                defined=conj(bool_const(fits and offset_known), state.has_meaning(self.surface, address, 4)),
                destination=RegisterSlice(self.dst.variable, self.dst.offset + byte, 4),
            )

    def undefined_bytes(self, state: SymbolicState) -> Iterator[tuple[Bool, RegisterSlice]]:
        """The rest of the register behind the block, if it is not preserved (D21)."""
        if state.readings.oword_rest is OwordRest.PRESERVED:
            return
        grf, start = state.platform.grf_bytes, self.dst.offset + 16 * self.size
        rest = min(-start % grf, state.registers.sizes[self.dst.variable] - start)
        if rest > 0:
            yield true(), ArbitrarySlice(self.dst.variable, start, rest)
