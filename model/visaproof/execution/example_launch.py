"""A launch that a host would make, and that shows what an analysis found: it is run whole, so that nothing is assumed.

Tried are, in this order, the sizes and arguments of the analysis' own example, then few work items with arguments that
kernels usually get, then random ones.  The search counts runs and statements: it ends the same way on any machine.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import islice

from msgspec import Struct, field

from visaproof.decode.texels import Outside
from visaproof.execution.arguments import Parameters, prepare
from visaproof.execution.images import ImageContent
from visaproof.execution.payload import Program
from visaproof.execution.run import Ran, run_launch
from visaproof.execution.shape import Shape, ThreadId, Triple
from visaproof.execution.usual_launches import Candidate, Passed, Stated, UsualLaunches
from visaproof.execution.watching import Watcher
from visaproof.isa.errors import InNoBuffer, NotModelled, Position, ReadError, WritesCollide
from visaproof.machine.concrete.run import PerformedMessage
from visaproof.program.statements import Run
from visaproof.semantics.concrete.choices import POLICIES, Choices
from visaproof.semantics.concrete.state import ConcreteState

MOST_RUNS = 60
MOST_STATEMENTS = 60_000
"""Of all runs together; a thread counts each statement once, whatever its lanes."""


SAMPLED = Outside.EDGE
"""How the images of a launch are sampled."""


class Event(Enum):
    """What the launch is to show at a statement."""

    COLLISION = "two lanes write one byte or texel"
    OUTSIDE = "an access outside of its buffer"


class ExampleLaunch(Struct, frozen=True):
    """A launch that was run, and that shows what was looked for."""

    shape: Shape
    arguments: Mapping[int, str]
    """By value, by index, as `visaproof run` takes them."""
    buffers: Mapping[int, str]
    images: Mapping[int, str]
    takes: Parameters
    thread: ThreadId
    message: PerformedMessage
    """With the writes of its lanes, or with what they missed."""
    what: str
    """What happened there, in the words of the run."""
    event: Event
    allocated: Mapping[int, tuple[int, int]]
    """Of each buffer, by the index of its argument: address and bytes."""
    like_the_example: bool = False
    """Whether it is the launch of which the analysis' own example is a thread."""
    place: tuple[int, int] | None = None
    """The address of an access in no buffer, and its bytes."""

    def options(self) -> Iterator[tuple[str, str]]:
        """The options of `visaproof run` that make it."""
        yield "--global-size", sizes_text(self.shape.global_size)
        yield "--local-size", sizes_text(self.shape.local_size)
        yield from (("--arg", f"{self.takes.shown(index)}={value}") for index, value in self.arguments.items())
        yield from (("--buffer", f"{self.takes.shown(index)}={value}") for index, value in self.buffers.items())
        yield from (("--image", f"{self.takes.shown(index)}={value}") for index, value in self.images.items())
        if self.event is Event.OUTSIDE:
            yield "--engine", "scalar"  # arrays do not look for it
        if self.images:
            yield "--sampler", SAMPLED.value


class NoLaunch(Struct, frozen=True):
    """None was found."""

    reason: str


def find_launch(program: Program, position: Position, event: Event, stated: Stated) -> ExampleLaunch | NoLaunch:
    """A launch that shows the event at the statement."""
    if not program.launch.meanings:
        return NoLaunch("without launch information (`--launch FILE`) no launch is known")
    return Search(UsualLaunches(program, stated), position, event).find()


class Search(Struct):
    """For one event at one statement."""

    launches: UsualLaunches
    position: Position
    event: Event
    runs: int = 0
    statements: int = 0
    cannot_run: bool = False
    """Whether something is missing that every launch needs."""
    ended: Position | None = None
    """Where an access in no buffer ended the last run, if it is another statement."""
    why_not: dict[str, None] = field(default_factory=dict[str, None])

    def find(self) -> ExampleLaunch | NoLaunch:
        for candidate in self.launches:
            if self.runs == MOST_RUNS or self.statements >= MOST_STATEMENTS:
                break
            found = self.tried(candidate)
            if found is not None:
                return found
            if self.cannot_run:
                break
        reasons = "; ".join(islice(self.why_not, 2))
        what = f"of {self.runs} small ones none shows it" if self.runs else "no small one is as stated"
        return NoLaunch(f"{what} ({reasons})" if reasons else what)

    def tried(self, candidate: Candidate) -> ExampleLaunch | None:
        """What a run of this launch shows, whatever the results are that no page states."""
        first = Choices(0)
        found = self._tried(candidate, first)
        if found is None or not first.picked:
            return found
        others = (self._tried(candidate, Choices(policy)) for policy in range(1, POLICIES))
        if all(one is not None for one in others):
            return found
        self.why_not["it depends on a result that no page states"] = None
        return None

    def _tried(self, candidate: Candidate, choices: Choices) -> ExampleLaunch | None:
        passed = self.launches.passed(candidate)
        if passed is None:
            return None
        arguments, shape = self.launches.arguments(candidate), candidate.shape
        watch = _Watch(self.position, self.event)
        allocated = dict[int, tuple[int, int]]()
        self.runs += 1
        try:
            values, memory = prepare(
                self.launches.program,
                shape,
                arguments,
                {index: one.content for index, one in passed.items()},
                sampler=SAMPLED if self.launches.images else None,
            )
            allocated |= {index: (one.base, len(one.data)) for index, one in memory.buffers.items()}
            left = max(1, (MOST_STATEMENTS - self.statements) // 2)  # one with a long loop leaves some for the next
            ran = run_launch(self.launches.program, values, memory, watch.of_thread, choices=choices, most=left)
        except _Seen as seen:
            return self._example(candidate, arguments, passed, allocated, seen)
        except (ReadError, NotModelled) as error:
            self.why_not[error.message if isinstance(error, ReadError) else error.what] = None
            self.cannot_run = isinstance(error, ReadError)
            self.statements += watch.statements
            return None
        self.statements += watch.statements
        if (found := self._undefined(ran)) is not None:
            return self._example(candidate, arguments, passed, allocated, found)
        if ran.undefined is not None:
            self.ended = ran.undefined.position if ran.undefined.cause is InNoBuffer else None
            self.why_not[f"some end in line {ran.undefined.position.line}: {ran.undefined.message}"] = None
        return None

    def _undefined(self, ran: Ran) -> "_Seen | None":
        """What ended the launch, if that is what is looked for."""
        end = ran.undefined
        cause = WritesCollide if self.event is Event.COLLISION else InNoBuffer
        if end is None or end.position != self.position or end.cause is not cause or end.message_at_fault is None:
            return None
        return _Seen(end.thread, end.message_at_fault, end.message, end.place)

    def _example(
        self,
        candidate: Candidate,
        arguments: Mapping[int, str],
        passed: Mapping[int, Passed],
        allocated: Mapping[int, tuple[int, int]],
        seen: "_Seen",
    ) -> ExampleLaunch:
        images = {index: one.text for index, one in passed.items() if isinstance(one.content, ImageContent)}
        buffers = {index: one.text for index, one in passed.items() if index not in images}
        return ExampleLaunch(
            candidate.shape, arguments, buffers, images, self.launches.takes, seen.thread, seen.message, seen.what,
            self.event, allocated, candidate.like_the_example, seen.place,
        )  # fmt: skip


class _Seen(Exception):
    """What was looked for has happened: nothing more need be run."""

    def __init__(
        self, thread: ThreadId, message: PerformedMessage, what: str, place: tuple[int, int] | None = None
    ) -> None:
        super().__init__(what)
        self.place = place
        self.thread = thread
        self.message = message
        self.what = what


class _Watch(Struct):
    """Watches every thread for accesses outside of surfaces, which end no run."""

    position: Position
    event: Event
    statements: int = 0

    def of_thread(self, thread: ThreadId, _: ConcreteState) -> Watcher:
        return _ThreadWatch(self, thread)


class _ThreadWatch(Struct):
    of: _Watch
    thread: ThreadId

    def observe(self, statement: Run, state: ConcreteState) -> None:
        del statement, state
        self.of.statements += 1

    def performed(self, message: PerformedMessage) -> bool:
        wanted = self.of.event is Event.OUTSIDE and message.instruction.position == self.of.position
        if wanted and message.misses:
            first = message.misses[0]
            last = first.cell[0] + first.width - 1
            where = f"bytes {first.cell[0]:#x}..{last:#x}" if first.width else f"texel {first.cell}"
            raise _Seen(self.thread, message, f"an access reaches {where}")
        return False


def sizes_text(triple: Triple) -> str:
    """Without the sizes of 1 at the end."""
    last = max((place for place, size in enumerate(triple) if size > 1), default=0)
    return ",".join(map(str, triple[: last + 1]))
