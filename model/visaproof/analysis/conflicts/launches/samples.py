"""Small random arguments in usual launches, run: where conditions have functions or products, a solver is slow.

    out[i / width · pitch + i % width]      collides with width, height, pitch = 5, 3, 1

What decides places alone is run first, in few statements.  Where lanes collide, arguments are made smaller, and the
whole kernel is run once on the same values, past the first collision, to the last one that was seen.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import chain, cycle, islice, product
from random import Random

from msgspec import Struct, field

from visaproof.analysis.conflicts.after_others import whatever_is_stored
from visaproof.analysis.conflicts.alike_values import functions_in
from visaproof.analysis.conflicts.hard_questions import is_hard
from visaproof.analysis.conflicts.launches.collisions import colliding, collisions
from visaproof.analysis.conflicts.launches.simple_values import SURFACE_BYTES, likely_size
from visaproof.analysis.conflicts.launches.usual_launches import high_dwords, smallest_first
from visaproof.analysis.conflicts.thread_states import Asked, Values, state_of
from visaproof.checking.all_choices import under_each_choice
from visaproof.isa.errors import LimitReached, NotModelled, Position
from visaproof.launch.ids.launched_words import FEW_GROUPS
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.machine.concrete.run import Code, MissingSurface, Outcome, PerformedMessage, Thread, run
from visaproof.program.lower import lowered
from visaproof.program.places_alone import PlacesAlone, places_alone
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.semantics.concrete.choices import Choices
from visaproof.smt import Bool, Term, conj, symbols_of
from visaproof.smt.compiled import compiled
from visaproof.smt.limit import Limit

SAMPLES = 64
HIGHEST = 31
"""Of a bit of a global size."""
MANY = 8
"""Of how many powers of two, from the largest down, a global size is one where it is large; or an argument."""
MOST_TRIED = 6
"""Of the samples in which lanes collide: more than one are for scatters that none of these comes to."""
BITS = (1, 3, 3, 5)
"""Of an argument, one of these."""
SMALLER = (0, 1, 2)
"""To which an argument is changed where lanes still collide: then few are on, and loops are short."""
OTHERS = (1, 2, 3, 4)
"""To which an argument is changed beside such values."""
MOST_SHORT = 10_000
"""Statements that decide places, of one run."""
MOST_IN_ALL = 40_000
"""The same, of all samples: each may take a quarter of what is left, as many have loops that hardly end."""
FEW = 2_000
"""With so many left the samples end: a quarter of that is no run."""
MOST_AGAIN = 2_000
"""The same, of one that is run again and again for smaller arguments."""
MOST_WHOLE = 100_000
"""Statements of the whole kernel, of one run."""
SHARE = 0.8
"""Of the time that is left."""


class Sample(Struct, frozen=True):
    """A run in which lanes collide, past collisions."""

    values: Values
    outcome: Outcome
    shown: frozenset[Position]
    """The scatters whose lanes collide, whatever the results are that no page states."""

    def collision(self, position: Position) -> tuple[PerformedMessage, Position] | None:
        """The message of this scatter whose lanes collide, and where the first of all is."""
        if position not in self.shown:
            return None
        collided = [self.outcome.performed[place] for place in self.outcome.collided]
        first, *_ = (one.instruction.position for one in collided)
        return next(one for one in collided if one.instruction.position == position), first


class Samples(Struct, dict=True):
    """Those of one kernel."""

    asked: Asked
    arguments: Sequence[Term]
    """The words of its arguments by value."""
    questions: Sequence[ConflictQuestion]
    found: list[Sample] = field(default_factory=list[Sample])
    begun: bool = False
    steps: int = 0
    """Of the last short run."""

    def prepare(self, limit: Limit) -> None:
        """Looks for them, once, in a share of the time."""
        if not self.begun and any(is_hard(one, self.asked.trace.arbitrary) for one in self.questions):
            self.begun = True
            with suppress(LimitReached), limit.within(SHARE):
                self._search()

    def shows(self, position: Position, *, after: bool = True) -> bool:
        """Whether lanes of this scatter collide in some sample, `after` others or as the first ones."""
        return any(found[1] == position or after for one in self.found if (found := one.collision(position)))

    def _search(self) -> None:
        everywhere = {one.instruction.position for one in self.questions}
        seen, drawn, tried = set[Position](), deque[Iterator[Values]]([self._values()]), 0
        left = MOST_IN_ALL
        while drawn and left > FEW and tried < MOST_TRIED and seen != everywhere:
            if (values := next(drawn[0], None)) is None:
                drawn.popleft()
                continue
            collided = self._collided(values, Choices(0), min(MOST_SHORT, left // 4))
            left -= self.steps
            if not seen.issuperset(collided):
                tried += 1
                if (sample := self._sample(values)) is not None:
                    seen |= sample.shown
                    self.found.append(sample)
                    drawn.appendleft(self._beside(sample.values))

    def whatever_is_stored(self, sample: Sample, first: Position, position: Position) -> bool:
        """Whether lanes of this scatter collide in the sample whatever those of the first one leave: in each iteration
        that it came to, nothing depends on what is loaded behind that.
        """
        rounds = [one for one in self.questions if one.instruction.position == position]
        came = sum(one.instruction.position == position for one in sample.outcome.performed)
        meets = (pair.meet for one in rounds for pair in one.pairs)
        return came <= len(rounds) and whatever_is_stored(
            self.asked.trace, first, conj(*self.questions[0].premises, *meets)
        )

    @property
    def _alone(self) -> PlacesAlone:
        asked = self.asked
        return places_alone(lowered(asked.kernel, asked.platform), asked.start.private_variable)

    def _values(self) -> Iterator[Values]:
        """Of launches for which the premises hold; what no value is given of is 0."""
        launches, premise = smallest_first(self.asked), self._premise
        if not launches or functions_in(premise, self.asked.trace.arbitrary):
            return
        symbols = symbols_of(premise, *(one.pairs[0].meet for one in self.questions if one.pairs))
        sizes = {
            one: size for one in symbols if (size := likely_size(one, SURFACE_BYTES, self.asked.local)) is not None
        }
        random = Random(0)
        for place, launch in enumerate(islice(cycle(launches), SAMPLES)):
            large = (place + place // len(launches)) % 2 == 1
            words = self._words(random, large)
            words |= {one: 0 for one in high_dwords(self.asked) if one in words and not large}
            values = {**sizes, **words, **(self._with_many_groups(random, launch, symbols) if large else launch)}
            if self._is_launch(values):
                yield values

    def _words(self, random: Random, large: bool) -> Values:
        """Of the arguments: small numbers, and where some are `large` every second time one alone."""
        if large and self.arguments and random.getrandbits(1):
            words = {one: _word(random, one.width, large=False) for one in self.arguments}
            one = random.choice(self.arguments)
            return {**words, one: 1 << max(0, one.width - 1 - random.randrange(MANY))}
        return {one: _word(random, one.width, large) for one in self.arguments}

    def _with_many_groups(self, random: Random, launch: Values, used: Sequence[Term]) -> Values:
        """With many groups in one dimension of those on which it depends where lanes write, and one in the others: as
        out[y · global_size_x + x] collides where 4 · global_size_x is 2^32.
        """
        launched = self.asked.start.group.launched
        wholes = [] if launched is None else [one for one in launched.of_all_groups if one]
        decisive = [one for one in wholes if not one.isdisjoint(used)]
        if not decisive:
            return launch
        chosen, found = random.choice(decisive), dict(launch)
        highest = max(found[one] // FEW_GROUPS for one in chosen).bit_length() - 1
        many = 1 << max(0, HIGHEST - highest - random.randrange(MANY))
        for whole in wholes:
            found |= {one: found[one] // FEW_GROUPS * (many if whole is chosen else 1) for one in whole}
        return found

    @cached_property
    def _premise(self) -> Bool:
        return conj(*self.questions[0].premises)

    @cached_property
    def _premise_holds(self) -> Callable[[Values], bool]:
        symbols = symbols_of(self._premise)
        evaluate = compiled((self._premise,), symbols)
        return lambda values: bool(evaluate([values.get(one, 0) for one in symbols])[0])

    def _is_launch(self, values: Values) -> bool:
        """Whether one of the usual launches has these values, with arguments as they are stated."""
        return all(one.holds(values) for one in self.asked.start.where) and self._premise_holds(values)

    def _beside(self, values: Values) -> Iterator[Values]:
        """With another small argument, or in another launch: branches, and more lanes, may lead to another scatter."""
        arguments = ({word: other} for word, other in product(self.arguments, OTHERS))
        for some in chain(arguments, smallest_first(self.asked)):
            changed = {**values, **some}
            if changed != values and self._is_launch(changed):
                yield changed

    def _smaller(self, values: Values) -> Values:
        """With smaller arguments for which lanes of the same scatters collide."""
        collided = self._collided(values, Choices(0))
        if self.steps > MOST_AGAIN:
            return values
        for word in self.arguments:
            for small in SMALLER:
                changed = {**values, word: small}
                if values[word] <= small:
                    break
                if self._is_launch(changed) and set(self._collided(changed, Choices(0))).issuperset(collided):
                    values = changed
                    break
        return values

    def _collided(self, values: Values, choices: Choices, most: int = MOST_SHORT) -> tuple[Position, ...]:
        """The scatters whose lanes collide in a run of what decides places alone."""
        state = state_of(self.asked, self.questions[0].performed, values, choices)
        if not state.exec_mask:
            return ()
        thread = Thread(Code(self._alone.short, self.asked.platform), state, most=most, past_collisions=True)
        try:
            while not isinstance(ended := thread.resume(), Outcome):
                pass
        except (NotModelled, MissingSurface):
            return ()
        finally:
            self.steps = thread.steps
        return collisions(ended)

    def _always_collided(self, values: Values) -> tuple[Position, ...]:
        """The same whatever the results are that no page states; none unless the first one is always the same."""
        first, *others = under_each_choice(partial(self._collided, values))
        if any(one[:1] != first[:1] for one in others):
            return ()
        return tuple(one for one in first if all(one in other for other in others))

    def _sample(self, values: Values) -> Sample | None:
        """The whole kernel, run on smaller values if these do.

        That no page states a result makes no difference to where lanes store: that was asked of the short run.
        """
        for candidate in (self._smaller(values), values):
            lanes = launched_lanes(self.asked.kernel)
            if not self.asked.start.is_launch(lanes, candidate) or not (expected := self._always_collided(candidate)):
                continue
            ended = self._whole(candidate, expected[-1])
            collided = () if ended is None else collisions(ended)
            if ended is not None and collided[:1] == expected[:1]:
                return Sample(candidate, ended, frozenset(collided).intersection(expected))
        return None

    def _whole(self, values: Values, last: Position) -> Outcome | None:
        """Ends behind the first collision at the last scatter."""
        state = state_of(self.asked, self.questions[0].performed, values, Choices(0))

        def is_last(message: PerformedMessage) -> bool:
            return message.instruction.position == last and colliding(message.writes) is not None

        try:
            return run(self.asked.kernel, state, enough=is_last, most=MOST_WHOLE, past_collisions=True)
        except (NotModelled, MissingSurface):
            return None


def _word(random: Random, width: int, large: bool) -> int:
    """Mostly a small number; or a power of two, with which products wrap."""
    if large and random.getrandbits(1):
        return 1 << random.randrange(width)
    return random.getrandbits(min(random.choice(BITS), width))
