"""Variants of TYPED_ATOMIC that are known to be wrong."""

from collections.abc import Callable
from typing import cast

from msgspec.structs import replace

from visaproof.instructions import TypedAtomic
from visaproof.isa.answers import FloatDenormals, FloatNan, FloatZeros
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.readings import Readings
from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.accesses import Access, Atomic
from visaproof.smt import (
    conj,
    const,
    eq,
    extract,
    ite_bool,
    lshr,
    sub,
    substitute,
    true,
)

from .changes import changed, moved


def one_past_the_end(subject: Subject) -> Subject:
    """A texel is inside where u equals the width."""

    def shifted(access: Access) -> Access:
        u, *rest = access.cell
        return replace(access, inside=substitute(access.inside, {u: sub(u, const(1, 32))}), cell=(u, *rest))

    return changed(subject, "one-past-the-end", shifted)


def _atomics(subject: Subject, name: str, change: Callable[[Atomic], Atomic]) -> Subject:
    return subject.with_variant(name, tuple(change(cast(Atomic, access)) for access in subject.accesses))


def sources_swapped(subject: Subject) -> Subject:
    """cmpxchg in the order of the hardware message: src0 the comparand."""
    return _atomics(subject, "sources-swapped", lambda atomic: replace(atomic, src0=atomic.src1, src1=atomic.src0))


def returns_old(subject: Subject) -> Subject:
    return _atomics(subject, "returns-old", lambda atomic: replace(atomic, returns_new=False))


def returns_new(subject: Subject) -> Subject:
    return _atomics(subject, "returns-new", lambda atomic: replace(atomic, returns_new=True))


def other_operation(op: AtomicOp) -> Callable[[Subject], Subject]:
    """The instruction carries out `op` instead of its own operation."""

    def changed(subject: Subject) -> Subject:
        return _atomics(subject, f"does-{op.name.lower()}", lambda atomic: replace(atomic, op=op))

    return changed


def other_readings(readings: Readings, name: str) -> Callable[[Subject], Subject]:
    """The operation by readings that are not the subject's."""

    def changed(subject: Subject) -> Subject:
        return _atomics(subject, name, lambda atomic: replace(atomic, readings=readings))

    return changed


nan_propagates = other_readings(Readings(float_nan=FloatNan.PROPAGATES), "nan-propagates")
zeros_ordered = other_readings(Readings(float_zeros=FloatZeros.ORDERED), "zeros-ordered")
denormals_flushed = other_readings(Readings(float_denormals=FloatDenormals.FLUSHED), "denormals-flushed")


def result_in_upper_half(subject: Subject) -> Subject:
    """A 16-bit result lands in bits 31..16 of its slot."""

    def moved(atomic: Atomic) -> Atomic:
        assert atomic.destination is not None
        return replace(atomic, destination=replace(atomic.destination, start=atomic.destination.start + 2))

    return _atomics(subject, "result-in-upper-half", moved)


def source_in_upper_half(subject: Subject) -> Subject:
    """A 16-bit atomic takes the upper half of each source."""
    instruction = cast(TypedAtomic, subject.instruction)

    def upper(atomic: Atomic) -> Atomic:
        assert atomic.lane is not None
        source, _ = subject.state.read_dword(instruction.src0, atomic.lane)
        return replace(atomic, src0=extract(source, 31, 16))

    return _atomics(subject, "source-in-upper-half", upper)


def coordinates_swapped(subject: Subject) -> Subject:
    cells = [(access.cell[1], access.cell[0], *access.cell[2:]) for access in subject.accesses]
    return moved(subject, "coordinates-swapped", cells)


def v_and_r_swapped(subject: Subject) -> Subject:
    cells = [(u, r, v, lod) for u, v, r, lod in (access.cell for access in subject.accesses)]
    return moved(subject, "v-and-r-swapped", cells)


def lod_ignored(subject: Subject) -> Subject:
    """Every texel is looked for at level 0."""
    cells = [(*access.cell[:3], const(0, 32)) for access in subject.accesses]
    return moved(subject, "lod-ignored", cells)


def slice_below_height(subject: Subject) -> Subject:
    """The array index of a 2D array is held against the height of level 0 instead of the size of the array."""
    image = subject.state.image(subject.surface)
    wrong = replace(image, layers=image.levels[0][1])
    return changed(subject, "slice-below-height", lambda access: replace(access, inside=wrong.contains(*access.cell)))


def array_shrinks(subject: Subject) -> Subject:
    """At level 1 an array has half of its layers, as it has half of its pixels."""
    image = subject.state.image(subject.surface)
    halved = replace(image, layers=lshr(image.layers, const(1, 32)))

    def narrowed(access: Access) -> Access:
        at_level_1 = eq(access.cell[3], const(1, 32))
        return replace(access, inside=ite_bool(at_level_1, halved.contains(*access.cell), access.inside))

    return changed(subject, "array-shrinks", narrowed)


def disabled_lane_returns_zero(subject: Subject) -> Subject:
    """A disabled lane's slot of dst is written, as if its texel lay outside."""
    return _atomics(
        subject,
        "disabled-lane-returns-zero",
        lambda atomic: replace(atomic, guard=true(), inside=conj(atomic.guard, atomic.inside)),
    )
