"""The launch conditions under which a proof holds."""

from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.places import conditions
from visaproof.refinement.effects.question import Question
from visaproof.refinement.verdicts import Refines


def granted(comparison: Comparison, question: Question, rung: str) -> Refines:
    """The verdict with the conditions that it needs."""
    source, target = question.source.reaches, question.target.reaches
    return Refines(rung, conditions(source, target) if comparison.conditional else frozenset())
