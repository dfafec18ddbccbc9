"""`movs` on arrays: what surface and sampler variables stand for in each thread.  Page: MOVS.md."""

import numpy as np

from visaproof.decode.opcode_check import require_described
from visaproof.decode.statement import execution_of
from visaproof.decode.surfaces import StateElement, SurfaceBindings, copied, indices_are_read, may_be_handle, unbound
from visaproof.isa.errors import NotModelled
from visaproof.machine.arrays.arena import Arena
from visaproof.machine.arrays.arithmetic import written
from visaproof.machine.arrays.arrays import Array, Bools
from visaproof.machine.arrays.batch import Batch, Irregular
from visaproof.machine.arrays.operands import Operands
from visaproof.machine.arrays.threads import UNKNOWN, Threads
from visaproof.visaasm.syntax import Instruction, Kernel, SubscriptedName


class StateMoves:
    """Runs `movs` for the threads of a batch; indices are kept only where a `movs` reads one."""

    def __init__(self, kernel: Kernel, threads: Threads, operands: Operands, arena: Arena) -> None:
        self._kernel = kernel
        self._threads = threads
        self._operands = operands
        self._arena = arena
        self._names = SurfaceBindings(kernel, threads.platform)
        self._tracked = indices_are_read(kernel)

    def run(self, movs: Instruction, batch: Batch) -> Bools | None:
        """Returns the threads (threads,) that the machine for single threads runs, if any.  Raises NotModelled."""
        require_described(movs, self._kernel, self._threads.platform)
        try:
            if isinstance(movs.operands[0], SubscriptedName):
                self._bind(movs, movs.operands[0], batch)
                return None
            return self._copy_indices(movs, batch)
        except Irregular as reason:
            raise NotModelled(f"movs with {reason}", movs.position) from None

    def _bind(self, movs: Instruction, target: SubscriptedName, batch: Batch) -> None:
        """Page: "contiguous elements will be copied", as many as there are lanes, from the offsets of both operands."""
        threads, source = self._threads, movs.operands[1]
        keys = self._names.named(movs, unbound)
        moved: list[tuple[StateElement, Array | None, Array | None]] = []
        for lane in range(execution_of(movs).size):  # of all lanes, by the reading movs-mask
            place = StateElement(target.name, target.element + lane)
            surfaces = None
            if (key := keys.get(place)) is not None:
                surfaces = self._surfaces(key, copied(target, source, lane), movs, lane, batch)
            moved.append((place, surfaces, self._moved(movs, lane, batch) if self._tracked else None))
        for place, surfaces, indices in moved:
            if surfaces is not None:
                threads.surface_row(place)[batch.indices] = surfaces
            if indices is not None:
                threads.index_row(place)[batch.indices] = indices

    def _surfaces(self, key: str, place: StateElement | None, movs: Instruction, lane: int, batch: Batch) -> Array:
        """(threads,): the number of the surface that a lane binds, whose name is the key, or by its handle."""
        threads = self._threads
        numbers = np.full(batch.count, threads.surface_number(key), np.int32)
        if place is not None:
            held = batch.pick(threads.surface_row(place))
            return np.where(held < 0, numbers, held)
        if may_be_handle(key) and not self._arena.has(key):
            handles = self._moved(movs, lane, batch)
            for handle in np.unique(handles):
                if self._arena.has(known := f"bindless handle {handle}"):
                    numbers[handles == handle] = threads.surface_number(known)
        return numbers

    def _moved(self, movs: Instruction, lane: int, batch: Batch) -> Array:
        """(threads,): the index that a lane moves, or less than 0 where it is not known."""
        source = movs.operands[1]
        if isinstance(source, SubscriptedName):
            return batch.pick(self._threads.index_row(StateElement(source.name, source.element + lane))).copy()
        values, missing = self._operands.source(source, execution_of(movs).size).read(batch)
        known = np.ones((batch.count, 1), np.bool_) if missing is None else ~missing
        whole = np.where(known, values.astype(np.int64) & 0xFFFF_FFFF, UNKNOWN)
        return whole[:, lane if whole.shape[1] > 1 else 0]

    def _copy_indices(self, movs: Instruction, batch: Batch) -> Bools | None:
        """Page: "If Dst is a general operand, … the index value representing the state variable will be copied"."""
        execution = execution_of(movs)
        target = self._operands.destination(movs.operands[0], execution.size)
        moved = np.stack([self._moved(movs, lane, batch) for lane in range(execution.size)], axis=1)
        return written(batch, batch.masked(execution), [(target, moved)], moved < 0)
