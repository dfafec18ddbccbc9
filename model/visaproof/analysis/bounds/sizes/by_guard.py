"""Sums that are no negative numbers by what the guard compares, and since ids are below sizes: r - i - 1 where i < r.

    l <= b,  s = k·(b − l) + rest,  0 <= k,  0 <= rest      =>      0 <= s

k may have names in it, as the w of w·y − w·r.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import TypeVar

from msgspec import Struct, field

from visaproof.analysis.bounds.sizes.counters.loop_counters import LoopCounters
from visaproof.analysis.bounds.sizes.ids_at_ends import IdsAtEnds
from visaproof.analysis.bounds.sizes.integers import Below
from visaproof.analysis.bounds.sizes.sums import Key, key_of
from visaproof.launch.relations.polynomials import Polynomial, plus, times, without_factors

T = TypeVar("T")

MOST_SHOWN = 16
"""Sums of one access."""


class ByGuard(Struct):
    """What is shown so of one access."""

    counters: LoopCounters
    """With what the guard compares."""
    ids: IdsAtEnds
    rests: dict[Key, Polynomial] = field(default_factory=dict[Key, Polynomial])
    limits: list[Below] = field(default_factory=list[Below])
    """Under which all of it holds."""

    def settled(self, reached: Callable[["ByGuard"], T | None]) -> T | None:
        """What is reached, once the limits of all that is shown were asked for as well."""
        while True:
            known = len(self.rests)
            found = reached(self)
            if found is None or len(self.rests) == known:
                return found

    def shows(self, one: Polynomial, is_natural: Callable[[Polynomial], bool]) -> bool:
        """Whether a sum that was shown is at least 0; its limits were asked for."""
        rest = self.rests.get(key_of(one))
        return rest is not None and is_natural(rest)

    def finds(self, one: Polynomial, is_natural: Callable[[Polynomial], bool]) -> bool:
        """Whether a sum is at least 0 by limits that are to be asked for now."""
        if key_of(one) in self.rests or len(self.rests) == MOST_SHOWN:
            return False
        for difference, limits in chain(((one, ()) for one in self.ids.differences()), self.counters.differences):
            for factor in _factors(one, difference):
                rest = plus(one, times(times(difference, factor), {(): -1}))
                if is_natural(rest) and all(is_natural(limit.sum) for limit in limits):
                    self.rests[key_of(one)] = rest
                    self.limits += (limit for limit in limits if limit not in self.limits)
                    return True
        return False


def _factors(one: Polynomial, difference: Polynomial) -> Iterator[Polynomial]:
    """How often a sum may have the other one, by what both subtract."""
    for part, count in one.items():
        for own, its in difference.items() if count < 0 and part else ():
            rest = without_factors(part, own) if its < 0 and own else None
            if rest is not None:
                yield {rest: -(count // -its)}
