"""Decides whether one kernel refines another: the same stores, then runs, then a solver.  A difference is a run."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from random import Random
from time import monotonic

from visaproof.engine.ladder import Answer, Fails, Holds, Impossible, Values, climb
from visaproof.engine.refinement_runs import PRIVATE, Difference, Runner, difference, unknowns
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled
from visaproof.kernel.assumptions import PRIVATE_APART, Assume, Start, start_of
from visaproof.kernel.launch import BufferAddress, BufferOffset
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
from visaproof.kernel.symbolic_run import launched_lanes, trace
from visaproof.kernel.syntax import Kernel
from visaproof.queries.refinement import (
    Question,
    Side,
    Stores,
    address_step,
    open_undefined,
    premises,
    refinement_question,
    same_at_probe,
    same_store,
    same_stores,
)
from visaproof.queries.refinement_places import Condition, conditions, is_private, located
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.state import FLAT_BITS
from visaproof.smt import BitVec, Bool, Op, Term, conj, is_false, is_true, neg, substitute, subterms, symbol, symbols_of
from visaproof.smt.evaluate import substitute_all

CUT_SIZE = 62
"""Bytes of a surface that ends inside a dword."""

GUESSES = 34
"""Runs on random and simple inputs before a solver is asked."""

EDGES = (2**32 - 1, 2**30 - 1, 2**28 - 1, 2**31 - 1, 2**29 - 1)
"""Numbers after whose multiples a 32-bit offset wraps: one input at a time is one of them in further runs."""

FLOATS = (0x3F80_0000, 0x4000_0000, 0xC040_0000)
"""1, 2 and -3: not all small integers are floats that every device treats alike."""

AUDITS = 6
"""Runs of kernels that are equal in normal form."""


@dataclass(frozen=True, slots=True)
class Refines:
    """For all inputs under the assumptions."""

    rung: str
    conditions: frozenset[Condition] = frozenset()
    """What the launch has to grant: the weakest of a list that were shown to suffice."""


@dataclass(frozen=True, slots=True)
class Vacuous:
    """The source is undefined for every input, so that anything refines it."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither was shown."""

    reason: str


Verdict = Refines | Difference | Vacuous | Unknown


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

    @property
    def conditional(self) -> bool:
        """Whether the question is asked under conditions."""
        return self.exact is not self.question


def compare(source: Program, target: Program, assume: Assume) -> Comparison:
    """The question.  Raises NotModelled, and ReadError where an input of the target has no counterpart."""
    _require_one_width(source, target)
    matching = match(source, target)
    starts = start_of(source.kernel, source.launch, assume), start_of(target.kernel, target.launch, assume)
    before_source = source_start(source.kernel, starts[0].initial)
    before = (before_source, target_start(matching, before_source, starts[1].initial))
    lanes = launched_lanes(source.kernel)
    runners: list[Runner] = []
    for name, program, start, initial in zip(("source", "target"), (source, target), starts, before, strict=True):
        pointers = _pointers(program.kernel, start, initial)
        base = next((word for word, buffer in pointers.items() if buffer == PRIVATE), None)
        ran = trace(
            program.kernel, program.platform, initial, lanes, own_predicates(name), unroll=1, generalise=False,
            private_base=base,
        )  # fmt: skip
        _require_private_known(program, ran.surfaces)
        keys = [*ran.surfaces, *(one.origin.surface for one in ran.arbitrary if one.origin is not None)]
        surfaces = {key: _surface(program, key, matching.by_meaning) for key in dict.fromkeys(keys)}
        runners.append(Runner(name, program.kernel, program.platform, ran, initial, surfaces.__getitem__, pointers))
    require_matched(target.kernel, matching, runners[1].trace.registers.initial_reads)
    exact, question = _questions(runners, lanes)
    if exact is not question:
        _require_no_buffer_offset((source, target), runners)
    assumed = _assumptions(starts[0], question, matching, runners)
    return Comparison(source, target, matching, starts[0], assumed, question, (runners[0], runners[1]), exact)


def _pointers(kernel: Kernel, start: Start, initial: Callable[[str, int], Byte]) -> dict[BitVec, str]:
    """The words in which a kernel gets addresses, and the buffers that begin there."""
    found = {linked_address(name): name for name in kernel.variables if is_linked(name)}
    for word, meaning in start.pointers.items():
        variable, _, byte = str(word.payload).rpartition(".")
        own, index = initial(variable, int(byte))
        if own.width == FLAT_BITS and not index:
            found[own] = f"argument {meaning.argument.index}" if isinstance(meaning, BufferAddress) else PRIVATE
    return found


def _questions(
    runners: Sequence[Runner], lanes: tuple[Bool, ...], expand: bool = False
) -> tuple[Question | None, Question]:
    """The question under no condition, if it can be asked, and the one to decide."""
    sides = [Side(one.name, one.platform, one.trace, one.surface) for one in runners]
    used = {one.surface(each.surface) for one in runners for each in one.trace.performed if _visible(one, each)}
    if FLAT not in used:
        question = refinement_question(sides[0], sides[1], lanes, expand)
        return question, question
    mixed = bool(used - {FLAT, SHARED_LOCAL}) or expand
    exact = None if mixed else refinement_question(sides[0], sides[1], lanes)
    return exact, refinement_question(_located(runners[0]), _located(runners[1]), lanes, expand)


def _visible(runner: Runner, performed: Performed) -> bool:
    return not all(is_private(runner.trace, performed, access) for access in performed.accesses)


def _located(runner: Runner) -> Side:
    """The kernel as one that reaches places in buffers."""
    images = (one.origin.surface for one in runner.trace.arbitrary if one.origin is not None)
    names = {key: runner.surface(key) for key in (*runner.trace.surfaces, *images)}
    pointers = {word: buffer for word, buffer in runner.pointers.items() if buffer != PRIVATE}
    found = located(runner.trace, pointers, names, SHARED_LOCAL)
    return Side(runner.name, runner.platform, found.trace, lambda key: names.get(key, key), pointers, found.offsets)


def _require_one_width(source: Program, target: Program) -> None:
    widths = [len(launched_lanes(program.kernel)) for program in (source, target)]
    if widths[0] != widths[1]:
        raise NotModelled(f"kernels of different SIMD widths: {widths[0]} and {widths[1]} lanes")


def _require_no_buffer_offset(programs: Iterable[Program], runners: Iterable[Runner]) -> None:
    """A surface that begins before its buffer is not yet placed among the addresses."""
    for program, runner in zip(programs, runners, strict=True):
        for variable, byte in runner.trace.registers.initial_reads:
            for piece in program.launch.pieces(variable):
                inside = piece.offset <= byte < piece.offset + piece.size
                if inside and isinstance(piece.meaning, BufferOffset):
                    raise NotModelled(f"{program.kernel.path}: {piece.meaning} beside addresses")


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
    surfaces = [surface for surface in question.surfaces if surface != SHARED_LOCAL]
    if len(surfaces) > 1:
        found.append(f"the surfaces {', '.join(surfaces)} share no byte")
    if any(surface != FLAT for surface in question.surfaces):
        found.append("surfaces have at most 4 GiB")
    if matching.extra:
        found.append("inputs that only the target gets may hold anything")
    if any(name.startswith("result.") for name in _symbols(question)):
        found.append("a result on floats depends on the operands, their types and %cr0 alone")
    if any(one.origin is not None for runner in runners for one in runner.trace.arbitrary):
        found.append("a read through the sampler depends on the image, the sampler and the coordinates alone")
    effects = question.source, question.target
    atomics, barriers = any(one.atomics for one in effects), any(one.barriers for one in effects)
    but = " but by atomics" * atomics + " and" * (atomics and barriers) + " between two barriers" * barriers
    found.append(f"no other thread writes what this one reads or writes while it runs{but}")
    return tuple(found)


# ---------------------------------------------------------------- deciding


def decide(comparison: Comparison, timeout_ms: int) -> Verdict:
    """Whether the target refines the source."""
    if comparison.conditional and comparison.exact is not None and _same(comparison.exact):
        _audit(comparison)
        return Refines("the same stores in normal form")
    if _same(comparison.question):
        _audit(comparison)
        return _granted(comparison, comparison.question, "the same stores in normal form")
    _, second = _questions(comparison.runners, comparison.question.lanes, expand=True)
    if _same(second):
        _audit(comparison)
        return _granted(comparison, second, "the same stores in the second normal form")
    verdict = _decide(comparison, second, timeout_ms)
    return _granted(comparison, second, verdict.rung) if isinstance(verdict, Refines) else verdict


def _granted(comparison: Comparison, question: Question, rung: str) -> Refines:
    """The verdict with the conditions that it needs."""
    source, target = question.source.reaches, question.target.reaches
    return Refines(rung, conditions(source, target) if comparison.conditional else frozenset())


def _same(question: Question) -> bool:
    stores = all(same_stores(*_stores(question, one)) for one in question.surfaces)
    return stores and is_false(open_undefined(question))


def _decide(comparison: Comparison, second: Question, timeout_ms: int) -> Verdict:
    question = comparison.question
    open_surfaces = [one for one in question.surfaces if not same_stores(*_stores(question, one))]
    remaining = open_undefined(question)
    reason = _source_choices(question)
    found = None if reason else _guessed(comparison, GUESSES)
    if found is not None:
        return _smaller(comparison, found)
    if _one_by_one(second, open_surfaces, timeout_ms):
        return Refines("store by store")
    goals = [same_at_probe(question, surface) for surface in open_surfaces]
    match _climbed(question, conj(neg(remaining), *goals), timeout_ms):
        case Holds(rung):
            return Refines(rung)
        case Impossible():
            return Vacuous()
        case Fails(values):
            return Unknown(f"they differ on terms; {reason}") if reason else _confirmed(comparison, values)
        case gave_up:
            return Unknown(gave_up.reason)


def _confirmed(comparison: Comparison, values: Values) -> Verdict:
    try:
        found = difference(*comparison.runners, comparison.question, values, lambda: 0)
    except NotModelled as stopped:
        return Unknown(f"they differ on terms, but the kernels cannot be run on these inputs: {stopped}")
    return found or Unknown("they differ on terms, but a run of both does not confirm it")


def _audit(comparison: Comparison) -> None:
    """A few runs of kernels that are said to be equal: they would show a rule of the normal form that is wrong."""
    if _source_choices(comparison.question):
        return
    found = _guessed(comparison, AUDITS)
    if found is not None:
        raise AssertionError(f"the normal form says that the kernels are equal, but runs differ for {found.values}")


def _one_by_one(question: Question, surfaces: Sequence[str], timeout_ms: int) -> bool:
    """Whether each store of the target is the source's in the same place: many small questions, not a large one."""
    known: dict[Term, Term] = {}
    end = monotonic() + timeout_ms / 1000
    for surface in surfaces:
        source, target = _stores(question, surface)
        if len(source) != len(target):
            return False
        for one, other in zip(source, target, strict=True):
            step = address_step(one, other)
            if monotonic() > end:
                return False
            if not _holds(question, step.goal, timeout_ms):
                return False
            if step.target is not step.source:
                known[step.target] = step.source
            if not _holds(question, same_store(one, other, known), timeout_ms):
                return False
    return isinstance(_climbed(question, neg(open_undefined(question)), timeout_ms), Holds)


def _holds(question: Question, goal: Bool, timeout_ms: int) -> bool:
    """Whether it holds for every input, also where the source is undefined."""
    return is_true(goal) or isinstance(_uncut(tuple(question.memory.facts((goal,))), goal, timeout_ms), Holds)


def _climbed(question: Question, goal: Bool, timeout_ms: int) -> Answer:
    """The answer of the ladder where the source is defined."""
    return _uncut(premises(question, goal), goal, timeout_ms)


def _uncut(assumed: tuple[Bool, ...], goal: Bool, timeout_ms: int) -> Answer:
    """The answer of the ladder, at first with each product of unknowns as an unknown of its own."""
    cut: dict[Term, Term] = {
        term: symbol(f"product.{term.serial}", term.width) for term in subterms(*assumed, goal) if term.op is Op.MUL
    }
    if cut:
        answer = climb(tuple(substitute_all(assumed, cut)), substitute(goal, cut), timeout_ms)
        if isinstance(answer, Holds):
            return answer
    return climb(assumed, goal, timeout_ms)


def _stores(question: Question, surface: str) -> tuple[Stores, Stores]:
    return question.source.stores.get(surface, ()), question.target.stores.get(surface, ())


def _source_choices(question: Question) -> str:
    """Why a difference would prove nothing: the source may do something else for the same inputs."""
    effects = question.source
    if effects.barriers:
        return "what other threads do between barriers is left open"
    if effects.atomics:
        return "the order of the source's atomics is left open"
    terms: list[Term] = [*effects.undefined]
    for stores in effects.stores.values():
        terms += [term for store in stores for term in (store.guard, store.cell, store.value)]
    terms += question.memory.definitions.values()
    for term in subterms(*terms):
        if isinstance(term.payload, str) and term.payload.startswith("source:"):
            return f"the source depends on what nothing wrote ({term.payload.removeprefix('source:')})"
    return ""


# ---------------------------------------------------------------- guesses


def _guessed(comparison: Comparison, count: int) -> Difference | None:
    """A difference for seeded random inputs, or for simple ones."""
    symbols = unknowns(comparison.question, comparison.runners)
    random = Random(0)
    edges = _at_edges(symbols) if count > AUDITS else ()
    for values in chain(islice(_candidates(symbols, random), count), edges):
        try:
            found = difference(*comparison.runners, comparison.question, values, lambda: random.getrandbits(8))
        except NotModelled:  # for these inputs, as floats that are not numbers
            continue
        if found is not None:
            return found
    return None


def _candidates(symbols: Sequence[Term], random: Random) -> Iterator[Values]:
    for bits, size in product((3, 16, 2, 4, 8, 32), (1 << 32, 64)):
        for _ in range(2):
            yield {one: _value(one, random.getrandbits(bits), random.getrandbits(1), size) for one in symbols}
    for _ in range(4):
        yield {one: _value(one, random.choice(FLOATS), random.getrandbits(1), 1 << 32) for one in symbols}
    for word, size in product((0, 1, 2), (1 << 32, CUT_SIZE)):
        yield {one: _value(one, word, 1, size) for one in symbols}


def _at_edges(symbols: Sequence[Term]) -> Iterator[Values]:
    """One input is large, all others are 0."""
    for edge in EDGES:
        for large in symbols:
            if large.width >= 32 and _is_input(large) and not str(large.payload).startswith("size."):
                yield {one: _value(one, edge if one is large else 0, 1, 1 << 32) for one in symbols}


def _value(one: Term, word: int, flag: int, size: int) -> int:
    if one.width == 0:
        return flag
    return size if str(one.payload).startswith("size.") else word % (1 << one.width)


def _smaller(comparison: Comparison, found: Difference) -> Difference:
    """The same with fewer lanes and more zeros, as far as runs confirm it."""
    for one in [term for term, value in found.values.items() if value and _is_input(term)]:
        values = {term: value for term, value in found.values.items() if term is not one}
        try:
            smaller = difference(*comparison.runners, comparison.question, _inputs(values) | {one: 0}, lambda: 1)
        except NotModelled:
            continue
        found = smaller or found
    return found


def _inputs(values: Values) -> Values:
    return {term: value for term, value in values.items() if _is_input(term)}


def _is_input(term: Term) -> bool:
    return not str(term.payload).startswith(("memory.", "loaded.", "result.", "probe."))
