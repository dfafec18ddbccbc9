"""The registers of all threads, and where each lane is.

Rows are threads.  A root variable is (threads, bytes), its rows padded to whole qwords so that it can be viewed as
numbers of any width.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from visaproof.decode.surfaces import StateElement
from visaproof.isa.execution import THREAD_LANES
from visaproof.machine.arrays.arrays import Bools, Bytes, Indices
from visaproof.machine.arrays.trail import TrailOnArrays
from visaproof.program.program import Program
from visaproof.semantics.concrete.choices import STRICT, Choices

ENDED = 2**30
"""The place of a lane that does not run."""

UNKNOWN = -1
"""In the place of a surface or an index that nothing bound."""

ADDRESS_ROOM = 4 * THREAD_LANES
"""Registers behind an address variable that a strided destination may reach."""


class Threads:
    """The state of every thread."""

    def __init__(
        self,
        program: Program,
        registers: Mapping[str, Bytes],
        exec_masks: NDArray[np.integer],
        groups: NDArray[np.integer],
        predicates: Mapping[str, Bools],
        choices: Choices = STRICT,
    ) -> None:
        self.program = program
        self.platform = program.platform
        self.count = len(exec_masks)
        self.choices = choices
        self.trail = None if choices.trail is None else TrailOnArrays(self.count)
        self.groups: Indices = groups.astype(np.intp).reshape(-1, 1)
        """(threads, 1)"""
        self.registers: dict[str, Bytes] = {}
        self.sizes: dict[str, int] = {}
        self.predicates: dict[str, Bools] = {}
        """(threads, bits)"""
        self.address_roots: dict[str, NDArray[np.int32]] = {}
        """(threads, elements): which of `roots` an address register points into; -1 where it was never written."""
        self.address_bytes: dict[str, NDArray[np.int64]] = {}
        """(threads, elements): the byte in that root."""
        self._declare(registers, predicates)
        self.roots = list(self.registers)
        lanes = np.arange(THREAD_LANES)
        launched = (exec_masks.astype(np.int64).reshape(-1, 1) >> lanes & 1).astype(np.bool_)
        if not launched.any(axis=1).all():
            raise ValueError("a thread runs at least one lane")
        self.lanes = int(np.flatnonzero(launched.any(axis=0))[-1]) + 1
        """How many lanes may run; no thread has one behind them."""
        self.lane_places = np.where(launched[:, : self.lanes], 0, ENDED).astype(np.int32)
        """(threads, lanes): the statement that each lane comes to next."""
        self.places = np.zeros(self.count, np.int32)
        """(threads,): the lowest of its lanes'."""
        self.waiting: Bools = np.zeros(self.count, np.bool_)
        """(threads,): whether it waits at a barrier."""
        self.bound: dict[StateElement, NDArray[np.int32]] = {}
        """(threads,): which of `surface_keys` an element of a surface variable stands for; UNKNOWN where nothing bound
        it."""
        self.surface_keys: list[str] = []
        self.indices: dict[StateElement, NDArray[np.int64]] = {}
        """(threads,): the index that was moved into an element of a state variable; UNKNOWN where none was."""

    def _declare(self, registers: Mapping[str, Bytes], predicates: Mapping[str, Bools]) -> None:
        """Variables that the caller does not give hold 0."""
        for name, storage in self.program.storage.items():
            self._register(name, storage.size, registers.get(name))
        for name, count in self.program.predicates.items():
            bits = np.zeros((self.count, count), np.bool_)
            if name in predicates:
                bits[:] = predicates[name]
            self.predicates[name] = bits
        for name, count in self.program.addresses.items():
            shape = (self.count, count + ADDRESS_ROOM)
            self.address_roots[name] = np.full(shape, -1, np.int32)
            self.address_bytes[name] = np.zeros(shape, np.int64)

    def _register(self, name: str, declared: int, given: Bytes | None) -> None:
        size = declared if given is None else given.shape[1]
        room = np.zeros((self.count, -(-size // 8) * 8), np.uint8)
        if given is not None:
            room[:, :size] = given
        self.registers[name], self.sizes[name] = room, size

    def register(self, name: str) -> Bytes:
        """(threads, bytes) of a root variable, without what pads its rows."""
        return self.registers[name][:, : self.sizes[name]]

    def surface_row(self, place: StateElement) -> NDArray[np.int32]:
        """Its entry of `bound`, which is made where it is new."""
        return self.bound.setdefault(place, np.full(self.count, UNKNOWN, np.int32))

    def index_row(self, place: StateElement) -> NDArray[np.int64]:
        """Its entry of `indices`, which is made where it is new."""
        return self.indices.setdefault(place, np.full(self.count, UNKNOWN, np.int64))

    def surface_number(self, key: str) -> int:
        """The place of a key among `surface_keys`; it is added where it is new."""
        if key not in self.surface_keys:
            self.surface_keys.append(key)
        return self.surface_keys.index(key)

    def end(self, rows: Indices) -> None:
        """These threads run no further."""
        self.lane_places[rows] = ENDED
        self.places[rows] = ENDED

    def move(self, rows: Indices | None, lane_places: NDArray[np.int32]) -> None:
        """Puts the lanes of some threads, or of all, at (threads, lanes) places."""
        if rows is None:
            self.lane_places = lane_places
            self.places = lane_places.min(axis=1)
        else:
            self.lane_places[rows] = lane_places
            self.places[rows] = lane_places.min(axis=1)
