"""Many pairs as people read them: how many of each kind, then those that want attention."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from visaproof.launch.premise_table import PREMISES
from visaproof.report.kernels.premises import GRANTED
from visaproof.report.results.finding import Finding
from visaproof.report.text.documents import Document, shown_path
from visaproof.report.text.excerpt import printable
from visaproof.report.text.tables import table
from visaproof.report.two_kernels.pair_rows import Answer, Row

FINE = (Answer.REFINES, Answer.CONDITIONAL)
ALWAYS_SHOWN = (Answer.REFINES, Answer.CONDITIONAL, Answer.DIFFERS, Answer.UNKNOWN)
WIDTH = 120
IDENTICAL = "the same program"
"""How a pair refines whose kernels do not differ."""
NO_PAIR = "in no pair"
"""Under which files are counted that are without one."""
ATTENTION = (
    Answer.FAILED, Answer.DISAGREED,
    Answer.UNREADABLE, Answer.MISSING, Answer.UNMATCHED, Answer.DIFFERS, Answer.VACUOUS,
    Answer.NOT_MODELLED, Answer.UNKNOWN, Answer.BOUNDED,
)  # fmt: skip
"""In the order in which they are listed."""


class PairsDocument(Document, kw_only=True):
    """`visaproof tv`."""

    pairing: str
    assume: str
    launch: list[str]
    pairs: int
    """That were to be asked; fewer are listed after Ctrl-C."""
    counts: dict[str, int]
    alone: list[str]
    asked: list[Row]
    findings: list[Finding]


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """The table of counts by class, the conditions that were needed, and the premises."""
    shown = [one for one in Answer if one in ALWAYS_SHOWN or any(row.answer is one for row in rows)]
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.group or NO_PAIR, []).append(row)
    same = sum(map(_is_identical, rows))
    named = [*sorted(groups.items()), *([("all", list(rows))] if len(groups) > 1 else [])]
    lines = [[name, *_counted(found, shown)] for name, found in named]
    columns = ["class", *(one.value for one in shown)]
    if same:
        columns.append(f"({IDENTICAL})")
        for line, (_, found) in zip(lines, named, strict=True):
            line.append(str(sum(map(_is_identical, found)) or "-"))
    yield from (printable(line).rstrip() for line in table(columns, lines, WIDTH))
    if same:
        yield f"  {same} of them {'is' if same == 1 else 'are'} the same program: nothing was changed"
    needed = Counter[str](text for row in rows for text in row.verdict.get("conditions", ()) if row.answer in FINE)
    if needed:
        yield ""
        yield f"  {sum(row.answer is Answer.CONDITIONAL for row in rows)} refine where"
        yield from (f"    {text} ({count})" for text, count in needed.most_common())
    premises = Counter[str](name for row in rows if row.answer in FINE for name in row.premises)
    if premises:
        yield ""
        yield "  what refines rests on, in so many pairs (visaproof premises NAME says more)"
        yield from (
            f"    {name} ({count}) [{GRANTED[PREMISES[name].granted]}]" for name, count in premises.most_common()
        )


def summary_of_stages(rows: Sequence[Row]) -> Iterator[str]:
    """For each stage, for how many pairs it was tried and found something, and its time in all; the longest first."""
    found: dict[str, list[float]] = {}
    for row in rows:
        for one in row.verdict.get("stages", ()):
            counted = found.setdefault(one["stage"], [0, 0, 0.0])
            for place, more in enumerate((1, bool(one["found"]), one["seconds"])):
                counted[place] += more
    if not found:
        return
    yield ""
    ranked = sorted(found.items(), key=lambda item: -item[1][2])
    lines = [[name, str(int(tried)), str(int(told)), f"{took:.3f}"] for name, (tried, told, took) in ranked]
    yield from table(["stage", "tried", "found", "seconds"], lines, WIDTH)


def _is_identical(row: Row) -> bool:
    return row.answer is Answer.REFINES and row.detail == IDENTICAL


def _counted(rows: Sequence[Row], shown: Sequence[Answer]) -> list[str]:
    counts = Counter(row.answer for row in rows)
    return [str(counts[one]) if counts[one] else "-" for one in shown]


def attention(rows: Sequence[Row]) -> Iterator[str]:
    """The pairs without a proof, by what is said of them."""
    for answer in ATTENTION:
        found = [row for row in rows if row.answer is answer]
        if found:
            yield ""
            yield f"  {answer.value.upper()} ({len(found)})"
        for row in found:
            yield printable(f"    {row.group}: {row.source} → {row.target}" if row.target else f"    {row.source}")
            yield printable(f"      {row.detail}")


def counts(rows: Sequence[Row]) -> dict[str, int]:
    found = Counter(row.answer for row in rows)
    return {one.value: found[one] for one in Answer if found[one]}


def document(found: dict[str, Any], rows: Sequence[Row]) -> str:
    """The JSON text."""
    from visaproof.report.text.documents import encode

    left = found["pairs"] - len(rows)
    missing = [f"{left} pairs: the run was ended before them"] if left > 0 else []
    missing += [f"{row.source}: {shown_path(row.detail)}" for row in rows if row.detail.startswith("not asked: ")]
    shown = [_shown(row) for row in rows]
    return encode(PairsDocument(**found, complete=not missing, not_done=missing, counts=counts(rows), asked=shown))


def _shown(row: Row) -> Row:
    return msgspec.structs.replace(
        row, source=shown_path(row.source), target=shown_path(row.target), detail=shown_path(row.detail)
    )
