"""Two kernels run symbolically: a thread beside a thread, or beside the several threads that run its lanes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import cast

from msgspec.structs import replace

from visaproof.analysis.surface_sizes import with_sizes
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled
from visaproof.isa.surface_keys import OfArgument, by_handle
from visaproof.launch.assume import DIVISION
from visaproof.launch.assumptions import BUFFER_BASES, Start
from visaproof.launch.float_results import Floats, ieee_start
from visaproof.launch.launch import BufferAddress, LaunchValue, Surface, TableSurface
from visaproof.launch.matching import (
    SHARED_LOCAL,
    SOURCE,
    TARGET,
    Matching,
    Program,
    is_linked,
    own_predicates,
    source_start,
    surface_of,
    target_start,
)
from visaproof.launch.overlap import CONSTANT, READ_ONLY
from visaproof.machine.symbolic.run import trace
from visaproof.program.kernel import Kernel
from visaproof.queries.kernels.surface_names import PRIVATE
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.effects.operands import of_device
from visaproof.refinement.effects.sharing import Sharing
from visaproof.refinement.inputs.buffer_offsets import Begins, distances, with_distances
from visaproof.refinement.lockstep import with_events_together
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.widths.thread_group import group_of, with_plain_events
from visaproof.refinement.widths.wide_thread import Split, Starts, narrow_start, prefix_of, wide_start
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.state import ADDRESS_BITS, FLAT_BITS
from visaproof.semantics.symbolic.value_names import Owner, RegisterByte
from visaproof.smt import BitVec, Bool, const


def one_to_one(
    programs: tuple[Program, Program],
    matching: Matching,
    starts: tuple[Start, Start],
    lanes: Sequence[Bool],
    scope: Scope,
    begins: Begins,
    itself: bool,
) -> tuple[Runner, Runner]:
    """Both kernels, where a thread of one runs the work items of a thread of the other; of one with `itself`, one."""
    source, target = programs
    before_source = source_start(source.kernel, starts[0].initial)
    before = before_source, target_start(matching, before_source, starts[1].initial, target.own_tables)
    one = _runner(SOURCE, source, starts[0], before[0], lanes, matching.by_meaning, scope, begins)
    if itself:
        return one, one
    other = _runner(TARGET, target, starts[1], before[1], lanes, matching.by_meaning, scope, begins, may_lose=True)
    return one, other


def one_to_several(
    programs: tuple[Program, Program],
    matching: Matching,
    starts: tuple[Start, Start],
    lanes: Sequence[Bool],
    split: Split,
    scope: Scope,
    begins: Begins,
) -> tuple[Runner, Runner]:
    """Both kernels, where a thread of one runs the work items of several threads of the other; its own are `lanes`."""
    wide, narrow = (0, 1) if split.source_is_wide else (1, 0)
    owners = SOURCE, TARGET
    extra = () if split.source_is_wide else matching.extra
    before = wide_start(programs[wide], split, owners[wide].side, starts[wide].initial, extra)
    given = Starts(owners[narrow].side, before, starts[narrow].initial)
    one = _runner(owners[wide], programs[wide], starts[wide], before, lanes, True, scope, begins)
    members: list[Runner] = []
    for thread in range(split.threads):
        initial = narrow_start(programs[wide], programs[narrow], split, thread, given)
        owner, own = Owner(owners[narrow].side, thread), lanes[split.lanes(thread)]
        members.append(_runner(
            owner, programs[narrow], starts[narrow], initial, own, True, scope, begins, prefix_of(thread)
        ))  # fmt: skip
    if not scope.unroll:
        one, members = with_events_together(one), list(map(with_events_together, members))
    one = replace(one, trace=with_plain_events(one.trace, lanes, scope.timeout_ms))
    group = group_of(members, lanes, split, UndefinedKind.RACE in scope.forbidden, scope.timeout_ms)
    return (one, group) if split.source_is_wide else (group, one)


def _runner(
    owner: Owner,
    program: Program,
    start: Start,
    initial: Callable[[str, int], Byte],
    lanes: Sequence[Bool],
    by_meaning: bool,
    scope: Scope,
    begins: Begins,
    prefix: str = "",
    may_lose: bool = False,
) -> Runner:
    """A thread run symbolically.  Raises NotModelled where it is not known what it reaches, unless runs may find it."""
    if scope.floats is Floats.IEEE:
        initial = ieee_start(initial)
    initial = with_distances(program, begins, initial)
    pointers = _pointers(program, start, initial)
    base = next((word for word, buffer in pointers.items() if buffer == PRIVATE), None)
    general = not scope.unroll
    ran = trace(
        program.kernel, program.platform, initial, lanes, own_predicates(owner), unroll=scope.unroll,
        generalise=general, private_base=base, compared_as=str(owner) if general else "", floats=scope.floats,
        name=prefix, divisions=DIVISION in scope.assume, every_word=bool(scope.observe),
    )  # fmt: skip
    ran = of_device(ran, program.platform, scope.assume)
    generalised = {False: ran} if general else {}
    if program.local_bytes is not None:
        ran = with_sizes(ran, {SHARED_LOCAL: const(program.local_bytes, ADDRESS_BITS)})
    _require_private_known(program, ran.surfaces)
    keys = [*ran.surfaces, *(one.origin.surface for one in ran.arbitrary if one.origin is not None)]
    handles = dict(_handles(program)) if by_meaning and may_lose else {}
    known = {key: surface_of(program, key, by_meaning) for key in dict.fromkeys(keys)}
    lost = tuple(key for key, common in known.items() if common is None and by_handle(key) and handles)
    surfaces = {key: key if key in lost else _surface(program, key, by_meaning) for key in known}
    by_number = lost or program.code.computed_handles

    def named(key: str) -> str:  # what a run finds by its handle has no common name
        return surfaces.get(key, key) if by_number else surfaces[key]

    unwritten = frozenset(_unwritten(program)) if by_meaning else frozenset[str]()
    return Runner(
        owner, program.kernel, program.platform, ran, initial, named, pointers, lost=lost, unwritten=unwritten,
        handles=handles, local_bytes=program.local_bytes, samplers=program.samplers,
        sampler_handles=program.sampler_handles if by_meaning else {},
        distances=distances(program, begins, ran.surfaces) if begins.at_distances else {},
        sharing=Sharing({}, elements=begins.elements), generalised=generalised,
    )  # fmt: skip


def _unwritten(program: Program) -> Iterator[str]:
    """The surfaces of `__constant` arguments, and of images that are only read."""
    for index, info in program.launch.infos.items():
        if info.address == CONSTANT or (info.is_image and info.access == READ_ONLY):
            yield str(OfArgument(index))


def _handles(program: Program) -> Iterator[tuple[tuple[str, int], str]]:
    """Where a kernel may get the handle of an argument's surface, and the name of that surface."""
    for item in program.kernel.inputs:
        for piece in program.launch.pieces(item.variable):
            if piece.first_byte:
                continue
            if isinstance(piece.meaning, Surface | BufferAddress):
                yield (item.variable, piece.offset), str(OfArgument(piece.meaning.argument.index))
            elif isinstance(piece.meaning, TableSurface):
                yield (item.variable, piece.offset), program.table(piece.meaning.table.value)


def require_found(runner: Runner) -> None:
    """Raises NotModelled where it is not known which argument a surface is."""
    if runner.lost:
        raise _unknown_surface(runner.kernel, runner.lost[0])


def _pointers(program: Program, start: Start, initial: Callable[[str, int], Byte]) -> dict[BitVec, str]:
    """The words in which a kernel gets addresses, and the buffers that begin there."""
    linked = [name for name in program.kernel.registers if is_linked(name)]
    found = {initial(name, 0)[0]: program.table(name) for name in linked}
    for word, meaning in start.pointers.items():
        if meaning is LaunchValue.LOCAL_ID_TABLE:
            continue
        place = cast(RegisterByte, word.payload)
        own, index = initial(place.variable, place.byte)
        if own.width == FLAT_BITS and not index:
            found[own] = _buffer_name(program, meaning)
    return found


def _buffer_name(program: Program, meaning: BufferAddress | LaunchValue) -> str:
    if isinstance(meaning, BufferAddress):
        return str(OfArgument(meaning.argument.index))
    return program.table(meaning.value) if meaning in BUFFER_BASES else PRIVATE


def _surface(program: Program, key: str, by_meaning: bool) -> str:
    name = surface_of(program, key, by_meaning)
    if name is None:
        raise _unknown_surface(program.kernel, key)
    return name


def _unknown_surface(kernel: Kernel, key: str) -> NotModelled:
    return NotModelled(f"{kernel.path}: surface {key!r}, of which it is not known which argument it is")


def _require_private_known(program: Program, surfaces: Iterable[str]) -> None:
    """Private memory cannot be seen from outside, and stands among the other addresses."""
    if FLAT in surfaces and not any(program.launch.pieces(item.variable) for item in program.kernel.inputs):
        raise NotModelled(f"{program.kernel.path}: addresses that may be those of private memory: `--launch` says it")
