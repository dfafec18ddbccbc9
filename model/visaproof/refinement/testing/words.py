"""What a launch may choose for a symbol: words, truth values, and the sizes of surfaces."""

from visaproof.semantics.symbolic.names import SurfaceSize, is_extent, is_of_memory
from visaproof.smt import Term

LARGEST_EXTENT = 1 << 14
"""Texels: there most of the small coordinates that a kernel loads or computes lie inside."""


def word_value(one: Term, word: int, flag: int, size: int) -> int:
    """The symbol's value: of this word, this truth value, or this size in bytes."""
    if one.width == 0:
        return flag
    if is_extent(one):
        return word % LARGEST_EXTENT + 1
    return size if isinstance(one.payload, SurfaceSize) else word % (1 << one.width)


def is_input(term: Term) -> bool:
    """Whether a launch chooses it, and not the memory."""
    return not is_of_memory(term)
