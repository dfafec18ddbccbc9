"""Whether accesses can leave a surface under more than what is known of every launch, and whether any are made."""

from collections.abc import Sequence

from visaproof.analysis.conflicts.launches.simple_values import SURFACE_BYTES, likely_size
from visaproof.analysis.conflicts.launches.usual_launches import (
    SIMPLE,
    holds_of_simple_words,
    in_launch,
    usual_launches,
)
from visaproof.analysis.conflicts.search import Search
from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.queries.kernels.bounds import BoundsQuestion
from visaproof.semantics.symbolic.names import SurfaceSize
from visaproof.semantics.symbolic.value_names import LoadedValue
from visaproof.smt import Bool, Term, conj, const, symbols_of
from visaproof.smt.answers import Satisfiable
from visaproof.smt.evaluate import evaluate
from visaproof.smt.solvers import solve

MOST_SHOWN = 4
"""Launches that are tried again for other formulas."""


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


def is_possible(asked: Asked, formula: Bool, most_ms: int, shown: list[Values]) -> bool:
    """Whether it holds of some launch: first of one that was `shown` before, and of usual ones.

    Of these products and quotients of numbers are quick.  Values that were shown are tried with simple words for all
    that they do not name: they are of another formula.  What a solver finds is added to them.
    """
    symbols = symbols_of(formula)
    sizes = {one: size for one in symbols if (size := likely_size(one, SURFACE_BYTES)) is not None}
    words: list[Values] = [{**{one: word if one.width else 1 for one in symbols}, **sizes} for word in SIMPLE]
    if any(evaluate(formula, {**simple, **values}) for values in shown for simple in words):
        return True
    if holds_of_simple_words(asked, formula):
        return True
    for launch in (*usual_launches(asked), {}):
        answer = solve([in_launch(formula, launch)], most_ms)
        if isinstance(answer, Satisfiable):
            shown[:] = [{**answer.values, **launch}, *shown][:MOST_SHOWN]
            return True
    return False


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
