"""What many threads do that more than values depend on, one number for each statement and thread."""

import numpy as np
from numpy.typing import NDArray

from visaproof.isa.errors import Position
from visaproof.machine.arrays.arrays import Array, Bools, Indices

Words = NDArray[np.uint64]

_FACTOR, _STEP = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(0xD6E8_FEB8_6659_FD93)


class TrailOnArrays:
    """Kept of a run, to be compared with that of another run."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self.digests: dict[Position, Words] = {}
        """(threads,): 0 where a thread never came to the statement."""

    def note(self, position: Position, threads: Indices, what: Array, lanes: Bools) -> None:
        """These threads do `what` (threads, lanes) in `lanes` (threads, lanes) at a statement."""
        words: Words = np.where(lanes, what.astype(np.uint64) + np.uint64(1), np.uint64(0))
        weights = _STEP ** np.arange(1, words.shape[1] + 1, dtype=np.uint64)
        digests = self.digests.setdefault(position, np.zeros(self._threads, np.uint64))
        digests[threads] = _mixed(digests[threads] + _mixed(words * weights).sum(axis=1, dtype=np.uint64)) | np.uint64(
            1
        )

    def note_one(self, position: Position, thread: int, what: int) -> None:
        """One thread does this at a statement."""
        self.note(position, np.array([thread]), np.array([[what % 2**64]], np.uint64), np.ones((1, 1), np.bool_))


def _mixed(words: Words) -> Words:
    words = (words ^ words >> np.uint64(29)) * _FACTOR
    return words ^ words >> np.uint64(32)
