"""Pages: "The behavior is undefined if more than one channel writes to the same address." """

from collections.abc import Iterable
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.answers import Collision
from visaproof.isa.readings import DEFAULT
from visaproof.queries.pages import Effect, acting_effects, aligned_in_the_page, page_hits
from visaproof.queries.query import MemoryBefore, Query, about
from visaproof.queries.subject import Subject
from visaproof.queries.value import at_most_one
from visaproof.semantics.symbolic.accesses import Cell, Store
from visaproof.semantics.symbolic.effects import cells_equal, collide, hits, meaningless, probe_like, stored_at
from visaproof.smt import Bool, conj, disj, eq, implies, kept, neg, symbol, true


def colliding_lanes_are_undefined(subject: Subject) -> Query:
    """Two different enabled lanes that write one cell inside the surface make the outcome undefined.

    The cell is that of either lane, so no probe is needed.
    """
    stated, collisions = _colliding_pairs(subject), _collisions(subject)
    goal = implies(disj(*(one.stated for one in stated)), disj(*collisions))
    query = about(subject, "colliding-lanes-are-undefined", (), goal)
    if subject.readings == DEFAULT:
        return query
    pairs = zip(stated, collisions, strict=True)
    return replace(query, parts=_by_lanes((one, implies(one.stated, collision)) for one, collision in pairs))


def misaligned_lane_is_undefined(subject: Subject) -> Query:
    """An enabled lane with an address that is not aligned as the page demands makes the outcome undefined."""
    return about(
        subject, "misaligned-lane-is-undefined", (neg(aligned_in_the_page(subject)),), meaningless(subject.accesses)
    )


def nothing_else_is_undefined(subject: Subject) -> Query:
    """Whatever is reported undefined is a misaligned lane, or two lanes that the page has write one cell."""
    stated, collisions = _colliding_pairs(subject), _collisions(subject)
    misaligned, founded_on = neg(aligned_in_the_page(subject)), [one.stated for one in stated]
    if subject.readings != DEFAULT:  # misaligned lanes may be defined, and collide where the page leaves them undefined
        founded_on.append(misaligned)
    has_none = implies(meaningless(subject.accesses), misaligned)
    founded = conj(has_none, implies(disj(*collisions), disj(*founded_on)))
    query = about(subject, "nothing-else-is-undefined", (), founded)
    if subject.readings == DEFAULT:
        return query
    off = [conj(effect.enabled, neg(effect.aligned)) for effect in acting_effects(subject)]
    lost = (implies(meaningless((access,)), here) for access, here in zip(subject.accesses, off, strict=True))
    met = (
        (one, implies(collision, disj(one.stated, off[one.first], off[one.second])))
        for one, collision in zip(stated, collisions, strict=True)
    )
    return replace(query, parts=(*lost, *_by_lanes(met)))


def the_last_lane_wins(subject: Subject) -> Query:
    """Where lanes that write one cell are defined, the cell holds the dword of the last of them.

    By default they are undefined, or are one lane.  Asked at one arbitrary cell.
    """
    probe, before = probe_like(subject.accesses[0]), symbol("before", 32)
    after = stored_at(subject.accesses, probe, before)
    stated = sorted(acting_effects(subject), key=lambda effect: -1 if effect.lane is None else effect.lane)
    hit = [page_hits(subject, effect, probe) for effect in stated]
    goals: list[Bool] = []
    for index, effect in enumerate(stated):
        assert effect.written is not None
        goals.append(implies(conj(hit[index], neg(disj(*hit[index + 1 :]))), eq(after, effect.written)))
    defined = (neg(meaningless(subject.accesses)), _meet_with_a_meaning(subject, probe))
    memory = (MemoryBefore(subject.surface, probe, before),)
    return about(subject, "the-last-lane-wins", defined, conj(*goals), memory)


def _meet_with_a_meaning(subject: Subject, probe: Cell) -> Bool:
    """That lanes on the probe are defined, as the subject reads it (D14)."""
    stores = [(access, hits(access, probe)) for access in subject.accesses if isinstance(access, Store)]
    match subject.readings.collision:
        case Collision.UNDEFINED:
            by_lane: dict[int | None, list[Bool]] = {}
            for access, here in stores:
                by_lane.setdefault(access.lane, []).append(here)
            return at_most_one([disj(*together) for together in by_lane.values()])
        case Collision.EQUAL_ALLOWED:  # there is one word that all of them write
            agreed = symbol("agreed", 32)
            return conj(*(implies(here, eq(access.value, agreed)) for access, here in stores))
        case Collision.LAST_WINS | Collision.ANY_WINS:
            return true()


class _CollidingPair(Struct, frozen=True):
    """Two effects of different lanes, by their numbers."""

    first: int
    second: int
    lanes: tuple[int | None, int | None]
    stated: Bool
    """On the page, both happen, inside, at one cell."""


def _colliding_pairs(subject: Subject) -> tuple[_CollidingPair, ...]:
    """Those of the page: the same under all readings."""
    return _colliding_pairs_of(tuple(acting_effects(subject)), tuple(access.inside for access in subject.own_accesses))


@kept(8)
def _colliding_pairs_of(stated: tuple[Effect, ...], inside: tuple[Bool, ...]) -> tuple[_CollidingPair, ...]:
    found: list[_CollidingPair] = []
    for (first, one), (second, other) in combinations(enumerate(stated), 2):
        if one.lane != other.lane:
            both = conj(one.enabled, inside[first], other.enabled, cells_equal(one.cell, other.cell))
            found.append(_CollidingPair(first, second, (one.lane, other.lane), both))
    return tuple(found)


def _collisions(subject: Subject) -> list[Bool]:
    """For each meeting, that the two accesses collide as the subject has it."""
    pairs = ((one, other) for one, other in combinations(subject.accesses, 2) if one.lane != other.lane)
    return [collide(pair, subject.readings.collision) for pair in pairs]


def _by_lanes(statements: Iterable[tuple[_CollidingPair, Bool]]) -> tuple[Bool, ...]:
    """The statements of each two lanes together: most pairs of lanes have the same ones, up to names."""
    by_lanes: dict[tuple[int | None, int | None], list[Bool]] = {}
    for meeting, statement in statements:
        by_lanes.setdefault(meeting.lanes, []).append(statement)
    return tuple(conj(*together) for together in by_lanes.values())
