"""Whether a difference between two runs proves anything: the source might do something else for the same inputs."""

from collections.abc import Iterator, Sequence
from typing import cast

from visaproof.launch.matching import own_predicates
from visaproof.machine.symbolic.run import trace
from visaproof.queries.kernels.surface_names import itself
from visaproof.refinement.effects.effects import Effects
from visaproof.refinement.effects.operands import with_operands
from visaproof.refinement.effects.question import Question
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.verdicts import Difference
from visaproof.refinement.widths.thread_group import AnyRunner
from visaproof.semantics.symbolic.value_names import Own, Unmatched, is_own
from visaproof.smt import (
    Bool,
    Term,
    const,
    false,
    neg,
    true,
)


def _terms(question: Question, *sides: Effects) -> list[Term]:
    terms: list[Term] = []
    for effects in sides:
        terms += effects.undefined
        for stores in effects.stores.values():
            terms += [term for store in stores for term in (store.guard, store.cell, store.value)]
    terms += question.memory.definitions.values()
    return list(with_operands(question.memory, terms))


def source_choice(question: Question) -> str:
    """What the source depends on though uninitialised, or ""."""
    for term in _terms(question, question.source):
        if is_own(term, "source"):
            return f"the source depends on uninitialised values ({cast(Own, term.payload).place})"
    return ""


def unlike_threads(question: Question) -> str:
    """What a kernel depends on that threads of different width get unlike, or "": no run knows what both get."""
    for term in _terms(question, question.source, question.target):
        if isinstance(term.payload, Unmatched):
            return f"they depend on what threads of different width get unlike ({term.payload.what})"
    return ""


def is_undisturbed(question: Question) -> bool:
    """Whether the terms say what a run leaves: where others come at barriers, atomics or in turns they do not."""
    if question.source.barriers or question.target.barriers or question.disturbed:
        return False
    return all(itself(one) == one for one in question.surfaces)


def as_described(question: Question) -> Iterator[Bool]:
    """Where the source is defined, and the terms say what it does: its loops end in time, and inside its buffers."""
    source = question.source
    yield from (neg(condition) for condition in source.undefined)
    yield from source.ends
    yield from (reach.inside for reach in source.reaches)


def numbers(question: Question, found: Difference) -> dict[Term, Term]:
    """The numbers that the launch and the target chose."""
    known: dict[Term, Term] = {}
    memory = question.memory
    for term, value in found.values.items():
        internal = memory.behind(term) or term in memory.operations
        if not internal and not is_own(term, "source"):
            known[term] = const(value, term.width) if term.width else (true() if value & 1 else false())
    return known


# ---------------------------------------------------------------- longer runs than the terms describe

# The terms say what the source reads unwritten as far as its loops were unrolled.  Of a run that takes longer they say
# nothing: the source may choose there, too, unless no iteration of any number reads uninitialised values.


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
