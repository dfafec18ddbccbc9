"""The question about two kernels where the source finds in uninitialised values what the target has there."""

from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.question import Question
from visaproof.refinement.effects.witness import Choices, witness
from visaproof.refinement.nondeterminism.choices import source_choice
from visaproof.refinement.questions import questions


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
