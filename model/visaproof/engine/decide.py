"""A query to its verdict: climb the ladder, make the example small, replay it, and only then show it."""

from collections.abc import Iterator
from dataclasses import replace

from visaproof.engine.exhibit import exhibit
from visaproof.engine.ladder import NORMAL_FORM, Fails, GaveUp, Holds, Impossible, climb
from visaproof.engine.minimise import minimised
from visaproof.engine.verdict import Proved, Refuted, Unknown, Vacuous, Verdict
from visaproof.isa.execution import ExecMask
from visaproof.isa.readings import DEFAULT
from visaproof.queries.query import Query
from visaproof.queries.subject import MASK, Subject
from visaproof.semantics.symbolic.effects import meaningless, undefined
from visaproof.semantics.symbolic.state import field_term
from visaproof.smt import BitVec, Bool, Term, conj, const, eq, neg, symbols_of, ult

DEFAULT_TIMEOUT_MS = 20_000
"""For one question to one solver."""

TWO_LANES_TIMEOUT_MS = 5_000
"""For an attempt to show with two lanes what another reading changes."""

PARTS_AT_ONCE = 16
"""Of a question that is decided in parts, so many are put to a solver together."""

NARROWER_TIMEOUT_MS = 150
"""For an attempt to find a smaller counterexample than the first."""

SMALL = 256
"""A counterexample is looked for among words below this first."""

Values = dict[Term, int]


def decide(query: Query, timeout_ms: int = DEFAULT_TIMEOUT_MS, seed: int = 0) -> Verdict:
    """The verdict on a query.  A failure that does not replay on `execute` is a bug of ours, and unknown."""
    if isinstance(query.exhibit, Subject) and query.exhibit.readings != DEFAULT:
        found = _on_two_lanes(query, query.exhibit, min(timeout_ms, TWO_LANES_TIMEOUT_MS), seed)
        if found is not None:
            return found
    match climb(query.assumptions, query.goal, timeout_ms, seed):
        case Holds(rung):
            return Proved(rung)
        case Impossible():
            return Vacuous("the assumptions cannot hold together")
        case GaveUp(reason):
            return _proved_in_parts(query, timeout_ms, seed) or Unknown(reason)
        case Fails() as failing:
            return _refutation(query, failing, timeout_ms, seed)


def _on_two_lanes(query: Query, subject: Subject, timeout_ms: int, seed: int) -> Refuted | None:
    """A counterexample in which lanes 0 and 1 alone run: what another reading changes, two lanes can mostly show."""
    mask_is_m1 = eq(field_term(MASK, MASK.width), const(ExecMask.M1, MASK.width))
    two = conj(mask_is_m1, *(neg(lane) for lane in subject.state.exec_mask[2:]))
    defined = neg(undefined(subject.own_accesses, subject.instruction.spec.collision_undefined))
    for more in (two, conj(two, defined)):
        narrowed = replace(query, assumptions=(*query.assumptions, more))
        answer = climb(narrowed.assumptions, narrowed.goal, timeout_ms, seed)
        if not isinstance(answer, Fails):
            return None
        small = minimised(answer.values, narrowed.assumptions, query.goal)
        found = _confirmed(narrowed, answer.solver, small, answer.values)
        if found is not None:
            return found
    return None


def _proved_in_parts(query: Query, timeout_ms: int, seed: int) -> Proved | None:
    """A proof of the statements that imply the goal, some at a time; None where one of them is not proved."""
    rung = ""
    for start in range(0, len(query.parts), PARTS_AT_ONCE):
        answer = climb(query.assumptions, conj(*query.parts[start : start + PARTS_AT_ONCE]), timeout_ms, seed)
        if not isinstance(answer, Holds):
            return None
        rung = answer.rung if rung in ("", NORMAL_FORM) else rung  # a solver, if one was asked
    return Proved(rung) if rung else None


def _refutation(query: Query, failing: Fails, timeout_ms: int, seed: int) -> Verdict:
    """The smallest counterexample that replays, looked for where that is likely before it is looked for everywhere."""
    small = minimised(failing.values, query.assumptions, query.goal)
    first = _confirmed(query, failing.solver, small, failing.values)
    if first is not None and all(value < SMALL for value in small.values()):
        return first
    gave_up = ""
    for more, limit in _narrower(query, timeout_ms):
        narrowed = replace(query, assumptions=(*query.assumptions, more))
        answer = climb(narrowed.assumptions, narrowed.goal, min(limit, timeout_ms), seed)
        if isinstance(answer, Fails):
            better = minimised(answer.values, narrowed.assumptions, query.goal)
            found = _confirmed(narrowed, answer.solver, better, answer.values)
            if found is not None:
                return found
        elif isinstance(answer, GaveUp):
            gave_up = answer.reason
        if first is not None:
            return first
    if gave_up:
        return Unknown(f"{query.id} fails, but no counterexample that replays was found: {gave_up}")
    return Unknown(f"{query.id} fails, but no counterexample replays on execute: please report this bug of visaproof")


def _narrower(query: Query, timeout_ms: int) -> Iterator[tuple[Bool, int]]:
    """Assumptions that single out better counterexamples, and how long to look there: small numbers where every
    access has a meaning, any numbers there, and any numbers where the whole outcome has one."""
    symbols = symbols_of(*query.assumptions, query.goal)
    wide = [word for word in symbols if isinstance(word, BitVec) and word.width > SMALL.bit_length()]
    small = conj(*(ult(word, const(SMALL, word.width)) for word in wide))
    if isinstance(query.exhibit, Subject):
        subject = query.exhibit
        meaningful = neg(meaningless(subject.own_accesses))
        yield conj(small, meaningful), NARROWER_TIMEOUT_MS
        yield meaningful, timeout_ms
        yield neg(undefined(subject.own_accesses, subject.instruction.spec.collision_undefined)), timeout_ms
    else:
        yield small, NARROWER_TIMEOUT_MS


def _confirmed(query: Query, solver: str, *candidates: Values) -> Refuted | None:
    """The first candidate that replays."""
    for candidate in candidates:
        counterexample = exhibit(query, candidate, solver)
        if counterexample is not None:
            return Refuted(counterexample)
    return None
