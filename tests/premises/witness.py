"""What a premise is needed for: one question, asked with it and without it."""

from collections.abc import Callable

from msgspec import Struct

from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.launch.assumptions import Assume
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Refines


class Answer(Struct, frozen=True):
    """An answer, and the names of the premises that it states."""

    verdict: str
    premises: frozenset[str]

    @property
    def right(self) -> bool:
        return self.verdict in ("free", "refines", "inside")


class Witness(Struct, frozen=True):
    """A question whose answer is right under the premise alone."""

    ask: Callable[[str], Answer]
    """From what is stated to the answer."""
    given: str
    without: str
    """What lifts it."""


def conflicts(code: Program, assume: str) -> Answer:
    """Whether the only scatter of a kernel is free."""
    asked = ask_kernel(code.kernel, code.platform, code.launch, Assume.of(assume), 10_000)
    (found,) = asked.answers()
    kind = type(found.answer).__name__.lower()
    return Answer(kind, frozenset(one.name for one in asked.asked.start.assumed))


def refinement(source: Program, target: Program, assume: str) -> Answer:
    """Whether the target refines the source."""
    comparison = compare(source, target, Scope(Assume.of(assume)))
    verdict = decide(comparison, 10_000)
    kind = "refines" if isinstance(verdict, Refines) else type(verdict).__name__.lower()
    return Answer(kind, frozenset(one.name for one in comparison.assumed))
