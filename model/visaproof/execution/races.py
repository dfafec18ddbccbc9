"""Accesses of two threads to one byte that nothing puts in an order, where the order may show in the result.

A barrier orders the threads of one group; nothing orders those of two groups, and atomics do not disturb each other.
What is found depends on the inputs and on the order in which this run took the threads: no race found is no proof.
"""

from collections.abc import Callable

from msgspec import Struct, field

from visaproof.execution.memory import Allocation
from visaproof.execution.shape import ThreadId
from visaproof.isa.errors import Position
from visaproof.semantics.concrete.trail import Trail


class Moment(Struct, frozen=True):
    """A thread between two barriers."""

    thread: ThreadId
    barriers: int

    def unordered(self, other: "Moment") -> bool:
        if self.thread == other.thread:
            return False
        return self.thread.group != other.thread.group or self.barriers == other.barriers


class Race(Struct):
    """A kind of race on one allocation: the first byte, two threads, and how many bytes."""

    memory: str
    offset: int
    first: ThreadId
    second: ThreadId
    what: str
    count: int = 1


class UninitialisedRead(Struct):
    """Bytes that a thread read before any wrote them: the first one, who read it, and how many."""

    memory: str
    offset: int
    thread: ThreadId
    count: int = 1


class OutsideAccess(Struct):
    """Accesses of one statement outside of a buffer: the first one, who made it and where, and how many."""

    memory: str
    size: int
    """Bytes of the buffer, or of the image."""
    address: int | None
    """None in an image."""
    thread: ThreadId
    position: Position | None
    texel: tuple[int, ...] | None = None
    """In an image: (u, v, r, lod)."""
    count: int = 1


class _Byte(Struct):
    writer: Moment | None = None
    atomic: bool = False
    readers: tuple[Moment, ...] = ()
    """The last reader, and the last one that was another thread."""


class RaceWatch(Struct):
    """Takes note of accesses, and of races."""

    now: Moment
    trail: Trail | None = None
    """Told of the bytes that each message reaches."""
    races: dict[tuple[str, str], Race] = field(default_factory=dict[tuple[str, str], Race])
    uninitialised: dict[str, UninitialisedRead] = field(default_factory=dict[str, UninitialisedRead])
    beyond: dict[tuple[str, Position | None], OutsideAccess] = field(
        default_factory=dict[tuple[str, Position | None], OutsideAccess]
    )
    place: Callable[[], Position | None] = lambda: None
    """Which statement is running."""
    _seen: dict[Allocation, dict[int, _Byte]] = field(default_factory=dict[Allocation, dict[int, _Byte]])

    def forget(self, memory: Allocation) -> None:
        """The memory is another one from now on (that of the next group)."""
        self._seen.pop(memory, None)

    def reads(self, memory: Allocation, offset: int, width: int) -> None:
        seen, now = self._seen.setdefault(memory, {}), self.now
        if self.trail is not None:
            self.trail.reaches(now.thread, (memory.name, offset, width))
        for place in range(offset, offset + width):
            one = seen.get(place)
            if one is None:
                one = seen[place] = _Byte()
                if memory.uninitialised:
                    self._note_uninitialised(memory, place)
            elif one.writer is not None and now.unordered(one.writer):
                self._note(memory, place, one.writer, "one thread reads what another writes")
            if not one.readers or one.readers[0] != now:
                others = tuple(each for each in one.readers if each.thread != now.thread)
                one.readers = (now, *others[:1])

    def writes(self, memory: Allocation, offset: int, width: int, value: int, atomic: bool) -> None:
        seen, now = self._seen.setdefault(memory, {}), self.now
        if self.trail is not None:
            self.trail.reaches(now.thread, (memory.name, offset, width))
        for k in range(width):
            place = offset + k
            changes = memory.data[place] != value >> 8 * k & 0xFF
            one = seen.get(place)
            if one is None:
                one = seen[place] = _Byte()
            elif changes:
                if one.writer is not None and not (atomic and one.atomic) and now.unordered(one.writer):
                    self._note(memory, place, one.writer, "two threads write different values")
                for reader in one.readers:
                    if now.unordered(reader):
                        self._note(memory, place, reader, "one thread reads what another writes")
            one.writer, one.atomic = now, atomic

    def outside(self, memory: Allocation, address: int) -> None:
        """Takes note of it: nothing is reached."""
        self._note_outside(memory, address, None)
        if self.trail is not None:
            self.trail.reaches(self.now.thread, (memory.name, address))

    def outside_texel(self, memory: Allocation, texel: tuple[int, ...], position: Position) -> None:
        """Takes note of a texel that is outside of an image."""
        self._note_outside(memory, None, texel, position)

    def _note_outside(
        self, memory: Allocation, address: int | None, texel: tuple[int, ...] | None, position: Position | None = None
    ) -> None:
        place = position or self.place()
        found = self.beyond.get((memory.name, place))
        if found is None:
            thread = self.now.thread
            self.beyond[memory.name, place] = OutsideAccess(memory.name, memory.size, address, thread, place, texel)
        else:
            found.count += 1

    def _note_uninitialised(self, memory: Allocation, place: int) -> None:
        found = self.uninitialised.get(memory.name)
        if found is None:
            self.uninitialised[memory.name] = UninitialisedRead(memory.name, place, self.now.thread)
        else:
            found.count += 1

    def _note(self, memory: Allocation, place: int, other: Moment, what: str) -> None:
        found = self.races.get((memory.name, what))
        if found is None:
            self.races[memory.name, what] = Race(memory.name, place, other.thread, self.now.thread, what)
        else:
            found.count += 1
