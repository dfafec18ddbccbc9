"""What can be said of a rewrite rule, and the run that shows that one is wrong."""

from collections.abc import Mapping

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.refinement.verdicts import Difference, Unknown, Vacuous
from visaproof.rules.language.instances import Instance

Place = tuple[str, tuple[int, ...]]
"""A surface or a register, and the byte or the texel in it."""


class Change(Struct, frozen=True):
    """One thing that a lane of an instruction did."""

    lane: int | None
    """Of the thread; None where an instruction acts as a whole."""
    where: str
    address: int | None
    """None of a texel."""
    after: int | None
    width: int
    dropped: bool = False


class Step(Struct, frozen=True):
    """An instruction that ran, and what it did."""

    text: str
    position: Position
    changes: tuple[Change, ...]


class Run(Struct, frozen=True):
    """One side on the counterexample's inputs."""

    steps: tuple[Step, ...]
    undefined: str
    """Why it is undefined from there on, or ""."""
    memory: Mapping[Place, int]
    """Bytes, or texels, that differ from those before."""
    observed: Mapping[Place, int]


class Counterexample(Struct, frozen=True):
    """Inputs on which the target does what the source cannot do."""

    instance: Instance
    difference: Difference
    """The start of both runs, and what differs."""
    sizes: Mapping[str, tuple[int, ...]]
    """Bytes of each buffer, width, height and depth of each image."""
    contents: Mapping[Place, int]
    """What memory holds before: bytes, or texels; 0 where nothing is said."""
    source: Run
    target: Run
    place: Place | None
    """Where both differ; None where the target is undefined."""
    before: int


class Proved(Struct, frozen=True):
    """Every instance holds."""

    rungs: tuple[str, ...]
    """What decided the instances, each once."""
    instances: int
    undefined_lanes: tuple[int, ...] = ()
    """Nothing is shown of these: in some instance the source is undefined as soon as one of them runs."""


class Refuted(Struct, frozen=True):
    """An instance fails, as a run of both sides shows."""

    counterexample: Counterexample


class Illegal(Struct, frozen=True):
    """The target is no instruction of its page."""

    instance: Instance
    reason: str
    position: Position


Verdict = Proved | Refuted | Illegal | Unknown | Vacuous
"""Of a rule; the last two are those of refinement."""


class Right(Struct, frozen=True):
    """The target of an instance does what its source does, as `rung` shows."""

    rung: str
    undefined_lanes: tuple[int, ...]
    """Those with which the source is undefined though the conditions allow them: nothing is shown of them."""


OfInstance = Right | Refuted | Unknown | Vacuous
"""Of one instance."""
