"""Random testing, before a solver is asked: runs of both kernels on random and simple inputs, then smaller ones."""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from visaproof.checking.stages import Values
from visaproof.isa.errors import NotModelled
from visaproof.isa.types import DataType
from visaproof.refinement.choices import (
    ends_within_iterations,
    may_choose_later,
    no_choice_explains,
    source_choice,
    unlike_threads,
)
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.testing.memory import Content, word_value
from visaproof.refinement.testing.random_launches import at_edges, candidates, contents, unknowns
from visaproof.refinement.testing.runs import difference
from visaproof.refinement.testing.small_launches import FloatWords, small_launches
from visaproof.refinement.verdicts import Difference
from visaproof.smt import Term

TESTS = 60
"""Runs on random and simple inputs before a solver is asked."""

LAST_TESTS = 600
"""Runs of each kind where neither these nor a solver decided."""

LAST_RUNS = 600
"""Of these in all, whatever kind of launch they are of."""

FLOAT_TYPES = (DataType.F, DataType.HF, DataType.DF)

FLOAT_GUESSES = 24
"""Runs on floats, of kernels that compute with them."""

AUDITS = 6
"""Runs of kernels that are equal in normal form."""

MOST_EXPLAINED = 100
"""Runs of which it is asked whether a choice of the source leaves all that the target left."""

GIVEN_UP = 20
"""So many runs of kernels with loops of unknown length that come to no end show that most inputs are of no use."""


def random_test(comparison: Comparison, count: int, seed: int = 0, most: int | None = None) -> Difference | None:
    """A difference for seeded random inputs, or for simple ones: so many runs of each kind, and at most so many in all.

    Runs are counted and not timed, so that the answer is the same on each machine.
    """
    search = _Search(comparison)
    made = _in_turn([search.shown(launched) for launched in _kinds(comparison, count, seed)])
    return next((found for found in islice(made, most) if found is not None), None)


def _kinds(comparison: Comparison, count: int, seed: int) -> Iterator[Iterator[tuple[Values, Content]]]:
    """Launches of each kind, with what memory holds in them."""
    if comparison.inputs is not None:
        yield islice(comparison.inputs(), count)
        return
    symbols = unknowns(comparison.question, comparison.runners)
    random, floats = Random(seed), float_words(comparison)
    edges = at_edges(symbols) if count > AUDITS else ()
    inputs = chain(islice(candidates(symbols, random, floats), count), edges)
    yield ((values, contents(random, floats is not None)) for values in inputs)
    if count > AUDITS or comparison.on_floats:
        yield small_launches(comparison.runners, symbols, seed, count)
    if count > AUDITS and comparison.on_floats:
        yield _on_floats(symbols, seed)


def _in_turn(searches: list[Iterator[Difference | None]]) -> Iterator[Difference | None]:
    """One of each search, then the next of each."""
    while searches:
        for one in tuple(searches):
            try:
                yield next(one)
            except StopIteration:
                searches.remove(one)


class _Search(Struct):
    """What launches of several kinds show."""

    comparison: Comparison
    explained: int = 0
    """Differences of which it was asked whether a choice of the source leaves the same."""

    def shown(self, launched: Iterator[tuple[Values, Content]]) -> Iterator[Difference | None]:
        """Of each launch the difference that is certain, while launches of this kind come to an end."""
        given_up = 0
        for values, content in launched:
            try:
                found = difference(self.comparison, values, content)
                sure = found and settled(self.comparison, found, explained=self.explained < MOST_EXPLAINED)
                self.explained += found is not None
            except NotModelled:  # for these inputs, as floats that are not numbers
                given_up += 1
                if self.comparison.question.bounded and given_up == GIVEN_UP:
                    return
                sure = None
            yield sure


def settled(comparison: Comparison, found: Difference, explained: bool = True) -> Difference | None:
    """The difference, if the source leaves another memory whatever it may choose; where it chooses, a solver is asked
    on request alone.  Raises NotModelled."""
    if comparison.split is not None and unlike_threads(comparison.question):
        return None
    if comparison.in_step:  # the terms say what one iteration leaves, with what the source chooses
        return None if may_choose_later(comparison.runners[0], comparison.question.lanes) else found
    if not source_choice(comparison.question):
        return found if _is_without_choice(comparison, found) else None
    return replace(found, whatever_found=True) if explained and no_choice_explains(comparison, found) else None


def _is_without_choice(comparison: Comparison, found: Difference) -> bool:
    """Whether the source chooses nothing in a run, where it chooses nothing in the iterations that were unrolled."""
    question = comparison.question
    if not question.source.ends or ends_within_iterations(question, found):
        return True
    return not may_choose_later(comparison.runners[0], question.lanes)


def float_words(comparison: Comparison) -> Collection[Term] | None:
    """The inputs that are operands of arithmetic on floats; None where there is no such arithmetic."""
    used = (one for runner in comparison.runners for one in runner.trace.arbitrary if one.origin is None)
    operands = [source for one in used for source in one.operands or () if source.type in FLOAT_TYPES]
    return {source.bits for source in operands} if operands else None


def _on_floats(symbols: Sequence[Term], seed: int) -> Iterator[tuple[Values, Content]]:
    """Floats in memory, and in at least half of the inputs."""
    random = Random(seed + 1)
    for _ in range(FLOAT_GUESSES):
        words, lanes = FloatWords.drawn(random), random.choice((0.2, 1, 1))
        flags = [int(random.random() < lanes) for _ in symbols]
        values = {
            one: word_value(one, words.word(one, random), flag, 1 << 32)
            for one, flag in zip(symbols, flags, strict=True)
        }
        yield values, words.content
