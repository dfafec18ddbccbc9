"""An instruction in an arbitrary state: what the parametric queries are about."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Protocol, cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.instructions import Instruction, OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.instructions.scatter4_scaled import PREFIXES
from visaproof.instructions.undefined_bytes import undefined_bytes_of
from visaproof.isa.answers import ChannelSets, MaskAlignment, SlmBounds
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.execution import THREAD_LANES, Combine, ExecMask
from visaproof.isa.operands import NULL, SLM, Channels, Execution, Parameter, Predicate, RawOperand, ScalarUD
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.isa.surfaces import SurfaceKind
from visaproof.queries.images import arbitrary_image, concrete_image, extents_of
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer
from visaproof.semantics.symbolic.accesses import Access, RegisterSlice
from visaproof.semantics.symbolic.names import lane_on
from visaproof.semantics.symbolic.registers import Byte, RegisterFile
from visaproof.semantics.symbolic.state import (
    ADDRESS_BITS,
    SymbolicBuffer,
    SymbolicState,
    SymbolicSurface,
    field_term,
)
from visaproof.smt import (
    Bool,
    Term,
    bit_and,
    bool_symbol,
    const,
    disj,
    eq,
    evaluate,
    neg,
    symbol,
    symbols_of,
    ule,
    zero_extend,
)

MASK = Parameter("mask", 4)
CHANNEL_SET = Parameter("channels", 4)
INVERSE = Parameter("inverse", 1)
COMBINE = Parameter("combine", 2)
PREDICATE = "P1"
SURFACE = "T6"


class Footprint(Protocol):
    """Anything with a footprint: an instruction, or a variant of one that is known to be wrong."""

    spec: ClassVar[Spec]

    def footprint(self, state: SymbolicState) -> Iterator[Access]: ...


class Subject(Struct, frozen=True, eq=False):
    """`instruction` with arbitrary operands on `platform`; `accesses` are its effects, or those of a wrong variant."""

    instruction: Instruction
    platform: Platform
    state: SymbolicState
    accesses: tuple[Access, ...]
    scope: str
    legal: tuple[Bool, ...]
    """The parameters are encodings that the page allows."""
    own_accesses: tuple[Access, ...]
    """The effects of the instruction itself."""
    variant: str = ""
    """The name of the wrong variant, or of the other reading, whose accesses these are; empty for the instruction."""
    readings: Readings = DEFAULT
    """How `accesses` reads the pages; `own_accesses` has the defaults."""
    leaves_undefined: tuple[tuple[Bool, RegisterSlice], ...] = ()
    """Destination bytes without a value after the instruction, and when; as `readings` has it."""

    def __repr__(self) -> str:
        return f"<Subject {self.instruction.spec.name}[{self.scope}]{f' {self.variant}' if self.variant else ''}>"

    @property
    def surface(self) -> str:
        """The name of the instruction's surface, the only one of the state."""
        (name,) = self.state.surfaces
        return name

    def same_effects(self, other: "Subject") -> bool:
        """Whether both subjects do the same in every state, seen without asking: their terms are the same."""
        scatters = self.instruction.spec.collision_undefined
        return (
            self.accesses == other.accesses
            and self.leaves_undefined == other.leaves_undefined
            and self.legal == other.legal
            and (not scatters or self.readings.collision is other.readings.collision)
        )

    def with_variant(self, name: str, accesses: tuple[Access, ...]) -> "Subject":
        """The same question about other accesses."""
        return replace(self, accesses=accesses, variant=name)

    def bind(self, values: Mapping[Term, int]) -> tuple[Instruction, ConcreteState]:
        """The instruction and the state that these values of the symbols stand for, with empty memory and the default
        readings."""
        return bind_instruction(self.instruction, values), self._concrete_state(values)

    def painted(self) -> dict[Term, int]:
        """Values that make every effect visible: a large surface, and registers that all differ from zero."""
        paint: dict[Term, int] = {}
        for variable, size in self.state.registers.sizes.items():
            for dword in range(size // 4):
                paint[self.state.registers.read(variable, 4 * dword, 4)] = 64 * (dword + 1)
        for surface in self.state.surfaces.values():
            paint |= {extent: 1 << (extent.width - 1) for extent in symbols_of(*extents_of(surface))}
        return paint

    def _concrete_state(self, values: Mapping[Term, int]) -> ConcreteState:
        state = ConcreteState(self.platform, exec_mask=_lanes(self.state.exec_mask, values))
        for variable, size in self.state.registers.sizes.items():
            dwords = (evaluate(self.state.registers.read(variable, start, 4), values) for start in range(0, size, 4))
            state.registers[variable] = bytearray(b"".join(dword.to_bytes(4, "little") for dword in dwords))
        for name, bits in self.state.predicates.items():
            state.predicates[name] = PredicateBits(len(bits), _lanes(bits, values))
        for name, surface in self.state.surfaces.items():
            if isinstance(surface, SymbolicBuffer):
                state.surfaces[name] = Buffer(evaluate(surface.size, values))
            else:
                state.surfaces[name] = concrete_image(surface, values)
        return state


def _lanes(bits: tuple[Bool, ...], values: Mapping[Term, int]) -> int:
    return sum(evaluate(lane, values) << index for index, lane in enumerate(bits))


def bind_instruction(instruction: Instruction, values: Mapping[Term, int]) -> Instruction:
    """The instruction with a number for each of its parameters."""

    def number(parameter: Parameter) -> int:
        return evaluate(field_term(parameter, parameter.width), values)

    changes: dict[str, Any] = {}
    execution = getattr(instruction, "execution", None)
    if isinstance(execution, Execution):
        mask, predicate = execution.mask, execution.predicate
        if isinstance(mask, Parameter):
            mask = ExecMask(number(mask))
        if predicate is not None and isinstance(predicate.inverse, Parameter):
            predicate = replace(predicate, inverse=bool(number(predicate.inverse)))
        if predicate is not None and isinstance(predicate.combine, Parameter):
            predicate = replace(predicate, combine=Combine(number(predicate.combine)))
        changes["execution"] = Execution(execution.size, mask, predicate)
    channels = getattr(instruction, "channels", None)
    if isinstance(channels, Parameter):
        changes["channels"] = Channels(number(channels))
    return replace(cast(Any, instruction), **changes)


# ---------------------------------------------------------------- arbitrary states


class ClaimBit(Struct, frozen=True):
    """A bit of the predicate of an instruction in a claim."""

    lane: int

    def __str__(self) -> str:
        return f"{PREDICATE}.{self.lane}"


def arbitrary_state(
    platform: Platform,
    sizes: Mapping[str, int],
    surface: SymbolicSurface,
    predicated: bool,
    surface_name: str = SURFACE,
) -> SymbolicState:
    """A state in which every register byte, mask bit and predicate bit is arbitrary."""

    def initial(variable: str, position: int) -> Byte:
        return symbol(f"{variable}.{position // 4}", 32), position % 4

    predicates = {PREDICATE: tuple(bool_symbol(ClaimBit(lane)) for lane in range(THREAD_LANES))} if predicated else {}
    enabled = tuple(map(lane_on, range(THREAD_LANES)))
    return SymbolicState(platform, enabled, RegisterFile(sizes, initial), predicates, {surface_name: surface})


def arbitrary_buffer() -> SymbolicBuffer:
    """A buffer of any size below 2^33 bytes: more than any 32-bit offset reaches."""
    return SymbolicBuffer(zero_extend(symbol("size", 33), ADDRESS_BITS))


def any_execution(size: int, predicated: bool) -> Execution:
    """So many lanes under any mask, and any bits of a predicate, combined and inverted in any way."""
    return Execution(size, MASK, Predicate(PREDICATE, INVERSE, COMBINE) if predicated else None)


def legal_fields(size: int, predicated: bool, readings: Readings) -> tuple[Bool, ...]:
    """The lane offset fits the size (D1), and the predicate's combine code is not the reserved one."""
    code = field_term(MASK, 4)
    if readings.mask_alignment is MaskAlignment.ALIGNED:
        aligned = eq(bit_and(code, const(max(size // 4, 1) - 1, 4)), const(0, 4))
    else:
        aligned = ule(bit_and(code, const(7, 4)), const((THREAD_LANES - size) // 4, 4))
    return (aligned, neg(eq(field_term(COMBINE, 2), const(3, 2)))) if predicated else (aligned,)


def subject_of(
    instruction: Instruction,
    platform: Platform,
    state: SymbolicState,
    scope: str,
    legal: tuple[Bool, ...],
    readings: Readings,
) -> Subject:
    """The instruction in this state, with its effects.  Raises IllegalInstruction where the platform has it not."""
    instruction.validate(platform, readings)
    own = accesses = tuple(instruction.footprint(state))
    variant = ""
    if readings != DEFAULT:
        state = replace(state, readings=readings)
        accesses = tuple(instruction.footprint(state))
        variant = f"reading {', '.join(readings.chosen_otherwise())}"
    leaves_undefined = tuple(undefined_bytes_of(instruction, state))
    return Subject(instruction, platform, state, accesses, scope, legal, own, variant, readings, leaves_undefined)


def _surface_name(readings: Readings) -> str:
    """The name does not matter, so the subject is SLM where what it holds for SLM differs (D12)."""
    return SURFACE if readings.slm_bounds is SlmBounds.AS_ELSEWHERE else SLM


def scope_of(*parts: str) -> str:
    """The parts that are not empty, for the name of a question."""
    return ", ".join(part for part in parts if part)


def _legal_channels(readings: Readings) -> Bool:
    """At least one channel, and a prefix of RGBA if only those are legal (D15)."""
    channels = field_term(CHANNEL_SET, 4)
    if readings.channel_sets is ChannelSets.ANY:
        return neg(eq(channels, const(0, 4)))
    return disj(*(eq(channels, const(prefix, 4)) for prefix in PREFIXES))


def scatter4_scaled(size: int, platform: Platform, predicated: bool, readings: Readings = DEFAULT) -> Subject:
    """SCATTER4_SCALED with any mask, channel set, offsets, data and surface size."""
    grf = platform.grf_bytes
    slot_bytes = 4 * max(size, grf // 4)
    sizes = {"VG": 4, "VO": 4 * size, "VS": 4 * slot_bytes}
    surface = _surface_name(readings)
    state = arbitrary_state(platform, sizes, arbitrary_buffer(), predicated, surface)
    instruction = Scatter4Scaled(
        any_execution(size, predicated), CHANNEL_SET, surface, ScalarUD("VG"), RawOperand("VO"), RawOperand("VS")
    )
    legal = (*legal_fields(size, predicated, readings), _legal_channels(readings))
    scope = scope_of(f"SIMD{size}", f"GRF {grf}", "predicated" if predicated else "")
    return subject_of(instruction, platform, state, scope, legal, readings)


def oword_ld(owords: int, platform: Platform, readings: Readings = DEFAULT) -> Subject:
    """OWORD_LD of this many owords with any offset and surface size."""
    sizes = {"VG": 4, "VD": 16 * owords + 16}  # one oword more than is loaded: the rest of the register (D21)
    surface = SLM if owords == 16 else _surface_name(readings)  # D16
    state = arbitrary_state(platform, sizes, arbitrary_buffer(), False, surface)
    instruction = OwordLd(owords, surface, ScalarUD("VG"), RawOperand("VD"))
    return subject_of(instruction, platform, state, f"{owords} oword{'s' * (owords > 1)}", (), readings)


def qw_scatter(
    size: int, platform: Platform, predicated: bool, readings: Readings = DEFAULT, blocks: int = 1
) -> Subject:
    """QW_SCATTER with any mask, offsets, data and surface size; of several blocks (D22), src has room for all (D24)."""
    surface = _surface_name(readings)
    between = max(size, platform.grf_bytes // 4) if blocks > 1 else size
    sizes = {"VO": 4 * size, "VQ": 8 * between * blocks}
    state = arbitrary_state(platform, sizes, arbitrary_buffer(), predicated, surface)
    instruction = QwScatter(any_execution(size, predicated), surface, RawOperand("VO"), RawOperand("VQ"), blocks)
    scope = scope_of(f"SIMD{size}", f"{blocks} blocks" if blocks > 1 else "", "predicated" if predicated else "")
    return subject_of(instruction, platform, state, scope, legal_fields(size, predicated, readings), readings)


def typed_atomic(
    op: AtomicOp,
    kind: SurfaceKind,
    platform: Platform,
    predicated: bool,
    texel_bits: int = 32,
    levels: int = 0,
    readings: Readings = DEFAULT,
) -> Subject:
    """TYPED_ATOMIC of this operation with any mask, coordinates, operands and extents.

    With `levels` it has a LOD operand with any values, and the surface that many levels; without, a null one.
    """
    u, v, r = (*(RawOperand(name) for name in ("VU", "VV", "VR")[: len(kind.axes)]), NULL, NULL)[:3]
    src0, src1 = (*(RawOperand(name) for name in ("VS0", "VS1")[: op.sources]), NULL, NULL)[:2]
    lod = RawOperand("VL") if levels else NULL
    sizes = {operand.variable: 32 for operand in (u, v, r, lod, src0, src1) if operand != NULL} | {"VD": 32}
    state = arbitrary_state(platform, sizes, arbitrary_image(kind, max(1, levels)), predicated)
    dst = RawOperand("VD")
    instruction = TypedAtomic(
        any_execution(8, predicated), op, SURFACE, u, v, r, lod, src0, src1, dst, texel_bits=texel_bits
    )
    instruction.validate_on(kind)
    half, detail = "16 bits" if texel_bits == 16 else "", f"{levels} levels" if levels else ""
    scope = scope_of(op.name.lower(), kind.spelling, detail, half, "predicated" if predicated else "")
    return subject_of(instruction, platform, state, scope, legal_fields(8, predicated, readings), readings)
