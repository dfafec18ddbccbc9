"""Differences found by running both programs on random and simple inputs: each is a run, and shrunk to a small one."""

from visaproof.refinement.difference import Difference
from visaproof.refinement.environment.interference import interfered, may_interfere
from visaproof.refinement.nondeterminism.deeper_unrolling import in_longer_runs
from visaproof.refinement.strategies.strategy import Asked
from visaproof.refinement.testing.guesses import AUDITS, GUESSES, LAST_GUESSES, LAST_RUNS, guessed
from visaproof.refinement.testing.shrinking import smaller


def _shrunk(asked: Asked, found: Difference | None) -> Difference | None:
    return None if found is None else smaller(asked.comparison, found)


def few(asked: Asked) -> Difference | None:
    """A handful of runs, where they are dear and mostly agree: of loops, and of many threads."""
    return _shrunk(asked, guessed(asked.comparison, AUDITS))


def many(asked: Asked) -> Difference | None:
    """Runs before a solver is asked."""
    return _shrunk(asked, guessed(asked.comparison, GUESSES))


def long(asked: Asked) -> Difference | None:
    """Runs where no solver decided, or none can be asked."""
    return _shrunk(asked, guessed(asked.comparison, LAST_GUESSES, seed=1, most=LAST_RUNS))


def before_a_solver(asked: Asked) -> Difference | None:
    """As many as a question of one thread is worth, of several threads a few: these are dear and mostly agree."""
    return many(asked) if asked.comparison.split is None else few(asked)


def unrolled_deeper(asked: Asked) -> Difference | None:
    """Runs of more iterations than were unrolled, where the source may choose in them."""
    return in_longer_runs(asked.comparison)


def with_another_thread(asked: Asked) -> Difference | None:
    """Runs in which another thread comes between two atomics of the target."""
    if not may_interfere(*asked.comparison.runners, asked.question):
        return None
    return _shrunk(asked, guessed(asked.comparison, GUESSES, seed=1, ask=interfered))
