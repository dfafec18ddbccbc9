"""A strategy is a row of a table: when it applies, what it may spend, and which answers it can give.

A pipeline tries rows in order until one answers.  An answer that a row is not sound for is an error of the program, not
a verdict: `gives` is checked each time.
"""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from time import process_time

from msgspec import Struct, field

from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.places import Condition, conditions
from visaproof.refinement.effects.question import Question
from visaproof.refinement.questions import questions
from visaproof.refinement.steps import Steps
from visaproof.refinement.verdicts import Refines, Unknown, Verdict


class Stage(Struct, frozen=True):
    """A strategy that was tried."""

    name: str
    seconds: float
    """Of the processor."""
    answer: str
    """The kind of verdict that it gave; empty where it gave none."""


class Stages(Struct):
    """What was tried for one question, in order."""

    tried: list[Stage] = field(default_factory=list[Stage])
    within: tuple[str, ...] = ()
    """The part of the question that is being asked."""

    @contextmanager
    def timed(self, name: str) -> Generator[list[str]]:
        """Counts what is done here as a stage; what it found is appended to the list that is given."""
        found: list[str] = []
        began = process_time()
        try:
            yield found
        finally:
            name = ": ".join((*self.within, name))
            self.tried.append(Stage(name, process_time() - began, "".join(found)))

    @contextmanager
    def part(self, name: str) -> Generator[None]:
        """What is tried here is shown as of this part."""
        before, self.within = self.within, (*self.within, name)
        try:
            yield
        finally:
            self.within = before


class Asked(Struct):
    """A question on its way through a table."""

    comparison: Comparison
    timeout_ms: int
    """For each question to a solver."""
    stages: Stages
    unknown: Unknown | None = None
    """What is said if no later row answers."""
    audited: bool = True
    """Whether runs are held against proofs by normal forms."""
    _expanded: Question | None = None
    _steps: Steps | None = None

    def about(self, comparison: Comparison) -> "Asked":
        """The same of another question, which this one leads to."""
        return Asked(comparison, self.timeout_ms, self.stages)

    @property
    def question(self) -> Question:
        return self.comparison.question

    @property
    def steps(self) -> Steps:
        """Small questions about it, each asked once."""
        if self._steps is None:
            self._steps = Steps(self.question, self.timeout_ms)
        return self._steps

    @property
    def expanded(self) -> Question:
        """The question in the second normal form, made when it is first needed."""
        if self._expanded is None:
            asked = self.question
            self._expanded = questions(self.comparison.runners, asked.launched, asked.forbidden, expand=True)[1]
        return self._expanded


class Strategy(Struct, frozen=True):
    """One row."""

    name: str
    applies: Callable[[Comparison], bool]
    run: Callable[[Asked], Verdict | None]
    """Its answer; None where it has none.  `Unknown` is kept, and the next row is tried."""
    gives: tuple[type, ...]
    """The verdicts for which it is sound."""
    spends: str
    """What it may spend."""
    any_length: bool = False
    """Whether what it proves is so of loops of any length, and not only of the iterations that were unrolled."""


class UnsoundAnswer(AssertionError):
    """A strategy gave a verdict that it is not sound for."""


def first_answer(table: Iterable[Strategy], asked: Asked) -> tuple[Strategy, Verdict] | None:
    """The first answer, and whose it is; None where every row passes.  Raises NotModelled."""
    for row in table:
        if not row.applies(asked.comparison):
            continue
        with asked.stages.timed(row.name) as told:
            found = row.run(asked)
            told += [] if found is None else [kind_of(found)]
        if found is None:
            continue
        if not isinstance(found, (*row.gives, Unknown)):
            raise UnsoundAnswer(f"{row.name} gives no {kind_of(found)}")
        if isinstance(found, Unknown):
            asked.unknown = asked.unknown or found
            continue
        return row, found
    return None


def kind_of(verdict: Verdict) -> str:
    """The name of a verdict's class, in small letters."""
    return type(verdict).__name__.lower()


def granted(comparison: Comparison, question: Question, by: str) -> Refines:
    """The verdict with the conditions that it needs."""
    source, target = question.source.reaches, question.target.reaches
    needed = conditions(source, target) if comparison.conditional else frozenset[Condition]()
    return Refines(by, needed | {Condition.ITEMS_APART} if question.source.items_apart else needed)
