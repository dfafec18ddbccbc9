"""How often the loops of a run have gone back, and how often they do until one iteration stands for the others."""

from collections import Counter
from collections.abc import Sequence

from visaproof.program.loop_shape import TIMES_FEWER, is_costly
from visaproof.program.statements import Branch, Statement
from visaproof.smt import Bool

MOST_TURNS = 24
"""Of loops of unknown length that are unrolled, in all: as two loops take, one in the other, and not five."""


class Iterations:
    """Of each loop, by the place behind it; nothing is counted of one that is certain to go on."""

    def __init__(self, statements: Sequence[Statement], unroll: int, *, several: bool) -> None:
        """How many to `unroll`; of `several` loops none has an iteration that stands for the others."""
        self._statements, self._unroll, self._several = statements, unroll, several
        self._counts: Counter[int] = Counter()
        """How often each branch went back though it was open whether it would."""
        self._back: dict[int, tuple[Bool, ...]] = {}
        """The lanes that each branch took back last."""
        self._turns = 0
        """How often loops of unknown length went back."""

    def turn(self, place: int, running: tuple[Bool, ...]) -> bool:
        """These lanes go back; whether it was certain that they do, as where they are as many as an iteration ago."""
        if self._back.get(place) == running:
            return True
        self._counts[place] += 1
        self._turns += 1
        self._back[place] = running
        return False

    def are_too_many(self, branch: Branch, place: int) -> bool:
        """Whether no more are to be unrolled.

        They are few where each is a choice between all, or goes through loops of its own.
        """
        most = self._unroll
        if most and not self._several and is_costly(branch.target, self._statements[branch.target : place - 1]):
            most = max(1, most // TIMES_FEWER)
        return self._counts[place] > most

    def drop(self, first: int, behind: int) -> None:
        """Counts the iterations of the loops in between anew; where no iteration stands for later ones, one is left.

        Else the work would grow with the product of their iterations; none is left where loops have turned often.
        """
        for inner in [place for place in self._counts if first <= place < behind]:
            self._back.pop(inner, None)
            if not self._several:
                del self._counts[inner]
            elif self._turns < MOST_TURNS:
                self._counts[inner] = min(self._counts[inner], max(0, self._unroll - 1))
