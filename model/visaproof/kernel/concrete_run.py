"""Runs a kernel on numbers: the machine that confirms what the symbolic one found.  No terms, no solver."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from visaproof.isa.errors import NotModelled, Position, UndefinedBehavior
from visaproof.isa.execution import THREAD_LANES
from visaproof.kernel import decode as messages
from visaproof.kernel import syntax
from visaproof.kernel.concrete_arithmetic import ConcreteArithmetic
from visaproof.kernel.concrete_operands import ConcreteOperands
from visaproof.kernel.concrete_sampler import read_zeros
from visaproof.kernel.opcodes import Kind, kind_of, label_of
from visaproof.kernel.sampler import sampler_read
from visaproof.kernel.statement import execution_of, label_places, lane_offset, without_mask
from visaproof.kernel.surfaces import SurfaceBindings
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Miss, Write


@dataclass(frozen=True, slots=True)
class PerformedMessage:
    """A memory message that ran, and the writes that it asked for: enabled lanes, inside or outside the surface."""

    instruction: syntax.Instruction
    decoded: messages.Message
    """Its surface is the variable of the text; `surface` is what that stood for."""
    surface: str
    writes: tuple[Write, ...]
    misses: tuple[Miss, ...] = ()
    """The accesses of its enabled lanes that were not wholly inside the surface."""


@dataclass(frozen=True, slots=True)
class Undefined:
    """Where the pages give the run no meaning; nothing behind it was run."""

    position: Position
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended.  Where it is undefined, the message at fault is the last one performed, if it is a message."""

    performed: tuple[PerformedMessage, ...]
    undefined: Undefined | None


MAX_STATEMENTS = 200_000
"""A run that takes more steps than this is given up."""

Observer = Callable[[syntax.Instruction, ConcreteState], None]
"""Called after each statement that ran."""


def run(
    kernel: syntax.Kernel,
    state: ConcreteState,
    observer: Observer | None = None,
    enough: Callable[[PerformedMessage], bool] | None = None,
    most: int = MAX_STATEMENTS,
) -> Outcome:
    """Runs the kernel; `state` is changed in place.

    Variables and predicates that `state` lacks hold 0; surfaces must be there under their keys (`bti 0`, `%slm`, …,
    see `SurfaceBindings`).  At least one lane must be on.  The run ends behind a message that is `enough`.  Raises
    NotModelled for what has no semantics here, and for a run of more than `most` statements.
    """
    if not state.exec_mask:
        raise ValueError("a thread runs at least one lane")
    return _Machine(kernel, state, observer or (lambda _, __: None), enough or (lambda _: False)).run(most)


class _Machine:
    def __init__(
        self,
        kernel: syntax.Kernel,
        state: ConcreteState,
        observer: Observer,
        enough: Callable[[PerformedMessage], bool],
    ) -> None:
        self._kernel = kernel
        self._state = state
        self._observer = observer
        self._enough = enough
        self._operands = ConcreteOperands(kernel, state)
        self._arithmetic = ConcreteArithmetic(state, self._operands)
        self._surfaces = SurfaceBindings(kernel, state.platform)
        self._performed: list[PerformedMessage] = []
        self._labels = label_places(kernel)
        self._parked: dict[int, int] = {}
        """The lanes that wait at each statement, by its index."""
        self._place = 0
        for variable in kernel.variables.values():
            if isinstance(variable, syntax.GeneralVariable) and variable.alias is None:
                state.registers.setdefault(variable.name, bytearray(variable.size))
            elif isinstance(variable, syntax.PredicateVariable):
                state.predicates.setdefault(variable.name, PredicateBits(variable.num_elts, 0))

    def run(self, most: int) -> Outcome:
        undefined: Undefined | None = None
        launched, statements = self._state.exec_mask, self._kernel.statements
        for _ in range(most):
            self._state.exec_mask |= self._parked.pop(self._place, 0)
            if self._place == len(statements):
                break
            statement = statements[self._place]
            self._place += 1
            if isinstance(statement, syntax.Label) or not self._state.exec_mask:
                continue
            try:
                if not self._step(statement):
                    break
            except UndefinedBehavior as reason:
                undefined = Undefined(statement.position, str(reason))
                break
            self._observer(statement, self._state)
        else:
            raise NotModelled(f"a run of more than {most} statements", statements[self._place - 1].position)
        self._state.exec_mask = launched
        return Outcome(tuple(self._performed), undefined)

    def _step(self, instruction: syntax.Instruction) -> bool:
        """Runs one statement; False ends the kernel."""
        match kind_of(instruction, messages.OPCODES):
            case Kind.NOTHING:
                pass
            case Kind.MEMORY:
                self._message(instruction)
                return not self._enough(self._performed[-1])
            case Kind.BIND:
                self._surfaces.bind(instruction)
            case Kind.BRANCH:
                self._branch(instruction)
            case Kind.END:
                if instruction.predicate or any(self._parked.values()):
                    raise NotModelled(f"opcode {instruction.opcode} in divergent control flow", instruction.position)
                return False
            case Kind.ARITHMETIC | Kind.COMPARE | Kind.SET_PREDICATE | Kind.ADDRESS:
                self._arithmetic.step(instruction)
            case Kind.SAMPLE:
                self._sample(instruction)
            case Kind.UNKNOWN:
                what = self._kernel.unlinked.get(instruction.position, f"opcode {instruction.opcode}")
                raise NotModelled(what, instruction.position)
        return True

    def _message(self, instruction: syntax.Instruction) -> None:
        decoded = messages.decode(instruction, self._kernel, self._state.platform)
        surface = self._surfaces.key(decoded.surface)
        memory = self._state.surfaces.get(surface)
        if memory is None:
            raise ValueError(f"{instruction.position}: the state has no surface {surface!r}")
        log: list[Write] = []
        misses: list[Miss] = []
        memory.log, memory.misses = log, misses
        try:
            replace(decoded, surface=surface).execute(self._state)
        finally:
            memory.log = memory.misses = None
            self._performed.append(PerformedMessage(instruction, decoded, surface, tuple(log), tuple(misses)))

    def _sample(self, instruction: syntax.Instruction) -> None:
        read = sampler_read(instruction, self._kernel, self._state.platform)
        try:
            read_zeros(read, self._state.surfaces.get(self._surfaces.key(read.surface)), self._state)
        except NotModelled as reason:
            raise NotModelled(reason.what, instruction.position) from None

    def _branch(self, instruction: syntax.Instruction) -> None:
        execution = execution_of(instruction)
        active = self._state.exec_mask
        jumping = 0
        if execution.size == 1:  # Page GOTO: "all channels would either branch or not"
            if self._state.channel_enabled(without_mask(execution), 0):
                jumping = active
        else:
            for lane in range(execution.size):
                place = lane + lane_offset(execution)
                if place < THREAD_LANES and self._state.channel_enabled(execution, lane):
                    jumping |= 1 << place & active
        target, waiting = self._labels[label_of(instruction)], active & ~jumping
        if target >= self._place:
            self._park(target, jumping)
            self._state.exec_mask = waiting
        elif jumping:  # backwards: who stays waits behind the branch until the others are there
            self._park(self._place, waiting)
            self._state.exec_mask = jumping
            self._place = target

    def _park(self, place: int, lanes: int) -> None:
        self._parked[place] = self._parked.get(place, 0) | lanes
