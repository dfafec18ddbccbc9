"""What the records of several commands have in common."""

import re

import msgspec
from msgspec import UNSET, UnsetType

from visaproof.report.results.finding import Finding
from visaproof.report.text.documents import Document


class ErrorText(msgspec.Struct, kw_only=True, frozen=True):
    """Why there is no answer at all."""

    message: str
    hint: str


class ErrorDocument(Document, kw_only=True):
    """Of any command that could not begin, or that failed."""

    error: ErrorText


class SourceLine(msgspec.Struct, kw_only=True, frozen=True):
    """A line of the program's source; its text is empty where the file is not there."""

    file: str
    line: int
    text: str = ""


class At(msgspec.Struct, kw_only=True, frozen=True):
    """A place in a file; lines and columns count from 1."""

    file: str
    line: int
    column: int


class PremiseRecord(msgspec.Struct, kw_only=True, frozen=True):
    """A premise as one answer rests on it."""

    name: str
    sentence: str
    granted_by: str
    lifted_by: str | None
    """The option that asks without it, or states something else."""


class UnreadFile(msgspec.Struct, kw_only=True, frozen=True):
    """A file about which nothing was asked, and why."""

    file: str
    error: str
    message: str | UnsetType = UNSET
    at: At | UnsetType = UNSET
    limit_reached: bool | UnsetType = UNSET
    internal: bool | UnsetType = UNSET
    """Whether it is an error of visaproof."""
    command: str | UnsetType = UNSET
    """Of `triage`: the question that was asked."""
    exit_code: int | UnsetType = UNSET


class NotAsked(msgspec.Struct, kw_only=True, frozen=True):
    """A statement that the analysis did not come to."""

    file: str
    line: int


class Write(msgspec.Struct, kw_only=True, frozen=True):
    """What a lane writes: `bytes` bytes from `address` on, or a channel of a texel (u, v, r, lod)."""

    lane: int
    address: int | UnsetType = UNSET
    bytes: int | UnsetType = UNSET
    texel: tuple[int, ...] | UnsetType = UNSET
    channel: str | UnsetType = UNSET
    value: int | UnsetType = UNSET
    """As a number without sign."""


class Access(msgspec.Struct, kw_only=True, frozen=True):
    """An access of a lane: `cell` is a byte address, or u, v, r, lod of a texel."""

    lane: int | None
    cell: list[int]
    bytes: int
    outside: bool
    offset: int | UnsetType = UNSET
    """At a 64-bit address: how far from the beginning of the buffer."""


class LaunchExample(msgspec.Struct, kw_only=True, frozen=True):
    """A launch that was run and shows what was found, or the `reason` why there is none."""

    found: bool
    reason: str | UnsetType = UNSET
    global_size: tuple[int, ...] | UnsetType = UNSET
    local_size: tuple[int, ...] | UnsetType = UNSET
    arguments: dict[str, str] | UnsetType = UNSET
    buffers: dict[str, str] | UnsetType = UNSET
    images: dict[str, str] | UnsetType = UNSET
    group: tuple[int, ...] | UnsetType = UNSET
    thread: int | UnsetType = UNSET
    what: str | UnsetType = UNSET
    command: list[str] | UnsetType = UNSET
    writes: list[Write] | UnsetType = UNSET
    """Of the lanes of the statement in this launch."""
    accesses: list[Access] | UnsetType = UNSET
    """Of the statement in this launch, where one is outside: those outside, and all writes."""
    surface: str | UnsetType = UNSET
    """The name of the buffer that has these addresses, and where that begins: of a message to 64-bit addresses."""
    argument: int | UnsetType = UNSET
    """Its number."""
    base: int | UnsetType = UNSET
    colliding_lanes: tuple[int, int] | UnsetType = UNSET
    """Those that write one place in this launch."""
    items: dict[int, int] | UnsetType = UNSET
    """The work item of each lane that writes, where the launch has one dimension."""


class BoundSurface(msgspec.Struct, kw_only=True, frozen=True):
    """The surface that a message reaches, or several."""

    surface: str
    """By the name of the argument, if it has one."""
    binding: str
    """What the kernel calls it: `bti 0`, `%slm`, or `argument 0` of a buffer that is reached by 64-bit address."""
    argument: int | None
    """The number of the argument; None where it is none, or not known."""
    part_of: int | None = None
    """The line of the message of which this is a further part, with the same verdict, where a wide kernel has several
    for a line of source."""


class InputValue(msgspec.Struct, kw_only=True, frozen=True):
    """An input of a run that is not 0: a register that the payload brings, or a number that no register holds."""

    name: str
    """`V0034.0`, or what it is called."""
    register: str | None = None
    byte: int | None = None
    """Where in the register it begins."""
    meaning: str | None = None
    value: int

    @property
    def words(self) -> str:
        """Its name, and what it means."""
        return f"{self.name} ({self.meaning})" if self.meaning else self.name


def input_value(name: str, meaning: str | None, value: int) -> InputValue:
    """Of a name as starts of runs have it: where a register holds it, that, a dot and a byte."""
    place = re.fullmatch(r"(%?\w+)\.(\d+)", name)
    register, byte = (None, None) if place is None else (place[1], int(place[2]))
    return InputValue(name=name, register=register, byte=byte, meaning=meaning or None, value=value)


class Use(msgspec.Struct, kw_only=True, frozen=True):
    """A use of an undefined value; `effect` and what follows only where it was shown in two runs."""

    kind: str
    line: int
    column: int
    instruction: str
    variable: str
    what: str
    partly: bool
    verdict: str
    """refuted, note, unknown or allowed."""
    reason: str | UnsetType = UNSET
    effect: str | UnsetType = UNSET
    """address, branch, mask, output or written."""
    effect_line: int | UnsetType = UNSET
    execution_mask: str | UnsetType = UNSET
    inputs: dict[str, str] | UnsetType = UNSET
    input_values: list[InputValue] | UnsetType = UNSET
    replayed: bool | UnsetType = UNSET


class Unreachable(msgspec.Struct, kw_only=True, frozen=True):
    """A write that no lane of any launch reaches."""

    line: int
    instruction: str


class KernelFile(msgspec.Struct, kw_only=True, frozen=True):
    """What every question about one kernel says of its file."""

    file: str
    kernel: str
    platform: str
    launch: str
    """Where the launch information is from."""
    assumptions: list[str]
    premises: list[PremiseRecord]
    hints: list[str]
    not_modelled: str | None
    """Why the kernel was not read to its end."""
    limit: str | None
    not_asked: list[NotAsked]
    """What comes after that."""
    undefined: list[Use]
    undefined_not_asked: str | None
    """Why there may be more of these."""
    unreachable: list[Unreachable]
    command: str | UnsetType = UNSET
    """Of `triage`: the question that was asked."""
    exit_code: int | UnsetType = UNSET


class FilesDocument(Document, kw_only=True):
    """Of a command that asks about files."""

    findings: list[Finding]
