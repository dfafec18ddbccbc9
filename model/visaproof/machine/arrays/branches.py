"""`goto` and `jmp`: where each lane goes.  Page: GOTO.md."""

from collections.abc import Iterator

import numpy as np

from visaproof.decode.statement import lane_offset, without_mask
from visaproof.isa.errors import UndefinedBehavior
from visaproof.machine.arrays.arrays import Bools
from visaproof.machine.arrays.batch import Batch, NotVectorised, require_bits
from visaproof.machine.arrays.scalar_fallback import SingleThreads
from visaproof.machine.arrays.threads import Threads
from visaproof.program.statements import Branch


class Branches:
    """The branches of a kernel."""

    def __init__(self, threads: Threads, single: SingleThreads) -> None:
        self._threads = threads
        self._single = single

    def jump(self, batch: Batch, branch: Branch, behind: int) -> None:
        """Puts the lanes that jump at the label, and the others at the place `behind` the branch."""
        active = batch.active
        target = np.int32(branch.target)
        jumping = np.broadcast_to(self._jumping(batch, branch) & active, active.shape)
        if self._threads.trail is not None:
            self._threads.trail.note(branch.position, batch.indices, jumping, active)
        places = np.where(jumping, target, np.int32(behind))
        self._threads.move(batch.rows, np.where(active, places, batch.pick(self._threads.lane_places)))

    def _jumping(self, batch: Batch, branch: Branch) -> Bools:
        """(threads, lanes) or (threads, 1)"""
        execution = branch.lanes
        if execution.size == 1:  # Page GOTO: "all channels would either branch or not"
            return batch.enabled(without_mask(execution)).lanes
        lanes, offset = batch.enabled(execution).lanes, lane_offset(execution)
        if offset == 0 and lanes.shape == batch.active.shape:
            return lanes
        jumping = np.zeros_like(batch.active)
        there = jumping[:, offset : offset + execution.size]
        there[:] = lanes[:, : there.shape[1]]
        return jumping

    def undefined(self, batch: Batch, branch: Branch) -> Iterator[tuple[int, str]]:
        """The threads, by their place in the batch, to which the predicate gives no answer, and why."""
        execution = branch.lanes
        try:
            require_bits(execution, self._threads)
        except NotVectorised:
            execution = without_mask(execution) if execution.size == 1 else execution
            for k, thread in enumerate(batch.indices):
                try:
                    self._single.ask(execution, int(thread), batch.active[k])
                except UndefinedBehavior as reason:
                    yield k, str(reason)
