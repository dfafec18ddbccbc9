"""One statement for one thread, by the machine for single threads on the rows of the arrays.

It runs what the arrays do not: rare statements, and threads that are about to do something undefined.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

import numpy as np
from msgspec.structs import replace

from visaproof.decode.statement import lane_offset
from visaproof.decode.surfaces import StateElement
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.operands import SCRATCH, Execution
from visaproof.machine.arrays.arena import Arena
from visaproof.machine.arrays.arrays import Bools
from visaproof.machine.arrays.messages.buffers import ArenaBuffer
from visaproof.machine.arrays.threads import UNKNOWN, Threads
from visaproof.machine.concrete.arithmetic import ConcreteArithmetic
from visaproof.machine.concrete.matrices import run_dpas
from visaproof.machine.concrete.operands import Address, ConcreteOperands
from visaproof.machine.concrete.run import MissingSurface
from visaproof.machine.concrete.sampler import read_zeros
from visaproof.machine.concrete.state_moves import copy_indices
from visaproof.program.statements import (
    COMPUTING,
    MatrixProduct,
    MemoryMessage,
    ReadState,
    Refused,
    Run,
    SamplerMessage,
)
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, Surface

Default = TypeVar("Default")


class SingleThreads:
    """Runs statements for one thread after the other."""

    def __init__(self, threads: Threads, arena: Arena, images: dict[str, Sequence[Image]]) -> None:
        self._threads = threads
        self._arena = arena
        self._images = images
        self._machines: dict[int, tuple[ConcreteState, ConcreteOperands, ConcreteArithmetic]] = {}
        self._here: Position | None = None
        """Of the statement that runs."""

    def step(self, statement: Run, thread: int, active: Bools) -> None:
        """Runs a statement with the lanes that are on in `active` (lanes,).

        Raises UndefinedBehavior, and NotModelled with the statement's position.
        """
        state, operands, arithmetic = self._machine(thread)
        state.exec_mask, self._here, self._arena.here = _bits(active), statement.position, statement.position
        match statement:
            case MemoryMessage():
                self._message(statement, state, thread)
            case SamplerMessage():
                self._sample(statement, state, thread)
            case MatrixProduct():
                run_dpas(statement.product, state)
            case ReadState():
                copy_indices(statement, state, operands, lambda place: self._index(place, thread))
            case Refused():
                statement.refuse()
            case _ if isinstance(statement, COMPUTING):
                arithmetic.step(statement)
            case _:
                raise NotModelled(f"opcode {statement.origin.opcode}", statement.position)

    def ask(self, execution: Execution, thread: int, active: Bools) -> None:
        """Raises UndefinedBehavior where some lane that is on has no answer to whether it takes part."""
        state, *_ = self._machine(thread)
        state.exec_mask = _bits(active)
        for lane in range(execution.size):
            if lane_offset(execution) + lane < THREAD_LANES:
                state.channel_enabled(execution, lane)

    def _machine(self, thread: int) -> tuple[ConcreteState, ConcreteOperands, ConcreteArithmetic]:
        if thread not in self._machines:
            threads = self._threads
            state = ConcreteState(
                threads.platform,
                registers=_Registers(threads, thread),
                predicates=_Predicates(threads, thread),
                surfaces=_Surfaces(
                    self._arena, self._images, int(threads.groups[thread, 0]), thread, self._noting(thread)
                ),
                choices=threads.choices.of_thread(thread),
            )
            operands = _Operands(threads, state, thread)
            self._machines[thread] = state, operands, ConcreteArithmetic(state, operands)
        return self._machines[thread]

    def _noting(self, thread: int) -> Callable[[int], None] | None:
        """Takes note of a byte that a message of the thread reaches, where somebody asks for it."""
        trail = self._threads.trail
        if trail is None:
            return None

        def reaches(place: int) -> None:
            if self._here is not None:
                trail.note_one(self._here, thread, place)

        return reaches

    def _message(self, statement: MemoryMessage, state: ConcreteState, thread: int) -> None:
        message = statement.message
        key = surface_key(self._threads, thread, message.surface)
        if key not in state.surfaces:
            raise MissingSurface(statement.position, key)
        replace(message, surface=key).execute(state)

    def _index(self, place: StateElement, thread: int) -> int | None:
        """What was moved into an element of a state variable."""
        found = int(self._threads.index_row(place)[thread])
        return None if found == UNKNOWN else found

    def _sample(self, statement: SamplerMessage, state: ConcreteState, thread: int) -> None:
        read = statement.read
        key = surface_key(self._threads, thread, read.surface)
        try:
            read_zeros(read, statement.opcode, state.surfaces.get(key), state)
        except NotModelled as reason:
            raise NotModelled(reason.what, statement.position) from None


def surface_key(threads: Threads, thread: int, variable: str) -> str:
    """What the surface variable stands for in this thread."""
    bound = threads.bound.get(StateElement(variable, 0))
    if bound is None or bound[thread] < 0:
        return variable
    return threads.surface_keys[int(bound[thread])]


def _bits(row: Bools) -> int:
    return sum(1 << int(bit) for bit in np.flatnonzero(row))


class _Registers(dict[str, bytearray]):
    """A thread's row of each root variable, as bytes that are changed in place."""

    def __init__(self, threads: Threads, thread: int) -> None:
        super().__init__()
        self._threads = threads
        self._thread = thread

    def __missing__(self, name: str) -> bytearray:
        row = self._threads.registers[name][self._thread, : self._threads.sizes[name]]
        self[name] = view = cast(bytearray, row.data)  # has all that a state asks of a bytearray
        return view

    def get(self, key: str, default: Default = None) -> bytearray | Default:
        """A dictionary's own one does not ask `__missing__`."""
        return self[key] if key in self._threads.registers else default


class _Predicates(dict[str, PredicateBits]):
    """A thread's row of each predicate variable."""

    def __init__(self, threads: Threads, thread: int) -> None:
        super().__init__()
        self._threads = threads
        self._thread = thread

    def __getitem__(self, name: str) -> PredicateBits:
        row = self._threads.predicates[name][self._thread]
        return PredicateBits(len(row), _bits(row))

    def __setitem__(self, name: str, bits: PredicateBits) -> None:
        row = self._threads.predicates[name][self._thread]
        row[:] = [bits.bits >> k & 1 for k in range(len(row))]


class _Surfaces(dict[str, Surface]):
    """The surfaces as a thread of a group sees them."""

    def __init__(
        self,
        arena: Arena,
        images: dict[str, Sequence[Image]],
        group: int,
        thread: int,
        reaches: Callable[[int], None] | None,
    ) -> None:
        super().__init__()
        self._reaches = reaches
        self._arena = arena
        self._images = images
        self._group = group
        self._thread = thread

    def __contains__(self, key: object) -> bool:
        return key in self._images or (isinstance(key, str) and self._arena.has(key))

    def __missing__(self, key: str) -> Surface:
        if key in self._images:
            found = self._images[key]
            self[key] = found[self._group if len(found) > 1 else 0]
        else:
            owner = self._thread if key == SCRATCH else self._group
            self[key] = ArenaBuffer(self._arena, key, owner, self._thread, self._reaches)
        return self[key]

    def get(self, key: str, default: Default = None) -> Surface | Default:
        """For the sampler, which looks at the contents: whether any byte is not 0."""
        if key not in self:
            return default
        if key in self._images:
            return self[key]
        return Buffer(self._arena.size(key), {0: 1} if self._arena.holds_anything(key, self._group) else {})


class _Operands(ConcreteOperands):
    """Operands of a thread whose address registers are in the arrays."""

    def __init__(self, threads: Threads, state: ConcreteState, thread: int) -> None:
        super().__init__(state)
        self._addresses = _AddressRegisters(threads, thread)


class _AddressRegisters(dict[tuple[str, int], Address]):
    """A thread's row of each address variable."""

    def __init__(self, threads: Threads, thread: int) -> None:
        super().__init__()
        self._threads = threads
        self._thread = thread

    def __contains__(self, place: object) -> bool:
        name, element = cast(tuple[str, int], place)
        return bool(self._threads.address_roots[name][self._thread, element] >= 0)

    def __getitem__(self, place: tuple[str, int]) -> Address:
        name, element = place
        root = self._threads.roots[int(self._threads.address_roots[name][self._thread, element])]
        return root, int(self._threads.address_bytes[name][self._thread, element])

    def __setitem__(self, place: tuple[str, int], address: Address) -> None:
        name, element = place
        root, byte = address
        self._threads.address_roots[name][self._thread, element] = self._threads.roots.index(root)
        self._threads.address_bytes[name][self._thread, element] = byte

    def __delitem__(self, place: tuple[str, int]) -> None:
        name, element = place
        self._threads.address_roots[name][self._thread, element] = -1
