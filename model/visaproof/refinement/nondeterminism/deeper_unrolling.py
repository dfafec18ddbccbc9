"""Differences in runs of more iterations than were unrolled, of a source that depends on uninitialised values.

Of a run whose loops take longer, the terms do not say what the source might have left with another choice.
"""

from dataclasses import replace

from visaproof.isa.errors import NotModelled
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.difference import Difference
from visaproof.refinement.nondeterminism.choices import source_choice
from visaproof.refinement.nondeterminism.later_iterations import may_choose_later
from visaproof.refinement.testing.guesses import GUESSES, guessed
from visaproof.refinement.testing.runs import again
from visaproof.refinement.testing.shrinking import smaller

LONGER = 8
"""Times as many iterations."""


def in_longer_runs(comparison: Comparison) -> Difference | None:
    """A difference with so many more iterations unrolled, if the first runs show one."""
    question = comparison.question
    if not source_choice(question) and not may_choose_later(comparison.runners[0], question.lanes):
        return None
    scope = replace(comparison.scope, unroll=LONGER * comparison.scope.unroll)
    try:
        longer = compare(comparison.source, comparison.target, scope, comparison.granted)
        found = guessed(longer, GUESSES)
        if found is None:
            return None
        found = smaller(longer, found)
        shown = again(*comparison.runners, comparison.question, found)
    except NotModelled:
        return None
    return shown and replace(shown, whatever_found=found.whatever_found)
