"""What each statement of one thread wrote, told from its registers before and after."""

import struct
from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, field

from visaproof.engine.launch.shape import ThreadId
from visaproof.isa.types import DataType
from visaproof.kernel.concrete.run import PerformedMessage
from visaproof.kernel.statement import execution_of, lane_offset
from visaproof.kernel.syntax import GeneralVariable, IndirectOperand, Instruction, Kernel, VectorDestination
from visaproof.semantics.concrete.alu import to_integer
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import LaneWrite


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
        changes = [*self._elements(instruction, state), *self._bits(state), *self._written]
        self.show(Step(instruction, state.exec_mask, tuple(changes)))
        self._written = ()
        self._keep(state)

    def performed(self, message: PerformedMessage) -> bool:
        """Takes note of what a message wrote; never enough."""
        execution = message.instruction.execution
        first = execution.mask.lane_offset if execution else 0
        self._written = tuple(self._writes(message, first))
        return False

    def _writes(self, message: PerformedMessage, first: int) -> Iterator[Change]:
        for write in message.writes:
            if isinstance(write, LaneWrite) and (write.lane is None or self.lane in (None, write.lane + first)):
                value = f"{write.value:#0{2 * write.width + 2}x}"
                yield Change(f"{message.surface} [{write.address:#x}]", value)

    def _keep(self, state: ConcreteState) -> None:
        self._registers = {name: bytes(content) for name, content in state.registers.items()}
        self._predicates = dict(state.predicates)

    def _elements(self, instruction: Instruction, state: ConcreteState) -> Iterator[Change]:
        data_type = self._type(instruction)
        for name, register in state.registers.items():
            content = bytes(register)
            before = self._registers.get(name, bytes(len(content)))
            if before == content:
                continue
            size = data_type.size
            for start in range(0, len(content) - size + 1, size):
                if content[start : start + size] != before[start : start + size] and self._shown(
                    instruction, start, size
                ):
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

    def _shown(self, instruction: Instruction, start: int, size: int) -> bool:
        """Whether the element is the lane's; a uniform value belongs to every lane."""
        if self.lane is None or instruction.execution is None or instruction.opcode.endswith(("block_ld", "unaligned")):
            return True
        execution = execution_of(instruction)
        if execution.size == 1:
            return True
        target = instruction.operands[0] if instruction.operands else None
        if isinstance(target, VectorDestination):
            declared = self.kernel.variables[target.variable]
            assert isinstance(declared, GeneralVariable)
            _, behind = self.kernel.root_of(declared)
            origin = behind + target.column * size
            step = max(target.horizontal, 1) * size
            return (start - origin) // step % execution.size == self.lane - lane_offset(execution)
        return start // size % execution.size == self.lane - lane_offset(execution)

    def _bits(self, state: ConcreteState) -> Iterator[Change]:
        for name, predicate in state.predicates.items():
            before = self._predicates.get(name, PredicateBits(predicate.count, 0))
            for lane in range(predicate.count):
                bit = predicate.bits >> lane & 1
                if bit != before.bits >> lane & 1 and self.lane in (None, lane):
                    yield Change(f"{name}[{lane}]", str(bit))


def _value(bits: int, data_type: DataType) -> str:
    """The bits, and the number that their type makes of them."""
    pattern = f"{bits:#0{2 * data_type.size + 2}x}"
    layout = _FLOATS.get(data_type)
    if layout is not None:
        return f"{pattern} ({struct.unpack(layout, bits.to_bytes(data_type.size, 'little'))[0]:.9g})"
    return pattern if data_type.floating or bits < 10 else f"{pattern} ({to_integer(bits, data_type)})"


_FLOATS = {DataType.HF: "<e", DataType.F: "<f", DataType.DF: "<d"}
