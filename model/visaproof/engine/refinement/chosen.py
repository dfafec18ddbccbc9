"""The question about two kernels where the source finds in what nothing wrote what the target has in the same place."""

from visaproof.engine.refinement.choices import source_choice
from visaproof.engine.refinement.comparison import Comparison
from visaproof.engine.refinement.questions import questions
from visaproof.queries.refinement.question import Question
from visaproof.queries.refinement.undefined import UndefinedKind
from visaproof.queries.refinement.witness import witness


def chosen_question(comparison: Comparison, expand: bool) -> Question | None:
    """The question where the source chooses so; None where it chooses nothing."""
    asked = comparison.question
    if UndefinedKind.UNINITIALISED in asked.forbidden or not source_choice(asked):
        return None
    return questions(comparison.runners, asked.launched, asked.forbidden, expand, witness(asked), asked.memory)[1]
