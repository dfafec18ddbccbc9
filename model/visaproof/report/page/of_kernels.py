"""Entries of what `conflicts`, `bounds` and `check` say of a kernel."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import PurePath
from typing import Any

import msgspec
from msgspec import UNSET

from visaproof.report.page.entry import Entry, Mark, Panel, command_rows, facts, premises_of
from visaproof.report.page.pictured import conflict_pictures, outside_pictures
from visaproof.report.records import bounds, conflicts
from visaproof.report.records.common import LaunchExample, SourceLine, Use
from visaproof.report.results.from_records import EFFECTS
from visaproof.report.text.buffer_words import Buffer
from visaproof.report.text.kernel_name import readable_name

NOT_ASKED = "Not asked: whether two messages or two threads race (visaproof run --races error watches one launch)."
WORDS = {
    Mark.REFUTED: "REFUTED", Mark.VACUOUS: "VACUOUS", Mark.BOUNDED: "BOUNDED", Mark.UNKNOWN: "UNKNOWN",
    Mark.NOT_MODELLED: "NOT MODELLED", Mark.PROVED: "PROVED", Mark.NOTE: "NOTE", Mark.UNREADABLE: "UNREADABLE",
    Mark.INTERNAL: "INTERNAL ERROR", Mark.DISAGREEMENT: "SOLVERS DISAGREE",
}  # fmt: skip


def of_conflicts(record: Mapping[str, Any]) -> Iterator[Entry]:
    """An entry for each scatter, and those of uses."""
    file = msgspec.convert(record, conflicts.ConflictsFile, str_keys=True)
    premises = premises_of(record)
    yield from _whole(
        (one, _scatter(file, one, premises, picture_name(file.file, one.line, one.instruction)))
        for one in file.scatters
    )
    yield from _of_file("conflicts", record, file.undefined)


def _scatter(
    file: conflicts.ConflictsFile, one: conflicts.Scatter, premises: tuple[tuple[str, str, str], ...], name: str
) -> Entry:
    buffer = Buffer.of(one)
    headline, mark, word, scope = "", Mark.PROVED, "FREE", ""
    panels: list[Panel] = []
    pictures: tuple[str, ...] = ()
    match one:
        case conflicts.Proved():
            several = f"no two of {one.lanes} lanes write the same place" if one.lanes > 1 else "only one lane writes"
            headline, scope = f"{several} of {buffer.name}", NOT_ASKED
            panels += [Panel("how sure", (("for all inputs, by", one.by),))]
        case conflicts.Bounded():
            mark, word = Mark.BOUNDED, "BOUNDED"
            headline = f"no two lanes were found to write the same place of {buffer.name}, in runs whose loops end soon"
            panels += [Panel("how sure", (("by", one.by), ("loops in lines", ", ".join(map(str, one.loops)))))]
        case conflicts.Vacuous():
            mark, word, headline = Mark.VACUOUS, "VACUOUS", "no defined run comes here"
        case conflicts.Unknown():
            mark, word, headline = Mark.UNKNOWN, "UNKNOWN", one.reason
        case conflicts.Refuted():
            headline, pictures = conflict_pictures(one, name)
            mark, word = Mark.REFUTED, "CONFLICT"
            panels += _shown(one.launch, one.inputs, one.execution_mask, one.depends_on_data)
            if one.wraps:
                panels.insert(0, Panel("only since", (("an index wraps: as integers, the addresses differ",),)))
    if isinstance(one, conflicts.Unknown | conflicts.Refuted) and one.free_if is not None:
        panels.insert(0, Panel("free if", tuple((relation,) for relation in one.free_if.relations)))
    return Entry(
        mark=mark, command="conflicts", word=word, headline=headline, kernel=readable_name(file.kernel),
        place=place_of(one.file, one.line, one.source), lines=_lines(one.source, one.line, one.instruction),
        pictures=pictures, panels=tuple(panels), premises=premises, readings=tuple(one.readings), scope=scope,
    )  # fmt: skip


def of_bounds(record: Mapping[str, Any]) -> Iterator[Entry]:
    """An entry for each message, by the worse of its two answers, and those of uses."""
    file = msgspec.convert(record, bounds.BoundsFile, str_keys=True)
    premises = premises_of(record)
    yield from _whole(
        (one, _message(file, one, premises, picture_name(file.file, one.line, one.instruction)))
        for one in file.messages
    )
    if file.vacuous:
        yield _plain("bounds", record, Mark.VACUOUS, "no launch with an enabled lane is as assumed")
    yield from _of_file("bounds", record, file.undefined)


ANSWERS = {
    bounds.Refuted: Mark.REFUTED, bounds.NotModelled: Mark.NOT_MODELLED, bounds.Bounded: Mark.BOUNDED,
    bounds.Unknown: Mark.UNKNOWN, bounds.Proved: Mark.PROVED,
}  # fmt: skip


def _message(
    file: bounds.BoundsFile, one: bounds.Message, premises: tuple[tuple[str, str, str], ...], name: str
) -> Entry:
    order = list(Mark)
    answer = min((one.bounds, one.meaning), key=lambda each: order.index(ANSWERS[type(each)]))
    mark, buffer = ANSWERS[type(answer)], Buffer.of(one)
    word = "IN BOUNDS" if mark is Mark.PROVED else WORDS[mark]
    panels: list[Panel] = []
    pictures: tuple[str, ...] = ()
    match answer:
        case bounds.Proved():
            headline = f"every access lies inside {buffer.name}"
            panels += [Panel("how sure", (("for all inputs, by", answer.by),))]
        case bounds.Bounded():
            headline = f"no access outside of {buffer.name} was found, in runs whose loops end soon"
        case bounds.Unknown() | bounds.NotModelled():
            headline = answer.reason
        case bounds.Refuted():
            word = answer.kind.upper()
            headline, pictures = _outside(one, answer, buffer, name)
            panels += _shown(one.launch, answer.inputs, answer.execution_mask, answer.depends_on_data)
    if one.inside_if is not None:
        size = one.inside_if.bytes
        needed = [(f"{buffer.name} has at least {size} bytes",)] if size is not None else []
        needed += [(each,) for each in one.inside_if.where]
        panels.insert(0, Panel("in bounds if", tuple(needed)))
    if one.only_after is not None:
        panels.insert(0, Panel("in bounds if", ((f"line {one.only_after.line} is",),)))
    return Entry(
        mark=mark, command="bounds", word=word, headline=headline, kernel=readable_name(file.kernel),
        place=place_of(file.file, one.line, one.source), lines=_lines(one.source, one.line, one.instruction),
        pictures=pictures, panels=tuple(panels), premises=premises, readings=tuple(one.readings),
    )  # fmt: skip


def _outside(one: bounds.Message, answer: bounds.Refuted, buffer: Buffer, name: str) -> tuple[str, tuple[str, ...]]:
    if isinstance(answer.reason, str):
        who = "the message" if answer.lane is None else f"lane {answer.lane}"
        return f"{who}: {answer.reason}", ()
    effect = EFFECTS.get(str(answer.effect), str(answer.effect).replace("_", " "))
    if one.size_is_arbitrary and not (one.launch is not None and one.launch.found):
        return f"outside where {buffer.name} is too small: then {effect}", ()
    return outside_pictures(one, answer, buffer, effect, name)


def _whole(parts: Iterator[tuple[conflicts.Scatter | bounds.Message, Entry]]) -> Iterator[Entry]:
    """One entry for the parts of a message that say the same."""
    found: list[Entry] = []
    for one, entry in parts:
        if one.part_of is None or not found:
            found.append(entry)
        else:
            lines = (*found[-1].lines, (str(one.line), one.instruction))
            found[-1] = msgspec.structs.replace(found[-1], lines=lines)
    yield from found


def of_check(record: Mapping[str, Any]) -> Iterator[Entry]:
    """The rules that are broken; or one entry that says that none is."""
    for one in record["findings"]:
        place = f"{record['file']}:{one['line']}:{one['column']}"
        said = f"{one['rule']} ({one['source']})"
        yield _plain("check", record, Mark.REFUTED, said, word="NOT LEGAL", place=place)
    for error in record["errors"]:
        yield _plain("check", record, Mark.UNREADABLE, error)
    for one in record["hazards"]:
        place = f"{record['file']}:{one['line']}:{one['column']}"
        yield _plain("check", record, Mark.NOTE, f"{one['rule']} ({one['source']})", word="HAZARD", place=place)
    if record["legal"]:
        said = f"{record['checked']} memory messages of {record['instructions']} instructions are as their pages demand"
        yield _plain("check", record, Mark.PROVED, said, word="LEGAL", place=record["file"])
    uses = msgspec.convert(record["undefined"], list[Use])
    yield from _uses("check", record, uses)


def of_unread(command: str, record: Mapping[str, Any]) -> Iterator[Entry]:
    """A file about which nothing was asked."""
    mark = Mark.DISAGREEMENT if record.get("disagreement") else Mark.UNREADABLE
    mark = Mark.INTERNAL if record.get("internal") else mark
    yield _plain(command, record, Mark.UNKNOWN if record.get("limit_reached") else mark, record["error"])


def _of_file(command: str, record: Mapping[str, Any], uses: list[Use]) -> Iterator[Entry]:
    yield from _uses(command, record, uses)
    if record["not_modelled"] is not None:
        yield _plain(command, record, Mark.NOT_MODELLED, f"not modelled: {record['not_modelled']}")
    for reason in filter(None, (record["limit"], record["undefined_not_asked"])):
        left = len(record["not_asked"])
        more = f"; {left} statements were not asked about" if left and reason == record["limit"] else ""
        yield _plain(command, record, Mark.UNKNOWN, f"{reason}{more}")


USES = {"refuted": Mark.REFUTED, "unknown": Mark.UNKNOWN, "note": Mark.NOTE, "allowed": Mark.NOTE}


def _uses(command: str, record: Mapping[str, Any], uses: list[Use]) -> Iterator[Entry]:
    for one in uses:
        more = one.reason if isinstance(one.reason, str) else ""
        if isinstance(one.effect, str):
            more = f"{one.effect} in line {one.effect_line} depends on it"
        said = f"{one.kind}: it {one.what}" + (f"; {more}" if more else "")
        word = "UNDEFINED" if one.verdict == "refuted" else WORDS[USES[one.verdict]]
        place, lines = f"{record['file']}:{one.line}", ((str(one.line), one.instruction),)
        yield _plain(command, record, USES[one.verdict], said, word=word, place=place, lines=lines)


def _plain(
    command: str, record: Mapping[str, Any], mark: Mark, headline: str, *, word: str = "", place: str = "",
    lines: tuple[tuple[str, str], ...] = (),
) -> Entry:  # fmt: skip
    """Without a picture."""
    return Entry(
        mark=mark, command=command, word=word or WORDS[mark], headline=headline,
        kernel=readable_name(record.get("kernel") or ""), place=place or record.get("file", ""), lines=lines,
        premises=premises_of(record),
    )  # fmt: skip


def picture_name(*parts: object) -> str:
    """By which its parts are named: file names may hold anything."""
    return f"p{sha256(repr(parts).encode(errors='backslashreplace')).hexdigest()[:12]}"


def place_of(file: str, line: int, source: SourceLine | None) -> str:
    """`k.cl:6 → dumps/k.visaasm:168`."""
    own = f"{file}:{line}"
    return own if source is None else f"{PurePath(source.file).name}:{source.line} → {own}"


def _lines(source: SourceLine | None, line: int, statement: str) -> tuple[tuple[str, str], ...]:
    own = (str(line), statement)
    if source is None:
        return (own,)
    return ((f"{PurePath(source.file).name}:{source.line}", source.text), own)


def _shown(launch: LaunchExample | None, inputs: dict[str, str], mask: str, data: str) -> Iterator[Panel]:
    """The launch, or the inputs of the run of one thread, and how to run it."""
    if launch is not None and launch.found and launch.command is not UNSET:
        yield Panel("the launch that shows it", tuple(_launch(launch)))
        yield Panel("run it again", command_rows(launch.command), code=True)
    else:
        yield from facts("inputs of the thread that shows it", iter([*inputs.items(), ("execution mask", mask)]))
        if launch is not None and isinstance(launch.reason, str):
            yield Panel("no launch is shown", ((launch.reason,),))
    if data:
        yield Panel("depends on data", ((data,),))


def _launch(launch: LaunchExample) -> Iterator[tuple[str, str]]:
    for title, sizes in (("global size", launch.global_size), ("local size", launch.local_size)):
        if isinstance(sizes, tuple):
            yield title, " × ".join(str(one) for one in sizes if one > 1) or "1"
    if isinstance(launch.arguments, dict):
        yield from launch.arguments.items()
    if isinstance(launch.buffers, dict):
        for name, text in launch.buffers.items():
            content, _, size = text.partition(":")
            yield name, f"{size} bytes, all 0" if content == "zeros" else text
    if isinstance(launch.images, dict):
        yield from launch.images.items()
    if isinstance(launch.what, str):
        yield "what happens", f"{launch.what}; the whole launch was run"
