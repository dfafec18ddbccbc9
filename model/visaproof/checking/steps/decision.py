"""How a claim in z3 arrays is decided: store by store, on few lanes, and only then as a whole."""

from collections.abc import Iterator

from msgspec.structs import replace

from visaproof.checking.clauses import Clauses
from visaproof.checking.refutation import refutation
from visaproof.checking.stages import Answer, Fails, GaveUp, Holds, Impossible, decide_goal
from visaproof.checking.steps.parts import parts_of
from visaproof.checking.verdict import Proved, Refuted, Unknown, Vacuous, Verdict
from visaproof.queries.query import OwnClaim, Query
from visaproof.smt import Term, const, substitute, true

FEW_LANES = (0x1, 0x3, 0x2, 0x80)
"""Execution masks under which a counterexample is looked for first: it is easier to find there, and to read."""
SHARE = 4
"""Of the time, for an attempt."""


def decide_own(query: Query, own: OwnClaim, timeout_ms: int, seed: int) -> Verdict:
    """The verdict on a claim about steps."""
    attempt_ms = max(1, timeout_ms // SHARE)
    if isinstance(found := _by_parts(query, attempt_ms, seed), Holds):
        return _proved(query, found, timeout_ms, seed)
    for narrowed, fixed in _on_few_lanes(query, own):
        answer = decide_goal(narrowed.assumptions, narrowed.goal, attempt_ms, seed)
        if isinstance(answer, Fails):
            failing = Fails({**answer.values, **fixed}, answer.solver)
            verdict = refutation(query, failing, timeout_ms, seed)
            if isinstance(verdict, Refuted):
                return verdict
            break
    match decide_goal(query.assumptions, query.goal, timeout_ms, seed):
        case Holds(by):
            return Proved(by)
        case Impossible():
            return Vacuous("the assumptions cannot hold together")
        case GaveUp(reason):
            return Unknown(reason)
        case Fails() as failing:
            return refutation(query, failing, timeout_ms, seed)


def _by_parts(query: Query, timeout_ms: int, seed: int) -> Answer:
    """A proof that needs no assumption: what is true wherever the steps are defined mostly is true elsewhere too."""
    parts = parts_of(query.goal)
    if not parts:
        return GaveUp("the goal has no parts")
    found = Clauses((), timeout_ms, seed).first_open(parts)
    return found if isinstance(found, Holds) else GaveUp("a part may fail")


def _proved(query: Query, found: Holds, timeout_ms: int, seed: int) -> Verdict:
    match decide_goal(query.assumptions, true(), timeout_ms, seed):
        case Impossible():
            return Vacuous("the assumptions cannot hold together")
        case GaveUp(reason):
            return Unknown(reason)
        case Holds() | Fails():
            return Proved(found.by)


def _on_few_lanes(query: Query, own: OwnClaim) -> Iterator[tuple[Query, dict[Term, int]]]:
    """The question under an execution mask, and the mask."""
    mask = own.raising.word(own.steps[0].before.exec_mask)
    if mask.args:
        return  # a word of the caller's, not a constant
    for lanes in FEW_LANES:
        known: dict[Term, Term] = {mask: const(lanes, mask.width)}
        assumptions = tuple(substitute(one, known) for one in query.assumptions)
        yield replace(query, assumptions=assumptions, goal=substitute(query.goal, known)), {mask: lanes}
