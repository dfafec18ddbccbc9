"""Who is told what the threads of a launch do."""

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct

from visaproof.execution.memory import Allocation
from visaproof.execution.races import RaceWatch
from visaproof.execution.shape import ThreadId
from visaproof.machine.concrete.run import PerformedMessage
from visaproof.program.statements import Run
from visaproof.semantics.concrete.state import ConcreteState


class Watcher(Protocol):
    """Is told what a thread does."""

    def observe(self, statement: Run, state: ConcreteState) -> None:
        """A statement has run."""
        ...

    def performed(self, message: PerformedMessage) -> bool:
        """A memory message has run; True ends the thread."""
        ...


WatcherOf = Callable[[ThreadId, ConcreteState], Watcher | None]
"""Which threads are watched, given their first state."""


class TexelWatch(Struct):
    """Takes note of texels outside of images, beside what the thread's own watcher does."""

    watch: RaceWatch
    buffers: Mapping[str, Allocation]
    """By the key of their surface."""
    own: Watcher | None

    def observe(self, statement: Run, state: ConcreteState) -> None:
        if self.own is not None:
            self.own.observe(statement, state)

    def performed(self, message: PerformedMessage) -> bool:
        for miss in message.misses:
            if len(miss.cell) > 1 and message.surface in self.buffers:
                self.watch.outside_texel(self.buffers[message.surface], miss.cell, message.instruction.position)
        return self.own is not None and self.own.performed(message)
