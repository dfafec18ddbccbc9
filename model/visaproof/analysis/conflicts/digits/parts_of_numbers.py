"""Parts of a number as its digits: what is left where it is divided by radices, step by step.

    n = d₁ + r₁·d₂ + r₁·r₂·d₃ + …       d₁ = n mod r₁,   d₂ = ⌊n/r₁⌋ mod r₂,   …,   the last one ⌊n/(r₁·r₂·…)⌋

Two numbers that differ differ in some digit, if the digits leave nothing out: each begins where the one below ends, and
the last one has no radix, or n is below where it ends.

    (⌊n/l⌋ mod r) mod s = ⌊n/l⌋ mod s              where s divides r
    ⌊(⌊n/l⌋ mod r) / s⌋ = ⌊n/(l·s)⌋ mod (r/s)      where s divides r
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from visaproof.launch.relations.polynomials import Polynomial, divided, times
from visaproof.smt import Op

ONE: Polynomial = {(): 1}


class Piece(Struct, frozen=True):
    """⌊n/low⌋ mod radix, of integers; or without a radix the whole quotient."""

    low: Polynomial
    radix: Polynomial | None

    @property
    def end(self) -> Polynomial | None:
        """Where the next piece begins."""
        return None if self.radix is None else times(self.low, self.radix)


def piece(steps: Iterable[tuple[Op, Polynomial]]) -> Piece | None:
    """What these steps leave of a number; None where that is no such piece."""
    low, radix = ONE, None
    for operation, by in steps:
        rest = None if radix is None else divided(radix, by)
        if radix is not None and rest is None:
            return None
        if operation is Op.UREM:
            radix = by
        else:
            low, radix = times(low, by), rest
    return Piece(low, radix)


def in_order(pieces: Sequence[Piece]) -> list[int] | None:
    """The pieces from the lowest on, by their numbers; None where they leave something out, or overlap."""
    found: list[int] = []
    end: Polynomial | None = ONE
    while len(found) < len(pieces):
        here = end
        following = (at for at, one in enumerate(pieces) if at not in found and here is not None and one.low == here)
        if (at := next(following, None)) is None:
            return None
        found.append(at)
        end = pieces[at].end
    return found
