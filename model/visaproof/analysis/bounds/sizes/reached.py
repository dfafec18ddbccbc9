"""How far an access reaches, as sums of names."""

from collections.abc import Mapping

from msgspec import Struct

from visaproof.analysis.bounds.sizes.integers import Below
from visaproof.launch.relations.polynomials import Polynomial


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
