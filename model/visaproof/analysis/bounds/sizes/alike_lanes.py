"""Accesses of lanes that differ in their ids and numbers alone: what holds of one with any holds of each of them.

    guard(id), id < local size   =>   address(id) <= most        for every word id, so for the ids of each lane
    guard(n), n <= 15            =>   address(n) <= most         n: the number of the lane in its sub-group

That the ids are below the local size is shown of each lane.  What symbols of loops are called does not matter, once all
that is known of their counters has the same names; nor which values are left open, of which nothing is known, or which
elements of one buffer are loaded, of which only the largest and the smallest are.  Nothing else of a lane is used: who
asks solvers about one lane must not answer for the others.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace as with_fields
from functools import cached_property
from itertools import chain
from typing import cast

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.bounds.sizes.launch_integers import LaunchIntegers
from visaproof.analysis.bounds.sizes.reached import Accessed
from visaproof.analysis.bounds.sizes.words.never_together import NeverTogether
from visaproof.analysis.conflicts.any_lane import any_id, is_in_group, symbols_in, with_any_ids
from visaproof.checking.stages import literals
from visaproof.isa.identity import Same
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.machine.symbolic.loops.came_back import CountedLoop, Counter
from visaproof.queries.kernels.bounds import BoundsQuestion, Doubt
from visaproof.semantics.symbolic.literals import Literals
from visaproof.semantics.symbolic.value_names import OfLoop, OpenValue
from visaproof.smt import BitVec, Bool, Op, Term, conj, const, substitute, symbol, symbols_of
from visaproof.smt.generalised import generalised
from visaproof.smt.substitution import substitute_all

NUMBER = symbol("any_lane_number", 32)
"""What stands for the number of any lane."""
MOST_OPEN = 3
"""Groups of one kind that an access may be like: the first lane is often apart, since its number is 0."""


class AnyLane(Struct, frozen=True):
    """An access with any ids, in the place of those of the first of its lanes, and with its number as a word."""

    access: Accessed
    counted: tuple[CountedLoop, ...]
    """What is known of the loops on which it depends."""
    integers: LaunchIntegers
    own: Mapping[Term, Term]
    """The ids and the number of that lane."""
    last_lane: int
    """What the word for the number is at most."""


class OfLane(Struct, frozen=True):
    """An access with any ids: all that what it reaches follows from."""

    parts: tuple[Term, ...]
    """The address, what the guard says beside that the lane is on, and of each loop word, first value and step of the
    counters."""
    guard: int
    """How many parts are of the guard."""
    loops: tuple[tuple[int, tuple[int, ...]], ...]
    """How many counters a loop has, and which parts of the guard held in each iteration before."""

    def like(self, other: "OfLane", places: tuple[int, int], kind: Callable[[Term], Hashable]) -> "OfLane | None":
        """Both, with the number of the lane as a word, if they differ in nothing else but symbols of one kind."""
        if (self.guard, self.loops) != (other.guard, other.loops) or len(self.parts) != len(other.parts):
            return None
        found = generalised(self.parts, other.parts, places, NUMBER, kind)
        return None if found is None else replace(self, parts=tuple(found))

    def at(self, place: int) -> "OfLane":
        """Of the lane with this number, where it stands as a word."""
        return replace(self, parts=tuple(substitute_all(self.parts, {NUMBER: const(place, NUMBER.width)})))

    def conditions(self) -> list[Bool]:
        """What the guard says."""
        return cast(list[Bool], self.parts[1 : 1 + self.guard])

    def counted(self, on: Bool) -> Iterator[CountedLoop]:
        """The loops, where the lane is on."""
        words, said = iter(cast(tuple[BitVec, ...], self.parts[1 + self.guard :])), self.conditions()
        for count, held in self.loops:
            counters = tuple(Counter(next(words), next(words), next(words), None) for _ in range(count))
            yield CountedLoop(counters, {on: frozenset(said[place] for place in held)})


class Alike(Struct):
    """Accesses that are one with any ids, with the lanes that make them."""

    of_any: OfLane | None
    accesses: list[Accessed] = field(default_factory=list[Accessed])
    lanes: list[int] = field(default_factory=list[int])
    of_first: OfLane | None = None
    """The first of them as it is, where the number of the lane stands as a word."""


class AlikeLanes(Struct, dict=True):
    """Of one kernel."""

    integers: LaunchIntegers
    counted: tuple[CountedLoop, ...] = ()
    """Loops of unknown length."""
    integers_of_any: dict[Hashable, LaunchIntegers] = field(default_factory=dict[Hashable, LaunchIntegers])
    cuts: dict[tuple[Same[Doubt], BitVec], OfLane | None] = field(
        default_factory=dict[tuple[Same[Doubt], BitVec], "OfLane | None"]
    )
    """Kept where the time for a message ends: it is asked again."""
    order: dict[Hashable, int] = field(default_factory=dict[Hashable, int])
    """What guards say with any ids, and the symbols of that, in the order in which they came: guards that say the same
    are one then, and of those that differ in numbers or names of loops the same parts are beside each other."""
    never: NeverTogether = field(default_factory=NeverTogether)
    """What guards say that never holds: of one access this takes a solver, of others with any ids none."""

    @cached_property
    def _loaded_of(self) -> dict[Term, int]:
        """Of which argument's buffer words are elements."""
        loaded = self.integers.names.loaded or {}
        return {word: index for index, words in loaded.items() for word in words}

    def groups(self, accesses: Sequence[Accessed]) -> Iterator[Alike]:
        """All accesses, in their order: nothing is done before the first is asked for."""
        found: dict[Hashable, Alike] = {}
        for place, access in enumerate(accesses):
            question, doubt, _ = access
            lane, own = question.lane(doubt.access), (Same(doubt), access[2])
            if own not in self.cuts:
                self.cuts[own] = self._cut(access)
            cut, kind = self.cuts[own], self._kind(access)
            group = found.setdefault(place if cut is None or kind is None else (kind, cut), Alike(cut))
            group.accesses.append(access)
            group.lanes += [] if lane is None else [lane]
        yield from self._by_numbers(found.values())

    def is_never_made(self, access: Accessed) -> bool:
        """Whether its guard is one that was shown never to hold, with any ids."""
        if not self.never.known or (found := self._lane(access)) is None:
            return False
        lane, guard = found
        return self.never.among(with_any_ids(guard, self.integers.launched.ids[lane]))

    def _kind(self, access: Accessed) -> Hashable:
        """Accesses of two kinds are not alike."""
        question, doubt, _ = access
        if (lane := question.lane(doubt.access)) is None:
            return None
        ids = self.integers.launched.ids
        numbers = tuple(word if word.op is Op.CONST else None for word in ids[lane]) if lane < len(ids) else ()
        return Same(question), doubt.access.width, numbers

    def _by_numbers(self, groups: Iterable[Alike]) -> Iterator[Alike]:
        """The same, with those in one that are of a single lane and differ in its number."""
        open_groups = dict[Hashable, list[Alike]]()
        for group in groups:
            kind = self._kind(group.accesses[0])
            if group.of_any is None or kind is None or len(group.accesses) > 1:
                yield group
                continue
            some = open_groups.setdefault(kind, [])
            if not any(self._joins(group, other) for other in some[-MOST_OPEN:]):
                some.append(group)
        yield from chain.from_iterable(open_groups.values())

    def _joins(self, one: Alike, other: Alike) -> bool:
        """Whether an access is among those of another group now: it differs in the number of its lane alone."""
        assert one.of_any is not None
        assert other.of_any is not None
        first, places = other.of_first or other.of_any, (other.lanes[0], one.lanes[0])
        if other.of_first is None or other.of_any.at(places[1]) != one.of_any:
            both = None if places[0] == places[1] else first.like(one.of_any, places, self._any_of)
            if both is None or (other.of_first is not None and both != other.of_any):
                return False
            other.of_any = both
        other.of_first = first
        other.accesses += one.accesses
        other.lanes += one.lanes
        return True

    def _any_of(self, symbol: Term) -> Hashable:
        """Of what it is any, so that others of that may be in its place; None where it is the only one."""
        kind = type(symbol.payload)
        return self._loaded_of.get(symbol, kind if kind in (OfLoop, OpenValue) else None)

    def _cut(self, access: Accessed) -> OfLane | None:
        """With any ids, and not that the lane is on; None where more depends on the lane."""
        if (found := self._lane(access)) is None:
            return None
        lane, guard = found
        address, launched, ids = access[2], self.integers.launched, self.integers.launched.ids[lane]
        loops = self._loops(address, guard)
        counters = [word for own, _ in loops for one in own for word in (one.word, one.first, one.step)]
        words = {dimension for dimension, word in enumerate(ids) if word.op is not Op.CONST}
        at, *of_counters = with_any_ids([address, *counters], ids)
        of_guard = dict(zip(guard, with_any_ids(guard, ids), strict=True))
        kept = sorted(guard, key=lambda one: self._place(of_guard[one]))
        parts = (at, *(of_guard[one] for one in kept), *of_counters)
        own = {*symbols_of(*ids)} - {*symbols_of(*launched.sizes)}
        is_alike = all(own.isdisjoint(symbols_in(part)) for part in parts)
        is_alike = is_alike and words <= self.integers.atoms(lane)[1].keys()
        held = (tuple(place for place, one in enumerate(kept) if one in some) for _, some in loops)
        shape = tuple((len(own), places) for (own, _), places in zip(loops, held, strict=True))
        return OfLane(parts, len(kept), shape) if is_alike else None

    def _place(self, said: Bool) -> tuple[int, ...]:
        """By which conditions are in one order, whatever their order in a guard."""
        named = frozenset(one for one in symbols_in(said) if self._any_of(one) is None)
        keys = ((said.op, said.args[0].op if said.op is Op.NOT else None, named), said)
        return tuple(self.order.setdefault(key, len(self.order)) for key in keys)

    def _lane(self, access: Accessed) -> tuple[int, list[Bool]] | None:
        """Its lane, and what the guard says beside that this is on; None where it does not say so."""
        question, doubt, _ = access
        lane = question.lane(doubt.access)
        if lane is None or lane >= len(self.integers.launched.ids):
            return None
        said, on = [*literals(doubt.access.guard)], launched_lanes(self.integers.names.kernel)[lane]
        return (lane, [one for one in said if one is not on]) if on in said else None

    def _loops(self, address: BitVec, said: Sequence[Bool]) -> list[tuple[list[Counter], Literals]]:
        """Of each loop on whose counters the address depends these, and those that the guard compares, with what of the
        guard has held."""
        guard, used = frozenset(said), frozenset(symbols_of(address))
        found: list[tuple[list[Counter], Literals]] = []
        for loop in self.counted:
            own = [(one, frozenset(symbols_of(one.word))) for one in loop.counters_of(guard)]
            if used.isdisjoint(chain.from_iterable(symbols for _, symbols in own)):
                continue
            held = loop.held(guard)
            about = used.union(symbols_of(*held))
            found.append(([one for one, symbols in own if not symbols.isdisjoint(about)], held))
        return found

    def any_lane(self, group: Alike) -> AnyLane | None:
        """One access for all of several."""
        if group.of_any is None or len(group.accesses) == 1:
            return None
        (question, doubt, _), lane, parts = group.accesses[0], group.lanes[0], group.of_any.parts
        launched, names, used = self.integers.launched, self.integers.names, {*symbols_of(*parts)}
        own: dict[Term, Term] = {
            any_id(word, d): word for d, word in enumerate(launched.ids[lane]) if word.op is not Op.CONST
        }
        own[NUMBER] = const(lane, NUMBER.width)
        dimensions = range(len(launched.ids[lane]))
        within = tuple(
            any_id(launched.ids[lane][d], d) in used and all(is_in_group(launched, each, d) for each in group.lanes)
            for d in dimensions
        )
        if (lane, within) not in self.integers_of_any:
            x, y, z = (word if word.op is Op.CONST else any_id(word, d) for d, word in enumerate(launched.ids[lane]))
            of_any = with_fields(launched, ids=(*launched.ids[:lane], (x, y, z), *launched.ids[lane + 1 :]))
            of_any.in_group.update({(lane, d): within[d] for d in dimensions})
            self.integers_of_any[lane, within] = LaunchIntegers(names, of_any, self.integers.shown)
        on = launched_lanes(names.kernel)[lane]
        access = replace(doubt, access=replace(doubt.access, guard=conj(on, *group.of_any.conditions())))
        counted = tuple(group.of_any.counted(on))
        whole = (question, access, cast(BitVec, parts[0]))
        return AnyLane(whole, counted, self.integers_of_any[lane, within], own, max(group.lanes))


class OfLanes(Struct):
    """What is known of the accesses of one message."""

    integers: LaunchIntegers
    lanes: AlikeLanes
    excluded: Callable[[BoundsQuestion, Bool], bool]
    """Whether a condition cannot hold in the launches of a question."""
    never: Callable[[Bool], bool]
    """Whether a formula holds in no launch at all."""
    arguments: tuple[str, ...]
    """They may bound ids."""
    zeros: tuple[BitVec, ...]
    """Words that are 0."""
    counted: tuple[CountedLoop, ...]
    is_loop: bool = False
    """Whether the accesses are of several iterations."""
    bounds: dict[int, str | None] = field(default_factory=dict[int, str | None])
    """The argument that bounds the global ids of a dimension, as the guard of the first access says."""
    own: Mapping[Term, Term] = field(default_factory=dict[Term, Term])
    """The ids and the number of a lane, where any stand for them."""
    last_lane: int = 0
    """What NUMBER is at most, where it stands for that of any lane."""
    rests_on_solver: bool = False
    """Whether a condition was excluded."""

    def is_excluded(self, question: BoundsQuestion, condition: Bool) -> bool:
        found = self.excluded(question, substitute(condition, self.own))
        self.rests_on_solver |= found
        return found
