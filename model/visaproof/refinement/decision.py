"""Decides whether one kernel refines another: the same stores, then runs, then a solver.  A difference is a run.

How two programs are compared in one memory is a table (`strategies.table`).  Here is what is around it: where buffers
may overlap, whether the source is ever defined, and what stands beside the stores.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import prod
from typing import TypeVar

from msgspec.structs import replace

from visaproof.checking.stages import Fails, GaveUp, Holds, Impossible
from visaproof.isa.errors import LimitReached, NotModelled
from visaproof.refinement.assumed import differences
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.places import Condition
from visaproof.refinement.effects.question import Question
from visaproof.refinement.effects.sharing import Pair, Sharing
from visaproof.refinement.effects.synchronisation import Unlike
from visaproof.refinement.effects.touched import crossings, weakened
from visaproof.refinement.inputs.overlap import with_sharing
from visaproof.refinement.lockstep import in_step
from visaproof.refinement.obligations import premises
from visaproof.refinement.questions import questions
from visaproof.refinement.same_program import SAME_PROGRAM
from visaproof.refinement.steps import QUICK_MS, uncut
from visaproof.refinement.strategies.differences import many, rather_inside, rather_usual
from visaproof.refinement.strategies.proofs import NO_SUCH_RUN, audit, solved
from visaproof.refinement.strategies.strategy import Asked, Stages, Strategy, first_answer
from visaproof.refinement.strategies.table import (
    IN_ONE_MEMORY,
    ONLY_RUNS,
    PROOFS,
    SIMPLE_IN_ONE_MEMORY,
    SOLVED_IN_ONE_MEMORY,
    STRATEGIES,
)
from visaproof.refinement.testing.random_testing import smaller
from visaproof.refinement.vacuity import means_nothing, undefined_always
from visaproof.refinement.verdicts import Apart, Bounded, Difference, Refines, Resynchronised, Unknown, Vacuous, Verdict
from visaproof.smt import false
from visaproof.smt.limit import Limit

FLOAT_HINT = "; `--float ieee` takes floats for IEEE 754's"


def decide(comparison: Comparison, timeout_ms: int, stages: Stages | None = None, quick: bool = False) -> Verdict:
    """Whether the target refines the source; what was tried is added to the stages.  Raises NotModelled.

    `quick` leaves out random runs, and differences are not made smaller.
    """
    asked = Asked(comparison, timeout_ms, Stages() if stages is None else stages, audited=not quick)
    if comparison.question.launched.premises is not None:
        return _of_parts(asked, quick)
    if isinstance(comparison.open, Unlike):
        return _unlike(asked, comparison.open)
    verdict = Refines(SAME_PROGRAM) if comparison.itself else _wherever_buffers_lie(asked)
    if isinstance(verdict, Refines | Bounded | Apart) and (lost := weaker(comparison)):
        return Unknown(lost)
    if isinstance(verdict, Refines | Bounded | Apart) and comparison.unlike:
        return Unknown("; ".join(comparison.unlike))
    if isinstance(verdict, Refines):
        return _unless_vacuous(asked, verdict)
    if isinstance(verdict, Difference):
        with asked.stages.timed("a run that stays inside of its buffers"):
            return rather_usual(comparison, verdict)
    if isinstance(verdict, Unknown):
        beside = differences((comparison.source, comparison.target))
        reason = "; ".join((*beside, verdict.reason, *crossing(comparison)))
        return Unknown(reason + FLOAT_HINT * comparison.uninterpreted, verdict.events)
    return verdict


def _of_parts(asked: Asked, quick: bool) -> Verdict:
    """The verdict on parts of programs: nothing is known of launches, and no other thread comes."""
    answer = first_answer(PROOFS if quick else STRATEGIES, asked)
    if answer is None:
        assert asked.unknown is not None
        return asked.unknown
    row, verdict = answer
    if isinstance(verdict, Refines):
        return _unless_vacuous(asked, verdict)
    if isinstance(verdict, Difference) and row.run is solved and not quick:
        return smaller(asked.comparison, verdict)
    return verdict


def _wherever_buffers_lie(asked: Asked) -> Verdict:
    """The verdict on all launches, if it is the same where buffers overlap and where they do not.

    At first both kernels are compared in one memory, which decides most.  Then where all buffers are apart: only of a
    target that refines the source there, it is a question whether it does so elsewhere.
    """
    comparison = asked.comparison
    together: Comparison | None = None
    if comparison.sharing.pairs:
        with asked.stages.timed("the question in one memory"):
            together = proved_together(comparison, comparison.sharing)
    if together is not None and (found := _shown(asked.about(together), IN_ONE_MEMORY, "in one memory")) is not None:
        if together.split is not None:
            audit(comparison)
        return found
    verdict = _decided(asked)
    if not comparison.sharing.pairs or not isinstance(verdict, Refines | Bounded):
        return verdict
    return _where_they_overlap(asked, together, verdict)


def _where_they_overlap(asked: Asked, together: Comparison | None, verdict: Refines | Bounded) -> Verdict:
    """What is shown of buffers that overlap, where the target refines the source if they are apart."""
    comparison, found = asked.comparison, None
    if comparison.question.bounded or comparison.in_step:
        with asked.stages.timed("iterations in one memory"):
            together = overlapping(comparison, comparison.sharing)
    if together is not None:
        overlap = asked.about(together)
        with asked.stages.part("where buffers overlap"):
            proved = _shown(overlap, SIMPLE_IN_ONE_MEMORY, "a solver") if isinstance(verdict, Refines) else None
            if proved is not None:
                return proved
            alone = together.split is None and bool(together.sharing.alignments)  # work items might race in these runs
            if alone:
                with asked.stages.timed("runs"):
                    found = many(overlap)
            if found is None and isinstance(verdict, Refines):
                proved = _shown(overlap, SOLVED_IN_ONE_MEMORY, "a solver")
                if proved is not None:
                    return proved
        if found is not None:
            found = rather_inside(together, found)
    with asked.stages.timed("which buffers must be apart"):
        needed = needed_apart(comparison, (_way(IN_ONE_MEMORY), _way(SOLVED_IN_ONE_MEMORY)))
    return Apart(needed, verdict, comparison if together is None else together, found)


def _shown(asked: Asked, table: tuple[Strategy, ...], part: str) -> Verdict | None:
    """What a table of proofs shows."""
    with asked.stages.part(part):
        answer = first_answer(table, asked)
    return None if answer is None else answer[1]


def _way(table: tuple[Strategy, ...]) -> Callable[[Comparison], object | None]:
    """Whether such a proof shows it, quickly."""
    return lambda comparison: first_answer(table, Asked(comparison, QUICK_MS, Stages()))


def _unlike(asked: Asked, found: Unlike) -> Verdict:
    """The verdict where the target lacks barriers or fences of the source: a run may show what else it does."""
    if found.wrong and not is_one_thread(asked.comparison):
        return _unless_vacuous(asked, Resynchronised(found.what, found.events))
    answer = first_answer(ONLY_RUNS, asked)
    return Unknown(found.what, found.events) if answer is None else answer[1]


_Shown = TypeVar("_Shown", Refines, Resynchronised)


def _unless_vacuous(asked: Asked, verdict: _Shown) -> _Shown | Vacuous | Unknown:
    """The verdict where the source is defined for some input: else any target refines it."""
    comparison = asked.comparison
    if isinstance(verdict, Refines) and Condition.ITEMS_APART in verdict.conditions:
        comparison = replace(comparison, question=comparison.question.of_items or comparison.question)
    with asked.stages.timed("whether the source is ever defined"):
        answer = means_nothing(comparison, asked.timeout_ms)
    match answer:
        case Impossible():
            return Vacuous(undefined_always(comparison))
        case GaveUp(reason):
            shown = "refines the source" if isinstance(verdict, Refines) else "has other barriers than the source"
            return Unknown(f"the target {shown}, which may be undefined for every input: {reason}")
        case None:
            return verdict


def _decided(asked: Asked) -> Verdict:
    """The verdict on two programs."""
    comparison = asked.comparison
    answer = first_answer(STRATEGIES if comparison.open is None else ONLY_RUNS, asked)
    if answer is None and comparison.open is not None:
        raise comparison.open
    if answer is None:
        assert asked.unknown is not None
        return asked.unknown
    row, verdict = answer
    loops = comparison.question.bounded
    if row.any_length or not loops or not isinstance(verdict, Refines):
        return verdict
    with asked.stages.timed("whether loops can end in time"):
        return _vain(comparison.question, asked.timeout_ms) or Bounded(loops, verdict)


def _vain(question: Question, timeout_ms: int) -> Unknown | None:
    """Why a verdict on runs of so many iterations says nothing; None where there are such runs."""
    match uncut(premises(question, false()), false(), timeout_ms):
        case Fails():
            return None
        case Impossible() | Holds():
            return Unknown(NO_SUCH_RUN)
        case GaveUp(reason):
            return Unknown(f"whether loops can end within the iterations unrolled: {reason}")


def decide_within(limit: Limit, comparison: Comparison, timeout_ms: int, stages: Stages | None = None) -> Verdict:
    """The verdict; what was tried is added to the stages.  Raises what `decide` raises."""
    try:
        with limit.within():
            return decide(comparison, timeout_ms, stages)
    except LimitReached as reached:
        return Unknown(str(reached))


# ---------------------------------------------------------------- what other threads see


MOST_NAMED = 3
"""Accesses of which a reason tells."""


def crossing(comparison: Comparison) -> Iterator[str]:
    """The accesses that cross a barrier, a fence or an atomic: there others may change memory or look at it."""
    question = comparison.question
    atomics = question.source.atomics and question.target.atomics
    found = crossings(question.source.touched, question.target.touched) if question.matched.kinds or atomics else ()
    for one, other in islice(found, MOST_NAMED):
        yield f"{other} is between other barriers, fences or atomics than {one}"


def weaker(comparison: Comparison) -> str:
    """Which accesses of the target pass by fewer caches than those of the source; empty if none do."""
    if comparison.itself:
        return ""
    source, target = comparison.question.source.touched, comparison.question.target.touched
    one_device = comparison.source.platform is comparison.target.platform
    found = list(islice(weakened(source, target, one_device), MOST_NAMED))
    told = ", ".join(f"{other}, beside {one} of the source" for one, other in found)
    return f"weaker cache options: {told}" if found else ""


def is_one_thread(comparison: Comparison) -> bool:
    """Whether a group is known to be one thread, for which a barrier waits for nobody."""
    size = comparison.source.launch.group_size
    return size is not None and prod(size) <= len(comparison.question.lanes)


# ---------------------------------------------------------------- buffers that may overlap


MOST_PAIRS = 15
"""Of buffers, of which each alone is tried."""

Way = Callable[[Comparison], object | None]
"""How a comparison may be shown to be a refinement; None where it is not."""


def overlapping(comparison: Comparison, sharing: Sharing) -> Comparison | None:
    """The question where these buffers may overlap; None where it cannot be asked."""
    runners, asked = with_sharing(comparison.runners, sharing), comparison.question
    if comparison.open is not None:
        return None
    try:
        exact, question = questions(runners, asked.launched, asked.forbidden)
    except NotModelled:
        return None
    return replace(comparison, runners=runners, exact=exact, question=question, sharing=sharing)


def proved_together(comparison: Comparison, sharing: Sharing) -> Comparison | None:
    """The same for proofs in one memory: of loops where they go in step there, and of none that were unrolled.

    With an address for each lane and iteration, each load of them would be compared with each store before.
    """
    if not comparison.in_step:
        return None if comparison.question.bounded else overlapping(comparison, sharing)
    runners = with_sharing(comparison.runners, sharing)
    question = in_step(runners, comparison.question.launched, comparison.scope, comparison.split)
    exact = None if comparison.conditional else question
    return question and replace(comparison, runners=runners, exact=exact, question=question, sharing=sharing)


def needed_apart(comparison: Comparison, ways: Sequence[Way]) -> tuple[Pair, ...]:
    """The pairs of buffers of which it is not shown that they may overlap, left out one after another.

    All of them are tried in the first way that shows it where all pairs are apart.
    """
    needed = list(comparison.sharing.pairs)
    way = next((one for one in ways if _is_shown(comparison, needed, one)), None)
    if len(needed) > MOST_PAIRS or way is None:
        return tuple(needed)
    for pair in comparison.sharing.pairs:
        others = [one for one in needed if one != pair]
        if _is_shown(comparison, others, way):
            needed = others
    return tuple(needed)


def _is_shown(comparison: Comparison, pairs: Sequence[Pair], way: Way) -> bool:
    """Whether the target is shown to refine the source where these pairs are apart."""
    together = proved_together(comparison, comparison.sharing.without(pairs))
    return together is not None and way(together) is not None
