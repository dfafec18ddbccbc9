"""TYPED_ATOMIC (0x73): one atomic read-modify-write of a texel per lane.  Page: TYPED_ATOMIC.md."""

from collections.abc import Callable, Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require, require_execution
from visaproof.instructions.undefined_bytes import ARBITRARY_BYTE, ArbitrarySlice
from visaproof.isa.answers import DisabledLanes, FloatAtomics, HalfResultRest, LodRange, TypedBounds
from visaproof.isa.atomics import FLOAT_OPS, PAGE_OPS, AtomicOp, carried_out
from visaproof.isa.errors import UndefinedBehavior
from visaproof.isa.fields import PRED, Bits, Code, Field, Width, execution_field
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.isa.surfaces import SurfaceKind
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.float_atomics import float_new_value
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import TexelWrite
from visaproof.semantics.symbolic.accesses import Atomic, RegisterSlice
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import BitVec, Bool, bool_const, conj, const, ite, neg, true, truncate, ult

_ARBITRARY_DWORD = 0x0101_0101 * ARBITRARY_BYTE

_DATA = (DataType.UD, DataType.D)
"""UD; D for imin and imax (D29)."""
NOT_TYPED = ("%slm", "%scratch")
"""T0 and T5, which have no texels (D27)."""


class TypedAtomic(Struct, frozen=True):
    """`[(P)] typed_atomic.OP (MASK, SIZE) surface u v r lod src0 src1 dst`; absent operands are null."""

    spec: ClassVar[Spec] = Spec(
        opcode=0x73,
        mnemonic="TYPED_ATOMIC",
        page="TYPED_ATOMIC.md",
        exec_sizes=(8,),
        readings=(
            "mask-alignment", "short-predicate", "any-all-window", "short-variable", "disabled-lanes", "atomic-order",
            "typed-bounds", "lod-range", "half-texel", "half-sources", "half-result-rest", "small-sizes",
        ),
        text="[(P)] typed_atomic.OP[.16] (MASK, SIZE) SURFACE U V R LOD SRC0 SRC1 DST",
        out_of_bounds="a read outside gives zero, a write outside is dropped",
        fields=(
            Field("Op", Width.UB, "the operation", (
                Bits(4, 0, "operation", tuple(Code(op.code, op.name.lower()) for op in PAGE_OPS)),
                Bits(5, 5, "16-bit texels", since=Platform.TGLLP)), source="D28, D29, D44, D50"),
            execution_field(8),
            PRED,
            Field("Surface", Width.UB, "index of the surface variable; T0 and T5 have no texels", source="D27"),
            Field("U", Width.RAW, "X for each lane", types=(DataType.UD,)),
            Field("V", Width.RAW, "Y, or the index in a 1D array", types=(DataType.UD,), null="for 1D"),
            Field("R", Width.RAW, "Z, or the index in a 2D array", types=(DataType.UD,), null="for 1D, 1D_array, 2D"),
            Field("LOD", Width.RAW, "level of detail", types=(DataType.UD,), null="for level 0", source="D32"),
            Field("Src0", Width.RAW, "first source: the new value of cmpxchg, the comparand of fcmpwr", types=_DATA,
                  null="must be for inc, dec, predec", source="D28, D38, D39, D49"),
            Field("Src1", Width.RAW, "second source: the comparand of cmpxchg, the new value of fcmpwr", types=_DATA,
                  null="must be for all but cmpxchg and fcmpwr", source="D29, D38"),
            Field("Dst", Width.RAW, "what is returned for each lane", types=_DATA, null="where nothing is needed"),
        ),
        examples=(
            "typed_atomic.add (M1, 8) T6 V1.0 %null.0 %null.0 %null.0 V2.0 %null.0 V3.0",
            "(P1) typed_atomic.cmpxchg (M1, 8) T6 V1.0 V4.0 %null.0 %null.0 V2.0 V5.0 V3.0",
            "typed_atomic.inc.16 (M1, 8) T6 V1.0 %null.0 %null.0 %null.0 %null.0 %null.0 %null.0",
        ),
    )  # fmt: skip

    execution: Execution
    op: AtomicOp
    surface: str
    u: RawOperand
    v: RawOperand = NULL
    r: RawOperand = NULL
    lod: RawOperand = NULL
    src0: RawOperand = NULL
    src1: RawOperand = NULL
    dst: RawOperand = NULL
    texel_bits: int = 32
    """32, or 16 for `.16`: Op bit 5."""

    def __str__(self) -> str:
        operands = (self.u, self.v, self.r, self.lod, self.src0, self.src1, self.dst)
        spelling = (self.op.spelling or self.op.name.lower()) + ".16" * (self.texel_bits == 16)
        return (
            f"{self.execution.prefix}typed_atomic.{spelling} {self.execution} {self.surface} "
            f"{' '.join(str(operand) for operand in operands)}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        page, name = self.spec.page, self.op.name.lower()
        require_execution(self.execution, self.spec, readings)
        require(self.op in PAGE_OPS, f"{name} is not on the page", page)
        require(self.texel_bits in (16, 32), f"{self.texel_bits} bits: a texel has 16 or 32", page)
        if self.texel_bits == 16:
            require(platform >= Platform.TGLLP, "16-bit atomics exist from TGLLP on", f"{page}, D44")
        if readings.float_atomics is FloatAtomics.REJECT:
            require(self.op not in FLOAT_OPS, f"{name} is not an operation of typed messages", "D29")
        require(self.surface not in NOT_TYPED, f"{self.surface} has no texels", "D27")
        require(self.u != NULL, "U must not be null", page)
        require(self.r == NULL or self.v != NULL, "R needs V", page)
        require((self.src0 != NULL) == (self.op.sources >= 1), _source_rule("Src0", name, self.op.sources >= 1), page)
        require((self.src1 != NULL) == (self.op.sources == 2), _source_rule("Src1", name, self.op.sources == 2), page)

    def validate_on(self, kind: SurfaceKind) -> None:
        """What the page demands of a surface of this kind; raises IllegalInstruction.

        The variable of a surface does not say its kind, so `validate` cannot ask this.
        """
        for name, operand in (("V", self.v), ("R", self.r))[len(kind.axes) - 1 :]:
            require(operand == NULL, f"{name} must be V0 for a surface of type {kind.spelling}", self.spec.page)

    def execute(self, state: ConcreteState) -> None:
        image, modulus = state.image(self.surface), 2**self.texel_bits
        returned: list[tuple[int, int]] = []
        texels = dict(image.texels)
        for i in state.in_turn(range(self.execution.size)):  # one of the serial orders that the page allows (D30)
            if not state.channel_enabled(self.execution, i):
                continue
            u, v, r, lod, src0, src1 = (
                0 if operand == NULL else self._lane_dword(state, operand, i)
                for operand in (self.u, self.v, self.r, self.lod, self.src0, self.src1)
            )
            texel = (u, v, r, _level(lod, len(image.levels), state.readings.lod_range))
            if not image.contains(texel):
                zero = state.readings.typed_bounds is TypedBounds.ZERO
                # Page: "On read: zeros are returned. On write: data is dropped." (D31)
                returned.append((i, self._rest(state, i, 0) if zero else _ARBITRARY_DWORD))
                continue
            old = texels.get(texel, 0) % modulus
            # Page: "only the lower 16bit part of each dword is used" (D35)
            texels[texel] = new = self._new_value(old, src0 % modulus, src1 % modulus, state.readings)
            if image.changed is not None:
                image.changed.append(TexelWrite(i, texel, 0, new))
            result = new if self.op is AtomicOp.PREDEC else old  # D28
            returned.append((i, result | self._rest(state, i, result)))
        if self.dst != NULL:
            self._write_returned(state, returned)
        image.texels = texels

    def _lane_dword(self, state: ConcreteState, operand: RawOperand, lane: int) -> int:
        state.require_lanes(operand, self.execution.size - 1)
        return state.read_dword(operand, lane)

    def _write_returned(self, state: ConcreteState, returned: list[tuple[int, int]]) -> None:
        for i, _ in returned:
            self._lane_dword(state, self.dst, i)  # every enabled lane must fit (D6)
        for i, value in returned:
            state.write_dword(self.dst, i, value)
        if state.readings.disabled_lanes is DisabledLanes.UNDEFINED:
            held = (len(state.registers[self.dst.variable]) - self.dst.offset) // 4
            for i in set(range(min(self.execution.size, held))) - {lane for lane, _ in returned}:
                state.write_dword(self.dst, i, _ARBITRARY_DWORD)

    def _rest(self, state: ConcreteState, lane: int, result: int) -> int:
        """Bits 31..16 of dst after a 16-bit result (D34); where they are undefined, 0."""
        if self.texel_bits == 32 or self.dst == NULL:
            return 0
        match state.readings.half_result_rest:
            case HalfResultRest.UNDEFINED | HalfResultRest.ZERO:
                return 0
            case HalfResultRest.PRESERVED:
                return self._lane_dword(state, self.dst, lane) & 0xFFFF_0000
            case HalfResultRest.SIGN_EXTENDED:
                return 0xFFFF_0000 * (result >> 15)

    def _new_value(self, old: int, src0: int, src1: int, readings: Readings) -> int:
        op = self.operation(readings)
        if op in FLOAT_OPS:
            return float_new_value(op, old, src0, src1, self.texel_bits, readings)
        if op in (AtomicOp.IMIN, AtomicOp.IMAX):
            old, src0 = (_signed(value, self.texel_bits) for value in (old, src0))
        return _NEW_VALUE[op](old, src0, src1) % 2**self.texel_bits

    def operation(self, readings: Readings) -> AtomicOp:
        """The operation that is carried out: not the one that is named where that is read as lowered (D29)."""
        return carried_out(self.op, readings.float_atomics)

    def footprint(self, state: SymbolicState) -> Iterator[Atomic]:
        image, width, rest = state.image(self.surface), self.texel_bits // 8, state.readings.half_result_rest
        last = self.execution.size - 1
        op = self.operation(state.readings)
        extended = rest in (HalfResultRest.ZERO, HalfResultRest.SIGN_EXTENDED)
        for lane, (enabled, predicate_known) in enumerate(state.lanes_enabled(self.execution)):
            operands = (self.u, self.v, self.r, self.lod, self.src0, self.src1)
            (u, v, r, lod, src0, src1), operands_known = _lane_operands(state, operands, lane, last, enabled)
            lod, lod_known = _level_term(lod, len(image.levels), state.readings.lod_range)
            slot = self.dst.offset + 4 * lane
            destination = None if self.dst == NULL else RegisterSlice(self.dst.variable, slot, 4 if extended else width)
            fits = destination is None or state.holds_lane(self.dst, lane, last)
            yield Atomic(
                guard=enabled,
                lane=lane,
                surface=self.surface,
                cell=(u, v, r, lod),
                width=width,
                inside=image.contains(u, v, r, lod),
                defined=conj(predicate_known, bool_const(operands_known and fits), lod_known),
                op=op,
                src0=truncate(src0, self.texel_bits),
                src1=truncate(src1, self.texel_bits),
                returns_new=self.op is AtomicOp.PREDEC,
                destination=destination,
                readings=state.readings.of_floats() if op in FLOAT_OPS else DEFAULT,
                sign_extended=rest is HalfResultRest.SIGN_EXTENDED,
            )

    def undefined_bytes(self, state: SymbolicState) -> Iterator[tuple[Bool, RegisterSlice]]:
        """Bits 31..16 of each 16-bit result, of which the page has nothing (D34), and slots without a result."""
        if self.dst == NULL:
            return
        readings, image = state.readings, state.image(self.surface)
        half = self.texel_bits == 16 and readings.half_result_rest is HalfResultRest.UNDEFINED
        for lane, (enabled, _) in enumerate(state.lanes_enabled(self.execution)):
            slot = self.dst.offset + 4 * lane
            if not state.registers.holds(self.dst.variable, slot, 4):
                continue
            if half:
                yield enabled, RegisterSlice(self.dst.variable, slot + 2, 2)
            if readings.disabled_lanes is DisabledLanes.UNDEFINED:  # D7
                yield neg(enabled), ArbitrarySlice(self.dst.variable, slot, 4)
            if readings.typed_bounds is TypedBounds.UNSPECIFIED:  # D31
                (u, v, r, lod), _ = _lane_operands(state, (self.u, self.v, self.r, self.lod), lane, 0, enabled)
                lod, _ = _level_term(lod, len(image.levels), readings.lod_range)
                outside = conj(enabled, neg(image.contains(u, v, r, lod)))
                yield outside, ArbitrarySlice(self.dst.variable, slot, 4)


def _source_rule(source: str, op: str, needed: bool) -> str:
    return f"{source} must {'not be null' if needed else 'be null (V0)'} for {op}"


def _lane_operands(
    state: SymbolicState, operands: tuple[RawOperand, ...], lane: int, last: int, enabled: Bool
) -> tuple[list[BitVec], bool]:
    """One dword of each operand for this lane (0 where it is null), and whether the variables have them all."""
    read = [
        (const(0, 32), True) if operand == NULL else state.read_lane(operand, lane, last, enabled)
        for operand in operands
    ]
    return [value for value, _ in read], all(held for _, held in read)


def _level(lod: int, levels: int, beyond: LodRange) -> int:
    """The level that is addressed (D32)."""
    if lod < levels or beyond is LodRange.OUT_OF_BOUNDS:
        return lod
    if beyond is LodRange.CLAMP:
        return levels - 1
    raise UndefinedBehavior(f"level {lod} of a surface with {levels} levels")


def _level_term(lod: BitVec, levels: int, beyond: LodRange) -> tuple[BitVec, Bool]:
    """The level that is addressed, and whether that is defined (D32)."""
    exists = ult(lod, const(levels, 32))
    match beyond:
        case LodRange.OUT_OF_BOUNDS:
            return lod, true()
        case LodRange.CLAMP:
            return ite(exists, lod, const(levels - 1, 32)), true()
        case LodRange.UNDEFINED:
            return lod, exists


def _signed(value: int, bits: int) -> int:
    return value - 2**bits if value >= 2 ** (bits - 1) else value


_NEW_VALUE: dict[AtomicOp, Callable[[int, int, int], int]] = {
    AtomicOp.ADD: lambda old, src0, _: old + src0,
    AtomicOp.SUB: lambda old, src0, _: old - src0,
    AtomicOp.INC: lambda old, _, __: old + 1,
    AtomicOp.DEC: lambda old, _, __: old - 1,
    AtomicOp.PREDEC: lambda old, _, __: old - 1,
    AtomicOp.MIN: lambda old, src0, _: min(old, src0),
    AtomicOp.MAX: lambda old, src0, _: max(old, src0),
    AtomicOp.IMIN: lambda old, src0, _: min(old, src0),
    AtomicOp.IMAX: lambda old, src0, _: max(old, src0),
    AtomicOp.XCHG: lambda _, src0, __: src0,
    AtomicOp.CMPXCHG: lambda old, src0, src1: src0 if old == src1 else old,  # D38: src0 new value, src1 comparand
    AtomicOp.AND: lambda old, src0, _: old & src0,
    AtomicOp.OR: lambda old, src0, _: old | src0,
    AtomicOp.XOR: lambda old, src0, _: old ^ src0,
}
"""What each operation on integers leaves in memory, modulo 2^32 or 2^16: the table of the DWORD_ATOMIC page (D49).

imin and imax are given signed numbers.
"""
