"""Entries of what `refine`, `ocloc` and `tv` say of two kernels."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import PurePath
from typing import Any, cast

import msgspec

from visaproof.report.page.entry import Entry, Mark, Panel, command_rows, facts, premises_of, text_of
from visaproof.report.pictures.refinement import NARROW, WIDE, in_type, memory_picture
from visaproof.report.records.refine import SAME_PROGRAM, Dword
from visaproof.report.text.buffer_words import Buffer
from visaproof.report.text.kernel_name import readable_name

Record = Mapping[str, Any]

MARKS = {
    "refines": Mark.PROVED, "refines under conditions": Mark.PROVED, "bounded": Mark.BOUNDED, "vacuous": Mark.VACUOUS,
    "does not refine": Mark.REFUTED, "unknown": Mark.UNKNOWN, "not modelled": Mark.NOT_MODELLED,
    "unmatched": Mark.UNREADABLE, "inputs do not match": Mark.UNREADABLE, "unreadable": Mark.UNREADABLE,
    "no counterpart": Mark.UNREADABLE, "failed": Mark.INTERNAL,
    "solvers disagree": Mark.DISAGREEMENT,
}  # fmt: skip
"""By the words of `refine` and of `tv`."""
MOST_ROWS = 40
WIDTHS = ((WIDE, "wide"), (NARROW, "narrow"))


def of_answer(command: str, record: Record, number: int) -> Entry:
    """An answer of `refine` or `ocloc`."""
    source, target = text_of(record.get("source")), text_of(record.get("target"))
    kernel = readable_name(record.get("kernel") or _short(source, target))
    return _entry(command, record, record["verdict"], kernel, f"{source} → {target}", _headline(record), number)


def of_row(row: Record, number: int) -> Entry:
    """A row of `tv`."""
    verdict = row["verdict"]
    headline = _headline(verdict) if verdict else row["detail"]
    if row["answer"] not in ("refines", "refines under conditions", "does not refine"):
        headline = row["detail"]
    kernel = row["group"] or _short(row["source"], row["target"])
    place = f"{row['source']} → {row['target']}" if row["target"] else row["source"]
    return _entry("tv", verdict, row["answer"], kernel, place, headline, number)


def _entry(command: str, record: Record, word: str, kernel: str, place: str, headline: str, number: int) -> Entry:
    mark = MARKS.get(word, Mark.UNKNOWN)
    pictures, panels = (), list[Panel]()
    if (example := record.get("example")) is not None:
        pictures = _pictures(example, f"pair-{number}")
        panels += _runs(example)
    panels += _launch(record.get("launch"))
    if example is not None:
        panels += facts("inputs of the run", iter([*example["inputs"].items(), ("mask", example["execution_mask"])]))
    conditions = tuple((one,) for one in record.get("conditions") or ())
    if conditions and mark is Mark.PROVED:
        panels.append(Panel("where", conditions))
    if pairs := record.get("needs_apart"):
        panels.append(Panel("these buffers must share no byte", tuple((" and ".join(pair),) for pair in pairs)))
    return Entry(
        mark=mark, command=command, word=word.upper(), headline=headline, kernel=kernel, place=place,
        pictures=pictures, panels=tuple(panels), premises=premises_of(record),
    )  # fmt: skip


def _short(source: str, target: str) -> str:
    """The name of both files, if it is one."""
    one, other = PurePath(source).stem, PurePath(target).stem
    return one if one == other else f"{one} → {other}"


def _headline(record: Record) -> str:
    match record.get("verdict"):
        case "refines" if record.get("by") == SAME_PROGRAM:
            return "both are the same program: nothing was changed"
        case "refines":
            where = ", where the listed conditions hold" if record.get("conditions") else ""
            return f"the target leaves the same memory as the source, for all inputs{where}"
        case "bounded":
            return "no difference in runs of no more iterations than were unrolled"
        case "vacuous":
            return "the source is undefined for any input"
        case "does not refine":
            return _differs(record)
        case _:
            return text_of(record.get("reason"))


def _differs(record: Record) -> str:
    """What the target does and the source does not."""
    example = record.get("example")
    launch: Record = record.get("launch") or {}
    if example is None:
        return text_of(record.get("reason"))
    if "place" in launch:
        return text_of(launch["what"])
    if (undefined := example.get("target_undefined")) is not None:
        return f"the target is undefined in line {undefined['line']}: {undefined['message']}"
    if (outside := example.get("target_accesses_outside")) is not None:
        return f"the target accesses address {outside:#x}, which is in no buffer"
    if "register" in example:
        return f"{example['register']} differs at the end"
    source, target = example["after_source"], example["after_target"]
    what = _buffer(example).span(example["address"] // 4 * 4, 4)
    if source.get("line") is None and target.get("line") is not None:
        return f"the target writes {what}, the source does not"
    if source.get("line") is not None and target.get("line") is None:
        return f"the source writes {what}, the target does not"
    return f"{what} is not the same after both"


def _buffer(example: Record) -> Buffer:
    return Buffer(example["surface"], 4, argument=example.get("argument"))


def _pictures(example: Record, name: str) -> tuple[str, ...]:
    around = msgspec.convert(example.get("dwords") or [], list[Dword])
    if not around:
        return ()
    writers = (_writer(example["after_source"]), _writer(example["after_target"]))
    around = [in_type(one, example.get("data_type")) for one in around]
    drawn = [memory_picture(around, _buffer(example), writers, f"{name}-{kind}", room) for room, kind in WIDTHS]
    return tuple(one.svg(kind) for one, (_, kind) in zip(drawn, WIDTHS, strict=True))


def _writer(after: Record) -> str:
    if after.get("line") is None:
        return "nothing wrote it"
    lane = "" if after.get("lane") is None else f", lane {after['lane']}"
    return f"line {after['line']}{lane}"


def _runs(example: Record) -> Iterator[Panel]:
    """The statements of both, those of the same values beside each other; marked from where they part."""
    found: Record = example.get("runs", {})
    sides = [list(map(_done, found[name]["statements"])) if name in found else [] for name in ("source", "target")]
    rows = list(_aligned(*sides))
    if not rows:
        return
    parts = [number for number, (one, other) in enumerate(rows) if one[2] != other[2] or not one[0] or not other[0]]
    first = max(0, (parts[0] if parts else len(rows) - 1) - 2)
    shown = rows[first : first + MOST_ROWS]
    marked = tuple(number - first for number in parts if first <= number < first + MOST_ROWS)
    head = ("", "source", "", "", "target", "")
    yield Panel("where they part", tuple((*one, *other) for one, other in shown), head=head, marked=marked)


Done = tuple[str, str, str]


def _done(one: Record) -> Done:
    """Its line, its text, and what it comes to."""
    stored = [f"{each['surface']} [{each['address']:#x}] = {each['value']}" for each in one.get("stored") or ()]
    registers: dict[str, str] = one.get("registers", {})
    values = [*(f"{name} = {value}" for name, value in registers.items()), *stored]
    return str(one["line"]), one["text"], "; ".join(values)


def _aligned(source: Sequence[Done], target: Sequence[Done]) -> Iterator[tuple[Done, Done]]:
    values = [[one[2].split(" = ", 1)[-1] for one in side] for side in (source, target)]
    nothing = ("", "", "")
    for _, start, end, other, last in SequenceMatcher(None, *values, autojunk=False).get_opcodes():
        yield from zip_longest(source[start:end], target[other:last], fillvalue=nothing)


def _launch(launch: object) -> Iterator[Panel]:
    if not isinstance(launch, dict):
        return
    found = cast("dict[str, Any]", launch)
    if not found["found"]:
        yield Panel("no launch is shown", ((found["reason"],),))
        return
    arguments: dict[str, str] = found.get("arguments") or {}
    sizes = [("work items", f"{found['work_items']}")] if "work_items" in found else []
    yield Panel("in a launch", ((found["what"],), *sizes, *arguments.items()))
    for side, command in zip(("source", "target"), found["commands"], strict=False):
        yield Panel(f"run the {side}", command_rows(command), code=True)
