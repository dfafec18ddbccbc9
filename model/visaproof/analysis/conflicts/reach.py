"""Whether a launch that obeys what is stated comes to a scatter: what holds of no launch is no answer."""

from collections.abc import Sequence
from itertools import pairwise

from visaproof.analysis.conflicts.launches.usual_launches import holds_of_simple_words, in_usual_launches
from visaproof.analysis.conflicts.thread_states import Asked
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.smt import Bool, conj, disj
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.solvers import solve

NOT_REACHED = "not reached"
"""The stage of a scatter to which no launch comes that obeys what the user states."""


def is_reached(
    asked: Asked,
    rounds: Sequence[ConflictQuestion],
    more: Sequence[Bool],
    *,
    by_two: bool = False,
    simply: bool = False,
) -> bool | None:
    """Whether a lane writes inside in some iteration where `more` holds as well; None where that was not decided.

    `by_two` asks for two neighbouring lanes at once, `simply` asks no solver.
    """
    decided = True
    for question in rounds:
        writes = [disj(*(conj(one.guard, one.inside) for _, one in lane.stores)) for lane in question.lanes]
        if by_two:
            writes = [conj(one, other) for one, other in pairwise(writes)]
        formula = conj(*question.premises, *more, disj(*writes))
        if holds_of_simple_words(asked, formula):
            return True
        if simply:
            decided = False
            continue
        if any(isinstance(solve([one], asked.timeout_ms), Satisfiable) for one in in_usual_launches(asked, formula)):
            return True
        match solve([formula], asked.timeout_ms):
            case Satisfiable():
                return True
            case Unsatisfiable():
                pass
            case _:
                decided = False
    return False if decided else None
