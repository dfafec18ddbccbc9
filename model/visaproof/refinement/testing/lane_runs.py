"""What a lane did in both runs of a difference, as far as what differs is computed from it.

From the write that makes the difference back: the statements that define what it uses, by name, and the branches.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from msgspec import Struct

from visaproof.execution.trace import Change, Step, Tracer
from visaproof.instructions.svm_gather import FLAT
from visaproof.machine.concrete.run import Observer, PerformedMessage
from visaproof.program.def_use import addressed, definitions, handles, reads_addressed, uses, writes_addressed
from visaproof.program.effects import lanes_of
from visaproof.program.lower import lowered
from visaproof.program.statements import Branch, MemoryMessage, Origin, Run
from visaproof.queries.kernels.surface_names import PRIVATE_SIZE
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.testing.memory import bases_of, cell_at
from visaproof.refinement.testing.ran import Writer
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.testing.watch import FlatContents
from visaproof.refinement.verdicts import ByteDiffers, Difference, OutsideBuffers, RegisterDiffers
from visaproof.refinement.widths.thread_group import ThreadGroup
from visaproof.refinement.widths.wide_thread import Split
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, LaneWrite, TexelWrite, Write


class Stored(Struct, frozen=True):
    """What a lane put into memory, inside or outside."""

    surface: str
    """By the name that is the same for both kernels."""
    place: int
    """A byte, or a channel of a texel."""
    width: int
    """Bytes; 0 for a channel."""
    value: int


class Done(Struct, frozen=True):
    """A statement that ran, and what the lane has of it."""

    instruction: Origin
    registers: tuple[Change, ...]
    stored: tuple[Stored, ...] = ()

    @property
    def values(self) -> tuple[object, ...]:
        """What it comes to, whatever the registers are called."""
        named = tuple((one.surface, one.place, one.value) for one in self.stored)
        return (*(one.value for one in self.registers), *named)


class LaneRun(Struct, frozen=True):
    """A lane of one kernel, or all of them, up to what makes the difference."""

    thread: int | None
    """Of a group of threads."""
    lane: int | None
    done: tuple[Done, ...]


def lane_runs(comparison: Comparison, found: Difference) -> tuple[LaneRun, LaneRun] | None:
    """Both runs, of a byte that differs; None where something else does."""
    source, target = comparison.runners
    if found.byte is None:
        return None
    runs: list[LaneRun] = []
    for side, runner in enumerate((source, tuple(target.orders())[found.order])):
        followed = _Followed(runner, comparison, found, side, *_where(comparison.split, found, side))
        runs.append(followed.run())
    return runs[0], runs[1]


def run_outside(comparison: Comparison, found: Difference) -> LaneRun | None:
    """The target's run up to its first access in no buffer, of the lane that writes there; None of several threads.

    The source makes no such access.
    """
    runner = comparison.runners[1]
    if not isinstance(found.what, OutsideBuffers) or isinstance(runner, ThreadGroup):
        return None
    followed = _Followed(runner, comparison, found, 1, None, None)
    run = followed.run()
    lane = followed.lane_outside
    return run if lane is None else _Followed(runner, comparison, found, 1, None, lane).run()


def _where(split: Split | None, found: Difference, side: int) -> tuple[int | None, int | None]:
    """The thread and the lane to follow: the writer's, or what is the same work item as that of the other kernel."""
    writers, lanes = _writers(found), found.what.lanes if isinstance(found.what, RegisterDiffers) else ()
    if (own := writers[side]) is not None:
        return own.thread, own.lane
    other = writers[1 - side]
    if other is None:
        return None, lanes[0] if len(lanes) == 1 else None
    if split is None or other.lane is None:
        return None, other.lane
    wide = other.lane if other.thread is None else other.thread * split.narrow + other.lane
    return divmod(wide, split.narrow) if other.thread is None else (None, wide)


def _writers(found: Difference) -> tuple[Writer | None, Writer | None]:
    """What wrote the byte in either run, of memory."""
    match found.what:
        case ByteDiffers(source_writer=one, target_writer=other):
            return one, other
        case _:
            return None, None


@dataclass
class _Followed:
    """A run that is made again, and what one lane of it did."""

    runner: Runner
    comparison: Comparison
    found: Difference
    side: int
    thread: int | None
    lane: int | None
    _steps: list[Step] = field(init=False, default_factory=list[Step])
    _left: int | None = field(init=False, default=None)
    """The step that first accessed what is in no buffer."""
    lane_outside: int | None = field(init=False, default=None)
    """Which lane wrote there."""

    @cached_property
    def _addressed(self) -> frozenset[str]:
        return addressed(lowered(self.runner.kernel, self.runner.platform))

    def run(self) -> LaneRun:
        found = self.found
        backwards = found.backwards and self.side == 1
        ran = self.runner.run(found.memory, self.comparison.question.lanes, found.values, backwards, self._observer)
        threads = ran.threads or (self.thread,) * len(ran.outcome.performed)
        own = (one for one, thread in zip(ran.outcome.performed, threads, strict=True) if thread == self.thread)
        messages = [next(own, None) if isinstance(step.statement, MemoryMessage) else None for step in self._steps]
        message = None if self._left is None else messages[self._left]
        if message is not None and isinstance(self.found.what, OutsideBuffers):
            self.lane_outside = _lane_writing(message, self.found.what.address)
        return LaneRun(self.thread, self.lane, tuple(self._needed(messages)))

    def _observer(self, thread: int | None, state: ConcreteState) -> Observer | None:
        if thread != self.thread:
            return None
        tracer = Tracer(self.lane, self._steps.append, state)

        def observe(statement: Run, state: ConcreteState) -> None:
            tracer.observe(statement, state)
            if self._left is None and _has_left(state):
                self._left = len(self._steps) - 1

        return observe

    def _needed(self, messages: Sequence[PerformedMessage | None]) -> list[Done]:
        """The statements that what differs depends on, the last of them first looked at."""
        done: list[Done] = []
        last = self._last(messages)
        needed = {self._register} if self._register else set[str]()
        for place in range(len(self._steps) - 1 if last is None else last, -1, -1):
            step, message = self._steps[place], messages[place]
            defined, used = self._def_use(step.statement, message)
            branch = step.statement if isinstance(step.statement, Branch) else None
            if place == last or branch or (needed & defined and self._covers(step.statement)):
                needed |= used
                stored = tuple(self._stored(message)) if message else ()
                if branch is None or branch.lanes.predicate:
                    done.append(Done(step.statement.origin, step.changes, stored))
        return done[::-1]

    def _last(self, messages: Sequence[PerformedMessage | None]) -> int | None:
        """The statement that makes the difference.

        That which left all buffers, or else that which wrote the byte, or else the lane's last one to there.
        """
        if isinstance(self.found.what, OutsideBuffers):
            return self._left
        writer = _writers(self.found)[self.side]
        for place in reversed(range(len(messages))):
            if (message := messages[place]) is not None and self._makes(message, writer):
                return place
        return None

    @property
    def _surface(self) -> str:
        """Where a byte differs, or ""."""
        return "" if self.found.byte is None else self.found.byte.surface

    @property
    def _register(self) -> str:
        """The variable that differs at the end, or ""."""
        observed = self.comparison.runners[0].observed
        places = (one.place(self.runner.name) for one in observed if one.surface == self._surface)
        return next((place.variable for place in places), "")

    def _makes(self, message: PerformedMessage, writer: Writer | None) -> bool:
        if writer is not None:
            same = message.instruction.position == writer.instruction.position
            return same and writer.write in (*message.writes, *message.changed)
        return any(one.surface == self._surface for one in self._stored(message))

    def _def_use(self, statement: Run, message: PerformedMessage | None) -> tuple[frozenset[str], frozenset[str]]:
        """What it defines and uses, with the memory that a message reaches as if it were a variable."""
        defined, used = definitions(statement), uses(statement) | handles(statement)
        used |= self._addressed if reads_addressed(statement) else frozenset()
        defined |= self._addressed if writes_addressed(statement) else frozenset()
        if message is None:
            return defined, used
        memory = frozenset((f"memory {message.surface}",))
        return defined | memory if message.writes or message.changed else defined, used | memory if defined else used

    def _covers(self, statement: Run) -> bool:
        """Whether the lane is among those of a statement."""
        lanes = lanes_of(statement)
        if self.lane is None or lanes is None or lanes.size == 1:
            return True
        return 0 <= self.lane - statement.origin.first_lane < lanes.size

    def _stored(self, message: PerformedMessage) -> Iterator[Stored]:
        """What the lane puts where, by common names."""
        first = message.instruction.first_lane
        for write in message.writes or message.changed:
            if self.lane is None or write.lane is None or write.lane + first == self.lane:
                yield self._named(message.surface, write)

    def _named(self, key: str, write: Write) -> Stored:
        match write:
            case TexelWrite():
                return Stored(self.runner.surface(key), cell_at(write.texel, write.channel), 0, write.value)
            case LaneWrite() if key == FLAT and self._surface != FLAT:
                bases = bases_of(self.runner.pointers.values(), self.found.values, self.runner.sharing)
                for buffer, base in bases.items():
                    size, _ = self.found.memory.get(buffer, (PRIVATE_SIZE, {}))
                    if base <= write.address < base + size:
                        return Stored(buffer, write.address - base, write.width, write.value)
                return Stored(FLAT, write.address, write.width, write.value)
            case LaneWrite():
                return Stored(self.runner.surface(key), write.address, write.width, write.value)


def _has_left(state: ConcreteState) -> bool:
    """Whether an access was to an address that is in no buffer."""
    flat = state.surfaces.get(FLAT)
    return isinstance(flat, Buffer) and isinstance(flat.contents, FlatContents) and flat.contents.left is not None


def _lane_writing(message: PerformedMessage, address: int) -> int | None:
    """The lane that writes a byte; None where a lane loads it, or the message writes as a whole."""
    for write in message.writes:
        if isinstance(write, LaneWrite) and write.address <= address < write.address + write.width:
            return None if write.lane is None else write.lane + message.instruction.first_lane
    return None
