"""Lanes that count on one cell in one message: what they get back are different numbers, near each other.

An atomic returns an arbitrary symbolic word.  That words of one counter differ is proved for lanes alone (see
`serialisation.tickets_are_distinct`); other threads may count on in between, but not without end.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations

from visaproof.launch.premises import premise
from visaproof.machine.symbolic.trace import Performed
from visaproof.queries.serialisation import TICKETS
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.semantics.symbolic.effects import cells_equal
from visaproof.smt import BitVec, Bool, add, conj, const, eq, implies, is_true, neg, sub, ult

MEANWHILE_BITS = 16

COUNTED = premise("counters", times=2**MEANWHILE_BITS)


def tickets_differ(performed: Performed) -> Iterator[Bool]:
    """For each two lanes: if they count on one cell, they get back different numbers."""
    for (one, mine), (other, theirs) in combinations(_counting(performed), 2):
        acts = (one.guard, one.inside, one.defined, other.guard, other.inside, other.defined)
        fact = implies(conj(*acts, cells_equal(one.cell, other.cell)), _near(mine, theirs))
        if one.op is other.op and one.lane != other.lane and not is_true(fact):
            yield fact


def counts(messages: Iterable[Performed]) -> bool:
    """Whether something is assumed of a message."""
    return any(True for performed in messages for _ in tickets_differ(performed))


def _counting(performed: Performed) -> list[tuple[Atomic, BitVec]]:
    """The lanes that count, with what they get back."""
    return [
        (access, content)
        for access, content in performed.loaded
        if isinstance(access, Atomic) and access.op in TICKETS and content.width == 8 * access.width
    ]


def _near(one: BitVec, other: BitVec) -> Bool:
    reach = const(1 << MEANWHILE_BITS, one.width)
    return conj(neg(eq(one, other)), ult(add(sub(one, other), reach), add(reach, reach)))
