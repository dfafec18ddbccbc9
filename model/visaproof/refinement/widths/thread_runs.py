"""Runs the threads of a group concretely over one memory: one after another, from barrier to barrier.

It is noted which of them access which bytes, and the run stops where two of them race.
"""

import dataclasses
from collections.abc import Callable, Hashable, Sequence
from enum import Enum

from msgspec import Struct, field

from visaproof.decode.texels import RawImage
from visaproof.isa.errors import Position, UndefinedBehavior
from visaproof.isa.identity import Same
from visaproof.machine.concrete.run import MAX_STATEMENTS, Code, Observer, Outcome, PerformedMessage, Thread, Undefined
from visaproof.program.lower import Runnable
from visaproof.refinement.testing.collisions import Modified
from visaproof.refinement.testing.memory import FlatContents, ViewContents, WatchedBuffer
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Image, Texel

Memory = Same[dict[int, int]] | Same[dict[Texel, int]]


class Touch(Enum):
    """How a byte is accessed."""

    READ = "reads"
    WRITE = "writes"
    ATOMIC = "modifies"


class ThreadWatch(Struct):
    """The accesses since the last barrier.  Raises UndefinedBehavior at a race, where races are undefined."""

    forbidden: bool
    names: dict[Memory, str] = field(default_factory=dict[Memory, str])
    """Of each memory, by what holds its contents."""
    thread: int = 0
    """The one that runs."""
    raced: bool = False
    atomics_met: bool = False
    """Whether atomics of two threads met: their order is left open."""
    _seen: dict[Hashable, dict[int, set[Touch]]] = field(default_factory=dict[Hashable, dict[int, set[Touch]]])

    def barrier(self) -> None:
        """What is behind it is in order with what was before it."""
        self._seen.clear()

    def touches(self, memory: Memory, place: int | tuple[int, ...], touch: Touch) -> None:
        """The running thread accesses a byte, or a channel of a texel."""
        seen = self._seen.setdefault((memory, place), {})
        for other, kinds in seen.items():
            if other != self.thread:
                self._meets(memory, place, touch, other, kinds)
        seen.setdefault(self.thread, set()).add(touch)

    def _meets(self, memory: Memory, place: int | tuple[int, ...], touch: Touch, other: int, kinds: set[Touch]) -> None:
        if touch is Touch.ATOMIC and Touch.ATOMIC in kinds:
            self.atomics_met = True
        mine, theirs = touch is not Touch.READ, kinds - {Touch.READ}
        if (not mine and not theirs) or (touch is Touch.ATOMIC and kinds == {Touch.ATOMIC}):
            return
        self.raced = True
        if self.forbidden:
            at = f"byte {place:#x}" if isinstance(place, int) else f"texel {place}"
            done = next(iter(theirs or kinds)).value
            where = self.names.get(memory, "memory")
            raise UndefinedBehavior(
                f"thread {self.thread} {touch.value} {at} of {where}, and thread {other} {done} it: a race"
            )


@dataclasses.dataclass
class GroupBuffer(WatchedBuffer):
    """A buffer that several threads reach."""

    watch: ThreadWatch = dataclasses.field(
        default_factory=lambda: ThreadWatch(forbidden=False), compare=False, repr=False
    )
    _atomic: bool = dataclasses.field(default=False, compare=False, repr=False)

    def read(self, address: int, width: int) -> int:
        """`width` bytes from a byte address."""
        self._note(address, width, Touch.READ)
        return super().read(address, width)

    def _store(self, address: int, width: int, value: int) -> None:
        self._note(address, width, Touch.WRITE)
        super()._store(address, width, value)

    def modify(self, address: int, width: int, change: Callable[[int], int]) -> tuple[int, int]:
        """An atomic read-modify-write."""
        self._atomic = True
        try:
            return super().modify(address, width, change)
        finally:
            self._atomic = False

    def _note(self, address: int, width: int, touch: Touch) -> None:
        if address + width > self.size:
            return
        for place in range(address, address + width):
            memory, at = Same(self.contents), place
            if isinstance(self.contents, FlatContents | ViewContents):
                memory, at = self.contents.holder(place)
            self.watch.touches(memory, at, Touch.ATOMIC if self._atomic else touch)


@dataclasses.dataclass
class GroupImage(RawImage):
    """A typed surface that several threads reach."""

    watch: ThreadWatch = dataclasses.field(
        default_factory=lambda: ThreadWatch(forbidden=False), compare=False, repr=False
    )

    def channel(self, texel: Texel, channel: int) -> int:
        """A channel of a texel that exists."""
        self.watch.touches(Same(self.texels), (*texel, channel), Touch.READ)
        return super().channel(texel, channel)

    def set_channel(self, texel: Texel, channel: int, value: int) -> None:
        """Writes a channel of a texel that exists."""
        self.watch.touches(Same(self.texels), (*texel, channel), Touch.WRITE)
        super().set_channel(texel, channel, value)


def watched(surface: Buffer | Image, watch: ThreadWatch, name: str) -> GroupBuffer | GroupImage:
    """The surface as one that several threads reach."""
    if isinstance(surface, Image):
        watch.names[Same(surface.texels)] = name
        found = GroupImage(surface.levels, surface.texels, surface.kind, watch=watch)
        if isinstance(surface, RawImage):
            found.before, found.samplers = surface.before, surface.samplers
        return found
    watch.names[Same(surface.contents)] = name
    modified = surface.modified if isinstance(surface, WatchedBuffer) else Modified()
    return GroupBuffer(surface.size, surface.contents, modified=modified, watch=watch)


class GroupOutcome(Struct, frozen=True):
    """What the threads performed, in the order in which they ran, and of which of them each message is."""

    outcome: Outcome
    threads: tuple[int, ...]


def run_group(
    kernel: Runnable,
    states: Sequence[tuple[int, ConcreteState]],
    watch: ThreadWatch,
    observer: Observer | None = None,
    most: int = MAX_STATEMENTS,
    *,
    together: bool = False,
) -> GroupOutcome:
    """Runs each thread to its next barrier, in the order given, until all have ended.

    The states share their surfaces, which tell `watch` what is accessed.  The first undefined thing ends it: on request
    also a barrier to which not all come `together`, at which the others wait for ever.
    Raises NotModelled, also where a thread takes more than `most` statements.
    """
    if not states:
        return GroupOutcome(Outcome((), None), ())
    code = Code(kernel, states[0][1].platform)
    running = [(number, Thread(code, state, observer, most=most)) for number, state in states]
    performed: list[PerformedMessage] = []
    threads: list[int] = []
    known = dict.fromkeys((number for number, _ in running), 0)
    undefined: Undefined | None = None
    while running and undefined is None:
        waiting: list[tuple[int, Thread]] = []
        barrier: Position | None = None
        for number, thread in running:
            watch.thread = number
            stop = thread.resume()
            done = thread.performed[known[number] :]
            known[number] += len(done)
            performed += done
            threads += [number] * len(done)
            if not isinstance(stop, Outcome):
                waiting.append((number, thread))
                barrier = stop.barrier.position
            elif stop.undefined is not None:
                undefined = stop.undefined
                break
        if together and undefined is None and barrier is not None and len(waiting) < len(states):
            undefined = Undefined(barrier, "a barrier that not all threads of the group come to")
        watch.barrier()
        running = waiting
    return GroupOutcome(Outcome(tuple(performed), undefined), tuple(threads))
