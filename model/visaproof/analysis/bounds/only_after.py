"""An access that leaves its surface only where an earlier one of its lane has left it: one size is missing, not two.

x = out[i];  out[i] = x + 1      the store is inside if the load is
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time

from visaproof.checking.ladder import NORMAL_FORM
from visaproof.isa.errors import Position
from visaproof.isa.identity import Same
from visaproof.queries.kernels.bounds import BoundsQuestion
from visaproof.smt import conj, is_false, neg
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.solvers import solve

MOST_STATEMENTS = 4
"""Of which it is tried, the last ones before."""
MOST_MS = 300
"""For one access."""
MOST_OF_MESSAGE_MS = 1_000
"""For all of a message: where the two are alike, it is proved in much less."""


@dataclass(frozen=True, slots=True)
class OnlyAfter:
    """In each run in which the message leaves its surface, this statement has left it before."""

    position: Position
    rung: str


def only_after(rounds: Sequence[BoundsQuestion], asked: Sequence[BoundsQuestion]) -> OnlyAfter | None:
    """The statement, if one was proved to be; `asked` are all questions of the kernel, in the order of its run."""
    position, surfaces = rounds[0].instruction.position, rounds[0].surfaces
    first = next(place for place, one in enumerate(asked) if one is rounds[0])
    before = [one for one in asked[:first] if one.instruction.position != position and one.surfaces == surfaces]
    statements = dict.fromkeys(one.instruction.position for one in reversed(before) if one.outside)
    end = process_time() + MOST_OF_MESSAGE_MS / 1000
    for statement in list(statements)[:MOST_STATEMENTS]:
        if rung := _follows(rounds, asked, statement, end):
            return OnlyAfter(statement, rung)
    return None


def _follows(rounds: Sequence[BoundsQuestion], asked: Sequence[BoundsQuestion], statement: Position, end: float) -> str:
    """By what it is proved of every access; empty where it is not."""
    rungs: dict[str, None] = {}
    earlier: list[BoundsQuestion] = []
    own = set(map(Same, rounds))
    for question in asked:
        if question.instruction.position == statement:
            earlier.append(question)
        if Same(question) not in own:
            continue
        for doubt in question.outside:
            lane = question.lane(doubt.access)
            near = [one.condition for each in earlier for one in each.outside if each.lane(one.access) in (lane, None)]
            alone = conj(doubt.condition, *map(neg, near))
            if is_false(alone):
                rungs[NORMAL_FORM] = None
                continue
            answer = solve([conj(*question.premises, alone)], MOST_MS) if process_time() < end else None
            if not isinstance(answer, Unsatisfiable):
                return ""
            rungs[answer.solver] = None
    return ", ".join(rungs)
