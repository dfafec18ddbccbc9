"""Whether a launch that obeys what is stated comes to a scatter: what holds of no launch is no answer."""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from visaproof.analysis.conflicts.thread_states import Asked
from visaproof.launch.ids.work_items import GROUP_IDS, launched_lanes
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.smt import Bool, Term, bool_const, conj, const, disj, substitute
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.solvers import solve

NOT_REACHED = "not reached"
"""The rung of a scatter to which no launch comes that obeys what the user states."""


USUAL_LAUNCHES = 12
"""In which it is looked for first: there no products of unknowns are left."""


def is_reached(
    asked: Asked, rounds: Sequence[ConflictQuestion], more: Sequence[Bool], *, by_two: bool = False
) -> bool | None:
    """Whether a lane writes inside in some iteration where `more` holds as well; None where that was not decided.

    `by_two` asks for two neighbouring lanes at once.
    """
    decided = True
    for question in rounds:
        writes = [disj(*(conj(one.guard, one.inside) for _, one in lane.stores)) for lane in question.lanes]
        if by_two:
            writes = [conj(one, other) for one, other in pairwise(writes)]
        formula = conj(*question.premises, *more, disj(*writes))
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


def in_usual_launches(asked: Asked, formula: Bool) -> Iterator[Bool]:
    """The formula of the first group of each."""
    launched = asked.start.group.launched
    for values in islice(launched.launches(launched_lanes(asked.kernel)), USUAL_LAUNCHES) if launched else ():
        yield substitute(formula, {one: _constant(one, value) for one, value in {**FIRST_GROUP, **values}.items()})


FIRST_GROUP: dict[Term, int] = dict.fromkeys(GROUP_IDS, 0)


def _constant(one: Term, value: int) -> Term:
    return const(value, one.width) if one.width else bool_const(bool(value))
