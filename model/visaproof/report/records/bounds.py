"""The JSON of `visaproof bounds`."""

import msgspec
from msgspec import UNSET, UnsetType

from visaproof.report.records.common import (
    Access,
    BoundSurface,
    FilesDocument,
    InputValue,
    KernelFile,
    LaunchExample,
    SourceLine,
)


class Answer(msgspec.Struct, kw_only=True, frozen=True, tag_field="verdict"):
    """Whether every access is as it must be."""


class Proved(Answer, kw_only=True, frozen=True, tag="proved"):
    """For all inputs."""

    by: str


class Bounded(Answer, kw_only=True, frozen=True, tag="bounded"):
    """In runs whose loops end in time; the lines of these."""

    by: str
    loops: list[int]


class Unknown(Answer, kw_only=True, frozen=True, tag="unknown"):
    """Not decided."""

    reason: str


class NotModelled(Answer, kw_only=True, frozen=True, tag="not-modelled"):
    """Not asked."""

    reason: str


class Refuted(Answer, kw_only=True, frozen=True, tag="refuted"):
    """An access is outside, misaligned or beyond its variable, in a run that was replayed."""

    kind: str
    lane: int | None
    reason: str | UnsetType = UNSET
    """Of a rule of the page that is broken."""
    cell: list[int] | UnsetType = UNSET
    bytes: int | UnsetType = UNSET
    extent: str | UnsetType = UNSET
    """Of the surface."""
    effect: str | UnsetType = UNSET
    """What happens then: dropped, zero, nothing or reads_anything."""
    accesses: list[Access] | UnsetType = UNSET
    execution_mask: str
    inputs: dict[str, str]
    input_values: list[InputValue]
    surfaces: dict[str, int]
    """Their sizes in bytes."""
    depends_on_data: str
    replayed: bool


BoundsAnswer = Proved | Bounded | Unknown | NotModelled | Refuted


class Enough(msgspec.Struct, kw_only=True, frozen=True):
    """With what a message was proved to stay inside: relations, and of a buffer of any size, how large it is."""

    bytes: str | None
    """None where the size is known, and of images."""
    where: list[str]
    by: str


class EarlierStatement(msgspec.Struct, kw_only=True, frozen=True):
    """A statement that was proved to leave the surface before, wherever a message leaves it."""

    line: int
    by: str


class Message(BoundSurface, kw_only=True, frozen=True):
    """A memory message: are its accesses inside (`bounds`), and are they defined (`meaning`)?"""

    line: int
    column: int
    source: SourceLine | None
    instruction: str
    size_is_arbitrary: bool
    enough_bytes: int | None
    inside_if: Enough | None
    only_after: EarlierStatement | None
    readings: list[str]
    bounds: BoundsAnswer
    meaning: BoundsAnswer
    launch: LaunchExample | None


class UninitialisedUse(msgspec.Struct, kw_only=True, frozen=True):
    """A read of what no path wrote."""

    line: int
    instruction: str
    variable: str
    kind: str
    places: list[int]
    harmless: bool


class BoundsFile(KernelFile, kw_only=True, frozen=True):
    """One kernel and its memory messages."""

    vacuous: bool
    messages: list[Message]
    unwritten: list[UninitialisedUse]


class BoundsDocument(FilesDocument, kw_only=True):
    """`visaproof bounds`."""

    files: list[BoundsFile]
