"""Integers of a launch that have no name of a user's: what stands for them in sums."""

from enum import Enum


class Kind(Enum):
    """What such an integer is, by dimension or, of a counter, by its number."""

    OWN_SIZE = "local size"
    """Of a group itself: the last group may be smaller than the local size that the host gave."""
    STRIDE = "stride"
    """Of global ids, from one group to the next."""
    GROUP = "group"
    """The id of the group."""
    ID = "id"
    """The local id of the lane, or the word from which it follows."""
    LANE = "lane"
    """The number of the lane."""
    COUNTER = "loop"
    """How far the counter of a loop is from where it began."""
    DIVISION = "division"
    """A quotient or a remainder, by its number."""
    QUOTIENT = "quotient"
    """A quotient by a constant, by its number."""
    GUARDED = "guarded"
    """What a guard keeps at least 0, by its number."""
    SMALLER = "smaller"
    """The smaller of two words, by its number."""
    CLAMPED = "clamped"
    """By how much the larger of two words is above a number, or the smaller of two, by its number."""
    RANGED = "ranged"
    """How far a word is above the least that a solver shows it to be, by its number."""
    TURNED = "turned"
    """How far a global id is below the largest that the guard lets it be, by dimension."""
    SMALL = "small"
    """A word of which only is known between which numbers it is, by its number."""
    ELEMENT = "element"
    """What is loaded of a buffer, by its number."""
    WORD = "word"
    """What all lanes have alike: computed from arguments, or loaded."""


class InnerName(str):
    """A name in a sum that no user can state.

    It is made from its parts and asked for them, so that nothing is read out of its text, whatever arguments are
    called.
    """

    kind: Kind
    number: int

    def __new__(cls, kind: Kind, number: int) -> "InnerName":
        made = super().__new__(cls, f"{kind.value} {number}")
        made.kind, made.number = kind, number
        return made

    def __getnewargs__(self) -> tuple[Kind, int]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.kind, self.number


def is_inner(name: str, kind: Kind) -> bool:
    """Whether it stands for an integer of this kind."""
    return isinstance(name, InnerName) and name.kind is kind
