"""Decides whether one kernel refines another: the same stores, then runs, then a solver.  A difference is a run."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar, cast

from visaproof.checking.ladder import Fails, GaveUp, Holds, Impossible, Values
from visaproof.isa.errors import NotModelled
from visaproof.launch.float_results import Floats
from visaproof.machine.symbolic.arbitrary_values import dependence
from visaproof.queries.kernels.stores import same_stores
from visaproof.refinement.accesses_outside import rather_inside
from visaproof.refinement.beside.compared import differences
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.places import LAST, Condition, Reach, conditions
from visaproof.refinement.effects.question import Question, open_undefined, premises, same_at_probe
from visaproof.refinement.effects.silent_stores import without_silent_stores
from visaproof.refinement.effects.synchronisation import Unlike
from visaproof.refinement.effects.witness import Choices
from visaproof.refinement.environment.interference import interfered, may_interfere
from visaproof.refinement.environment.other_threads import crossing, is_one_thread, weaker
from visaproof.refinement.lockstep import in_step
from visaproof.refinement.nondeterminism.always_defined import in_all_launches, where_meant
from visaproof.refinement.nondeterminism.choices import source_choice, unlike_threads
from visaproof.refinement.nondeterminism.chosen_witness import choices_tried, where_chosen
from visaproof.refinement.nondeterminism.deeper_unrolling import in_longer_runs
from visaproof.refinement.nondeterminism.exists_forall import some_choice_leaves_each
from visaproof.refinement.overlapping import needed_apart, overlapping
from visaproof.refinement.questions import questions
from visaproof.refinement.same_program import SAME_PROGRAM
from visaproof.refinement.steps import QUICK_MS, one_by_one, stores_of, uncut
from visaproof.refinement.testing.guesses import AUDITS, GUESSES, LAST_GUESSES, guessed, settled
from visaproof.refinement.testing.memory import nothing
from visaproof.refinement.testing.runs import Difference, difference
from visaproof.refinement.testing.shrinking import smaller
from visaproof.refinement.vacuity import means_nothing, undefined_always
from visaproof.refinement.verdicts import Apart, Bounded, Refines, Resynchronised, Unknown, Vacuous, Verdict
from visaproof.refinement.widths.items_apart import same_effects
from visaproof.semantics.symbolic.float_bits import no_nan
from visaproof.smt import Bool, Op, conj, evaluate, false, neg

MEANT = "in launches in which no choice of uninitialised values leaves the source undefined"

NO_SUCH_RUN = "in no run in which the source is defined do the loops end within the iterations unrolled"

ROUND_BY_ROUND = "the same stores in normal form, iteration by iteration"

NOT_CONFIRMED = "they differ symbolically, but a run of both does not confirm it"

THE_DIFFERENCE = "the difference"

FLOAT_HINT = "; `--float ieee` takes floats for IEEE 754's"


def decide(comparison: Comparison, timeout_ms: int) -> Verdict:
    """Whether the target refines the source.  Raises NotModelled."""
    if isinstance(comparison.open, Unlike):
        return _unlike(comparison, comparison.open, timeout_ms)
    verdict = Refines(SAME_PROGRAM) if comparison.itself else _wherever_buffers_lie(comparison, timeout_ms)
    if isinstance(verdict, Refines | Bounded | Apart) and (lost := weaker(comparison)):
        return Unknown(lost)
    if isinstance(verdict, Refines | Bounded | Apart) and comparison.unlike:
        return Unknown("; ".join(comparison.unlike))
    if isinstance(verdict, Refines):
        return _unless_vacuous(comparison, verdict, timeout_ms)
    if isinstance(verdict, Difference):
        return rather_inside(comparison, verdict, timeout_ms)
    if isinstance(verdict, Unknown):
        beside = differences((comparison.source, comparison.target))
        reason = "; ".join((*beside, verdict.reason, *crossing(comparison)))
        return Unknown(reason + FLOAT_HINT * comparison.uninterpreted, verdict.events)
    return verdict


def _wherever_buffers_lie(comparison: Comparison, timeout_ms: int) -> Verdict:
    """The verdict on all launches, if it is the same where buffers overlap and where they do not.

    At first both kernels are compared in one memory, which decides most.  Then where all buffers are apart: only of a
    target that refines the source there, it is a question whether it does so elsewhere.
    """
    together = overlapping(comparison, comparison.sharing) if comparison.sharing.pairs else None
    if together is not None and (found := _in_normal_form(together)) is not None:
        if together.split is not None:
            _audit(comparison)
        return found
    verdict = _decided(comparison, timeout_ms)
    if isinstance(verdict, Unknown):
        verdict = _where_meant(comparison, timeout_ms) or verdict
    if not comparison.sharing.pairs or not isinstance(verdict, Refines | Bounded):
        return verdict
    return _where_they_overlap(comparison, together, verdict, timeout_ms)


def _where_they_overlap(
    comparison: Comparison, together: Comparison | None, verdict: Refines | Bounded, timeout_ms: int
) -> Verdict:
    """What is shown of buffers that overlap, where the target refines the source if they are apart."""
    ways = _in_normal_form, _by_a_solver_quickly
    if together is None:
        return Apart(needed_apart(comparison, ways), verdict, comparison)
    alone = together.split is None and bool(together.sharing.alignments)  # work items might race in these runs
    found = guessed(together, GUESSES) if alone else None
    if found is not None:
        found = rather_inside(together, smaller(together, found, timeout_ms), timeout_ms)
    elif isinstance(verdict, Refines) and (proved := _by_a_solver(together, timeout_ms)) is not None:
        return proved
    return Apart(needed_apart(comparison, ways), verdict, together, found)


def _by_a_solver_quickly(comparison: Comparison) -> Refines | None:
    return _by_a_solver(comparison, QUICK_MS)


def _by_a_solver(comparison: Comparison, timeout_ms: int) -> Refines | None:
    """The verdict store by store, or at one arbitrary place of each memory that both do not write alike."""
    question = comparison.question
    if question.bounded:
        return None
    surfaces = [one for one in question.surfaces if not _same(question, one)]
    if one_by_one(question, surfaces, timeout_ms):
        return _granted(comparison, question, "store by store")
    goal = conj(neg(open_undefined(question)), *(same_at_probe(question, surface) for surface in surfaces))
    match uncut(premises(question, goal), goal, timeout_ms):
        case Holds(rung):
            return _granted(comparison, question, rung)
        case _:
            return None


def _in_normal_form(comparison: Comparison) -> Refines | None:
    """The verdict where both kernels do the same in normal form, which needs no solver."""
    if comparison.question.bounded:
        stepped = in_step(comparison)
        return None if stepped is None else _granted(comparison, stepped, ROUND_BY_ROUND)
    return _of_stores_in_normal_form(comparison)


def _of_stores_in_normal_form(comparison: Comparison) -> Refines | None:
    """The same of runs in which no loop takes more iterations than were unrolled."""
    if comparison.conditional and comparison.exact is not None and same_effects(comparison.exact):
        _audit(comparison)
        return Refines("the same stores in normal form")
    if same_effects(comparison.question):
        _audit(comparison)
        return _granted(comparison, comparison.question, "the same stores in normal form")
    second = _second(comparison)
    if same_effects(second):
        _audit(comparison)
        return _granted(comparison, second, "the same stores in the second normal form")
    return _with_choices(comparison)


def _second(comparison: Comparison) -> Question:
    """The question in the second normal form."""
    asked = comparison.question
    return questions(comparison.runners, asked.launched, asked.forbidden, expand=True)[1]


def _unlike(comparison: Comparison, found: Unlike, timeout_ms: int) -> Difference | Resynchronised | Vacuous | Unknown:
    """The verdict where the target lacks barriers or fences of the source: a run may show what else it does."""
    if found.wrong and not is_one_thread(comparison):
        return _unless_vacuous(comparison, Resynchronised(found.what, found.events), timeout_ms)
    guesses = (guessed(comparison, GUESSES), guessed(comparison, LAST_GUESSES, seed=1, most_seconds=timeout_ms / 1000))
    shown = next((one for one in guesses if one is not None), None)
    return smaller(comparison, shown, timeout_ms) if shown is not None else Unknown(found.what, found.events)


_Shown = TypeVar("_Shown", Refines, Resynchronised)


def _unless_vacuous(comparison: Comparison, verdict: _Shown, timeout_ms: int) -> _Shown | Vacuous | Unknown:
    """The verdict where the source is defined for some input: else any target refines it."""
    match means_nothing(comparison, timeout_ms):
        case Impossible():
            return Vacuous(undefined_always(comparison))
        case GaveUp(reason):
            shown = "refines the source" if isinstance(verdict, Refines) else "has other barriers than the source"
            return Unknown(f"the target {shown}, which may be undefined for every input: {reason}")
        case None:
            return verdict


def _where_meant(comparison: Comparison, timeout_ms: int) -> Refines | Difference | None:
    """The verdict on the launches in which no choice leaves the source undefined, if they are fewer."""
    meant = where_meant(comparison)
    if meant is None or meant.open is not None:
        return None
    found = _decided(meant, timeout_ms)
    if isinstance(found, Difference):
        return in_all_launches(comparison, meant, found)
    return replace(found, rung=f"{found.rung}, {MEANT}") if isinstance(found, Refines) else None


def _decided(comparison: Comparison, timeout_ms: int) -> Verdict:
    """The verdict on two programs."""
    loops = comparison.question.bounded
    if loops and comparison.open is None:  # runs of loops take long, and mostly they agree
        if found := guessed(comparison, AUDITS):
            return smaller(comparison, found, timeout_ms)
        if (stepped := in_step(comparison)) is not None:
            return _granted(comparison, stepped, ROUND_BY_ROUND)
    if comparison.open is not None or loops:
        found = guessed(comparison, GUESSES)
        if found is not None:
            return smaller(comparison, found, timeout_ms)
    if comparison.open is not None:
        found = guessed(comparison, LAST_GUESSES, seed=1, most_seconds=timeout_ms / 1000)
        if found is not None:
            return smaller(comparison, found, timeout_ms)
        raise comparison.open
    if loops and (longer := in_longer_runs(comparison, timeout_ms)) is not None:
        return longer
    verdict = _of_these_rounds(comparison, timeout_ms)
    if not loops or not isinstance(verdict, Refines):
        return verdict
    return _vain(comparison.question, timeout_ms) or Bounded(loops, verdict)


def _vain(question: Question, timeout_ms: int) -> Unknown | None:
    """Why a verdict on runs of so many iterations says nothing; None where there are such runs."""
    match uncut(premises(question, false()), false(), timeout_ms):
        case Fails():
            return None
        case Impossible() | Holds():
            return Unknown(NO_SUCH_RUN)
        case GaveUp(reason):
            return Unknown(f"whether loops can end within the iterations unrolled: {reason}")


def _of_these_rounds(comparison: Comparison, timeout_ms: int) -> Refines | Difference | Vacuous | Unknown:
    """The verdict on runs in which no loop takes more iterations than were unrolled."""
    if (found := _of_stores_in_normal_form(comparison)) is not None:
        return found
    second = _second(comparison)
    verdict = _decide(comparison, second, timeout_ms)
    if isinstance(verdict, Unknown):
        found = _interfered(comparison, timeout_ms)
        found = found or guessed(comparison, LAST_GUESSES, seed=1, most_seconds=timeout_ms / 1000)
        if found is not None:
            return smaller(comparison, found, timeout_ms)
        return _chosen_one_by_one(comparison, timeout_ms) or verdict
    if isinstance(verdict, Refines) and not verdict.conditions:
        return _granted(comparison, second, verdict.rung)
    return verdict


def _interfered(comparison: Comparison, timeout_ms: int) -> Difference | None:
    """A difference that another thread sees by coming between two atomics of the target."""
    if not may_interfere(*comparison.runners, comparison.question):
        return None
    return guessed(comparison, GUESSES, seed=1, most_seconds=timeout_ms / 1000, ask=interfered)


WITH_CHOICES = "uninitialised values being what the target has"

SOME_CHOICE = "uninitialised values being, for each input, what leaves the same"


def _with_choices(comparison: Comparison) -> Refines | None:
    """The verdict where the source finds what the target has in uninitialised values, if it is the same then."""
    choices = choices_tried(comparison.question)
    if choices is None:
        return None
    for expand in (False, True):
        chosen = where_chosen(comparison, choices, expand)
        question = without_silent_stores(chosen)
        if same_effects(question):
            _audit(comparison)
            which = "second normal form" if expand else "normal form"
            return _granted(comparison, chosen, f"the same stores in {which}, {_how(chosen, question)}")
    return _with_some_choice(comparison, choices, QUICK_MS)


def _chosen_one_by_one(comparison: Comparison, timeout_ms: int) -> Refines | None:
    """The same, store by store."""
    choices = choices_tried(comparison.question)
    if choices is None or comparison.question.bounded:
        return None
    chosen = where_chosen(comparison, choices)
    question = without_silent_stores(chosen)
    surfaces = [one for one in question.surfaces if not _same(question, one)]
    if not one_by_one(question, surfaces, timeout_ms):
        return _with_some_choice(comparison, choices, timeout_ms)
    _audit(comparison)
    return _granted(comparison, chosen, f"store by store, {_how(chosen, question)}")


def _how(chosen: Question, question: Question) -> str:
    """Uninitialised values is: where stores of it are left out, it is what memory holds there."""
    return WITH_CHOICES if question is chosen else SOME_CHOICE


def _with_some_choice(comparison: Comparison, choices: Choices, timeout_ms: int) -> Refines | None:
    """The verdict where some choice leaves the same for each input; these are tried first."""
    if not some_choice_leaves_each(comparison.question, choices, timeout_ms):
        return None
    _audit(comparison)
    return _granted(comparison, comparison.question, f"store by store, {SOME_CHOICE}")


def _granted(comparison: Comparison, question: Question, rung: str) -> Refines:
    """The verdict with the conditions that it needs."""
    source, target = question.source.reaches, question.target.reaches
    return Refines(rung, conditions(source, target) if comparison.conditional else frozenset())


def _same(question: Question, surface: str) -> bool:
    """Whether both have the same stores to a surface."""
    return same_stores(*stores_of(question, surface), question.sharing.are_apart)


def _decide(comparison: Comparison, second: Question, timeout_ms: int) -> Refines | Difference | Vacuous | Unknown:
    question = comparison.question
    if always := undefined_always(comparison):
        return Vacuous(always)
    open_surfaces = [one for one in question.surfaces if not _same(question, one)]
    remaining = open_undefined(question)
    # many threads take long to run, and mostly they agree
    found = guessed(comparison, GUESSES if comparison.split is None else AUDITS)
    if found is None and one_by_one(second, open_surfaces, timeout_ms):
        return Refines("store by store")
    if found is None and comparison.split is not None:
        found = guessed(comparison, GUESSES)
    if found is not None:
        return smaller(comparison, found, timeout_ms)
    goals = [same_at_probe(question, surface) for surface in open_surfaces]
    return _solved(comparison, conj(neg(remaining), *goals), timeout_ms)


def _solved(comparison: Comparison, goal: Bool, timeout_ms: int) -> Refines | Difference | Vacuous | Unknown:
    """What a solver says; where its difference is none, under more of the conditions."""
    question = comparison.question
    source, target = question.source.reaches, question.target.reaches
    verdict: Difference | Unknown = Unknown("")
    for inside in dict.fromkeys(((), source, source + target)):
        match uncut(premises(question, goal, inside), goal, timeout_ms):
            case Holds(rung):
                needed = conditions(source, target) if comparison.conditional else frozenset[Condition]()
                return Refines(rung, needed | LAST if len(inside) > len(source) else needed)
            case Impossible() if inside:
                return Unknown("the source leaves its buffers in every run")
            case Impossible() if question.bounded:
                return Unknown(NO_SUCH_RUN)
            case Impossible():
                return Vacuous()
            case Fails(values):
                verdict = _confirmed(comparison, goal, values)
                if not isinstance(verdict, Difference) and comparison.scope.floats is Floats.IEEE:
                    verdict = _without_nan(comparison, goal, inside, timeout_ms) or verdict
                if isinstance(verdict, Difference):
                    return verdict
            case gave_up:
                return verdict if inside else Unknown(_naming(question, gave_up.reason, "what is asked", (goal,)))
    return verdict


def _without_nan(comparison: Comparison, goal: Bool, inside: tuple[Reach, ...], timeout_ms: int) -> Difference | None:
    """A difference in which no operation on floats gives NaN, with which no run would show it."""
    assumed = premises(comparison.question, goal, inside)
    match uncut((*assumed, *no_nan((*assumed, goal))), goal, timeout_ms):
        case Fails(values):
            found = _confirmed(comparison, goal, values)
            return found if isinstance(found, Difference) else None
        case _:
            return None


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
        found = difference(*comparison.runners, question, values, nothing)
    except NotModelled as stopped:
        shown = f"they differ symbolically, but the kernels cannot be run on these inputs: {stopped}"
        return Unknown(_naming(question, shown, THE_DIFFERENCE, failing))
    if found is not None and (sure := settled(comparison, found)) is not None:
        return sure
    if reason:
        return Unknown(_naming(question, f"they differ symbolically; {reason}", THE_DIFFERENCE, failing))
    return Unknown(_naming(question, NOT_CONFIRMED, THE_DIFFERENCE, failing))


def _audit(comparison: Comparison) -> None:
    """A few runs of kernels that are said to be equal: they would show a rule of the normal form that is wrong.

    Of several threads none on buffers that overlap: their work items might race.
    """
    if comparison.split is not None and comparison.question.sharing.alignments:
        return
    found = guessed(comparison, AUDITS)
    if found is not None:
        raise AssertionError(f"the normal form says that the kernels are equal, but runs differ for {found.values}")
