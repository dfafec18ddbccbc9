"""Two kernels that can be compared: inputs matched, both run on terms, and what the answer will rest on."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from visaproof.engine.buffer_offsets import NO_BUFFER_OFFSET, places_a_surface, without_buffer_offset
from visaproof.engine.refinement_assumed import assumptions, lanes_on
from visaproof.engine.refinement_lanes import lanes_needed
from visaproof.engine.refinement_memory import PRIVATE
from visaproof.engine.refinement_questions import of_the_source, questions, used_surfaces
from visaproof.engine.refinement_runner import Runner
from visaproof.engine.thread_group import AnyRunner, group_of
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled
from visaproof.kernel.assumptions import Assume, Start, start_of
from visaproof.kernel.float_results import IEEE_ASSUMED, Floats, ieee_start
from visaproof.kernel.launch import BufferAddress
from visaproof.kernel.matching import (
    Matching,
    Program,
    is_linked,
    linked_address,
    match,
    own_predicates,
    require_matched,
    source_start,
    surface_of,
    target_start,
)
from visaproof.kernel.observed import Observed, observed_registers
from visaproof.kernel.symbolic_run import DEFAULT_UNROLL, launched_lanes, trace
from visaproof.kernel.syntax import Kernel
from visaproof.kernel.thread_group import (
    Split,
    Starts,
    matched_inputs,
    narrow_start,
    split_of,
    thread_name,
    wide_start,
)
from visaproof.queries.refinement import Question
from visaproof.queries.refinement_undefined import FORBIDDEN, UndefinedKind, unusual
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.state import FLAT_BITS
from visaproof.smt import BitVec, Bool, true


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two kernels that can be compared, and on what the answer will rest."""

    source: Program
    target: Program
    matching: Matching
    start: Start
    assumed: tuple[str, ...]
    question: Question
    """Where addresses are used, of places in buffers, under conditions."""
    runners: tuple[AnyRunner, AnyRunner]
    exact: Question | None
    """The question under no condition; None where that is not asked: memory is reached by address and by surface as
    well, or by several threads."""
    floats: Floats = Floats.UNINTERPRETED
    """What results on floats are taken for."""
    open: NotModelled | None = None
    """Why nothing can be proved of the target: then the question is only about the source, for runs of both."""
    split: Split | None = None
    """Which threads run the lanes of which, where the kernels have different SIMD widths."""

    @property
    def on_floats(self) -> bool:
        """Whether a kernel computes with floats, as far as that is known."""
        return self.floats is Floats.IEEE or self.uninterpreted

    @property
    def uninterpreted(self) -> bool:
        """Whether a kernel computes with floats of which nothing is known."""
        values = (one for runner in self.runners for one in runner.trace.arbitrary if one.operands and not one.origin)
        open_floats = any(source.type.floating for one in values for source in one.operands or ())
        return self.floats is Floats.UNINTERPRETED and open_floats

    @property
    def conditional(self) -> bool:
        """Whether the question is asked under conditions."""
        return self.exact is not self.question


def compare(
    source: Program,
    target: Program,
    assume: Assume,
    forbidden: frozenset[UndefinedKind] = FORBIDDEN,
    no_buffer_offset: bool = False,
    unroll: int = DEFAULT_UNROLL,
    on: frozenset[Bool] = frozenset(),
    floats: Floats = Floats.UNINTERPRETED,
    observe: Sequence[tuple[str, str]] = (),
) -> Comparison:
    """The question, in which what is not `forbidden` has a meaning.

    Loops whose rounds are not constant are run `unroll` rounds; of longer runs nothing is asked.

    Raises NotModelled, and ReadError where an input of the target has no counterpart.  `no_buffer_offset` has every
    surface begin where its buffer does, `on` are lanes that are on.  Both are assumed only where they have to be.
    `observe` names registers of the source and of the target that have to be equal at the end.
    """
    split = split_of(source, target)
    observed = observed_registers(source.kernel, target.kernel, observe)
    if split is not None and observed:
        raise NotModelled("registers at the end of kernels of different SIMD widths")
    matching = match(source, target) if split is None else matched_inputs(source, target, split)
    starts = start_of(source.kernel, source.launch, assume), start_of(target.kernel, target.launch, assume)
    wide = target if split is not None and not split.source_is_wide else source
    lanes = tuple(true() if lane in on else lane for lane in launched_lanes(wide.kernel))
    if split is None:
        runners = _one_to_one((source, target), matching, starts, lanes, no_buffer_offset, unroll, observed, floats)
    else:
        races_forbidden = UndefinedKind.RACE in forbidden
        runners = _one_to_several((source, target), matching, starts, split, no_buffer_offset, races_forbidden, floats)
    require_matched(target.kernel, matching, runners[1].trace.registers.initial_reads)
    by_address = any(FLAT in used_surfaces(one) for one in runners)
    alone = runners[0] if not on and by_address and isinstance(runners[0], Runner) and split is None else None
    if alone is not None and (needed := lanes_needed(alone, lanes)):
        return compare(source, target, assume, forbidden, no_buffer_offset, unroll, frozenset(needed), floats, observe)
    unasked: NotModelled | None = None
    try:
        exact, question = questions(runners, lanes, forbidden)
    except NotModelled as reason:
        exact, question, unasked = *of_the_source(runners, lanes, forbidden), reason
    if not no_buffer_offset and places_a_surface((source, target), runners, exact is not question):
        return compare(source, target, assume, forbidden, True, unroll, on, floats, observe)
    start = starts[0] if split is None or split.source_is_wide else starts[1]
    assumed = assumptions(start, question, matching, runners) + (NO_BUFFER_OFFSET,) * no_buffer_offset
    assumed += (IEEE_ASSUMED if floats is Floats.IEEE else ()) + tuple(unusual(forbidden))
    assumed += (lanes_on(launched_lanes(source.kernel), on),) * bool(on)
    return Comparison(
        source, target, matching, start, assumed, question, (runners[0], runners[1]), exact, floats, unasked, split
    )


def _one_to_one(
    programs: tuple[Program, Program],
    matching: Matching,
    starts: tuple[Start, Start],
    lanes: Sequence[Bool],
    no_buffer_offset: bool,
    unroll: int,
    observed: tuple[Observed, ...],
    floats: Floats,
) -> tuple[Runner, Runner]:
    """Both kernels, where a thread of one runs the work items of a thread of the other."""
    source, target = programs
    before_source = source_start(source.kernel, starts[0].initial)
    before = (before_source, target_start(matching, before_source, starts[1].initial))
    if no_buffer_offset:
        before = without_buffer_offset(source, before[0]), without_buffer_offset(target, before[1])
    one = _runner("source", source, starts[0], before[0], lanes, matching.by_meaning, floats, unroll)
    other = _runner("target", target, starts[1], before[1], lanes, matching.by_meaning, floats, unroll)
    return replace(one, observed=observed), replace(other, observed=observed)


def _one_to_several(
    programs: tuple[Program, Program],
    matching: Matching,
    starts: tuple[Start, Start],
    split: Split,
    no_buffer_offset: bool,
    races_forbidden: bool,
    floats: Floats,
) -> tuple[AnyRunner, AnyRunner]:
    """Both kernels, where a thread of one runs the work items of several threads of the other."""
    wide, narrow = (0, 1) if split.source_is_wide else (1, 0)
    names = "source", "target"
    lanes = launched_lanes(programs[wide].kernel)
    extra = () if split.source_is_wide else matching.extra
    before = wide_start(programs[wide], split, names[wide], starts[wide].initial, extra)
    given = Starts(names[narrow], before, starts[narrow].initial)
    if no_buffer_offset:
        before = without_buffer_offset(programs[wide], before)
    one = _runner(names[wide], programs[wide], starts[wide], before, lanes, True, floats)
    members: list[Runner] = []
    for thread in range(split.threads):
        initial = narrow_start(programs[wide], programs[narrow], split, thread, given)
        if no_buffer_offset:
            initial = without_buffer_offset(programs[narrow], initial)
        name, own = thread_name(names[narrow], thread), lanes[split.lanes(thread)]
        prefix = f"thread {thread}:"
        members.append(_runner(name, programs[narrow], starts[narrow], initial, own, True, floats, prefix=prefix))
    for runner in (one, *members):
        if runner.trace.bounded:
            what = "a loop whose number of rounds depends on inputs, in kernels of different SIMD widths"
            raise NotModelled(what, runner.trace.bounded[0][1])
    group = group_of(members, lanes, split, races_forbidden)
    return (one, group) if split.source_is_wide else (group, one)


def _runner(
    name: str,
    program: Program,
    start: Start,
    initial: Callable[[str, int], Byte],
    lanes: Sequence[Bool],
    by_meaning: bool,
    floats: Floats,
    unroll: int = 1,
    prefix: str = "",
) -> Runner:
    """A thread run on terms.  Raises NotModelled where it is not known what it reaches."""
    if floats is Floats.IEEE:
        initial = ieee_start(initial)
    pointers = _pointers(program.kernel, start, initial)
    base = next((word for word, buffer in pointers.items() if buffer == PRIVATE), None)
    ran = trace(
        program.kernel, program.platform, initial, lanes, own_predicates(name), unroll=unroll, generalise=False,
        private_base=base, floats=floats, name=prefix,
    )  # fmt: skip
    _require_private_known(program, ran.surfaces)
    keys = [*ran.surfaces, *(one.origin.surface for one in ran.arbitrary if one.origin is not None)]
    surfaces = {key: _surface(program, key, by_meaning) for key in dict.fromkeys(keys)}
    return Runner(name, program.kernel, program.platform, ran, initial, surfaces.__getitem__, pointers)


def _pointers(kernel: Kernel, start: Start, initial: Callable[[str, int], Byte]) -> dict[BitVec, str]:
    """The words in which a kernel gets addresses, and the buffers that begin there."""
    found = {linked_address(name): name for name in kernel.variables if is_linked(name)}
    for word, meaning in start.pointers.items():
        variable, _, byte = str(word.payload).rpartition(".")
        own, index = initial(variable, int(byte))
        if own.width == FLAT_BITS and not index:
            found[own] = f"argument {meaning.argument.index}" if isinstance(meaning, BufferAddress) else PRIVATE
    return found


def _surface(program: Program, key: str, by_meaning: bool) -> str:
    name = surface_of(program, key, by_meaning)
    if name is None:
        raise NotModelled(f"{program.kernel.path}: surface {key!r}, of which it is not known which argument it is")
    return name


def _require_private_known(program: Program, surfaces: Iterable[str]) -> None:
    """Private memory cannot be seen from outside, and stands among the other addresses."""
    if FLAT in surfaces and not any(program.launch.pieces(item.variable) for item in program.kernel.inputs):
        raise NotModelled(f"{program.kernel.path}: addresses that may be those of private memory: `--launch` says it")
