"""The weakest set of launch assumptions under which a scatter is free: none, then ids, then bounded."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.verdicts import Finding, Free
from visaproof.checking.limited import each_within
from visaproof.isa.errors import LimitReached, Position
from visaproof.launch.assumptions import Assume

SETS = Assume.NONE, Assume.IDS, Assume.BOUNDED
"""Each contains those before it."""

NEVER_PERFORMED = "never performed"
"""What decides a scatter that no run comes to."""


class Weakest(Struct, frozen=True):
    """The answer for one scatter under the weakest set that frees it, or under the strongest where none does."""

    assume: Assume
    answers: KernelAnswers
    finding: Finding
    weaker: tuple[tuple[Assume, Finding], ...]
    """The sets before it, with the answers that are no proof."""

    @property
    def suffices(self) -> bool:
        """Whether the scatter is free, with no bound on loops."""
        return is_free(self.finding)


def is_free(finding: Finding) -> bool:
    """Whether it is proved for all inputs under the assumptions that no two lanes meet."""
    match finding.answer:
        case Free(bounded=()):
            return True
        case _:
            return False


def under_one_set(assume: Assume, answers: KernelAnswers) -> Iterator[Weakest]:
    """Every scatter of a kernel under one set, whether it suffices or not."""
    return (Weakest(assume, answers, finding, ()) for finding in answers.answers())


def weakest(ask: Callable[[Assume], KernelAnswers], first: KernelAnswers) -> Iterator[Weakest]:
    """Every scatter of a kernel, in the order of the program; a stronger set is asked only where it is needed.

    `first` has the questions under the weakest set.
    """

    @cache
    def asked(assume: Assume) -> KernelAnswers:
        return first if assume is Assume.NONE else ask(assume)

    def given_up(position: Position, reached: LimitReached) -> Weakest:
        return Weakest(Assume.NONE, first, first.given_up(position, reached), ())

    return each_within(first.limit, first.positions, lambda position: _weakest(asked, position), given_up)


def _weakest(asked: Callable[[Assume], KernelAnswers], position: Position) -> Weakest:
    weaker: list[tuple[Assume, Finding]] = []
    *before, strongest = SETS
    for assume in before:
        finding = _finding(asked(assume), position, weaker)
        if is_free(finding):
            return Weakest(assume, asked(assume), finding, tuple(weaker))
        weaker.append((assume, finding))
    return Weakest(strongest, asked(strongest), _finding(asked(strongest), position, weaker), tuple(weaker))


def _finding(answers: KernelAnswers, position: Position, weaker: Sequence[tuple[Assume, Finding]]) -> Finding:
    """The answer for a scatter, also where only a weaker set comes to it."""
    if position in answers.positions:
        return answers.answer(position)
    _, known = weaker[-1]
    if answers.stopped is not None:
        return known
    bounded = tuple(position for _, position in answers.asked.trace.bounded)
    return replace(known, answer=Free(NEVER_PERFORMED, bounded))
