"""The statements of `queries.pages` as accesses, to say what the page would leave of one state."""

from visaproof.instructions import TypedAtomic
from visaproof.isa.atomics import AtomicOp
from visaproof.queries.pages import Effect, cleared, contains, effects
from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, RegisterSlice, Store
from visaproof.smt import Bool


def page_accesses(subject: Subject) -> list[Access]:
    """One access for each effect that the page states, in its order."""
    return [_access(subject, effect) for effect in effects(subject)]


def page_undefined(subject: Subject) -> list[tuple[Bool, RegisterSlice]]:
    """The bytes beside a result that the page says nothing about (D34), and those that become 0."""
    found = cleared(subject)
    for effect in effects(subject):
        result, slot = effect.destination, effect.slot
        if result is not None and slot is not None and result.width < slot.width:
            rest = RegisterSlice(slot.variable, slot.start + result.width, slot.width - result.width)
            found.append((effect.enabled, rest))
    return found


def _access(subject: Subject, effect: Effect) -> Access:
    guard, lane, surface, cell, defined = effect.enabled, effect.lane, subject.surface, effect.cell, effect.aligned
    inside = contains(subject.state, surface, cell, effect.width)
    if effect.written is not None:
        return Store(guard, lane, surface, cell, effect.width, inside, defined, effect.written)
    if effect.src0 is None or effect.src1 is None:
        assert effect.destination is not None
        return Load(guard, lane, surface, cell, effect.width, inside, defined, effect.destination)
    instruction = subject.instruction
    assert isinstance(instruction, TypedAtomic)
    return Atomic(
        guard,
        lane,
        surface,
        cell,
        instruction.texel_bits // 8,
        inside,
        defined,
        instruction.op,
        effect.src0,
        effect.src1,
        returns_new=instruction.op is AtomicOp.PREDEC,  # D28
        destination=effect.destination,
    )
