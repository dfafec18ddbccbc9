"""A kernel that is compared with another, as both are asked about: its run, and the names that both share."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from visaproof.isa.platform import Platform
from visaproof.kernel.observed import Observed
from visaproof.kernel.sampler import SamplerUse
from visaproof.kernel.symbolic.run import Trace
from visaproof.queries.refinement.places import is_private
from visaproof.queries.refinement.sharing import NOTHING_SHARED, Sharing
from visaproof.smt import BitVec, Term


@dataclass(frozen=True, slots=True)
class Turn:
    """When a message of atomics happens, among those of several threads."""

    number: int
    first_lane: int
    """Of its lanes, counted in the wide thread."""
    is_single: bool
    """Whether in the wide thread one lane acts for all."""


@dataclass(frozen=True, slots=True)
class Side:
    """A kernel to be compared: its run on terms, and the common names of its surfaces."""

    name: str
    platform: Platform
    trace: Trace
    surface: Callable[[str], str]
    pointers: Mapping[BitVec, str] = field(default_factory=dict[BitVec, str])
    """The words that are the address of a buffer, and the buffer."""
    offsets: Mapping[int, BitVec] = field(default_factory=dict[int, BitVec])
    """The 64-bit offset of each access that is taken to lie inside its buffer, by its identity."""
    threads: tuple[int, ...] = ()
    """Of a group of threads, which of them each message is of."""
    finders: tuple[int, ...] = ()
    """Of a group of threads that do not race, which of them each value is of that is left open."""
    observed: tuple[Observed, ...] = ()
    """The registers that are compared at the end."""
    turns: Mapping[int, Turn] = field(default_factory=dict[int, Turn])
    """Of kernels of different widths, the turn of each message of atomics, by its place in the run."""
    choices: Mapping[Term, Term] = field(default_factory=dict[Term, Term])
    """What it finds in registers that nothing wrote, if that is to be something in particular."""
    fences_at_barriers: bool = False
    """Whether each fence stands before a barrier."""
    samplers: Mapping[int, Hashable] = field(default_factory=dict[int, Hashable])
    """What the numbers of samplers stand for, where both kernels say it."""
    disturbed: bool = False
    """Whether other threads may write between any two messages, and not only at barriers."""
    sharing: Sharing = NOTHING_SHARED
    """The buffers that may overlap; all other surfaces have a memory of their own."""

    def how(self, use: SamplerUse | None) -> Hashable:
        """How a read through the sampler reads, under a name that both kernels share."""
        return use and (use.texel_offset, self.samplers.get(use.number, use.number) if use.number is not None else None)


def surface_then(side: Side, place: int) -> str:
    """The surface of a message: after a barrier, or in a turn, others have used it, and it may hold anything.

    In a round that stands for others it may hold what those left, and so it may behind their loop.  Where others may
    write between any two messages, it may hold anything for each message.
    """
    surface = side.surface(side.trace.performed[place].surface)
    if place in side.turns:
        return f"{surface} after turn {side.turns[place].number}"
    if side.disturbed:
        return f"{surface} after message {visible_before(side.trace, place)}"
    return surface_at(surface, epoch(side, place))


def surface_at(surface: str, epoch: tuple[int, int]) -> str:
    """The surface after so many barriers, and beginnings and ends of rounds."""
    barriers, ends = epoch
    if ends:
        return f"{surface} after {barriers} barriers and {ends} ends of rounds"
    return f"{surface} after barrier {barriers}" if barriers else surface


def surface_between_barriers(side: Side, place: int) -> str:
    """The surface of a message, which is another one after each barrier: nothing else orders threads of a group."""
    return f"{side.surface(side.trace.performed[place].surface)} after barrier {epoch(side, place)[0]}"


def epoch(side: Side, place: int) -> tuple[int, int]:
    """How many barriers come before a message, and how many beginnings and ends of rounds that stand for others."""
    barriers = sum(before <= place for before, _ in side.trace.barriers)
    return barriers, sum((one.first <= place) + (one.behind <= place) for one in side.trace.rounds)


def itself(surface: str) -> str:
    """The surface of which this name means what it holds behind a barrier or a message."""
    return surface.partition(" after ")[0]


def visible_before(trace: Trace, place: int) -> int:
    """How many messages come before it that reach more than private memory."""
    before = trace.performed[:place]
    return sum(not all(is_private(trace, one, access) for access in one.accesses) for one in before)
