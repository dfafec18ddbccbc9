"""The measured rows as Markdown."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from benchmarks.coverage.measure import ASKED, Row
from benchmarks.pocl.comparison import Answer

SETS = ASKED[:3]
WORDS = {
    "none": "arbitrary inputs (`none`)",
    "ids": "contiguous ids (`ids`)",
    "bounded": "bounded scalars (`bounded`)",
    "launch": "launches that hosts make (`launch`)",
}


def markdown(rows: Sequence[Row]) -> Iterator[str]:
    """All tables and lists."""
    yield from _files(rows)
    yield ""
    yield from _conflicts(rows)
    yield ""
    yield from (f"- {note}" for note in _notes(rows))


def _files(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each device and variant."""
    columns = ["variant", "files", "read", "run concretely", "with PoCL's result", "not comparable", "run symbolically",
               "all decided", "writes: free", "vacuous", "conflict", "open", "messages: inside", "outside",
               "in no known buffer", "open"]  # fmt: skip
    yield _line(columns)
    yield _line(["---"] + ["--:"] * (len(columns) - 1))
    for variant in sorted({row.variant for row in rows}):
        yield _line(_file_cells(variant, [row for row in rows if row.variant == variant]))
    yield _line(_file_cells("**all**", rows))


def _file_cells(name: str, rows: Sequence[Row]) -> list[object]:
    writes, messages = _answers(rows, "ids"), _sum(row.bounds for row in rows)
    ran: list[object] = [sum(map(_ran, rows)), sum(map(_agrees, rows)), sum(map(_not_comparable, rows))]
    return [
        name, len(rows), sum(row.read for row in rows), *(ran if any(row.launches for row in rows) else "---"),
        sum(row.executed for row in rows), sum(map(_decided, rows)),
        writes["free"], writes["vacuous"], writes["conflict"], writes["bounded"] + writes["unknown"],
        messages["inside"], messages["outside"], messages["flat"], messages["bounded"] + messages["unknown"],
    ]  # fmt: skip


def _ran(row: Row) -> bool:
    return any(one["ran"] for one in row.launches)


def _agrees(row: Row) -> bool:
    """Whether every launch ends with the buffers that PoCL has."""
    return bool(row.launches) and all(one["answer"] == Answer.AGREE.value for one in row.launches)


def _not_comparable(row: Row) -> bool:
    """Whether some launch has no result to compare, and none another result."""
    answers = {one["answer"] for one in row.launches}
    return Answer.NOT_COMPARABLE.value in answers and Answer.DIFFER.value not in answers


def _decided(row: Row) -> bool:
    """Whether every write is free or a conflict under each set, and every message inside or outside, and defined."""
    writes = {one[name] for one in row.scatters for name in SETS if name in one}
    return row.executed and not OPEN & writes and not OPEN & row.bounds.keys()


OPEN = {"unknown", "bounded", "flat", "meaning unknown", "meaning bounded"}


def _conflicts(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each set of assumptions, over files with and without loops."""
    yield _line(
        ["inputs", "writes", "free", "vacuous", "conflict, replayed", "open for length of loops", "unknown", "CPU s"]
    )
    yield _line(["---"] + ["--:"] * 7)
    for words, chosen in (("", _without_loops), (", files with loops", _with_loops)):
        for name in ASKED:
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
    yield (f"Messages that are defined wherever they are enabled: {messages['meaningful']}; undefined for some input: "
           f"{messages['undefined']}; open: {messages['meaning bounded'] + messages['meaning unknown']}.")  # fmt: skip
    yield from _guarded(rows)
    yield from _beside_pocl(rows)
    for tag, expected in TAGS.items():
        tagged = [row for row in rows if tag in row.tags]
        wrong = [row for row in tagged if not expected(row)]
        places = ": " + ", ".join(f"{row.kernel}/{row.variant}" for row in wrong) if wrong else ""
        yield f"Tagged `{tag}`: {len(tagged) - len(wrong)} of {len(tagged)} files are answered so{places}."


def _beside_pocl(rows: Sequence[Row]) -> Iterator[str]:
    """The files that do something else than their source, and why others cannot be compared."""
    if not any(row.launches for row in rows):
        yield "No file was run concretely: there is no PoCL, or `--no-pocl` was given."
        return
    differ = [row for row in rows if any(one["answer"] == Answer.DIFFER.value for one in row.launches)]
    places = ": " + ", ".join(f"{row.kernel}/{row.variant}" for row in differ) if differ else ""
    yield f"Files with another result than PoCL's: {len(differ)}{places}."
    reasons: dict[str, list[Row]] = {}
    for row in filter(_not_comparable, rows):
        for reason in dict.fromkeys(one["reason"] for one in row.launches if one["reason"]):
            reasons.setdefault(reason, []).append(row)
    for reason, mine in reasons.items():
        kernels = ", ".join(dict.fromkeys(f"`{row.kernel}`" for row in mine))
        yield f"Not comparable with PoCL: {kernels} ({len(mine)} files): {reason}."


def _guarded(rows: Sequence[Row]) -> Iterator[str]:
    """Whether kernels whose guard is right stay inside."""
    asked = [row for row in rows if row.in_arrays and "bug:oob" not in row.tags]
    inside = [row for row in asked if not {"outside", "undefined"} & row.in_arrays.keys()
              and not OPEN & row.in_arrays.keys()]  # fmt: skip
    kernels = ", ".join(dict.fromkeys(f"`{row.kernel}`" for row in asked))
    if asked:
        yield f"Guarded kernels on arrays of n elements ({kernels}): {len(inside)} of {len(asked)} files stay inside."


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


def _leaves_its_arrays(row: Row) -> bool:
    """Some message reaches behind arrays of n elements, and none is open."""
    return "outside" in row.in_arrays and not OPEN & row.in_arrays.keys()


TAGS: dict[str, Callable[[Row], bool]] = {
    "bug:conflict": _has_conflict,
    "bug:oob": _leaves_its_arrays,
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
