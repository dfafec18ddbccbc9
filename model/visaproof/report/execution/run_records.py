"""The JSON of `visaproof run`."""

import msgspec

from visaproof.report.records.common import PremiseRecord
from visaproof.report.text.documents import Document


class UndefinedRecord(msgspec.Struct):
    """Where the launch is undefined."""

    file: str
    line: int
    column: int
    instruction: str
    message: str
    group: tuple[int, int, int]
    thread: int
    lane: int | None


class RaceRecord(msgspec.Struct):
    """Accesses of two threads to one byte that nothing orders."""

    memory: str
    what: str
    first_byte: int
    bytes: int
    threads: list[str]


class UninitialisedRecord(msgspec.Struct):
    """Bytes that were read before any thread wrote them."""

    memory: str
    first_byte: int
    bytes: int
    thread: str


class OutsideRecord(msgspec.Struct):
    """Accesses outside of a buffer or an image: they read 0 and write nothing."""

    memory: str
    bytes: int
    """Of the buffer, or of the image."""
    address: int | None
    """Of the first access; None in an image."""
    accesses: int
    thread: str
    line: int | None
    texel: list[int] | None
    """Of the first access in an image."""


class BufferRecord(msgspec.Struct):
    """A buffer after the launch."""

    argument: int
    name: str | None
    bytes: int
    changed: int
    first_changed: int | None
    last_changed: int | None
    sha256: str
    written_to: str | None


class StepRecord(msgspec.Struct):
    """A statement of the traced thread."""

    line: int
    instruction: str
    lanes: str
    changes: dict[str, str]


class NotModelledRecord(msgspec.Struct):
    """What stopped the launch."""

    what: str
    line: int | None
    column: int | None


class UnstatedRecord(msgspec.Struct):
    """A result that no page states, with the first lane that it is of."""

    file: str
    line: int
    column: int
    what: str
    group: tuple[int, int, int]
    thread: int
    lane: int
    others: bool
    """Whether other lanes or threads are undefined there, too."""
    beyond: bool = False
    """Whether it is what lies beyond a variable, which is undefined to read: nothing was seen to depend on it."""


class DependentRecord(msgspec.Struct):
    """What is not the same under all choices that were tried."""

    kind: str
    """bytes, branch, address or ending."""
    on: list[int]
    """Which of the results."""
    argument: int | None = None
    first_byte: int | None = None
    last_byte: int | None = None
    line: int | None = None
    column: int | None = None
    message: str | None = None


class NondeterminismRecord(msgspec.Struct):
    """Results that no page states, and what depends on them."""

    choices_tried: int
    results: list[UnstatedRecord]
    dependent: list[DependentRecord]


class RunDocument(Document, kw_only=True):
    """One launch."""

    file: str
    kernel: str
    platform: str
    launch: str
    simd: int
    global_size: tuple[int, int, int]
    local_size: tuple[int, int, int]
    local_ids: str
    """Tiles, or the dimensions in their order, the fastest first."""
    threads: int
    barriers: int
    unknown_inputs: list[str]
    undefined: UndefinedRecord | None
    not_modelled: NotModelledRecord | None
    engine: str
    races: list[RaceRecord] | None
    """None where they were not looked for, or the launch did not end."""
    unwritten_reads: list[UninitialisedRecord] | None
    """None where they were not looked for, or the launch did not end."""
    outside: list[OutsideRecord] | None
    """None where the launch did not begin, or the limit ended it."""
    buffers: list[BufferRecord]
    trace: list[StepRecord]
    nondeterminism: NondeterminismRecord | None
    """None where a page states every result."""
    premises: list[PremiseRecord]
    """What the run rests on."""
