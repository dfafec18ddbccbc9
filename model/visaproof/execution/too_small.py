"""A launch in which a buffer is too small for a statement: it lacks the last bytes that the launch needs there.

Each launch is run once with large buffers, for all statements, to see how far each reaches.  Then it is run again
with a buffer that ends before the furthest access of the statement, and shown if that is outside.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.execution.arguments import LocalBytes, prepare
from visaproof.execution.example_launch import MOST_STATEMENTS, SAMPLED, Event, ExampleLaunch, NoLaunch, Search
from visaproof.execution.payload import Program
from visaproof.execution.run import run_launch
from visaproof.execution.shape import Shape, ThreadId
from visaproof.execution.usual_launches import Candidate, Contents, Example, Stated, UsualLaunches
from visaproof.isa.errors import InNoBuffer, NotModelled, Position, ReadError, WritesCollide
from visaproof.machine.concrete.run import PerformedMessage
from visaproof.program.statements import Run
from visaproof.semantics.concrete.choices import Choices
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.trail import Trail

MOST_RECORDED = 48
"""Launches that are run for how far statements reach."""
MOST_TRIED = 6
"""Of them, for one statement."""
LARGE = 1 << 22
"""Bytes of buffers where an access at an address beyond the usual ones ends a run."""


class End(Struct, frozen=True):
    """The furthest access of a statement to a memory."""

    byte: int
    """Behind the last one."""
    width: int


NOTHING = End(0, 0)

Ends = Mapping[tuple[Position, int | None], End]
"""By the statement, and the argument to whose buffer it goes; None for shared local memory."""


class _Furthest(Trail):
    """How far each statement reaches into each memory, by name."""

    found: dict[tuple[Position, str], End] = field(default_factory=dict[tuple[Position, str], End])

    def note(self, position: Position, thread: object, what: object) -> None:
        """Nothing is compared."""

    def reaches(self, thread: object, what: object) -> None:
        match what:
            case (str() as name, int() as offset, int() as width) if self.here is not None:
                known = self.found.get((self.here, name))
                if known is None or known.byte < offset + width:
                    self.found[self.here, name] = End(offset + width, width)
            case _:
                pass


@dataclasses.dataclass
class TooSmall:
    """Of one kernel; the runs with large buffers are kept."""

    program: Program
    stated: Stated
    left: int = MOST_STATEMENTS
    """Statements of runs with large buffers."""
    confirming: int = MOST_STATEMENTS
    """Statements of the others."""
    of_examples: int = MOST_STATEMENTS
    """Statements of runs like the examples of the analysis."""
    before: Position | None = None
    """A statement that leaves a buffer before the one in question does."""
    stopped: str = ""
    """What the last run came to that is not modelled, or what no launch can be given."""
    recorded: "list[Recorded]" = dataclasses.field(default_factory=list["Recorded"])

    def __post_init__(self) -> None:
        self.launches = UsualLaunches(self.program, replace(self.stated, contents=("zeros", "small", "counting")))
        self._more = islice(_by_shape(self.launches), MOST_RECORDED)

    def find(
        self, position: Position, argument: int | None, example: Example | None = None
    ) -> ExampleLaunch | NoLaunch:
        """A launch in which the statement leaves the buffer of the argument, or shared local memory.

        `example` is the launch of which the analysis shows a thread: some statements are come to in few others.
        """
        if not self.program.launch.meanings:
            return NoLaunch("without launch information (`--launch FILE`) no launch is known")
        self.before = None
        every = chain(self._all(), self._like(example))
        defined = (one for one in every if one.collision != position)  # it ends the run, however large buffers are
        reaching = (one for one in defined if (position, argument) in one.ends or position in one.outside)
        first: Recorded | None = None
        tried = 0
        for one in reaching:
            end = one.end(position, argument)
            size = None if position in one.outside else end.byte - end.width
            if size == 0:
                first = first or one
                continue
            if (found := self._shown(position, argument, one, size)) is not None:
                return found
            tried += 1
            if tried == MOST_TRIED:
                break
        if first is not None:  # no launch reaches further than the first access
            byte = first.ends[position, argument].byte
            if byte > 1 and (found := self._shown(position, argument, first, byte - 1)) is not None:
                return found
        if self.before is not None and (found := self._furthest(position, argument)) is not None:
            return found
        if self.before is not None:
            return NoLaunch(f"where it is too small, line {self.before.line} ends the run before")
        tried = len(self.recorded)
        what = f"of {tried} small ones none shows it" if tried else "no small one is as stated, and can be run"
        return NoLaunch(f"{what} ({self.stopped})" if self.stopped else what)

    def _furthest(self, position: Position, argument: int | None) -> ExampleLaunch | None:
        """A launch in which no statement further up reaches as far into the buffer: none ends the run before."""
        furthest = (one for one in self._all() if one.before(position, argument) < one.end(position, argument).byte)
        for one in islice(furthest, MOST_TRIED):
            end = one.end(position, argument)
            size = max(one.before(position, argument), end.byte - end.width)
            if (found := self._shown(position, argument, one, size)) is not None:
                return found
        return None

    def _shown(
        self, position: Position, argument: int | None, one: "Recorded", size: int | None
    ) -> ExampleLaunch | None:
        """The launch where there are only so many bytes, or the usual ones, if it was run and goes outside."""
        if self.confirming <= 0:
            return None
        launches = self.launches if size is None else self._smaller(argument, one, size)
        if launches is None:
            return None
        search = Search(launches, position, Event.OUTSIDE)
        found = search.tried(one.candidate)
        self.before = search.ended or self.before
        self.confirming -= search.statements
        return found

    def _smaller(self, argument: int | None, one: "Recorded", size: int) -> UsualLaunches | None:
        """With so many bytes in the buffer of the argument, or of shared local memory."""
        index, size = (argument, size) if argument is not None else self._last_local(one.candidate, size)
        return None if index is None or size <= 0 else self._sized(one.large, {index: size})

    def _sized(self, large: bool, some: Mapping[int, int]) -> UsualLaunches:
        """With so many bytes in some buffers, or in shared memory of arguments; of others what is stated is kept."""
        stated, locals_ = self.stated.sizes, self.launches.takes.locals

        def sizes(each: int, numbers: Mapping[str, int]) -> int | None:
            if each in some:
                return some[each]
            return LARGE if large and each not in locals_ and stated(each, numbers) is None else stated(each, numbers)

        return UsualLaunches(self.program, replace(self.launches.stated, sizes=sizes))

    def _last_local(self, candidate: Candidate, size: int) -> tuple[int | None, int]:
        """The `local` argument behind all others, and its bytes where all of them together have so many."""
        passed, locals_ = self.launches.passed(candidate), self.launches.takes.locals
        if passed is None or not locals_:
            return None, 0
        start = self.program.launch.slm_bytes
        for index in sorted(locals_)[:-1]:
            content = passed[index].content
            start = -(-start // 64) * 64 + (content.size if isinstance(content, LocalBytes) else 0)
        return max(locals_), size - -(-start // 64) * 64

    def _all(self) -> Iterator["Recorded"]:
        yield from self.recorded
        for candidate in self._more:
            if self.left <= 0:
                return
            found = self._record(candidate)
            if found is not None:
                self.recorded.append(found)
                yield found

    def _like(self, example: Example | None) -> Iterator["Recorded"]:
        """The analysis' own example."""
        if example is None or self.of_examples <= 0:
            return
        left, self.left = self.left, self.of_examples
        launches = UsualLaunches(self.program, replace(self.launches.stated, example=example))
        candidates = (one for one in launches if one.like_the_example)  # behind those with usual numbers
        count = len(launches.stated.contents) + bool(example.held)
        try:
            found = [self._record(one) for one in islice(candidates, count)]
        finally:  # a limit may end it
            self.left, self.of_examples = left, self.left
        yield from (one for one in found if one is not None)

    def _record(self, candidate: Candidate) -> "Recorded | None":
        """How far statements reach in a launch with large buffers; None where it cannot be run."""
        found = self._run(candidate, self.launches)
        if found is None or not found.ended or candidate.contents not in ("zeros", "held") or self.left <= 0:
            return found
        further = self._run(candidate, self._sized(True, {}))
        if further is None:
            return found
        return replace(found, ends={**found.ends, **further.ends}, large=True, collision=further.collision)

    def _run(self, candidate: Candidate, launches: UsualLaunches) -> "Recorded | None":
        passed = launches.passed(candidate)
        if passed is None:
            return None
        furthest, watch, ended, collision = _Furthest(), _Watch(), False, None
        contents = {index: one.content for index, one in passed.items()}
        try:
            values, memory = prepare(
                self.program, candidate.shape, self.launches.arguments(candidate), contents,
                sampler=SAMPLED if self.launches.images else None,
            )  # fmt: skip
        except ReadError as error:
            self.left, self.stopped = 0, error.message  # no launch has what is missing
            return None
        choices = Choices(0, trail=furthest)
        try:
            ran = run_launch(self.program, values, memory, watch.of_thread, choices=choices, most=max(1, self.left))
            if ran.undefined is not None and ran.undefined.cause is InNoBuffer:
                watch.outside.add(ran.undefined.position)
                ended = True
            if ran.undefined is not None and ran.undefined.cause is WritesCollide:
                collision = ran.undefined.position
        except (ReadError, NotModelled) as error:  # what came before has happened
            self.stopped = error.message if isinstance(error, ReadError) else error.what
        finally:
            self.left -= watch.statements
        known: dict[str, int | None] = {memory.local.name: None}
        known |= {memory.buffers[index].name: index for index in passed if index in memory.buffers}
        ends = {(place, known[name]): end for (place, name), end in furthest.found.items() if name in known}
        return Recorded(candidate, ends, frozenset(watch.outside), ended, collision=collision)


class Recorded(Struct, frozen=True):
    """How far statements reach in a launch."""

    candidate: Candidate
    ends: Ends
    outside: frozenset[Position]
    """Those that leave the usual buffers."""
    ended: bool
    """Whether one of them ended the run."""
    large: bool = False
    """Whether the ends are those in buffers of LARGE bytes."""
    collision: Position | None = None
    """Where two lanes wrote one byte, which ended the run."""

    def end(self, position: Position, argument: int | None) -> End:
        """How far the statement reaches into the memory."""
        return self.ends.get((position, argument), NOTHING)

    def before(self, position: Position, argument: int | None) -> int:
        """Behind the last byte that statements further up reach there."""
        known = ((place.line, memory, end.byte) for (place, memory), end in self.ends.items())
        return max((byte for line, memory, byte in known if memory == argument and line < position.line), default=0)


class _Watch(Struct):
    """Counts the statements of a launch, and sees which leave a surface."""

    statements: int = 0
    outside: set[Position] = field(default_factory=set[Position])

    def of_thread(self, thread: ThreadId, state: ConcreteState) -> "_Watch":
        return self

    def observe(self, statement: Run, state: ConcreteState) -> None:
        self.statements += 1

    def performed(self, message: PerformedMessage) -> bool:
        if message.misses:
            self.outside.add(message.instruction.position)
        return False


def _by_shape(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """The first of each shape and contents before the others, and other contents behind zeros."""
    first: dict[tuple[Contents, Shape], Candidate] = {}
    later: list[Candidate] = []
    for one in candidates:
        if first.setdefault((one.contents, one.shape), one) is not one:
            later.append(one)
    yield from (one for (contents, _), one in first.items() if contents == "zeros")
    yield from (one for (contents, _), one in first.items() if contents != "zeros")
    yield from later
