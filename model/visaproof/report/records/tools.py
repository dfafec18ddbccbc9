"""The JSON of commands that make their records of plain dictionaries: what stands in them."""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from visaproof.report.records.common import FilesDocument
from visaproof.report.text.documents import Document


class RuleRecord(msgspec.Struct, kw_only=True):
    """A rewrite rule and its verdict."""

    rule: str
    file: str
    stated: str
    verdict: str
    as_stated: bool
    seconds: float
    by: list[str]
    instances: int | None
    undefined_lanes: list[int]
    reason: str
    right_if: list[str]
    verdict_right_if: str | None
    counterexample: dict[str, Any] | None
    suggestions: list[str] | UnsetType = UNSET
    changes_nothing: bool | UnsetType = UNSET
    tried: int | UnsetType = UNSET
    undecided: int | UnsetType = UNSET
    weaker_than_stated: list[str] | UnsetType = UNSET
    also_right_if: list[str] | UnsetType = UNSET


class RulesDocument(Document, kw_only=True):
    """`visaproof rules`."""

    rules: list[RuleRecord]


class DumpDocument(Document, kw_only=True):
    """`visaproof dump`: the files that it made."""

    kernels: list[str]
    launch: str


class CheckedTool(msgspec.Struct, kw_only=True):
    """Something that is needed, or that would be good to have."""

    what: str
    found: str
    good: bool
    needed: bool


class DoctorDocument(Document, kw_only=True):
    """`visaproof doctor`."""

    checks: list[CheckedTool]


class CacheKind(msgspec.Struct, kw_only=True):
    """Answers of one kind of question."""

    kind: str
    answers: int
    bytes: int


class CacheStats(msgspec.Struct, kw_only=True):
    """What a cache holds."""

    file_bytes: int
    kinds: list[CacheKind]
    of_this_version: int
    damaged: int
    oldest: float | str | None
    newest: float | str | None


class CacheDocument(Document, kw_only=True):
    """`visaproof cache`: what was done."""

    action: str
    cache: str
    stats: CacheStats | UnsetType = UNSET
    deleted: int | UnsetType = UNSET
    answers: int | UnsetType = UNSET
    added: int | UnsetType = UNSET
    left_out: int | UnsetType = UNSET


class DumpedKernel(msgspec.Struct, kw_only=True):
    """A kernel of a folder of dumps."""

    file: str
    kernel: str
    simd: int
    launch: str | None


class SetAside(msgspec.Struct, kw_only=True):
    """A file of the folder that is no kernel to ask about."""

    file: str
    reason: str


class TriageDocument(FilesDocument, kw_only=True):
    """`visaproof triage`: each of `files` is what `command` says of the kernel."""

    kernels: list[DumpedKernel]
    files: list[dict[str, Any]]
    set_aside: list[SetAside]
