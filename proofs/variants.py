"""Variants of the instructions that are known to be wrong: what the refutations, and the cross-check, must catch."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, cast

from visaproof.instructions import OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.isa.answers import FloatDenormals, FloatNan, FloatZeros
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.operands import Channels, Scalar
from visaproof.isa.platform import Platform
from visaproof.isa.readings import Readings
from visaproof.queries.subject import CHANNEL_SET, Subject
from visaproof.semantics.symbolic.accesses import Access, Atomic, Cell, Load, Store
from visaproof.semantics.symbolic.state import ADDRESS_BITS, field_term
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    add,
    bit,
    conj,
    const,
    eq,
    extract,
    false,
    ite,
    ite_bool,
    lshr,
    neg,
    scale,
    sub,
    substitute,
    true,
    truncate,
    zero_extend,
)

from .shapes import ATOMIC, DEEP, DEEP_ARRAY, EACH_ATOMIC, HALF_ATOMIC, OWORD, PLAIN, PLAIN_QW, QW, SCATTER4, Shape


def _changed(subject: Subject, name: str, change: Callable[[Access], Access]) -> Subject:
    return subject.with_variant(name, tuple(change(access) for access in subject.accesses))


def _moved(subject: Subject, name: str, cells: Iterable[Cell]) -> Subject:
    """The accesses at other cells, with the bounds of where they are now."""
    moved: list[Access] = []
    for access, cell in zip(subject.accesses, cells, strict=True):
        if len(cell) == 1:
            inside = subject.state.buffer(subject.surface).contains(cell[0], access.width)
        else:
            inside = subject.state.image(subject.surface).contains(*cell)
        moved.append(replace(access, cell=cell, inside=inside))
    return subject.with_variant(name, tuple(moved))


def _scalar(subject: Subject, operand: Scalar) -> BitVec:
    return subject.state.scalar(operand)[0]


# ---------------------------------------------------------------- bounds, masks, predicates


def without_bounds(subject: Subject) -> Subject:
    return _changed(subject, "without-bounds", lambda access: replace(access, inside=true()))


def one_past_the_end(subject: Subject) -> Subject:
    """A texel is inside where u equals the width."""

    def shifted(access: Access) -> Access:
        u, *rest = access.cell
        return replace(access, inside=substitute(access.inside, {u: sub(u, const(1, 32))}), cell=(u, *rest))

    return _changed(subject, "one-past-the-end", shifted)


def without_predicate(subject: Subject) -> Subject:
    instruction = cast(Any, subject.instruction)
    unpredicated = replace(instruction, execution=replace(instruction.execution, predicate=None))
    return subject.with_variant("without-predicate", tuple(unpredicated.footprint(subject.state)))


def without_execution_mask(subject: Subject) -> Subject:
    state = replace(subject.state, exec_mask=(true(),) * THREAD_LANES)
    return subject.with_variant("without-execution-mask", tuple(subject.instruction.footprint(state)))


def nomask_obeys_the_mask(subject: Subject) -> Subject:
    """The execution mask is applied under NoMask too."""

    def masked(access: Access) -> Access:
        assert access.lane is not None
        return replace(access, guard=conj(access.guard, subject.state.exec_mask[access.lane]))

    return _changed(subject, "nomask-obeys-the-mask", masked)


def inverted_before_combining(subject: Subject) -> Subject:
    """(!P.any) read as any(!P)."""
    instruction = cast(Any, subject.instruction)
    predicate = instruction.execution.predicate
    flipped = {
        name: tuple(_not_if(bit(field_term(predicate.inverse, 1), 0), lane) for lane in lanes)
        for name, lanes in subject.state.predicates.items()
    }
    plain = replace(instruction, execution=replace(instruction.execution, predicate=replace(predicate, inverse=False)))
    return subject.with_variant(
        "inverted-before-combining", tuple(plain.footprint(replace(subject.state, predicates=flipped)))
    )


def _not_if(condition: Bool, lane: Bool) -> Bool:
    return ite_bool(condition, neg(lane), lane)


# ---------------------------------------------------------------- SCATTER4_SCALED


def channel_position_for_number(subject: Subject) -> Subject:
    """`.A` alone writes at +0 instead of +12."""
    channels = field_term(CHANNEL_SET, 4)
    size = len(subject.accesses) // 4
    cells: list[Cell] = []
    for index, access in enumerate(subject.accesses):
        below = [zero_extend(_one_if(bit(channels, c)), ADDRESS_BITS) for c in range(index // size)]
        position = add(const(0, ADDRESS_BITS), *below)
        start = sub(access.cell[0], const(4 * (index // size), ADDRESS_BITS))
        cells.append((add(start, scale(position, 4)),))
    return _moved(subject, "channel-position-for-number", cells)


def _one_if(condition: Bool) -> BitVec:
    return ite(condition, const(1, 1), const(0, 1))


def exec_size_for_slot_stride(subject: Subject) -> Subject:
    """Slots of 8 dwords where a register holds 16."""
    narrow = replace(subject.state, platform=Platform.TGLLP)
    return subject.with_variant("exec-size-for-slot-stride", tuple(subject.instruction.footprint(narrow)))


def channel_number_for_slot(subject: Subject) -> Subject:
    """A channel takes its data from the slot of its number, not of its position."""
    every = replace(cast(Scatter4Scaled, subject.instruction), channels=Channels(15))
    data = every.footprint(subject.state)
    pairs = zip(subject.accesses, data, strict=True)
    return subject.with_variant(
        "channel-number-for-slot", tuple(replace(cast(Store, access), value=datum.value) for access, datum in pairs)
    )


def global_offset_ignored(subject: Subject) -> Subject:
    instruction = cast(Scatter4Scaled, subject.instruction)
    zero: dict[Term, Term] = {_scalar(subject, instruction.offset): const(0, 32)}
    cells = [tuple(substitute(part, zero) for part in access.cell) for access in subject.accesses]
    return _moved(subject, "global-offset-ignored", cells)


def offset_sum_does_not_wrap(subject: Subject) -> Subject:
    """Offset + element offset on 40 bits: out of bounds instead of wrapped."""
    instruction = cast(Scatter4Scaled, subject.instruction)
    base = zero_extend(_scalar(subject, instruction.offset), ADDRESS_BITS)
    size = len(subject.accesses) // 4
    cells: list[Cell] = []
    for index in range(len(subject.accesses)):
        element, _ = subject.state.read_dword(instruction.element_offset, index % size)
        channel_bytes = const(4 * (index // size), ADDRESS_BITS)
        cells.append((add(base, zero_extend(element, ADDRESS_BITS), channel_bytes),))
    return _moved(subject, "offset-sum-does-not-wrap", cells)


# ---------------------------------------------------------------- QW_SCATTER, OWORD_LD


def qword_index(subject: Subject) -> Subject:
    """The offset counted in qwords."""
    instruction = cast(QwScatter, subject.instruction)
    cells: list[Cell] = []
    for index in range(len(subject.accesses)):
        offset, _ = subject.state.read_dword(instruction.offset, index // 2)
        cells.append((add(scale(zero_extend(offset, ADDRESS_BITS), 8), const(4 * (index % 2), ADDRESS_BITS)),))
    return _moved(subject, "qword-index", cells)


def halves_swapped(subject: Subject) -> Subject:
    """Big endian: the high dword at the lower address."""
    stores = cast(tuple[Store, ...], subject.accesses)
    swapped = tuple(replace(store, value=stores[index ^ 1].value) for index, store in enumerate(stores))
    return subject.with_variant("halves-swapped", swapped)


def straddling_qword_dropped(subject: Subject) -> Subject:
    """A qword is written only if both its halves are inside."""
    accesses = subject.accesses
    whole = tuple(
        replace(access, inside=conj(access.inside, accesses[index | 1].inside)) for index, access in enumerate(accesses)
    )
    return subject.with_variant("straddling-qword-dropped", whole)


def byte_offset(subject: Subject) -> Subject:
    """OWORD_LD's offset counted in bytes."""
    instruction = cast(OwordLd, subject.instruction)
    base = zero_extend(_scalar(subject, instruction.offset), ADDRESS_BITS)
    cells: list[Cell] = [(add(base, const(4 * index, ADDRESS_BITS)),) for index in range(len(subject.accesses))]
    return _moved(subject, "byte-offset", cells)


def block_address_wraps(subject: Subject) -> Subject:
    """16·offset modulo 2^32."""
    cells: list[Cell] = [(zero_extend(truncate(access.cell[0], 32), ADDRESS_BITS),) for access in subject.accesses]
    return _moved(subject, "block-address-wraps", cells)


def next_oword(subject: Subject) -> Subject:
    cells: list[Cell] = [(add(access.cell[0], const(16, ADDRESS_BITS)),) for access in subject.accesses]
    return _moved(subject, "next-oword", cells)


def next_register(subject: Subject) -> Subject:
    """Each dword lands one dword behind its place, the last one in the first."""
    loads = cast(tuple[Load, ...], subject.accesses)
    shifted = (*loads[1:], loads[0])
    pairs = zip(loads, shifted, strict=True)
    return subject.with_variant(
        "next-register", tuple(replace(load, destination=other.destination) for load, other in pairs)
    )


def one_dword_further(subject: Subject) -> Subject:
    """The block lands behind its place, so that its last dword lies in the rest of the register."""

    def moved(access: Access) -> Access:
        load = cast(Load, access)
        return replace(load, destination=replace(load.destination, start=load.destination.start + 4))

    return _changed(subject, "one-dword-further", moved)


def stores_zeros(subject: Subject) -> Subject:
    """The block is cleared instead of loaded."""

    def cleared(access: Access) -> Access:
        a = access
        return Store(a.guard, a.lane, a.surface, a.cell, a.width, a.inside, a.defined, const(0, 32))

    return _changed(subject, "stores-zeros", cleared)


# ---------------------------------------------------------------- TYPED_ATOMIC


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
    return _moved(subject, "coordinates-swapped", cells)


def v_and_r_swapped(subject: Subject) -> Subject:
    cells = [(u, r, v, lod) for u, v, r, lod in (access.cell for access in subject.accesses)]
    return _moved(subject, "v-and-r-swapped", cells)


def lod_ignored(subject: Subject) -> Subject:
    """Every texel is looked for at level 0."""
    cells = [(*access.cell[:3], const(0, 32)) for access in subject.accesses]
    return _moved(subject, "lod-ignored", cells)


def slice_below_height(subject: Subject) -> Subject:
    """The array index of a 2D array is held against the height of level 0 instead of the size of the array."""
    image = subject.state.image(subject.surface)
    wrong = replace(image, layers=image.levels[0][1])
    return _changed(subject, "slice-below-height", lambda access: replace(access, inside=wrong.contains(*access.cell)))


def array_shrinks(subject: Subject) -> Subject:
    """At level 1 an array has half of its layers, as it has half of its pixels."""
    image = subject.state.image(subject.surface)
    halved = replace(image, layers=lshr(image.layers, const(1, 32)))

    def narrowed(access: Access) -> Access:
        at_level_1 = eq(access.cell[3], const(1, 32))
        return replace(access, inside=ite_bool(at_level_1, halved.contains(*access.cell), access.inside))

    return _changed(subject, "array-shrinks", narrowed)


def disabled_lane_returns_zero(subject: Subject) -> Subject:
    """A disabled lane's slot of dst is written, as if its texel lay outside."""
    return _atomics(
        subject,
        "disabled-lane-returns-zero",
        lambda atomic: replace(atomic, guard=true(), inside=conj(atomic.guard, atomic.inside)),
    )


# ---------------------------------------------------------------- collisions


def lanes_never_collide(subject: Subject) -> Subject:
    return _changed(subject, "lanes-never-collide", lambda access: replace(access, lane=0))


def misalignment_allowed(subject: Subject) -> Subject:
    return _changed(subject, "misalignment-allowed", lambda access: replace(access, defined=true()))


def nothing_is_defined(subject: Subject) -> Subject:
    """Every access of an enabled lane is called meaningless."""
    return _changed(subject, "nothing-is-defined", lambda access: replace(access, defined=false()))


# ---------------------------------------------------------------- all of them


@dataclass(frozen=True, slots=True)
class WrongVariant:
    """A variant and a shape on which it is wrong."""

    shape: Shape
    change: Callable[[Subject], Subject]

    def __str__(self) -> str:
        return f"{self.change.__name__}-{self.shape}"

    def __call__(self) -> Subject:
        return self.change(self.shape())


_MASKED = (SCATTER4[1], QW[3], ATOMIC[1])
_BY_OP = dict(zip(AtomicOp, EACH_ATOMIC, strict=True))

WRONG: tuple[WrongVariant, ...] = (
    *(WrongVariant(shape, without_bounds) for shape in (*_MASKED, OWORD[1])),
    *(WrongVariant(shape, without_predicate) for shape in _MASKED),
    *(WrongVariant(shape, without_execution_mask) for shape in _MASKED),
    *(WrongVariant(shape, nomask_obeys_the_mask) for shape in _MASKED),
    *(WrongVariant(shape, inverted_before_combining) for shape in _MASKED),
    WrongVariant(PLAIN, channel_position_for_number),
    WrongVariant(PLAIN, exec_size_for_slot_stride),
    WrongVariant(PLAIN, channel_number_for_slot),
    WrongVariant(PLAIN, global_offset_ignored),
    WrongVariant(PLAIN, offset_sum_does_not_wrap),
    WrongVariant(PLAIN_QW, qword_index),
    WrongVariant(PLAIN_QW, halves_swapped),
    WrongVariant(PLAIN_QW, straddling_qword_dropped),
    WrongVariant(OWORD[1], byte_offset),
    WrongVariant(OWORD[1], block_address_wraps),
    WrongVariant(OWORD[1], next_oword),
    WrongVariant(OWORD[1], next_register),
    WrongVariant(OWORD[1], one_dword_further),
    WrongVariant(OWORD[1], stores_zeros),
    WrongVariant(_BY_OP[AtomicOp.CMPXCHG], sources_swapped),
    WrongVariant(_BY_OP[AtomicOp.CMPXCHG], returns_new),
    WrongVariant(ATOMIC[1], coordinates_swapped),
    WrongVariant(ATOMIC[1], one_past_the_end),
    WrongVariant(DEEP, v_and_r_swapped),
    WrongVariant(DEEP, lod_ignored),
    WrongVariant(DEEP_ARRAY, lod_ignored),
    WrongVariant(DEEP_ARRAY, slice_below_height),
    WrongVariant(DEEP_ARRAY, array_shrinks),
    WrongVariant(ATOMIC[1], disabled_lane_returns_zero),
    WrongVariant(HALF_ATOMIC[3], source_in_upper_half),
    WrongVariant(HALF_ATOMIC[0], result_in_upper_half),
    WrongVariant(_BY_OP[AtomicOp.PREDEC], returns_old),
    WrongVariant(_BY_OP[AtomicOp.MIN], other_operation(AtomicOp.IMIN)),
    WrongVariant(_BY_OP[AtomicOp.IMAX], other_operation(AtomicOp.MAX)),
    WrongVariant(_BY_OP[AtomicOp.SUB], other_operation(AtomicOp.ADD)),
    WrongVariant(_BY_OP[AtomicOp.INC], other_operation(AtomicOp.DEC)),
    WrongVariant(_BY_OP[AtomicOp.XOR], other_operation(AtomicOp.OR)),
    WrongVariant(_BY_OP[AtomicOp.FCMPWR], sources_swapped),
    WrongVariant(_BY_OP[AtomicOp.FMAX], other_operation(AtomicOp.IMAX)),
    WrongVariant(_BY_OP[AtomicOp.FMAX], other_operation(AtomicOp.MAX)),
    WrongVariant(_BY_OP[AtomicOp.FMIN], nan_propagates),
    WrongVariant(_BY_OP[AtomicOp.FMIN], zeros_ordered),
    WrongVariant(_BY_OP[AtomicOp.FCMPWR], denormals_flushed),
    WrongVariant(PLAIN, lanes_never_collide),
    WrongVariant(PLAIN_QW, lanes_never_collide),
    WrongVariant(PLAIN, misalignment_allowed),
    WrongVariant(PLAIN_QW, misalignment_allowed),
    WrongVariant(PLAIN, nothing_is_defined),
)
"""Every wrong variant that a property and the cross-check must both catch."""
