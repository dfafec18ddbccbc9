"""One question to the solvers, one after another; they are imported when a question reaches them."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum, auto
from functools import lru_cache
from importlib.util import find_spec
from time import process_time

from visaproof.isa.errors import SolversDisagree
from visaproof.smt.answers import Answer, Satisfiable, Undecided, Unsatisfiable
from visaproof.smt.evaluate import all_hold
from visaproof.smt.terms import Bool, kept

FIRST_MS = 1_000
"""How long Bitwuzla has before z3 is asked: it is the faster one on short questions, and Ctrl-C waits for it."""

SHARED_MS = 200
"""A limit below this is one solver's: there is no time to load another."""

OF_WORDS_MS = 400
"""How long Bitwuzla has for a question about sums before integers are asked: it mostly has values by then, if any."""

OF_INTEGERS_MS = 3_000
"""How long the question about integers may take; it took up to 1.6 s where words took 2 to 5 s."""

KEPT_ANSWERS = 256
"""Different claims come to the same question, and then soon after each other."""


CROSS_CHECKED: ContextVar[bool] = ContextVar("CROSS_CHECKED", default=False)
"""Whether every question goes to both solvers, as `cross_checked` says."""


class Preparation(Enum):
    """What is done with terms before their bits are looked at; that also decides who is asked."""

    NONE = auto()
    """Of terms in normal form it costs more than it saves."""
    SIMPLIFIED = auto()
    """Bitwuzla is told to."""
    MULTIPLIED_OUT = auto()
    """Only z3 does."""


def solve(
    formulas: Iterable[Bool],
    timeout_ms: int,
    seed: int = 0,
    preparation: Preparation = Preparation.NONE,
    *,
    alone: bool = False,
) -> Answer:
    """Whether all formulas can hold together, within `timeout_ms` of processor time for all solvers together.

    With `alone` all of it is Bitwuzla's, where that can be asked; else z3 has the rest.

    Within `cross_checked` an answer counts only if both solvers give it, each within that time; values that make the
    formulas hold count by themselves.

    Raises KeyboardInterrupt where a solver was stopped by Ctrl-C, and SolversDisagree.
    """
    question = tuple(formulas), max(1, timeout_ms), seed, preparation
    answer = _answered_by_both(*question) if CROSS_CHECKED.get() else _answered(*question, alone)
    return Satisfiable(dict(answer.values), answer.solver) if isinstance(answer, Satisfiable) else answer


def solve_sums(formula: Bool, timeout_ms: int) -> Answer:
    """`solve` for a formula that mostly compares sums: what takes Bitwuzla long is asked of integers first.

    Within `cross_checked` words alone are asked: only one of the solvers knows integers.

    Raises KeyboardInterrupt where a solver was stopped by Ctrl-C, and SolversDisagree.
    """
    if CROSS_CHECKED.get() or timeout_ms < SHARED_MS:
        return solve([formula], timeout_ms)
    start = process_time()
    match _quick_answer_of_sums(formula, timeout_ms):
        case Satisfiable(values, solver):
            return Satisfiable(dict(values), solver)
        case Unsatisfiable() as never:
            return never
        case _:
            pass
    return solve([formula], timeout_ms - int(1000 * (process_time() - start)))


def forget_answers() -> None:
    """Makes the next question one that was never asked: for measurements."""
    _answered.cache_clear()
    _quick_answer_of_sums.cache_clear()
    _answered_by_both.cache_clear()


@contextmanager
def cross_checked(wanted: bool = True) -> Generator[None]:
    """Within it, every question is asked of both solvers, which have to be there."""
    before = CROSS_CHECKED.set(wanted)
    try:
        yield
    finally:
        CROSS_CHECKED.reset(before)


@kept(KEPT_ANSWERS)
def _answered(formulas: tuple[Bool, ...], timeout_ms: int, seed: int, preparation: Preparation, alone: bool) -> Answer:
    start = process_time()
    if preparation is not Preparation.MULTIPLIED_OUT and has_both():
        from visaproof.smt import bitwuzla_backend

        alone = alone or timeout_ms < SHARED_MS
        limit_ms = timeout_ms if alone else min(FIRST_MS, timeout_ms // 2)
        answer = bitwuzla_backend.ask(formulas, limit_ms, seed, preparation is Preparation.SIMPLIFIED)
        if alone or not isinstance(answer, Undecided):
            return answer
    from visaproof.smt import z3_backend

    spent_ms = int(1000 * (process_time() - start))
    return z3_backend.ask(formulas, max(1, timeout_ms - spent_ms), seed)


@kept(KEPT_ANSWERS)
def _quick_answer_of_sums(formula: Bool, timeout_ms: int) -> Answer | None:
    """That of a quick question about words, or of one about integers; None where it stays open."""
    if has_both():
        from visaproof.smt import bitwuzla_backend

        answer = bitwuzla_backend.ask([formula], OF_WORDS_MS, 0, False)
        if not isinstance(answer, Undecided):
            return answer
    from visaproof.smt.integers import linear

    answer = linear.ask(formula, min(OF_INTEGERS_MS, timeout_ms // 2))
    return None if isinstance(answer, Undecided) else answer


@kept(KEPT_ANSWERS)
def _answered_by_both(formulas: tuple[Bool, ...], timeout_ms: int, seed: int, preparation: Preparation) -> Answer:
    from visaproof.smt import bitwuzla_backend, z3_backend

    first = bitwuzla_backend.ask(formulas, timeout_ms, seed, preparation is not Preparation.NONE)
    second = z3_backend.ask(formulas, timeout_ms, seed)
    match first, second:
        case (Satisfiable(), Unsatisfiable()) | (Unsatisfiable(), Satisfiable()):
            raise SolversDisagree(_disagreement(formulas, first, second))
        case (Undecided(), Satisfiable()) | (Satisfiable(), Undecided()):
            found = first if isinstance(first, Satisfiable) else second
            assert isinstance(found, Satisfiable)
            return found if all_hold(formulas, found.values) else Undecided(NOT_BOTH)
        case (Undecided(), Unsatisfiable()) | (Unsatisfiable(), Undecided()):
            return Undecided(NOT_BOTH)
        case Unsatisfiable(), Unsatisfiable():
            return Unsatisfiable(f"{first.solver} and {second.solver}")
        case _:
            return first


NOT_BOTH = "one solver has an answer, the other none in time, and --cross-check asks for both"


def _disagreement(formulas: tuple[Bool, ...], first: Answer, second: Answer) -> str:
    """What each says, and what the formulas are for the values of one of them."""
    found, other = (first, second) if isinstance(first, Satisfiable) else (second, first)
    assert isinstance(found, Satisfiable)
    assert isinstance(other, Unsatisfiable)
    holds = "holds" if all_hold(formulas, found.values) else "does not hold"
    said = f"{found.solver} has values for which a formula holds, {other.solver} says that there are none"
    return f"{said}; evaluated, it {holds} for these values"


@lru_cache(1)
def has_both() -> bool:
    """It is installed where it has a build for the platform."""
    return find_spec("bitwuzla") is not None
