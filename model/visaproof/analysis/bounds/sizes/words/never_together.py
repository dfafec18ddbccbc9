"""Conditions that never hold together: found once, they rule out each guard that says all of them.

    y0 < min(h, y0 + 4),  8 <= min(h, y0 + 4) - y0        never, whatever else holds in the loop that this guards

So it is with the accesses of a loop that is unrolled more often than it can run, in each of its iterations.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from visaproof.analysis.bounds.sizes.words.any_numbers import AnyNumbers
from visaproof.smt import Bool

MOST_KNOWN = 64
"""Of a kernel; they are looked through for each guard."""


class NeverTogether(Struct):
    """Of one kernel."""

    known: list[frozenset[Bool]] = field(default_factory=list[frozenset[Bool]])

    def among(self, said: Iterable[Bool]) -> bool:
        """Whether some that never hold together are among these: that needs no solver."""
        every = frozenset(said) if self.known else frozenset[Bool]()
        return any(some <= every for some in self.known)

    def are(self, said: Sequence[Bool], asked: AnyNumbers) -> bool:
        """Whether these never hold together; False where that is not known."""
        if self.among(said):
            return True
        if not asked.never(*said):
            return False
        found = frozenset(said)
        for other in self.known[-1:]:  # mostly what both say is the reason
            if asked.never(*(one for one in said if one in other)):
                found &= other
        if len(self.known) < MOST_KNOWN:
            self.known.append(found)
        return True
