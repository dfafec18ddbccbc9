"""The largest integer that an address can be, proved: each id stands at its largest value, each product at its own.

    c·id + d·group·stride      with id + group·stride ≤ G − 1,  group·stride ≤ G − l,  id ≤ l − 1      (all at least 0)

Of c and d the smaller one counts global ids, and what is left over counts ids or groups.  (G: the global size, or an
argument below which the guard keeps the global ids; l: the local size.)  Solvers show only what has no products of
arguments: that ids are below their sizes, and that a guard is what it looks like.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import chain, product
from time import process_time
from typing import cast

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.bounds.sizes.alike_lanes import Alike, AlikeLanes, OfLanes
from visaproof.analysis.bounds.sizes.largest import Largest
from visaproof.analysis.bounds.sizes.launch_integers import QUICK_MS, LaunchIntegers
from visaproof.analysis.bounds.sizes.reached import NOT_MADE, Accessed, Reached, either
from visaproof.analysis.bounds.sizes.words.decided_choices import decided_choices
from visaproof.analysis.bounds.sizes.words.guarded_sums import with_guarded_sums
from visaproof.checking.stages import literals
from visaproof.isa.identity import Same
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.machine.symbolic.loops.came_back import CountedLoop
from visaproof.queries.kernels.bounds import BoundsQuestion, Doubt
from visaproof.smt import BitVec, Bool, Op, conj, is_false
from visaproof.smt.limit import at_least

MOST_MS = 500
"""To show of all guards of a kernel what they say."""

MOST_FOR_WORDS_MS = 2_000
"""To show of all words of a kernel between which numbers they are."""

Excluded = Callable[[BoundsQuestion, Sequence[Bool]], bool]
"""Whether none of the conditions can hold in the launches of this question."""


class Ends(Struct):
    """Of the accesses of one kernel."""

    names: LaunchNames
    excluded: Excluded
    counted: tuple[CountedLoop, ...] = ()
    """Loops of unknown length."""
    left_ms: float = MOST_MS
    left_for_words_ms: float = MOST_FOR_WORDS_MS
    known: LaunchIntegers | None = None
    lanes: AlikeLanes | None = None
    kept: dict[Hashable, list[Reached] | None] = field(default_factory=dict[Hashable, "list[Reached] | None"])
    """What was found already: several questions about one message need it."""
    begun: dict[Hashable, "_Message"] = field(default_factory=dict[Hashable, "_Message"])
    """Messages for which the time ended: they are asked about again."""

    def reached(
        self, accesses: Sequence[Accessed], arguments: Sequence[str], zeros: Sequence[BitVec]
    ) -> list[Reached] | None:
        """Of each access, which stands with its address; None where one is no such sum.

        `arguments` may bound ids, `zeros` are words that are 0.
        """
        launched = self.names.start.group.launched
        if launched is None or not any(one.name == "global-ids" for one in self.names.start.assumed):
            return None
        if self.names.global_sizes:  # the relation of ids to these is another one
            return None
        self.known = self.known or LaunchIntegers(self.names, launched)
        self.lanes = self.lanes or AlikeLanes(self.known, self.counted)
        each = tuple((Same(question), Same(doubt), address) for question, doubt, address in accesses)
        key = each, tuple(arguments), tuple(zeros)
        if key not in self.kept:
            is_loop = len({question for question, _, _ in each}) > 1
            of_lanes = OfLanes(self.known, self.lanes, self.is_excluded, self.is_never, *key[1:], self.counted, is_loop)
            message = self.begun.setdefault(key, _Message(of_lanes, self.left_ms > 0))
            found = message.reached(accesses)
            if message.in_time and self.left_ms <= 0:  # some guards were not asked about
                found = _Message(replace(of_lanes, arguments=(), bounds={}), False).reached(accesses)
            self.kept[key] = found
            del self.begun[key]
        return self.kept[key]

    def is_excluded(self, question: BoundsQuestion, condition: Bool) -> bool:
        """As far as the time for all of them allows it."""
        if self.left_ms <= 0:
            return False
        before = process_time()
        found = self.excluded(question, [condition])
        self.left_ms -= 1000 * (process_time() - before)
        return found

    def is_never(self, formula: Bool) -> bool:
        """Whether a formula about words holds in no launch, as far as the time for all of them shows it."""
        assert self.known is not None
        if self.left_for_words_ms <= 0:
            return False
        before = process_time()
        with at_least(QUICK_MS / 1000):
            found = self.known.never(formula)
        self.left_for_words_ms -= 1000 * (process_time() - before)
        return found


class _Message(Struct):
    """Its accesses, and what is found of them."""

    of_lanes: OfLanes
    in_time: bool
    """Whether guards were asked about when it began."""
    found: dict[tuple[Same[Doubt], BitVec], Reached] = field(
        default_factory=dict[tuple[Same[Doubt], BitVec], "Reached"]
    )
    groups: list[Alike] = field(default_factory=list[Alike])
    """The accesses but the first; none before they were looked for."""

    def reached(self, accesses: Sequence[Accessed]) -> list[Reached] | None:
        lanes = self.of_lanes.lanes
        self.found |= {(Same(one[1]), one[2]): NOT_MADE for one in accesses if lanes.is_never_made(one)}
        accesses, every = [one for one in accesses if (Same(one[1]), one[2]) not in self.found], accesses
        for group in chain((Alike(None, [*accesses[:1]]),), self._groups(accesses[1:])):  # mostly all or none
            left = [one for one in group.accesses if (Same(one[1]), one[2]) not in self.found]
            of_any = _of_any_ids(self.of_lanes, group) if left else None
            for question, doubt, address in left:
                if (one := of_any or _of_each_way(self.of_lanes, question, doubt, address)) is None:
                    return None
                self.found[Same(doubt), address] = one
        return [self.found[Same(doubt), address] for _, doubt, address in every]

    def _groups(self, accesses: Sequence[Accessed]) -> Iterator[Alike]:
        self.groups = self.groups or [*self.of_lanes.lanes.groups(accesses)]
        yield from self.groups


def _of_any_ids(message: OfLanes, group: Alike) -> Reached | None:
    """Of all accesses of a group; None where each is looked at, as where a solver said something of the first."""
    if (found := message.lanes.any_lane(group)) is None:
        return None
    of_any = replace(message, integers=found.integers, own=found.own, counted=found.counted, last_lane=found.last_lane)
    question, doubt, address = found.access
    reached = _of_one(of_any, question, doubt, address)
    return None if of_any.rests_on_solver else reached


def _of_each_way(message: OfLanes, question: BoundsQuestion, doubt: Doubt, address: BitVec) -> Reached | None:
    """Of an access that is made once where one lane or another comes to it: what is so in whichever lane does.

    a is below b_0 or b_1 or …      each b_k at most m   =>   a is below m
    """
    if (found := _of_one(message, question, doubt, address)) is not None:
        return found
    said = [*literals(doubt.access.guard)]
    for place, some in reversed([*enumerate(said)]):  # of several the one that knows most of its lanes
        if some.op is Op.DISJ and (found := _of_ways(message, question, doubt, address, said, place)) is not None:
            return found
    return None


def _of_ways(
    message: OfLanes, question: BoundsQuestion, doubt: Doubt, address: BitVec, said: Sequence[Bool], place: int
) -> Reached | None:
    """In each of the ways of one thing that the guard says, if it is no further in one than in others."""
    found: Reached | None = None
    for way in cast(tuple[Bool, ...], said[place].args):
        guard = conj(way, *said[:place], *said[place + 1 :])
        one = _of_one(message, question, replace(doubt, access=replace(doubt.access, guard=guard)), address)
        found = one if one is None or found is None else either(found, one)
        if found is None:
            return None
    return found


def _of_one(message: OfLanes, question: BoundsQuestion, doubt: Doubt, address: BitVec) -> Reached | None:
    """Of one access: as it is written, else without the choices that its guard decides, else with words for sums."""
    as_written = Largest(message, question, doubt)
    found = as_written.reached(address)
    if found is not None and not as_written.elements.needed(found.signed):
        return found
    address, guard = decided_choices(address, doubt.access.guard, as_written.asked, message.lanes.never)
    if is_false(guard):
        return NOT_MADE
    written = [(address, guard)]
    if found is None and (with_sums := with_guarded_sums(address, guard)) is not None:
        written.append(with_sums)
    # words that are loaded are ranged at first, and only then elements of buffers, which have to be at least 0; what
    # arguments need among themselves is asked where all else fails
    tries = [(False, False)] if found is not None else [(False, False), (False, True), (True, False), (True, True)]
    for (names_sums, names_elements), (place, said) in product(tries, written):
        under = replace(doubt, access=replace(doubt.access, guard=said))
        last = Largest(message, question, under, is_last_try=True, names_elements=names_elements, names_sums=names_sums)
        if (other := last.reached(place)) is not None:
            return other
    return found
