"""What is written and what is brought back, against the statement of the page in `queries.pages`."""

from visaproof.queries.pages import acting_effects, page_hits
from visaproof.queries.query import MemoryBefore, Query, about
from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.accesses import Load
from visaproof.semantics.symbolic.effects import cells_equal, inside_at, probe_like, stored_at
from visaproof.smt import Bool, conj, const, disj, eq, false, implies, ite, neg, symbol


def at_most_one(conditions: list[Bool]) -> Bool:
    """Whether no two of the conditions hold together."""
    pairs: list[Bool] = []
    seen: Bool | None = None
    for condition in conditions:
        if seen is not None:
            pairs.append(neg(conj(seen, condition)))
        seen = condition if seen is None else disj(seen, condition)
    return conj(*pairs)


def written_dword_is_the_lanes_datum(subject: Subject) -> Query:
    """Where one lane alone writes a cell, the cell holds the dword that the page takes from src; else it is as before.

    Asked at one arbitrary cell; that no second lane writes it is the page's condition for a defined result.
    """
    probe = probe_like(subject.accesses[0])
    before = symbol("before", 32)
    after = stored_at(subject.accesses, probe, before)
    stated = acting_effects(subject)
    hit = [page_hits(subject, effect, probe) for effect in stated]
    goals: list[Bool] = []
    for condition, effect in zip(hit, stated, strict=True):
        assert effect.written is not None
        goals.append(implies(condition, eq(after, effect.written)))
    goals.append(disj(eq(after, before), *hit))
    memory = (MemoryBefore(subject.surface, probe, before),)
    return about(subject, "written-dword-is-the-lanes-datum", (at_most_one(hit),), conj(*goals), memory)


def loaded_dword_is_the_surfaces(subject: Subject) -> Query:
    """Each dword of dst is the dword of the surface at the address that the page gives, where that is inside.

    Memory is known at one arbitrary cell only: every load that reads there must bring its content back.
    """
    probe = probe_like(subject.accesses[0])
    content, zero = symbol("content", 32), const(0, 32)
    goals: list[Bool] = []
    brought = {access.destination: access for access in subject.accesses if isinstance(access, Load)}
    for index, effect in enumerate(acting_effects(subject)):
        assert effect.destination is not None
        access = brought.get(effect.destination)
        if access is None:
            goals.append(false())
            continue
        elsewhere = ite(access.inside, symbol(f"elsewhere.{index}", 32), zero)
        here = ite(inside_at(access, probe), content, zero)
        value = ite(cells_equal(access.cell, probe), here, elsewhere)
        goals.append(implies(page_hits(subject, effect, probe), eq(value, content)))
    shown = (MemoryBefore(subject.surface, probe, content),)
    return about(subject, "loaded-dword-is-the-surfaces", (), conj(*goals), shown)
