"""One question to the solvers, one after another; they are imported when a question reaches them."""

from collections.abc import Iterable
from enum import Enum, auto
from functools import lru_cache
from importlib.util import find_spec
from time import perf_counter

from visaproof.smt.answers import Answer, Satisfiable, Undecided
from visaproof.smt.terms import Bool

FIRST_MS = 1_000
"""How long Bitwuzla has before z3 is asked: it is the faster one on short questions, and Ctrl-C waits for it."""

SHARED_MS = 200
"""A limit below this is one solver's: there is no time to load another."""

KEPT_ANSWERS = 256
"""Different claims come to the same question, and then soon after each other."""


class Terms(Enum):
    """What the terms of a question are like: that decides who is asked, and how."""

    NORMAL = auto()
    AS_WRITTEN = auto()
    """No rule has touched them: Bitwuzla is told to simplify them itself."""
    MULTIPLES = auto()
    """As written, and equal as polynomials: only z3 multiplies out."""


def solve(formulas: Iterable[Bool], timeout_ms: int, seed: int = 0, kind: Terms = Terms.NORMAL) -> Answer:
    """Whether all formulas can hold together, within `timeout_ms` for all solvers together.

    Raises KeyboardInterrupt where a solver was stopped by Ctrl-C.
    """
    answer = _answered(tuple(formulas), max(1, timeout_ms), seed, kind)
    return Satisfiable(dict(answer.values), answer.solver) if isinstance(answer, Satisfiable) else answer


def forget_answers() -> None:
    """Makes the next question one that was never asked: for measurements."""
    _answered.cache_clear()


@lru_cache(KEPT_ANSWERS)
def _answered(formulas: tuple[Bool, ...], timeout_ms: int, seed: int, kind: Terms) -> Answer:
    start = perf_counter()
    if kind is not Terms.MULTIPLES and _has_bitwuzla():
        from visaproof.smt import bitwuzla_backend

        alone = timeout_ms < SHARED_MS
        limit_ms = timeout_ms if alone else min(FIRST_MS, timeout_ms // 2)
        answer = bitwuzla_backend.ask(formulas, limit_ms, seed, kind is Terms.AS_WRITTEN)
        if alone or not isinstance(answer, Undecided):
            return answer
    from visaproof.smt import z3_backend

    spent_ms = int(1000 * (perf_counter() - start))
    return z3_backend.ask(formulas, max(1, timeout_ms - spent_ms), seed)


@lru_cache(1)
def _has_bitwuzla() -> bool:
    """It is installed where it has a build for the platform."""
    return find_spec("bitwuzla") is not None
