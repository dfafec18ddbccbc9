"""The JSON of `visaproof refine` and `visaproof ocloc`, and of each verdict of `visaproof tv`."""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from visaproof.report.records.common import InputValue, PremiseRecord
from visaproof.report.text.documents import Document

SAME_PROGRAM = "the same program"
"""What an answer rests on where nothing was changed: `refinement.same_program` says so, which need not load here."""


class Record(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """With no field but these."""


class Input(Record, kw_only=True, frozen=True):
    """An input of the target, and what it is in the source."""

    target: str
    source: str | None
    what: str


class Surface(Record, kw_only=True, frozen=True):
    """How each kernel reaches a surface; empty where it does not."""

    name: str
    source: str
    target: str


class Event(Record, kw_only=True, frozen=True):
    """A barrier or a fence."""

    at: str
    event: str
    always: bool


class Stored(Record, kw_only=True, frozen=True):
    """What a statement put into memory; `bytes` is 0 for a channel of a texel."""

    surface: str
    address: int
    bytes: int
    value: str


class Done(Record, kw_only=True, frozen=True):
    """A statement that ran, and what the lane then has of it."""

    line: int
    text: str
    source: str | UnsetType = UNSET
    """`file:line` of the program's source."""
    registers: dict[str, str] | UnsetType = UNSET
    stored: list[Stored] | UnsetType = UNSET


class LaneRun(Record, kw_only=True, frozen=True):
    """What a lane did; of which thread, where there are several."""

    thread: int | None
    lane: int | None
    statements: list[Done]


class After(Record, kw_only=True, frozen=True):
    """A byte after a kernel, and what wrote it."""

    byte: int
    line: int | UnsetType | None = UNSET
    lane: int | UnsetType | None = UNSET
    thread: int | UnsetType = UNSET


class Missed(Record, kw_only=True, frozen=True):
    """An access of the source outside of a buffer, at an address, or of an image: the coordinates and the level."""

    surface: str
    address: int | UnsetType = UNSET
    texel: list[int] | UnsetType = UNSET
    line: int


class Undefined(Record, kw_only=True, frozen=True):
    """Where the target is undefined."""

    line: int
    message: str
    kind: str | UnsetType = UNSET


class Dword(Record, kw_only=True, frozen=True):
    """Four bytes of memory as a number: before, after the source and after the target."""

    address: int
    place: str | UnsetType = UNSET
    """The element of a buffer that it is: `out[2].y`; none where its elements are of another size, or not known."""
    before: str
    source: str
    target: str


class Overlap(Record, kw_only=True, frozen=True):
    """How a buffer lies in another one."""

    buffer: str
    is_: str = msgspec.field(name="is")
    from_byte: int


class Example(Record, kw_only=True, frozen=True):
    """A run of both kernels that shows the difference: a byte, a register, or something that only the target does."""

    execution_mask: str
    inputs: dict[str, str]
    input_values: list[InputValue]
    samplers: dict[str, str] | UnsetType = UNSET
    whatever_the_source_finds: bool | UnsetType = UNSET
    taken_for_granted: str | UnsetType = UNSET
    source_accesses_outside: Missed | UnsetType = UNSET
    target_atomics_from_the_last_lane: bool | UnsetType = UNSET
    target_undefined: Undefined | UnsetType = UNSET
    target_accesses_outside: int | UnsetType = UNSET
    register: str | UnsetType = UNSET
    target_register: str | UnsetType = UNSET
    byte: int | UnsetType = UNSET
    lane: int | UnsetType = UNSET
    overlaps: list[Overlap] | UnsetType = UNSET
    surface: str | UnsetType = UNSET
    argument: int | UnsetType = UNSET
    """Whose surface it is."""
    address: int | UnsetType = UNSET
    before: int | UnsetType = UNSET
    after_source: After | UnsetType = UNSET
    after_target: After | UnsetType = UNSET
    dwords: list[Dword] | UnsetType = UNSET
    """The memory around the difference."""
    data_type: str | UnsetType = UNSET
    """What these are, where the kernels that wrote there declare floats: f."""
    runs: dict[str, LaneRun] | UnsetType = UNSET


class DifferingLaunch(Record, kw_only=True, frozen=True):
    """A launch in which both kernels were run and differ, or the `reason` why none is shown."""

    found: bool
    reason: str | UnsetType = UNSET
    what: str | UnsetType = UNSET
    """What differs, in a sentence."""
    work_items: int | UnsetType = UNSET
    arguments: dict[str, str] | UnsetType = UNSET
    """By value, by name."""
    place: str | UnsetType = UNSET
    """The element of a buffer that differs: `out[2]`; none where the target is undefined."""
    after_source: str | UnsetType = UNSET
    after_target: str | UnsetType = UNSET
    """What it then is, in its type."""
    commands: list[list[str]] | UnsetType = UNSET


class Stage(Record, kw_only=True, frozen=True):
    """A strategy that was tried, and its processor time."""

    stage: str
    seconds: float
    found: str | None


class RefineAnswer(Record, kw_only=True, frozen=True):
    """Does the target do what the source does?  What was asked comes first, then the verdict."""

    kernel: str | UnsetType = UNSET
    """Of `ocloc`: a kernel that only one side has."""
    source: str | UnsetType = UNSET
    target: str | UnsetType = UNSET
    platforms: list[str] | UnsetType = UNSET
    matched_by: str | UnsetType = UNSET
    inputs: list[Input] | UnsetType = UNSET
    surfaces: list[Surface] | UnsetType = UNSET
    assumptions: list[str] | UnsetType = UNSET
    premises: list[PremiseRecord] | UnsetType = UNSET
    widths: list[int] | UnsetType = UNSET
    observed: list[str] | UnsetType = UNSET
    verdict: Literal[
        "refines", "bounded", "vacuous", "does not refine", "unknown", "not modelled", "unmatched"
    ]  # fmt: skip
    by: str | UnsetType = UNSET
    conditions: list[str] | UnsetType = UNSET
    excused: list[str] | UnsetType = UNSET
    """Undefined behaviour of the source that excuses the target."""
    loops: list[str] | UnsetType = UNSET
    undefined: list[str] | UnsetType = UNSET
    """Of a vacuous answer: what is undefined in each run of the source."""
    replayed: bool | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    synchronisation: dict[str, list[Event]] | UnsetType = UNSET
    example: Example | UnsetType = UNSET
    needs_apart: list[list[str]] | UnsetType = UNSET
    if_apart: dict[str, Any] | UnsetType = UNSET
    """The verdict where these buffers share no byte: the fields from `verdict` on."""
    launch: DifferingLaunch | UnsetType = UNSET
    stages: list[Stage] | UnsetType = UNSET


class RefineDocument(Document, kw_only=True):
    """`visaproof refine`: an answer for each direction."""

    asked: list[RefineAnswer]


class Compiled(msgspec.Struct, kw_only=True, frozen=True):
    """A command line of the compiler."""

    command: list[str]
    environment: dict[str, str]
    simd: int | None


class OclocDocument(Document, kw_only=True):
    """`visaproof ocloc`: the same for each kernel, and how the source and the target were compiled."""

    compiled: list[Compiled]
    asked: list[RefineAnswer]
