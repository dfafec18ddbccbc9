"""Destination bytes that a page leaves undefined."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from visaproof.semantics.symbolic.accesses import RegisterSlice
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import Bool

ARBITRARY_BYTE = 0xA5
"""What `execute` leaves in the bytes of an ArbitrarySlice: one of the values that they may have."""


class ArbitrarySlice(RegisterSlice, frozen=True):
    """Undefined bytes that `execute` does not clear, so that a run shows that they need not hold what they held."""


class ClearedSlice(RegisterSlice, frozen=True):
    """Bytes that become 0."""


def example_of(place: RegisterSlice) -> bytes:
    """What `execute` leaves in undefined bytes."""
    return bytes([ARBITRARY_BYTE if isinstance(place, ArbitrarySlice) else 0]) * place.width


@runtime_checkable
class LeavesUndefinedBytes(Protocol):
    """An instruction after which some bytes of its destination have undefined values.

    On terms they are arbitrary.  `execute` makes them `example_of`, which is one of the values that they may have.
    """

    def undefined_bytes(self, state: SymbolicState) -> Iterator[tuple[Bool, RegisterSlice]]:
        """The bytes, and when they are undefined."""
        ...


def undefined_bytes_of(instruction: object, state: SymbolicState) -> list[tuple[Bool, RegisterSlice]]:
    """The bytes that the instruction leaves undefined; none where its page leaves none."""
    return list(instruction.undefined_bytes(state)) if isinstance(instruction, LeavesUndefinedBytes) else []
