"""Nothing but the footprint changes."""

from visaproof.queries.pages import Effect, acting_effects, page_hits
from visaproof.queries.query import Query, about
from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.accesses import Access, Load, RegisterSlice, Store
from visaproof.semantics.symbolic.effects import hits, probe_like
from visaproof.smt import Bool, conj, disj, false, implies, neg


def other_memory_is_unchanged(subject: Subject) -> Query:
    """A cell that no enabled lane addresses is not written."""
    probe = probe_like(subject.accesses[0])
    addressed = disj(*(page_hits(subject, effect, probe) for effect in acting_effects(subject) if _writes(effect)))
    written = disj(*(hits(access, probe) for access in subject.accesses if not isinstance(access, Load)))
    return about(subject, "other-memory-is-unchanged", (neg(addressed),), neg(written))


def _writes(effect: Effect) -> bool:
    return effect.written is not None or effect.src0 is not None


def other_registers_are_unchanged(subject: Subject) -> Query:
    """A register byte is written only where the page puts a result, and only for an enabled lane.

    A result may fill the dword in which it stands, and where it does not, the rest of that dword may be undefined.
    """
    allowed: dict[RegisterSlice, Bool] = {}
    kept: list[Bool] = []
    for effect in acting_effects(subject):
        if effect.destination is not None and effect.slot is not None:
            allowed[effect.destination] = allowed[effect.slot] = effect.enabled
    for guard, place in subject.leaves_undefined:
        end = place.start + place.width
        dword = RegisterSlice(place.variable, end - 4, 4) if place.width <= 4 else place
        kept.append(implies(guard, allowed.get(RegisterSlice(dword.variable, dword.start, dword.width), false())))
    for access in subject.accesses:
        destination = _destination(access)
        if destination is not None:
            kept.append(implies(access.guard, allowed.get(destination, false())))
    return about(subject, "other-registers-are-unchanged", (), conj(*kept))


def _destination(access: Access) -> RegisterSlice | None:
    return None if isinstance(access, Store) else access.destination
