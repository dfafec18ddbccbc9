"""Runs that do not end with the arguments of a model end with others, of which the model says the same.

What a question does not depend on is 0, and what it depends on is made small.  A loop that mirrors an index at the
border of an image never ends in one of no columns.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.isa.errors import TooLong
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.smt import Bool
from visaproof.smt.evaluate import all_hold

T = TypeVar("T")

OTHERS = (1, 64)
"""What arguments are then, one after another, as long as the conditions hold."""


def with_other_arguments(
    show: Callable[[Values], T | None], asked: Asked, values: Values, conditions: Sequence[Bool]
) -> T | None:
    """What a run on these values shows, or on others of the same launch under which the conditions hold as well.

    Raises TooLong where none of these runs ends.
    """
    try:
        return show(values)
    except TooLong as reason:
        lanes = launched_lanes(asked.kernel)
        for number in OTHERS:
            changed = values
            for word in asked.arguments:
                other = {**changed, word: number}
                changed = other if all_hold(conditions, other) else changed
            if changed != values and asked.start.is_launch(lanes, changed):
                with suppress(TooLong):
                    return show(changed)
        raise reason
