"""Cheaper attempts at a question before it is asked as a whole.

Where a query comes in parts, most of them are the same one about other lanes; one that fails is where to look for an
example.  Elsewhere, what another reading changes mostly shows on two lanes.
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from visaproof.checking.clauses import Clauses
from visaproof.checking.refutation import NARROWER_TIMEOUT_MS, confirmed, small_numbers
from visaproof.checking.shrink import minimised
from visaproof.checking.stages import Fails, GaveUp, Holds, Impossible, decide_goal
from visaproof.checking.verdict import Proved, Refuted, Unknown, Vacuous, Verdict
from visaproof.isa.execution import ExecMask
from visaproof.isa.readings import DEFAULT
from visaproof.queries.query import Query
from visaproof.queries.subject import MASK, Subject
from visaproof.semantics.symbolic.effects import meaningless, undefined
from visaproof.semantics.symbolic.state import field_term
from visaproof.smt import Bool, Term, conj, const, evaluate, false, neg, true
from visaproof.smt.substitution import substitute_all

SHOWING_LANES = 2


def attempted(query: Query, timeout_ms: int, seed: int) -> Verdict | None:
    """The verdict, if one of the attempts comes to one."""
    return _Attempts(query, timeout_ms, seed).verdict()


class _Attempts(Struct, frozen=True):
    query: Query
    timeout_ms: int
    seed: int

    def verdict(self) -> Verdict | None:
        shown = self.query.about
        reread = shown if isinstance(shown, Subject) and shown.readings != DEFAULT else None
        found = self._by_clauses(reread) if self.query.parts else None
        return found or (reread and self._on_two_lanes(reread))

    def _by_clauses(self, shown: Subject | None) -> Verdict | None:
        """A proof of each statement from which together the goal follows; or an example where one fails."""
        query = self.query
        clauses = Clauses(query.assumptions, self.timeout_ms, self.seed)
        found = clauses.first_open(query.parts)
        if not isinstance(found, Holds):
            return shown and self._shown(shown, replace(query, goal=found, parts=()))
        match decide_goal(query.assumptions, true(), self.timeout_ms, self.seed):
            case Impossible():
                return Vacuous("the assumptions cannot hold together")
            case GaveUp(reason):
                return Unknown(reason)
            case Holds() | Fails():
                return Proved(found.by)

    def _on_two_lanes(self, shown: Subject) -> Refuted | None:
        """A counterexample in which lanes 0 and 1 alone run, if there is one; what is fixed here is 0 in its values."""
        fixed: dict[Term, Term] = {lane: false() for lane in shown.state.exec_mask[SHOWING_LANES:]}
        fixed[field_term(MASK, MASK.width)] = const(ExecMask.M1, MASK.width)
        *assumptions, goal = substitute_all((*self.query.assumptions, self.query.goal), fixed)
        return self._shown(shown, replace(self.query, assumptions=tuple(assumptions), goal=goal), fixed)

    def _shown(self, shown: Subject, narrower: Query, fixed: dict[Term, Term] | None = None) -> Refuted | None:
        """A counterexample to the whole goal, from values for which a narrower question fails."""
        for more, limit in _better(shown, narrower, self.timeout_ms):
            (premise,) = substitute_all((conj(*narrower.assumptions, more),), fixed or {})
            answer = decide_goal((premise,), narrower.goal, min(limit, self.timeout_ms), self.seed)
            if not isinstance(answer, Fails):
                continue
            for values in (minimised(answer.values, (premise,), narrower.goal), answer.values):
                if evaluate(self.query.goal, values):
                    continue
                found = confirmed(narrower, answer.solver, values)
                if found is not None:
                    return found
        return None


def _better(shown: Subject, query: Query, timeout_ms: int) -> Iterator[tuple[Bool, int]]:
    """What singles out better examples, and how long to look there: small numbers, which not every question allows,
    where each access is defined; any numbers there; where the whole outcome is defined; and anything else."""
    meaningful = neg(meaningless(shown.own_accesses))
    yield conj(small_numbers(query), meaningful), NARROWER_TIMEOUT_MS
    yield meaningful, timeout_ms
    yield neg(undefined(shown.own_accesses, shown.instruction.spec.collision_undefined)), timeout_ms
    yield true(), timeout_ms
