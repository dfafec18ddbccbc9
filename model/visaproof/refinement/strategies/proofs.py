"""Proofs: the same stores term by term, store by store, and at one arbitrary place of each memory.

Without a solver both programs have the same stores, term by term:

    ∀ stores k:  guard, place and value of the target's k-th store are the source's, as terms in normal form
    ∧ the target is undefined only where the source is

A normal form is sound if its rules are, and these are proved one by one; an audit holds each proof against a few runs.
By a solver:

    ∀ inputs:  defined(source)  ⇒  defined(target)  ∧  ∀ memories m:  m(p) after the target = m(p) after the source

p is a symbol of its own, so that one place stands for all.  A difference that a solver finds counts only if both
programs run on its values and show it.
"""

from collections.abc import Iterator, Sequence
from typing import cast

from visaproof.checking.stages import Fails, Holds, Impossible, Values
from visaproof.isa.errors import NotModelled
from visaproof.machine.symbolic.uninterpreted_results import dependence
from visaproof.queries.kernels.stores import exchanged
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.choices import source_choice, unlike_threads
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.places import LAST, Condition, conditions
from visaproof.refinement.effects.question import Question
from visaproof.refinement.effects.witness import Choices, witness
from visaproof.refinement.obligations import open_goals, open_surfaces, premises, same_at_probe, same_effects, stores_of
from visaproof.refinement.questions import questions
from visaproof.refinement.steps import QUICK_MS, Steps, one_by_one, uncut
from visaproof.refinement.strategies.strategy import Asked, granted
from visaproof.refinement.testing.memory import nothing
from visaproof.refinement.testing.random_testing import AUDITS, random_test, settled
from visaproof.refinement.testing.runs import difference
from visaproof.refinement.verdicts import Difference, Refines, Unknown, Vacuous
from visaproof.semantics.symbolic.names import Probe
from visaproof.smt import Bool, Op, Term, conj, evaluate, false, substitute, symbol, true

NO_SUCH_RUN = "in no run in which the source is defined do the loops end within the iterations unrolled"

NOT_CONFIRMED = "they differ symbolically, but a run of both does not confirm it"

THE_DIFFERENCE = "the difference"

STORE_BY_STORE = "store by store"


def as_it_is(asked: Asked) -> Refines | None:
    """The same where each store takes a solver no time, before there are runs, which take longer."""
    question = asked.question
    steps = Steps(question, QUICK_MS, in_parts=False)
    if not one_by_one(question, open_surfaces(question), QUICK_MS, steps):
        return None
    audited(asked)
    return granted(asked.comparison, question, STORE_BY_STORE)


def where_items_do_not_race(asked: Asked) -> Refines | None:
    """The same without much of a solver, of a source whose work items do not race."""
    for question in (asked.question.of_items, asked.expanded.of_items):
        if question is not None and same_effects(question):
            return granted(asked.comparison, question, "the same stores in normal form")
    question = asked.question.of_items
    if question is None:
        return None
    steps = Steps(question, QUICK_MS, in_parts=False)
    shown = one_by_one(question, open_surfaces(question), QUICK_MS, steps)
    return granted(asked.comparison, question, STORE_BY_STORE) if shown else None


def store_by_store(asked: Asked) -> Refines | None:
    """Each store of the target is the source's in the same place: many small questions."""
    if asked.question.launched.premises is not None:
        steps, surfaces = asked.steps, open_surfaces(asked.question)
        shown = one_by_one(asked.question, surfaces, asked.timeout_ms, steps)
        return granted(asked.comparison, asked.question, STORE_BY_STORE) if shown else None
    if not one_by_one(asked.expanded, open_surfaces(asked.question), asked.timeout_ms):
        return None
    return granted(asked.comparison, asked.expanded, STORE_BY_STORE)


def in_another_order(asked: Asked) -> Refines | None:
    """The stores are the source's in another order: those that were exchanged do not meet where the source is
    defined."""
    question = asked.question
    steps, surfaces = asked.steps, open_surfaces(question)
    for surface in surfaces:
        turned = exchanged(*stores_of(question, surface), question.sharing.are_apart)
        if turned is None or not all(map(steps.nearly_holds, turned)):
            return None
    if not surfaces or not steps.target_defined():
        return None
    return granted(asked.comparison, question, steps.by or "the same stores in another order")


def case_by_case(asked: Asked) -> Refines | None:
    """Fewer or more stores than the source has: one place, as the first store of the target that reaches it leaves it,
    and in each way in which that does not reach it."""
    question = asked.question
    steps, surfaces = asked.steps, open_surfaces(question)
    for surface in surfaces:
        _, target = stores_of(question, surface)
        if not target or question.sharing.buffer(surface):
            return None
        goal, probe = same_at_probe(question, surface), symbol(Probe(surface), target[0].cell.width)
        if not all(map(steps.nearly_holds, cases(goal, target[0].hits(probe)))):
            return None
    if not surfaces or not steps.target_defined():
        return None
    return granted(asked.comparison, question, steps.by or "the same memory in normal form, case by case")


def cases(goal: Bool, hit: Bool) -> Iterator[Bool]:
    """The goal where this holds, and in each way in which it does not."""
    known: dict[Term, Term] = {}
    for literal in hit.args if hit.op is Op.CONJ else (hit,):
        yield substitute(goal, {**known, literal: false()})
        known[literal] = true()
    yield substitute(goal, known)


def proved_as_it_is(asked: Asked) -> Refines | None:
    """A proof in the first normal form, for all accesses wherever they lie; what fails is not looked at."""
    question = asked.question
    if one_by_one(question, open_surfaces(question), asked.timeout_ms):
        return granted(asked.comparison, question, STORE_BY_STORE)
    goal = _goal(question)
    match uncut(premises(question, goal), goal, asked.timeout_ms):
        case Holds(by):
            return granted(asked.comparison, question, by)
        case _:
            return None


def solved(asked: Asked) -> Refines | Difference | Vacuous | Unknown:
    """What a solver says of one arbitrary place; where its difference is none, under more of the conditions."""
    comparison, question, timeout_ms = asked.comparison, asked.question, asked.timeout_ms
    goal = _goal(question)
    source, target = question.source.reaches, question.target.reaches
    verdict: Difference | Unknown = Unknown("")
    for inside in dict.fromkeys(((), source, source + target)):
        match uncut(premises(question, goal, inside), goal, timeout_ms):
            case Holds(by):
                needed = conditions(source, target) if comparison.conditional else frozenset[Condition]()
                needed = needed | LAST if len(inside) > len(source) else needed
                return Refines(by, needed) if needed else granted(comparison, asked.expanded, by)
            case Impossible() if inside:
                return Unknown("the source leaves its buffers in every run")
            case Impossible() if question.bounded:
                return Unknown(NO_SUCH_RUN)
            case Impossible():
                return Vacuous()
            case Fails(values):
                verdict = _confirmed(comparison, goal, values)
                if isinstance(verdict, Difference):
                    return verdict
            case gave_up:
                return verdict if inside else Unknown(_naming(question, gave_up.reason, "what is asked", (goal,)))
    return verdict


def _goal(question: Question) -> Bool:
    """All that is open, at an arbitrary place of each memory."""
    return conj(*(goal for _, goal in open_goals(question)))


def _naming(question: Question, reason: str, what: str, terms: Sequence[Bool]) -> str:
    """The reason, with the uninterpreted operations that the terms depend on."""
    depends = dependence(question.memory.spelled(terms))
    return f"{reason}: {what} {depends}" if depends else reason


def _confirmed(comparison: Comparison, goal: Bool, values: Values) -> Difference | Unknown:
    """A difference that a run shows on the values, with which a solver says that the goal fails."""
    question = comparison.question
    parts = cast(tuple[Bool, ...], goal.args) if goal.op is Op.CONJ else (goal,)
    failing = [part for part in parts if not evaluate(part, values)]
    reason = source_choice(question) or unlike_threads(question)
    try:
        found = difference(comparison, values, nothing)
    except NotModelled as stopped:
        shown = f"they differ symbolically, but the kernels cannot be run on these inputs: {stopped}"
        return Unknown(_naming(question, shown, THE_DIFFERENCE, failing))
    if found is not None and (sure := settled(comparison, found)) is not None:
        return sure
    if reason:
        return Unknown(_naming(question, f"they differ symbolically; {reason}", THE_DIFFERENCE, failing))
    return Unknown(_naming(question, NOT_CONFIRMED, THE_DIFFERENCE, failing))


# ---------------------------------------------------------------- without a solver

ITERATION_BY_ITERATION = "the same stores in normal form, iteration by iteration"

WITH_CHOICES = "uninitialised values being what the target has"


def iterations_in_step(asked: Asked) -> Refines | None:
    """Loops of any length, by induction over iterations: this was shown when the question was made."""
    return granted(asked.comparison, asked.question, ITERATION_BY_ITERATION)


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


def _if_same(asked: Asked, question: Question, by: str) -> Refines | None:
    if not same_effects(question):
        return None
    audited(asked)
    return granted(asked.comparison, question, by)


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
    found = random_test(comparison, AUDITS)
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
