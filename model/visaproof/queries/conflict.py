"""Can two lanes of one scatter write the same byte?  The question, for each memory message of a kernel."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from visaproof.isa.execution import ExecMask
from visaproof.kernel.symbolic_machine import Performed
from visaproof.kernel.symbolic_run import Trace
from visaproof.kernel.syntax import Instruction
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.effects import meaningless
from visaproof.semantics.symbolic.state import ADDRESS_BITS
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    conj,
    const,
    disj,
    eq,
    is_false,
    known_trailing_zeros,
    neg,
    sub,
    truncate,
    value_of,
)


@dataclass(frozen=True, slots=True)
class LaneWrites:
    """What one lane of a scatter writes: stores at constant distances from its first."""

    lane: int
    """Counted from the first lane of the thread."""
    base: BitVec
    stores: tuple[tuple[int, Store], ...]
    """(bytes behind `base`, store)"""


@dataclass(frozen=True, slots=True)
class LanePair:
    """Two lanes, and when they write a common byte inside the surface."""

    first: int
    second: int
    meet: Bool


@dataclass(frozen=True, slots=True)
class ConflictQuestion:
    """One scatter of a kernel: is one of the pairs' conditions satisfiable?"""

    performed: Performed
    lanes: tuple[LaneWrites, ...]
    pairs: tuple[LanePair, ...]
    """The pairs that the normal form of the address difference does not separate."""
    premises: tuple[Bool, ...]
    """What else holds in a run to which the pages give a meaning."""
    earlier: tuple[Bool, ...]
    """That no earlier message was undefined: where one was, the pages give this one no meaning either."""

    @property
    def instruction(self) -> Instruction:
        return self.performed.instruction


def conflict_questions(trace: Trace) -> Iterator[ConflictQuestion]:
    """A question for each message that stores lane by lane, in the order of the run: one for each round of a loop.

    Where a loop was not unrolled far enough, the question is about the runs that leave it in time.
    """
    premises = tuple(condition for condition, _ in (*trace.conditions, *trace.bounded))
    earlier: list[Bool] = []
    for performed in trace.performed:
        lanes = _lane_writes(performed)
        pairs: tuple[LanePair, ...] = ()
        if lanes:
            pairs = tuple(_pairs(lanes))
            yield ConflictQuestion(performed, lanes, pairs, premises, tuple(earlier))
        earlier += [neg(pair.meet) for pair in pairs]
        earlier.append(neg(meaningless(performed.accesses)))


def _lane_writes(performed: Performed) -> tuple[LaneWrites, ...]:
    by_lane: dict[int, list[Store]] = {}
    for access in performed.accesses:
        if isinstance(access, Store) and access.lane is not None and len(access.cell) == 1:
            by_lane.setdefault(access.lane, []).append(access)
    first_lane = _first_lane(performed.instruction)
    found: list[LaneWrites] = []
    for lane, stores in by_lane.items():
        base = stores[0].cell[0]
        distances = [_distance(store.cell[0], base) for store in stores]
        found.append(LaneWrites(first_lane + lane, base, tuple(zip(distances, stores, strict=True))))
    return tuple(found)


def _first_lane(instruction: Instruction) -> int:
    mask = instruction.execution.mask if instruction.execution else ExecMask.M1
    return mask.lane_offset


def _distance(cell: BitVec, base: BitVec) -> int:
    """Bytes from base to cell, which are the channels or blocks of one lane."""
    distance = value_of(sub(cell, base))
    assert distance is not None, "the stores of one lane lie at constant distances"
    return distance


def _pairs(lanes: tuple[LaneWrites, ...]) -> Iterator[LanePair]:
    for one, other in combinations(lanes, 2):
        meet = _meet(one, other)
        if not is_false(meet):
            yield LanePair(one.lane, other.lane, meet)


def _meet(one: LaneWrites, other: LaneWrites) -> Bool:
    """Whether both lanes happen, have a meaning, and write a common byte inside the surface."""
    meetings: dict[int, list[Bool]] = {}
    unit = 1 << min(known_trailing_zeros(one.base), known_trailing_zeros(other.base), 3)
    apart = _constant_difference(other.base, one.base)
    for at, store in one.stores:
        for other_at, other_store in other.stores:
            both = conj(store.guard, store.inside, store.defined, other_store.guard, other_store.inside)
            both = conj(both, other_store.defined)
            # Bytes are shared iff the other's first byte lies in (−width, width) around this one's.
            for shift in range(1 - other_store.width, store.width):
                distance = at - other_at + shift
                if distance % unit == 0 and (apart is None or value_of(sub(apart, const(distance, apart.width))) == 0):
                    meetings.setdefault(distance, []).append(both)
    return disj(*(conj(_at_distance(one, other, d), disj(*both)) for d, both in sorted(meetings.items())))


def _at_distance(one: LaneWrites, other: LaneWrites, distance: int) -> Bool:
    return eq(other.base, add(one.base, const(distance, one.base.width)))


def _constant_difference(left: BitVec, right: BitVec) -> BitVec | None:
    """left − right where it is constant: of whole flat addresses, or of the 32-bit offsets into a surface."""
    difference = sub(_wrapping(left), _wrapping(right))
    return None if value_of(difference) is None else difference


def _wrapping(address: BitVec) -> BitVec:
    """The part of an address in which its sums wrap."""
    return truncate(address, 32) if address.width == ADDRESS_BITS else address
