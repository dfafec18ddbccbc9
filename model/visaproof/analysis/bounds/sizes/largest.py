"""Sums at their largest, for one access: what its address and the words on which it depends are at most."""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import chain

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.bounds.sizes.alike_lanes import NUMBER, OfLanes
from visaproof.analysis.bounds.sizes.by_guard import ByGuard
from visaproof.analysis.bounds.sizes.counters.loop_counters import Bounded, LoopCounters, has_counter, without_counters
from visaproof.analysis.bounds.sizes.counters.unrolled_counters import with_sums
from visaproof.analysis.bounds.sizes.global_ids import GlobalIds, TurnedIds
from visaproof.analysis.bounds.sizes.ids_at_ends import IdsAtEnds
from visaproof.analysis.bounds.sizes.integers import Below, Integers
from visaproof.analysis.bounds.sizes.launch_integers import DWORD, Counted, LaunchIntegers, least_of
from visaproof.analysis.bounds.sizes.quotients import Divisions
from visaproof.analysis.bounds.sizes.reached import Reached, ends_below, larger_of_each
from visaproof.analysis.bounds.sizes.sums import (
    Key,
    is_natural,
    is_of_number,
    is_unknown,
    key_of,
    needed_least,
    of_arguments,
    split,
    upper,
    without_names,
)
from visaproof.analysis.bounds.sizes.words.any_numbers import AnyNumbers
from visaproof.analysis.bounds.sizes.words.decided_choices import short_conditions
from visaproof.analysis.bounds.sizes.words.element_words import ElementWords
from visaproof.analysis.bounds.sizes.words.masked_words import masked_words
from visaproof.analysis.bounds.sizes.words.names_in_guards import least_of_names, unequal_names
from visaproof.analysis.bounds.sizes.words.ranged_words import ranged_words
from visaproof.analysis.bounds.sizes.words.small_words import clamped_words, named_words, small_words
from visaproof.checking.stages import literals
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.inner_names import InnerName, Kind, is_inner
from visaproof.launch.relations.polynomials import Polynomial, constant_of, plus, times
from visaproof.queries.kernels.bounds import BoundsQuestion, Doubt
from visaproof.semantics.symbolic.literals import literals_of
from visaproof.smt import BitVec, Bool, conj, symbols_of
from visaproof.smt.halves.products import of_whole_words, whole_word

_NOTHING: Polynomial = {}


class Largest(Struct, dict=True):
    """Sums at their largest, for one access."""

    message: OfLanes
    question: BoundsQuestion
    doubt: Doubt
    steps: Mapping[int, Counted] = field(default_factory=dict[int, Counted])
    bounded: Mapping[str, Bounded] = field(default_factory=dict[str, Bounded])
    """Counters of loops that the guard keeps below something."""
    divided: dict[str, Polynomial] = field(default_factory=dict[str, Polynomial])
    """What quotients, remainders and small words are at most."""
    least_divided: dict[str, int] = field(default_factory=dict[str, int])
    divisions: Divisions = field(default_factory=lambda: Divisions(Integers({})))
    guarded: dict[str, Polynomial] = field(default_factory=dict[str, Polynomial])
    """What words are at most that the guard keeps from being negative, whatever else it says."""
    loops: set[str] = field(default_factory=set[str])
    """Those on which the address depends."""
    elements: ElementWords = field(default_factory=ElementWords)
    """What is loaded of buffers."""
    is_last_try: bool = False
    """Whether a solver is asked about words."""
    names_elements: bool = True
    """Whether words that are loaded are elements of buffers, which then have to be at least 0."""

    names_sums: bool = False
    """Whether a sum of arguments may have to be at least 0."""

    @cached_property
    def ids(self) -> GlobalIds:
        message, question = self.message, self.question
        return GlobalIds(
            self.integers, self.doubt.access.guard, self.lane, self.message.arguments, self.message.bounds,
            lambda condition: message.is_excluded(question, condition),
        )  # fmt: skip

    @property
    def at_ends(self) -> IdsAtEnds:
        return IdsAtEnds(self.ids, self.integers, self.steps)

    @property
    def integers(self) -> LaunchIntegers:
        return self.message.integers

    @cached_property
    def lane(self) -> int | None:
        """Whose ids are looked at: its own, or those of a lane that the guard says is on, if it does not of its own."""
        own, said = self.question.lane(self.doubt.access), {*literals(self.doubt.access.guard)}
        on = [lane for lane, one in enumerate(launched_lanes(self.integers.names.kernel)) if one in said]
        return own if own in on or not on else on[0]

    def reached(self, address: BitVec) -> Reached | None:
        """At this address; None where it has no largest value that is known."""
        atoms, self.steps = self.integers.atoms(self.lane)
        known, halves = {**atoms, **dict.fromkeys(self.message.zeros, _NOTHING)}, self.integers.halves()
        name = InnerName(Kind.LANE, 0)
        known[NUMBER], self.divided[name] = {(name,): 1}, {(): self.message.last_lane}
        is_below = ends_below(address, self.doubt.access.width, self.message.zeros)
        address, guard = whole_word(address), literals_of(of_whole_words(self.doubt.access.guard))
        as_run, counted = literals_of(self.doubt.access.guard), self.message.counted
        clamped = masked_words(address, counted, as_run, known, self._never_here)
        known, self.guarded, said = named_words(address, guard, known, halves, self.ids.parts.words)
        extremes = self.integers.extremes if self.names_elements else {}
        known |= self.elements.named(symbols_of(address, *guard), extremes, known)
        known |= self.elements.chosen(guard, extremes, known)
        (address,) = with_sums((address,), counted, as_run)
        guard = frozenset(with_sums([*guard], counted, as_run))
        counters = LoopCounters.of(counted, as_run, address, known, halves, self._never_here)
        self.bounded = counters.bounded()
        reader = counters.reader()
        clamped |= clamped_words(address, reader, clamped)
        divisions = Divisions(reader)
        address, compared_with = divisions.read(address, (*guard, *said))
        counters = replace(counters, guard=frozenset(compared_with))
        clamped |= clamped_words(address, reader, clamped)
        small, most_of_small = small_words(address, reader)
        reader.atoms, self.divided = {**reader.atoms, **small}, {**self.divided, **clamped, **most_of_small}
        if (found := self._read(address, reader, compared_with)) is None:
            return None
        self.divisions, loops, whole_ones = divisions, set[str](), set[str]()
        for name, one in list(divisions.found.items()):
            most = counters.compared(one.dividend) or Bounded(one.dividend, ())
            if (whole := self.largest(most.most)) is None:
                return None
            reader.limits += (*most.limits, *self._limits_of(loops))
            self.divided[name] = one.most(whole)
            self.least_divided[name] = least_of(conj(*compared_with), one.word)
            if (quotient := divisions.quotient_at_most(name, whole)) is not None:
                self.divided[quotient] = divisions.found[quotient].most(whole)
                whole_ones.add(quotient)
        found = divisions.by_quotients(found, whole_ones)
        reader.limits[:] = [Below(divisions.by_quotients(one.sum, whole_ones), one.bits) for one in reader.limits]
        turned = TurnedIds(
            self.ids, tuple(map(self.integers.step, range(3))), tuple(self.steps.get(d, Counted()) for d in range(3))
        )
        found = turned.turned(found)
        reader.limits[:] = [Below(turned.turned(one.sum), one.bits) for one in reader.limits] + turned.limits
        self.divided |= turned.most
        said = least_of_names(counters.compared_words, counters.reader, self.largest)
        ways = (
            partial(self._reached, found, reader.limits, counters, *said),
            partial(self._reached, found, reader.limits, None, {}, ()),
        )
        reached = next(filter(None, (ByGuard(counters, self.at_ends).settled(way) for way in ways)), None)
        if reached is None:
            return None
        unequal = unequal_names(counters.guard, counters.reader)
        natural = {name: 0 for name, _ in unequal if not self.integers.names.is_signed(name)}
        return replace(reached, least={**natural, **reached.least}, unequal=unequal, is_below=is_below)

    def _read(self, address: BitVec, reader: Integers, guard: Sequence[Bool]) -> Polynomial | None:
        """As a sum: a solver is asked about words of which else nothing is known, where all else was tried."""
        if not self.is_last_try:
            return reader.exact(address)
        atoms, limits = reader.atoms, len(reader.limits)
        found = reader.exact(address)
        known = atoms if found is None else {word: one for word, one in atoms.items() if not self._is_unbounded(one)}
        if found is not None and len(known) == len(atoms):
            return found
        kept, reader.limits[limits:] = reader.limits[limits:], ()
        reader.atoms = known
        ranged, most = ranged_words(address, guard, reader, self.asked)
        reader.atoms, self.divided = {**known, **ranged}, {**self.divided, **most}
        if ranged and (by_ranges := reader.exact(address)) is not None:
            return by_ranges
        reader.atoms, reader.limits[limits:] = atoms, kept
        return found

    @property
    def asked(self) -> AnyNumbers:
        """The solver, about words but ids."""
        return AnyNumbers(self.integers.atoms(self.lane)[0].keys(), self.message.never)

    def _never_here(self, condition: Bool) -> bool:
        """Whether it cannot hold where the access is made."""
        return self.asked.never(*short_conditions(literals_of(self.doubt.access.guard)), condition)

    def _is_unbounded(self, one: Polynomial) -> bool:
        """Whether it is the name of a word that is no part of an argument."""
        return any(is_inner(name, Kind.WORD) for part in one for name in part) and self.ids.parts.largest(one) is None

    def _reached(
        self,
        found: Polynomial,
        of_words: Sequence[Below],
        counters: LoopCounters | None,
        said: Mapping[str, int],
        needed_for_it: Sequence[Below],
        shown: ByGuard,
    ) -> Reached | None:
        """With sums that are at least as large as those of the address and of its words, by what the guard compares."""

        def compared(one: Polynomial, *, is_word: bool) -> Bounded:
            if counters is None or not (is_word or self.elements.has(one)):
                return Bounded(one, ())
            return counters.compared(one, less=not is_word) or Bounded(one, ())

        def at_most(
            one: Polynomial, known: Mapping[str, Polynomial], *, is_word: bool
        ) -> tuple[Bounded, Polynomial] | None:
            bounded = compared(one, is_word=is_word)
            whole = without_names(bounded.most, known)
            end = None if whole is None else self.largest(whole)
            if bounded.most != one and (end is None or constant_of(end) is None):  # i mod 7 is at most 6, not n - 1
                alone = self.largest(one)
                of_number = not self.message.is_loop and is_of_number(one, alone, end)
                if alone is not None and (constant_of(alone) is not None or of_number):
                    return Bounded(one, ()), alone
            return None if end is None else (bounded, end)

        if (most := at_most(found, {}, is_word=True)) is None:
            return None
        bounded, end = most
        limits: list[Below] = []
        needed, loops, words = [*of_words, *bounded.limits, *needed_for_it, *shown.limits], set[str](), len(of_words)
        needed += self._limits_of(loops)
        for place, limit in enumerate(needed):
            if limit.bits >= DWORD and self.at_ends.is_global_id(limit.sum):
                continue
            if (most := at_most(limit.sum, self.guarded, is_word=place < words)) is None:
                return None
            bounded, whole = most
            limits.append(Below(whole, limit.bits))
            needed += (*bounded.limits, *self._limits_of(loops))
        sums = found, end, *(one.sum for one in (*needed, *limits))
        used = self.ids.used.union(self.ids.parts.used, (name for one in sums for part in one for name in part))
        guard = self.doubt.access.guard
        least, above = self.integers.least(guard, used), self.integers.above(guard) & used
        arguments = self.message.arguments
        of_host = larger_of_each(needed_least(one.sum, least, arguments) for one in needed)
        least |= {**dict.fromkeys(above - least.keys(), 1), **of_host}
        if not all(self._is_natural(one.sum, least) for one in needed_for_it):
            return None
        least |= {name: max(least.get(name, 0), number) for name, number in said.items()}
        if (sums := self._sums(needed, least, shown)) is None:
            return None
        signed = self.elements.to_be_natural(used) - self.ids.natural - above
        return Reached(
            plus(end, {(): self.doubt.access.width}),
            tuple(limits),
            least,
            frozenset(filter(self.integers.names.is_signed, signed)),
            frozenset(self.ids.small),
            dict.fromkeys(self.divisions.positive, 1) | of_host,
            related=self.elements.related(used),
            sums=sums,
        )

    def _sums(self, needed: Sequence[Below], least: Mapping[str, int], shown: ByGuard) -> tuple[Polynomial, ...] | None:
        """Of arguments, which have to be at least 0, so that all of these are; None where that is not enough."""
        sums = dict[Key, Polynomial]()
        is_natural = partial(self._is_natural, least=least)
        # these have to hold of all iterations before, of which the guard of this one says nothing
        before = [one for name in self.loops for one in self.bounded[name].limits if has_counter(one.sum)]
        for one in needed:
            if is_natural(one.sum):
                continue
            if one not in before and (shown.shows(one.sum, is_natural) or shown.finds(one.sum, is_natural)):
                continue
            own, rest = of_arguments(one.sum, self.message.arguments)
            if not self.names_sums or not own or not is_natural(rest):
                return None
            sums[key_of(own)] = own
        return tuple(sums.values())

    def _limits_of(self, known: set[str]) -> list[Below]:
        """Under which the counters are bounded, and ids compared, that came up since those that are known."""
        natural, shifted = self.divisions.by_constants.natural, list(self.ids.shifted)
        new = sorted((self.loops | natural.keys()) - known)
        known |= {*new}
        self.ids.shifted.clear()
        each = ((natural[name],) if name in natural else self.bounded[name].limits for name in new)
        return [*shifted, *chain.from_iterable(each)]

    def largest(self, one: Polynomial) -> Polynomial | None:
        """With nothing but names; None where something has no largest value that is known."""
        whole = self.divisions.by_constants.at_most(one, self.largest)
        whole = whole and without_names(whole, self.divided)
        whole = whole and without_counters(whole, self.bounded, self.loops)
        found = self.at_ends.of_tiles(whole and without_names(whole, self.elements.most()))
        for dimension in range(len(DIMENSIONS)):
            found = None if found is None else self.at_ends.of_ids(found, dimension)
        found = None if found is None else self.ids.parts.largest(upper(found))
        found = None if found is None else self.integers.at_sizes(found)
        if found is None or any(is_unknown(name) for part in found for name in part):
            return None
        return {part: count for part, count in found.items() if count}

    def _is_natural(self, one: Polynomial, least: Mapping[str, int]) -> bool:
        """Whether it is at least 0 with each global id as small as the guard lets it be, and other ids at 0."""
        found = self.divisions.by_constants.with_remainders(self.divisions.by_quotients(one))
        if not self.divisions.by_constants.are_natural(found):
            return False
        if is_natural(found, {**least, **self.least_divided}):
            return True
        for dimension in range(len(DIMENSIONS)) if any(count < 0 for count in one.values()) else ():
            own, group = InnerName(Kind.ID, dimension), InnerName(Kind.GROUP, dimension)
            counted = self.at_ends.counted(found, dimension, most=False)
            ids, groups, alone, found = split(counted, own, group, self.integers.step(dimension))
            if any(count < 0 for some in (ids, groups, alone) for count in some.values()):
                return False
            both = {part: min(count, groups[part]) for part, count in ids.items() if part in groups}
            if both:
                found = plus(found, times(both, {(): self.ids.least(dimension)}))
        return is_natural(found, {**least, **self.least_divided})
