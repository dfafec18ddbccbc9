"""The JSON of `visaproof prove --readings all`."""

import msgspec

from visaproof.checking.claims.reading_matrix import Asked, Row
from visaproof.checking.claims.workers import Limits
from visaproof.checking.counterexample import Counterexample
from visaproof.checking.verdict import Refuted, Unknown, Vacuous
from visaproof.report.claims.reading_matrix import MatrixReport, counts
from visaproof.report.text.documents import Document, encode, shown_path


class AskedEntry(msgspec.Struct, kw_only=True):
    """One claim under one other reading that makes it another question."""

    reading: str
    """NAME=VALUE."""
    verdict: str
    seconds: float
    reason: str | None
    counterexample: Counterexample | None
    saved: str | None


class RowEntry(msgspec.Struct, kw_only=True):
    """One claim."""

    id: str
    module: str
    query: str
    verdict: str
    """Under the default readings."""
    depends_on: list[str]
    """The readings, as NAME=VALUE, under which the verdict is another."""
    asked: list[AskedEntry]


class MatrixDocument(Document, kw_only=True):
    """`visaproof prove --readings all`; its `command` is that."""

    timeout_seconds: float
    seed: int
    patterns: list[str]
    summary: dict[str, int]
    seconds: float
    claims: list[RowEntry]


def matrix_run(report: MatrixReport, limits: Limits, patterns: list[str], elapsed: float, exit_code: int) -> str:
    document = MatrixDocument(
        command="prove --readings all",
        exit_code=exit_code,
        timeout_seconds=limits.timeout_ms / 1000,
        seed=limits.seed,
        patterns=patterns,
        summary=counts(report.rows),
        seconds=round(elapsed, 3),
        claims=[_row(row, report) for row in report.rows],
    )
    return encode(document)


def _row(row: Row, report: MatrixReport) -> RowEntry:
    return RowEntry(
        id=row.default.claim,
        module=row.default.module,
        query=row.default.query,
        verdict=row.default.answer,
        depends_on=[one.setting for one in row.depends_on],
        asked=[_asked(row, one, report) for one in row.asked],
    )


def _asked(row: Row, one: Asked, report: MatrixReport) -> AskedEntry:
    saved = report.saved_as(row, one)
    return AskedEntry(
        reading=one.setting,
        verdict=one.answer,
        seconds=round(one.seconds, 3),
        reason=one.verdict.reason if isinstance(one.verdict, Unknown | Vacuous) else None,
        counterexample=one.verdict.execution if isinstance(one.verdict, Refuted) else None,
        saved=shown_path(saved) if saved else None,
    )
