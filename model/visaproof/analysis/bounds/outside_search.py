"""Whether accesses can leave a surface under more than what is known of every launch, and whether any are made."""

from collections.abc import Sequence
from itertools import chain

from visaproof.analysis.conflicts.launches.usual_launches import holds_of_simple_words, in_usual_launches
from visaproof.analysis.conflicts.search import Search
from visaproof.analysis.conflicts.thread_states import Asked
from visaproof.queries.kernels.bounds import BoundsQuestion
from visaproof.smt import Bool, conj
from visaproof.smt.answers import Satisfiable
from visaproof.smt.solvers import solve


def search_for(question: BoundsQuestion, conditions: Sequence[Bool], more: Sequence[Bool]) -> Search[object]:
    return Search(
        conditions=conditions,
        premise=conj(*question.premises, *more),
        earlier=(),
        until=question.performed,
        subject="accesses",
        verb="leave the surface",
        confirm=lambda _, __: None,
        uninterpreted=(),
        guessed_size=0,
    )


def is_possible(asked: Asked, formula: Bool, most_ms: int) -> bool:
    """Whether it holds of some launch: first of usual ones, where products and quotients of numbers are quick."""
    if holds_of_simple_words(asked, formula):
        return True
    usual = in_usual_launches(asked, formula)
    return any(isinstance(solve([one], most_ms), Satisfiable) for one in chain(usual, [formula]))
