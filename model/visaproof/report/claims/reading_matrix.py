"""What `visaproof prove --readings all` says: each obligation under each other reading."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO

from visaproof.checking.claims.reading_matrix import Asked, Row
from visaproof.checking.counterexample import Counterexample, write_counterexample
from visaproof.checking.verdict import Refuted, Unknown, Vacuous
from visaproof.isa.readings import READINGS, alternatives, setting
from visaproof.report.claims.counterexample import instructions_of, outcome_text
from visaproof.report.names import counterexample_name
from visaproof.report.text.console import console_on
from visaproof.report.text.progress import Progress

MOST_DWORDS = 4
"""Dwords of the state that are shown in the line of an example; a saved file has all of them."""

LETTERS = {"refuted": "R", "unknown": "?", "vacuous": "v", "proved": "P", "illegal": "-"}
"""Of the shapes of an obligation, the first of these that occurs is shown."""


LEGEND = "P proved, R refuted for a shape, ? unknown, - illegal, . the same question as by default"


class MatrixReport:
    """Collects the rows; prints each as it comes if `as_text`, and saves counterexamples if asked."""

    def __init__(self, stream: IO[str], progress: Progress, save: Path | None, as_text: bool) -> None:
        self.rows: list[Row] = []
        self._console = console_on(stream)
        self._progress = progress
        self._save = save
        self._as_text = as_text

    def add(self, row: Row) -> None:
        for one in row.asked:
            path = self.saved_as(row, one)
            if path is not None and isinstance(one.verdict, Refuted):
                write_counterexample(one.verdict.counterexample, path)
        self.rows.append(row)
        if self._as_text:
            with self._progress.hidden():
                self._print(row)

    def saved_as(self, row: Row, one: Asked) -> Path | None:
        """The file of the counterexample, if there is one."""
        if self._save is None or not isinstance(one.verdict, Refuted):
            return None
        return self._save / counterexample_name(row.default.query, one.verdict.counterexample.variant)

    def summarise(self, asked: int, seconds: float) -> None:
        """The matrix of each instruction, an example for each refutation, and counts."""
        if len(self.rows) < asked:
            self._say(f"interrupted: {len(self.rows)} of {asked} claims decided")
        for instruction in dict.fromkeys(_obligation(row).partition("/")[0] for row in self.rows):
            for line in self._table(instruction):
                self._say(line)
        for line in _examples(self.rows):
            self._say(line)
        tally = counts(self.rows)
        self._say(
            ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in tally.items()) + f" in {seconds:.1f} s"
        )

    # ------------------------------------------------------------ lines

    def _print(self, row: Row) -> None:
        depends = ", ".join(one.setting for one in row.depends_on) or "none of them"
        self._say(f"{row.default.answer:<7}  {row.default.claim}  depends on: {depends}")
        for one in row.asked:
            if isinstance(one.verdict, Unknown | Vacuous):
                self._say(f"     {one.setting}: {one.answer}: {one.verdict.reason}")

    def _say(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def _table(self, instruction: str) -> Iterator[str]:
        """Rows are obligations, columns the readings that some obligation of the instruction is asked under."""
        rows = [row for row in self.rows if _obligation(row).startswith(f"{instruction}/")]
        columns = [column for column in _columns() if any(_cell([row], column) != "." for row in rows)]
        if not columns:
            return
        yield f"\n{instruction} ({LEGEND}):"
        names = list(dict.fromkeys(_obligation(row).partition("/")[2] for row in rows))
        width = max(map(len, names))
        yield " " * width + "".join(f"{number:>4}" for number in range(1, len(columns) + 1))
        for name in names:
            of_name = [row for row in rows if _obligation(row) == f"{instruction}/{name}"]
            yield f"{name:<{width}}" + "".join(f"{_cell(of_name, column):>4}" for column in columns)
        for number, column in enumerate(columns, 1):
            yield f"  {number:>2}  {READINGS[column.partition('=')[0]].decision:<4}  {column}"


def counts(rows: list[Row]) -> dict[str, int]:
    """How many claims there are, and to what their questions under other readings came."""
    tally = {"claims": len(rows), "depend_on_a_reading": sum(bool(row.depends_on) for row in rows)}
    answers = [one.answer for row in rows for one in row.asked]
    tally["questions_that_differ"] = len(answers)
    return tally | {answer: answers.count(answer) for answer in ("proved", "refuted", "unknown", "vacuous", "illegal")}


def _columns() -> list[str]:
    return [setting(name, answer) for name, answer in alternatives()]


def _obligation(row: Row) -> str:
    return row.default.query.partition("[")[0]


def _cell(rows: list[Row], column: str) -> str:
    """The verdict on all shapes of an obligation under one reading."""
    found = {one.answer for row in rows for one in row.asked if one.setting == column}
    return next((letter for answer, letter in LETTERS.items() if answer in found), ".")


def _examples(rows: list[Row]) -> Iterator[str]:
    """One line for each obligation and reading that refutes it: the smallest example of its shapes."""
    smallest: dict[tuple[str, str], Counterexample] = {}
    for row in rows:
        for one in row.depends_on:
            if isinstance(one.verdict, Refuted):
                key, found = (_obligation(row), one.setting), one.verdict.execution
                if key not in smallest or _size(found) < _size(smallest[key]):
                    smallest[key] = found
    if smallest:
        yield ""
    for (obligation, chosen), found in smallest.items():
        (instruction, *_) = [*instructions_of(found), ""]
        claimed = outcome_text(found.claimed) if found.claimed else "nothing"
        yield (
            f"{obligation} fails under {chosen}: {instruction} on {found.platform}, {_state_text(found)}: "
            f"by default {outcome_text(found.runs[0].outcome)}; so read {claimed}"
        )


def _state_text(found: Counterexample) -> str:
    """The first dwords that are not zero, and the surface."""
    dwords: list[str] = []
    for name, content in found.state.registers.items():
        data = bytes.fromhex(content)
        words = [int.from_bytes(data[start : start + 4], "little") for start in range(0, len(data), 4)]
        dwords += [f"{name}.{4 * index} = {word:#x}" for index, word in enumerate(words) if word]
    shown = dwords[:MOST_DWORDS] + ["…"] * (len(dwords) > MOST_DWORDS)
    for name, surface in found.state.surfaces.items():
        extent = f"{surface.size:,} bytes" if surface.size is not None else f"{surface.levels} texels"
        shown.append(f"{name} of {extent if surface.levels or surface.size else 'no bytes'}")
    return ", ".join(shown)


def _size(found: Counterexample) -> int:
    """Bytes of state that are not zero, and digits of sizes."""
    registers = sum(len(content.replace("0", "")) for content in found.state.registers.values())
    return registers + sum(len(str(surface.size)) + len(surface.contents) for surface in found.state.surfaces.values())
