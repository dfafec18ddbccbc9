"""How far an access reaches, as sums of names."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from visaproof.analysis.bounds.sizes.integers import Below
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.smt import BitVec, const, known_trailing_zeros, substitute


class Reached(Struct, frozen=True):
    """What one access reaches at most, where all limits hold."""

    end: Polynomial
    """Bytes up to behind the access."""
    limits: tuple[Below, ...]
    least: Mapping[str, int]
    """How large names are at least wherever the access is made."""
    signed: frozenset[str]
    """Names that have to be at least 0."""
    small: frozenset[str]
    """Names that have to be at most SMALL."""
    positive: frozenset[str] = frozenset()
    """Names that have to be at least 1."""
    unequal: frozenset[tuple[str, int]] = frozenset()
    """With numbers that they are not."""
    related: frozenset[tuple[str, str]] = frozenset()
    """Names of which the first has to be at most the second."""
    is_below: bool = False
    """Whether it ends by LARGEST, however large the sums are."""


LARGEST = 1 << 32
"""Bytes that a 32-bit offset reaches."""


def ends_below(address: BitVec, width: int, zeros: Iterable[BitVec]) -> bool:
    """Whether what has so many bytes at an address ends by LARGEST: it begins at a multiple of its size below it.

    `zeros` are words that are 0.
    """
    if width & (width - 1) or address.high >= LARGEST:
        return False
    return 1 << known_trailing_zeros(substitute(address, {word: const(0, word.width) for word in zeros})) >= width
