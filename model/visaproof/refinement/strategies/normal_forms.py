"""Proofs without a solver: both programs have the same stores, term by term.

    ∀ stores k:  guard, place and value of the target's k-th store are the source's, as terms in normal form
    ∧ the target is undefined only where the source is

A normal form is sound if its rules are, and these are proved one by one; an audit holds each proof against a few runs.
"""

from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.question import Question
from visaproof.refinement.effects.witness import Choices, witness
from visaproof.refinement.lockstep import in_step
from visaproof.refinement.nondeterminism.choices import source_choice
from visaproof.refinement.obligations import same_effects
from visaproof.refinement.questions import questions
from visaproof.refinement.strategies.strategy import Asked, granted
from visaproof.refinement.testing.guesses import AUDITS, guessed
from visaproof.refinement.verdicts import Refines

ITERATION_BY_ITERATION = "the same stores in normal form, iteration by iteration"

WITH_CHOICES = "uninitialised values being what the target has"


def iterations_in_step(asked: Asked) -> Refines | None:
    """Loops of any length, by induction over iterations."""
    one = asked.comparison
    stepped = in_step(one.runners, one.question.launched, one.scope, one.split) if one.open is None else one.stepped
    return None if stepped is None else granted(asked.comparison, stepped, ITERATION_BY_ITERATION)


def without_conditions(asked: Asked) -> Refines | None:
    """The same stores to surfaces and addresses as they are, which needs no condition on the launch."""
    comparison = asked.comparison
    if comparison.exact is None or not same_effects(comparison.exact):
        return None
    audited(asked)
    return Refines("the same stores in normal form")


def normal_form(asked: Asked) -> Refines | None:
    """The same stores to places in surfaces or buffers."""
    return _if_same(asked, asked.question, "the same stores in normal form")


def expanded_normal_form(asked: Asked) -> Refines | None:
    """The same where products of sums are multiplied out, and the like."""
    return _if_same(asked, asked.expanded, "the same stores in the second normal form")


def _if_same(asked: Asked, question: Question, rung: str) -> Refines | None:
    if not same_effects(question):
        return None
    audited(asked)
    return granted(asked.comparison, question, rung)


def chosen_values(asked: Asked) -> Refines | None:
    """The same where the source finds in uninitialised values what the target has there."""
    comparison = asked.comparison
    choices = choices_tried(asked.question)
    if choices is None:
        return None
    for expand in (False, True):
        chosen = where_chosen(comparison, choices, expand)
        if same_effects(chosen):
            audited(asked)
            which = "second normal form" if expand else "normal form"
            return granted(comparison, chosen, f"the same stores in {which}, {WITH_CHOICES}")
    return None


def audited(asked: Asked) -> None:
    """Holds a proof against runs, where that is wanted."""
    if asked.audited:
        audit(asked.comparison)


def audit(comparison: Comparison) -> None:
    """A few runs of programs that are said to be equal: they would show a rule that is wrong.

    Of several threads none on buffers that overlap: their work items might race.
    """
    if comparison.split is not None and comparison.question.sharing.alignments:
        return
    found = guessed(comparison, AUDITS)
    if found is not None:
        raise AssertionError(f"the kernels are said to be equal, but runs differ for {found.values}")


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
