"""Threads that run one statement together, and which of their lanes take part."""

from typing import NamedTuple

import numpy as np

from visaproof.decode.statement import lane_offset
from visaproof.isa.execution import Combine
from visaproof.isa.operands import SCRATCH, Execution, Predicate
from visaproof.machine.arrays.arrays import Array, Bools, Indices
from visaproof.machine.arrays.threads import Threads
from visaproof.semantics.concrete.state import concrete


class NotVectorised(Exception):
    """A statement that the arrays do not run; the machine for single threads does."""


class Enabled(NamedTuple):
    """The lanes of a statement that take part."""

    lanes: Bools
    """(threads, lanes)"""
    full: bool
    """Whether all do."""

    def without(self, threads: Bools) -> "Enabled":
        """The same, but for these threads (threads,)."""
        return Enabled(self.lanes & ~threads[:, None], False)


class Batch:
    """Threads at one place; it holds until one of them leaves it."""

    def __init__(self, threads: Threads, rows: Indices | None, active: Bools) -> None:
        self.threads = threads
        self.rows = rows
        """Which threads; None for all of them."""
        self.active = active
        """(threads of the batch, lanes): the lanes that are there."""
        self.count = len(active)
        self._known: dict[tuple[int, int, bool], Enabled] = {}

    @property
    def indices(self) -> Indices:
        return np.arange(self.threads.count) if self.rows is None else self.rows

    @property
    def groups(self) -> Indices:
        """(threads of the batch, 1)"""
        return self.pick(self.threads.groups)

    def owners(self, surface: str) -> Indices:
        """(threads, 1): whose piece of a memory each reaches, by its number: a thread's own, or that of its group."""
        return self.indices.reshape(-1, 1) if surface == SCRATCH else self.groups

    def pick(self, array: Array) -> Array:
        """The rows of the batch's threads."""
        return array if self.rows is None else array[self.rows]

    def keep(self, staying: Bools) -> "Batch":
        """The batch of those of its threads (threads of the batch,) that stay."""
        return Batch(self.threads, self.indices[staying], self.active[staying])

    def masked(self, execution: Execution) -> Enabled:
        """The lanes by the execution mask alone."""
        offset, no_mask = lane_offset(execution), concrete(execution.mask) >= 8
        known = (offset, execution.size, no_mask)
        if known not in self._known:
            lanes = np.full((self.count, execution.size), no_mask)
            if not no_mask:  # a lane behind the last one that may run is off
                there = self.active[:, offset : offset + execution.size]
                lanes = there if there.shape == lanes.shape else _padded(there, lanes)
            self._known[known] = Enabled(lanes, bool(lanes.all()))
        return self._known[known]

    def enabled(self, execution: Execution) -> Enabled:
        """The pages' `ChEn`: by the execution mask and the predicate."""
        masked = self.masked(execution)
        if execution.predicate is None:
            return masked
        chosen = self.chosen(execution, execution.predicate)
        lanes = chosen & masked.lanes if not masked.full else np.broadcast_to(chosen, masked.lanes.shape)
        return Enabled(lanes, bool(lanes.all()))

    def chosen(self, execution: Execution, predicate: Predicate) -> Bools:
        """The lanes (threads, lanes), or (threads, 1) for all, that the predicate lets through."""
        offset = lane_offset(execution)
        window: Bools = self.pick(self.threads.predicates[predicate.variable])[:, offset : offset + execution.size]
        match predicate.combine:
            case Combine.ANY:
                window = np.any(window, axis=1, keepdims=True)
            case Combine.ALL:
                window = np.all(window, axis=1, keepdims=True)
            case _:
                pass
        return np.logical_not(window) if predicate.inverse else window


def require_bits(execution: Execution, threads: Threads) -> None:
    """Raises NotVectorised for a predicate with too few bits: each lane may then be undefined (D3)."""
    if execution.predicate is None:
        return
    bits = threads.predicates[execution.predicate.variable].shape[1]
    if lane_offset(execution) + execution.size > bits:
        raise NotVectorised("a predicate with too few bits")


def _padded(lanes: Bools, off: Bools) -> Bools:
    """The lanes, and behind them as many that are off as there are in `off`."""
    off[:, : lanes.shape[1]] = lanes
    return off
