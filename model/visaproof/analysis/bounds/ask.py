"""Asks about the accesses of a kernel: what is assumed of its launch, and the run in which they are looked for."""

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from visaproof.analysis.bounds.buffers import Addressed, addressed, pointer_keys
from visaproof.analysis.bounds.kernel import BoundsAnswers
from visaproof.analysis.bounds.sizes.enough_bytes import READABLE_OF_KERNEL_MS, SizeFinder
from visaproof.analysis.bounds.stated_launch import (
    StatedLaunch,
    facts_of_elements,
    launch_premises,
    names_of,
    stated_start,
)
from visaproof.analysis.conflicts.thread_states import Asked
from visaproof.analysis.loaded_elements import loaded_elements
from visaproof.analysis.open_bounds import open_bounds
from visaproof.analysis.private_slots import slot_of, with_scratch_at_zero, with_slots
from visaproof.analysis.surface_sizes import stated_sizes, with_scratch_that_ends, with_sizes
from visaproof.analysis.tables import sizes_of_tables, tables_of
from visaproof.checking.limited import Questions, questions_within
from visaproof.checking.stages import Impossible, decide_goal
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import LimitReached
from visaproof.isa.platform import Platform
from visaproof.launch.assume import DIVISION, FULL_SUB_GROUPS
from visaproof.launch.assumptions import Assume, start_of, with_floats
from visaproof.launch.float_results import Floats
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.launch.launch import Launch
from visaproof.launch.local_memory import scratch_bytes
from visaproof.launch.premises import premise
from visaproof.launch.relations.element_names import elements_named
from visaproof.launch.unmodelled_inputs import unmodelled_named, unmodelled_read
from visaproof.machine.symbolic.run import DEFAULT_UNROLL, trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.machine.symbolic.uninterpreted_results import CORRECTED
from visaproof.program.def_use import spans_read
from visaproof.program.kernel import Kernel
from visaproof.program.lower import Runnable, lowered
from visaproof.program.places_alone import PlacesAlone, accesses_alone
from visaproof.program.program import Program
from visaproof.queries.kernels.bounds import NO_BUFFERS, BoundsQuestion, bounds_questions
from visaproof.queries.kernels.constant_data import loads_of_tables
from visaproof.queries.kernels.extents import EXTENTS, limits
from visaproof.queries.kernels.full_sub_groups import full_sub_groups
from visaproof.queries.kernels.initialised_values import nothing_undefined_matters
from visaproof.queries.kernels.local_size import without_tags
from visaproof.queries.kernels.uninitialised import Uninitialised, launched_variables, uninitialised_reads
from visaproof.smt import Bool, disj, true
from visaproof.smt.limit import NO_LIMIT, Limit


def ask_bounds(
    kernel: Runnable,
    platform: Platform,
    launch: Launch,
    assume: Assume,
    stated: StatedLaunch,
    timeout_ms: int,
    unroll: int = DEFAULT_UNROLL,
    floats: Floats = Floats.UNINTERPRETED,
    limit: Limit = NO_LIMIT,
    *,
    with_data: bool = False,
) -> BoundsAnswers:
    """The questions of a kernel, up to the first statement that has no semantics here, or to the limit.

    Data that no access depends on is left out, unless something undefined is read, or it is to be asked `with_data`.
    Raises ReadError where what is stated of the launch names nothing that the kernel has.
    """
    start = stated_start(kernel, launch, with_floats(start_of(kernel, launch, assume), floats), stated)
    if slot := slot_of(launch, start):
        start = with_slots(start, slot, kernel, platform)
    if scratch_bytes(kernel, launch):
        start = with_scratch_at_zero(start)
    run = partial(
        trace, kernel, platform, start.initial, unroll=unroll, private_base=start.private_base, floats=floats,
        nondeterministic=True, limit=limit, divisions=DIVISION in assume,
    )  # fmt: skip
    program, alone = lowered(kernel, platform), None
    if not with_data and nothing_undefined_matters(program, FULL_SUB_GROUPS in assume):
        alone = accesses_alone(program, start.private_variable)
    ran = run(launched=launched_variables(kernel)) if alone is None else run(places=alone)
    ran = with_scratch_that_ends(ran)
    by_address = FLAT in ran.surfaces
    keys = [*ran.surfaces, *(pointer_keys(kernel, start).values() if by_address else ())]
    if ran.stopped is not None:  # it may be about one that the run did not come to
        keys += [name for name, one in kernel.states.items() if one.is_surface]
    loaded = loaded_elements(kernel, launch, start, ran)
    names = names_of(kernel, launch, start, stated, loaded)
    sizes = stated_sizes(names, keys, stated.surfaces)
    ran = with_sizes(ran, {**sizes_of_tables(kernel, launch), **sizes.sizes})
    ran = replace(ran, bounded=tuple(open_bounds(ran, timeout_ms, limit)))
    known = {**sizes_of_tables(kernel, launch), **sizes.sizes}
    places = addressed(kernel, platform, launch, start, ran, known, slot) if by_address else Addressed(NO_BUFFERS)
    more = list(launch_premises(names, assume, stated))
    of_user = (*(one for premises, _ in more for one in premises), *facts_of_elements(names, stated))
    extents = limits(ran) if "image-extents" in assume else ()
    premises = (*start.premises(launched_lanes(kernel)), *sizes.premises, *places.premises, *of_user, *extents)
    facts = loads_of_tables(ran, tables_of(kernel, launch, start))
    assumed = (
        *start.assumed,
        *sizes.assumed,
        *without_tags(ran),
        *full_sub_groups(kernel, ran, assume),
        *places.assumed,
        *(one for _, one in more),
        *([EXTENTS] if extents else []),
    )
    if any(one.reason == CORRECTED for one in ran.arbitrary):
        assumed = *assumed, premise("float-mode"), premise("integer-division")
    start = replace(start, assumed=assumed)
    unmodelled = unmodelled_read(kernel, launch, ran.registers.initial_reads)
    if unmodelled is None and alone is not None:
        named = (span for one in alone.left_out for span in spans_read(one))
        unmodelled = unmodelled_named(kernel, launch, named)
    put: Questions[BoundsQuestion] = Questions((), unmodelled, frozenset())
    if unmodelled is None:
        put = questions_within(limit, ran, bounds_questions(ran, (*premises, *facts), places.buffers))
    asked = Asked(kernel, platform, ran, start, timeout_ms)
    return BoundsAnswers(
        kernel,
        platform,
        launch,
        asked,
        put,
        () if unmodelled else tuple(_uninitialised(program, ran, alone)),
        premises,
        SizeFinder(
            launch,
            names_of(kernel, launch, start, stated, loaded),
            asked,
            stated.amounts(),
            on_elements=bool(elements_named(stated.names, kernel, launch)),
            readable_ms=min(READABLE_OF_KERNEL_MS, 150 * limit.seconds),
        ),
        _contradict(premises, kernel, timeout_ms, limit),
        limit,
    )


def _uninitialised(program: Program, ran: Trace, alone: PlacesAlone | None) -> Iterator[Uninitialised]:
    """What is read before any path wrote it: where data is left out, nothing but what is compared with itself."""
    left_out = frozenset[str]() if alone is None else alone.written
    for one in uninitialised_reads(program, ran):
        if alone is None or (one.harmless and one.variable not in left_out):
            yield one


def _contradict(premises: tuple[Bool, ...], kernel: Kernel, timeout_ms: int, limit: Limit) -> bool:
    """Whether no launch with an enabled lane is as it is assumed to be."""
    if not premises:
        return False
    some_lane = disj(*launched_lanes(kernel))
    try:
        return isinstance(decide_goal((*premises, some_lane), true(), timeout_ms), Impossible)
    except LimitReached:
        if limit.left:
            raise
        return False  # no message is decided either: each is listed with the limit
