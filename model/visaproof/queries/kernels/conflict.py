"""Can two lanes of one scatter write the same byte or texel?  The question, for each memory message of a kernel."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.errors import Position
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.program.statements import Origin
from visaproof.queries.kernels.lane_accesses import LaneAccesses, accesses_by_lane, stores_by_lane
from visaproof.queries.kernels.tickets import tickets_differ
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.cases import MOST_CHANGED, known_under
from visaproof.semantics.symbolic.effects import meaningless
from visaproof.semantics.symbolic.literals import Literals, literals_of
from visaproof.semantics.symbolic.state import ADDRESS_BITS
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    conj,
    const,
    disj,
    eq,
    false,
    is_false,
    kept,
    neg,
    subterms,
    truncate,
)
from visaproof.smt.arithmetic import difference, linear_parts, sum_of
from visaproof.smt.substitution import substitute_bools
from visaproof.smt.terms import lowest_bit

LOW_BITS = 32
"""Of an address, in which offsets are computed before they are extended."""
KEPT_ADDRESSES = 4096
"""Each lane of a scatter is compared with all others, and with those of other messages."""
KEPT_DISTANCES = 4096
"""Those of a message are mostly those of the next one."""


class LanePair(Struct, frozen=True, dict=True):
    """Two lanes, and when they write a common byte or texel inside the surface."""

    first: int
    second: int
    meet: Bool
    accesses: tuple[LaneAccesses, LaneAccesses]
    """Of both lanes, as `meet` has them."""

    @cached_property
    def overlap(self) -> Bool:
        """What follows from `meet`: they access a common byte or texel, as far as 32 bits of addresses say, inside or
        outside of the surface.  Scatters that are as far apart in both lanes, under one guard, have one overlap.
        """
        return _accesses_collide(*self.accesses, exactly=False)

    @property
    def distance(self) -> tuple[tuple[int, frozenset[tuple[BitVec, int]]], ...]:
        """From lane to lane, in the last 32 bits of addresses."""
        found: list[tuple[int, frozenset[tuple[BitVec, int]]]] = []
        for one, other in zip(*(lane.base for lane in self.accesses), strict=True):
            constant, parts = difference(_low(one), _low(other))
            found.append((constant, frozenset(parts.items())))
        return tuple(found)


class ConflictQuestion(Struct, frozen=True):
    """One scatter of a kernel: is one of the pairs' conditions satisfiable?"""

    performed: Performed
    lanes: tuple[LaneAccesses, ...]
    pairs: tuple[LanePair, ...]
    """The pairs that the normal form of the address difference does not separate."""
    premises: tuple[Bool, ...]
    """What else holds in a run to which the pages give a meaning."""
    earlier: tuple[Bool, ...]
    """That no earlier message was undefined: where one was, this one is undefined, too.  And that lanes
    which counted on one cell got different numbers back."""
    no_lane: str = ""
    """What shows that no lane comes to it: then no two were compared."""

    @property
    def instruction(self) -> Origin:
        return self.performed.instruction

    @property
    def of_texels(self) -> bool:
        """Whether the lanes write texels, not bytes."""
        return self.lanes[0].is_texel


def conflict_questions(
    trace: Trace, facts: Sequence[Bool] = (), no_lane: Callable[[Sequence[LaneAccesses]], str] = lambda _: ""
) -> Iterator[ConflictQuestion]:
    """A question for each message that stores lane by lane, in the order of the run: one for each iteration of a loop.

    Where a loop was not unrolled far enough, the question is about the runs that leave it in time.  `facts` are what
    else is known of a run, and `no_lane` says what shows that none of some lanes writes.
    """
    premises = _premises(trace, facts)
    earlier: list[Bool] = []
    for performed in trace.performed:
        lanes = _lane_writes(performed)
        pairs: tuple[LanePair, ...] = ()
        if lanes:
            by = no_lane(lanes) if len(lanes) > 1 else ""
            pairs = () if by else tuple(_pairs(lanes))
            yield ConflictQuestion(performed, lanes, pairs, premises, tuple(earlier), by)
        earlier += [neg(pair.meet) for pair in pairs]
        earlier.append(neg(meaningless(performed.accesses)))
        earlier += tickets_differ(performed)


def questions_of(position: Position, trace: Trace, facts: Sequence[Bool]) -> Iterator[ConflictQuestion]:
    """Those of one scatter, also about runs in which earlier messages are undefined."""
    premises = _premises(trace, facts)
    for performed in trace.performed:
        if performed.instruction.position == position and (lanes := _lane_writes(performed)):
            yield ConflictQuestion(performed, lanes, tuple(_pairs(lanes)), premises, ())


def _premises(trace: Trace, facts: Sequence[Bool]) -> tuple[Bool, ...]:
    return (*facts, *(condition for condition, _ in (*trace.conditions, *trace.bounded)))


def _lane_writes(performed: Performed) -> tuple[LaneAccesses, ...]:
    return tuple(accesses_by_lane(performed, stores_by_lane(performed)))


class PairedLane(Struct, frozen=True, dict=True):
    """What one lane accesses, and what is known of it in all its pairs."""

    write: LaneAccesses

    @cached_property
    def conditions(self) -> frozenset[Term]:
        """On which it depends where the lane writes."""
        return frozenset(term for term in subterms(*self.write.base) if isinstance(term, Bool))

    @cached_property
    def literals(self) -> Literals:
        """What holds wherever it writes."""
        first, *others = (literals_of(store.guard) for _, store in self.write.stores)
        return first.intersection(*others)

    @cached_property
    def decisive(self) -> frozenset[Term]:
        """The literals that say something about where it writes."""
        return self.conditions.union(map(neg, cast(Iterable[Bool], self.conditions)))

    @cached_property
    def _beside(self) -> dict[Literals, LaneAccesses]:
        """The accesses where some literals hold: most pairs of a lane say the same of it."""
        return {}

    def meets(self, other: "PairedLane") -> Bool:
        """Whether both access a common byte or texel inside the surface, and are defined."""
        return _collision(self, other)[0]

    def beside(self, other: "PairedLane") -> LaneAccesses:
        """The accesses where both lanes access something; in a long history only its own literals are replaced."""
        if not self.conditions:
            return self.write
        known = self.literals & self.decisive
        if len(self.conditions) <= MOST_CHANGED:
            known |= other.literals & self.decisive
        if known not in self._beside:
            self._beside[known] = _where(known, self.write)
        return self._beside[known]


def _pairs(lanes: tuple[LaneAccesses, ...]) -> Iterator[LanePair]:
    for one, other in combinations(map(PairedLane, lanes), 2):
        if one.write.lane == other.write.lane:
            continue
        meet, accesses = _collision(one, other)
        if not is_false(meet):
            yield LanePair(one.write.lane, other.write.lane, meet, accesses)


def lanes_collide(one: LaneAccesses, other: LaneAccesses) -> Bool:
    """Whether both lanes access a common byte or texel inside the surface, and are defined."""
    return PairedLane(one).meets(PairedLane(other))


def _collision(one: PairedLane, other: PairedLane) -> tuple[Bool, tuple[LaneAccesses, LaneAccesses]]:
    """What the guards say of addresses is used only where these do not tell the lanes apart by themselves."""
    accesses = one.write, other.write
    if not (one.conditions or other.conditions):
        return _accesses_collide(*accesses), accesses
    ways = _ways_to_collide(*accesses, exactly=True)
    if all(map(is_false, ways)):
        return false(), accesses
    known = one.beside(other), other.beside(one)
    if all(now.base == before.base for now, before in zip(known, accesses, strict=True)):
        return disj(*ways), accesses
    return _accesses_collide(*known), known


def _accesses_collide(one: LaneAccesses, other: LaneAccesses, exactly: bool = True) -> Bool:
    ways = _ways_to_collide(one, other, exactly)
    return disj(*ways) if ways else false()


def _ways_to_collide(one: LaneAccesses, other: LaneAccesses, exactly: bool) -> Sequence[Bool]:
    """Of which one holds where they meet."""
    return (_texels_collide(one, other, exactly),) if one.is_texel else _at_distances(one, other, exactly)


def _where(known: Literals, write: LaneAccesses) -> LaneAccesses:
    """The writes with an address in which these literals are taken for granted: in all of one that is no long history
    of the thread, else where they stand beside each other in the conditions of the address itself."""
    holds = known_under(known)
    base = substitute_bools(write.base, holds, MOST_CHANGED)
    return replace(write, base=tuple(substitute_bools(base, holds, within_relations=False)))


def _texels_collide(one: LaneAccesses, other: LaneAccesses, exactly: bool) -> Bool:
    """Whether both lanes happen, and write one channel of one texel; `exactly`: inside the surface, and defined."""
    collisions = [
        conj(_happens(store, exactly), _happens(other_store, exactly))
        for channel, store in one.stores
        for other_channel, other_store in other.stores
        if channel == other_channel
    ]
    return conj(*(_equal(a, b) for a, b in zip(one.base, other.base, strict=True)), disj(*collisions))


def _happens(store: Access, exactly: bool) -> Bool:
    """Whether it happens; `exactly`: inside, and defined."""
    return _all_of(store.guard, store.inside, store.defined) if exactly else store.guard


@kept(KEPT_ADDRESSES)
def _all_of(*conditions: Bool) -> Bool:
    return conj(*conditions)


def _at_distances(one: LaneAccesses, other: LaneAccesses, exactly: bool) -> list[Bool]:
    """For each distance at which they write a common byte: that it is theirs, and both happen inside the surface.

    Unless `exactly`, only of the last bits of addresses, in which what lanes add in common is no part of a difference.
    """
    shared: dict[int, list[tuple[Access, Access]]] = {}
    (first,), (second,) = one.base, other.base
    (start, word), (other_start, other_word) = _parted(first), _parted(second)
    known, unit = _residue(other_word, word)
    known += other_start - start
    for at, store in one.stores:
        for other_at, other_store in other.stores:
            # Bytes are shared iff the other's first byte lies in (−width, width) around this one's.
            lowest, end = at - other_at + 1 - other_store.width, at - other_at + store.width
            for distance in range(lowest + (known - lowest) % unit, end, unit):
                shared.setdefault(distance, []).append((store, other_store))
    if not shared:
        return []
    is_distance, found = _distance(first, second) if exactly else _distance(_low(first), _low(second)), list[Bool]()
    for distance in sorted(shared):
        if not is_false(apart := is_distance(distance)):
            happen = (tuple(_happens(each, exactly) for each in pair) for pair in shared[distance])
            found.append(conj(apart, disj(*(conj(*pair) for pair in dict.fromkeys(happen)))))
    return found


def _distance(first: BitVec, second: BitVec) -> Callable[[int], Bool]:
    """From a number of bytes, that the second lies so far after the first."""
    if linear_parts(first)[1].keys().isdisjoint(linear_parts(second)[1]):
        return lambda distance: _equal(second, add(first, const(distance, first.width)) if distance else first)
    width, (constant, parts) = first.width, difference(second, first)
    atoms = frozenset(parts.items())
    return lambda distance: _is_zero((constant - distance) % (1 << width), atoms, width)


def _equal(left: BitVec, right: BitVec) -> Bool:
    """Whether both are one word, without what both add: a + c = b + c (mod 2^w) where a = b, extended or not.

    So lanes of two stores that are as far apart meet under one condition, and what all lanes multiply is not asked.
    """
    found = eq(left, right)
    while found.op is Op.EQ and isinstance(found.args[0], BitVec):
        one, other = cast(tuple[BitVec, BitVec], found.args)
        if linear_parts(one)[1].keys().isdisjoint(linear_parts(other)[1]):
            break
        constant, parts = difference(one, other)
        found = _sides_equal(constant, parts, one.width)
    return found


@kept(KEPT_DISTANCES)
def _is_zero(constant: int, parts: frozenset[tuple[BitVec, int]], width: int) -> Bool:
    """Whether a sum of so many times each of these atoms is 0, in the form of `_equal`."""
    found = _sides_equal(constant, dict(parts), width)
    return _equal(*cast(tuple[BitVec, BitVec], found.args)) if found.op is Op.EQ else found


def _sides_equal(constant: int, parts: Mapping[BitVec, int], width: int) -> Bool:
    """Whether a sum is 0, with what it subtracts on the other side."""
    half = 1 << (width - 1)
    up = {atom: times for atom, times in parts.items() if times <= half}
    down = {atom: 2 * half - times for atom, times in parts.items() if times > half}
    return eq(sum_of(constant, up, width), sum_of(0, down, width))


@kept(KEPT_ADDRESSES)
def _parted(address: BitVec) -> tuple[int, BitVec]:
    """The constant that is added in the part of an address in which its sums wrap, and that part without it."""
    word = _wrapping(address)
    constant, parts = linear_parts(word)
    return constant, sum_of(0, parts, word.width)


@kept(KEPT_DISTANCES)
def _residue(left: BitVec, right: BitVec) -> tuple[int, int]:
    """(r, m): left − right is r modulo m, a power of two; where the difference is constant, no other integer is near.

    Of whole flat addresses, or of the 32-bit offsets into a surface: there sums wrap, and what is equal in 40 bits is
    equal in 32.
    """
    constant, parts = difference(left, right)
    units = 1 << left.width
    for atom, factor in parts.items():
        units |= factor * lowest_bit(atom)
    return constant, units & -units


def _wrapping(address: BitVec) -> BitVec:
    """The part of an address in which its sums wrap."""
    return _low(address) if address.width == ADDRESS_BITS else address


@kept(KEPT_ADDRESSES)
def _low(address: BitVec) -> BitVec:
    return truncate(address, LOW_BITS)
