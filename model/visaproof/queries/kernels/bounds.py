"""Can a lane reach outside its surface, or do what the page leaves undefined?  For each memory message of a kernel."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.identity import Same
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.program.statements import Origin
from visaproof.queries.kernels.buffer_places import LaunchBuffers, Place, facts_of
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.effects import meaningless
from visaproof.smt import Bool, Term, conj, is_false, neg

MOST_NEEDED = 1 << 31
"""An address that may be larger than this is bounded by nothing but its width."""


class Doubt(Struct, frozen=True):
    """An access, and when it is outside its surface, or without meaning."""

    access: Access
    condition: Bool


class BoundsQuestion(Struct, frozen=True):
    """One message: is one of the conditions satisfiable?"""

    performed: Performed
    outside: tuple[Doubt, ...]
    """The accesses that the normal form does not show to be inside wherever they are defined."""
    undefined: tuple[Doubt, ...]
    """Those that it does not show to be defined: aligned, in variables and predicates that are long enough."""
    premises: tuple[Bool, ...]
    earlier: tuple[Bool, ...]
    """That no earlier message was undefined: where one was, this one is undefined, too."""
    buffers: LaunchBuffers
    places: Mapping[Same[Access], Place]
    """Of accesses at 64-bit addresses."""
    lost: str = ""
    """Why it is not known in which buffer one of them lies."""

    @property
    def instruction(self) -> Origin:
        return self.performed.instruction

    @property
    def surfaces(self) -> tuple[str, ...]:
        """What the message reaches: its surface, or the buffers in which its addresses lie."""
        found = dict.fromkeys(place.buffer.key for place in self.places.values())
        return tuple(found) or (self.performed.surface,)

    def lane(self, access: Access) -> int | None:
        """The lane of the thread; None where the access is made once for all lanes."""
        return None if access.lane is None else self.instruction.first_lane + access.lane


NO_BUFFERS = LaunchBuffers(())


def bounds_questions(
    trace: Trace, assumed: Sequence[Bool] = (), buffers: LaunchBuffers = NO_BUFFERS
) -> Iterator[BoundsQuestion]:
    """A question for each memory message in the order of the run: one for each iteration of a loop.

    Where a loop was not unrolled far enough, the question is about the runs that leave it in time.  `assumed` is what
    else holds of the launch.  In `buffers` 64-bit addresses lie.
    """
    premises = (*assumed, *(condition for condition, _ in (*trace.conditions, *trace.bounded)))
    facts, earlier = facts_of(premises), list[Bool]()
    for performed in trace.performed:
        places, lost = _places(performed, buffers, facts)
        undefined = [Doubt(one, conj(one.guard, neg(one.defined))) for one in performed.accesses]
        undefined += [Doubt(one, one.guard) for one in performed.short]
        outside = _at_addresses(performed, places) if performed.surface == FLAT else _outside(performed)
        yield BoundsQuestion(
            performed, _open(outside), _open(undefined), premises, tuple(earlier), buffers, places, lost
        )
        earlier.append(neg(meaningless(performed.accesses)))


def _places(
    performed: Performed, buffers: LaunchBuffers, facts: Mapping[Term, Term]
) -> tuple[dict[Same[Access], Place], str]:
    """Where the accesses at 64-bit addresses lie, and why that is not known of one of them."""
    places, lost = dict[Same[Access], Place](), ""
    for access in performed.accesses if performed.surface == FLAT else ():
        place = buffers.place(access, facts)
        if isinstance(place, Place):
            places[Same(access)] = place
        else:
            lost = lost or place
    return places, lost


def _outside(performed: Performed) -> list[Doubt]:
    return [Doubt(one, conj(one.guard, one.defined, neg(one.inside))) for one in performed.accesses]


def _at_addresses(performed: Performed, places: Mapping[Same[Access], Place]) -> list[Doubt]:
    placed = ((one, places[Same(one)]) for one in performed.accesses if Same(one) in places)
    return [Doubt(one, conj(one.guard, one.defined, neg(place.inside(one.width)))) for one, place in placed]


def _open(doubts: list[Doubt]) -> tuple[Doubt, ...]:
    return tuple(doubt for doubt in doubts if not is_false(doubt.condition))


def needed_bytes(questions: Sequence[BoundsQuestion]) -> int | None:
    """A size at which no access of these iterations can be outside, by the bounds of their addresses, if there is one.

    It may be larger than necessary.
    """
    accesses = [(one, access) for one in questions for access in one.performed.accesses]
    if any(one.places and Same(access) not in one.places for one, access in accesses):
        return None
    ends = [
        (one.places[Same(access)].offset if one.places else access.cell[0]).high + access.width
        for one, access in accesses
    ]
    return max(ends) if ends and max(ends) < MOST_NEEDED else None
