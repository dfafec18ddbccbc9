"""The JSON of `visaproof prove` and `visaproof prove --list`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from visaproof.checking.claims.workers import Decided, Limits
from visaproof.checking.verdict import Proved, Refuted, Unknown, Vacuous
from visaproof.isa.readings import READINGS
from visaproof.report.text.documents import Document, encode, shown_path

if TYPE_CHECKING:
    from visaproof.checking.claims.catalogue import Claim
    from visaproof.report.claims.prove import ProveReport


class Reading(msgspec.Struct):
    """A decision where the manual is silent: its id ("D13") and name ("dword-misaligned")."""

    decision: str
    name: str


class ClaimEntry(msgspec.Struct, kw_only=True):
    """One claim that was decided."""

    id: str
    module: str
    query: str
    """The id of the obligation, `instruction/property[scope]`."""
    expected: str
    """ "proved" or "refuted"."""
    verdict: str
    """ "proved", "refuted", "unknown" or "vacuous"."""
    as_expected: bool
    seconds: float
    decided_by: str | None
    """Of a proof: "normal form", or a solver and its version."""
    reason: str | None
    """Of an unknown or a vacuous claim."""
    readings: list[Reading]
    counterexample: dict[str, Any] | None
    """Of a refutation, in the format of counterexamples/README.md."""
    saved: str | None
    """The file of the counterexample, with --save."""


class Summary(msgspec.Struct, kw_only=True):
    """Counts of claims; `asked` also counts those that an interrupted run did not come to."""

    asked: int
    decided: int
    proved: int
    refuted_as_expected: int
    refuted_unexpectedly: int
    proved_unexpectedly: int
    unknown: int
    vacuous: int
    seconds: float


class ProveDocument(Document, kw_only=True):
    """`visaproof prove`."""

    timeout_seconds: float
    seed: int
    patterns: list[str]
    summary: Summary
    readings: list[Reading]
    """The readings of all claims together."""
    claims: list[ClaimEntry]
    under: list[str]
    """The answers that are not the defaults, as NAME=VALUE."""


class ListedClaim(msgspec.Struct, kw_only=True):
    """One claim of `visaproof prove --list`."""

    id: str
    module: str
    expected: str


class ListDocument(Document, kw_only=True):
    """`visaproof prove --list`; its `command` is "prove --list"."""

    claims: list[ListedClaim]


def claim_list(claims: "Iterable[Claim]") -> str:
    entries = [
        ListedClaim(id=claim.id, module=claim.module, expected=claim.expected.__name__.lower()) for claim in claims
    ]
    return encode(ListDocument(command="prove --list", exit_code=0, claims=entries))


def prove_run(
    report: "ProveReport", limits: Limits, patterns: list[str], asked: int, elapsed: float, exit_code: int
) -> str:
    from visaproof.report.claims.prove import counts, used_readings

    records = report.records
    document = ProveDocument(
        command="prove",
        exit_code=exit_code,
        complete=asked == len(records),
        not_done=[f"{asked - len(records)} claims: the run was ended before them"] if asked > len(records) else [],
        timeout_seconds=limits.timeout_ms / 1000,
        seed=limits.seed,
        patterns=patterns,
        summary=Summary(asked=asked, decided=len(records), **counts(records), seconds=round(elapsed, 3)),
        readings=_readings(used_readings(records)),
        claims=[_entry(record, report) for record in records],
        under=report.under,
    )
    return encode(document)


def _entry(record: Decided, report: "ProveReport") -> ClaimEntry:
    verdict, saved = record.verdict, report.saved_as(record)
    return ClaimEntry(
        id=record.claim,
        module=record.module,
        query=record.query,
        expected=record.expected,
        verdict=record.answer,
        as_expected=record.as_expected,
        seconds=round(record.seconds, 3),
        decided_by=verdict.by if isinstance(verdict, Proved) else None,
        reason=verdict.reason if isinstance(verdict, Unknown | Vacuous) else None,
        readings=_readings(record.readings),
        counterexample=msgspec.to_builtins(verdict.counterexample) if isinstance(verdict, Refuted) else None,
        saved=shown_path(saved) if saved else None,
    )


def _readings(names: Iterable[str]) -> list[Reading]:
    return [Reading(READINGS[name].decision, name) for name in names]
