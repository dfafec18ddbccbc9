"""Whether a thread that runs alone never ends: no branch leaves where it is, or what it does repeats.

A statement that is met three times with the same registers, and both times with the same stores in between: after
the second time memory is as it was after the first, so that all goes on for ever.  Atomics may leave something else
each time.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct, field

from visaproof.decode.statement import lane_offset
from visaproof.isa.errors import Position
from visaproof.program.program import Program
from visaproof.program.statements import Branch, End
from visaproof.semantics.concrete.surface import Write

FIRST = 256
"""Statements before the first that is taken for one that may be met again; then twice as many, and so on."""

NEVER_ENDS = "this loop never ends: all is as it was an iteration before"
NO_WAY_OUT = "this loop never ends: no branch leaves it"


def without_end(program: Program, lanes: int) -> frozenset[int]:
    """The places from which a thread with these lanes never comes to its end, whatever the branches decide.

    After a branch forward no lane may be left, so that statements are passed over; then any place may be come to.
    """
    statements = program.statements
    ends = {len(statements)}
    before = 0
    while len(ends) > before:
        before = len(ends)
        for place in reversed(range(len(statements))):
            statement, follow = statements[place], [place + 1]
            if isinstance(statement, Branch):
                target = statement.target
                if target > place:
                    follow = [len(statements)]
                else:
                    follow = [target] if _takes_all(statement, lanes) else [target, place + 1]
            elif isinstance(statement, End):
                follow = [len(statements)]
            if not ends.isdisjoint(follow):
                ends.add(place)
    return frozenset(range(len(statements))) - ends


def _takes_all(branch: Branch, lanes: int) -> bool:
    """Whether a branch is taken by every lane that comes to it."""
    execution = branch.lanes
    every = execution.size == 1 or (not lane_offset(execution) and lanes < 1 << execution.size)
    return execution.predicate is None and every


class Repetition(Struct):
    """What a thread did since a statement that may be met again."""

    program: Program
    lanes: int
    """Those that were launched."""
    place: int = -1
    before: object = None
    """What the thread held there."""
    next: int = FIRST
    rounds: list[list[tuple[str, tuple[Write, ...]]]] = field(default_factory=list[list[tuple[str, tuple[Write, ...]]]])
    """The stores of each iteration from there to there."""
    last: Branch | None = None
    """The last statement of the iteration in the text that went back."""

    no_way_out: bool = False

    @property
    def why(self) -> str:
        """In words, of a thread that never ends."""
        return NO_WAY_OUT if self.no_way_out else NEVER_ENDS

    @property
    def position(self) -> Position | None:
        """Where the iteration ends."""
        return self.last and self.last.position

    def stored(self, surface: str, writes: Sequence[Write], is_atomic: bool) -> None:
        """Takes note of a message."""
        if is_atomic:
            self.place = -1
        elif self.place >= 0 and writes:
            self.rounds[-1].append((surface, tuple(writes)))

    def went_back(self, branch: Branch) -> None:
        """Takes note of a branch to an earlier statement."""
        if self.last is None or self.last.position.line < branch.position.line:
            self.last = branch

    def never_ends(self, place: int, steps: int, held: Callable[[], object]) -> bool:
        """Whether the thread goes on for ever, now that it is at the statement before this place."""
        if steps >= self.next:
            self.place, self.before, self.next = place, held(), 2 * steps
            self.rounds, self.last = [[]], None
            self.no_way_out = place - 1 in without_end(self.program, self.lanes)
            return self.no_way_out
        if place != self.place or held() != self.before:
            return False
        if len(self.rounds) > 1 and self.rounds[-1] == self.rounds[-2]:
            return True
        self.rounds.append([])
        return False
