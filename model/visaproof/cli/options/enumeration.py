"""`visaproof prove --enumerate`: every legal fixed shape, beside the parametric proofs."""

import sys
from argparse import Namespace
from time import perf_counter
from typing import TYPE_CHECKING

from visaproof.cli.options.errors import UsageError, proposal
from visaproof.cli.options.exit_codes import ExitCode, worst

if TYPE_CHECKING:
    from visaproof.checking.claims.enumeration import BatchResult
    from visaproof.checking.claims.workers import Limits

_CODES = {"refuted": ExitCode.REFUTED, "unknown": ExitCode.UNKNOWN, "vacuous": ExitCode.VACUOUS}


def run(arguments: Namespace, limits: "Limits", jobs: int) -> int:
    """Decides the batches that the patterns name, or all; --list only names them."""
    names = _selected(arguments.patterns)
    if arguments.list:
        print("\n".join(names))
        return ExitCode.OK
    return _decide(arguments, limits, jobs, names)


def _selected(patterns: list[str]) -> list[str]:
    from visaproof.checking.claims.enumeration import selected

    for pattern in patterns:
        if not selected((pattern,)):
            names = [batch.name for batch in selected(())]
            hint = proposal(pattern, names) or "visaproof prove --enumerate --list names every batch"
            raise UsageError(f"no batch of shapes matches {pattern!r}", hint)
    return [batch.name for batch in selected(tuple(patterns))]


def _decide(arguments: Namespace, limits: "Limits", jobs: int, names: list[str]) -> int:
    from visaproof.checking.claims.enumeration import enumerated
    from visaproof.report.claims.enumeration import EnumerationReport, document
    from visaproof.report.text.progress import Progress

    start, interrupted = perf_counter(), False
    with Progress(len(names), sys.stderr) as progress:
        report = EnumerationReport(sys.stdout, progress, arguments.save, arguments.format == "text")
        progress.starting(names[0])
        try:
            for done, result in enumerate(enumerated(limits, jobs, tuple(arguments.patterns)), 1):
                report.add(result)
                progress.starting(names[done] if done < len(names) else "")
        except KeyboardInterrupt:
            interrupted = True
    seconds = perf_counter() - start
    code = worst(([ExitCode.INTERRUPTED] if interrupted else []) + _codes(report.results))
    if arguments.format == "json":
        print(document(report, limits, arguments.patterns, len(names), (seconds, code)))
    else:
        report.summarise(len(names), seconds)
    return code


def _codes(results: "list[BatchResult]") -> list[ExitCode]:
    """The codes of every verdict but a proof."""
    found = {answer for result in results for tally in (result.parametric, result.enumerated) for answer in tally}
    return [code for answer, code in _CODES.items() if answer in found]
