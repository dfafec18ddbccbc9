"""Runs both kernels of a saved difference again, concretely.  No solver."""

from collections.abc import Generator, Iterator, Mapping
from itertools import islice

from msgspec import Struct

from visaproof.checking.replayed import collected
from visaproof.decode.texels import Outside
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.operands import SCRATCH
from visaproof.isa.platform import Platform, platform_named
from visaproof.isa.surfaces import SurfaceKind
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.launch.relations.obeyed_relations import broken
from visaproof.machine.concrete.run import MissingSurface, Outcome, run
from visaproof.program.lower import Runnable
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.inputs.held_inputs import unlike_inputs, unlike_surfaces
from visaproof.refinement.record import (
    RefinementExample,
    Side,
    SurfaceContents,
    ThreadStart,
    Window,
    place_from,
    threads_of,
)
from visaproof.refinement.testing.memory import cells_of, image_of
from visaproof.refinement.testing.ran import at_no_surface, missed_of
from visaproof.refinement.testing.watch import FLAT_SIZE, FlatContents, ViewContents, Watch, WatchedBuffer
from visaproof.refinement.widths.thread_group import run_group
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, Scratch
from visaproof.visaasm.linking.names import linked
from visaproof.visaasm.reader import read_kernel


class _Ran(Struct, frozen=True):
    """What a run left."""

    outcome: Outcome
    memory: Mapping[str, Buffer | Image]
    outside: int | None
    """The first address in no buffer."""
    state: ConcreteState | None = None
    """Of one thread, its registers at the end."""

    def register(self, place: str) -> int:
        """A byte of a variable, or a bit of a predicate."""
        if self.state is None:
            raise ValueError(f"{place}: several threads have registers of their own")
        name, _, bit = place.rstrip("]").partition("[")
        if bit:
            return self.state.predicates[name].bits >> int(bit) & 1
        name, _, byte = place.rpartition(".")
        return self.state.registers[name][int(byte)]

    def leaves(self, inside: bool) -> bool:
        """Whether an access was at an address in no buffer or, where all have to stay inside, not in its surface."""
        missed = any(each.misses and each.surface != SHARED_LOCAL for each in self.outcome.performed)
        return self.outside is not None or (inside and missed)

    def missed_shared_local(self) -> int | None:
        """The line of the first message that was not wholly inside shared local memory."""
        missed = (each for each in self.outcome.performed if each.misses and each.surface == SHARED_LOCAL)
        return next((each.instruction.position.line for each in missed), None)

    def content(self, surface: str, place: int) -> int:
        """A byte or a channel."""
        found = self.memory[surface]
        return (found.contents if isinstance(found, Buffer) else cells_of(found)).get(place, 0)


class RefinementReplay(Struct, frozen=True):
    """A difference that was run again."""

    claim: str
    shows: str
    """What the runs show, whatever the file says."""
    differences: tuple[str, ...]
    """What is not as recorded, in words; empty where it replays."""


def replay_refinement(example: RefinementExample, path: str) -> tuple[str, ...]:
    """What is not as recorded, in words; empty where it replays.  Raises ReadError for a malformed file."""
    return run_again(example, path).differences


def run_again(example: RefinementExample, path: str) -> RefinementReplay:
    """Runs both kernels again, once their inputs are matched.  Raises ReadError for a malformed file."""
    try:
        kernels = [_kernel(side, _platform(side, path), f"{path}, {name}") for name, side in _sides(example)]
        claim = f"{kernels[1].name}/refines-{kernels[0].name}"
        shown, differences = collected(_differences(example, (kernels[0], kernels[1]), path))
        return RefinementReplay(claim, shown, differences)
    except NotModelled as error:
        return RefinementReplay(example.claim, "nothing", (f"a kernel does not run any more: {error}",))
    except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
        message = f"its launch does not fit its kernels: {type(error).__name__}: {error}"
        raise ReadError(
            message, Position(path, 1, 1), "the format is described in counterexamples/README.md"
        ) from error


def _sides(example: RefinementExample) -> tuple[tuple[str, Side], ...]:
    return ("source", example.source), ("target", example.target)


Words = Generator[str, None, str]
"""What is not as recorded, and at the end what the runs show."""


def _differences(example: RefinementExample, kernels: tuple[Runnable, Runnable], path: str) -> Words:
    yield from _unmatched(example, kernels)
    yield from broken(example.where, (example.target if example.source.threads else example.source).registers)
    source = _run(example, example.source, f"{path}, source")
    target = _run(example, example.target, f"{path}, target")
    if (undefined := source.outcome.undefined) is not None:
        yield f"the source is undefined: line {undefined.position.line}: {undefined.message}"
    if source.leaves(example.inside) or (example.source_inside and missed_of(source.outcome) is not None):
        yield "the source leaves its buffers"
    if example.differs.outside:
        found = None if target.outside is None else f"{target.outside:#x}"
        if target.outside != int(example.differs.outside, 16):
            yield f"the target accesses {found or 'nothing'} outside of all buffers"
        return f"the target accesses {found or 'nothing'} outside of all buffers"
    if target.leaves(example.inside):
        yield "the target leaves its buffers"
    if example.differs.kind == UndefinedKind.SLM_OUTSIDE.value:
        if source.missed_shared_local() is not None:
            yield "the source leaves shared local memory, too"
        if target.missed_shared_local() != example.differs.line:
            yield f"line {example.differs.line} of the target stays inside shared local memory"
        return f"the target leaves shared local memory at line {target.missed_shared_local()}"
    if example.differs.undefined or target.outcome.undefined is not None:
        return (yield from _without_meaning(example, target))
    return (yield from _contents(example, source, target))


def _unmatched(example: RefinementExample, kernels: tuple[Runnable, Runnable]) -> Iterator[str]:
    """Inputs and surfaces that are not those of one launch."""
    source, target = example.source, example.target
    alone = not (source.threads or target.threads)
    for one in threads_of(kernels[0], source):
        for other in threads_of(kernels[1], target):
            yield from islice(unlike_inputs(one, other, of_the_thread=alone), 1)
    for name, side in _sides(example):
        yield from unlike_surfaces(side.inputs, side.binding_table, side.surfaces, name)


def _without_meaning(example: RefinementExample, target: _Ran) -> Words:
    undefined, recorded = target.outcome.undefined, example.differs
    line = None if undefined is None else undefined.position.line
    if line != (recorded.line if recorded.undefined else None):
        yield f"the target is undefined at line {line}, recorded: {recorded.line or None}"
    return "the target is defined" if undefined is None else f"line {line} of the target: {undefined.message}"


def _contents(example: RefinementExample, source: _Ran, target: _Ran) -> Words:
    recorded = example.differs
    where = f"{recorded.buffer}[{recorded.address}]"
    if recorded.source_register:
        where = f"{recorded.source_register} and {recorded.target_register}"
        now = [source.register(recorded.source_register), target.register(recorded.target_register)]
    else:
        now = [ran.content(recorded.buffer, place_from(recorded.address)) for ran in (source, target)]
    for name, found, was in zip(("source", "target"), now, (recorded.source, recorded.target), strict=True):
        if found != int(was, 16):
            yield f"{where} after the {name}: recorded {was}, now {found:#x}"
    if now[0] == now[1]:
        yield "both kernels leave the same there"
    return f"{where}: {now[0]:#x} after the source, {now[1]:#x} after the target"


def _run(example: RefinementExample, side: Side, path: str) -> _Ran:
    """The thread, or the threads of a group over one memory, each with private memory of its own."""
    platform, watch = _platform(side, path), Watch(bool(side.threads), forbidden=not example.races_allowed)
    kernel, memory = _kernel(side, platform, path), _memory(example, side, watch)
    if side.threads:
        started = [_started(platform, one.exec_mask, one, side, memory, watch) for one in side.threads]
        states = [(thread.number, state) for thread, (state, _) in zip(side.threads, started, strict=True)]
        found = run_group(kernel, states, watch, together=side is example.source)
        return _Ran(found.outcome, memory, next((flat.left for _, flat in started if flat.left is not None), None))
    state, flat = _started(platform, example.exec_mask, side, side, memory, watch)
    try:
        outcome = run(kernel, state, endless=True)
    except MissingSurface as missing:
        outcome = at_no_surface(missing, state.surfaces)
    return _Ran(outcome, memory, flat.left, state)


def _started(
    platform: Platform,
    exec_mask: str,
    held: Side | ThreadStart,
    side: Side,
    memory: Mapping[str, Buffer | Image],
    watch: Watch,
) -> tuple[ConcreteState, FlatContents]:
    """A thread before its first instruction, and what it reaches by 64-bit address."""
    state = ConcreteState(platform, exec_mask=int(exec_mask, 16), backwards=side.backwards)
    state.registers = {name: bytearray.fromhex(content) for name, content in held.registers.items()}
    state.predicates = {name: PredicateBits(one.count, int(one.bits, 16)) for name, one in held.predicates.items()}
    state.surfaces = {SCRATCH: Scratch()} | {key: memory[name] for key, name in side.surfaces.items()}
    flat = FlatContents([_window(one, memory) for one in side.addresses])
    if side.addresses:
        state.surfaces[FLAT] = WatchedBuffer(FLAT_SIZE, flat, watch=watch)
    return state, flat


def _memory(example: RefinementExample, side: Side, watch: Watch) -> dict[str, Buffer | Image]:
    """The surfaces before the runs, as a kernel has them."""
    said = example.samplers | side.samplers
    samplers = {int(number): Outside(outside) for number, outside in said.items()}
    found = {name: _surface(one, samplers, watch) for name, one in example.memory.items() if not one.shows}
    if side.slm and isinstance(local := found.get(SHARED_LOCAL), Buffer):
        local.size = int(side.slm, 16)
    for name, surface in found.items():
        watch.named(surface, name)
    return found | {name: _view(one, found, watch) for name, one in example.memory.items() if one.shows}


def _view(recorded: SurfaceContents, memory: Mapping[str, Buffer | Image], watch: Watch) -> Buffer:
    """A buffer that is a part of a larger one."""
    base, size, whole = int(recorded.at, 16), int(recorded.size, 16), memory[recorded.shows]
    if not isinstance(whole, Buffer):
        raise ValueError(f"{recorded.shows} is no buffer")
    return WatchedBuffer(size, ViewContents(whole.contents, base), watch=watch)


def _surface(recorded: SurfaceContents, samplers: Mapping[int, Outside], watch: Watch) -> Buffer | Image:
    contents = {place_from(at): int(value, 16) for at, value in recorded.contents.items()}
    if not recorded.kind:
        return WatchedBuffer(int(recorded.size, 16), contents, watch=watch)
    return image_of(tuple(recorded.levels), SurfaceKind[recorded.kind], contents, watch, samplers)


def _window(window: Window, memory: Mapping[str, Buffer | Image]) -> tuple[int, int, dict[int, int]]:
    """Where a buffer begins among the addresses, its size, and its bytes."""
    found = memory[window.buffer] if window.buffer else None
    return int(window.at, 16), int(window.size, 16), found.contents if isinstance(found, Buffer) else {}


def _platform(side: Side, path: str) -> Platform:
    try:
        return platform_named(side.platform)
    except KeyError:
        raise ReadError(f"no platform {side.platform!r}", Position(path, 1, 1)) from None


def _kernel(side: Side, platform: Platform, path: str) -> Runnable:
    texts = [side.program, *side.functions]
    kernel, *functions = (read_kernel("\n".join(text), path, grf_bytes=platform.grf_bytes) for text in texts)
    return linked(kernel, {function.name: function for function in functions})
