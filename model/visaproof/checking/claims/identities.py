"""A rule of the normal form to its verdict: by solvers alone, for what normalises would prove itself."""

from itertools import product

from visaproof.checking.claims.identity_record import identity_example
from visaproof.checking.random_values import random_values
from visaproof.checking.shrink import minimised
from visaproof.checking.verdict import Proved, Refuted, Unknown, Vacuous, Verdict
from visaproof.queries.identities import equal
from visaproof.queries.query import Identity, Query
from visaproof.smt import Term, evaluate
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.solvers import Preparation, solve
from visaproof.smt.written import neg

Values = dict[Term, int]


def decide_identity(query: Query, shown: Identity, timeout_ms: int, seed: int, likely_fails: bool) -> Verdict:
    """The verdict on a rule."""
    values = random_values(query.assumptions, query.goal, seed) if likely_fails else None
    if values is not None:
        return _refuted(query, shown, values, "")
    solver = ""
    at_once = shown.preparation is Preparation.MULTIPLIED_OUT  # z3 takes as long to begin as for an answer
    for part in (query.goal,) if at_once else query.parts:
        match solve([*query.assumptions, neg(part)], timeout_ms, seed, shown.preparation):
            case Satisfiable(values, found_by):
                return _refuted(query, shown, values, found_by)
            case Unsatisfiable(solver):
                pass
            case undecided:
                return Unknown(undecided.reason)
    return _possible(query, timeout_ms, seed) or _carried_out(shown) or Proved(solver)


def _possible(query: Query, timeout_ms: int, seed: int) -> Verdict | None:
    """Why the rule says nothing, if it does not."""
    match solve(query.assumptions, timeout_ms, seed) if query.assumptions else None:
        case None | Satisfiable():
            return None
        case Unsatisfiable():
            return Vacuous("the assumptions cannot hold together")
        case undecided:
            return Unknown(undecided.reason)


def _carried_out(shown: Identity) -> Verdict | None:
    return Unknown(f"the rule is true, but the normal form is {shown.not_as_stated}") if shown.not_as_stated else None


def _refuted(query: Query, shown: Identity, values: Values, solver: str) -> Verdict:
    """The first equation that fails for these values, or for smaller ones."""
    small = minimised(values, query.assumptions, query.goal)
    for candidate, equations in product((small, values), shown.equations):
        for equation in equations:
            if not evaluate(equal(equation), candidate):
                return Refuted(identity_example(query, shown, equation, candidate, solver))
    return Unknown(f"{query.id} fails, but not by numbers: please report this bug of visaproof")
