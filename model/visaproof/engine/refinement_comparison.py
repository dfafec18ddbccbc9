"""Two kernels that can be compared: inputs matched, both run on terms, and what the answer will rest on."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from visaproof.engine.buffer_offsets import NO_BUFFER_OFFSET, places_a_surface, without_buffer_offset
from visaproof.engine.refinement_lanes import lanes_needed
from visaproof.engine.refinement_memory import PRIVATE
from visaproof.engine.refinement_runner import Runner
from visaproof.engine.thread_group import AnyRunner, ThreadGroup, group_of
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled
from visaproof.kernel.assumptions import PRIVATE_APART, Assume, Start, start_of
from visaproof.kernel.float_results import IEEE_ASSUMED, Floats, ieee_start
from visaproof.kernel.launch import BufferAddress
from visaproof.kernel.matching import (
    SHARED_LOCAL,
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
from visaproof.kernel.observed import Observed, is_register, observed_registers
from visaproof.kernel.symbolic_machine import Performed
from visaproof.kernel.symbolic_run import DEFAULT_UNROLL, launched_lanes, trace
from visaproof.kernel.syntax import Kernel
from visaproof.kernel.thread_group import (
    THREAD_NUMBER,
    UNMATCHED,
    Split,
    Starts,
    matched_inputs,
    narrow_start,
    split_of,
    thread_name,
    wide_start,
)
from visaproof.queries.refinement import Question, refinement_question, require_comparable
from visaproof.queries.refinement_effects import Effects
from visaproof.queries.refinement_places import ALIGNMENT, is_private, located
from visaproof.queries.refinement_side import Side, itself
from visaproof.queries.refinement_stores import Stores
from visaproof.queries.refinement_turns import in_turns
from visaproof.queries.refinement_undefined import FORBIDDEN, UndefinedKind, unusual
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.state import FLAT_BITS
from visaproof.smt import BitVec, Bool, Term, symbols_of, true

NO_CHOICES: Mapping[Term, Term] = {}

FUNCTIONS = "a result on floats depends on the operands, their types and %cr0 alone"
"""Of results of which nothing else is known."""


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
    by_address = any(FLAT in _used(one) for one in runners)
    alone = runners[0] if not on and by_address and isinstance(runners[0], Runner) and split is None else None
    if alone is not None and (needed := lanes_needed(alone, lanes)):
        return compare(source, target, assume, forbidden, no_buffer_offset, unroll, frozenset(needed), floats, observe)
    unasked: NotModelled | None = None
    try:
        exact, question = questions(runners, lanes, forbidden)
    except NotModelled as reason:
        exact, question, unasked = *_of_the_source(runners, lanes, forbidden), reason
    if not no_buffer_offset and places_a_surface((source, target), runners, exact is not question):
        return compare(source, target, assume, forbidden, True, unroll, on, floats, observe)
    start = starts[0] if split is None or split.source_is_wide else starts[1]
    assumed = _assumptions(start, question, matching, runners) + (NO_BUFFER_OFFSET,) * no_buffer_offset
    assumed += (IEEE_ASSUMED if floats is Floats.IEEE else ()) + tuple(unusual(forbidden))
    assumed += (_lanes_on(launched_lanes(source.kernel), on),) * bool(on)
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


def _lanes_on(lanes: Sequence[Bool], on: frozenset[Bool]) -> str:
    places = [str(place) for place, lane in enumerate(lanes) if lane in on]
    which = f"lane {places[0]} is" if len(places) == 1 else f"lanes {', '.join(places)} are"
    return f"{which} on, as else the source may leave buffers of at most 2 GiB: its address is what nothing wrote"


def _pointers(kernel: Kernel, start: Start, initial: Callable[[str, int], Byte]) -> dict[BitVec, str]:
    """The words in which a kernel gets addresses, and the buffers that begin there."""
    found = {linked_address(name): name for name in kernel.variables if is_linked(name)}
    for word, meaning in start.pointers.items():
        variable, _, byte = str(word.payload).rpartition(".")
        own, index = initial(variable, int(byte))
        if own.width == FLAT_BITS and not index:
            found[own] = f"argument {meaning.argument.index}" if isinstance(meaning, BufferAddress) else PRIVATE
    return found


def questions(
    runners: Sequence[AnyRunner],
    lanes: tuple[Bool, ...],
    forbidden: frozenset[UndefinedKind],
    expand: bool = False,
    choices: Mapping[Term, Term] = NO_CHOICES,
) -> tuple[Question | None, Question]:
    """The question under no condition, if it can be asked, and the one to decide; `choices` are what is arbitrary."""
    sides = [replace(_as_it_is(one), choices=choices) for one in runners]
    used = {surface for one in runners for surface in _used(one)}
    several = any(one.threads for one in runners)
    if FLAT not in used:
        if several:
            sides = in_turns(sides[0], sides[1], _narrow(runners))
        question = refinement_question(sides[0], sides[1], lanes, expand, forbidden)
        return question, question
    # threads would race on buffers that may lie anywhere
    mixed = bool(used - {FLAT, SHARED_LOCAL}) or expand or several
    exact = None if mixed else refinement_question(sides[0], sides[1], lanes, forbidden=forbidden)
    sides = [_located(one) for one in runners]
    if several:
        sides = list(in_turns(sides[0], sides[1], _narrow(runners)))
    sides = [replace(one, choices=choices) for one in sides]
    return exact, refinement_question(sides[0], sides[1], lanes, expand, forbidden)


def _narrow(runners: Sequence[AnyRunner]) -> int:
    """Lanes of a thread of the kernel that has several."""
    return next(runner.split.narrow for runner in runners if isinstance(runner, ThreadGroup))


def _of_the_source(
    runners: Sequence[AnyRunner], lanes: tuple[Bool, ...], forbidden: frozenset[UndefinedKind]
) -> tuple[Question | None, Question]:
    """A question of the source alone, with all surfaces that either reaches.  Raises NotModelled."""
    for runner in runners:
        require_comparable(_as_it_is(runner))
    used = [_used(one) for one in runners]
    by_address = FLAT in used[0] | used[1]
    side = _located(runners[0]) if by_address else _as_it_is(runners[0])
    question = refinement_question(side, side, lanes, forbidden=forbidden)
    others: dict[str, Stores] = dict.fromkeys(sorted((used[0] | used[1]) - {FLAT}), ())
    others |= {one.surface: () for one in runners[0].observed}
    question = replace(question, target=Effects(others, {}, question.source.reaches), bounded=())
    return None if by_address else question, question


def _as_it_is(runner: AnyRunner) -> Side:
    private = {word: buffer for word, buffer in runner.pointers.items() if buffer == PRIVATE}
    return Side(
        runner.name,
        runner.platform,
        runner.trace,
        runner.surface,
        private,
        threads=runner.threads,
        observed=runner.observed,
    )


def _used(runner: AnyRunner) -> set[str]:
    return {runner.surface(each.surface) for each in runner.trace.performed if _visible(runner, each)}


def _visible(runner: AnyRunner, performed: Performed) -> bool:
    return not all(is_private(runner.trace, performed, access) for access in performed.accesses)


def _located(runner: AnyRunner) -> Side:
    """The kernel as one that reaches places in buffers."""
    images = (one.origin.surface for one in runner.trace.arbitrary if one.origin is not None)
    names = {key: runner.surface(key) for key in (*runner.trace.surfaces, *images)}
    pointers = {word: buffer for word, buffer in runner.pointers.items() if buffer != PRIVATE}
    found = located(runner.trace, pointers, names, SHARED_LOCAL)
    surface = partial(_name, names)
    return Side(
        runner.name, runner.platform, found.trace, surface, runner.pointers, found.offsets, runner.threads,
        runner.observed,
    )  # fmt: skip


def _name(names: Mapping[str, str], key: str) -> str:
    return names.get(key, key)


def _surface(program: Program, key: str, by_meaning: bool) -> str:
    name = surface_of(program, key, by_meaning)
    if name is None:
        raise NotModelled(f"{program.kernel.path}: surface {key!r}, of which it is not known which argument it is")
    return name


def _require_private_known(program: Program, surfaces: Iterable[str]) -> None:
    """Private memory cannot be seen from outside, and stands among the other addresses."""
    if FLAT in surfaces and not any(program.launch.pieces(item.variable) for item in program.kernel.inputs):
        raise NotModelled(f"{program.kernel.path}: addresses that may be those of private memory: `--launch` says it")


def _symbols(question: Question) -> Iterator[str]:
    for effects in (question.source, question.target):
        for stores in effects.stores.values():
            terms = [term for store in stores for term in (store.guard, store.cell, store.value)]
            yield from (str(one.payload) for one in symbols_of(*terms))


def _assumptions(start: Start, question: Question, matching: Matching, runners: Sequence[AnyRunner]) -> tuple[str, ...]:
    found = list(start.assumed)
    if PRIVATE_APART not in found and any(PRIVATE in one.pointers.values() for one in runners):
        found.append(PRIVATE_APART)
    if any(PRIVATE in one.pointers.values() for one in runners):
        found.append(f"private memory begins at a multiple of {ALIGNMENT}")
    surfaces = [name for name in dict.fromkeys(map(itself, question.surfaces)) if _is_memory(name)]
    if len(surfaces) > 1:
        found.append(f"the surfaces {', '.join(surfaces)} share no byte")
    if any(itself(surface) != FLAT and not is_register(surface) for surface in question.surfaces):
        found.append("surfaces have at most 4 GiB")
    if matching.extra:
        found.append("inputs that only the target gets may hold anything")
    if any(name.startswith("result.") for name in _symbols(question)):
        found.append(FUNCTIONS)
    if any(one.origin is not None for runner in runners for one in runner.trace.arbitrary):
        found.append("a read through the sampler depends on the image, the sampler and the coordinates alone")
    effects = question.source, question.target
    found += _of_groups(runners)
    atomics, barriers = any(one.atomics for one in effects), any(one.barriers for one in effects)
    if question.disturbed:
        found.append("every thread of the group gets to the barriers that only the target has")
        found.append("other threads may write, between any two messages, what this one reads or writes")
        return tuple(found)
    but = " but by atomics" * atomics + " and" * (atomics and barriers) + " between two barriers" * barriers
    several = any(runner.threads for runner in runners)
    who = "what these read or write while they run" if several else "what this one reads or writes while it runs"
    found.append(f"no other thread writes {who}{but}")
    return tuple(found)


def _is_memory(surface: str) -> bool:
    """Whether it is neither shared local memory nor a register."""
    return surface != SHARED_LOCAL and not is_register(surface)


def _of_groups(runners: Sequence[AnyRunner]) -> Iterator[str]:
    """What is assumed where several threads of one kernel make up one of the other."""
    if not any(runner.threads for runner in runners):
        return
    yield "a thread of which no lane is on is not launched; the others may run in any order, and at once"
    words = [str(word.payload) for word in symbols_of(*(each for one in runners for each in one.start_words()))]
    if THREAD_NUMBER in words:
        yield "the threads of a group are numbered in the order of their lanes"
    unlike = sorted({word.rpartition(":")[2] for word in words if word.startswith(UNMATCHED)})
    if unlike:
        yield f"each thread may find anything in {', '.join(unlike)}, whatever the others do"
