"""What each statement of one thread wrote: by its registers before and after, and of one lane by its destination."""

import struct
from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, field

from msgspec import Struct

from visaproof.decode.statement import lane_offset, without_predicate
from visaproof.execution.shape import ThreadId
from visaproof.isa.operands import Execution
from visaproof.isa.types import DataType
from visaproof.machine.concrete.run import PerformedMessage
from visaproof.program.effects import destinations_of, lanes_of, predicate_of
from visaproof.program.operands import Target, Unlowered
from visaproof.program.statements import Compute, Run
from visaproof.semantics.concrete.alu import to_integer
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import LaneWrite


class Traced(Struct, frozen=True):
    """The thread to be shown, or one lane of it."""

    thread: ThreadId
    lane: int | None


class Change(Struct, frozen=True):
    """An element that a statement left with another value, or a destination that it wrote."""

    place: str
    value: str


class Step(Struct, frozen=True):
    """A statement that ran."""

    statement: Run
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

    lane: int | None
    show: Callable[[Step], None]
    start: InitVar[ConcreteState]
    _registers: dict[str, bytes] = field(init=False)
    _predicates: dict[str, PredicateBits] = field(init=False)
    _written: tuple[Change, ...] = ()

    def __post_init__(self, start: ConcreteState) -> None:
        self._keep(start)

    def observe(self, statement: Run, state: ConcreteState) -> None:
        changes = [*self._elements(statement, state), *self._bits(statement, state), *self._written]
        self.show(Step(statement, state.exec_mask, tuple(changes)))
        self._written = ()
        self._keep(state)

    def performed(self, message: PerformedMessage) -> bool:
        """Takes note of what a message wrote; never enough."""
        self._written = tuple(written_by(message, self.lane))
        return False

    def _keep(self, state: ConcreteState) -> None:
        self._registers = {name: bytes(content) for name, content in state.registers.items()}
        self._predicates = dict(state.predicates)

    def _elements(self, statement: Run, state: ConcreteState) -> Iterator[Change]:
        data_type = _type(statement)
        size = data_type.size
        own = set(self._destinations(statement, state))
        for name, register in state.registers.items():
            content = bytes(register)
            before = self._registers.get(name, bytes(len(content)))
            shown = {start for variable, start in own if variable == name}
            if before != content:
                starts = range(0, len(content) - size + 1, size)
                changed = (at for at in starts if content[at : at + size] != before[at : at + size])
                shown |= {at for at in changed if self._shown(statement, at, size)}
            for start in sorted(shown):
                bits = int.from_bytes(content[start : start + size], "little")
                yield Change(f"{name}.{start}", _value(bits, data_type))

    def _destinations(self, statement: Run, state: ConcreteState) -> Iterator[tuple[str, int]]:
        """The variables and the bytes of the elements that the lane writes, the same values or others."""
        execution = lanes_of(statement)
        if self.lane is None or execution is None:
            return
        grf_bytes = state.platform.grf_bytes
        lane = 0 if execution.size == 1 else self.lane - lane_offset(execution)
        if not 0 <= lane < execution.size or not self._enabled(statement, execution, state, lane):
            return
        for target in destinations_of(statement):
            if isinstance(target, Target):
                start = target.start + lane * target.stride * target.type.size
                yield target.storage, start
                if isinstance(statement, Compute) and statement.operation.name == "madw":
                    yield target.storage, start + -(-4 * execution.size // grf_bytes) * grf_bytes  # the high half

    def _enabled(self, statement: Run, execution: Execution, state: ConcreteState, lane: int) -> bool:
        """Whether the lane took part, by the predicates before the statement; to `sel` its predicate is an operand."""
        if isinstance(statement, Compute) and statement.operation.name == "sel":
            execution = without_predicate(execution)
        before = ConcreteState(state.platform, exec_mask=state.exec_mask, predicates=self._predicates)
        return before.channel_enabled(execution, lane)

    def _shown(self, statement: Run, start: int, size: int) -> bool:
        """Whether an element that has changed is the lane's; a uniform value belongs to every lane."""
        execution = lanes_of(statement)
        if self.lane is None or execution is None or execution.size == 1:
            return True
        if any(isinstance(target, Target) for target in destinations_of(statement)[:1]):
            return False  # the lane's own elements are shown anyway
        return start // size % execution.size == self.lane - lane_offset(execution)

    def _bits(self, statement: Run, state: ConcreteState) -> Iterator[Change]:
        for name, predicate in state.predicates.items():
            before = self._predicates.get(name, PredicateBits(predicate.count, 0))
            written = predicate_of(statement) == name
            for lane in range(predicate.count):
                bit = predicate.bits >> lane & 1
                if (bit != before.bits >> lane & 1 and self.lane in (None, lane)) or (written and self.lane == lane):
                    yield Change(f"{name}[{lane}]", str(bit))


def _type(statement: Run) -> DataType:
    """The type of the destination; dwords where it has none."""
    types = (one.type for one in destinations_of(statement) if not isinstance(one, Unlowered))
    return next(types, DataType.UD)


def _value(bits: int, data_type: DataType) -> str:
    """The bits, and the number that their type makes of them."""
    pattern = f"{bits:#0{2 * data_type.size + 2}x}"
    layout = _FLOATS.get(data_type)
    if layout is not None:
        return f"{pattern} ({struct.unpack(layout, bits.to_bytes(data_type.size, 'little'))[0]:.9g})"
    return pattern if data_type.floating or bits < 10 else f"{pattern} ({to_integer(bits, data_type)})"


_FLOATS = {DataType.HF: "<e", DataType.F: "<f", DataType.DF: "<d"}
