"""Whether the source is defined for any input: if it is not, anything refines it, which is no news.

One run in which it is defined is enough, and nearly always one of the first is.  Only else a solver is asked.  Of a
thread whose loops may be longer than they were unrolled a run would decide nothing.
"""

from collections.abc import Iterator
from itertools import islice
from random import Random

from visaproof.checking.stages import Fails, GaveUp, Holds, Impossible, Values
from visaproof.isa.errors import NotModelled
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.question import Question
from visaproof.refinement.obligations import premises
from visaproof.refinement.steps import uncut
from visaproof.refinement.testing.memory import Content
from visaproof.refinement.testing.random_launches import candidates, contents, unknowns
from visaproof.refinement.testing.random_testing import float_words
from visaproof.refinement.testing.runner import bits_of
from visaproof.refinement.testing.runs import has_meaning
from visaproof.smt import false, is_true, symbols_of
from visaproof.smt.evaluate import evaluate_all

RUNS = 30


def means_nothing(comparison: Comparison, timeout_ms: int) -> Impossible | GaveUp | None:
    """Impossible where the source is undefined for any input under the assumptions; GaveUp where that is not known.

    None where it is defined, and of a kernel whose loops may be longer than they were unrolled: a longer run may be.
    """
    question = comparison.question
    if any(map(is_true, question.source.undefined_alone)):
        return Impossible()
    loops = question.bounded or comparison.in_step
    if loops and question.source.races is None:
        return None
    if _meant_in_a_run(comparison):
        return None
    if undefined_always(comparison):
        return Impossible()
    if loops:
        return None
    match uncut(premises(question, false()), false(), timeout_ms):
        case Holds() | Impossible():
            return Impossible()
        case GaveUp() as gave_up:
            return gave_up
        case Fails():
            return None


def undefined_always(comparison: Comparison) -> tuple[UndefinedKind, ...]:
    """What the source does in every run, as far as that is seen without a solver."""
    undefined = comparison.question.source.undefined
    return tuple(dict.fromkeys(kind for condition, kind in undefined.items() if is_true(condition)))


def _meant_in_a_run(comparison: Comparison) -> bool:
    for values, content in islice(_launches(comparison), RUNS):
        try:
            if _items_are_apart(comparison.question, values) and has_meaning(comparison, values, content):
                return True
        except NotModelled:  # for these inputs, as floats that are not numbers
            continue
    return False


def _items_are_apart(question: Question, values: Values) -> bool:
    """Whether no work items race in this launch, where they are taken not to: one alone, or by where they store."""
    source = question.source
    if not source.items_apart or source.item_races is None or bits_of(question.lanes, values).bit_count() == 1:
        return True
    meets = list(source.item_races.conditions)
    return all(one in values for one in symbols_of(*meets)) and not any(evaluate_all(meets, values))


def _launches(comparison: Comparison) -> Iterator[tuple[Values, Content]]:
    if comparison.inputs is not None:
        yield from comparison.inputs()
    symbols = unknowns(comparison.question, comparison.runners)
    random, floats = Random(0), float_words(comparison)
    for values in candidates(symbols, random, floats):
        yield values, contents(random, floats is not None)
