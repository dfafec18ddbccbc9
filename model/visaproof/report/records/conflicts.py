"""The JSON of `visaproof conflicts`."""

import msgspec
from msgspec import UNSET, UnsetType

from visaproof.report.records.common import (
    BoundSurface,
    FilesDocument,
    InputValue,
    KernelFile,
    LaunchExample,
    SourceLine,
    Write,
)


class FreeIf(msgspec.Struct, kw_only=True, frozen=True):
    """Relations under which a scatter was proved free."""

    relations: list[str]
    by: str
    loops: list[int]


class ScatterOf(BoundSurface, kw_only=True, frozen=True, tag_field="verdict"):
    """A scatter; what follows depends on the verdict."""

    file: str
    line: int
    column: int
    source: SourceLine | None
    instruction: str
    lanes: int
    """That it has, enabled or not."""
    readings: list[str]
    assume: str | UnsetType = UNSET
    """With `--assume weakest`: the set of premises that was asked last."""
    suffices: bool | UnsetType = UNSET
    weaker: dict[str, str] | UnsetType = UNSET
    """The verdicts under weaker sets."""


class Vacuous(ScatterOf, kw_only=True, frozen=True, tag="vacuous"):
    """No defined run reaches it."""


class Proved(ScatterOf, kw_only=True, frozen=True, tag="proved"):
    """No two lanes can write the same byte or texel."""

    by: str


class Bounded(ScatterOf, kw_only=True, frozen=True, tag="bounded"):
    """The same in runs whose loops end in time; the lines of these."""

    by: str
    loops: list[int]


class Unknown(ScatterOf, kw_only=True, frozen=True, tag="unknown"):
    """Not decided."""

    reason: str
    free_if: FreeIf | None


class Refuted(ScatterOf, kw_only=True, frozen=True, tag="refuted"):
    """Two lanes write the same byte or texel in a run that was replayed."""

    free_if: FreeIf | None
    searched: bool = True
    """Whether such relations were looked for to the end: where they were not, the limit has ended it."""
    colliding_lanes: tuple[int, int]
    writes: list[Write]
    """Of all lanes that are enabled."""
    data_type: str | UnsetType = UNSET
    """What the values are, where the kernel declares floats: hf, f or df."""
    execution_mask: str
    inputs: dict[str, str]
    """Those that are not 0, by their meaning."""
    input_values: list[InputValue]
    depends_on_data: str
    replayed: bool
    wraps: bool = False
    """Whether the lanes collide only since an index wraps, in the run of one thread: as integers, they differ."""
    after: int | None = None
    """The line of a scatter whose lanes collide before in this run; what they store decides nothing here."""
    launch: LaunchExample | None


Scatter = Vacuous | Proved | Bounded | Unknown | Refuted


class ConflictsFile(KernelFile, kw_only=True, frozen=True):
    """One kernel and its scatters."""

    scatters: list[Scatter]


class ConflictsDocument(FilesDocument, kw_only=True):
    """`visaproof conflicts`."""

    files: list[ConflictsFile]
