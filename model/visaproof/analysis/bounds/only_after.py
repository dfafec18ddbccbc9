"""An access that leaves its surface only where an earlier one of its lane has left it: one size is missing, not two.

x = out[i];  out[i] = x + 1      the store is inside if the load is
"""

from collections.abc import Sequence

from msgspec import Struct

from visaproof.checking.stages import NORMAL_FORM
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
MOST_ASKED = 8
"""Accesses of a message of which a solver is asked: where the two are alike, it is asked of none."""


class OnlyAfter(Struct, frozen=True):
    """In each run in which the message leaves its surface, this statement has left it before."""

    position: Position
    by: str


def only_after(rounds: Sequence[BoundsQuestion], asked: Sequence[BoundsQuestion]) -> OnlyAfter | None:
    """The statement, if one was proved to be; `asked` are all questions of the kernel, in the order of its run."""
    position, surfaces = rounds[0].instruction.position, rounds[0].surfaces
    first = next(place for place, one in enumerate(asked) if one is rounds[0])
    before = [one for one in asked[:first] if one.instruction.position != position and one.surfaces == surfaces]
    statements = dict.fromkeys(one.instruction.position for one in reversed(before) if one.outside)
    left = [MOST_ASKED]
    for statement in list(statements)[:MOST_STATEMENTS]:
        if by := _follows(rounds, asked, statement, left):
            return OnlyAfter(statement, by)
    return None


def _follows(
    rounds: Sequence[BoundsQuestion], asked: Sequence[BoundsQuestion], statement: Position, left: list[int]
) -> str:
    """By what it is proved of every access; empty where it is not, or where `left` solvers were asked."""
    stages: dict[str, None] = {}
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
                stages[NORMAL_FORM] = None
                continue
            left[0] -= 1
            answer = solve([conj(*question.premises, alone)], MOST_MS) if left[0] >= 0 else None
            if not isinstance(answer, Unsatisfiable):
                return ""
            stages[answer.solver] = None
    return ", ".join(stages)
