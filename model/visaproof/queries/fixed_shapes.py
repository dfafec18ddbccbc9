"""Every legal fixed shape of the four instructions, and what is asked about each.

A *family* is an instruction with parameters for mask, predicate form and channels; a *shape* has numbers in their
place.  The same obligations are asked about both, so that a slip in how the parameters select shows up as a
difference: of the shape from its page, or of the shape from the family with the numbers put in.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.instructions import Instruction, OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.instructions.oword_ld import SLM
from visaproof.isa.atomics import PAGE_OPS, AtomicOp
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.operands import Channels, Execution, Predicate
from visaproof.isa.platform import SUPPORTED, Platform
from visaproof.isa.surfaces import SurfaceKind
from visaproof.queries import subject as subjects
from visaproof.queries.pages import Effect, contains, effects
from visaproof.queries.query import MemoryBefore
from visaproof.queries.subject import CHANNEL_SET, COMBINE, INVERSE, MASK, PREDICATE, SURFACE, Subject
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, Store
from visaproof.semantics.symbolic.effects import cells_equal, new_value
from visaproof.semantics.symbolic.state import field_term
from visaproof.smt import BitVec, Bool, Term, bool_const, conj, const, eq, false, iff, implies, is_false, symbol

SURFACE_KINDS = (SURFACE, SLM)
"""A surface of the user, and T0."""

FORMS: tuple[Predicate | None, ...] = (
    None,
    *(Predicate(PREDICATE, inverse, combine) for combine in Combine for inverse in (False, True)),
)
"""No predicate, and each of its forms."""


class Batch(Struct, frozen=True):
    """The families that differ only in platform, surface kind and, of an atomic, dimensions and texel width."""

    name: str
    form: Predicate | None
    build: Callable[[Platform], tuple[Subject, ...]]
    """The families on one platform; the pages may forbid them there."""

    @property
    def first_of_its_families(self) -> bool:
        """Whether no batch before it has the same families: the forms of a predicate are parameters of one."""
        return self.form in FORMS[:2]


class FixedShape(Struct, frozen=True):
    """One legal shape: the subject with numbers for its parameters, and the family that it is one of."""

    name: str
    subject: Subject
    family: Subject
    values: Mapping[Term, Term]
    """The number of each parameter."""


# ---------------------------------------------------------------- the legal space


def families(batch: Batch) -> Iterator[Subject]:
    """The families of a batch that some platform allows, on each surface kind that it allows."""
    for platform in SUPPORTED:
        try:
            built = batch.build(platform)
        except IllegalInstruction:
            continue
        for family, surface in product(built, SURFACE_KINDS):
            try:
                yield _on_surface(family, surface)
            except IllegalInstruction:
                continue


def _on_surface(family: Subject, surface: str) -> Subject:
    if family.surface == surface:
        return family
    instruction = replace(cast(Any, family.instruction), surface=surface)
    instruction.validate(family.platform)
    state = replace(family.state, surfaces={surface: family.state.surfaces[family.surface]})
    accesses = tuple(instruction.footprint(state))
    return replace(family, instruction=instruction, state=state, accesses=accesses, own_accesses=accesses)


def shapes(family: Subject, form: Predicate | None) -> Iterator[FixedShape]:
    """The legal shapes of a family with this form of predicate."""
    for mask, channels in product(_masks(family.instruction), _channel_sets(family.instruction)):
        changes: dict[str, object] = {}
        values: dict[Term, Term] = {}
        if mask is not None:
            size = cast(Execution, getattr(family.instruction, "execution", None)).size
            changes["execution"] = Execution(size, mask, form)
            values[field_term(MASK, 4)] = const(mask, 4)
        if form is not None:
            values[field_term(INVERSE, 1)] = const(int(cast(bool, form.inverse)), 1)
            values[field_term(COMBINE, 2)] = const(cast(Combine, form.combine).value, 2)
        if channels is not None:
            changes["channels"] = channels
            values[field_term(CHANNEL_SET, 4)] = const(channels.mask, 4)
        instruction: Instruction = replace(cast(Any, family.instruction), **changes)
        try:
            instruction.validate(family.platform)
        except IllegalInstruction:
            continue
        accesses = tuple(instruction.footprint(family.state))
        fixed = replace(family, instruction=instruction, accesses=accesses, own_accesses=accesses, legal=())
        yield FixedShape(f"{instruction} on {family.platform.name}", fixed, family, values)


def _masks(instruction: Instruction) -> tuple[ExecMask | None, ...]:
    return (None,) if isinstance(instruction, OwordLd) else tuple(ExecMask)


def _channel_sets(instruction: Instruction) -> tuple[Channels | None, ...]:
    return tuple(Channels(code) for code in range(16)) if isinstance(instruction, Scatter4Scaled) else (None,)


def batches() -> list[Batch]:
    """The whole legal space, in parts of some hundred shapes."""
    found = [Batch("oword_ld", None, lambda platform: _allowed(platform, _oword_blocks))]
    for form in FORMS:
        predicated = form is not None
        for size in Scatter4Scaled.spec.exec_sizes:
            found.append(Batch(f"scatter4_scaled SIMD{size} {_named(form)}", form, _scatter4(size, predicated)))
        for size in QwScatter.spec.exec_sizes:
            found.append(Batch(f"qw_scatter SIMD{size} {_named(form)}", form, _qw(size, predicated)))
        for op in PAGE_OPS:
            name = f"typed_atomic {op.name.lower()} {_named(form)}"
            found.append(Batch(name, form, _atomic(op, predicated)))
    return found


def _named(form: Predicate | None) -> str:
    return str(form) if form else "unpredicated"


def _allowed(platform: Platform, build: Callable[[Platform], Iterator[Callable[[], Subject]]]) -> tuple[Subject, ...]:
    """Those of several families that the pages allow on a platform."""
    allowed: list[Subject] = []
    for one in build(platform):
        try:
            allowed.append(one())
        except IllegalInstruction:
            continue
    return tuple(allowed)


def _oword_blocks(platform: Platform) -> Iterator[Callable[[], Subject]]:
    for owords in (1, 2, 4, 8, 16):
        yield lambda owords=owords: subjects.oword_ld(owords, platform)


def _scatter4(size: int, predicated: bool) -> Callable[[Platform], tuple[Subject, ...]]:
    return lambda platform: (subjects.scatter4_scaled(size, platform, predicated),)


def _qw(size: int, predicated: bool) -> Callable[[Platform], tuple[Subject, ...]]:
    return lambda platform: (subjects.qw_scatter(size, platform, predicated),)


def _atomic(op: AtomicOp, predicated: bool) -> Callable[[Platform], tuple[Subject, ...]]:
    def each(platform: Platform) -> Iterator[Callable[[], Subject]]:
        for kind, bits in product(SurfaceKind, (32, 16)):
            yield lambda kind=kind, bits=bits: subjects.typed_atomic(op, kind, platform, predicated, bits)

    return lambda platform: _allowed(platform, each)


# ---------------------------------------------------------------- what is asked


def page_obligations(subject: Subject) -> dict[str, Bool]:
    """Each access against the effect that the page's statement lists at its place; effects of no channel are none."""
    stated = [effect for effect in effects(subject) if not is_false(effect.enabled)]
    performed = subject.accesses
    pairs = list(zip(performed, stated, strict=False))
    listed = bool_const(len(performed) == len(stated))
    state, surface = subject.state, subject.surface
    return {
        "enabled-lanes-act": conj(listed, *(iff(access.guard, effect.enabled) for access, effect in pairs)),
        "addresses-are-the-pages": conj(*(implies(a.guard, cells_equal(a.cell, e.cell)) for a, e in pairs)),
        "bounds-are-the-pages": conj(
            *(implies(a.guard, iff(a.inside, contains(state, surface, e.cell))) for a, e in pairs)
        ),
        "meaning-is-the-pages": conj(*(implies(a.guard, iff(a.defined, e.aligned)) for a, e in pairs)),
        "data-are-the-pages": conj(*(implies(a.guard, _same_data(subject, a, e)) for a, e in pairs)),
    }


def _same_data(subject: Subject, access: Access, effect: Effect) -> Bool:
    """The lane, surface and registers of the effect, and what it leaves; of an atomic, for any old value."""
    if access.lane != effect.lane or access.surface != subject.surface:
        return false()
    match subject.instruction, access:
        case ((Scatter4Scaled() | QwScatter()), Store()) if effect.written is not None:
            return conj(bool_const(access.width == 4), eq(access.value, effect.written))
        case OwordLd(), Load():
            return bool_const(access.width == 4 and access.destination == effect.destination)
        case TypedAtomic() as atomic, Atomic() if effect.src0 is not None and effect.src1 is not None:
            placed = access.width == atomic.texel_bits // 8 and access.destination == effect.destination
            returns = access.returns_new == (atomic.op is AtomicOp.PREDEC)
            if not placed or not returns:
                return false()
            old = _old_texel(access)
            left = new_value(access.op, old, access.src0, access.src1)
            return eq(left, new_value(atomic.op, old, effect.src0, effect.src1))
        case _:
            return false()


def _old_texel(access: Atomic) -> BitVec:
    return symbol(f"memory.{access.lane}", 8 * access.width)


def memory_before(subject: Subject) -> tuple[MemoryBefore, ...]:
    """What the obligations call the content of the cells of atomics."""
    atomics = [access for access in subject.accesses if isinstance(access, Atomic)]
    return tuple(MemoryBefore(access.surface, access.cell, _old_texel(access)) for access in atomics)
