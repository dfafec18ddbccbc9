"""A command that asks about files: reads its options, asks, shows, writes, and says how it went."""

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from time import monotonic
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from visaproof.cli.many.asking import Ask, Asker, Kept, answered
from visaproof.cli.many.baseline import known_findings, without_known
from visaproof.cli.many.cache import cache_of
from visaproof.cli.many.files import tasks_of
from visaproof.cli.many.options import jobs_of
from visaproof.cli.options.exit_codes import ExitCode, worst

if TYPE_CHECKING:
    from collections import Counter

    from visaproof.report.results.baseline import Entry
    from visaproof.report.results.finding import Result
    from visaproof.report.results.outputs import Report
    from visaproof.report.text.progress import Progress

Summary = Callable[[Sequence["Result"]], Iterator[str]]


class Command(Struct, frozen=True):
    """What is particular to one command."""

    name: str
    ask: Ask
    summary: Summary
    """The last lines of its text."""
    more: Callable[[Sequence["Result"]], dict[str, Any]] = field(default=lambda _: {})
    """Further keys of its JSON, and where `files` stands among them."""


def ask_each(command: Command, arguments: Namespace) -> int:
    """Runs the command; what is computed is shown before the next one starts, and kept after Ctrl-C."""
    known = known_findings(arguments)
    tasks = tasks_of(arguments)
    until = None if arguments.budget is None else monotonic() + arguments.budget
    elsewhere = arguments.scheduler is not None
    live = min(jobs_of(arguments), len(tasks)) <= 1 and not arguments.quiet and not elsewhere
    asker = Asker(command.name, command.ask, arguments, until, live)
    shown = _Shown(arguments.format == "text", arguments.quiet, known)
    codes: list[ExitCode] = []
    with cache_of(arguments, command.name) as cache, _progress(len(tasks), live) as progress:
        kept = Kept.of(cache, command.name, arguments)
        progress.starting(command.name)
        try:
            with closing(answered(asker, tasks, kept)) as found:
                for index, result, already in found:
                    progress.starting(f"{command.name} {result.subject}")
                    with progress.hidden():
                        shown.add(index, result, already)
        except KeyboardInterrupt:
            codes.append(ExitCode.INTERRUPTED)
            with progress.hidden():
                shown.rest()
    results = without_known(shown.ordered(), known, arguments, ended=not codes)
    return finish(command, arguments, results, codes)


def finish(command: Command, arguments: Namespace, results: "Sequence[Result]", codes: list[ExitCode]) -> int:
    """Shows what comes last, writes the outputs, and gives the exit code."""
    from visaproof.report.results.outputs import Report

    code = worst([*codes, *codes_of(results, arguments.fail_on)])

    def as_json() -> str:
        import msgspec

        from visaproof.report.records.completeness import ENDED, not_done
        from visaproof.report.text.documents import document

        found = msgspec.to_builtins([finding for one in results for finding in one.findings])
        records = {"files": [one.record for one in results]}
        missing = [*((ENDED,) if ExitCode.INTERRUPTED in codes else ()), *not_done(one.record for one in results)]
        return document(command.name, code, missing, **(command.more(results) | records), findings=found)

    def as_text() -> str:
        lines = "".join(f"{line}\n" for line in command.summary(results))
        return "".join(one.text for one in results) + lines

    report = Report(command.name, results, as_text, as_json)
    if arguments.format == "text" and not arguments.quiet:
        for line in command.summary(results):
            print(line)
    return conclude(report, arguments, code)


def conclude(report: "Report", arguments: Namespace, code: ExitCode) -> ExitCode:
    """Prints the format that was asked for, if it is not text, and writes the others; the code of the run."""
    from visaproof.cli.options.errors import show_error
    from visaproof.report.results.formats import Format
    from visaproof.report.results.outputs import write

    if arguments.format != "text":
        sys.stdout.write(report.rendered(Format(arguments.format)))
    return worst([code, *(show_error(error) for error in write(arguments.output, report))])


def codes_of(results: "Sequence[Result]", fail_on: frozenset[str] | None) -> Iterator[ExitCode]:
    """Those of the results, or of the findings that are to fail the run."""
    if fail_on is None:
        yield from (ExitCode(one.code) for one in results)
        return
    from visaproof.report.results.finding import worst_code

    counted = [finding for one in results for finding in one.findings if finding.level.value in fail_on]
    yield ExitCode(worst_code(counted))


class _Shown(Struct):
    """Prints results in the order of the files, each once all before it are there."""

    text: bool
    quiet: bool
    known: "Counter[Entry] | None" = None
    """Findings that `quiet` does not show."""
    due: int = 0
    results: "dict[int, Result]" = field(default_factory=dict[int, "Result"])
    printed: set[int] = field(default_factory=set[int])

    def add(self, index: int, result: "Result", already: bool) -> None:
        self.results[index] = result
        if already:
            self.printed.add(index)
        while self.due in self.results:
            self._print(self.due)
            self.due += 1

    def rest(self) -> None:
        """What came early, and those before it never."""
        for index in sorted(self.results):
            self._print(index)

    def ordered(self) -> "list[Result]":
        return [self.results[index] for index in sorted(self.results)]

    def _print(self, index: int) -> None:
        result = self.results[index]
        if index in self.printed or (self.quiet and not self._has_news(result)):
            return
        self.printed.add(index)
        if self.text:
            sys.stdout.write(result.text)
        sys.stdout.flush()
        sys.stderr.write(result.said)
        sys.stderr.flush()

    def _has_news(self, result: "Result") -> bool:
        if self.known is None or not result.findings:
            return bool(result.findings)
        from visaproof.report.results.baseline import compared

        found = compared([result], self.known)
        self.known = found.left
        return bool(found.results[0].findings)


def _progress(total: int, live: bool) -> "Progress":
    from visaproof.report.text.progress import Progress

    return Progress(0 if live else total, sys.stderr)


def counted(results: "Sequence[Result]", words: "dict[ExitCode, str]") -> Iterator[str]:
    """How many files ended with each exit code; nothing of a single one."""
    if len(results) > 1:
        known = sum(result.known > 0 and not result.code for result in results)
        codes = [result.code for result in results if result.code or not result.known]
        parts = [f"{codes.count(one)} {word}" for one, word in words.items() if one in codes]
        said = ", ".join([*parts, f"{known} with nothing but known findings"] if known else parts)
        yield ""
        yield f"{len(results)} files: {said}"
