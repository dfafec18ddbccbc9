"""What was proved of the lanes of one scatter, said of those of the others.

    P ∧ A  cannot hold,   B ⇒ A      so that   P ∧ B  cannot hold

P is the premise, which all scatters of a kernel share.  A and B follow from two lanes writing one byte or texel: that
they are on, and that the last 32 bits of their addresses are so far apart; surfaces are no part of them.  B ⇒ A where
B, a conjunction, has all literals of A.  So of scatters whose lanes are as far apart, under the same guards or further
ones, one is asked about.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct, field

from visaproof.analysis.conflicts.lane_conditions import Excluded
from visaproof.smt import Bool, conj, disj
from visaproof.smt.answers import Undecided, Unsatisfiable
from visaproof.smt.solvers import solve

AT_ONCE_MS = 400
"""For all pairs of lanes of one scatter together: it is short where they are alike, and long where ids wrap."""

OF_A_PAIR_MS = 190
"""For each of them, as long as each is proved: what takes longer is mostly not proved in seconds."""


class KnownApart(Struct):
    """Of the scatters of one kernel, under one premise."""

    premise: Bool
    weakened: Callable[[Bool], Bool]
    """What follows from a formula, and is faster to decide."""
    solvers: dict[str, None] = field(default_factory=dict[str, None])
    """That have proved something."""
    _excluded: Excluded = field(default_factory=Excluded)
    _asked: dict[tuple[Bool, ...], bool] = field(default_factory=dict[tuple[Bool, ...], bool])

    def excludes(self, overlap: Callable[[], Bool]) -> bool:
        """Whether it cannot hold, by what was proved before."""
        return bool(self.solvers) and self._excluded.excludes(overlap())

    def learn(self, overlaps: Sequence[Bool]) -> bool:
        """Whether none of them can hold: asks of the first one, of all at once, and if that is open of one by one.

        What is proved is kept, of some of them, too.
        """
        key = tuple(overlaps)
        if key not in self._asked:
            self._asked[key] = self._cannot_hold(key[:1], OF_A_PAIR_MS) is True and self._none_holds(key[1:])
        return self._asked[key]

    def _none_holds(self, others: Sequence[Bool]) -> bool:
        at_once = self._cannot_hold(others, AT_ONCE_MS) if others else True
        if at_once is None:
            return all(self._cannot_hold([one], OF_A_PAIR_MS) for one in others)
        return at_once

    def _cannot_hold(self, overlaps: Sequence[Bool], most_ms: int) -> bool | None:
        """None where that stays open."""
        answer = solve([self.weakened(conj(self.premise, disj(*overlaps)))], most_ms, alone=True)
        if not isinstance(answer, Unsatisfiable):
            return None if isinstance(answer, Undecided) else False
        self.solvers[answer.solver] = None
        for one in overlaps:
            self._excluded.add(one)
        return True
