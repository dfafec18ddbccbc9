"""The measured rows as Markdown."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks.coverage.measure import Row

SETS = ("none", "ids", "bounded")
WORDS = {"none": "arbitrary inputs (`none`)", "ids": "contiguous ids (`ids`)", "bounded": "bounded scalars (`bounded`)"}

_POCL = re.compile(r"^(\S+)\s+(\S+)\s+\S.*?\s(agree|differ|not comparable)(?:\s|$)")


def pocl_answers(path: Path) -> dict[tuple[str, str], set[str]]:
    """The answers of each file in what `python -m benchmarks.pocl --all` printed."""
    found: dict[tuple[str, str], set[str]] = {}
    for line in path.read_text(encoding="utf-8").partition("\nkernel ")[0].splitlines():  # its own table is left out
        launch = _POCL.match(line)
        if launch:
            found.setdefault((launch[1], launch[2]), set()).add(launch[3])
    return found


def markdown(rows: Sequence[Row], pocl: dict[tuple[str, str], set[str]] | None) -> Iterator[str]:
    """All tables and lists."""
    yield from _files(rows, pocl)
    yield ""
    yield from _conflicts(rows)
    yield ""
    yield from (f"- {note}" for note in _notes(rows))


def _files(rows: Sequence[Row], pocl: dict[tuple[str, str], set[str]] | None) -> Iterator[str]:
    """A line for each device and variant."""
    columns = ["variant", "files", "read", "run to the end on terms", "writes: free", "vacuous", "conflict",
               "open",               "messages: inside", "outside", "64-bit address", "open"]  # fmt: skip
    if pocl is not None:
        columns.append("run with PoCL's result")
    yield _line(columns)
    yield _line(["---"] + ["--:"] * (len(columns) - 1))
    for variant in sorted({row.variant for row in rows}):
        yield _line(_file_cells(variant, [row for row in rows if row.variant == variant], pocl))
    yield _line(_file_cells("**all**", rows, pocl))


def _file_cells(name: str, rows: Sequence[Row], pocl: dict[tuple[str, str], set[str]] | None) -> list[object]:
    writes, messages = _answers(rows, "ids"), _sum(row.bounds for row in rows)
    cells: list[object] = [
        name, len(rows), sum(row.read for row in rows), sum(row.executed for row in rows),
        writes["free"], writes["vacuous"], writes["conflict"], writes["bounded"] + writes["unknown"],
        messages["inside"], messages["outside"], messages["flat"], messages["bounded"] + messages["unknown"],
    ]  # fmt: skip
    if pocl is not None:
        launched = [pocl[row.kernel, row.variant] for row in rows if (row.kernel, row.variant) in pocl]
        cells.append(f"{sum(answers == {'agree'} for answers in launched)} of {len(launched)}")
    return cells


def _conflicts(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each set of assumptions, over files with and without loops."""
    yield _line(
        ["inputs", "writes", "free", "vacuous", "conflict, replayed", "open for length of loops", "unknown", "CPU s"]
    )
    yield _line(["---"] + ["--:"] * 7)
    for words, chosen in (("", _without_loops), (", files with loops", _with_loops)):
        for name in SETS:
            mine = [row for row in rows if chosen(row)]
            counts, seconds = _answers(mine, name), sum(row.seconds.get(name, 0) for row in mine)
            by_answer = (counts[one] for one in ("free", "vacuous", "conflict", "bounded", "unknown"))
            yield _line([WORDS[name] + words, sum(counts.values()), *by_answer, f"{seconds:.1f}"])
    needed = Counter(next((name for name in SETS if one.get(name) in FREE), "no set") for one in _scatters(rows))
    yield ""
    yield (
        "Weakest set under which a write is free, or vacuously so (before it, every run has lost its meaning): "
        + ", ".join(f"{needed[name]} `{name}`" for name in SETS)
        + (f", {needed['no set']} under none of them.")
    )


def _without_loops(row: Row) -> bool:
    return row.flow != "loops"


def _with_loops(row: Row) -> bool:
    return row.flow == "loops"


def _notes(rows: Sequence[Row]) -> Iterator[str]:
    """What is missing, and whether the deliberate conflicts were found."""
    missing = Counter(row.missing for row in rows if row.missing)
    yield "Missing: " + (", ".join(f"{what} ({count} files)" for what, count in missing.most_common()) or "nothing.")
    for row in rows:
        if row.failed:
            yield f"Failed: {row.file}: {row.failed}"
    pages, printed = sum(row.pages for row in rows), sum(row.printed for row in rows)
    yield f"Instructions with byte code that print as they were written, up to white space: {printed} of {pages}."
    messages = _sum(row.bounds for row in rows)
    yield (f"Messages with a meaning wherever they are enabled: {messages['meaningful']}; undefined for some input: "
           f"{messages['undefined']}; open: {messages['meaning bounded'] + messages['meaning unknown']}.")  # fmt: skip
    for tag, expected in TAGS.items():
        tagged = [row for row in rows if tag in row.tags]
        wrong = [row for row in tagged if not expected(row)]
        places = ": " + ", ".join(f"{row.kernel}/{row.variant}" for row in wrong) if wrong else ""
        yield f"Tagged `{tag}`: {len(tagged) - len(wrong)} of {len(tagged)} files are answered so{places}."


FREE = ("free", "vacuous")


def _has_conflict(row: Row) -> bool:
    """Some write collides under every set, for no reason of data."""
    return any(all(one.get(name) == "conflict" for name in SETS) and one["line"] not in row.on_data
               for one in row.scatters)  # fmt: skip


def _is_free(row: Row) -> bool:
    """Every write is free for contiguous ids."""
    return row.executed and all(one.get("ids") in FREE for one in row.scatters)


def _depends(row: Row) -> bool:
    """Some write collides for some data or argument, and no write is open."""
    answers = [one.get("ids") for one in row.scatters]
    return "conflict" in answers and not {"unknown", "bounded", None} & set(answers)


TAGS: dict[str, Callable[[Row], bool]] = {
    "bug:conflict": _has_conflict,
    "no-conflict": _is_free,
    "conflict-depends-on-data": _depends,
}


def _scatters(rows: Iterable[Row]) -> Iterator[dict[str, str]]:
    return (one for row in rows for one in row.scatters)


def _answers(rows: Iterable[Row], name: str) -> Counter[str]:
    """The answers under one set; of a write that this set does not come to, there is none."""
    return Counter(one[name] for one in _scatters(rows) if name in one)


def _sum(counts: Iterable[dict[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return total


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
