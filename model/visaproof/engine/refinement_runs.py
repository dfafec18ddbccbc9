"""Runs two kernels on the same numbers: one launch, one memory.  A difference that is seen here is one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from zlib import crc32

from visaproof.engine.ladder import Values
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.kernel.concrete_run import Outcome, Undefined, run
from visaproof.kernel.symbolic_run import Trace
from visaproof.kernel.syntax import GeneralVariable, Instruction, Kernel, PredicateVariable
from visaproof.queries.refinement import Question
from visaproof.queries.refinement_places import ALIGNMENT
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, LaneWrite, Miss
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.state import SymbolicBuffer, SymbolicImage
from visaproof.smt import BitVec, Bool, Term, bool_symbol, evaluate, symbol, symbols_of
from visaproof.smt.evaluate import evaluate_all

FLAT_SIZE = 1 << 64
"""The 64-bit address space."""


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

    def run(self, memory: "Memory", lanes: Sequence[Bool], values: Values) -> "Ran":
        """The run, and the memory after it; raises NotModelled."""
        prepared = self.prepared(memory, lanes, values)
        outcome = run(self.kernel, prepared.state)
        after = {name: (buffer.size, buffer.contents) for name, buffer in prepared.memory.items()}
        return Ran(outcome, after, bool(prepared.misses) or prepared.flat.left)

    def prepared(self, memory: "Memory", lanes: Sequence[Bool], values: Values) -> "Prepared":
        """What the run starts from; raises NotModelled."""
        misses: list[Miss] = []
        after = {name: Buffer(size, dict(contents), misses=misses) for name, (size, contents) in memory.items()}
        flat = FlatContents([(base_at(PRIVATE), PRIVATE_SIZE, {})])
        if FLAT in after:
            flat.windows.append((0, FLAT_SIZE, after[FLAT].contents))
        for buffer in () if FLAT in after else sorted(set(self.pointers.values()) - {PRIVATE}):
            size, contents = (after[buffer].size, after[buffer].contents) if buffer in after else (0, {})
            flat.windows.append((base_at(buffer), size, contents))
        values = dict(values)
        for pointer, buffer in self.pointers.items():
            if FLAT not in after or buffer == PRIVATE:
                values[pointer] = base_at(buffer)
        state = ConcreteState(self.platform, exec_mask=bits_of(lanes, values))
        for variable in self.kernel.variables.values():
            if isinstance(variable, GeneralVariable) and variable.alias is None:
                state.registers[variable.name] = bytearray(variable.size)
            elif isinstance(variable, PredicateVariable):
                own = [bool_symbol(f"{self.name}:{variable.name}[{lane}]") for lane in range(variable.num_elts)]
                state.predicates[variable.name] = PredicateBits(variable.num_elts, bits_of(own, values))
        self._fill(state.registers, values)
        for key in self.trace.surfaces:
            name = self.surface(key)
            if key == FLAT:
                state.surfaces[key] = Buffer(FLAT_SIZE, flat)
            elif isinstance(self.trace.surfaces[key], SymbolicImage):
                raise NotModelled("runs of kernels with typed surfaces")
            else:
                state.surfaces[key] = after.get(name, Image(((1, 1, 1),)))
        return Prepared(state, after, flat, misses)

    def _fill(self, registers: dict[str, bytearray], values: Values) -> None:
        """What the kernel may read before anything writes it; nothing depends on the rest."""
        places = list(self.trace.registers.initial_reads)
        terms = [self.initial(variable, byte) for variable, byte in places]
        words = list(dict.fromkeys(term for term, _ in terms))
        known = dict(zip(words, evaluate_all(words, values), strict=True))
        for (variable, byte), (term, index) in zip(places, terms, strict=True):
            registers[variable][byte] = known[term] >> 8 * index & 0xFF


PRIVATE = "private memory"
PRIVATE_SIZE = 1 << 40
PRIVATE_AT = 0xFFF << 48


def base_at(buffer: str) -> int:
    """Where a buffer lies in a run: so far from the next that no 32-bit index reaches that."""
    _, _, index = buffer.rpartition(" ")
    if index.isdigit():
        return (int(index) + 1) << 48
    return PRIVATE_AT if buffer == PRIVATE else (0x1000 + crc32(buffer.encode()) % 0xE000) << 48


class FlatContents(dict[int, int]):
    """Flat memory in which buffers lie apart; it notes whether an address is in none of them."""

    def __init__(self, windows: list[tuple[int, int, dict[int, int]]]) -> None:
        super().__init__()
        self.windows = windows
        """Where each begins, its size, and its bytes."""
        self.left = False

    def get(self, key: int, default: int = 0) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        contents, offset = self._at(key)
        return contents.get(offset, default)

    def __setitem__(self, key: int, value: int) -> None:
        contents, offset = self._at(key)
        contents[offset] = value

    def _at(self, address: int) -> tuple[dict[int, int], int]:
        for base, size, contents in self.windows:
            if base <= address < base + size:
                return contents, address - base
        self.left = True
        return {}, 0


Memory = dict[str, tuple[int, dict[int, int]]]
"""Size and contents of each surface, by its common name."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A kernel before it runs."""

    state: ConcreteState
    memory: dict[str, Buffer]
    """The surfaces by their common names; `state` has the same buffers under the kernel's own names."""
    flat: FlatContents
    misses: list[Miss]


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run did."""

    outcome: Outcome
    memory: Memory
    left: bool
    """Whether an access was not wholly inside its buffer."""


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


def bits_of(bits: Sequence[Bool], values: Values) -> int:
    return sum((values.get(one, 0) & 1) << lane for lane, one in enumerate(bits))


def memory_of(question: Question, values: Values, content: Callable[[], int]) -> Memory:
    """The memory that these values describe; `content` gives bytes that are read and of which they say nothing.

    `values` gets what the loads bring.
    """
    memory: Memory = {}
    for surface in question.surfaces:
        memory[surface] = (_size(surface, values), {})
    places = {value: place for place, value in question.memory.cells.items()}
    for name in question.memory.order:
        if name in question.memory.definitions:
            values[name] = evaluate(question.memory.definitions[name], values)
            continue
        surface, cell = places[name]  # pyright: ignore[reportArgumentType]
        _, contents = memory[surface]
        address, known, value = evaluate(cell, values), values.get(name), 0
        for k in range(question.memory.units[surface]):
            byte = content() if known is None else known >> 8 * k & 0xFF
            value |= contents.setdefault((address + k) % FLAT_SIZE, byte) << 8 * k
        values[name] = value
    return memory


def _size(surface: str, values: Values) -> int:
    return FLAT_SIZE if surface == FLAT else values.get(symbol(f"size.{surface}", 40), 1 << 32)


def difference(
    source: Runner, target: Runner, question: Question, values: Values, content: Callable[[], int]
) -> Difference | None:
    """What a run on these values shows, if it shows anything.  Raises NotModelled.

    Where the question is about places in buffers, a run that leaves them shows nothing.
    """
    conditional = bool(question.source.reaches or question.target.reaches)
    values = dict(values)
    for runner in (source, target) if conditional else ():
        values |= {symbol(f"base.{buffer}", 64): base_at(buffer) // ALIGNMENT for buffer in runner.pointers.values()}
    mask = bits_of(question.lanes, values)
    if not mask:
        return None
    memory = memory_of(question, values, content)
    ran = source.run(memory, question.lanes, values)
    if ran.outcome.undefined is not None or (conditional and ran.left):
        return None
    other_ran = target.run(memory, question.lanes, values)
    if conditional and other_ran.left:
        return None
    outcome, after_source, observed, after_target = ran.outcome, ran.memory, other_ran.outcome, other_ran.memory
    if observed.undefined is not None:
        return Difference(values, mask, memory, observed.undefined, "", 0, 0, 0, 0, None, None)
    for surface, (size, contents) in memory.items():
        one, other = after_source[surface][1], after_target[surface][1]
        for address in sorted(one.keys() | other.keys()):
            if one.get(address, 0) != other.get(address, 0):
                return Difference(
                    values, mask, memory, None, surface, address,
                    contents.get(address, 0), one.get(address, 0), other.get(address, 0),
                    _writer(source, outcome, surface, address, size), _writer(target, observed, surface, address, size),
                )  # fmt: skip
    return None


def _writer(runner: Runner, outcome: Outcome, surface: str, address: int, size: int) -> Writer | None:
    """The last write that put something at this byte."""
    for performed in reversed(outcome.performed):
        by_address = performed.surface == FLAT != surface
        if by_address or runner.surface(performed.surface) == surface:
            place = address + base_at(surface) if by_address else address
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
    return symbols_of(*words)
