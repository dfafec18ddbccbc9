"""The kinds of what the pages leave undefined, and what each means where it is allowed.

Forbidden: where the source does it, the source is undefined, and the target may do anything; the target may do it
only there.  Allowed: it has the meaning below in both kernels alike, so that it neither excuses the source nor counts
against the target.

An access outside of a buffer or an image is forbidden to the source alone: the source language leaves it undefined, but
the target runs on a machine that drops it, or reads 0.  Reads of images are no such access as long as nothing is stored
that depends on what they bring: without a sampler OpenCL C leaves that open, and a sampler says it.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum

from visaproof.launch.premises import Premise, premise
from visaproof.smt import Bool, Term, evaluate


class UndefinedKind(Enum):
    """What is undefined where it is forbidden; the value is its name on the command line."""

    COLLISION = "collision"
    MISALIGNED = "misaligned"
    BEYOND_VARIABLE = "beyond-variable"
    SLM_OUTSIDE = "slm-outside"
    UNINITIALISED = "uninitialised"
    RACE = "race"
    OUTSIDE = "outside"

    @property
    def what(self) -> str:
        """What happens."""
        return _WHAT[self]

    @property
    def allowed(self) -> str:
        """What it means where it is allowed."""
        return _ALLOWED[self]


_WHAT = {
    UndefinedKind.COLLISION: "lanes of one message write one byte",
    UndefinedKind.MISALIGNED: "an address that is not aligned as the page demands",
    UndefinedKind.BEYOND_VARIABLE: "registers beyond a variable, or predicate bits that it does not have",
    UndefinedKind.SLM_OUTSIDE: "an access outside of shared local memory",
    UndefinedKind.UNINITIALISED: "a store of, at, or under a condition on uninitialised values",
    UndefinedKind.RACE: "threads that run the lanes of a wider one access a byte in no order, and one writes it",
    UndefinedKind.OUTSIDE: "an access of the source outside of a buffer, or of an image by no sampler",
}
_ALLOWED = {
    UndefinedKind.COLLISION: "they write one after another, and the last stays",
    UndefinedKind.MISALIGNED: "the bytes from there on",
    UndefinedKind.BEYOND_VARIABLE: "0 is read, and what is written is lost",
    UndefinedKind.SLM_OUTSIDE: "0 is read, and what is written is lost",
    UndefinedKind.UNINITIALISED: "each kernel finds values of its own, any",
    UndefinedKind.RACE: "the threads run one after another from barrier to barrier, that of the first lanes first",
    UndefinedKind.OUTSIDE: "0 is read, and what is written is lost",
}

FORBIDDEN = frozenset(
    (UndefinedKind.COLLISION, UndefinedKind.MISALIGNED, UndefinedKind.BEYOND_VARIABLE, UndefinedKind.RACE)
)
"""What the pages call undefined, and races, of which they say nothing; they give a meaning to the others: D11, an
arbitrary value, and 0 outside of a surface."""

OF_THE_SOURCE = frozenset((UndefinedKind.OUTSIDE,))
"""What is undefined in the source language, and has the meaning of the pages in the target."""

Conditions = Mapping[Bool, UndefinedKind]
"""When a run is undefined, and of which kind that is."""


def kind_at(conditions: Conditions, values: Mapping[Term, int]) -> UndefinedKind | None:
    """The first kind of which a condition holds for these values."""
    return next((kind for condition, kind in conditions.items() if evaluate(condition, values)), None)


def forbidden_by(
    choices: Iterable[tuple[UndefinedKind, bool]], default: frozenset[UndefinedKind] = FORBIDDEN
) -> frozenset[UndefinedKind]:
    """What is forbidden where these kinds are, or are not; of one that is named twice the last counts."""
    chosen = {kind: kind in default for kind in UndefinedKind} | dict(choices)
    return frozenset(kind for kind, forbidden in chosen.items() if forbidden)


def unusual(forbidden: frozenset[UndefinedKind]) -> Iterator[Premise]:
    """What is not as the pages have it, for the reader."""
    for kind in UndefinedKind:
        if kind in FORBIDDEN and kind not in forbidden:
            yield premise("undefined", kind=kind.value, setting="allowed", what=kind.what, effect=kind.allowed)
        elif kind in forbidden and kind not in FORBIDDEN:
            yield premise("undefined", kind=kind.value, setting="forbidden", what=kind.what, effect="it is undefined")
