"""What a name of a relation stands for."""

from msgspec import Struct

from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.exact_terms import Word
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.smt import Bool

LOCAL, GLOBAL, COUNT = "local_size", "global_size", "group_count"
LAUNCH_NAMES = tuple(f"{value}_{dimension}" for value in (LOCAL, GLOBAL, COUNT) for dimension in DIMENSIONS)
"""Of the launch, whatever arguments are called."""
SIZES_OF_LAUNCH = frozenset((*LAUNCH_NAMES, *(InnerName(Kind.OWN_SIZE, number) for number in range(len(DIMENSIONS)))))
"""What is at least 1 in every launch; a name that only begins so is that of an argument."""

Place = tuple[str, int]
"""A byte of a variable."""


class Named(Struct, frozen=True):
    """A word of the payload, or one that only the host knows."""

    word: Word
    places: tuple[Place, ...] = ()
    """Its bytes in the payload, lowest first; none where the kernel does not get it."""
    facts: tuple[Bool, ...] = ()
    """What holds of it in every launch."""
    what: str = ""
    """For the reader, where it is no symbol of the payload."""
    type_name: str = ""
    """Of an argument, where the zebin says it."""


class NoNumber(Exception):
    """A name that stands for no integer."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint
