"""What `visaproof prove --enumerate` says: batch by batch, and the parametric and the enumerated count together."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import IO

import msgspec

from visaproof.checking.claims.enumeration import BatchResult, Finding
from visaproof.checking.claims.workers import Limits
from visaproof.checking.counterexample import Counterexample, write_counterexample
from visaproof.checking.verdict import Refuted, Unknown, Vacuous
from visaproof.report.claims.counterexample import described
from visaproof.report.names import counterexample_name
from visaproof.report.text.console import console_on
from visaproof.report.text.documents import Document, encode
from visaproof.report.text.progress import Progress

ANSWERS = ("proved", "refuted", "unknown", "vacuous")


class EnumerationReport:
    """Collects batches; prints each if `as_text`, and saves counterexamples if asked."""

    def __init__(self, stream: IO[str], progress: Progress, save: Path | None, as_text: bool) -> None:
        self.results: list[BatchResult] = []
        self._console = console_on(stream)
        self._progress = progress
        self._save = save
        self._as_text = as_text

    def add(self, result: BatchResult) -> None:
        self.results.append(result)
        for finding in result.findings:
            if self._save is not None and isinstance(finding.verdict, Refuted):
                found = finding.verdict.counterexample
                write_counterexample(found, self._save / counterexample_name(found.claim, found.variant))
        if self._as_text:
            with self._progress.hidden():
                self._print(result)

    def _print(self, result: BatchResult) -> None:
        mark = "FAIL" if result.findings else "ok"
        size = f"{result.shapes} shapes, {result.enumerated.total()} obligations"
        self._console.print(f"{mark:<4} {result.seconds:6.1f} s  {result.name}: {size}", soft_wrap=True, markup=False)
        for finding in result.findings:
            self._explain(finding)

    def _explain(self, finding: Finding) -> None:
        self._console.print(f"     {finding.obligation}: {finding.shape}", soft_wrap=True, markup=False)
        match finding.verdict:
            case Refuted(counterexample):
                described(counterexample, self._console)
            case Unknown(reason) | Vacuous(reason):
                kind = type(finding.verdict).__name__.lower()
                self._console.print(f"     {kind}: {reason}", soft_wrap=True, markup=False)
            case _:
                pass

    def summarise(self, asked: int, seconds: float) -> None:
        """The last lines: both counts, and how much of the enumeration was work."""
        total = totals(self.results)
        if len(self.results) < asked:
            self._console.print(f"interrupted: {len(self.results)} of {asked} batches decided", style="bold")
        lines = (
            f"parametric: {total.families} families, {_verdicts(total.parametric)}",
            f"enumerated: {total.shapes} shapes, {_verdicts(total.enumerated)} in {seconds:.1f} s",
            f"of these, {total.true_as_written} were true as written; the others share {total.formulas} formulas",
        )
        for line in lines:
            self._console.print(line, soft_wrap=True, markup=False)


class Counts(msgspec.Struct, kw_only=True):
    """Obligations by their verdict."""

    obligations: int
    proved: int
    refuted: int
    unknown: int
    vacuous: int


class Totals(msgspec.Struct, kw_only=True):
    """All batches together."""

    families: int
    parametric: Counts
    shapes: int
    enumerated: Counts
    true_as_written: int
    """Obligations on shapes that the normal form decides while they are written down."""
    formulas: int
    """Different formulas that were decided for the others, counted in each batch for itself."""


class FindingEntry(msgspec.Struct, kw_only=True):
    """The first failure of an obligation in a batch."""

    shape: str
    obligation: str
    verdict: str
    reason: str | None
    counterexample: Counterexample | None


class BatchEntry(msgspec.Struct, kw_only=True):
    """One batch."""

    name: str
    totals: Totals
    seconds: float
    findings: list[FindingEntry]


class EnumerationDocument(Document, kw_only=True):
    """`visaproof prove --enumerate`; its `command` is "prove --enumerate"."""

    timeout_seconds: float
    seed: int
    patterns: list[str]
    asked: int
    """Batches selected; an interrupted run has decided fewer."""
    seconds: float
    totals: Totals
    batches: list[BatchEntry]


def totals(results: Iterable[BatchResult]) -> Totals:
    together = list(results)
    return Totals(
        families=sum(result.families for result in together),
        parametric=_counts(result.parametric for result in together),
        shapes=sum(result.shapes for result in together),
        enumerated=_counts(result.enumerated for result in together),
        true_as_written=sum(result.by_normal_form for result in together),
        formulas=sum(result.distinct for result in together),
    )


def _counts(tallies: Iterable[Counter[str]]) -> Counts:
    tally = sum(tallies, Counter[str]())
    return Counts(obligations=tally.total(), **{answer: tally[answer] for answer in ANSWERS})


def _verdicts(counts: Counts) -> str:
    each = ", ".join(f"{getattr(counts, answer)} {answer}" for answer in ANSWERS)
    return f"{counts.obligations} obligations: {each}"


def document(report: EnumerationReport, limits: Limits, patterns: list[str], asked: int, run: tuple[float, int]) -> str:
    """The JSON of a run; `run` is its seconds and its exit code."""
    seconds, exit_code = run
    return encode(
        EnumerationDocument(
            command="prove --enumerate",
            exit_code=exit_code,
            timeout_seconds=limits.timeout_ms / 1000,
            seed=limits.seed,
            patterns=patterns,
            asked=asked,
            seconds=round(seconds, 3),
            totals=totals(report.results),
            batches=[_entry(result) for result in report.results],
        )
    )


def _entry(result: BatchResult) -> BatchEntry:
    findings = [_finding(finding) for finding in result.findings]
    return BatchEntry(name=result.name, totals=totals([result]), seconds=round(result.seconds, 3), findings=findings)


def _finding(finding: Finding) -> FindingEntry:
    verdict = finding.verdict
    return FindingEntry(
        shape=finding.shape,
        obligation=finding.obligation,
        verdict=type(verdict).__name__.lower(),
        reason=verdict.reason if isinstance(verdict, Unknown | Vacuous) else None,
        counterexample=verdict.execution if isinstance(verdict, Refuted) else None,
    )
