"""What has held of a counter in each iteration, and what in all but the first."""

from collections.abc import Iterator, Sequence
from typing import cast

from visaproof.checking.stages import literals
from visaproof.machine.symbolic.loops.came_back import Counter
from visaproof.semantics.symbolic.literals import Literals
from visaproof.smt import Bool, Op, eq
from visaproof.smt.substitution import substitute


def said_of(counter: Counter, held: Sequence[Bool], guard: Literals) -> tuple[tuple[Bool, ...], tuple[Bool, ...]]:
    """What holds in each iteration, and what in all but the first: in that one, too, if the guard says it of what the
    counter is first."""
    later = tuple(_but_first(counter, held))
    first = tuple(one for one in later if substitute(one, {counter.word: counter.first}) in guard)
    return (*held, *first), tuple(one for one in later if one not in first)


def _but_first(counter: Counter, held: Sequence[Bool]) -> Iterator[Bool]:
    """What these say of all iterations but the first: or else the counter is what it is first."""
    first = eq(counter.word, counter.first)
    for one in held:
        ways = cast(tuple[Bool, ...], one.args) if one.op is Op.DISJ else ()
        others = [each for each in ways if first not in literals(each)]
        if len(others) == 1 < len(ways):
            yield others[0]
