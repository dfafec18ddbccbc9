"""Pages: "The behavior is undefined if more than one channel writes to the same address." """

from dataclasses import replace
from itertools import combinations

from visaproof.isa.readings import DEFAULT
from visaproof.queries.pages import acting_effects, aligned_in_the_page
from visaproof.queries.query import Query, about
from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.effects import cells_equal, collide, meaningless
from visaproof.smt import Bool, conj, disj, implies, neg


def colliding_lanes_are_undefined(subject: Subject) -> Query:
    """Two different enabled lanes that write one cell inside the surface make the outcome undefined.

    The cell is that of either lane, so no probe is needed.
    """
    meetings, collision = _meetings(subject), subject.readings.collision
    query = about(
        subject, "colliding-lanes-are-undefined", (), implies(disj(*meetings), collide(subject.accesses, collision))
    )
    if subject.readings == DEFAULT:
        return query
    pairs = [(one, other) for one, other in combinations(subject.accesses, 2) if one.lane != other.lane]
    by_pair = zip(meetings, pairs, strict=True)
    return replace(query, parts=tuple(implies(meeting, collide(pair, collision)) for meeting, pair in by_pair))


def misaligned_lane_is_undefined(subject: Subject) -> Query:
    """An enabled lane with an address that is not aligned as the page demands makes the outcome undefined."""
    return about(
        subject, "misaligned-lane-is-undefined", (neg(aligned_in_the_page(subject)),), meaningless(subject.accesses)
    )


def nothing_else_is_undefined(subject: Subject) -> Query:
    """Whatever is reported undefined is a misaligned lane, or two lanes that the page has write one cell."""
    misaligned, founded_on = neg(aligned_in_the_page(subject)), _meetings(subject)
    if subject.readings != DEFAULT:  # misaligned lanes may have a meaning, and then collide where the page has none
        founded_on.append(misaligned)
    founded = conj(
        implies(meaningless(subject.accesses), misaligned),
        implies(collide(subject.accesses, subject.readings.collision), disj(*founded_on)),
    )
    return about(subject, "nothing-else-is-undefined", (), founded)


def _meetings(subject: Subject) -> list[Bool]:
    """For each two effects of different lanes on the page: both happen, inside, at one cell."""
    own: tuple[Access, ...] = subject.own_accesses
    meetings: list[Bool] = []
    for (one, access), (other, _) in combinations(zip(acting_effects(subject), own, strict=True), 2):
        if one.lane != other.lane:
            both = conj(one.enabled, access.inside, other.enabled)
            meetings.append(conj(both, cells_equal(one.cell, other.cell)))
    return meetings
