"""Whether a thread that runs alone never ends: what it does repeats.

A statement that is met three times with the same registers, and both times with the same stores in between: after
the second time memory is as it was after the first, so that all goes on for ever.  Atomics may leave something else
each time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from visaproof.isa.errors import Position
from visaproof.kernel.syntax import Instruction
from visaproof.semantics.concrete.surface import Write

FIRST = 256
"""Statements before the first that is taken for one that may be met again; then twice as many, and so on."""

NEVER_ENDS = "this loop never ends: all is as it was a round before"


@dataclass
class Repetition:
    """What a thread did since a statement that may be met again."""

    place: int = -1
    before: object = None
    """What the thread held there."""
    next: int = FIRST
    rounds: list[list[tuple[str, tuple[Write, ...]]]] = field(default_factory=list[list[tuple[str, tuple[Write, ...]]]])
    """The stores of each round from there to there."""
    last: Instruction | None = None
    """The last statement of the round in the text that went back."""

    @property
    def position(self) -> Position | None:
        """Where the round ends."""
        return self.last and self.last.position

    def stored(self, surface: str, writes: Sequence[Write], is_atomic: bool) -> None:
        """Takes note of a message."""
        if is_atomic:
            self.place = -1
        elif self.place >= 0 and writes:
            self.rounds[-1].append((surface, tuple(writes)))

    def went_back(self, branch: Instruction) -> None:
        """Takes note of a branch to an earlier statement."""
        if self.last is None or self.last.position.line < branch.position.line:
            self.last = branch

    def never_ends(self, place: int, steps: int, held: Callable[[], object]) -> bool:
        """Whether the thread is in a round that it repeats for ever, now that it is at this statement."""
        if steps >= self.next:
            self.place, self.before, self.next = place, held(), 2 * steps
            self.rounds, self.last = [[]], None
            return False
        if place != self.place or held() != self.before:
            return False
        if len(self.rounds) > 1 and self.rounds[-1] == self.rounds[-2]:
            return True
        self.rounds.append([])
        return False
