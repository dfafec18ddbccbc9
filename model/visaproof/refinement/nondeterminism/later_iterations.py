"""Whether a run is one that the terms of the source describe, or later iterations read nothing uninitialised.

The terms say what the source reads unwritten as far as its loops were unrolled.  Of a run that takes longer they say
nothing: the source may choose there, too, unless no iteration of any number reads uninitialised values.
"""

from collections.abc import Mapping, Sequence

from visaproof.launch.matching import own_predicates
from visaproof.machine.symbolic.run import trace
from visaproof.refinement.effects.question import Question
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.widths.thread_group import AnyRunner
from visaproof.semantics.symbolic.value_names import is_own
from visaproof.smt import Bool, Term, is_true
from visaproof.smt.evaluate import substitute_all


def is_within_rounds(question: Question, known: Mapping[Term, Term]) -> bool:
    """Whether the loops of the source end within the iterations unrolled, in a run of which these numbers are known."""
    return all(map(is_true, substitute_all(list(question.source.ends), known)))


def may_choose_later(runner: AnyRunner, lanes: Sequence[Bool]) -> bool:
    """Whether the source may depend on uninitialised values in some iteration of a loop that was not unrolled."""
    if isinstance(runner, Runner):
        return bool(runner.trace.bounded) and _may_choose(runner, lanes)
    return any(may_choose_later(one, lanes[runner.split.lanes(number)]) for number, one in enumerate(runner.members))


def _may_choose(runner: Runner, lanes: Sequence[Bool]) -> bool:
    """Whether any iteration of any loop reads uninitialised values, or that is not known."""
    predicates = own_predicates(runner.owner)
    ran = trace(runner.kernel, runner.platform, runner.initial, lanes, predicates, unroll=0)
    if ran.stopped is not None or ran.bounded or any(one.operands is None for one in ran.arbitrary):
        return True
    words = (runner.initial(*place)[0] for place in ran.registers.initial_reads)
    return bool(ran.predicates.initial_reads) or any(is_own(one, "source") for one in words)
