"""What a launch may choose for a symbol: words, truth values, and the sizes of surfaces."""

from visaproof.smt import Term

EXTENTS = ("width.", "height.", "depth.")
LARGEST_EXTENT = 1 << 14
"""Texels: there most of the small coordinates that a kernel loads or computes lie inside."""


def word_value(one: Term, word: int, flag: int, size: int) -> int:
    """The symbol's value: of this word, this truth value, or this size in bytes."""
    if one.width == 0:
        return flag
    if is_extent(one):
        return word % LARGEST_EXTENT + 1
    return size if str(one.payload).startswith("size.") else word % (1 << one.width)


def is_extent(term: Term) -> bool:
    return str(term.payload).startswith(EXTENTS)


def image_of_extent(term: Term) -> str:
    """The image of which this is an extent."""
    return str(term.payload).partition(".")[2].rpartition(".")[0]


def is_size(term: Term) -> bool:
    """Whether this is the size of a surface."""
    return str(term.payload).startswith(("size.", *EXTENTS))


def is_input(term: Term) -> bool:
    """Whether a launch chooses it, and not the memory."""
    return not str(term.payload).startswith(("memory.", "loaded.", "result.", "probe."))
