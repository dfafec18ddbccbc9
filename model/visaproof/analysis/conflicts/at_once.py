"""Whether any of some conditions can hold, asked of all of them at once.

    P ∧ (C₁ ∨ … ∨ Cₙ)  cannot hold    ⇒    P ∧ Cᵢ  cannot hold, for any i

The pairs of lanes of a scatter are much alike: one question excludes all of them in about the time that each would
take, and where the first pair can meet, the others are not asked about.
"""

from collections.abc import Sequence

from visaproof.smt import Bool, conj, disj
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.solvers import solve

FIRST_MS = 250
ALL_MS = 1_000


def excluded_at_once(premise: Bool, conditions: Sequence[Bool], timeout_ms: int) -> str:
    """The solver that shows that none of them holds where the premise does; empty where one may, or there are none."""
    solver = ""
    if not conditions:
        return solver
    for some, most in ((conditions[:1], FIRST_MS), (conditions, ALL_MS)):
        answer = solve([conj(premise, disj(*some))], min(most, timeout_ms))
        if not isinstance(answer, Unsatisfiable):
            return ""
        solver = answer.solver
    return solver
