"""Atomics side by side: the set of outcomes, not one order.

Both programs are taken as lists of events, the lanes of their atomics.  The lanes of one message come in any order
(D30), messages one after another.  The k-th event of the target is set beside the k-th of the source.

    ∀ k, ∀ m:  both happen in the same cell or neither does, and both leave the same there if it holds m
    ∧ the target leaves no order open that the source fixes, unless nobody can tell it from the other one
    ∧ what they bring, as functions of the m, gives the same stores and registers

Then each outcome of the target is an outcome of the source, by induction over the events in the order that the target
takes: both find the same in their cells, whatever others do between them.  That two events may be exchanged where they
are apart or commute is so only where no other thread comes between them, as in a rewrite rule.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from visaproof.isa.errors import NotModelled
from visaproof.queries.kernels.surface_names import itself
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.events import AtomicEvent
from visaproof.refinement.effects.fences import is_atomic
from visaproof.refinement.effects.question import Question
from visaproof.refinement.effects.side import Premises
from visaproof.refinement.obligations import open_surfaces, same_at_probe
from visaproof.refinement.questions import questions
from visaproof.refinement.steps import Steps
from visaproof.refinement.strategies.proofs import audit
from visaproof.refinement.strategies.strategy import Asked, granted
from visaproof.refinement.verdicts import Refines
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.semantics.symbolic.effects import updated
from visaproof.semantics.symbolic.names import FoundInMemory
from visaproof.smt import Bool, conj, disj, eq, false, iff, implies, neg, symbol

EVENT_BY_EVENT = "the same atomics, event by event"


def event_by_event(asked: Asked) -> Refines | None:
    """Each lane's atomic does the same to whatever its cell holds."""
    question = _by_events(asked.comparison)
    if question is None:
        return None
    steps = Steps(question, asked.timeout_ms)
    if not steps.target_defined() or not all(map(steps.holds, _goals(question))):
        return None
    if asked.audited:
        audit(asked.comparison)
    return granted(asked.comparison, question, steps.by or EVENT_BY_EVENT)


def has_atomics(comparison: Comparison) -> bool:
    """Whether both programs have atomics, in one thread each and in no loop."""
    if comparison.split is not None or comparison.question.bounded:
        return False
    return all(not runner.trace.loops and any(map(is_atomic, runner.trace.performed)) for runner in comparison.runners)


def _by_events(comparison: Comparison) -> Question | None:
    """The question about events; None where they do not stand side by side, or memory of theirs is loaded or stored."""
    asked = comparison.question
    try:
        _, question = questions(comparison.runners, asked.launched, asked.forbidden, by_events=True)
    except NotModelled:
        return None
    source, target = question.source.events, question.target.events
    if len(source) != len(target) or question.disturbed:
        return None
    reached = {itself(one.surface) for one in (*source, *target)}
    if any(
        runner.surface(each.surface) in reached and not all(isinstance(one, Atomic) for one in each.accesses)
        for runner in comparison.runners
        for each in runner.trace.performed
    ):
        return None
    pairs = list(zip(source, target, strict=True))
    if any(one.access.width != other.access.width for one, other in pairs):
        return None
    if asked.launched.premises is None and any(one.before != other.before for one, other in pairs):
        return None
    if asked.launched.premises is None and _splits_a_message(pairs):
        return None
    return question


def _splits_a_message(pairs: Sequence[tuple[AtomicEvent, AtomicEvent]]) -> bool:
    """Whether lanes of one message of the source are several of the target's, between which other threads may come.

    That the source lets them is a premise (`lanes-interleaved`), which this proof does not state.
    """
    return len({(one.message, other.message) for one, other in pairs}) > len({one.message for one, _ in pairs})


def _goals(question: Question) -> Iterator[Bool]:
    given, source, target = question.launched.premises or Premises(), question.source.events, question.target.events
    for one, other in zip(source, target, strict=True):
        holds = given.said_of(one.surface, one.found)
        yield implies(holds, _same(one, other))
        yield implies(conj(holds, one.happens), given.said_of(one.surface, one.left))  # each event keeps an invariant
    yield from _orders(source, target, question.launched.premises is not None)
    invariants = conj(*(given.said_of(one.surface, one.found) for one in source))
    for surface in open_surfaces(question):
        yield implies(invariants, same_at_probe(question, surface))


def _same(source: AtomicEvent, target: AtomicEvent) -> Bool:
    """Whether both do the same to a cell that holds what they find."""
    if source.surface != target.surface or source.cell.width != target.cell.width:
        return conj(neg(source.happens), neg(target.happens))
    same = conj(eq(source.cell, target.cell), eq(source.left, target.left))
    return conj(iff(source.happens, target.happens), implies(source.happens, same))


def _orders(source: Sequence[AtomicEvent], target: Sequence[AtomicEvent], alone: bool) -> Iterator[Bool]:
    """That the target leaves no order open, or turns it round, that the source fixes and that can be told."""
    for (one, mine), (other, theirs) in combinations(list(zip(source, target, strict=True)), 2):
        if one.message < other.message and not mine.message < theirs.message:
            both = conj(one.happens, other.happens)
            unseen = _apart_or_commuting(one, other) if alone else false()
            yield disj(neg(both), unseen)


def _apart_or_commuting(one: AtomicEvent, other: AtomicEvent) -> Bool:
    if one.surface != other.surface:
        return neg(false())
    if one.access.width != other.access.width:
        return neg(eq(one.cell, other.cell))
    return disj(neg(eq(one.cell, other.cell)), _commute(one, other))


def _commute(one: AtomicEvent, other: AtomicEvent) -> Bool:
    """Whether neither order on one cell can be told from the other, whatever it holds."""
    found = symbol(FoundInMemory("between"), one.found.width)
    first = updated(other.access, updated(one.access, found))
    second = updated(one.access, updated(other.access, found))
    unseen = [
        eq(this.returned(found), this.returned(updated(that.access, found)))
        for this, that in ((one, other), (other, one))
        if this.access.destination is not None
    ]
    return conj(eq(first, second), *unseen)
