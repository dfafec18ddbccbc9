"""What `visaproof vectors` says: a table by instruction and source, and every disagreement."""

from collections import Counter
from typing import IO

import msgspec
from msgspec import Struct, field
from rich.table import Column, Table

from visaproof.isa.errors import Position, ReadError
from visaproof.report.text.console import console_on
from visaproof.report.text.documents import Document, encode, shown_path
from visaproof.report.text.excerpt import printable
from visaproof.vectors.comparison import Agrees, Answer, Disagrees, NotComparable
from visaproof.vectors.rows import Row


class Group(msgspec.Struct, kw_only=True):
    """The vectors of one instruction from one source."""

    instruction: str
    source: str
    agree: int
    disagree: int
    not_comparable: dict[str, int]
    """How many for each reason."""


class Disagreement(msgspec.Struct, kw_only=True):
    """A vector that the page as visaproof reads it contradicts."""

    file: str
    line: int
    id: str
    where: str


class VectorsDocument(Document, kw_only=True):
    """`visaproof vectors`."""

    groups: list[Group]
    disagreements: list[Disagreement]
    errors: list[str]


class _Counts(Struct):
    agree: int = 0
    disagree: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])


class VectorsReport:
    """Counts row by row; prints disagreements as they are found if `as_text`, and the table or document at the end."""

    def __init__(self, stream: IO[str], as_text: bool) -> None:
        self._stream = stream
        self._as_text = as_text
        self._counts: dict[tuple[str, str], _Counts] = {}
        self._disagreements: list[Disagreement] = []
        self._errors: list[str] = []

    def add(self, position: Position, row: Row, answer: Answer) -> None:
        counts = self._counts.setdefault((row.instr, row.source), _Counts())
        match answer:
            case Agrees():
                counts.agree += 1
            case NotComparable(reason):
                counts.reasons[reason] += 1
            case Disagrees(where):
                counts.disagree += 1
                file = shown_path(position.path)
                self._disagreements.append(Disagreement(file=file, line=position.line, id=row.id, where=where))
                self._say(f"DISAGREES {file}:{position.line}: {row.instr} {row.id}: {where}")

    def unreadable(self, error: ReadError) -> None:
        self._errors.append(shown_path(str(error)))

    @property
    def compared(self) -> int:
        """How many vectors were compared."""
        return sum(counts.agree + counts.disagree for counts in self._counts.values())

    def finish(self, exit_code: int) -> None:
        groups = [
            Group(
                instruction=instruction,
                source=source,
                agree=counts.agree,
                disagree=counts.disagree,
                not_comparable=dict(sorted(counts.reasons.items())),
            )
            for (instruction, source), counts in sorted(self._counts.items())
        ]
        if self._as_text:
            self._print_table(groups)
            return
        document = VectorsDocument(
            command="vectors",
            exit_code=exit_code,
            groups=groups,
            disagreements=self._disagreements,
            errors=self._errors,
        )
        print(encode(document), file=self._stream)

    def _print_table(self, groups: list[Group]) -> None:
        table = Table("instruction", Column("source", overflow="fold"), box=None, pad_edge=False)
        for heading in ("agree", "disagree", "not comparable"):
            table.add_column(heading, justify="right")
        for group in groups:
            skipped = sum(group.not_comparable.values())
            counts = (str(group.agree), str(group.disagree), str(skipped))
            table.add_row(printable(group.instruction), printable(group.source), *counts)
        if groups:
            console_on(self._stream).print(table)
        reasons: Counter[str] = Counter()
        for group in groups:
            reasons.update(group.not_comparable)
        for reason, count in reasons.most_common():
            self._say(f"not comparable: {count} {reason}")
        agree, disagree = (sum(getattr(group, kind) for group in groups) for kind in ("agree", "disagree"))
        self._say(f"{agree} agree, {disagree} disagree, {sum(reasons.values())} not comparable")

    def _say(self, line: str) -> None:
        if self._as_text:
            print(printable(line), file=self._stream)
