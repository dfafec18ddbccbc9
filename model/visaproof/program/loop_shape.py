"""Where an iteration of a loop begins and ends.

Optimised code tests at the end of an iteration; unoptimised code at the beginning, and goes back in any case.  There an
iteration is taken to begin after the test and to end with it, so that both go through the same iterations.
"""

from collections.abc import Sequence

from msgspec import Struct

from visaproof.program.statements import Branch, MemoryMessage, SetAddress, Statement, Synchronise

TIMES_FEWER = 4
"""Where iterations go through loops of their own, or read registers by an index, so many times fewer are unrolled."""


class Loop(Struct, frozen=True):
    """Places are those of statements."""

    branch: Branch
    """The one that says which lanes go on."""
    end: int
    """Its place, where an iteration ends."""
    first: int
    """Where an iteration begins."""
    head: int
    """The first statement of the loop."""
    behind: int
    """After its last one."""

    @property
    def is_turned(self) -> bool:
        """Whether the test comes first: lanes go on that do not jump."""
        return self.end < self.behind - 1

    @property
    def left_at(self) -> int:
        """Where lanes go on that leave it."""
        return self.branch.target if self.is_turned else self.behind


def plain(branch: Branch, behind: int) -> Loop:
    """The loop as it is written, whose last statement goes back."""
    return Loop(branch, behind - 1, branch.target, branch.target, behind)


def shape(branch: Branch, behind: int, statements: Sequence[Statement], compared: bool) -> Loop:
    """The loop, turned if it only looks at memory up to one test that all lanes come to, and is left nowhere else.

    One that is not compared stays as it is written.
    """
    loop = plain(branch, behind)
    inside = enumerate(statements[loop.head : loop.end], loop.head)
    branches = {place: one for place, one in inside if isinstance(one, Branch)}
    leaving = [place for place, one in branches.items() if one.target >= behind]
    if not compared or branch.lanes.predicate is not None or len(leaving) != 1:
        return loop
    (test,) = leaving
    before, after = statements[loop.head : test], statements[test : loop.end]
    if any(map(_is_effect, before)) or not any(isinstance(one, MemoryMessage) for one in after):
        return loop
    over_it = any((place < test) != (one.target <= test) for place, one in branches.items() if place != test)
    if over_it or branches[test].lanes.predicate is None:
        return loop
    return Loop(branches[test], test, test + 1, loop.head, behind)


def is_left(branch: Branch, behind: int, statements: Sequence[Statement]) -> bool:
    """Whether lanes may leave the loop at all: its branch is conditional, or one in it goes on behind it."""
    inside = statements[branch.target : behind]
    goes_on = any(isinstance(one, Branch) and one.target >= behind for one in inside)
    return goes_on or branch.lanes.predicate is not None


def is_costly(head: int, inside: Sequence[Statement]) -> bool:
    """Whether iterations of what stands from a place on have loops of their own, or read registers by an index."""
    branches = ((place, one) for place, one in enumerate(inside, head) if isinstance(one, Branch))
    return any(isinstance(one, SetAddress) for one in inside) or any(one.target <= place for place, one in branches)


def _is_effect(one: Statement) -> bool:
    """Whether it does more than to look at memory."""
    return isinstance(one, Synchronise) or (isinstance(one, MemoryMessage) and not one.is_load)
