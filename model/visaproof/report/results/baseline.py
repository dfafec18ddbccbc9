"""Findings that are known already: a file of them, by kernel, statement and kind, but not by line."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from visaproof.isa.errors import Position, ReadError
from visaproof.report.results.finding import Finding, Level, Result, worst_code
from visaproof.report.results.outputs import write_whole
from visaproof.visaasm.file_content import content_of, place_in_json

FORMAT = 1
MOST_BYTES = 2**28
NEVER_KNOWN = (Level.UNREADABLE, Level.INTERNAL, Level.DISAGREEMENT)
"""Of a file that cannot be read nothing is known."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """So many findings of one kind at statements of one text."""

    kernel: str
    statement: str
    kind: str
    level: Level
    count: int = 1


class Baseline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file."""

    baseline: int
    findings: tuple[Entry, ...]


class Compared(Struct, frozen=True):
    """Results with nothing but new findings."""

    results: list[Result]
    known: int
    left: Counter[Entry]
    """Findings of the baseline that are not among them."""

    @property
    def gone(self) -> int:
        return self.left.total()


def read_baseline(path: Path) -> Counter[Entry]:
    """How many of each are known.  Raises ReadError."""
    content = content_of(path, MOST_BYTES)
    try:
        read = msgspec.json.decode(content, type=Baseline)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "`--write-baseline` writes one"
        raise ReadError(f"not a baseline: {error}", place_in_json(content, str(path), error), hint) from None
    if read.baseline != FORMAT:
        raise ReadError(f"a baseline of format {read.baseline}, not {FORMAT}", Position(str(path), 1, 1))
    known = Counter[Entry]()
    for one in read.findings:
        known[msgspec.structs.replace(one, count=1)] += one.count
    return known


def write_baseline(path: Path, results: Sequence[Result]) -> int:
    """Writes all findings of a run, one a line; how many.  Raises OSError."""
    counts = Counter(_entry(one) for result in results for one in result.findings if one.level not in NEVER_KNOWN)
    entries = sorted(counts.items(), key=lambda item: (item[0].kernel, item[0].statement, item[0].kind))
    lines = [msgspec.json.encode(msgspec.structs.replace(one, count=count)).decode() for one, count in entries]
    listed = ",\n".join(f"  {line}" for line in lines)
    write_whole(path, f'{{"baseline": {FORMAT}, "findings": [\n{listed}\n]}}\n')
    return counts.total()


def compared(results: Sequence[Result], known: Counter[Entry]) -> Compared:
    """The results without what is known; of two findings alike, of which one is known, one is new."""
    left, found, hidden = Counter(known), list[Result](), 0
    for result in results:
        new: list[Finding] = []
        for one in result.findings:
            entry = _entry(one)
            if one.level not in NEVER_KNOWN and left[entry] > 0:
                left[entry] -= 1
                hidden += 1
            else:
                new.append(one)
        left_out = len(result.findings) - len(new)
        changed = msgspec.structs.replace(result, findings=tuple(new), code=worst_code(new), known=left_out)
        found.append(changed if left_out else result)
    return Compared(found, hidden, +left)


def _entry(one: Finding) -> Entry:
    text = " ".join(one.statement.split()).encode(errors="backslashreplace").decode()
    kernel = one.kernel.encode(errors="backslashreplace").decode()
    return Entry(kernel=kernel, statement=text, kind=one.kind, level=one.level)
