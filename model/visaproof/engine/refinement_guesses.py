"""Differences guessed before a solver is asked: runs of both kernels on random and simple inputs, then smaller ones."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice, product
from random import Random

from visaproof.engine.ladder import Values
from visaproof.engine.refinement_comparison import Comparison
from visaproof.engine.refinement_runs import Difference, difference, unknowns
from visaproof.isa.errors import NotModelled
from visaproof.smt import Term

CUT_SIZE = 62
"""Bytes of a surface that ends inside a dword."""

GUESSES = 34
"""Runs on random and simple inputs before a solver is asked."""

EDGES = (2**32 - 1, 2**30 - 1, 2**28 - 1, 2**31 - 1, 2**29 - 1)
"""Numbers after whose multiples a 32-bit offset wraps: one input at a time is one of them in further runs."""

FLOATS = (0x3F80_0000, 0x4000_0000, 0xC040_0000)
"""1, 2 and -3: not all small integers are floats that every device treats alike."""

AUDITS = 6
"""Runs of kernels that are equal in normal form."""


def guessed(comparison: Comparison, count: int) -> Difference | None:
    """A difference for seeded random inputs, or for simple ones."""
    symbols = unknowns(comparison.question, comparison.runners)
    random = Random(0)
    edges = _at_edges(symbols) if count > AUDITS else ()
    for values in chain(islice(candidates(symbols, random), count), edges):
        try:
            found = difference(*comparison.runners, comparison.question, values, lambda: random.getrandbits(8))
        except NotModelled:  # for these inputs, as floats that are not numbers
            continue
        if found is not None:
            return found
    return None


def candidates(symbols: Sequence[Term], random: Random) -> Iterator[Values]:
    for bits, size in product((3, 16, 2, 4, 8, 32), (1 << 32, 64)):
        for _ in range(2):
            yield {one: _value(one, random.getrandbits(bits), random.getrandbits(1), size) for one in symbols}
    for _ in range(4):
        yield {one: _value(one, random.choice(FLOATS), random.getrandbits(1), 1 << 32) for one in symbols}
    for word, size in product((0, 1, 2), (1 << 32, CUT_SIZE)):
        yield {one: _value(one, word, 1, size) for one in symbols}


def _at_edges(symbols: Sequence[Term]) -> Iterator[Values]:
    """One input is large, all others are 0."""
    for edge in EDGES:
        for large in symbols:
            if large.width >= 32 and _is_input(large) and not str(large.payload).startswith("size."):
                yield {one: _value(one, edge if one is large else 0, 1, 1 << 32) for one in symbols}


def _value(one: Term, word: int, flag: int, size: int) -> int:
    if one.width == 0:
        return flag
    return size if str(one.payload).startswith("size.") else word % (1 << one.width)


def smaller(comparison: Comparison, found: Difference) -> Difference:
    """The same with fewer lanes and more zeros, as far as runs confirm it."""
    for one in [term for term, value in found.values.items() if value and _is_input(term)]:
        values = {term: value for term, value in found.values.items() if term is not one}
        try:
            smaller = difference(*comparison.runners, comparison.question, _inputs(values) | {one: 0}, lambda: 1)
        except NotModelled:
            continue
        found = smaller or found
    return found


def _inputs(values: Values) -> Values:
    return {term: value for term, value in values.items() if _is_input(term)}


def _is_input(term: Term) -> bool:
    return not str(term.payload).startswith(("memory.", "loaded.", "result.", "probe."))
