"""One question to the solvers, one after another; they are imported when a question reaches them."""

from collections.abc import Iterable
from enum import Enum, auto
from functools import lru_cache
from importlib.util import find_spec
from time import process_time

from visaproof.smt.answers import Answer, Satisfiable, Undecided
from visaproof.smt.terms import Bool

FIRST_MS = 1_000
"""How long Bitwuzla has before z3 is asked: it is the faster one on short questions, and Ctrl-C waits for it."""

SHARED_MS = 200
"""A limit below this is one solver's: there is no time to load another."""

KEPT_ANSWERS = 256
"""Different claims come to the same question, and then soon after each other."""


class Preparation(Enum):
    """What is done with terms before their bits are looked at; that also decides who is asked."""

    NONE = auto()
    """Of terms in normal form it costs more than it saves."""
    SIMPLIFIED = auto()
    """Bitwuzla is told to."""
    MULTIPLIED_OUT = auto()
    """Only z3 does."""


def solve(
    formulas: Iterable[Bool], timeout_ms: int, seed: int = 0, preparation: Preparation = Preparation.NONE
) -> Answer:
    """Whether all formulas can hold together, within `timeout_ms` of processor time for all solvers together.

    Raises KeyboardInterrupt where a solver was stopped by Ctrl-C.
    """
    answer = _answered(tuple(formulas), max(1, timeout_ms), seed, preparation)
    return Satisfiable(dict(answer.values), answer.solver) if isinstance(answer, Satisfiable) else answer


def forget_answers() -> None:
    """Makes the next question one that was never asked: for measurements."""
    _answered.cache_clear()


@lru_cache(KEPT_ANSWERS)
def _answered(formulas: tuple[Bool, ...], timeout_ms: int, seed: int, preparation: Preparation) -> Answer:
    start = process_time()
    if preparation is not Preparation.MULTIPLIED_OUT and _has_bitwuzla():
        from visaproof.smt import bitwuzla_backend

        alone = timeout_ms < SHARED_MS
        limit_ms = timeout_ms if alone else min(FIRST_MS, timeout_ms // 2)
        answer = bitwuzla_backend.ask(formulas, limit_ms, seed, preparation is Preparation.SIMPLIFIED)
        if alone or not isinstance(answer, Undecided):
            return answer
    from visaproof.smt import z3_backend

    spent_ms = int(1000 * (process_time() - start))
    return z3_backend.ask(formulas, max(1, timeout_ms - spent_ms), seed)


@lru_cache(1)
def _has_bitwuzla() -> bool:
    """It is installed where it has a build for the platform."""
    return find_spec("bitwuzla") is not None
