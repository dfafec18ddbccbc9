"""Can a lane reach outside its surface, or do what the page leaves undefined?  For each memory message of a kernel."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from visaproof.isa.execution import ExecMask
from visaproof.kernel.symbolic_machine import Performed
from visaproof.kernel.symbolic_run import Trace
from visaproof.kernel.syntax import Instruction
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.effects import meaningless
from visaproof.smt import Bool, conj, is_false, neg

MOST_NEEDED = 1 << 31
"""An address that may be larger than this is bounded by nothing but its width."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """An access, and when it is outside its surface, or without meaning."""

    access: Access
    condition: Bool


@dataclass(frozen=True, slots=True)
class BoundsQuestion:
    """One message: is one of the conditions satisfiable?"""

    performed: Performed
    outside: tuple[Doubt, ...]
    """The accesses that the normal form does not show to be inside wherever they have a meaning."""
    undefined: tuple[Doubt, ...]
    """Those that it does not show to have one: aligned, in variables and predicates that are long enough."""
    premises: tuple[Bool, ...]
    earlier: tuple[Bool, ...]
    """That no earlier message was undefined: where one was, the pages give this one no meaning either."""

    @property
    def instruction(self) -> Instruction:
        return self.performed.instruction

    def lane(self, access: Access) -> int | None:
        """The lane of the thread; None where the access is made once for all lanes."""
        mask = self.instruction.execution.mask if self.instruction.execution else ExecMask.M1
        return None if access.lane is None else mask.lane_offset + access.lane


def bounds_questions(trace: Trace, assumed: Sequence[Bool] = ()) -> Iterator[BoundsQuestion]:
    """A question for each memory message in the order of the run: one for each round of a loop.

    Where a loop was not unrolled far enough, the question is about the runs that leave it in time.  `assumed` is what
    else holds of the launch.
    """
    premises = (*assumed, *(condition for condition, _ in (*trace.conditions, *trace.bounded)))
    earlier: list[Bool] = []
    for performed in trace.performed:
        outside = [Doubt(one, conj(one.guard, one.defined, neg(one.inside))) for one in performed.accesses]
        undefined = [Doubt(one, conj(one.guard, neg(one.defined))) for one in performed.accesses]
        yield BoundsQuestion(performed, _open(outside), _open(undefined), premises, tuple(earlier))
        earlier.append(neg(meaningless(performed.accesses)))


def _open(doubts: list[Doubt]) -> tuple[Doubt, ...]:
    return tuple(doubt for doubt in doubts if not is_false(doubt.condition))


def needed_bytes(questions: Sequence[BoundsQuestion]) -> int | None:
    """A size at which no access of these rounds can be outside, by the bounds of their addresses; None where any is.

    It may be larger than necessary.
    """
    ends = [access.cell[0].high + access.width for one in questions for access in one.performed.accesses]
    return max(ends) if ends and max(ends) < MOST_NEEDED else None
