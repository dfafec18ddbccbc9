"""What can be said of two kernels: each verdict with what it rests on, and a run that shows what differs."""

from msgspec import Struct

from visaproof.checking.stages import Values
from visaproof.isa.errors import Position
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.machine.concrete.run import Undefined
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.places import Condition
from visaproof.refinement.effects.sharing import Pair
from visaproof.refinement.effects.synchronisation import Events
from visaproof.refinement.testing.memory import Memory
from visaproof.refinement.testing.ran import Missed, Writer


class ByteDiffers(Struct, frozen=True):
    """A byte of memory, or a channel of a texel, holds something else at the end."""

    surface: str
    address: int
    before: int
    source: int
    target: int
    source_writer: Writer | None
    target_writer: Writer | None


class RegisterDiffers(Struct, frozen=True):
    """A byte of an observed register, or a bit of a predicate, holds something else at the end."""

    surface: str
    """The name of the register among the surfaces."""
    address: int
    source: int
    target: int
    lanes: tuple[int, ...] = ()
    """On which it depends whether the source wrote the byte."""


class TargetUndefined(Struct, frozen=True):
    """The target is undefined, though the source is defined."""

    undefined: Undefined
    kind: UndefinedKind | None
    """None where the terms do not say."""


class OutsideBuffers(Struct, frozen=True):
    """The target accesses an address outside of all buffers, which does not move as any of them does."""

    address: int


What = ByteDiffers | RegisterDiffers | TargetUndefined | OutsideBuffers


class Difference(Struct, frozen=True):
    """A run of both kernels that shows that the target does not refine the source: what differs, and the start."""

    values: Values
    exec_mask: int
    memory: Memory
    """Before the runs."""
    what: What
    order: int = 0
    """Which of the orders in which the target's threads may run."""
    backwards: bool = False
    """Whether the lanes of the target's atomics took their turns from the last to the first."""
    whatever_found: bool = False
    """Whether the source reads uninitialised values, and leaves another memory than the target whatever it finds there:
    that no choice leaves the same is shown symbolically, and the run has one of the choices."""
    source_missed: Missed | None = None
    """Where the source accesses something outside of a buffer, if it does."""
    readings: Readings = DEFAULT
    """What stands in the bytes of the target's registers that a page leaves undefined."""

    def __repr__(self) -> str:
        match self.what:
            case ByteDiffers(surface, address) | RegisterDiffers(surface, address) as one:
                return f"<Difference: {surface}[{address:#x}] is {one.source:#x}, then {one.target:#x}>"
            case TargetUndefined(_, kind):
                return f"<Difference: the target is undefined ({kind or 'of another kind'})>"
            case OutsideBuffers(address):
                return f"<Difference: the target accesses {address:#x}>"

    @property
    def byte(self) -> ByteDiffers | RegisterDiffers | None:
        """What is left that differs, if that is what shows it."""
        return self.what if isinstance(self.what, ByteDiffers | RegisterDiffers) else None

    @property
    def place(self) -> tuple[str, int] | None:
        """Where the byte is."""
        return None if self.byte is None else (self.byte.surface, self.byte.address)


class Refines(Struct, frozen=True):
    """For all inputs under the assumptions."""

    by: str
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
