"""One question about two kernels within a limit."""

from visaproof.isa.errors import LimitReached
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.strategies.strategy import Stages
from visaproof.refinement.verdicts import Unknown, Verdict
from visaproof.smt.limit import Limit


def compare_within(limit: Limit, source: Program, target: Program, scope: Scope) -> Comparison:
    """The question.  Raises LimitReached, and what `compare` raises."""
    with limit.within():
        return compare(source, target, scope)


def decide_within(limit: Limit, comparison: Comparison, timeout_ms: int, stages: Stages | None = None) -> Verdict:
    """The verdict; what was tried is added to the stages.  Raises what `decide` raises."""
    try:
        with limit.within():
            return decide(comparison, timeout_ms, stages)
    except LimitReached as reached:
        return Unknown(str(reached))
