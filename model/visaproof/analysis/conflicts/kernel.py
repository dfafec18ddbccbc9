"""All conflict questions of one file: what was found, and what could not be asked."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.conflicts.any_items.colliding_groups import colliding_groups
from visaproof.analysis.conflicts.any_items.items_after_others import SOON_MS, excluded_among_items
from visaproof.analysis.conflicts.any_items.items_apart import Apart, ItemsApart
from visaproof.analysis.conflicts.hard_questions import divides, has_products
from visaproof.analysis.conflicts.known_apart import KnownApart
from visaproof.analysis.conflicts.lane_conditions import Excluded
from visaproof.analysis.conflicts.launches.samples import Samples
from visaproof.analysis.conflicts.launches.threads import Threads
from visaproof.analysis.conflicts.missing_relations import KEPT_SHARE, Missing, MissingRelations
from visaproof.analysis.conflicts.put_questions import known_apart, put_questions
from visaproof.analysis.conflicts.reach import NOT_REACHED, is_reached
from visaproof.analysis.conflicts.results import Never, Progress
from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.analysis.conflicts.verdicts import (
    Conflict,
    Finding,
    Free,
    Undecided,
    decide_conflict,
    easily_shown,
    proved,
)
from visaproof.analysis.conflicts.whole_run import WholeRun
from visaproof.checking.limited import Questions, Stop, each_within, not_asked
from visaproof.isa.errors import LimitReached, Position
from visaproof.isa.identity import Same
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Start
from visaproof.launch.launch import Launch
from visaproof.launch.relations.expressions import Relation
from visaproof.launch.unmodelled_inputs import unmodelled_read
from visaproof.program.lower import Runnable
from visaproof.program.statements import Origin
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.smt import Term
from visaproof.smt.limit import NO_LIMIT, Limit

SEARCHED_MS = 1_000
"""For a question of a solver about launches that do not obey what was found to be missing."""
SHOWN_MS = 200
"""The same, where another scatter has shown such a launch: in that one the run may end before."""


MOST_IN_VAIN = 4
"""Of scatters of a surface in a row: then it is not asked of more of them, unless a run shows that their lanes collide
after others."""


class KernelAnswers(Struct, frozen=True, dict=True):
    """A kernel that was asked about; `answers` decides its scatters one by one, in the order of the program."""

    kernel: Runnable
    platform: Platform
    launch: Launch
    start: Start
    asked: Asked
    put: Questions[ConflictQuestion]
    items: ItemsApart
    limit: Limit = NO_LIMIT
    found_missing: dict[Position, Missing | None] = field(default_factory=dict[Position, Missing | None])
    """What was found to be missing, by the scatter: it stays where the limit ends the question itself."""
    searched_missing: dict[Position, MissingRelations] = field(default_factory=dict[Position, MissingRelations])
    """How far the search has come."""
    by_digits: dict[Position, bool] = field(default_factory=dict[Position, bool])
    """Whether it was found at once, of addresses with parts of numbers as digits."""
    confirmed: dict[Position, Finding] = field(default_factory=dict[Position, Finding])
    """Conflicts that a run has shown: they stay where the limit ends the search for what is missing."""
    undecided: dict[Position, Finding] = field(default_factory=dict[Position, Finding])
    """What stayed open without the loads of data."""
    settled: Mapping[Position, Finding] = field(default_factory=dict[Position, Finding])
    """What was found of a run in which more is open."""
    shown_missing: dict[tuple[Relation, ...], Position] = field(default_factory=dict[tuple[Relation, ...], Position])
    """With the first scatter of which a conflict was shown."""

    overlaps: dict[Position, Excluded] = field(default_factory=dict[Position, Excluded])
    """Of pairs of lanes, as what may not hold."""
    progress: dict[Same[ConflictQuestion], Progress] = field(default_factory=dict[Same[ConflictQuestion], Progress])
    """Of the searches that a share of the limit ended."""
    known: KnownApart | None = None
    """What was proved of scatters."""
    samples: Samples | None = None
    """Runs on random arguments."""
    in_vain: dict[str, int] = field(default_factory=dict[str, int])
    """By the surface: of how many scatters in a row it was asked in vain whether their lanes only collide where others
    do."""
    whole: WholeRun | None = None
    """None where this is the whole run."""
    again: "list[KernelAnswers]" = field(default_factory=list["KernelAnswers"])
    """That is asked about what stays open, once there is one."""

    @property
    def questions(self) -> tuple[ConflictQuestion, ...]:
        return self.put.asked

    @property
    def stopped(self) -> Stop | None:
        """What visaproof cannot run, or that its time was over; the scatters after it were not asked about."""
        return self.put.stopped

    @property
    def not_asked(self) -> list[Origin]:
        return [] if self.stopped is None else not_asked(self.kernel, self.questions, may_scatter)

    @property
    def positions(self) -> tuple[Position, ...]:
        """Of the scatters, in the order of the program."""
        return tuple(dict.fromkeys(question.instruction.position for question in self.questions))

    @property
    def bounded(self) -> tuple[Position, ...]:
        """The loops that may go back more often than they were unrolled."""
        return tuple(position for _, position in self.asked.trace.bounded)

    def answers(self) -> Iterator[Finding]:
        if self.samples is not None:
            self.samples.prepare(self.limit)
            self._confirm_samples(self.samples)
        if self.items.applies:
            of_products = (one.instruction.position for one in self.questions if has_products(one))
            self.items.prepare(dict.fromkeys(one for one in of_products if one not in self.settled))
        if self.samples is not None:
            self._confirm_samples(self.samples, after=True)
        return each_within(self.limit, self.positions, self.answer, self.given_up, self._how_far_apart)

    def _confirm_samples(self, samples: Samples, *, after: bool = False) -> None:
        """What they show of scatters: a second run, and what is proved with it, may take all the time."""
        with suppress(LimitReached), self.limit.within():
            for position in self.positions:
                if position in self.confirmed or not samples.shows(position, after=after):
                    continue
                rounds = self._iterations(position)
                among_items = partial(self._among_items, position, len(rounds))
                found = easily_shown(rounds, self.asked, self.known, samples, among_items)
                self.confirmed.update({} if found is None else {position: found})

    def _among_items(self, position: Position, rounds: int, number: int, most_ms: int) -> str:
        """By what it is excluded that lanes collide in this iteration where those of scatters with conflicts do not."""
        surface = self._iterations(position)[number].performed.surface
        if most_ms == SOON_MS and self.in_vain.get(surface, 0) >= MOST_IN_VAIN:
            return ""
        by = excluded_among_items(self.items, position, number, rounds, tuple(self.confirmed), most_ms)
        self.in_vain[surface] = 0 if by else self.in_vain.get(surface, 0) + 1
        return by

    def _how_far_apart(self, position: Position) -> Hashable:
        """Of two lanes, in each iteration: what is found of one scatter mostly settles those that are alike in this."""
        if self.samples is not None and self.samples.shows(position):
            return position
        return tuple(one.pairs[0].distance for one in self._iterations(position) if one.pairs) or position

    def given_up(self, position: Position, reached: LimitReached) -> Finding:
        if (known := self.confirmed.get(position)) is not None:
            found = self.found_missing
            return replace(known, missing=found.get(position), searched=position in found)
        if (known := self.undecided.get(position)) is not None:
            return known
        question = next(one for one in self.questions if one.instruction.position == position)
        return Finding(question, Undecided(str(reached)), self.found_missing.get(position))

    def answer(self, position: Position) -> Finding:
        """The answer for one scatter; what stays open without the loads of data is asked again with them."""
        if position in self.settled:
            return self.settled[position]
        if self.whole is None:
            return self._answer(position)
        if position not in self.undecided:
            found = self._answer(position)
            if not isinstance(found.answer, Undecided) or self.by_digits.get(position):
                return found
            self.undecided[position] = found
        whole = self._again()
        known = self.undecided[position]
        return whole.answer(position) if whole is not None and position in whole.positions else known

    def with_data(self) -> Asked:
        """The whole run: of data, too, it is asked what is undefined."""
        if self.whole is None:
            return self.asked
        ran = self.whole.trace()
        bounded = tuple(one for one in ran.bounded if one[1] in self.bounded)
        return replace(self.asked, trace=replace(ran, bounded=bounded), alone=None)

    def _again(self) -> "KernelAnswers | None":
        """The questions about the whole run, if that says more.  Raises LimitReached where it was not finished."""
        if self.whole is None or self.again:
            return next(iter(self.again), None)
        if self.whole.is_too_long:
            raise LimitReached(self.limit.seconds)
        asked = self.with_data()
        if isinstance(asked.trace.stopped, LimitReached):
            raise asked.trace.stopped
        unmodelled = unmodelled_read(self.kernel, self.launch, asked.trace.registers.initial_reads)
        if unmodelled is not None or not self.whole.says_more(asked.trace):
            return None
        put = put_questions(self.kernel, self.launch, asked, self.limit)
        known = known_apart(put)
        self.again.append(replace(self, asked=asked, put=put, known=known, whole=None, undecided={}, overlaps={}))
        return self.again[0]

    def proofs(self) -> Iterator[Finding]:
        """The scatters that are proved to be free, whatever else may be shown of them.  Raises LimitReached."""
        for position in () if self.bounded else self.positions:
            rounds = self._iterations(position)
            items = cache(partial(self._of_any_items, position, rounds))
            found = [proved(one, self.asked, items, self.known) for one in rounds]
            stages = dict.fromkeys(one.by for one in found if one is not None)
            if None not in found and not self.put.not_all_rounds(position):
                yield Finding(rounds[0], Free(", ".join(stages)))

    def _answer(self, position: Position) -> Finding:
        """A conflict in some iteration, or else an open one, or else free in each."""
        rounds = self._iterations(position)
        stages: dict[str, None] = {}
        undecided: Finding | None = None

        if position in self.confirmed:
            return self._with_missing(self.confirmed[position], rounds)

        @cache
        def proof() -> str:
            return self._of_any_items(position, rounds)

        def most_ms() -> int | None:
            """Where products leave it open, what is missing is looked for first: the solver may take all the time."""
            if any(map(has_products, rounds)):
                self._missing(position, rounds)
            return self._left_to_search(position)

        by_digits = self._missing_digits(position, rounds)
        for number, question in enumerate(rounds):
            progress = self.progress.setdefault(Same(question), Progress())
            known, shown = self.known, self._others(position)
            among_items = partial(self._among_items, position, len(rounds), number)
            match decide_conflict(
                question, self.asked, proof, most_ms, known, progress, shown, self.samples, by_digits, among_items,
                partial(self._groups, position, number, len(rounds)), threads=self._threads.of_groups,
            ):  # fmt: skip
                case Free(by):
                    stages[by] = None
                case Conflict() as conflict:
                    self.confirmed[position] = Finding(question, conflict)
                    return self._with_missing(self.confirmed[position], rounds)
                case answer:
                    missing = self._missing(position, rounds)
                    shown = None if missing is None else self.shown_missing.get(missing.relations)
                    if shown is not None:
                        reason = f"no launch was found in which these lanes meet and those of line {shown.line} do not"
                        return Finding(question, Undecided(reason), missing)
                    undecided = undecided or Finding(question, answer, missing)
                    if answer.stuck and missing is not None:
                        break  # to later iterations runs are longer
        if undecided is None and (reason := self.put.not_all_rounds(position)):
            return Finding(rounds[0], Undecided(reason))
        if undecided is None and self.start.where and is_reached(self.asked, rounds, ()) is False:
            return Finding(rounds[0], Free(NOT_REACHED, self.bounded))
        return undecided or Finding(rounds[0], Free(", ".join(stages), self.bounded))

    def _groups(self, position: Position, number: int, rounds: int) -> Never | Iterable[Mapping[Term, int]]:
        """Threads in which lanes may collide in this iteration, where launches that exist are asked about."""
        question = self.items.iteration(position, number, rounds)
        return () if question is None else colliding_groups(self.items, question)

    @cached_property
    def _threads(self) -> Threads:
        return Threads(self.asked, self.items.groups)

    def _others(self, position: Position) -> list[Values]:
        """The values that have shown conflicts of other scatters."""
        answers = (one.answer for at, one in self.confirmed.items() if at != position)
        return [one.values for one in answers if isinstance(one, Conflict)]

    def _with_missing(self, confirmed: Finding, rounds: Sequence[ConflictQuestion]) -> Finding:
        position = confirmed.question.instruction.position
        with self.limit.all_but(KEPT_SHARE):
            missing = self._missing(position, rounds)
        if missing is not None:
            self.shown_missing.setdefault(missing.relations, position)
        return replace(confirmed, missing=missing)

    def _left_to_search(self, position: Position) -> int | None:
        """Where it is known what is missing, the launch that shows it says little more: nothing, if one was shown."""
        missing = self.found_missing.get(position)
        if missing is None:
            return None
        return SHOWN_MS if missing.relations in self.shown_missing else SEARCHED_MS

    def _missing(self, position: Position, rounds: Sequence[ConflictQuestion]) -> Missing | None:
        """What would suffice, where launches that exist are asked about."""
        if not self.items.applies:
            return None
        if position not in self.found_missing:
            self.found_missing[position] = self._search_for_missing(position, rounds).find()
        return self.found_missing[position]

    def _missing_digits(self, position: Position, rounds: Sequence[ConflictQuestion]) -> bool:
        """Whether relations are found at once that keep apart lanes whose addresses have parts of numbers."""
        if position not in self.by_digits:
            values = self.asked.trace.arbitrary
            asks = self.items.applies and any(divides(one, values) for one in rounds)
            found = self._search_for_missing(position, rounds).by_digits(simply=True) if asks else None
            self.found_missing.update({} if found is None else {position: found})
            self.by_digits[position] = found is not None
        return self.by_digits[position]

    def _search_for_missing(self, position: Position, rounds: Sequence[ConflictQuestion]) -> MissingRelations:
        if position not in self.searched_missing:
            shape = self.items.shape(position)
            before = [one for at, one in self.found_missing.items() if one and self._follows(rounds, at)]
            alike = (one for at, one in self.searched_missing.items() if self.items.shape(at) == shape)
            self.searched_missing[position] = MissingRelations(self.items, rounds, before).after(next(alike, None))
        return self.searched_missing[position]

    def _follows(self, rounds: Sequence[ConflictQuestion], earlier: Position) -> bool:
        """Whether lanes only meet in these where those of an earlier scatter do, inside of its surface or outside."""
        denied = self.overlaps.get(earlier)
        if denied is None:
            denied = self.overlaps[earlier] = Excluded()
            for pair in (pair for question in self._iterations(earlier) for pair in question.pairs):
                denied.add(pair.overlap)
        return all(denied.excludes(pair.overlap) for question in rounds for pair in question.pairs)

    def _iterations(self, position: Position) -> list[ConflictQuestion]:
        return [question for question in self.questions if question.instruction.position == position]

    def _of_any_items(self, position: Position, rounds: Sequence[ConflictQuestion]) -> str:
        """How it was proved of any work items of one group, in words; empty where it was not."""
        values = self.asked.trace.arbitrary
        if not self.items.applies or not any(has_products(one) or divides(one, values) for one in rounds):
            return ""
        found = self.items.proof(position, len(rounds))
        return found.by if isinstance(found, Apart) else ""


def may_scatter(opcode: str) -> bool:
    """Whether a message with this opcode may store lane by lane."""
    return "scatter" in opcode or opcode.startswith("lsc_store")
