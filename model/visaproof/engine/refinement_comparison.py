"""Two kernels that can be compared: inputs matched, both run on terms, and what the answer will rest on."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from visaproof.engine.buffer_offsets import NO_BUFFER_OFFSET, places_a_surface, without_buffer_offset
from visaproof.engine.refinement_lanes import lanes_needed
from visaproof.engine.refinement_memory import PRIVATE
from visaproof.engine.refinement_runner import Runner
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
from visaproof.kernel.symbolic_machine import Performed
from visaproof.kernel.symbolic_run import DEFAULT_UNROLL, launched_lanes, trace
from visaproof.kernel.syntax import Kernel
from visaproof.queries.refinement import Question, refinement_question, require_comparable
from visaproof.queries.refinement_effects import Effects, Side, itself
from visaproof.queries.refinement_places import ALIGNMENT, is_private, located
from visaproof.queries.refinement_stores import Stores
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
    runners: tuple[Runner, Runner]
    exact: Question | None
    """The question under no condition; None where memory is reached by address and by surface as well."""
    floats: Floats = Floats.UNINTERPRETED
    """What results on floats are taken for."""
    open: NotModelled | None = None
    """Why nothing can be proved of the target: then the question is only about the source, for runs of both."""

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
) -> Comparison:
    """The question, in which what is not `forbidden` has a meaning.

    Loops whose rounds are not constant are run `unroll` rounds; of longer runs nothing is asked.

    Raises NotModelled, and ReadError where an input of the target has no counterpart.  `no_buffer_offset` has every
    surface begin where its buffer does, `on` are lanes that are on.  Both are assumed only where they have to be.
    """
    _require_one_width(source, target)
    matching = match(source, target)
    starts = start_of(source.kernel, source.launch, assume), start_of(target.kernel, target.launch, assume)
    before_source = source_start(source.kernel, starts[0].initial)
    before = (before_source, target_start(matching, before_source, starts[1].initial))
    if no_buffer_offset:
        before = without_buffer_offset(source, before[0]), without_buffer_offset(target, before[1])
    if floats is Floats.IEEE:
        before = ieee_start(before[0]), ieee_start(before[1])
    lanes = tuple(true() if lane in on else lane for lane in launched_lanes(source.kernel))
    runners: list[Runner] = []
    for name, program, start, initial in zip(("source", "target"), (source, target), starts, before, strict=True):
        pointers = _pointers(program.kernel, start, initial)
        base = next((word for word, buffer in pointers.items() if buffer == PRIVATE), None)
        ran = trace(
            program.kernel, program.platform, initial, lanes, own_predicates(name), unroll=unroll,
            generalise=False, private_base=base, floats=floats,
        )  # fmt: skip
        _require_private_known(program, ran.surfaces)
        keys = [*ran.surfaces, *(one.origin.surface for one in ran.arbitrary if one.origin is not None)]
        surfaces = {key: _surface(program, key, matching.by_meaning) for key in dict.fromkeys(keys)}
        runners.append(Runner(name, program.kernel, program.platform, ran, initial, surfaces.__getitem__, pointers))
    require_matched(target.kernel, matching, runners[1].trace.registers.initial_reads)
    by_address = any(FLAT in _used(one) for one in runners)
    if not on and by_address and (needed := lanes_needed(runners[0], lanes)):
        return compare(source, target, assume, forbidden, no_buffer_offset, unroll, frozenset(needed), floats)
    unasked: NotModelled | None = None
    try:
        exact, question = questions(runners, lanes, forbidden)
    except NotModelled as reason:
        exact, question, unasked = *_of_the_source(runners, lanes, forbidden), reason
    if not no_buffer_offset and places_a_surface((source, target), runners, exact is not question):
        return compare(source, target, assume, forbidden, True, unroll, on, floats)
    assumed = _assumptions(starts[0], question, matching, runners) + (NO_BUFFER_OFFSET,) * no_buffer_offset
    assumed += (IEEE_ASSUMED if floats is Floats.IEEE else ()) + tuple(unusual(forbidden))
    assumed += (_lanes_on(launched_lanes(source.kernel), on),) * bool(on)
    both = (runners[0], runners[1])
    return Comparison(source, target, matching, starts[0], assumed, question, both, exact, floats, unasked)


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
    runners: Sequence[Runner],
    lanes: tuple[Bool, ...],
    forbidden: frozenset[UndefinedKind],
    expand: bool = False,
    choices: Mapping[Term, Term] = NO_CHOICES,
) -> tuple[Question | None, Question]:
    """The question under no condition, if it can be asked, and the one to decide; `choices` are what is arbitrary."""
    sides = [replace(_as_it_is(one), choices=choices) for one in runners]
    used = {surface for one in runners for surface in _used(one)}
    if FLAT not in used:
        question = refinement_question(sides[0], sides[1], lanes, expand, forbidden)
        return question, question
    mixed = bool(used - {FLAT, SHARED_LOCAL}) or expand
    exact = None if mixed else refinement_question(sides[0], sides[1], lanes, forbidden=forbidden)
    places = [replace(_located(one), choices=choices) for one in runners]
    return exact, refinement_question(places[0], places[1], lanes, expand, forbidden)


def _of_the_source(
    runners: Sequence[Runner], lanes: tuple[Bool, ...], forbidden: frozenset[UndefinedKind]
) -> tuple[Question | None, Question]:
    """A question of the source alone, with all surfaces that either reaches.  Raises NotModelled."""
    for runner in runners:
        require_comparable(_as_it_is(runner))
    used = [_used(one) for one in runners]
    by_address = FLAT in used[0] | used[1]
    side = _located(runners[0]) if by_address else _as_it_is(runners[0])
    question = refinement_question(side, side, lanes, forbidden=forbidden)
    others: dict[str, Stores] = dict.fromkeys(sorted((used[0] | used[1]) - {FLAT}), ())
    question = replace(question, target=Effects(others, {}, question.source.reaches), bounded=())
    return None if by_address else question, question


def _as_it_is(runner: Runner) -> Side:
    private = {word: buffer for word, buffer in runner.pointers.items() if buffer == PRIVATE}
    return Side(runner.name, runner.platform, runner.trace, runner.surface, private)


def _used(runner: Runner) -> set[str]:
    return {runner.surface(each.surface) for each in runner.trace.performed if _visible(runner, each)}


def _visible(runner: Runner, performed: Performed) -> bool:
    return not all(is_private(runner.trace, performed, access) for access in performed.accesses)


def _located(runner: Runner) -> Side:
    """The kernel as one that reaches places in buffers."""
    images = (one.origin.surface for one in runner.trace.arbitrary if one.origin is not None)
    names = {key: runner.surface(key) for key in (*runner.trace.surfaces, *images)}
    pointers = {word: buffer for word, buffer in runner.pointers.items() if buffer != PRIVATE}
    found = located(runner.trace, pointers, names, SHARED_LOCAL)
    surface = partial(_name, names)
    return Side(runner.name, runner.platform, found.trace, surface, runner.pointers, found.offsets)


def _name(names: Mapping[str, str], key: str) -> str:
    return names.get(key, key)


def _require_one_width(source: Program, target: Program) -> None:
    widths = [len(launched_lanes(program.kernel)) for program in (source, target)]
    if widths[0] != widths[1]:
        raise NotModelled(f"kernels of different SIMD widths: {widths[0]} and {widths[1]} lanes")


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


def _assumptions(start: Start, question: Question, matching: Matching, runners: Iterable[Runner]) -> tuple[str, ...]:
    found = list(start.assumed)
    if PRIVATE_APART not in found and any(PRIVATE in one.pointers.values() for one in runners):
        found.append(PRIVATE_APART)
    if any(PRIVATE in one.pointers.values() for one in runners):
        found.append(f"private memory begins at a multiple of {ALIGNMENT}")
    surfaces = [name for name in dict.fromkeys(map(itself, question.surfaces)) if name != SHARED_LOCAL]
    if len(surfaces) > 1:
        found.append(f"the surfaces {', '.join(surfaces)} share no byte")
    if any(itself(surface) != FLAT for surface in question.surfaces):
        found.append("surfaces have at most 4 GiB")
    if matching.extra:
        found.append("inputs that only the target gets may hold anything")
    if any(name.startswith("result.") for name in _symbols(question)):
        found.append(FUNCTIONS)
    if any(one.origin is not None for runner in runners for one in runner.trace.arbitrary):
        found.append("a read through the sampler depends on the image, the sampler and the coordinates alone")
    effects = question.source, question.target
    atomics, barriers = any(one.atomics for one in effects), any(one.barriers for one in effects)
    if question.disturbed:
        found.append("every thread of the group gets to the barriers that only the target has")
        found.append("other threads may write, between any two messages, what this one reads or writes")
        return tuple(found)
    but = " but by atomics" * atomics + " and" * (atomics and barriers) + " between two barriers" * barriers
    found.append(f"no other thread writes what this one reads or writes while it runs{but}")
    return tuple(found)
