"""Which bytes of registers a memory message reads and writes for each lane: its footprint, asked of registers of zeros.

A footprint says under which lane's guard it reads a word, and where a lane's data goes, whatever registers hold.
"""

from visaproof.decode.message import Message, TypedMessage
from visaproof.instructions.svm_gather import FLAT
from visaproof.instructions.undefined_bytes import undefined_bytes_of
from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.operands import SCRATCH, Execution, RawOperand
from visaproof.machine.symbolic.machine import LOD_LEVELS
from visaproof.program.effects import lanes_of_message
from visaproof.program.statements import MemoryMessage
from visaproof.queries.kernels.lane_bytes import LaneBytes
from visaproof.queries.kernels.lane_places import OF_THE_THREAD, Cover, Moved, NotFollowed, Touched, Variable
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.names import extents_of, surface_size
from visaproof.semantics.symbolic.registers import RegisterFile
from visaproof.semantics.symbolic.state import (
    SymbolicBuffer,
    SymbolicFlat,
    SymbolicImage,
    SymbolicScratch,
    SymbolicState,
    SymbolicSurface,
)
from visaproof.smt import BitVec, Bool, bool_symbol, const, is_false, true

LANES = tuple(bool_symbol(f"lane {lane} of a message") for lane in range(THREAD_LANES))
"""That a lane is enabled."""

_LANE = {guard: lane for lane, guard in enumerate(LANES)}

_Access = tuple[str, int, int, Bool | None]
"""A variable, its first byte and how many, and when; None where that is not said."""


class _Zeros(RegisterFile):
    """Registers that hold 0, and note who reads them."""

    def __init__(self, sizes: dict[str, int]) -> None:
        super().__init__(sizes, lambda variable, byte: (const(0, 8), 0))
        self.noted = list[_Access]()

    def read(self, variable: str, start: int, width: int) -> BitVec:
        return self.read_when(variable, start, width, None)

    def read_when(self, variable: str, start: int, width: int, when: Bool | None) -> BitVec:
        self.noted.append((variable, start, width, when))
        return const(0, 8 * width)


class _Asked(SymbolicState, frozen=True, kw_only=True):
    """A thread of which each lane may be enabled."""

    zeros: _Zeros

    def lanes_enabled(self, execution: Execution) -> list[tuple[Bool, Bool]]:
        return [(LANES[lane], true()) for lane in range(execution.size)]

    def read_bytes(self, operand: RawOperand, start: int, width: int, when: Bool | None = None) -> tuple[BitVec, bool]:
        first = operand.offset + start
        if not self.zeros.holds(operand.variable, first, width):
            return const(0, 8 * width), False
        return self.zeros.read_when(operand.variable, first, width, when), True


def message_bytes(statement: MemoryMessage, known: LaneBytes) -> Moved:
    """What it reads and writes.  Raises NotFollowed."""
    message, execution, program = statement.message, lanes_of_message(statement.message), known.program
    if execution is None:
        raise NotFollowed
    cover, zeros = Cover.of(execution), _Zeros(known.sizes)
    state = _Asked(program.platform, LANES, zeros, {}, {message.surface: _surface(message)}, zeros=zeros)
    written = list[_Access]()
    for access in message.footprint(state):
        if is_false(access.defined):
            raise NotFollowed
        if not isinstance(access, Store) and (place := access.destination) is not None:
            written.append((place.variable, place.start, place.width, access.guard))
    for guard, place in undefined_bytes_of(message, state):
        written.append((place.variable, place.start, place.width, guard))
    reads = [one for access in zeros.noted for one in known.read(*_owned(access, cover))]
    writes = [one for access in written if access[3] in _LANE for one in known.written(*_owned(access, cover))]
    return known.message(execution, reads, writes)


def _owned(access: _Access, cover: Cover) -> tuple[Cover, Touched]:
    """By the lane under whose guard it is, or else by the thread."""
    name, start, size, guard = access
    lane = None if guard is None else _LANE.get(guard)
    return OF_THE_THREAD if lane is None else cover.lane(lane), [(Variable(name), ((start, start + size),))]


def _surface(message: Message) -> SymbolicSurface:
    if isinstance(message, TypedMessage):
        return SymbolicImage((extents_of(message.surface, 0),) * LOD_LEVELS)
    if message.surface == FLAT:
        return SymbolicFlat()
    return SymbolicScratch() if message.surface == SCRATCH else SymbolicBuffer(surface_size(message.surface))
