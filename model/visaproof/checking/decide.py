"""A query to its verdict: its goal is decided, the example made small and replayed, and only then shown."""

from visaproof.checking.attempts import attempted
from visaproof.checking.claims.identities import decide_identity
from visaproof.checking.random_values import random_values
from visaproof.checking.refutation import refutation
from visaproof.checking.stages import Fails, GaveUp, Holds, Impossible, decide_goal
from visaproof.checking.steps.decision import decide_own
from visaproof.checking.verdict import Proved, Refuted, Unknown, Vacuous, Verdict
from visaproof.queries.query import Identity, OwnClaim, Query

DEFAULT_TIMEOUT_MS = 20_000
"""For one question to one solver."""


def decide(query: Query, timeout_ms: int = DEFAULT_TIMEOUT_MS, seed: int = 0, likely_fails: bool = False) -> Verdict:
    """The verdict on a query.  A failure that does not replay on `execute` is a bug of ours, and unknown.

    Where it likely fails, examples are random_values before a solver is asked; it makes no other difference.
    """
    if isinstance(query.about, Identity):
        return decide_identity(query, query.about, timeout_ms, seed, likely_fails)
    if isinstance(query.about, OwnClaim):
        return decide_own(query, query.about, timeout_ms, seed)
    if likely_fails and (refuted := _guessed(query, timeout_ms, seed)):
        return refuted
    found = attempted(query, timeout_ms, seed)
    if found is not None:
        return found
    match decide_goal(query.assumptions, query.goal, timeout_ms, seed):
        case Holds(by):
            return Proved(by)
        case Impossible():
            return Vacuous("the assumptions cannot hold together")
        case GaveUp(reason):
            return Unknown(reason)
        case Fails() as failing:
            return refutation(query, failing, timeout_ms, seed)


def _guessed(query: Query, timeout_ms: int, seed: int) -> Refuted | None:
    values = random_values(query.assumptions, query.goal, seed)
    found = None if values is None else refutation(query, Fails(values), timeout_ms, seed)
    return found if isinstance(found, Refuted) else None
