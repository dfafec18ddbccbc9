"""Two kernels that can be compared: inputs matched, both run symbolically, and what the answer will rest on."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from visaproof.analysis.private_slots import in_all_slots, slot_of
from visaproof.analysis.tables import common_tables, may_be_written, taken_as_one, unlike_tables
from visaproof.checking.stages import Values
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.launch.assume import EITHER_ORDER
from visaproof.launch.assumptions import Assume, Start, start_of
from visaproof.launch.float_results import IEEE_ASSUMED, Floats
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.launch.local_memory import LocalMemory, local_memory
from visaproof.launch.matching import Matching, Program, match, require_matched
from visaproof.launch.premises import Premise
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.relations import with_relations
from visaproof.launch.unmodelled_inputs import unmodelled_read
from visaproof.program.flow import has_loops
from visaproof.queries.kernels.constant_data import Tables
from visaproof.queries.kernels.undefined import unusual
from visaproof.refinement.assumed import assumptions, beside, unlike
from visaproof.refinement.effects.question import Launched, Question
from visaproof.refinement.effects.sharing import NOTHING_SHARED, Sharing
from visaproof.refinement.inputs.buffer_offsets import BUFFER_OFFSETS, Begins, has_addresses, needs_buffers
from visaproof.refinement.inputs.overlap import elements_of, overlap_of
from visaproof.refinement.inputs.samplers import said_of_samplers
from visaproof.refinement.lockstep import in_step
from visaproof.refinement.observed import observed_registers
from visaproof.refinement.questions import by_address, of_the_source, questions, uses_addresses
from visaproof.refinement.same_program import is_itself
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.memory import Content
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.widths.threads import one_to_one, one_to_several, require_found
from visaproof.refinement.widths.wide_thread import Split, in_rows, matched_inputs, split_of


class Comparison(Struct, frozen=True):
    """Two kernels that can be compared, and on what the answer will rest."""

    source: Program
    target: Program
    matching: Matching
    start: Start
    assumed: tuple[Premise, ...]
    question: Question
    """Where addresses are used, of places in buffers, under conditions."""
    runners: tuple[Runner, Runner]
    exact: Question | None
    """The question under no condition; None where that is not asked: memory is reached by address and by surface as
    well, or by several threads."""
    scope: Scope
    open: NotModelled | None = None
    """Why the target cannot be compared: then the question is only about the source, for runs of both."""
    in_step: bool = False
    """Whether the question is about one iteration of each loop that stands for all, and both do the same in it."""
    split: Split | None = None
    """Which threads run the lanes of which, where the kernels have different SIMD widths."""
    sharing: Sharing = NOTHING_SHARED
    """The buffers that may overlap; the question takes all for apart."""
    unlike: tuple[str, ...] = ()
    """Why a proof on the texts does not show that the target refines the source."""
    inputs: Callable[[], Iterator[tuple[Values, Content]]] | None = None
    """Of parts of programs, inputs that are as they are given, and what memory holds; else launches are made up."""
    itself: bool = False
    """Whether a program is compared with itself, in the same registers: then one symbolic run stands for both."""

    def __repr__(self) -> str:
        return f"<Comparison: {self.source!r} → {self.target!r}>"

    @property
    def on_floats(self) -> bool:
        """Whether a kernel computes with floats, as far as that is known."""
        return self.scope.floats is Floats.IEEE or self.uninterpreted

    @property
    def uninterpreted(self) -> bool:
        """Whether a kernel computes with floats of which nothing is known."""
        values = (one for runner in self.runners for one in runner.trace.arbitrary if one.operands and not one.origin)
        open_floats = any(source.type.floating for one in values for source in one.operands or ())
        return self.scope.floats is Floats.UNINTERPRETED and open_floats

    @property
    def conditional(self) -> bool:
        """Whether the question is asked under conditions."""
        return self.exact is not self.question


def compare(source: Program, target: Program, scope: Scope, by_buffers: bool | None = None) -> Comparison:
    """The question about a source and a target, of places in surfaces or `by_buffers`, if it cannot be asked else.

    Of loops it is about one iteration that stands for all, where both kernels do the same in it, else about a few.
    Raises NotModelled, and ReadError where an input of the target has no counterpart.
    """
    if has_loops(source.code) and has_loops(target.code):
        with suppress(NotModelled, ReadError):
            return compare_iterations(source, target, replace(scope, unroll=0), by_buffers)
    return compare_iterations(source, target, scope, by_buffers)


def compare_iterations(source: Program, target: Program, scope: Scope, by_buffers: bool | None) -> Comparison:
    """The same, about iterations that go in step where none are unrolled.  Raises NotModelled where they do not.

    By default the statements say which is likely, so that kernels are seldom run symbolically in both ways.
    """
    source, target = (replace(one, launch=one.launch.of_groups(scope.groups)) for one in (source, target))
    source, target, local = with_local_sizes(source, target)
    samplers = said_of_samplers(source, target)
    source, target = replace(source, samplers=samplers[0]), replace(target, samplers=samplers[1])
    split = split_of(source, target)
    source, target, rows = in_rows(source, target, scope) if split is not None else (source, target, ())
    target = replace(target, own_tables=_own_tables(source, target, split))
    observed = observed_registers(source.kernel, target.kernel, scope.observe)
    if split is not None and observed:
        raise NotModelled("registers at the end of kernels of different SIMD widths")
    matching = match(source, target) if split is None else matched_inputs(source, target, split)
    starts = _starts(source, target, scope.assume, alike=split is None)
    start, wide = (starts[1], target) if split is not None and not split.source_is_wide else (starts[0], source)
    lanes = tuple(start.group.known_lanes(launched_lanes(wide.kernel)))
    programs = source, target
    likely = by_buffers is None and matching.by_meaning and needs_buffers(programs, any(map(has_addresses, programs)))
    begins = Begins(elements_of(source), by_buffers or likely)
    itself = is_itself(source, target, observed)
    if itself and not scope.unroll:
        raise NotModelled("one program, which need not be compared iteration by iteration")
    try:
        if split is None:
            alone = one_to_one(programs, matching, starts, lanes, scope, begins, itself)
            one = replace(alone[0], observed=observed)
            runners = one, one if itself else replace(alone[1], observed=observed)
        else:
            runners = one_to_several(programs, matching, starts, lanes, split, scope, begins)
    except NotModelled:
        if not likely:
            raise
        return compare_iterations(source, target, scope, by_buffers=False)
    by_buffers = bool(by_buffers) or likely
    if likely and not needs_buffers(programs, any(map(uses_addresses, runners))):
        return compare_iterations(source, target, scope, by_buffers=False)
    require_matched(target.kernel, matching, runners[1].trace.registers.initial_reads)
    for program, runner in zip(programs, runners, strict=True):
        _require_modelled(program, runner.trace.registers.initial_reads)
    if not by_buffers and matching.by_meaning and needs_buffers(programs, by_address(runners)):
        return compare_iterations(source, target, scope, by_buffers=True)
    start = with_relations(LaunchNames(wide.kernel, wide.launch, start), scope.where)
    tables = common_tables(programs, [runner.pointers for runner in runners])
    limited = "image-extents" not in scope.assume.lifted
    launched = Launched(lanes, start.group, tables, local, limited, either_order=EITHER_ORDER in scope.assume)
    unasked: NotModelled | None = None
    if not scope.unroll:
        require_found(runners[1])
        question = in_step(runners, launched, scope, split)
        if question is None:
            raise NotModelled("loops that do not go in step")
        exact = None if by_address(runners) else question
    else:
        try:
            require_found(runners[1])
            exact, question = questions(runners, launched, scope.forbidden)
        except NotModelled as reason:
            exact, question, unasked = *of_the_source(runners, launched, scope.forbidden), reason
    assumed = assumptions(start, question, matching, runners)
    assumed += rows
    assumed += (BUFFER_OFFSETS,) if by_buffers else ()
    assumed += IEEE_ASSUMED if scope.floats is Floats.IEEE else ()
    assumed += (*unusual(scope.forbidden), *_on_tables(programs, starts, tables), *beside(programs, runners, matching))
    overlap = overlap_of(source, matching, runners, question, scope, split)
    return Comparison(
        source, target, matching, start, assumed + overlap.assumed, question, runners, exact, scope, unasked,
        not scope.unroll, split, overlap.sharing, tuple(unlike(programs)), itself=itself,
    )  # fmt: skip


def _own_tables(source: Program, target: Program, split: Split | None) -> frozenset[str]:
    """The tables that hold something else in the target."""
    found = unlike_tables(source, target) - set(may_be_written(source, target))
    if found and split is not None:
        names = ", ".join(sorted(name.removeprefix("&") for name in found))
        raise NotModelled(f"kernels of different SIMD widths with {names}, which holds something else in the target")
    return found


def _on_tables(programs: tuple[Program, Program], starts: tuple[Start, Start], tables: Tables) -> tuple[Premise, ...]:
    """What is assumed of the tables of the other program, and of those that both have."""
    other = (one for one in starts[1].assumed if one.name == "constants-open" and one not in starts[0].assumed)
    return *other, *taken_as_one(programs, tables)


def _starts(source: Program, target: Program, assume: Assume, alike: bool) -> tuple[Start, Start]:
    """What both start with: threads `alike` have one number, for which the slots of both have room."""
    one, other = (start_of(program.kernel, program.launch, assume.of_compilers) for program in (source, target))
    slot = max(slot_of(source.launch, one), slot_of(target.launch, other))
    kernels = source.kernel, target.kernel
    return in_all_slots((one, other), slot, kernels, source.platform) if slot and alike else (one, other)


def _require_modelled(program: Program, read: Iterable[tuple[str, int]]) -> None:
    if (unmodelled := unmodelled_read(program.kernel, program.launch, read)) is not None:
        raise unmodelled


def with_local_sizes(source: Program, target: Program) -> tuple[Program, Program, LocalMemory]:
    """The programs, each with its own size where they differ, and else what is known of the size that both have.

    Where only one of them says its size, the other one is taken to have the same.
    """
    one, other = (local_memory(program.kernel, program.launch) for program in (source, target))
    if one == other or not other.said:
        return source, target, one
    if not one.said:
        return source, target, other
    return replace(source, local_bytes=one.most), replace(target, local_bytes=other.most), one
