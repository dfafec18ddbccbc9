"""What a concrete run did, and what it left."""

from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.surface_keys import HandleNumber, surface_key
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.machine.concrete.run import MissingSurface, Observer, Outcome, Undefined
from visaproof.program.statements import Origin, Run
from visaproof.refinement.testing.memory import Memory, cells_of
from visaproof.refinement.testing.watch import FlatContents, Watch, WatchedBuffer
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Image, LaneWrite, Write


class Writer(Struct, frozen=True):
    """What put a byte where it is."""

    instruction: Origin
    write: Write
    thread: int | None = None
    """Which of the threads of a group."""

    @property
    def lane(self) -> int | None:
        """Counted from the first lane of the thread; None where the message writes as a whole."""
        return None if self.write.lane is None else self.instruction.first_lane + self.write.lane


ObserverOf = Callable[[int | None, ConcreteState], Observer | None]
"""Asked, of each thread by its number and what it starts with, who is told of its statements."""


class Prepared(Struct, frozen=True):
    """A kernel before it runs."""

    state: ConcreteState
    memory: Mapping[str, WatchedBuffer | Image]
    """The surfaces by their common names; `state` has the same ones under the kernel's own names."""
    flat: FlatContents
    watch: Watch
    threads: "tuple[tuple[int, Prepared], ...]" = ()
    """Of a group the threads that have a lane on, by their numbers, in the order in which they run; the first is this.
    """

    def observed(self, observer: Observer | None) -> Observer:
        """Tells the watch of each statement that has run, and then this observer."""

        def observe(statement: Run, state: ConcreteState) -> None:
            self.watch.ended(statement)
            if observer is not None:
                observer(statement, state)

        return observe


def ran_of(outcome: Outcome, memory: Memory, start: Prepared) -> "Ran":
    """What a run did that started so; `memory` is what there was before."""
    missed = missed_of(outcome)
    left = start.flat.left
    if left is None:
        buffers = (one.cell[0] for one in all_missed(outcome) if len(one.cell) == 1)
        left = next(buffers, None)
    if outcome.undefined is not None and left is None:
        left = _asked_outside(outcome, start.flat)
    surfaces = ((name, size, start.memory[name]) for name, (size, _) in memory.items())
    contents = {
        name: (size, one.contents if isinstance(one, Buffer) else cells_of(one)) for name, size, one in surfaces
    }
    local = (each for each in outcome.performed if each.surface == SHARED_LOCAL and each.misses)
    outside = next((each.instruction.position for each in local), None)
    watch, flat = start.watch, start.flat.left is not None
    return Ran(outcome, contents, left, flat, outside, watch.met, raced=watch.raced, missed=missed, local=watch.local)


class Missed(Struct, frozen=True):
    """A message that was not wholly inside its surface, which is the buffer or the image of an argument."""

    position: Position
    surface: str
    """As the kernel names it."""
    cell: tuple[int, ...]
    """An address, or the coordinates of a texel and its level."""


def missed_of(outcome: Outcome) -> Missed | None:
    """The first message that was not wholly inside the buffer or image of an argument."""
    return next(all_missed(outcome), None)


def all_missed(outcome: Outcome) -> Iterator[Missed]:
    """Each access that was not; of a sampler no run notes it, which defines what is read there."""
    for performed in outcome.performed:
        if performed.surface != SHARED_LOCAL:
            for miss in performed.misses:
                yield Missed(performed.instruction.position, performed.surface, miss.cell)


def _asked_outside(outcome: Outcome, flat: FlatContents) -> int | None:
    """An address outside of all buffers where a message that is undefined was to write."""
    last = outcome.performed[-1] if outcome.performed else None
    if last is None or last.surface != FLAT:
        return None
    asked = (one.address for one in last.writes if isinstance(one, LaneWrite))
    return next((address for address in asked if not flat.holds(address)), None)


class Ran(Struct, frozen=True):
    """What a run did."""

    outcome: Outcome
    memory: Memory
    left: int | None
    """An address that was accessed and is not wholly inside its buffer."""
    left_flat: bool
    """Whether that is an address among all 64-bit ones, and was really accessed."""
    shared_local_missed: Position | None
    """The first message with an access that was not wholly inside shared local memory."""
    atomics_met: bool
    """Whether atomics of lanes or threads met: in which order they happen is left open."""
    threads: tuple[int, ...] = ()
    """Of a group of threads, which of them each message is of."""
    raced: bool = False
    """Whether two of them raced."""
    state: ConcreteState | None = None
    """Of one thread, its registers at the end."""
    local: tuple[int, Mapping[int, int]] = (0, MappingProxyType({}))
    """How often threads synchronised, and what shared local memory held at the last time."""
    missed: Missed | None = None
    """The first message that was not wholly inside the buffer or image of an argument."""

    def leaves(self, buffers: bool) -> bool:
        """Whether it left what is taken to be apart at 64-bit addresses, or else `buffers`."""
        return self.left_flat or (buffers and self.left is not None)


def at_no_surface(missing: MissingSurface, surfaces: Collection[str]) -> Outcome:
    """How a run ends at a message to the surface of no argument, if surfaces are found by their handles.

    Raises NotModelled where they are not.
    """
    if not any(isinstance(surface_key(key), HandleNumber) for key in surfaces):
        raise NotModelled(f"surface {missing.surface!r}, of which nothing is known", missing.position) from missing
    return Outcome((), Undefined(missing.position, f"the surface {missing.surface!r} is that of no argument"))
