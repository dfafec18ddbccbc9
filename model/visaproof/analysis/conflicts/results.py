"""What a search for a run shows."""

from typing import Generic, TypeVar

from msgspec import Struct

T = TypeVar("T")


class Never(Struct, frozen=True):
    """None of the conditions can hold."""

    rung: str


class Found(Struct, Generic[T], frozen=True):
    """What a run has confirmed."""

    what: T


class Open(Struct, frozen=True):
    """Neither was shown; it is `stuck` where a run that was to confirm it did not end, or did not come so far."""

    reason: str
    stuck: bool = False
