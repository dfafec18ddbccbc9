"""Places of registers and predicates, by the lanes that they are read and written for: as bits of a number.

A place is a byte of a register variable, or a bit of a predicate.  For n places there are 33 · n bits here: n for each
lane of the thread, and n for the thread.
"""

from functools import lru_cache

from msgspec import Struct

from visaproof.decode.statement import lane_offset
from visaproof.isa.execution import THREAD_LANES, ExecMask
from visaproof.isa.operands import Execution

THREAD = THREAD_LANES
"""The number of the thread, behind those of the lanes."""


class NotFollowed(Exception):
    """The statement may read or write what is not said here, or what its variables do not have."""


class Variable(Struct, frozen=True):
    """A register variable, or a predicate."""

    name: str
    of_bits: bool = False


Spans = tuple[tuple[int, int], ...]
"""Of each lane that a statement covers, places from one to before another."""

Touched = list[tuple[Variable, Spans]]
Places = list[tuple[Variable, int]]


class Cover(Struct, frozen=True):
    """The lanes of the thread from the first one on; where they are not `masked`, the thread."""

    first: int
    size: int
    masked: bool

    @staticmethod
    def of(execution: Execution) -> "Cover":
        first = lane_offset(execution)
        if not isinstance(execution.mask, ExecMask) or first + execution.size > THREAD_LANES:
            raise NotFollowed
        return Cover(first, execution.size, not execution.mask.no_mask)

    def lane(self, number: int) -> "Cover":
        """One of them."""
        return Cover(self.first + number, 1, self.masked)


OF_THE_THREAD = Cover(0, 1, masked=False)


class Moved(Struct, frozen=True):
    """What a statement reads, before it writes, and what it writes."""

    reads: Places = []
    writes: Places = []
    cover: Cover = OF_THE_THREAD
    sources: Touched = []
    """The same as `reads`, where what a lane writes depends on what it reads, and nothing else does."""
    targets: Touched = []
    """The same as `writes`."""
    certain: bool = True
    """Whether it writes that, whatever a predicate holds."""
    is_checked: bool = False
    """Whether more than registers and predicates depends on what it reads."""


@lru_cache(maxsize=4096)
def read_for(count: int, cover: Cover, spans: Spans) -> int:
    """The places, of the lanes or of the thread."""
    found = 0
    for lane, (start, end) in enumerate(spans):
        if start < 0 or end > count:
            raise NotFollowed
        owner = cover.first + lane if cover.masked else THREAD
        found |= ((1 << end) - (1 << start)) << owner * count
    return found


@lru_cache(maxsize=4096)
def written_for(count: int, cover: Cover, spans: Spans) -> int:
    """The places, of the lanes or of all."""
    found = read_for(count, cover, spans)
    return found if cover.masked else for_all(count, found >> THREAD * count)


def for_all(count: int, places: int) -> int:
    """The places, for each lane and the thread."""
    found, owners = places, 1
    while 2 * owners <= THREAD + 1:
        found |= found << owners * count
        owners *= 2
    for owner in range(owners, THREAD + 1):
        found |= places << owner * count
    return found


@lru_cache(maxsize=4096)
def of_any(count: int, places: int) -> int:
    """The places of any lane, or of the thread."""
    found = 0
    while places:
        found |= places
        places >>= count
    return found & ((1 << count) - 1)
