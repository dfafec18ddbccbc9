"""Words that are at most a part of an argument: 2·⌊n/2⌋ ≤ n."""

from collections.abc import Callable

from visaproof.launch.relations.expressions import Name, Number, Operation, Relation

MOST_PART = 32
"""A smaller part than this one of an argument is not looked for."""


def largest_divisor(word: str, argument: str, holds: Callable[[Relation], bool]) -> int:
    """The largest power of two k of which `argument >= k*word` holds, of names; 0 where the word may be larger."""
    found, tried = 0, 1
    while tried <= MOST_PART and holds(Relation(">=", Name(argument), _times(tried, word))):
        found, tried = tried, 2 * tried
    return found


def _times(count: int, name: str) -> Name | Operation:
    return Name(name) if count == 1 else Operation("*", Number(count), Name(name))
