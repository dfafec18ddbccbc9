"""From values that break a goal to the counterexample that is shown: made small, and replayed on `execute`."""

from collections.abc import Iterator

from msgspec.structs import replace

from visaproof.checking.confirm import confirmed_counterexample, writings_agree
from visaproof.checking.shrink import minimised
from visaproof.checking.stages import Fails, GaveUp, decide_goal
from visaproof.checking.verdict import Refuted, Unknown
from visaproof.queries.query import Query
from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.effects import meaningless, undefined
from visaproof.smt import BitVec, Bool, Term, conj, const, disj, neg, symbols_of, ult

NARROWER_TIMEOUT_MS = 100
"""For an attempt to find a smaller counterexample than the first."""

SMALL = 256
"""A counterexample is looked for among words below this first."""

Values = dict[Term, int]


def refutation(query: Query, failing: Fails, timeout_ms: int, seed: int) -> Refuted | Unknown:
    """The smallest counterexample that replays, looked for where that is likely before it is looked for everywhere."""
    small = minimised(failing.values, query.assumptions, query.goal)
    first = confirmed(query, failing.solver, small, failing.values)
    if first is not None and all(value < SMALL for value in small.values()):
        return first
    gave_up, agreed = "", True
    for more, limit in _narrower(query, timeout_ms):
        narrowed = replace(query, assumptions=(*query.assumptions, more))
        answer = decide_goal(narrowed.assumptions, narrowed.goal, min(limit, timeout_ms), seed)
        if isinstance(answer, Fails):
            smaller = minimised(answer.values, narrowed.assumptions, query.goal)
            better = confirmed(narrowed, answer.solver, smaller, answer.values)
            if better is not None:
                return better
            agreed = agreed and writings_agree(narrowed, smaller)
        elif isinstance(answer, GaveUp):
            gave_up = answer.reason
        if first is not None:
            return first
    if gave_up:
        return Unknown(f"{query.id} fails, but no counterexample that replays was found: {gave_up}")
    if agreed and (silent := confirmed(query, failing.solver, small, failing.values, anywhere=True)):
        return silent  # undefined, or without an effect: no other state was found
    return Unknown(f"{query.id} fails, but no counterexample replays on execute: please report this bug of visaproof")


def _narrower(query: Query, timeout_ms: int) -> Iterator[tuple[Bool, int]]:
    """Assumptions that single out better counterexamples, and how long to look there: small numbers where every
    access is defined, any numbers there, any numbers where the whole outcome is defined, and where there is one."""
    small = small_numbers(query)
    if isinstance(query.about, Subject):
        subject = query.about
        meaningful = neg(meaningless(subject.own_accesses))
        yield conj(small, meaningful), NARROWER_TIMEOUT_MS
        yield meaningful, timeout_ms
        defined = neg(undefined(subject.own_accesses, subject.instruction.spec.collision_undefined))
        yield defined, timeout_ms
        if not subject.variant:
            acts = disj(*(conj(access.guard, access.inside) for access in subject.own_accesses))
            yield conj(defined, acts), timeout_ms
    else:
        yield small, NARROWER_TIMEOUT_MS


def small_numbers(query: Query) -> Bool:
    """Whether every wide word of the query is small."""
    symbols = symbols_of(*query.assumptions, query.goal)
    wide = [word for word in symbols if isinstance(word, BitVec) and word.width > SMALL.bit_length()]
    return conj(*(ult(word, const(SMALL, word.width)) for word in wide))


def confirmed(query: Query, solver: str, *candidates: Values, anywhere: bool = False) -> Refuted | None:
    """The first candidate that replays."""
    for candidate in candidates:
        counterexample = confirmed_counterexample(query, candidate, solver, anywhere)
        if counterexample is not None:
            return Refuted(counterexample)
    return None
