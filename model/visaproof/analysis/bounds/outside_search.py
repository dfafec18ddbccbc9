"""Whether accesses can leave a surface under more than what is known of every launch."""

from collections.abc import Sequence

from visaproof.analysis.conflicts.search import Search
from visaproof.queries.kernels.bounds import BoundsQuestion
from visaproof.smt import Bool, conj


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
