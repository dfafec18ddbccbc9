"""Pages: "On write: data is dropped.  On read: zeros are returned." """

from msgspec.structs import replace

from visaproof.queries.meaning import keeps_its_meaning, left_undefined
from visaproof.queries.pages import contains, effects
from visaproof.queries.query import MemoryBefore, Query, about
from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.effects import cells_equal, hits, probe_like, returned
from visaproof.smt import Bool, conj, const, disj, eq, iff, implies, neg, symbol


def out_of_bounds_write_is_dropped(subject: Subject) -> Query:
    """No cell outside the surface is written: at an arbitrary one, no access happens."""
    probe = probe_like(subject.accesses[0])
    written = disj(*(hits(access, probe) for access in subject.accesses))
    outside = neg(contains(subject.state, subject.surface, probe))
    return about(subject, "out-of-bounds-write-is-dropped", (outside,), conj(neg(written), keeps_its_meaning(subject)))


def out_of_bounds_read_gives_zero(subject: Subject) -> Query:
    """A lane or dword whose cell lies outside brings back 0, whatever memory holds."""
    zeros: list[Bool] = []
    memory: list[MemoryBefore] = []
    for index, (access, effect) in enumerate(zip(subject.accesses, effects(subject), strict=True)):
        if isinstance(access, Store):
            raise TypeError("a store brings nothing back")
        content = symbol(f"memory.{index}", 8 * access.width)
        memory.append(MemoryBefore(access.surface, access.cell, content))
        outside = conj(effect.enabled, neg(contains(subject.state, subject.surface, effect.cell)))
        known = neg(left_undefined(subject, (subject.own_accesses[index],)))
        zeros.append(implies(outside, conj(eq(returned(access, content), const(0, content.width)), known)))
    goal = conj(*zeros, keeps_its_meaning(subject))
    query = about(subject, "out-of-bounds-read-gives-zero", (), goal, tuple(memory))
    is_block = subject.accesses[0].lane is None  # of up to 64 dwords, which are much alike
    return replace(query, parts=(*zeros, keeps_its_meaning(subject))) if is_block else query


def bounds_are_the_pages(subject: Subject) -> Query:
    """An access that happens is inside where the page's bounds say so, and then at the address that the page gives."""
    same: list[Bool] = []
    for access, effect in zip(subject.accesses, effects(subject), strict=True):
        there = implies(access.inside, cells_equal(access.cell, effect.cell))
        within = iff(access.inside, contains(subject.state, subject.surface, effect.cell, effect.width))
        same.append(implies(access.guard, conj(there, within)))
    return about(subject, "bounds-and-addresses-are-the-pages", (), conj(*same))
