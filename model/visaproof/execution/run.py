"""Runs a whole launch concretely: group after group, and the threads of a group from barrier to barrier."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum

from msgspec import Struct, field

from visaproof.decode.texels import Outside, WrongSurface
from visaproof.execution.images import ImageShape
from visaproof.execution.inputs import require_known
from visaproof.execution.lane import lane_at_fault
from visaproof.execution.memory import AddressSpace, Allocation, FlatWindow, ScratchWindow, Window
from visaproof.execution.payload import Payloads, Program, Values, surface_handle
from visaproof.execution.races import Moment, OutsideAccess, Race, RaceWatch, UninitialisedRead
from visaproof.execution.shape import ThreadId, Triple
from visaproof.execution.watching import TexelWatch, WatcherOf
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled, Position, ReadError, UndefinedBehavior
from visaproof.isa.operands import SCRATCH
from visaproof.isa.surface_keys import HandleNumber, StateAt, TableEntry
from visaproof.launch.ids.laid_out import reaches_texels
from visaproof.launch.launch import BufferAddress, Surface, TableSurface
from visaproof.launch.local_memory import scratch_bytes
from visaproof.machine.concrete.run import AtBarrier, Code, MissingSurface, Outcome, PerformedMessage, Thread, Undefined
from visaproof.program.statements import Origin
from visaproof.semantics.concrete.choices import STRICT, Choices
from visaproof.semantics.concrete.surface import Surface as MemorySurface
from visaproof.visaasm.attributes import SCRATCH_SIZE

SLM = "%slm"
MOST_STATEMENTS = 10_000_000
"""Of one thread."""


class Engine(Enum):
    """What runs a launch."""

    ARRAYS = "arrays"
    """All threads at once; neither races nor reads of uninitialised memory are looked for."""
    SCALAR = "scalar"
    """Thread after thread; with races, reads of uninitialised values, and traces."""


class UndefinedAt(Struct, frozen=True):
    """Where the launch is undefined; nothing behind it was run."""

    position: Position
    message: str
    thread: ThreadId
    lane: int | None
    """None where it is not one lane's doing, or not known."""
    cause: type[UndefinedBehavior] = UndefinedBehavior
    message_at_fault: PerformedMessage | None = None
    """With what its lanes wrote, where the thread was watched."""
    place: tuple[int, int] | None = None
    """The first byte of an access in no buffer, and how many."""


class Memory(Struct):
    """What the threads of a launch reach."""

    buffers: Mapping[int, Allocation]
    """By the index of their argument."""
    private: Allocation
    local: Allocation
    """Shared local memory of the group that runs."""
    images: Mapping[int, ImageShape] = field(default_factory=dict[int, ImageShape])
    """Which of the buffers are the texels of an image; no pointer reaches them."""
    sampler: Outside | None = None
    """How samplers read them, where it is known."""
    of_the_runtime: Sequence[Allocation] = ()
    """Memory of the runtime, of which is not known what it holds."""
    tables: Mapping[str, int] = field(default_factory=dict[str, int])
    """The tables of the program, by what holds their address."""

    def space(self) -> AddressSpace:
        whole = ((index, buffer) for index, buffer in self.buffers.items() if buffer.part_of is None)
        plain = (buffer for index, buffer in whole if index not in self.images)
        return AddressSpace([*plain, self.private, *self.of_the_runtime])


class Ran(Struct):
    """What became of a launch; the buffers hold what was written."""

    undefined: UndefinedAt | None = None
    races: tuple[Race, ...] = ()
    uninitialised: tuple[UninitialisedRead, ...] = ()
    outside: tuple[OutsideAccess, ...] = ()
    engine: Engine = Engine.SCALAR
    """Races and reads of uninitialised memory are only known where it is the scalar one."""
    threads: int = 0
    barriers: int = 0
    """Barriers passed, counted for each group."""
    statements: int = 0
    """The most that one thread took."""


class StoppedLaunch(NotModelled):
    """A launch came to what has no semantics here; with what it did before."""

    def __init__(self, reason: NotModelled, outside: tuple[OutsideAccess, ...]) -> None:
        super().__init__(reason.what, reason.position)
        self.outside = outside


def run_launch(
    program: Program,
    values: Values,
    memory: Memory,
    tracer: WatcherOf | None = None,
    groups: Iterable[Triple] | None = None,
    choices: Choices = STRICT,
    most: int = MOST_STATEMENTS,
) -> Ran:
    """Runs all threads, or those of some groups; the memory is changed in place.  Raises NotModelled."""
    running = _LaunchRun(program, values, memory, tracer, choices, most)
    return running.run(values.shape.groups() if groups is None else groups)


@dataclasses.dataclass
class _LaunchRun:
    program: Program
    values: Values
    memory: Memory
    tracer: WatcherOf | None
    choices: Choices
    most: int
    ran: Ran = dataclasses.field(default_factory=Ran)

    def __post_init__(self) -> None:
        self._watch = RaceWatch(Moment(ThreadId((0, 0, 0), 0), 0), self.choices.trail)
        self._code = Code(self.program.kernel, self.program.platform)
        self._payloads = Payloads(self.program, self.values)
        require_known(self.program, self._payloads)
        self._surfaces: dict[str, MemorySurface] = {}
        self._buffers: dict[str, Allocation] = {}
        self._scratch = [
            Allocation("private memory of the thread", 0, bytearray(size), uninitialised=True)
            for _ in range(self.program.threads(self.values.shape))
            if (size := scratch_bytes(self.program.kernel, self.program.launch))
        ]
        self._images = {
            index: shape.image(bytes(self.memory.buffers[index].data), self.memory.sampler)
            for index, shape in self.memory.images.items()
        }

    def run(self, groups: Iterable[Triple]) -> Ran:
        self._surfaces = dict(self._bound_surfaces())
        self._buffers = {key: self.memory.buffers[index] for key, index in surface_keys(self.program, self.memory)}
        try:
            self._all_groups(groups)
        except NotModelled as error:
            raise StoppedLaunch(error, tuple(self._watch.beyond.values())) from error
        finally:
            self.ran.outside = tuple(self._watch.beyond.values())
        for index, image in self._images.items():
            self.memory.images[index].store(image, self.memory.buffers[index])
        return self.ran

    def _all_groups(self, groups: Iterable[Triple]) -> None:
        for group in groups:
            for memory in (self.memory.local, self.memory.private, *self._scratch):
                self._reset(memory)
            self._group(group)
            if self.ran.undefined is not None:
                break
        else:
            self.ran.races = tuple(self._watch.races.values())
            self.ran.uninitialised = tuple(self._watch.uninitialised.values())

    def _reset(self, memory: Allocation) -> None:
        """What a group finds in memory of its own: zeros."""
        memory.data[:] = bytes(len(memory.data))
        self._watch.forget(memory)

    def _bound_surfaces(self) -> Iterator[tuple[str, MemorySurface]]:
        yield FLAT, FlatWindow(self.memory.space(), self._watch)
        yield SLM, Window(self.memory.local, self._watch)
        windows: dict[int, MemorySurface] = {
            index: self._images.get(index) or Window(buffer, self._watch)
            for index, buffer in self.memory.buffers.items()
        }
        for key, index in surface_keys(self.program, self.memory):
            yield key, windows[index]

    def _group(self, group: tuple[int, int, int]) -> None:
        """Runs the threads of a group in turn, each to the next barrier, until all have ended."""
        threads = [ThreadId(group, number) for number in range(self.program.threads(self.values.shape, group))]
        waiting = {thread: self._thread(thread) for thread in threads}
        self.ran.threads += len(threads)
        barriers = 0
        while waiting:
            stops = dict[ThreadId, AtBarrier]()
            for thread, running in waiting.items():
                self._watch.now = Moment(thread, barriers)
                match self._resumed(running):
                    case AtBarrier() as stop:
                        stops[thread] = stop
                    case Outcome(undefined=Undefined(position, message, cause, place)):
                        lane = lane_at_fault(running.message, running.state)
                        last = running.performed[-1] if running.message is not None else None
                        self.ran.undefined = UndefinedAt(position, message, thread, lane, cause, last, place)
                        return
                    case Outcome():
                        pass
            self.ran.undefined = _misused(stops, list(waiting))
            if self.ran.undefined is not None:
                return
            waiting = {thread: running for thread, running in waiting.items() if thread in stops}
            barriers += 1
            self.ran.barriers += bool(stops)

    def _thread(self, thread: ThreadId) -> Thread:
        surfaces = dict(self._surfaces)
        if self._scratch:
            surfaces[SCRATCH] = ScratchWindow(self._scratch[thread.number], self._watch)
        state = self._payloads.state(thread, thread.number, surfaces)
        state.choices = self.choices.of_thread(thread)
        tracer = self.tracer(thread, state) if self.tracer is not None else None
        if self._images:
            watcher = TexelWatch(self._watch, self._buffers, tracer)
            return Thread(self._code, state, watcher.observe, watcher.performed, self.most, known_images=True)
        if tracer is None:
            return Thread(self._code, state, most=self.most, remember=False, known_images=True)
        return Thread(self._code, state, tracer.observe, tracer.performed, self.most, known_images=True)

    def _resumed(self, running: Thread) -> AtBarrier | Outcome:
        self._watch.place = running.position
        try:
            stop = running.resume()
        except MissingSurface as missing:
            raise unknown_surface(self.program, missing) from None
        except WrongSurface as wrong:
            raise _wrong_surface(self.program, self.memory, wrong) from None
        self.ran.statements = max(self.ran.statements, running.steps)
        return stop


def _wrong_surface(program: Program, memory: Memory, wrong: WrongSurface) -> ReadError:
    index = dict(surface_keys(program, memory)).get(wrong.surface)
    name = wrong.surface if index is None else str(program.launch.argument(index))
    if wrong.wants_image:
        hint = "`--image ARG=WIDTH[xHEIGHT[xDEPTH]]:CONTENT` passes one"
        return ReadError(f"texels are reached in {name}, which is no image", wrong.position, hint)
    return ReadError(f"bytes are reached in {name}, which is an image", wrong.position, "`--buffer` passes bytes")


def unknown_surface(program: Program, missing: MissingSurface) -> ReadError | NotModelled:
    """What is told where a message reaches a surface of which no argument is known."""
    if missing.surface == SCRATCH:
        return NotModelled(
            f"private memory of unknown size: no {SCRATCH_SIZE}, and the launch says none", missing.position
        )
    if program.launch.binding_table:
        what = f"surface {missing.surface!r}, of which the launch does not say which argument it is"
        return NotModelled(what, missing.position)
    hint = "`--launch FILE` says it: a zebin, its .ze_info, or a manifest.json"
    return ReadError(f"it is not known which argument surface {missing.surface!r} is", missing.position, hint)


def surface_keys(program: Program, memory: Memory) -> Iterator[tuple[str, int]]:
    """The names of the surface of each buffer, and the argument with this buffer."""
    buffers, launch = memory.buffers, program.launch
    for place, index in launch.binding_table.items():
        if index in buffers:
            yield str(TableEntry(place)), index
    for place, name in launch.tables.items():
        if name in memory.tables:
            yield str(TableEntry(place)), memory.tables[name]
    for index, buffer in buffers.items():
        # ze_info may call a bindless argument a pointer; the kernel then takes its low dword as the handle.
        for handle in (surface_handle(index), buffer.base % (1 << 32)):
            yield str(HandleNumber(handle)), index
    for key, index in _bindless(program, memory):
        if index in buffers:
            yield key, index


def _misused(stops: dict[ThreadId, AtBarrier], threads: list[ThreadId]) -> UndefinedAt | None:
    """A barrier that not all threads reach, or not with all their lanes."""
    for thread, stop in stops.items():
        if stop.divergent:
            message = "a barrier in divergent control flow: some lanes of the thread are elsewhere"
            return UndefinedAt(stop.barrier.position, message, thread, None)
    ended = [thread for thread in threads if thread not in stops]
    if not stops or not ended:
        return None
    thread, stop = next(iter(stops.items()))
    message = f"a barrier that not all threads of the group reach: thread {ended[0].number} has ended"
    return UndefinedAt(stop.barrier.position, message, thread, None)


def first_typed(program: Program) -> Origin | None:
    """The first message that reaches texels."""
    return next((each for each in program.kernel.instructions() if reaches_texels(each)), None)


def _bindless(program: Program, memory: Memory) -> Iterator[tuple[str, int]]:
    """The argument of each surface that is named by the input with its surface state."""
    for item in program.kernel.inputs:
        for piece in program.launch.pieces(item.variable):
            if isinstance(piece.meaning, Surface | BufferAddress):
                # ze_info has a bindless argument as its pointer, which holds the offset of its surface state.
                yield str(StateAt(item.variable, piece.offset)), piece.meaning.argument.index
            elif isinstance(piece.meaning, TableSurface) and piece.meaning.table.value in memory.tables:
                yield str(StateAt(item.variable, piece.offset)), memory.tables[piece.meaning.table.value]
