"""What the threads of a launch do that more than values depend on: which lanes jump, and which bytes they reach."""

from msgspec import Struct, field

from visaproof.isa.errors import Position

Digests = dict[Position, dict[object, int]]
"""By statement and thread: a number for all that the thread did there, in order."""


class Trail(Struct):
    """Kept of a run, to be compared with that of another run."""

    digests: Digests = field(default_factory=Digests)
    here: Position | None = None
    """The message that runs."""

    def note(self, position: Position, thread: object, what: object) -> None:
        """The thread does this at a statement."""
        threads = self.digests.setdefault(position, {})
        threads[thread] = hash((threads.get(thread, 0), what))

    def reaches(self, thread: object, what: object) -> None:
        """The message that runs reaches bytes."""
        if self.here is not None:
            self.note(self.here, thread, what)
