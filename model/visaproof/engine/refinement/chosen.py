"""The question about two kernels where the source finds in what nothing wrote what the target has in the same place."""

from visaproof.engine.refinement.choices import source_choice
from visaproof.engine.refinement.comparison import Comparison
from visaproof.engine.refinement.questions import questions
from visaproof.queries.refinement.question import Question
from visaproof.queries.refinement.undefined import UndefinedKind
from visaproof.queries.refinement.witness import Choices, witness


def choices_tried(question: Question) -> Choices | None:
    """What the source may find; None where it chooses nothing, and where others may write between any two messages.

    Then the question is another one than that which is asked first of the same kernels, and so are its names.
    """
    if question.disturbed or UndefinedKind.UNINITIALISED in question.forbidden or not source_choice(question):
        return None
    return witness(question)


def where_chosen(comparison: Comparison, choices: Choices, expand: bool = False) -> Question:
    """The question where the source chooses so."""
    asked = comparison.question
    return questions(comparison.runners, asked.launched, asked.forbidden, expand, choices, asked.memory)[1]
