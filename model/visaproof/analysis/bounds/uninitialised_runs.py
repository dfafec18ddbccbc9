"""What a kernel leaves in memory may hang on uninitialised bits: two runs that differ in no other bit show it.

The runs are looked for among a few states in which every input is 0: no solver.  Where none shows it, nothing is said.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.analysis.bounds.kernel import BoundsAnswers
from visaproof.checking.counterexample import Counterexample, Outcome, Run
from visaproof.checking.states import state_record, without_zeros
from visaproof.checking.uninitialised_replay import left_in_memory
from visaproof.decode.texels import TYPED
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled
from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.operands import SCRATCH
from visaproof.machine.concrete import run as concrete_run
from visaproof.program.lower import lowered
from visaproof.program.program import Program
from visaproof.program.statements import MemoryMessage
from visaproof.queries.kernels.uninitialised import Storage, Uninitialised
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, Surface

MOST_STATEMENTS = 20_000
IMAGE = (1 << 14, 1 << 14, 1)
TRIED_LANES = (0, 8, 16, 24)
FILLED_BYTES = 64
"""Of each buffer, where it is tried with something in it."""

Fill = Callable[[int], int]
"""What each dword of a variable or of a buffer holds."""


def _zero(_: int) -> int:
    return 0


def _steps(dword: int) -> int:
    """Lanes with values, and so places, of their own."""
    return 16 * dword


def _far_steps(dword: int) -> int:
    return 16 * dword + 0x1000


def _one(_: int) -> int:
    """1.0, which no mode of floating-point arithmetic takes for zero."""
    return 0x3F80_0000


class _Try(Struct, frozen=True):
    """What the uninitialised bits hold in the first run and in the second, and what the buffers hold."""

    mask: int
    first: Fill
    second: Fill
    memory: Fill


FILLS = ((_zero, _one), (_zero, _steps), (_steps, _far_steps))


class Dependence(Struct, frozen=True):
    """Two states that differ in uninitialised bits alone, and what the kernel leaves of the memory of each."""

    first: ConcreteState
    second: ConcreteState
    outcomes: tuple[Outcome, Outcome]


def dependence(answers: BoundsAnswers, entry: Uninitialised) -> Dependence | None:
    """Two runs that show that the bits of the entry matter; None where none was found.

    A kernel with private memory is not tried: what it leaves there is not seen.
    """
    private = answers.start.private_base is not None or SCRATCH in answers.asked.trace.surfaces
    if private or answers.kernel.of_several_files:
        return None
    search = _Search(lowered(answers.kernel, answers.platform), answers.uninitialised)
    for memory in (_zero, _steps):
        for mask in _masks(answers):
            for first, second in FILLS:
                attempt = _Try(mask, first, second, memory)
                found = search.differ(attempt, entry)
                if found is not None:
                    return search.smaller(attempt, entry) or found
    return None


def _masks(answers: BoundsAnswers) -> list[int]:
    """One lane, or all of them; a thread of the VectorCompiler has all lanes always."""
    simd = answers.launch.simd or answers.kernel.work_items or THREAD_LANES
    if simd == 1:
        return [(1 << THREAD_LANES) - 1]
    return [*(1 << lane for lane in TRIED_LANES if lane < simd), (1 << simd) - 1]


class _Search(Struct):
    program: Program
    uninitialised: Sequence[Uninitialised]
    reached: dict[str, bool] = field(default_factory=dict[str, bool])
    """The surfaces that the kernel reached so far, and whether they have texels."""

    def differ(self, attempt: _Try, entry: Uninitialised) -> Dependence | None:
        """The two runs with other bits in the places of the entry, if they leave other memory."""
        first = self._state(attempt)
        second = _with(first, attempt.second, entry)
        outcomes = self._outcome(first, attempt.memory), self._outcome(second, attempt.memory)
        if outcomes[0] is None or outcomes[1] is None or outcomes[0] == outcomes[1]:
            return None
        for state in (first, second):
            state.surfaces = self._surfaces(attempt.memory)
        return Dependence(first, second, (outcomes[0], outcomes[1]))

    def smaller(self, attempt: _Try, entry: Uninitialised) -> Dependence | None:
        """The same with a single bit, or a single dword, that is enough."""
        smaller = (self.differ(attempt, replace(entry, places=places)) for places in _units(entry))
        return next((found for found in smaller if found is not None), None)

    def _state(self, attempt: _Try) -> ConcreteState:
        state = ConcreteState(self.program.platform, attempt.mask)
        for entry in self.uninitialised:
            if entry.storage is Storage.PREDICATE:
                state.predicates[entry.variable] = PredicateBits(self.program.predicates[entry.variable], 0)
            else:
                size = self.program.registers[entry.variable].size
                register = state.registers.setdefault(entry.variable, bytearray(size))
                _fill(register, attempt.first, entry.places)
        return state

    def _outcome(self, state: ConcreteState, memory: Fill) -> Outcome | None:
        """What a run leaves in memory; None where it is undefined, or is not modelled."""
        while True:
            before = dataclasses.replace(state.copy(), surfaces=self._surfaces(memory))
            after = before.copy()
            try:
                outcome = concrete_run.run(self.program, after, most=MOST_STATEMENTS)
            except concrete_run.MissingSurface as missing:
                self.reached[missing.surface] = self._has_texels(missing)
                continue
            except NotModelled:
                return None
            return None if outcome.undefined is not None else left_in_memory(before, after)

    def _has_texels(self, missing: concrete_run.MissingSurface) -> bool:
        reader = next(one for one in self.program.run_statements() if one.position == missing.position)
        return isinstance(reader, MemoryMessage) and isinstance(reader.message, TYPED)

    def _surfaces(self, memory: Fill) -> dict[str, Surface]:
        return {name: _surface(name, has_texels, memory) for name, has_texels in self.reached.items()}


def _surface(name: str, has_texels: bool, memory: Fill) -> Surface:
    if has_texels:
        return Image((IMAGE,))
    content = bytearray(FILLED_BYTES)
    _fill(content, memory, range(FILLED_BYTES))
    return Buffer(1 << 64 if name == FLAT else 1 << 32, {place: byte for place, byte in enumerate(content) if byte})


def _with(state: ConcreteState, fill: Fill, entry: Uninitialised) -> ConcreteState:
    """The state with other bits in the places of the entry."""
    other = state.copy()
    if entry.storage is Storage.PREDICATE:
        held = other.predicates[entry.variable]
        bits = sum(1 << place for place in entry.places)
        other.predicates[entry.variable] = PredicateBits(held.count, held.bits ^ bits)
    else:
        _fill(other.registers[entry.variable], fill, entry.places)
    return other


def _units(entry: Uninitialised) -> Iterator[tuple[int, ...]]:
    """Each bit of a predicate, or the places of each dword."""
    size = 1 if entry.storage is Storage.PREDICATE else 4
    for unit in sorted({place // size for place in entry.places}):
        yield tuple(place for place in entry.places if place // size == unit)


def _fill(content: bytearray, fill: Fill, places: Iterable[int]) -> None:
    for place in places:
        content[place] = fill(place // 4) >> 8 * (place % 4) & 0xFF


def uninitialised_record(answers: BoundsAnswers, entry: Uninitialised, found: Dependence) -> Counterexample:
    """The two runs as a file."""
    line = entry.reader.position.line
    return Counterexample(
        claim=f"{answers.kernel.name}/line-{line}-reads-what-was-written",
        shows=f"line {line} reads uninitialised values into {entry.variable}, and it decides what the kernel leaves",
        violation="unwritten",
        platform=answers.platform.name,
        program=list(answers.kernel.source_lines),
        state=without_zeros(state_record(found.first)),
        other=without_zeros(state_record(found.second)),
        runs=[Run(steps=[f"{found.first.exec_mask:#x}"], outcome=outcome) for outcome in found.outcomes],
        line=line,
    )
