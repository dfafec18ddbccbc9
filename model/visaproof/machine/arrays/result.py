"""How a launch ended."""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from visaproof.isa.errors import Position
from visaproof.machine.arrays.arrays import Bools, Bytes


class Stop(Struct, frozen=True):
    """Where a thread ended before its kernel did; nothing behind it was run."""

    position: Position
    thread: int
    """Its row in the arrays."""
    message: str


class Misses(Struct):
    """Accesses of one statement where a memory has no byte: they read 0, and drop what they write."""

    key: str
    """Of the surface."""
    position: Position
    address: int
    """Of one by the first thread that made any, as the surface counts its bytes."""
    thread: int
    """Its row in the arrays."""
    count: int


class Result(Struct, frozen=True):
    """What a launch did, beside what it left in the memories."""

    lane_instructions: int
    """One for each statement and each of its lanes that was on; one for each block message of a thread."""
    undefined: tuple[Stop, ...]
    """Threads that came to a statement that the pages leave undefined, in the order in which they did."""
    not_modelled: tuple[Stop, ...]
    """Threads that came to a statement without semantics here."""
    registers: dict[str, Bytes]
    """(threads, bytes) of each root variable at the end."""
    predicates: dict[str, Bools]
    """(threads, bits) of each predicate variable at the end."""
    barriers: NDArray[np.int64]
    """(groups,): how often the threads of each group came to a barrier together."""
    statements: int
    """The most that one thread came through."""
    trail: dict[Position, NDArray[np.uint64]]
    """(threads,), by statement; see `TrailOnArrays`."""
    misses: tuple[Misses, ...]
    """In the order in which their statements first made them."""
