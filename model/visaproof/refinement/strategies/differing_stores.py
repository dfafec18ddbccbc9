"""Differences that a solver finds in one store: a run of both kernels on its values decides.

    ∃ inputs:  the target's n-th store to a memory is not the source's n-th, and all accesses are inside their buffers

The question is about one lane, and not about what makes the source defined, for which there are as many conditions as
pairs of lanes.  So the values prove nothing: if a run does not show a difference, the next store is asked about.  What
random inputs miss is found so, as a loop whose bound wraps for few of the numbers that memory may hold.
"""

from collections.abc import Iterator
from itertools import islice

from visaproof.checking.clauses import Form, form_of
from visaproof.checking.ladder import Fails, GaveUp, Values
from visaproof.isa.errors import NotModelled
from visaproof.queries.kernels.stores import same_store
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.question import Question
from visaproof.refinement.obligations import open_surfaces, stores_of
from visaproof.refinement.steps import uncut
from visaproof.refinement.strategies.strategy import Asked
from visaproof.refinement.testing.guesses import settled
from visaproof.refinement.testing.memory import nothing
from visaproof.refinement.testing.runs import difference
from visaproof.refinement.testing.shrinking import smaller
from visaproof.refinement.verdicts import Difference
from visaproof.smt import Bool, is_true

MOST_ASKED = 4
"""Stores that a solver is asked about: the others are mostly like one of these."""

EACH_MS = 3000
"""For one of them."""


def differing_store(asked: Asked) -> Difference | None:
    """A difference in one store that a run shows."""
    question = asked.question
    inside = [reach.inside for reach in (*question.source.reaches, *question.target.reaches)]
    for goal in islice(_goals(question), MOST_ASKED):
        assumed = (*question.launched.possible, *inside, *question.memory.facts((goal, *inside)))
        answer = uncut(assumed, goal, min(EACH_MS, asked.timeout_ms))
        if isinstance(answer, Fails) and (found := _shown(asked.comparison, answer.values)) is not None:
            return smaller(asked.comparison, found)
        if isinstance(answer, GaveUp):  # as of the stores after it
            break
    return None


def _goals(question: Question) -> Iterator[Bool]:
    """That stores in the same place of both kernels are the same; of lanes alike once."""
    asked: set[Form] = set()
    for surface in open_surfaces(question):
        for one, other in zip(*stores_of(question, surface), strict=False):
            goal = same_store(one, other, {})
            if not is_true(goal) and (form := form_of(goal)) not in asked:
                asked.add(form)
                yield goal


def _shown(comparison: Comparison, values: Values) -> Difference | None:
    """The difference that a run on these values shows, if it is one whatever the source may choose."""
    try:
        found = difference(*comparison.runners, comparison.question, values, nothing)
        return found and settled(comparison, found)
    except NotModelled:
        return None
