"""Runs two kernels on the same numbers: one launch, one memory.  A difference that is seen here is one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from visaproof.engine.ladder import Values
from visaproof.engine.refinement_memory import (
    FLAT_SIZE,
    PRIVATE,
    PRIVATE_SIZE,
    Content,
    FlatContents,
    Memory,
    Modified,
    WatchedBuffer,
    base_at,
    base_symbol,
    bases_of,
    cells_of,
    elsewhere,
    extent_symbols,
    follows,
    image_of,
    memory_of,
)
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import Position
from visaproof.isa.platform import Platform
from visaproof.kernel.concrete_run import Outcome, Undefined, run
from visaproof.kernel.matching import SHARED_LOCAL
from visaproof.kernel.symbolic_run import Trace
from visaproof.kernel.syntax import GeneralVariable, Instruction, Kernel, PredicateVariable
from visaproof.queries.refinement import Question
from visaproof.queries.refinement_places import ALIGNMENT
from visaproof.queries.refinement_undefined import FORBIDDEN, UndefinedKind, kind_at
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, LaneWrite
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.state import FLAT_BITS, SymbolicBuffer, SymbolicImage
from visaproof.smt import BitVec, Bool, Term, bool_symbol, symbol, symbols_of
from visaproof.smt.evaluate import evaluate_all

SLM_OUTSIDE, UNINITIALISED = UndefinedKind.SLM_OUTSIDE, UndefinedKind.UNINITIALISED


@dataclass(frozen=True, slots=True)
class Runner:
    """One of the kernels, and what its registers hold before it starts."""

    name: str
    kernel: Kernel
    platform: Platform
    trace: Trace
    initial: Callable[[str, int], Byte]
    surface: Callable[[str], str]
    pointers: Mapping[BitVec, str] = field(default_factory=dict[BitVec, str])
    """The words that are the address of a buffer, and the buffer."""

    @property
    def images(self) -> Mapping[str, SymbolicImage]:
        """The typed surfaces, by their common names."""
        found = {self.surface(key): surface for key, surface in self.trace.surfaces.items()}
        return {name: surface for name, surface in found.items() if isinstance(surface, SymbolicImage)}

    def run(self, memory: Memory, lanes: Sequence[Bool], values: Values) -> "Ran":
        """The run, and the memory after it; raises NotModelled."""
        modified, images = Modified(), self.images
        after: dict[str, WatchedBuffer | Image] = {}
        for name, (size, contents) in memory.items():
            if name in images:
                after[name] = image_of(images[name], name, contents, values)
            else:
                after[name] = WatchedBuffer(size, dict(contents), modified=modified)
        bases = bases_of(self.pointers.values(), values)
        flat = _flat(after, bases)
        values = dict(values)
        for pointer, buffer in self.pointers.items():
            if FLAT not in after or buffer == PRIVATE:
                values[pointer] = bases[buffer]
        state = ConcreteState(self.platform, exec_mask=bits_of(lanes, values))
        for variable in self.kernel.variables.values():
            if isinstance(variable, GeneralVariable) and variable.alias is None:
                state.registers[variable.name] = bytearray(variable.size)
            elif isinstance(variable, PredicateVariable):
                own = [bool_symbol(f"{self.name}:{variable.name}[{lane}]") for lane in range(variable.num_elts)]
                state.predicates[variable.name] = PredicateBits(variable.num_elts, bits_of(own, values))
        self._fill(state.registers, values)
        for key in self.trace.surfaces:
            if key == FLAT:
                state.surfaces[key] = WatchedBuffer(FLAT_SIZE, flat, modified=modified)
            else:
                state.surfaces[key] = after[self.surface(key)]
        outcome = run(self.kernel, state, lambda statement, machine: modified.bytes.clear())
        left = _missed(outcome) if flat.left is None else flat.left
        if outcome.undefined is not None and left is None:
            left = _asked_outside(outcome, flat)
        contents = {name: (memory[name][0], _contents(surface)) for name, surface in after.items()}
        missed = (each for each in outcome.performed if each.surface == SHARED_LOCAL and each.misses)
        outside = next((each.instruction.position for each in missed), None)
        return Ran(outcome, contents, left, flat.left is not None, outside, modified.met)

    def _fill(self, registers: dict[str, bytearray], values: Values) -> None:
        """What the kernel may read before anything writes it; nothing depends on the rest."""
        places = list(self.trace.registers.initial_reads)
        terms = [self.initial(variable, byte) for variable, byte in places]
        words = list(dict.fromkeys(term for term, _ in terms))
        known = dict(zip(words, evaluate_all(words, values), strict=True))
        for (variable, byte), (term, index) in zip(places, terms, strict=True):
            registers[variable][byte] = known[term] >> 8 * index & 0xFF


def _flat(after: Mapping[str, WatchedBuffer | Image], bases: Mapping[str, int]) -> FlatContents:
    """What lies at 64-bit addresses: all there is, or the buffers and private memory."""
    flat = FlatContents([(bases.get(PRIVATE, base_at(PRIVATE)), PRIVATE_SIZE, {})])
    if isinstance(whole := after.get(FLAT), Buffer):
        flat.windows.append((0, FLAT_SIZE, whole.contents))
        return flat
    for buffer in sorted(bases.keys() - {PRIVATE}):
        found = after.get(buffer)
        size, contents = (found.size, found.contents) if isinstance(found, Buffer) else (0, {})
        flat.windows.append((bases[buffer], size, contents))
    return flat


def _missed(outcome: Outcome) -> int | None:
    """Where a message was not wholly inside its surface, if that is the buffer of an argument."""
    for performed in outcome.performed:
        if performed.surface != SHARED_LOCAL:
            for miss in performed.misses:
                if len(miss.cell) == 1:
                    return miss.cell[0]
    return None


def _asked_outside(outcome: Outcome, flat: FlatContents) -> int | None:
    """An address outside of all buffers where a message that has no meaning was to write."""
    last = outcome.performed[-1] if outcome.performed else None
    if last is None or last.surface != FLAT:
        return None
    asked = (one.address for one in last.writes if isinstance(one, LaneWrite))
    return next((address for address in asked if not flat.holds(address)), None)


def _contents(surface: WatchedBuffer | Image) -> dict[int, int]:
    return surface.contents if isinstance(surface, Buffer) else cells_of(surface)


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run did."""

    outcome: Outcome
    memory: Memory
    left: int | None
    """An address that was accessed and is not wholly inside its buffer."""
    left_flat: bool
    """Whether that is an address among all 64-bit ones, and was really accessed."""
    shared_local_missed: Position | None
    """The first message with an access that was not wholly inside shared local memory."""
    atomics_met: bool
    """Whether lanes of an atomic met: in which order they happen is left open."""

    def leaves(self, buffers: bool) -> bool:
        """Whether it left what is taken to be apart at 64-bit addresses, or else `buffers`."""
        return self.left_flat or (buffers and self.left is not None)


@dataclass(frozen=True, slots=True)
class Writer:
    """What put a byte where it is."""

    instruction: Instruction
    write: LaneWrite


@dataclass(frozen=True, slots=True)
class Difference:
    """A run of both kernels that shows that the target does not refine the source."""

    values: Values
    exec_mask: int
    memory: Memory
    """Before the runs."""
    undefined: Undefined | None
    """Where the target has no meaning, though the source has one."""
    surface: str
    address: int
    before: int
    source: int
    target: int
    """The byte that differs: before, and after each kernel."""
    source_writer: Writer | None
    target_writer: Writer | None
    outside: int | None = None
    """An address outside of all buffers that the target accesses, and that does not move as any of them does."""
    kind: UndefinedKind | None = None
    """Of what is undefined in the target; None where the terms do not say."""


def bits_of(bits: Sequence[Bool], values: Values) -> int:
    return sum((values.get(one, 0) & 1) << lane for lane, one in enumerate(bits))


@dataclass(frozen=True, slots=True)
class Trial:
    """A run of both kernels in which the source has a meaning and, where that is assumed, stays inside its buffers."""

    difference: Difference | None


def difference(
    source: Runner, target: Runner, question: Question, values: Values, content: Content
) -> Difference | None:
    """What a run on these values shows, if it shows anything.  Raises NotModelled."""
    found = trial(source, target, question, values, content)
    return found and found.difference


def trial(source: Runner, target: Runner, question: Question, values: Values, content: Content) -> Trial | None:
    """A run of both on these values; None where it shows nothing.  Raises NotModelled.

    It shows nothing where the source has no meaning, or another outcome as well, and where the question is about places
    in buffers and the source leaves them; or the target does, at an address that moves with one of them.
    """
    conditional = bool(question.source.reaches or question.target.reaches)
    buffers = sorted({buffer for one in (source, target) for buffer in one.pointers.values()})
    bases = bases_of(buffers, values)
    values = dict(values) | {base_symbol(buffer): base // ALIGNMENT for buffer, base in bases.items()}
    mask = bits_of(question.lanes, values)
    if not mask:
        return None
    memory = memory_of(question, _images(source, target), values, content)
    ran = source.run(memory, question.lanes, values)
    if _is_undefined(ran, question, values) or ran.atomics_met or ran.leaves(conditional):
        return None
    observed = target.run(memory, question.lanes, values)
    if not observed.leaves(conditional):
        if observed.shared_local_missed and SLM_OUTSIDE in question.forbidden:
            missed = Undefined(observed.shared_local_missed, SLM_OUTSIDE.what)
            return Trial(Difference(values, mask, memory, missed, "", 0, 0, 0, 0, None, None, kind=SLM_OUTSIDE))
        if observed.outcome.undefined is not None:
            kind = kind_at(question.target.undefined, values)
            if kind is None and question.forbidden != FORBIDDEN:  # it may be of a kind that has a meaning here
                return None
            found = Difference(values, mask, memory, observed.outcome.undefined, "", 0, 0, 0, 0, None, None, kind=kind)
            return Trial(found)
        return Trial(_difference(source, target, values, mask, memory, ran, observed))
    if observed.left is None or not observed.left_flat:
        return None
    moved = elsewhere(bases)
    there = values | {base_symbol(buffer): base // ALIGNMENT for buffer, base in moved.items()}
    if source.run(memory, question.lanes, there).left is None:
        other = target.run(memory, question.lanes, there).left
        if not follows(observed.left, other, bases, moved) and not _gets_other_addresses(target, values):
            return Trial(Difference(values, mask, memory, None, "", 0, 0, 0, 0, None, None, observed.left))
    return None


def _is_undefined(ran: Ran, question: Question, values: Values) -> bool:
    """Whether a run of the source has no meaning, or one that the machine does not know."""
    if ran.outcome.undefined is not None or (ran.shared_local_missed and SLM_OUTSIDE in question.forbidden):
        return True
    unwritten = {one: kind for one, kind in question.source.undefined.items() if kind is UNINITIALISED}
    return kind_at(unwritten, values) is not None


def _images(*runners: Runner) -> dict[str, bool]:
    """The typed surfaces, and whether a kernel samples them."""
    origins = ((one, each.origin) for one in runners for each in one.trace.arbitrary)
    sampled = {one.surface(origin.surface) for one, origin in origins if origin is not None}
    return {name: name in sampled for one in runners for name in one.images}


def _gets_other_addresses(target: Runner, values: Values) -> bool:
    """Whether the target gets addresses that the source does not: they are in no buffer, and may be right."""
    words = (term for term in values if term.width == FLAT_BITS and term not in target.pointers)
    return any(str(term.payload).startswith("target only:") for term in words)


def _difference(
    source: Runner, target: Runner, values: Values, mask: int, memory: Memory, ran: Ran, observed: Ran
) -> Difference | None:
    for surface, (size, contents) in memory.items():
        one, other = ran.memory[surface][1], observed.memory[surface][1]
        for address in sorted(one.keys() | other.keys()):
            if one.get(address, 0) != other.get(address, 0):
                base = bases_of((surface,), values)[surface]
                return Difference(
                    values, mask, memory, None, surface, address,
                    contents.get(address, 0), one.get(address, 0), other.get(address, 0),
                    _writer(source, ran.outcome, surface, address, size, base),
                    _writer(target, observed.outcome, surface, address, size, base),
                )  # fmt: skip
    return None


def _writer(runner: Runner, outcome: Outcome, surface: str, address: int, size: int, base: int) -> Writer | None:
    """The last write that put something at this byte."""
    for performed in reversed(outcome.performed):
        by_address = performed.surface == FLAT != surface
        if by_address or runner.surface(performed.surface) == surface:
            place = address + base if by_address else address
            end = FLAT_SIZE if by_address else size
            for write in reversed(performed.writes):
                if isinstance(write, LaneWrite) and write.address <= place < write.address + write.width <= end:
                    return Writer(performed.instruction, write)
    return None


def unknowns(question: Question, runners: Sequence[Runner]) -> list[Term]:
    """The symbols that a launch chooses: inputs, lanes and sizes."""
    words: dict[Term, None] = dict.fromkeys(question.lanes)
    for runner in runners:
        for variable, byte in runner.trace.registers.initial_reads:
            words[runner.initial(variable, byte)[0]] = None
        for surface in runner.trace.surfaces.values():
            if isinstance(surface, SymbolicBuffer):
                words |= {symbol(f"size.{name}", 40): None for name in question.surfaces if name != FLAT}
        for name, image in runner.images.items():
            for level, extents in enumerate(image.levels):
                words |= dict.fromkeys(extent_symbols(name, level, [each.width for each in extents]))
        if question.source.reaches or question.target.reaches:
            words |= {base_symbol(buffer): None for buffer in runner.pointers.values()}
    return symbols_of(*words)
