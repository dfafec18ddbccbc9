"""What `visaproof prove` says about each obligation, each claim, and all of them."""

from collections.abc import Iterable
from pathlib import Path
from typing import IO

from rich.table import Table
from rich.text import Text

from visaproof.checking.claims.workers import Decided
from visaproof.checking.counterexample import write_counterexample
from visaproof.checking.verdict import Proved, Refuted, Unknown, Vacuous
from visaproof.isa.readings import DEFAULT, READINGS, Readings
from visaproof.report.claims.counterexample import described
from visaproof.report.names import counterexample_name
from visaproof.report.text.console import console_on
from visaproof.report.text.progress import Progress


class ProveReport:
    """Collects what was decided, and saves counterexamples if asked.

    Prints each surprise as it comes, and with `verbose` each claim, unless `as_text` is false.
    """

    def __init__(
        self,
        stream: IO[str],
        progress: Progress,
        save: Path | None,
        as_text: bool,
        readings: Readings = DEFAULT,
        verbose: bool = False,
    ) -> None:
        self.under = readings.chosen_otherwise()
        self.records: list[Decided] = []
        self._console = console_on(stream)
        self._progress = progress
        self._save = save
        self._as_text = as_text
        self._verbose = verbose

    def add(self, record: Decided) -> None:
        path = self.saved_as(record)
        if path is not None and isinstance(record.verdict, Refuted):
            write_counterexample(record.verdict.counterexample, path)
        if self._as_text and (self._verbose or not record.as_expected):
            with self._progress.hidden():
                self._print(record)
        self.records.append(record)

    def saved_as(self, record: Decided) -> Path | None:
        """The file of the counterexample, if there is one."""
        if self._save is None or not isinstance(record.verdict, Refuted):
            return None
        return self._save / counterexample_name(record.query, record.verdict.counterexample.variant)

    # ------------------------------------------------------------ lines

    def _print(self, record: Decided) -> None:
        mark, style = ("ok", "green") if record.as_expected else ("FAIL", "bold red")
        time = f"{record.seconds:.2f} s"
        if self._console.is_terminal:
            if not self.records or self.records[-1].module != record.module:
                self._console.print(Text(record.module, "bold"))
            row = Table.grid(padding=(0, 1))
            for width in (4, 7, 8):
                row.add_column(width=width, no_wrap=True)
            row.add_column(overflow="fold")
            row.add_row(Text(mark, style), record.answer, Text(time, "dim", justify="right"), record.claim)
            self._console.print(row)
        else:
            line = f"{mark:<4} {record.answer:<7} {time:>8}  {record.module}: {record.claim}"
            self._console.print(line, soft_wrap=True)
        if not record.as_expected:
            self._explain(record)

    def _print_obligation(self, obligation: str, records: list[Decided]) -> None:
        surprise = not all(record.as_expected for record in records)
        mark, style = ("FAIL", "bold red") if surprise else ("ok", "green")
        line = Text.assemble((f"{mark:<4}", style), f" {obligation}: {_counted(records)}")
        self._console.print(line, soft_wrap=not self._console.is_terminal)

    def _explain(self, record: Decided) -> None:
        match record.verdict:
            case Refuted(counterexample):
                described(counterexample, self._console)
            case Proved(by):
                self._say(f"expected a refutation, but the property holds (decided by {by}): {record.query}")
            case Unknown(reason) | Vacuous(reason):
                self._say(f"expected {record.expected}: {reason}")

    def _say(self, text: str) -> None:
        self._console.print(f"     {text}", soft_wrap=True)

    def summarise(self, asked: int, seconds: float) -> None:
        """A line for each obligation; counts and time, the readings the verdicts rest on, and where files went."""
        for obligation, records in by_obligation(self.records).items():
            self._print_obligation(obligation, records)
        if len(self.records) < asked:
            self._console.print(f"interrupted: {len(self.records)} of {asked} claims decided", style="bold")
        ok = not [record for record in self.records if not record.as_expected]
        style, piped = "" if ok else "bold red", not self._console.is_terminal
        self._console.print(f"{totals(self.records)} in {seconds:.1f} s", style=style, soft_wrap=piped)
        if self.under:
            self._console.print(f"under {', '.join(self.under)}", soft_wrap=piped)
        readings = used_readings(self.records)
        if readings:
            named = ", ".join(f"{READINGS[name].decision} {name}" for name in readings)
            self._console.print(f"readings relied on: {named}", soft_wrap=piped)
        files = {path for record in self.records if (path := self.saved_as(record))}
        if files:
            self._console.print(f"{len(files)} counterexamples saved in {self._save}", soft_wrap=True)


SAID: dict[str, str] = {
    "proved": "proved",
    "refuted_as_expected": "refuted as expected",
    "refuted_unexpectedly": "REFUTED that should be proved",
    "proved_unexpectedly": "PROVED that should be refuted",
    "unknown": "unknown",
    "vacuous": "vacuous",
}

SURPRISES = ("refuted_unexpectedly", "proved_unexpectedly")


def by_obligation(records: Iterable[Decided]) -> dict[str, list[Decided]]:
    """The claims about each obligation, by its name (`scatter4_scaled/enabled-lane-acts`), else by their own id."""
    found: dict[str, list[Decided]] = {}
    for record in records:
        found.setdefault(record.query.partition("[")[0] or record.claim, []).append(record)
    return found


def totals(records: Iterable[Decided]) -> str:
    """ "215 proved, 57 refuted as expected, 0 unknown, 0 vacuous"; surprises only where there are any."""
    tally = counts(records)
    return ", ".join(f"{count} {SAID[what]}" for what, count in tally.items() if count or what not in SURPRISES)


def _counted(records: Iterable[Decided]) -> str:
    """ "5 proved, 1 refuted as expected": what there is."""
    return ", ".join(f"{count} {SAID[what]}" for what, count in counts(records).items() if count)


def counts(records: Iterable[Decided]) -> dict[str, int]:
    """How many claims came to what."""
    tally = dict.fromkeys(SAID, 0)
    for record in records:
        match record.answer, record.as_expected:
            case "proved" | "refuted" as answer, False:
                tally[f"{answer}_unexpectedly"] += 1
            case "refuted", True:
                tally["refuted_as_expected"] += 1
            case answer, _:
                tally[answer] += 1
    return tally


def used_readings(records: Iterable[Decided]) -> list[str]:
    """The readings that any of the verdicts rests on, in the order of the list of decisions."""
    used = {name for record in records for name in record.readings}
    return [name for name in READINGS if name in used]
