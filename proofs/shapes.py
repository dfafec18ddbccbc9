"""The shapes that are enumerated; in each, masks, predicates, channels, offsets, data and sizes are arbitrary."""

from collections.abc import Callable
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.answers import FloatAtomics, QwordBlocks
from visaproof.isa.atomics import COMPARING_OPS, PAGE_OPS, AtomicOp, carried_out
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.surfaces import SurfaceKind
from visaproof.queries import subject
from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.effects import new_value
from visaproof.smt import BitVec


class Shape(Struct, frozen=True):
    """A subject by name, built when it is first asked about."""

    name: str
    build: Callable[[Readings], Subject]
    readings: Readings = DEFAULT

    def __str__(self) -> str:
        return self.name

    def __call__(self) -> Subject:
        return self.build(self.readings)

    def under(self, readings: Readings) -> "Shape | None":
        """The shape with other answers to open questions; None where they make no difference to it."""
        if self.build(readings).same_effects(self()):
            return None
        return replace(self, readings=readings)


class Operation(Struct, frozen=True):
    """An operation by itself, without an instruction around it."""

    op: AtomicOp
    readings: Readings = DEFAULT

    def __str__(self) -> str:
        return self.op.name.lower()

    def under(self, readings: Readings) -> "Operation | None":
        """The operation with other answers to D29; None where they make no difference to it."""
        if self.op not in COMPARING_OPS:
            return None
        if readings.float_atomics is FloatAtomics.REJECT:
            raise IllegalInstruction(f"{self.op.name.lower()} is not an operation of typed messages", "D29")
        return Operation(self.op, readings)

    def leaves(self, _: AtomicOp, old: BitVec, src0: BitVec, src1: BitVec) -> BitVec:
        """What it leaves in memory."""
        return new_value(carried_out(self.op, self.readings.float_atomics), old, src0, src1, self.readings)


def _shape(name: str, build: Callable[[Readings], Subject]) -> Shape:
    return Shape(name, cache(build))


def _scatter4(size: int, platform: Platform, predicated: bool) -> Shape:
    name = f"scatter4_scaled-simd{size}-grf{platform.grf_bytes}{'-predicated' * predicated}"
    return _shape(name, lambda readings: subject.scatter4_scaled(size, platform, predicated, readings))


def _qw(size: int, predicated: bool, blocks: int = 1) -> Shape:
    name = f"qw_scatter-simd{size}{f'-{blocks}-blocks' * (blocks > 1)}{'-predicated' * predicated}"

    def build(readings: Readings) -> Subject:
        allowed = replace(readings, qword_blocks=QwordBlocks.SEVERAL) if blocks > 1 else readings
        return subject.qw_scatter(size, Platform.DG2, predicated, allowed, blocks)

    return _shape(name, build)


def _oword(owords: int) -> Shape:
    return _shape(f"oword_ld-{owords}", lambda readings: subject.oword_ld(owords, Platform.DG2, readings))


def _atomic(op: AtomicOp, kind: SurfaceKind, predicated: bool = True, bits: int = 32, levels: int = 0) -> Shape:
    details = f"{f'-{levels}-levels' * (levels > 0)}{'-16-bits' * (bits == 16)}{'-predicated' * predicated}"
    name = f"typed_atomic-{op.name.lower()}-{kind.spelling.lower()}{details}"

    def build(readings: Readings) -> Subject:
        return subject.typed_atomic(op, kind, Platform.TGLLP, predicated, bits, levels, readings)

    return _shape(name, build)


OPERATIONS = tuple(Operation(op) for op in PAGE_OPS)
SCATTER4 = (
    _scatter4(8, Platform.TGLLP, True),
    _scatter4(8, Platform.PVC, True),
    _scatter4(16, Platform.TGLLP, True),
    _scatter4(16, Platform.PVC, True),
    _scatter4(16, Platform.TGLLP, False),
)
PLAIN = _scatter4(8, Platform.PVC, False)
"""The smallest scatter: eight lanes, no predicate, registers of 64 bytes.  Wrong variants are shown on it."""
PLAIN_QW = _qw(8, False)
QW = (*(_qw(size, True) for size in (1, 2, 4, 8, 16)), _qw(16, False))
BLOCKS = (_qw(4, True, 2), _qw(1, True, 4))
"""The page has one block; these are asked about as if it had several (D22)."""
OWORD = tuple(_oword(owords) for owords in (1, 2, 4, 8, 16))
ATOMIC = (_atomic(AtomicOp.CMPXCHG, SurfaceKind.LINE, False), _atomic(AtomicOp.ADD, SurfaceKind.PLANE))
"""Two shapes for what does not depend on the operation."""
EACH_ATOMIC = tuple(_atomic(op, SurfaceKind.PLANE) for op in PAGE_OPS)
"""One shape for each operation."""
HALF_ATOMIC = (
    *(_atomic(op, SurfaceKind.LINE, False, 16) for op in (AtomicOp.CMPXCHG, AtomicOp.IMIN, AtomicOp.PREDEC)),
    _atomic(AtomicOp.ADD, SurfaceKind.PLANE, True, 16),
)
"""Shapes on texels of 16 bits; what each operation does there is asked without a shape."""

LAYERS = _atomic(AtomicOp.ADD, SurfaceKind.LINE_ARRAY, False)
DEEP_ARRAY = _atomic(AtomicOp.INC, SurfaceKind.PLANE_ARRAY, False, levels=2)
DEEP = _atomic(AtomicOp.ADD, SurfaceKind.VOLUME, False, levels=2)
"""Two levels stand for one as well: one that is 0 wide has no texels."""
ARRAYS = (LAYERS, DEEP_ARRAY)
"""Only which texels exist depends on the type of surface: that is asked of these too, and the rest of DEEP alone."""

SCATTERS = (*SCATTER4, *QW, *BLOCKS)
MASKED = (*SCATTERS, *ATOMIC, DEEP)
WRITERS = (*MASKED, *ARRAYS)
READERS = (*OWORD, *EACH_ATOMIC, *HALF_ATOMIC, DEEP)
ALL = (*WRITERS, *OWORD, HALF_ATOMIC[0])
COLLIDING = (PLAIN, SCATTER4[4], QW[5])
"""Two lanes on one cell do not depend on predicate or register size: one shape for each number of lanes."""
