"""Decides whether a message stays inside its surface and is defined; a run of the kernel confirms every "no"."""

from collections.abc import Callable, Iterable, Iterator, Set
from enum import Enum
from functools import partial
from itertools import islice
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.bounds.kept_runs import KeptRuns
from visaproof.analysis.bounds.memory import launched, state_with_buffers
from visaproof.analysis.bounds.outside_search import emptied
from visaproof.analysis.conflicts.launches.collisions import colliding
from visaproof.analysis.conflicts.results import Found, Never, Open, Progress
from visaproof.analysis.conflicts.search import MOST_STATEMENTS, USUAL_LAUNCHES, Search
from visaproof.analysis.conflicts.thread_states import Asked, Values, bits_of
from visaproof.checking.all_choices import under_all_choices
from visaproof.checking.shrink import minimised
from visaproof.checking.stages import NORMAL_FORM
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.identity import Same
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.machine.concrete.run import Outcome, PerformedMessage, run
from visaproof.queries.kernels.bounds import BoundsQuestion, Doubt
from visaproof.semantics.concrete.choices import STRICT, Choices
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Miss
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, Store
from visaproof.semantics.symbolic.names import LaneOn, SurfaceSize, lane_on
from visaproof.semantics.symbolic.state import FLAT_BITS
from visaproof.smt import conj, evaluate, neg, signed_value, substitute, symbols_of, true
from visaproof.smt.evaluate import Evaluation

TEXEL = 4
"""Parts of a cell that say which texel it is; behind them may be a channel."""

LAST_SHOWN = 2
"""Launches that are tried again for other messages."""

USUAL_SIZE = 64
"""Work items of a group, where nothing depends on how many there are."""


class Effect(Enum):
    """What becomes of an access outside.  Pages: "Out-of-bound Access"."""

    DROPPED = "the write is dropped"
    ZERO = "the read gives 0"
    NOTHING = "it returns 0 and writes nothing"
    READS_ANYTHING = "it reads whatever lies there, or faults: 64-bit addresses have no bounds check (D12b)"
    WRITES_ANYTHING = "it writes whatever lies there, or faults: 64-bit addresses have no bounds check (D12b)"

    @staticmethod
    def of(access: Access, flat: bool) -> "Effect":
        if flat:
            return Effect.READS_ANYTHING if isinstance(access, Load) else Effect.WRITES_ANYTHING
        match access:
            case Store():
                return Effect.DROPPED
            case Load():
                return Effect.ZERO
            case Atomic():
                return Effect.NOTHING


class Holds(Struct, frozen=True):
    """For all inputs under the assumptions."""

    by: str
    bounded: tuple[Position, ...] = ()
    """Loops that may run longer than they were unrolled: nothing is said of the runs that do."""


class Reached(Struct, frozen=True):
    """Where an enabled lane reaches in the run of a counterexample; None for an access made once for all lanes."""

    lane: int | None
    cell: tuple[int, ...]
    width: int
    outside: bool
    offset: int | None = None
    """Of a 64-bit address: from the beginning of its buffer."""


class Shown(Struct, frozen=True):
    """A run of the kernel."""

    state: ConcreteState
    """Before the run."""
    values: Values
    depends_on: tuple[str, ...]
    """The symbols on which it depends whether this happens."""


class Outside(Struct, frozen=True):
    """A lane that reaches outside, in a run of the kernel on `shown`."""

    question: BoundsQuestion
    surface: str
    """The surface or the buffer that it leaves."""
    first: Reached
    effect: Effect
    reached: tuple[Reached, ...]
    """All accesses of the enabled lanes."""
    shown: Shown


class Meaningless(Struct, frozen=True):
    """A run of the kernel on `shown` that ends here, because it is undefined: `message` says why."""

    question: BoundsQuestion
    lane: int | None
    message: str
    shown: Shown


class Undecided(Struct, frozen=True):
    """Neither was shown."""

    reason: str


class Unbounded(Struct, frozen=True):
    """The message reaches 64-bit addresses of which it is not known in which buffer they lie."""

    reason: str


InBounds = Holds | Outside | Undecided | Unbounded
HasMeaning = Holds | Meaningless | Undecided

T = TypeVar("T")


class Tried(Struct):
    """What was tried for the messages of one kernel."""

    shown: list[KeptRuns] = field(default_factory=list[KeptRuns])
    """Where an access was outside, the newest first."""
    progress: dict[Same[BoundsQuestion], Progress] = field(default_factory=dict[Same[BoundsQuestion], Progress])
    """Of questions that the limit ended."""


def decide_bounds(question: BoundsQuestion, asked: Asked, tried: Tried | None = None) -> InBounds:
    """Whether every enabled lane of the message stays inside its surface."""
    tried = Tried() if tried is None else tried
    confirm = _Confirm(question, asked, question.outside)
    found = confirm.as_before(tried.shown) if question.outside else None
    if found is None:
        progress, empty = tried.progress.setdefault(Same(question), Progress()), emptied(question)
        found = _decided(
            question,
            asked,
            tuple(replace(one, condition=substitute(one.condition, empty)) for one in question.outside),
            "leave the surface",
            lambda index, values: confirm.outside(index, {**values, **dict.fromkeys(empty, 0)}),
            progress,
        )
        if isinstance(found, Outside):
            tried.shown[:] = [KeptRuns(found.shown.values), *tried.shown][:LAST_SHOWN]
    if isinstance(found, Outside):
        return found
    return Unbounded(question.lost) if question.lost else found


def decide_meaning(question: BoundsQuestion, asked: Asked) -> HasMeaning:
    """Whether the page gives every enabled lane of the message a meaning, collisions aside."""
    confirm = _Confirm(question, asked, question.undefined, strict=bool(question.performed.short))
    return _decided(question, asked, question.undefined, "are undefined", confirm.meaningless)


def _decided(
    question: BoundsQuestion,
    asked: Asked,
    doubts: tuple[Doubt, ...],
    verb: str,
    confirm: Callable[[int, Values], T | None],
    progress: Progress | None = None,
) -> Holds | T | Undecided:
    if not doubts:
        return Holds(NORMAL_FORM)
    search = Search(
        conditions=[doubt.condition for doubt in doubts],
        premise=conj(*question.premises),
        earlier=question.earlier,
        until=question.performed,
        subject="accesses",
        verb=verb,
        confirm=confirm,
        uninterpreted=asked.trace.arbitrary,
        likely_size=0,
        progress=progress or Progress(),
    )
    match search.run(asked):
        case Never(by):
            return Holds(by)
        case Found(what):
            return what
        case Open(reason):
            return Undecided(reason)


class _Confirm(Struct, frozen=True):
    """Runs the kernel on values for one of the doubts."""

    question: BoundsQuestion
    asked: Asked
    doubts: tuple[Doubt, ...]
    strict: bool = False
    """Whether to use what lies beyond a variable is the end of a run."""

    def outside(self, index: int, values: Values) -> Outside | None:
        return self._first(self._outside, index, values)

    def _outside(self, index: int, values: Values, choices: Choices) -> Outside | None:
        candidate, outcome = self._run(index, values, choices)
        misses = self._misses(outcome)
        return self._in_run([index], misses, candidate, Evaluation(candidate)) if misses else None

    def as_before(self, shown: Iterable[KeptRuns]) -> Outside | None:
        """What a run shows on values that showed an earlier message outside; what they do not decide is 0."""
        position = self.question.instruction.position
        for one in shown:
            run = one.of(self.question, self.asked)
            if run is not None and (misses := run.misses.get(position)):
                found = self._in_run(range(len(self.doubts)), misses, run.values, run.evaluation, run.before)
                if found is not None:
                    return found
        return None

    def _in_run(
        self,
        indices: Iterable[int],
        misses: Set[Miss],
        values: Values,
        evaluation: Evaluation,
        before: ConcreteState | None = None,
    ) -> Outside | None:
        """The first of these doubts whose access is among those that missed in a run on the values."""
        reached = tuple(self._reached(evaluation, misses))
        outside = {(one.lane, one.cell): one for one in reached if one.outside}
        for index in indices:
            access = self.doubts[index].access
            one = outside.get((self.question.lane(access), tuple(map(evaluation.of, access.cell))))
            if one is not None:
                place = self.question.places.get(Same(access))
                surface = place.buffer.key if place else self.question.performed.surface
                effect, shown = Effect.of(access, place is not None), self._shown(index, values, before)
                return Outside(self.question, surface, one, effect, reached, shown)
        return None

    def meaningless(self, index: int, values: Values) -> Meaningless | None:
        return self._first(self._meaningless, index, values)

    def _meaningless(self, index: int, values: Values, choices: Choices) -> Meaningless | None:
        lane = self.question.lane(self.doubts[index].access)
        candidate, outcome = self._run(index, values, choices)
        undefined = outcome.undefined
        if undefined is None or undefined.position != self.question.instruction.position:
            return None
        if colliding(outcome.performed[-1].writes) is not None:
            return None
        return Meaningless(self.question, lane, undefined.message, self._shown(index, candidate))

    def _first(self, shows: Callable[[int, Values, Choices], T | None], index: int, values: Values) -> T | None:
        """What a run shows whatever the results are that no page states."""
        for candidate in self._candidates(index, values):
            found = under_all_choices(partial(shows, index, candidate))
            if found is not None:
                return found
        return None

    def _candidates(self, index: int, values: Values) -> Iterator[Values]:
        """Small values with one lane alone, with few, and with those that do not matter; then the values.

        An iteration of a loop for all that were not unrolled is tried once: a run need not come to it.
        """
        premise, doubt = conj(*self.question.premises), self.doubts[index]
        small = minimised(values, (premise, doubt.condition), neg(true()))
        masks = [lane_on(k) for k in range(len(launched_lanes(self.asked.kernel)))]
        lane = self.question.lane(doubt.access) or 0
        alone = {mask: int(k == lane) for k, mask in enumerate(masks)}
        others = dict.fromkeys(masks, 1)
        launched_ids = self.asked.start.group.launched
        usual = () if launched_ids is None else islice(launched_ids.launches(masks), USUAL_LAUNCHES)
        in_usual = [small | one for one in usual]
        chosen_values = (small | alone, small, others | small, values | alone, values, others | values, *in_usual)
        for chosen in chosen_values[:1] if self.question.performed.any_round else chosen_values:
            candidate = launched(chosen, self.question.buffers, (premise, doubt.condition))
            if candidate is None or not self.asked.start.is_launch(masks, candidate):
                continue
            if bits_of(masks, candidate):
                yield candidate

    def _run(self, index: int, values: Values, choices: Choices) -> tuple[Values, Outcome]:
        """What a run on the values does; where it does not end, with sizes that the values leave open."""
        condition = conj(*self.question.premises, self.doubts[index].condition)
        sizes: Values = dict.fromkeys(self.asked.start.sizes, USUAL_SIZE)
        try:
            return values, self._outcome(values, choices)
        except NotModelled:
            if sizes.keys() <= values.keys() or not evaluate(condition, {**sizes, **values}):
                raise
        return {**sizes, **values}, self._outcome({**sizes, **values}, choices)

    def _outcome(self, values: Values, choices: Choices) -> Outcome:
        return run(self.asked.kernel, self._state(values, choices), enough=self._misses_any, most=MOST_STATEMENTS)

    def _state(self, values: Values, choices: Choices = STRICT) -> ConcreteState:
        state = state_with_buffers(self.asked, self.question.performed, self.question.buffers, values, choices)
        if self.strict and state.beyond is not None:
            position = self.question.instruction.position
            strict = (one.variable for one in self.asked.trace.beyond if one.position == position)
            state.beyond = replace(state.beyond, strict=frozenset(strict))
        return state

    def _misses_any(self, performed: PerformedMessage) -> bool:
        """Ends the run at the message in question once it has reached outside."""
        return bool(performed.misses) and performed.instruction.position == self.question.instruction.position

    def _misses(self, outcome: Outcome) -> set[Miss]:
        position = self.question.instruction.position
        return {miss for one in outcome.performed if one.instruction.position == position for miss in one.misses}

    def _reached(self, evaluation: Evaluation, misses: Set[Miss]) -> Iterator[Reached]:
        for access in self.question.performed.accesses:
            if evaluation.of(access.guard):
                cell = tuple(map(evaluation.of, access.cell))
                lane, place = self.question.lane(access), self.question.places.get(Same(access))
                if place is None:
                    missed = (Miss(cell, access.width) if len(cell) == 1 else Miss(cell[:TEXEL], 0)) in misses
                    yield Reached(lane, cell, access.width, missed)
                    continue
                # The page may read a qword at once, of which this is one half.
                missed = any(0 <= cell[0] - miss.cell[0] <= miss.width - access.width for miss in misses)
                inside, offset = evaluation.of(place.inside(access.width)), evaluation.of(place.offset)
                yield Reached(lane, cell, access.width, bool(missed and not inside), signed_value(offset, FLAT_BITS))

    def _shown(self, index: int, values: Values, before: ConcreteState | None = None) -> Shown:
        before = before or self._state(values)  # the run has changed its own
        symbols = symbols_of(self.doubts[index].condition)
        names = (str(one.payload) for one in symbols if not isinstance(one.payload, LaneOn | SurfaceSize))
        return Shown(before, dict.fromkeys(symbols, 0) | values, tuple(names))
