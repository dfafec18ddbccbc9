"""A difference with fewer lanes and more zeros, which is easier to read."""

from zlib import crc32

from visaproof.engine.ladder import Values
from visaproof.engine.refinement_comparison import Comparison
from visaproof.engine.refinement_guesses import is_input, is_size, settled
from visaproof.engine.refinement_memory import Content
from visaproof.engine.refinement_runs import Difference, difference
from visaproof.isa.errors import NotModelled
from visaproof.smt import Term

MANY = 64
"""Inputs that are not made smaller one by one from the start."""


def smaller(comparison: Comparison, found: Difference) -> Difference:
    """The same with fewer lanes and more zeros, as far as runs confirm it."""
    if comparison.split is not None or len(_reducible(found)) > MANY:
        found = _coarsely_smaller(comparison, found)
    for one in sorted(_reducible(found), key=lambda term: term.width > 0):  # one lane cannot collide
        values = {term: value for term, value in found.values.items() if term is not one}
        for content in (_ones, _counted):
            smaller = _alike(comparison, found, _inputs(values) | {one: 0}, content)
            if smaller is not None:
                found = smaller
                break
    return found


def _reducible(found: Difference) -> list[Term]:
    return [term for term, value in found.values.items() if value and is_input(term) and not is_size(term)]


def _coarsely_smaller(comparison: Comparison, found: Difference) -> Difference:
    """The same with many zeros at once: what wide threads and groups of them start with is much, and runs take long."""
    for parts in (1, 2, 4, 8):
        reducible = _reducible(found)
        size = -(-len(reducible) // parts)
        for first in range(0, len(reducible), max(size, 4)):
            zeros = dict.fromkeys(reducible[first : first + max(size, 4)], 0)
            found = _alike(comparison, found, _inputs(found.values) | zeros, _counted) or found
    return found


def _alike(comparison: Comparison, found: Difference, values: Values, content: Content) -> Difference | None:
    """A difference for these values in the same respect: in memory, or in what the target leaves undefined."""
    try:
        other = difference(*comparison.runners, comparison.question, values, content)
    except NotModelled:
        return None
    if other is None or (other.undefined is None) != (found.undefined is None):
        return None
    return settled(comparison, other)


def _ones(surface: str, address: int, width: int) -> int:
    return 0x0101_0101_0101_0101 % (1 << 8 * width)


def _counted(surface: str, address: int, width: int) -> int:
    """Small numbers, other ones in other places."""
    return (address // width + crc32(surface.encode())) % 251 + 1 if address % 4 == 0 else 0


def _inputs(values: Values) -> Values:
    return {term: value for term, value in values.items() if is_input(term)}
