"""Memory messages of many threads: scattered reads and writes by one fancy index.  Pages: see `pages`."""

import numpy as np

from visaproof.decode.surfaces import StateElement
from visaproof.instructions.family import DwordAtomic, LscAtomic, LscLoad, SvmAtomic
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import Position
from visaproof.isa.operands import NULL, Execution
from visaproof.machine.arrays.arena import Arena
from visaproof.machine.arrays.arrays import Addresses, Array, Bools, any_lane
from visaproof.machine.arrays.batch import Batch, Enabled, NotVectorised, require_bits
from visaproof.machine.arrays.messages import raw
from visaproof.machine.arrays.messages.atomics import Atomics
from visaproof.machine.arrays.messages.matrices import Matrix, matrix_step
from visaproof.machine.arrays.messages.pages import STORES, transfer_of
from visaproof.machine.arrays.messages.transfers import Transfer, colliding
from visaproof.machine.arrays.step import Move, Step
from visaproof.machine.arrays.threads import Threads
from visaproof.machine.concrete.run import MissingSurface
from visaproof.program.statements import MemoryMessage


class Messages:
    """Turns memory messages into steps."""

    def __init__(self, threads: Threads, arena: Arena) -> None:
        self._threads = threads
        self._arena = arena
        self._atomics = Atomics(threads, arena)

    def step(self, statement: MemoryMessage) -> Step:
        """Raises NotVectorised for what the arrays do not run."""
        message, position = statement.message, statement.position
        if isinstance(message, DwordAtomic | SvmAtomic | LscAtomic):
            if not isinstance(message, DwordAtomic) and message.bits != 32:
                raise NotVectorised("an atomic on qwords")
            require_bits(message.execution, self._threads)
            address, move = self._atomics.address(message), self._atomics.move(message)
            return self._on_surface(position, message.surface, message.execution, address, move)
        if isinstance(message, Matrix):
            return matrix_step(position, message, self._threads, self._arena)
        transfer = transfer_of(message, self._threads)
        if transfer.execution is not None:
            require_bits(transfer.execution, self._threads)
        if isinstance(message, LscLoad) and message.dst == NULL:
            return Step(transfer.execution, _nothing)  # it only fills the cache
        move = self._store(transfer) if isinstance(message, STORES) else self._load(transfer)
        return self._on_surface(position, transfer.surface, transfer.execution, transfer.address, move)

    def _on_surface(
        self, position: Position, variable: str, execution: Execution | None, address: raw.Numbers, move: Move
    ) -> Step:
        trail = self._threads.trail

        def run(batch: Batch, enabled: Enabled) -> Bools | None:
            if trail is not None:
                lanes = enabled.lanes if execution is not None else np.ones((batch.count, 1), np.bool_)
                trail.note(position, batch.indices, address(batch), lanes)
            key = self._key(batch, variable)
            if key is None:
                return np.ones(batch.count, np.bool_)
            if not self._arena.has(key):
                raise MissingSurface(position, key)
            self._arena.here = position
            return move(batch, enabled, key)

        return Step(execution, run)

    def _key(self, batch: Batch, variable: str) -> str | None:
        """What the surface variable stands for; None where it is not the same for all threads of the batch."""
        bound = self._threads.bound.get(StateElement(variable, 0))
        if bound is None:
            return variable
        numbers = batch.pick(bound)
        if not (numbers == numbers[0]).all():
            return None
        return variable if numbers[0] < 0 else self._threads.surface_keys[int(numbers[0])]

    def _load(self, transfer: Transfer) -> Move:
        threads, arena, data = self._threads, self._arena, transfer.data
        writers = [
            raw.writer(raw.words(threads, data, word.start, word.register_width, word.stride, transfer.lanes))
            for word in transfer.words
        ]
        rests = [rest for rest in (self._rest(transfer, *span) for span in transfer.cleared) if rest.size]

        def move(batch: Batch, enabled: Enabled, key: str) -> Bools | None:
            address, enabled, left = _addresses(transfer, batch, enabled)
            loaded: list[Array] = []
            for word in transfer.words:
                place = address + np.uint64(word.behind)
                index, inside = arena.locate(key, place, word.width, batch.owners(key))
                loaded.append(arena.read(index, word.width))
                left = _either(left, arena.strays(key, inside, enabled.lanes, place, batch.indices))
            if left is not None:
                enabled = enabled.without(left)
            for write, values in zip(writers, loaded, strict=True):
                write(batch, values, enabled.lanes, enabled.full)
            some = enabled.lanes.any(axis=1)
            for rest in rests:
                rest[batch.indices[some]] = 0
            return left

        return move

    def _rest(self, transfer: Transfer, start: int, end: int) -> Array:
        """The bytes (threads, …) of whole dwords behind the data operand that its variable has."""
        size = self._threads.sizes[transfer.data.variable] - transfer.data.offset
        fitting = max(0, min(end, size) - start) // 4 * 4
        first = transfer.data.offset + start
        return self._threads.registers[transfer.data.variable][:, first : first + fitting]

    def _store(self, transfer: Transfer) -> Move:
        threads, arena, data = self._threads, self._arena, transfer.data
        views = [
            raw.words(threads, data, word.start, word.register_width, word.stride, transfer.lanes)
            for word in transfer.words
        ]
        width = transfer.words[0].width
        assert all(word.width == width for word in transfer.words)
        behind = np.repeat([word.behind for word in transfer.words], transfer.lanes).astype(np.uint64)

        def move(batch: Batch, enabled: Enabled, key: str) -> Bools | None:
            address, enabled, left = _addresses(transfer, batch, enabled)
            places = arena.plain(key, np.tile(address, len(views)) + behind)
            wanted = np.tile(enabled.lanes, len(views))
            index, inside = arena.locate(key, places, width, batch.owners(key))
            if transfer.execution is not None:
                met = colliding(places, width, wanted if key == FLAT else wanted & inside)
                left = _either(left, met)
            if left is not None:
                wanted &= ~left[:, None]
            strays = arena.strays(key, inside, wanted, places, batch.indices)
            live = wanted & inside if strays is None else wanted & inside & ~strays[:, None]
            left = _either(left, strays)
            values = np.concatenate([batch.pick(view) for view in views], axis=1)
            arena.write(index[live], width, values[live])
            return left

        return move


def _nothing(_: Batch, __: Enabled) -> None:
    return None


def _addresses(transfer: Transfer, batch: Batch, enabled: Enabled) -> tuple[Addresses, Enabled, Bools | None]:
    """The first byte of each lane, which lanes take part, and the threads (threads,) with a misaligned one, if any."""
    first, left = transfer.address(batch), None
    shape = (batch.count, transfer.lanes)
    if transfer.unit > 1:
        misaligned = (first & np.uint64(transfer.unit - 1)) != 0
        if misaligned.any():
            left = any_lane(
                misaligned, np.ones((batch.count, 1), np.bool_) if transfer.execution is None else enabled.lanes
            )
    if transfer.execution is None:
        first = first + np.array(transfer.distances, np.uint64)
        enabled = Enabled(np.ones(shape, np.bool_), True)
    if left is not None:
        enabled = enabled.without(left)
    return np.broadcast_to(first, shape), enabled, left


def _either(first: Bools | None, second: Bools | None) -> Bools | None:
    if first is None or second is None:
        return second if first is None and second is not None and second.any() else first
    return first | second
