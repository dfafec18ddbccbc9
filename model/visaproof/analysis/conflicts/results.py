"""What a search for a run shows, and how far it has come."""

from typing import Generic, TypeVar

from msgspec import Struct, field

from visaproof.analysis.conflicts.launches.usual_search import InVain
from visaproof.checking.clauses import Form
from visaproof.smt import Term

T = TypeVar("T")


class Never(Struct, frozen=True):
    """None of the conditions can hold."""

    by: str


class Found(Struct, Generic[T], frozen=True):
    """What a run has confirmed."""

    what: T


class Open(Struct, frozen=True):
    """Neither was shown; it is `stuck` where a run that was to confirm it did not end, or did not come so far."""

    reason: str
    stuck: bool = False


class Progress(Struct):
    """What was asked about a message without a result: a search that the limit ended continues from here."""

    tried_simple: bool = False
    """Whether simple values were tried."""
    in_vain: set[tuple[int, ...]] = field(default_factory=set[tuple[int, ...]])
    """Those of them that a run did not confirm, with the condition."""
    past_collisions: set[tuple[int, frozenset[tuple[Term, int]]]] = field(
        default_factory=set[tuple[int, frozenset[tuple[Term, int]]]]
    )
    """The same of values that were run past earlier collisions."""
    in_first_groups: InVain = field(default_factory=InVain)
    after_others: InVain = field(default_factory=InVain)
    """The same, where lanes of other scatters may collide before."""
    settled: dict[Form, Never | Open] = field(default_factory=dict[Form, Never | Open])
    """Of single conditions, by what was asked about them."""
    stuck: Open | None = None
    """A run of a usual launch that did not end in time."""
    never: Never | None = None
    """The answer, if that is it: it stays where the question is asked again for another iteration of a loop."""
    lifted: dict[Form, str] = field(default_factory=dict[Form, str])
    """Of conditions on any lane: the solver, or nothing."""
