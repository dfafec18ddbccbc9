"""`movs` on arrays: what surface and sampler variables stand for in each thread.  Page: MOVS.md."""

import numpy as np

from visaproof.decode.surfaces import StateElement, may_be_handle, unbound
from visaproof.isa.errors import NotModelled
from visaproof.isa.surface_keys import HandleNumber
from visaproof.machine.arrays.arena import Arena
from visaproof.machine.arrays.arithmetic import written
from visaproof.machine.arrays.arrays import Array, Bools
from visaproof.machine.arrays.batch import Batch, NotVectorised
from visaproof.machine.arrays.operands import Operands
from visaproof.machine.arrays.threads import UNKNOWN, Threads
from visaproof.program.statements import BindState, ReadState


class StateMoves:
    """Runs `movs` for the threads of a batch; indices are kept only where a `movs` reads one."""

    def __init__(self, threads: Threads, operands: Operands, arena: Arena) -> None:
        self._threads = threads
        self._operands = operands
        self._arena = arena
        self._tracked = threads.program.indices_are_read

    def run(self, movs: BindState | ReadState, batch: Batch) -> Bools | None:
        """Returns the threads (threads,) that the machine for single threads runs, if any.  Raises NotModelled."""
        try:
            if isinstance(movs, BindState):
                self._bind(movs, batch)
                return None
            return self._copy_indices(movs, batch)
        except NotVectorised as reason:
            raise NotModelled(f"movs with {reason}", movs.position) from None

    def _bind(self, movs: BindState, batch: Batch) -> None:
        """Page: "contiguous elements will be copied", as many as there are lanes, from the offsets of both operands."""
        threads = self._threads
        moved: list[tuple[StateElement, Array | None, Array | None]] = []
        for lane in range(movs.lanes.size):  # of all lanes, by the reading movs-mask
            place = StateElement(movs.target.variable, movs.target.element + lane)
            surfaces = None
            if (bound := movs.surfaces.get(place)) is not None:
                surfaces = self._surfaces(bound, movs, lane, batch)
            moved.append((place, surfaces, self._moved(movs, lane, batch) if self._tracked else None))
        for place, surfaces, indices in moved:
            if surfaces is not None:
                threads.surface_row(place)[batch.indices] = surfaces
            if indices is not None:
                threads.index_row(place)[batch.indices] = indices

    def _surfaces(self, bound: str | StateElement, movs: BindState, lane: int, batch: Batch) -> Array:
        """(threads,): the number of the surface that a lane binds: by its name, by an element, or by its handle."""
        threads = self._threads
        key = unbound(bound) if isinstance(bound, StateElement) else bound
        numbers = np.full(batch.count, threads.surface_number(key), np.int32)
        if isinstance(bound, StateElement):
            held = batch.pick(threads.surface_row(bound))
            return np.where(held < 0, numbers, held)
        if may_be_handle(key) and not self._arena.has(key):
            handles = self._moved(movs, lane, batch)
            for handle in np.unique(handles):
                if self._arena.has(known := str(HandleNumber(handle))):
                    numbers[handles == handle] = threads.surface_number(known)
        return numbers

    def _moved(self, movs: BindState | ReadState, lane: int, batch: Batch) -> Array:
        """(threads,): the index that a lane moves, or less than 0 where it is not known."""
        source = movs.source
        if isinstance(source, StateElement):
            return batch.pick(self._threads.index_row(StateElement(source.variable, source.element + lane))).copy()
        values, missing = self._operands.source(source, movs.lanes.size).read(batch)
        known = np.ones((batch.count, 1), np.bool_) if missing is None else ~missing
        whole = np.where(known, values.astype(np.int64) & 0xFFFF_FFFF, UNKNOWN)
        return whole[:, lane if whole.shape[1] > 1 else 0]

    def _copy_indices(self, movs: ReadState, batch: Batch) -> Bools | None:
        """Page: "If Dst is a general operand, … the index value representing the state variable will be copied"."""
        execution = movs.lanes
        target = self._operands.destination(movs.target, execution.size)
        moved = np.stack([self._moved(movs, lane, batch) for lane in range(execution.size)], axis=1)
        return written(batch, batch.masked(execution), [(target, moved)], moved < 0)
