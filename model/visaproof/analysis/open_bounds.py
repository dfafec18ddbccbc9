"""The loops of a run that may go back more often than they were unrolled."""

from collections.abc import Iterator

from visaproof.checking.stages import Holds, decide_goal
from visaproof.isa.errors import LimitReached, Position
from visaproof.machine.symbolic.trace import Trace
from visaproof.smt import Bool
from visaproof.smt.limit import NO_LIMIT, Limit

LOOP_SHARE = 0.1
"""Of the time that is left: for whether one loop ends."""


def open_bounds(ran: Trace, timeout_ms: int, limit: Limit = NO_LIMIT) -> Iterator[tuple[Bool, Position]]:
    """The loops of which it was not proved that they end within the iterations that were unrolled."""
    premises = tuple(condition for condition, _ in ran.conditions)
    for ends, position in ran.bounded:
        try:
            with limit.within(LOOP_SHARE):
                proved = isinstance(decide_goal(premises, ends, timeout_ms), Holds)
        except LimitReached:
            proved = False
        if not proved:
            yield ends, position
