"""What can be said of two kernels: each verdict with what it rests on; a difference is in `testing.runs`."""

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.difference import Difference
from visaproof.refinement.effects.places import Condition
from visaproof.refinement.effects.sharing import Pair
from visaproof.refinement.effects.synchronisation import Events


class Refines(Struct, frozen=True):
    """For all inputs under the assumptions."""

    rung: str
    conditions: frozenset[Condition] = frozenset()
    """What the launch has to grant: the weakest of a list that were shown to suffice."""


class Bounded(Struct, frozen=True):
    """As `Refines`, but only of runs in which these loops end within the iterations that were unrolled: no proof."""

    loops: tuple[Position, ...]
    found: Refines


class Vacuous(Struct, frozen=True):
    """The source is undefined for every input, so that anything refines it."""

    kinds: tuple[UndefinedKind, ...] = ()
    """What it does in every run, as far as that is seen without a solver."""
    reason: str = ""
    """Of parts of programs, what excludes all inputs."""


class Resynchronised(Struct, frozen=True):
    """The target does not come to the source's barriers: other threads see that, whatever either leaves in memory."""

    reason: str
    events: tuple[Events, Events]
    """The barriers and fences of the source, and of the target."""


class Unknown(Struct, frozen=True):
    """Neither was shown."""

    reason: str
    events: tuple[Events, Events] = ((), ())
    """The barriers and fences of both, if these are why."""


class Apart(Struct, frozen=True):
    """The target refines the source where these pairs of buffers share no byte; nothing says that they do not."""

    pairs: tuple[Pair, ...]
    """None of them can be left out, as far as is shown."""
    found: Refines | Bounded
    """The verdict where they are apart."""
    overlapping: Comparison
    """The question where they may overlap."""
    difference: Difference | None = None
    """A run of both on buffers that overlap, if one was found."""


Verdict = Refines | Bounded | Difference | Resynchronised | Vacuous | Unknown | Apart
