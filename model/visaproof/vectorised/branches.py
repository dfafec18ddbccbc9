"""`goto` and `jmp`: where each lane goes.  Page: GOTO.md."""

from collections.abc import Iterator

import numpy as np

from visaproof.isa.errors import UndefinedBehavior
from visaproof.isa.execution import THREAD_LANES
from visaproof.kernel.opcodes import label_of
from visaproof.kernel.statement import execution_of, label_places, lane_offset, without_mask
from visaproof.kernel.syntax import Instruction, Kernel
from visaproof.vectorised.arrays import Bools
from visaproof.vectorised.batch import Batch, Irregular, require_bits
from visaproof.vectorised.single import SingleThreads
from visaproof.vectorised.threads import Threads


class Branches:
    """The branches of a kernel."""

    def __init__(self, kernel: Kernel, threads: Threads, single: SingleThreads) -> None:
        self._labels = label_places(kernel)
        self._threads = threads
        self._single = single

    def jump(self, batch: Batch, instruction: Instruction, behind: int) -> None:
        """Puts the lanes that jump at the label, and the others at the place `behind` the branch."""
        active = batch.active[:, :THREAD_LANES]
        target = np.int32(self._labels[label_of(instruction)])
        places = np.where(self._jumping(batch, instruction) & active, target, np.int32(behind))
        self._threads.move(batch.rows, np.where(active, places, batch.pick(self._threads.lane_places)))

    def _jumping(self, batch: Batch, instruction: Instruction) -> Bools:
        """(threads, 32) or (threads, 1)"""
        execution = execution_of(instruction)
        if execution.size == 1:  # Page GOTO: "all channels would either branch or not"
            return batch.enabled(without_mask(execution)).lanes
        jumping = np.zeros((batch.count, 2 * THREAD_LANES), np.bool_)
        offset = lane_offset(execution)
        jumping[:, offset : offset + execution.size] = batch.enabled(execution).lanes
        return jumping[:, :THREAD_LANES]

    def undefined(self, batch: Batch, instruction: Instruction) -> Iterator[tuple[int, str]]:
        """The threads, by their place in the batch, to which the predicate gives no answer, and why."""
        execution = execution_of(instruction)
        try:
            require_bits(execution, self._threads)
        except Irregular:
            execution = without_mask(execution) if execution.size == 1 else execution
            for k, thread in enumerate(batch.indices):
                try:
                    self._single.ask(execution, int(thread), batch.active[k])
                except UndefinedBehavior as reason:
                    yield k, str(reason)
