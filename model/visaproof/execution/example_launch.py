"""A launch that a host would make, and that shows what an analysis found: it is run whole, so that nothing is assumed.

Tried are, in this order, the sizes and arguments of the analysis' own example, then few work items with arguments that
kernels usually get, then random ones.  The search counts runs and statements: it ends the same way on any machine.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice

from visaproof.execution.arguments import Content, LocalBytes, Parameters, parameters, prepare
from visaproof.execution.payload import Program
from visaproof.execution.run import Ran, Watcher, run_launch
from visaproof.execution.shape import Shape, ThreadId, Triple
from visaproof.isa.errors import InNoBuffer, NotModelled, Position, ReadError, WritesCollide
from visaproof.launch.ids.group_shape import GroupShape
from visaproof.machine.concrete.run import PerformedMessage
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.visaasm.syntax import Instruction

BUFFER_BYTES = 1 << 16
"""Of a buffer of which no size is stated."""
LOCAL_BYTES = 1 << 12
MOST_BUFFER = 1 << 24
MOST_ITEMS = 4096
"""Work items of a launch that is tried."""
MOST_RUNS = 60
MOST_STATEMENTS = 60_000
"""Of all runs together; a thread counts each statement once, whatever its lanes."""
RANDOM_DRAWS = 4
"""Choices of arguments at random for each shape."""


class Event(Enum):
    """What the launch is to show at a statement."""

    COLLISION = "two lanes write one byte or texel"
    OUTSIDE = "an access outside of its buffer"


@dataclass(frozen=True, slots=True)
class Stated:
    """What the user states, and what the example of the analysis holds."""

    sizes: Callable[[int, Mapping[str, int]], int | None] = lambda _, __: None
    """Bytes of the buffer of an argument, given numbers by name; None where nothing is stated of it."""
    allows: Callable[[Mapping[str, int]], bool] = lambda _: True
    """Whether these numbers obey the user's relations."""
    global_size: Triple | None = None
    example: tuple[Shape, Mapping[int, int]] | None = None


@dataclass(frozen=True, slots=True)
class ExampleLaunch:
    """A launch that was run, and that shows what was looked for."""

    shape: Shape
    arguments: Mapping[int, str]
    """By value, by index, as `visaproof run` takes them."""
    buffers: Mapping[int, str]
    takes: Parameters
    thread: ThreadId
    message: PerformedMessage
    """With the writes of its lanes, or with what they missed."""
    what: str
    """What happened there, in the words of the run."""
    like_the_example: bool = False
    """Whether it is the launch of which the analysis' own example is a thread."""

    def options(self) -> Iterator[tuple[str, str]]:
        """The options of `visaproof run` that make it."""
        yield "--global-size", _sizes(self.shape.global_size)
        yield "--local-size", _sizes(self.shape.local_size)
        yield from (("--arg", f"{self.takes.shown(index)}={value}") for index, value in self.arguments.items())
        yield from (("--buffer", f"{self.takes.shown(index)}={value}") for index, value in self.buffers.items())


@dataclass(frozen=True, slots=True)
class NoLaunch:
    """None was found."""

    reason: str


def find_launch(program: Program, position: Position, event: Event, stated: Stated) -> ExampleLaunch | NoLaunch:
    """A launch that shows the event at the statement."""
    if not program.launch.meanings:
        return NoLaunch("without launch information (`--launch FILE`) no launch is known")
    return _Search(program, position, event, stated).find()


@dataclass
class _Search:
    program: Program
    position: Position
    event: Event
    stated: Stated
    runs: int = 0
    statements: int = 0
    cannot_run: bool = False
    """Whether something is missing that every launch needs."""
    why_not: dict[str, None] = field(default_factory=dict[str, None])
    takes: Parameters = field(init=False)

    def __post_init__(self) -> None:
        self.takes = parameters(self.program)

    def find(self) -> ExampleLaunch | NoLaunch:
        for like_the_example, shape, numbers in self._candidates():
            if self.runs == MOST_RUNS or self.statements >= MOST_STATEMENTS:
                break
            if not self.stated.allows(self._named(shape, numbers)):
                continue
            found = self._tried(shape, numbers, like_the_example)
            if found is not None:
                return found
            if self.cannot_run:
                break
        reasons = "; ".join(islice(self.why_not, 2))
        what = f"of {self.runs} small ones none shows it" if self.runs else "no small one is as stated"
        return NoLaunch(f"{what} ({reasons})" if reasons else what)

    # ------------------------------------------------------------ which launches

    def _candidates(self) -> Iterator[tuple[bool, Shape, dict[int, int]]]:
        if self.stated.example is not None:
            shape, numbers = self.stated.example
            if shape.items <= MOST_ITEMS:
                yield True, shape, {**self._usual(shape), **numbers}
        draw = random.Random(1)
        for shape in self._shapes():
            yield False, shape, self._usual(shape)
            if self.stated.example is not None:
                yield False, shape, {**self._usual(shape), **self.stated.example[1]}
            yield False, shape, dict.fromkeys(self.takes.values, shape.items)
            pool = (1, 2, 3, 4, 8, 16, *shape.global_size[:2], shape.items)
            for _ in range(RANDOM_DRAWS if self.takes.values else 0):
                yield False, shape, {index: draw.choice(pool) for index in self.takes.values}

    def _shapes(self) -> Iterator[Shape]:
        """Few work items first."""
        for local in self._local_sizes():
            if self.stated.global_size is not None:
                whole = self.stated.global_size
                if not any(size % part for size, part in zip(whole, local, strict=True)):
                    yield Shape(whole, local)
                continue
            yield Shape(local, local)
            yield Shape((2 * local[0], local[1], local[2]), local)
            if local[1] > 1:
                yield Shape((local[0], 2 * local[1], local[2]), local)

    def _local_sizes(self) -> Sequence[Triple]:
        simd = max(self.program.simd, 1)
        if (required := self.program.launch.group_size) is not None:
            return [required]
        read = GroupShape(self.program.kernel, self.program.launch, simd).read
        if 2 in read:
            return [(2, 2, 2), (4, 4, 4), (simd, 2, 2)]
        if 1 in read:
            return [(2, 2, 1), (4, 4, 1), (simd, 1, 1), (simd, 2, 1), (8, 8, 1), (16, 16, 1)]
        return [(1, 1, 1), (2, 1, 1), (4, 1, 1), (simd, 1, 1), (2 * simd, 1, 1), (64, 1, 1), (256, 1, 1)]

    def _usual(self, shape: Shape) -> dict[int, int]:
        """What hosts pass for arguments of these names: extents of the launch, or the number of its work items."""
        x, y, _ = shape.global_size
        of_columns = ("w", "col", "nx", "stride", "pitch", "ld", "xs", "xdim")
        of_rows = ("h", "row", "ny", "ys", "ydim")
        found: dict[int, int] = {}
        for index in self.takes.values:
            name = self.takes.shown(index).lower()
            one_of_many = y > 1 and (name.startswith(of_columns) or name.startswith(of_rows))
            found[index] = shape.items if not one_of_many else x if name.startswith(of_columns) else y
        return found

    def _named(self, shape: Shape, numbers: Mapping[int, int]) -> dict[str, int]:
        """The numbers by the names that relations and sizes use."""
        named = {self.takes.shown(index): value for index, value in numbers.items()}
        named |= {f"arg{index}": value for index, value in numbers.items()}
        for value, sizes in (
            ("local_size", shape.local_size), ("global_size", shape.global_size), ("group_count", shape.group_count),
        ):  # fmt: skip
            named |= {f"{value}_{dimension}": size for dimension, size in zip("xyz", sizes, strict=True)}
        return named

    # ------------------------------------------------------------ a run

    def _tried(self, shape: Shape, numbers: Mapping[int, int], like_the_example: bool) -> ExampleLaunch | None:
        named = self._named(shape, numbers)
        buffers: dict[int, tuple[str, Content]] = {}
        for index in self.takes.buffers:
            if index in self.takes.symbols:
                continue
            stated = self.stated.sizes(index, named)
            size = BUFFER_BYTES if stated is None else stated
            if not 0 < size <= MOST_BUFFER:
                return None
            buffers[index] = f"zeros:{size}", bytes(size)
        for index in self.takes.locals:
            buffers[index] = f"local:{LOCAL_BYTES}", LocalBytes(LOCAL_BYTES)
        arguments = {index: _argument(self.takes, index, value) for index, value in numbers.items()}
        watch = _Watch(self.position, self.event)
        self.runs += 1
        try:
            values, memory = prepare(
                self.program, shape, arguments, {index: content for index, (_, content) in buffers.items()}
            )
            left = max(1, MOST_STATEMENTS - self.statements)
            ran = run_launch(self.program, values, memory, watch.of_thread, most=left)
        except _Seen as seen:
            return self._example(shape, arguments, buffers, seen, like_the_example)
        except (ReadError, NotModelled) as error:
            self.why_not[error.message if isinstance(error, ReadError) else error.what] = None
            self.cannot_run = isinstance(error, ReadError)
            self.statements += watch.statements
            return None
        self.statements += watch.statements
        if (found := self._undefined(ran)) is not None:
            return self._example(shape, arguments, buffers, found, like_the_example)
        if ran.undefined is not None:
            self.why_not[f"some end in line {ran.undefined.position.line}: {ran.undefined.message}"] = None
        return None

    def _undefined(self, ran: Ran) -> "_Seen | None":
        """What ended the launch, if that is what is looked for."""
        end = ran.undefined
        cause = WritesCollide if self.event is Event.COLLISION else InNoBuffer
        if end is None or end.position != self.position or end.cause is not cause or end.message_at_fault is None:
            return None
        return _Seen(end.thread, end.message_at_fault, end.message)

    def _example(
        self,
        shape: Shape,
        arguments: Mapping[int, str],
        buffers: Mapping[int, tuple[str, Content]],
        seen: "_Seen",
        like_the_example: bool,
    ) -> ExampleLaunch:
        texts = {index: text for index, (text, _) in buffers.items()}
        return ExampleLaunch(
            shape, arguments, texts, self.takes, seen.thread, seen.message, seen.what, like_the_example
        )


class _Seen(Exception):
    """What was looked for has happened: nothing more need be run."""

    def __init__(self, thread: ThreadId, message: PerformedMessage, what: str) -> None:
        super().__init__(what)
        self.thread = thread
        self.message = message
        self.what = what


@dataclass
class _Watch:
    """Watches every thread for accesses outside of surfaces, which end no run."""

    position: Position
    event: Event
    statements: int = 0

    def of_thread(self, thread: ThreadId, _: ConcreteState) -> Watcher:
        return _ThreadWatch(self, thread)


@dataclass
class _ThreadWatch:
    of: _Watch
    thread: ThreadId

    def observe(self, instruction: Instruction, state: ConcreteState) -> None:
        del instruction, state
        self.of.statements += 1

    def performed(self, message: PerformedMessage) -> bool:
        wanted = self.of.event is Event.OUTSIDE and message.instruction.position == self.of.position
        if wanted and message.misses:
            first = message.misses[0]
            last = first.cell[0] + first.width - 1
            where = f"bytes {first.cell[0]:#x}..{last:#x}" if first.width else f"texel {first.cell}"
            raise _Seen(self.thread, message, f"an access reaches {where}")
        return False


def _argument(takes: Parameters, index: int, value: int) -> str:
    """An argument as `visaproof run` takes it; a vector has the number in each part."""
    slots = takes.values[index]
    size = max(slot.offset + slot.size for slot in slots)
    parts = len(slots) if len(slots) * slots[0].size == size else 1
    limit = 1 << 8 * slots[0].size - 1
    number = value - 2 * limit if value >= limit else value
    one = f"{float(number)}" if slots[0].type.floating else f"{number}"
    return ",".join([one] * parts)


def _sizes(triple: Triple) -> str:
    """Without the sizes of 1 at the end."""
    last = max((place for place, size in enumerate(triple) if size > 1), default=0)
    return ",".join(map(str, triple[: last + 1]))
