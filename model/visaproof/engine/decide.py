"""A query to its verdict: climb the ladder, make the example small, replay it, and only then show it."""

from visaproof.engine.attempts import attempted
from visaproof.engine.ladder import Fails, GaveUp, Holds, Impossible, climb
from visaproof.engine.refutation import refutation
from visaproof.engine.verdict import Proved, Unknown, Vacuous, Verdict
from visaproof.queries.query import Query

DEFAULT_TIMEOUT_MS = 20_000
"""For one question to one solver."""


def decide(query: Query, timeout_ms: int = DEFAULT_TIMEOUT_MS, seed: int = 0) -> Verdict:
    """The verdict on a query.  A failure that does not replay on `execute` is a bug of ours, and unknown."""
    found = attempted(query, timeout_ms, seed)
    if found is not None:
        return found
    match climb(query.assumptions, query.goal, timeout_ms, seed):
        case Holds(rung):
            return Proved(rung)
        case Impossible():
            return Vacuous("the assumptions cannot hold together")
        case GaveUp(reason):
            return Unknown(reason)
        case Fails() as failing:
            return refutation(query, failing, timeout_ms, seed)
