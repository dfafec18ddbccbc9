"""Another thread's atomic exchange between two messages of a run: when it comes, and what it then gets and leaves."""

from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec import Struct

from visaproof.machine.concrete.run import Observer
from visaproof.program.statements import MemoryMessage, Origin, Run
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Write


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


class Exchange(Struct, frozen=True):
    """What the other thread puts in the place of what is there, as one atomic."""

    surface: str
    address: int
    width: int
    value: int

    def held_in(self, buffer: Buffer) -> int:
        """What is in its place."""
        return sum(buffer.contents.get(self.address + k, 0) << 8 * k for k in range(self.width))


@dataclass
class Visit:
    """An observer of a run that makes the exchange behind so many messages."""

    exchange: Exchange
    buffer: Buffer
    messages: int
    brought: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._come_if_due()

    def __call__(self, statement: Run, state: ConcreteState) -> None:
        if isinstance(statement, MemoryMessage):
            self.messages -= 1
            self._come_if_due()

    def _come_if_due(self) -> None:
        if self.messages == 0:
            self.brought = self.exchange.held_in(self.buffer)
            for k in range(self.exchange.width):
                self.buffer.contents[self.exchange.address + k] = self.exchange.value >> 8 * k & 0xFF


class Came(Struct, frozen=True):
    """What an exchange came to in a run."""

    messages: int
    """So many came before it."""
    behind: Writer | None
    """The last atomic of the run before it on a byte of its own; None where it comes before all of them."""
    brought: int
    left: int
    """In its place at the end."""
    elsewhere: tuple[str, int] | None = None
    """Of a run of the source that agrees in both: the surface and the address of another byte that does not."""


class Interference(Struct, frozen=True):
    """An exchange that comes in the target to what it comes to nowhere in the source."""

    exchange: Exchange
    target: Came
    ahead: Writer
    """The next atomic of the target on a byte of its own."""
    source: tuple[Came, ...]
    """Before all atomics of the source on a byte of its own, and behind each of them: nothing else touches it."""
