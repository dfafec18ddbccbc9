"""Asks about a kernel: at first of a run in which conditions are open that depend on much, where there are any.

What is proved of scatters there holds of the kernel.  What is not is asked of a run with these conditions.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

from msgspec.structs import replace

from visaproof.analysis.conflicts.any_items.items_apart import ItemsApart
from visaproof.analysis.conflicts.hard_questions import INVERSE
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.launches.samples import Samples
from visaproof.analysis.conflicts.put_questions import known_apart, put_questions
from visaproof.analysis.conflicts.thread_states import Asked
from visaproof.analysis.conflicts.verdicts import Finding, Undecided
from visaproof.analysis.conflicts.whole_run import WholeRun
from visaproof.analysis.open_bounds import open_bounds
from visaproof.checking.limited import Questions
from visaproof.isa.errors import LimitReached, Position
from visaproof.isa.platform import Platform
from visaproof.launch.assume import DIVISION, Assume
from visaproof.launch.assumptions import Start, start_of, with_floats
from visaproof.launch.float_results import Floats
from visaproof.launch.launch import Launch
from visaproof.launch.local_memory import local_memory
from visaproof.launch.premises import premise
from visaproof.launch.relations.expressions import Relation
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.relations import with_relations
from visaproof.launch.unmodelled_inputs import unmodelled_named, unmodelled_read
from visaproof.machine.symbolic.run import DEFAULT_UNROLL, trace
from visaproof.program.def_use import spans_read
from visaproof.program.lower import Runnable, lowered
from visaproof.program.places_alone import PlacesAlone, places_alone, with_open_conditions
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.queries.kernels.extents import EXTENTS, limits
from visaproof.queries.kernels.full_sub_groups import full_sub_groups
from visaproof.queries.kernels.local_size import local_limit, without_tags
from visaproof.queries.kernels.tickets import COUNTED, counts
from visaproof.queries.kernels.uninitialised import launched_variables
from visaproof.smt.limit import NO_LIMIT, Limit

OPEN_SHARE = 0.5
"""Of the time: for the run in which costly conditions are open, and as much of the rest for the questions about it."""
OPEN_CONDITIONS = "not proved while costly conditions are open, and the run with these did not end"


def ask_kernel(
    kernel: Runnable,
    platform: Platform,
    launch: Launch,
    assume: Assume,
    timeout_ms: int,
    unroll: int = DEFAULT_UNROLL,
    floats: Floats = Floats.UNINTERPRETED,
    limit: Limit = NO_LIMIT,
    where: Sequence[Relation] = (),
) -> KernelAnswers:
    """The questions of a kernel, up to the first statement that has no semantics here, or to the limit.

    Raises ReadError where a relation of `where` names nothing of the kernel or its launch.
    """
    start = with_floats(start_of(kernel, launch, assume), floats)
    start = with_relations(LaunchNames(kernel, launch, start), where)
    program, private = lowered(kernel, platform), start.private_variable
    run = partial(_run, kernel, platform, launch, assume, timeout_ms, unroll, floats, limit, start)
    # Whether a launch that obeys `where` comes to a scatter at all is a question about its conditions.
    opened = None if where else with_open_conditions(program, private)
    easier: KernelAnswers | None = None
    proved: dict[Position, Finding] = {}
    if opened is not None:
        with suppress(LimitReached):
            with limit.within(OPEN_SHARE):
                easier = run(opened)
            with limit.within(OPEN_SHARE):
                proved.update((one.question.instruction.position, one) for one in easier.proofs())
        if easier is not None and easier.stopped is None and proved.keys() == set(easier.positions):
            return replace(easier, settled=proved)
    answers = run(places_alone(program, private))
    return answers if easier is None else _with_proofs(answers, easier, proved)


def _with_proofs(answers: KernelAnswers, easier: KernelAnswers, proved: Mapping[Position, Finding]) -> KernelAnswers:
    """The answers with what was proved with open conditions; of scatters to which only that run came, that is all."""
    if not isinstance(answers.stopped, LimitReached):
        return replace(answers, settled=proved)
    late = set(easier.positions) - set(answers.positions)
    questions = [one for one in easier.questions if one.instruction.position in late]
    whole = easier.stopped is None
    put = replace(answers.put, asked=(*answers.questions, *questions), stopped=None if whole else answers.stopped)
    why = Undecided(f"{OPEN_CONDITIONS}: {answers.stopped}")
    undecided = {one.instruction.position: Finding(one, why) for one in questions}
    assumed = tuple(dict.fromkeys((*answers.start.assumed, *easier.start.assumed)))
    return replace(answers, put=put, settled={**undecided, **proved}, start=replace(answers.start, assumed=assumed))


def _run(
    kernel: Runnable,
    platform: Platform,
    launch: Launch,
    assume: Assume,
    timeout_ms: int,
    unroll: int,
    floats: Floats,
    limit: Limit,
    start: Start,
    alone: PlacesAlone,
) -> KernelAnswers:
    """The questions about one run."""
    run = partial(
        trace, kernel, platform, start.initial, unroll=unroll, private_base=start.private_base, floats=floats,
        nondeterministic=True, limit=limit,
    )  # fmt: skip
    whole = None if alone.is_whole else WholeRun(partial(run, launched=launched_variables(kernel)), alone)
    ran = run(places=alone)
    ran = replace(ran, bounded=tuple(open_bounds(ran, timeout_ms, limit)))
    if DIVISION in assume and assume.of_launches and any(one.operation[:1] == (INVERSE,) for one in ran.arbitrary):
        start = replace(start, assumed=(*start.assumed, premise("float-mode"), premise("integer-division")))
    if counts(ran.performed):
        start = replace(start, assumed=(*start.assumed, COUNTED))
    start = replace(start, assumed=(*start.assumed, *full_sub_groups(kernel, ran, assume), *without_tags(ran)))
    asked = Asked(kernel, platform, ran, start, timeout_ms, alone=alone)
    items = ItemsApart(asked, launch, assume, unroll, floats, limit)
    named = (span for one in alone.left_out for span in spans_read(one))
    unmodelled = unmodelled_read(kernel, launch, ran.registers.initial_reads)
    if unmodelled is not None or (unmodelled := unmodelled_named(kernel, launch, named)) is not None:
        put: Questions[ConflictQuestion] = Questions((), unmodelled, frozenset())
        return KernelAnswers(kernel, platform, launch, start, asked, put, items, limit, whole=whole)
    if "image-extents" in assume and limits(ran):
        start = replace(start, assumed=(*start.assumed, EXTENTS))
    most_local = local_memory(kernel, launch).most
    local = local_limit(ran, most_local)
    if local is not None:
        start = replace(start, assumed=(*start.assumed, local.premise))
    arguments = tuple(items.names.words_of_arguments())
    asked = replace(asked, start=start, arguments=arguments, local=most_local)
    items = replace(items, asked=asked)
    put = put_questions(kernel, launch, asked, limit)
    # A run on random arguments has all conditions.
    samples = None if alone.opened else Samples(asked, asked.arguments, put.asked)
    return KernelAnswers(
        kernel, platform, launch, start, asked, put, items, limit, known=known_apart(put), samples=samples, whole=whole
    )
