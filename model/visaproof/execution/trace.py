"""What each statement of one thread wrote: by its registers before and after, and of one lane by its destination."""

import struct
from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, field

from visaproof.decode.statement import execution_of, lane_offset, without_predicate
from visaproof.execution.shape import ThreadId
from visaproof.isa.types import DataType
from visaproof.machine.concrete.run import PerformedMessage
from visaproof.semantics.concrete.alu import to_integer
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import LaneWrite
from visaproof.visaasm.opcode_kinds import DESTINATIONS
from visaproof.visaasm.printing.instruction_text import BLOCKS
from visaproof.visaasm.syntax import GeneralVariable, IndirectOperand, Instruction, Kernel, Name, VectorDestination


@dataclass(frozen=True, slots=True)
class Traced:
    """The thread to be shown, or one lane of it."""

    thread: ThreadId
    lane: int | None


@dataclass(frozen=True, slots=True)
class Change:
    """An element that a statement left with another value, or a destination that it wrote."""

    place: str
    value: str


@dataclass(frozen=True, slots=True)
class Step:
    """A statement that ran."""

    instruction: Instruction
    lanes: int
    """The execution mask before it."""
    changes: tuple[Change, ...]


def written_by(message: PerformedMessage, lane: int | None) -> Iterator[Change]:
    """What a message put into memory, of one lane or of all."""
    first = message.instruction.first_lane
    for write in message.writes:
        if isinstance(write, LaneWrite) and (write.lane is None or lane in (None, write.lane + first)):
            value = f"{write.value:#0{2 * write.width + 2}x}"
            yield Change(f"{message.surface} [{write.address:#x}]", value)


@dataclass
class Tracer:
    """Is told of each statement of a thread after it ran; hands a step to `show`."""

    kernel: Kernel
    lane: int | None
    show: Callable[[Step], None]
    start: InitVar[ConcreteState]
    _registers: dict[str, bytes] = field(init=False)
    _predicates: dict[str, PredicateBits] = field(init=False)
    _written: tuple[Change, ...] = ()

    def __post_init__(self, start: ConcreteState) -> None:
        self._keep(start)

    def observe(self, instruction: Instruction, state: ConcreteState) -> None:
        changes = [*self._elements(instruction, state), *self._bits(instruction, state), *self._written]
        self.show(Step(instruction, state.exec_mask, tuple(changes)))
        self._written = ()
        self._keep(state)

    def performed(self, message: PerformedMessage) -> bool:
        """Takes note of what a message wrote; never enough."""
        self._written = tuple(written_by(message, self.lane))
        return False

    def _keep(self, state: ConcreteState) -> None:
        self._registers = {name: bytes(content) for name, content in state.registers.items()}
        self._predicates = dict(state.predicates)

    def _elements(self, instruction: Instruction, state: ConcreteState) -> Iterator[Change]:
        data_type, size = self._type(instruction), self._type(instruction).size
        own = set(self._destinations(instruction, state))
        for name, register in state.registers.items():
            content = bytes(register)
            before = self._registers.get(name, bytes(len(content)))
            shown = {start for variable, start in own if variable == name}
            if before != content:
                starts = range(0, len(content) - size + 1, size)
                changed = (at for at in starts if content[at : at + size] != before[at : at + size])
                shown |= {at for at in changed if self._shown(instruction, at, size)}
            for start in sorted(shown):
                bits = int.from_bytes(content[start : start + size], "little")
                yield Change(f"{name}.{start}", _value(bits, data_type))

    def _type(self, instruction: Instruction) -> DataType:
        """The type of the destination; dwords where it has none."""
        for operand in instruction.operands[:1]:
            if isinstance(operand, VectorDestination):
                declared = self.kernel.variables.get(operand.variable)
                return declared.type if isinstance(declared, GeneralVariable) else DataType.UD
            if isinstance(operand, IndirectOperand):
                return operand.type
        return DataType.UD

    def _destinations(self, instruction: Instruction, state: ConcreteState) -> Iterator[tuple[str, int]]:
        """The variables and the bytes of the elements that the lane writes, the same values or others."""
        if self.lane is None or instruction.execution is None:
            return
        execution, grf_bytes = execution_of(instruction), state.platform.grf_bytes
        lane = 0 if execution.size == 1 else self.lane - lane_offset(execution)
        if not 0 <= lane < execution.size or not self._enabled(instruction, state, lane):
            return
        for target in instruction.operands[: DESTINATIONS.get(instruction.opcode, 1)]:
            declared = self.kernel.variables.get(target.variable) if isinstance(target, VectorDestination) else None
            if isinstance(target, VectorDestination) and isinstance(declared, GeneralVariable):
                root, behind = self.kernel.root_of(declared)
                element = target.column + lane * target.horizontal
                start = behind + target.row * grf_bytes + element * declared.type.size
                yield root.name, start
                if instruction.opcode == "madw":  # the high half lies in registers of its own
                    yield root.name, start + -(-4 * execution.size // grf_bytes) * grf_bytes

    def _enabled(self, instruction: Instruction, state: ConcreteState, lane: int) -> bool:
        """Whether the lane took part, by the predicates before the statement; to `sel` its predicate is an operand."""
        execution = execution_of(instruction)
        if instruction.opcode == "sel":
            execution = without_predicate(execution)
        before = ConcreteState(state.platform, exec_mask=state.exec_mask, predicates=self._predicates)
        return before.channel_enabled(execution, lane)

    def _shown(self, instruction: Instruction, start: int, size: int) -> bool:
        """Whether an element that has changed is the lane's; a uniform value belongs to every lane."""
        if self.lane is None or instruction.execution is None or instruction.opcode in BLOCKS:
            return True
        execution = execution_of(instruction)
        if execution.size == 1:
            return True
        if instruction.operands and isinstance(instruction.operands[0], VectorDestination):
            return False  # the lane's own elements are shown anyway
        return start // size % execution.size == self.lane - lane_offset(execution)

    def _bits(self, instruction: Instruction, state: ConcreteState) -> Iterator[Change]:
        target = instruction.operands[0] if instruction.operands else None
        for name, predicate in state.predicates.items():
            before = self._predicates.get(name, PredicateBits(predicate.count, 0))
            written = isinstance(target, Name) and target.name == name
            for lane in range(predicate.count):
                bit = predicate.bits >> lane & 1
                if (bit != before.bits >> lane & 1 and self.lane in (None, lane)) or (written and self.lane == lane):
                    yield Change(f"{name}[{lane}]", str(bit))


def _value(bits: int, data_type: DataType) -> str:
    """The bits, and the number that their type makes of them."""
    pattern = f"{bits:#0{2 * data_type.size + 2}x}"
    layout = _FLOATS.get(data_type)
    if layout is not None:
        return f"{pattern} ({struct.unpack(layout, bits.to_bytes(data_type.size, 'little'))[0]:.9g})"
    return pattern if data_type.floating or bits < 10 else f"{pattern} ({to_integer(bits, data_type)})"


_FLOATS = {DataType.HF: "<e", DataType.F: "<f", DataType.DF: "<d"}
