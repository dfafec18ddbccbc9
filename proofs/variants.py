"""Variants of the instructions that are known to be wrong: what the refutations, and the cross-check, must catch."""

from collections.abc import Callable
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.instructions import OwordLd, QwScatter, Scatter4Scaled
from visaproof.isa.atomics import PAGE_OPS, AtomicOp
from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.operands import Channels, Scalar
from visaproof.isa.platform import Platform
from visaproof.queries.subject import CHANNEL_SET, Subject
from visaproof.semantics.symbolic.accesses import Access, Cell, Load, Store
from visaproof.semantics.symbolic.state import ADDRESS_BITS, field_term
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    add,
    bit,
    conj,
    const,
    false,
    ite,
    ite_bool,
    neg,
    scale,
    sub,
    substitute,
    true,
    truncate,
    zero_extend,
)

from . import atomic_variants
from .changes import changed, moved
from .shapes import ATOMIC, DEEP, DEEP_ARRAY, EACH_ATOMIC, HALF_ATOMIC, OWORD, PLAIN, PLAIN_QW, QW, SCATTER4, Shape


def _scalar(subject: Subject, operand: Scalar) -> BitVec:
    return subject.state.scalar(operand)[0]


# ---------------------------------------------------------------- bounds, masks, predicates


def without_bounds(subject: Subject) -> Subject:
    return changed(subject, "without-bounds", lambda access: replace(access, inside=true()))


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

    return changed(subject, "nomask-obeys-the-mask", masked)


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
    return moved(subject, "channel-position-for-number", cells)


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
    return moved(subject, "global-offset-ignored", cells)


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
    return moved(subject, "offset-sum-does-not-wrap", cells)


# ---------------------------------------------------------------- QW_SCATTER, OWORD_LD


def qword_index(subject: Subject) -> Subject:
    """The offset counted in qwords."""
    instruction = cast(QwScatter, subject.instruction)
    cells: list[Cell] = []
    for index in range(len(subject.accesses)):
        offset, _ = subject.state.read_dword(instruction.offset, index // 2)
        cells.append((add(scale(zero_extend(offset, ADDRESS_BITS), 8), const(4 * (index % 2), ADDRESS_BITS)),))
    return moved(subject, "qword-index", cells)


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
    return moved(subject, "byte-offset", cells)


def block_address_wraps(subject: Subject) -> Subject:
    """16·offset modulo 2^32."""
    cells: list[Cell] = [(zero_extend(truncate(access.cell[0], 32), ADDRESS_BITS),) for access in subject.accesses]
    return moved(subject, "block-address-wraps", cells)


def next_oword(subject: Subject) -> Subject:
    cells: list[Cell] = [(add(access.cell[0], const(16, ADDRESS_BITS)),) for access in subject.accesses]
    return moved(subject, "next-oword", cells)


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

    return changed(subject, "one-dword-further", moved)


def stores_zeros(subject: Subject) -> Subject:
    """The block is cleared instead of loaded."""

    def cleared(access: Access) -> Access:
        a = access
        return Store(a.guard, a.lane, a.surface, a.cell, a.width, a.inside, a.defined, const(0, 32))

    return changed(subject, "stores-zeros", cleared)


# ---------------------------------------------------------------- collisions


def lanes_never_collide(subject: Subject) -> Subject:
    return changed(subject, "lanes-never-collide", lambda access: replace(access, lane=0))


def misalignment_allowed(subject: Subject) -> Subject:
    return changed(subject, "misalignment-allowed", lambda access: replace(access, defined=true()))


def nothing_is_defined(subject: Subject) -> Subject:
    """Every access of an enabled lane is called meaningless."""
    return changed(subject, "nothing-is-defined", lambda access: replace(access, defined=false()))


# ---------------------------------------------------------------- all of them


class WrongVariant(Struct, frozen=True):
    """A variant and a shape on which it is wrong."""

    shape: Shape
    change: Callable[[Subject], Subject]

    def __str__(self) -> str:
        return f"{self.change.__name__}-{self.shape}"

    def __call__(self) -> Subject:
        return self.change(self.shape())


_MASKED = (SCATTER4[1], QW[3], ATOMIC[1])
_BY_OP = dict(zip(PAGE_OPS, EACH_ATOMIC, strict=True))

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
    WrongVariant(_BY_OP[AtomicOp.CMPXCHG], atomic_variants.sources_swapped),
    WrongVariant(_BY_OP[AtomicOp.CMPXCHG], atomic_variants.returns_new),
    WrongVariant(ATOMIC[1], atomic_variants.coordinates_swapped),
    WrongVariant(ATOMIC[1], atomic_variants.one_past_the_end),
    WrongVariant(DEEP, atomic_variants.v_and_r_swapped),
    WrongVariant(DEEP, atomic_variants.lod_ignored),
    WrongVariant(DEEP_ARRAY, atomic_variants.lod_ignored),
    WrongVariant(DEEP_ARRAY, atomic_variants.slice_below_height),
    WrongVariant(DEEP_ARRAY, atomic_variants.array_shrinks),
    WrongVariant(ATOMIC[1], atomic_variants.disabled_lane_returns_zero),
    WrongVariant(HALF_ATOMIC[3], atomic_variants.source_in_upper_half),
    WrongVariant(HALF_ATOMIC[0], atomic_variants.result_in_upper_half),
    WrongVariant(_BY_OP[AtomicOp.PREDEC], atomic_variants.returns_old),
    WrongVariant(_BY_OP[AtomicOp.MIN], atomic_variants.other_operation(AtomicOp.IMIN)),
    WrongVariant(_BY_OP[AtomicOp.IMAX], atomic_variants.other_operation(AtomicOp.MAX)),
    WrongVariant(_BY_OP[AtomicOp.SUB], atomic_variants.other_operation(AtomicOp.ADD)),
    WrongVariant(_BY_OP[AtomicOp.INC], atomic_variants.other_operation(AtomicOp.DEC)),
    WrongVariant(_BY_OP[AtomicOp.XOR], atomic_variants.other_operation(AtomicOp.OR)),
    WrongVariant(_BY_OP[AtomicOp.FCMPWR], atomic_variants.sources_swapped),
    WrongVariant(_BY_OP[AtomicOp.FMAX], atomic_variants.other_operation(AtomicOp.IMAX)),
    WrongVariant(_BY_OP[AtomicOp.FMAX], atomic_variants.other_operation(AtomicOp.MAX)),
    WrongVariant(_BY_OP[AtomicOp.FMIN], atomic_variants.nan_propagates),
    WrongVariant(_BY_OP[AtomicOp.FMIN], atomic_variants.zeros_ordered),
    WrongVariant(_BY_OP[AtomicOp.FCMPWR], atomic_variants.denormals_flushed),
    WrongVariant(PLAIN, lanes_never_collide),
    WrongVariant(PLAIN_QW, lanes_never_collide),
    WrongVariant(PLAIN, misalignment_allowed),
    WrongVariant(PLAIN_QW, misalignment_allowed),
    WrongVariant(PLAIN, nothing_is_defined),
)
"""Every wrong variant that a property and the cross-check must both catch."""
