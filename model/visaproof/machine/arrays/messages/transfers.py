"""What a load or a store moves: for each lane some words between a register and the bytes behind an address."""

import numpy as np
from msgspec import Struct

from visaproof.isa.operands import Execution, RawOperand
from visaproof.machine.arrays.arrays import Addresses, Bools
from visaproof.machine.arrays.messages.raw import Numbers


class Word(Struct, frozen=True):
    """One word of each lane: lane n's lies at register byte `start` + n·`stride` behind the data operand."""

    behind: int
    """Bytes from the lane's address."""
    width: int
    """Bytes in memory."""
    start: int
    stride: int
    register_width: int
    """Bytes in the register: a load fills those above `width` with 0, a store ignores them."""


class Transfer(Struct, frozen=True):
    """A load or a store, whatever its page."""

    execution: Execution | None
    """None for a block message: its words are then those of one writer."""
    surface: str
    """The surface variable."""
    address: Numbers
    """Of each lane's first byte; sums wrap modulo 2^64 and no sooner."""
    unit: int
    """What the address must be a multiple of: other lanes are undefined."""
    data: RawOperand
    words: tuple[Word, ...]
    distances: tuple[int, ...] = ()
    """Of a block message: its dwords, in bytes from the address."""
    cleared: tuple[tuple[int, int], ...] = ()
    """Register bytes from … to behind the data operand that a load sets to 0 where any lane is on."""

    @property
    def lanes(self) -> int:
        return len(self.distances) if self.execution is None else self.execution.size


def colliding(starts: Addresses, width: int, live: Bools) -> Bools:
    """The threads (threads,) in which two of the live accesses (threads, accesses) of `width` bytes share a byte."""
    if starts.shape[1] < 2:
        return np.zeros(len(starts), np.bool_)
    step = np.uint64(width)
    if live.all():
        ascending = (starts[:, 1:] >= starts[:, :-1]) & (starts[:, 1:] - starts[:, :-1] >= step)
        if ascending.all():
            return np.zeros(len(starts), np.bool_)
    # Where nothing is accessed stands an address of its own at the upper end.
    nowhere = np.uint64(2**64 - 1) - step * np.arange(starts.shape[1], dtype=np.uint64)
    ordered = np.sort(np.where(live, starts, nowhere), axis=1)
    return np.any(ordered[:, 1:] - ordered[:, :-1] < step, axis=1)
