"""Runs two kernels on the same numbers: one launch, one memory.  A difference that is seen here is one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from visaproof.engine.ladder import Values
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.platform import Platform
from visaproof.kernel.concrete_run import Outcome, Undefined, run
from visaproof.kernel.symbolic_run import Trace
from visaproof.kernel.syntax import GeneralVariable, Instruction, Kernel, PredicateVariable
from visaproof.queries.refinement import Question
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, LaneWrite
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.state import SymbolicBuffer
from visaproof.smt import Bool, Term, bool_symbol, evaluate, symbol, symbols_of
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

    def run(self, memory: "Memory", lanes: Sequence[Bool], values: Values) -> tuple[Outcome, "Memory"]:
        """The run, and the memory after it; raises NotModelled."""
        after = {name: Buffer(size, dict(contents)) for name, (size, contents) in memory.items()}
        state = ConcreteState(self.platform, exec_mask=bits_of(lanes, values))
        for variable in self.kernel.variables.values():
            if isinstance(variable, GeneralVariable) and variable.alias is None:
                state.registers[variable.name] = self._register(variable, values)
            elif isinstance(variable, PredicateVariable):
                own = [bool_symbol(f"{self.name}:{variable.name}[{lane}]") for lane in range(variable.num_elts)]
                state.predicates[variable.name] = PredicateBits(variable.num_elts, bits_of(own, values))
        for key in self.trace.surfaces:
            state.surfaces[key] = after.get(self.surface(key), Image(((1, 1, 1),)))
        outcome = run(self.kernel, state)
        return outcome, {name: (buffer.size, buffer.contents) for name, buffer in after.items()}

    def _register(self, variable: GeneralVariable, values: Values) -> bytearray:
        terms = [self.initial(variable.name, byte) for byte in range(variable.size)]
        words = list(dict.fromkeys(term for term, _ in terms))
        known = dict(zip(words, evaluate_all(words, values), strict=True))
        return bytearray(known[term] >> 8 * index & 0xFF for term, index in terms)


Memory = dict[str, tuple[int, dict[int, int]]]
"""Size and contents of each surface, by its common name."""


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
    """What a run on these values shows, if it shows anything.  Raises NotModelled."""
    values = dict(values)
    mask = bits_of(question.lanes, values)
    if not mask:
        return None
    memory = memory_of(question, values, content)
    outcome, after_source = source.run(memory, question.lanes, values)
    if outcome.undefined is not None:
        return None
    observed, after_target = target.run(memory, question.lanes, values)
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
        if runner.surface(performed.surface) == surface:
            for write in reversed(performed.writes):
                if isinstance(write, LaneWrite) and write.address <= address < write.address + write.width <= size:
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
