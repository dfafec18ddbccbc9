"""Whether accesses can leave a surface under more than what is known of every launch, and whether any are made."""

from collections.abc import Sequence
from itertools import chain

from visaproof.analysis.conflicts.launches.usual_launches import holds_of_simple_words, in_usual_launches
from visaproof.analysis.conflicts.search import Search
from visaproof.analysis.conflicts.thread_states import Asked
from visaproof.queries.kernels.bounds import BoundsQuestion
from visaproof.semantics.symbolic.names import SurfaceSize
from visaproof.semantics.symbolic.value_names import LoadedValue
from visaproof.smt import Bool, Term, conj, const, symbols_of
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
        likely_size=0,
    )


def is_possible(asked: Asked, formula: Bool, most_ms: int) -> bool:
    """Whether it holds of some launch: first of usual ones, where products and quotients of numbers are quick."""
    if holds_of_simple_words(asked, formula):
        return True
    usual = in_usual_launches(asked, formula)
    return any(isinstance(solve([one], most_ms), Satisfiable) for one in chain(usual, [formula]))


def emptied(question: BoundsQuestion) -> dict[Term, Term]:
    """The sizes on which only depends what is inside, as 0: of addresses nothing has to be known then.

    offset + width > size   for some size   if and only if it is so of 0
    """
    own = symbols_of(*(part for one in question.outside for part in (one.access.guard, one.access.defined)))
    if any(isinstance(one.payload, LoadedValue) for one in own):  # which a buffer has to hold
        return {}
    used = symbols_of(*(one.condition for one in question.outside))
    apart = {*own, *symbols_of(*question.premises, *question.earlier)}
    return {one: const(0, one.width) for one in used if isinstance(one.payload, SurfaceSize) and one not in apart}
