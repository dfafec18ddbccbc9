"""Findings of a file, read off the record that a command makes of it for programs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import Struct

from visaproof.report.one_kernel.collision import collision_of, ends
from visaproof.report.records.common import Write
from visaproof.report.records.conflicts import Refuted
from visaproof.report.results.finding import CODES, Finding, Level, Place, worst_code

LEVELS = {
    "refuted": Level.REFUTED,
    "bounded": Level.BOUNDED,
    "unknown": Level.UNKNOWN,
    "vacuous": Level.VACUOUS,
    "not-modelled": Level.NOT_MODELLED,
}
"""Of verdicts that are findings."""

COLLISION = "collision"
OUTSIDE = "outside"

EFFECTS = {
    "dropped": "the write is dropped",
    "zero": "the read gives 0",
    "nothing": "it returns 0 and writes nothing",
    "reads_anything": "it reads whatever lies there, or faults",
}
"""What then happens, by the names in a record."""

Record = Mapping[str, Any]


class Origin(Struct, frozen=True):
    """The file that a record is about, and which kinds of undefined behaviour the user forbids or allows."""

    file: str
    kernel: str
    undefined: Mapping[str, bool]

    def finding(self, level: Level, kind: str, message: str, at: Record | None = None, **more: Any) -> Finding:
        """At a line of the file; without one, about all of it."""
        at = at or {}
        place = Place(file=at.get("file", self.file), line=at.get("line", 0), column=at.get("column", 0))
        return Finding(
            level=level, kind=kind, message=message, kernel=self.kernel, place=place,
            statement=at.get("instruction", ""), source=_source(at), **more,
        )  # fmt: skip

    def allows(self, kind: str) -> bool:
        return self.undefined.get(kind) is False


def findings_in(command: str, record: Record, code: int, undefined: Mapping[str, bool]) -> tuple[Finding, ...]:
    """Those of a record; together they have the exit code that the command gave it."""
    origin = Origin(record.get("file", ""), record.get("kernel") or "", undefined)
    found = tuple(_unreadable(origin, record) if "error" in record else READERS[command](origin, record))
    if code in (0, worst_code(found)):
        return found if code else ()
    level = next((level for level, its_code in CODES.items() if its_code == code), Level.INTERNAL)
    return (*found, origin.finding(level, "file", f"{command} ends with exit code {code}"))


def _unreadable(origin: Origin, record: Record) -> Iterator[Finding]:
    if record.get("limit_reached"):
        yield origin.finding(Level.UNKNOWN, "file", record["error"])
    else:
        level = Level.UNREADABLE
        if record.get("internal"):
            level = Level.INTERNAL
        elif record.get("disagreement"):
            level = Level.DISAGREEMENT
        yield origin.finding(level, "file", record.get("message", record["error"]), record.get("at"))


def _first_parts(records: Sequence[Record]) -> Iterator[Record]:
    """Without those that say of later lanes what the first part of a message says."""
    return (one for one in records if one.get("part_of") is None)


def _conflicts(origin: Origin, record: Record) -> Iterator[Finding]:
    for one in _first_parts(record["scatters"]):
        level = LEVELS.get(one["verdict"])
        if level is None or (level is Level.REFUTED and origin.allows(COLLISION)):
            continue
        message, related = one.get("reason", ""), ()
        if level is Level.REFUTED:
            collision = collision_of(msgspec.convert(one, Refuted, str_keys=True))
            message = collision.headline
            place = origin.finding(level, COLLISION, "", one).place
            related = tuple(
                replace_message(place, _written(write)) for write in collision.writes if write.lane in collision.lanes
            )
        elif level is Level.BOUNDED:
            message = f"free of conflicts in runs whose loops end in time (lines {', '.join(map(str, one['loops']))})"
        elif level is Level.VACUOUS:
            message = "no defined run reaches this scatter"
        yield origin.finding(level, COLLISION, message, one, related=related)
    yield from _stopped(origin, record)
    yield from _uses(origin, record)


def _bounds(origin: Origin, record: Record) -> Iterator[Finding]:
    if record["vacuous"]:
        yield origin.finding(Level.VACUOUS, "file", "no launch with an enabled lane is as assumed")
    for one in _first_parts(record["messages"]):
        for kind, answer in ((OUTSIDE, one["bounds"]), ("misaligned", one["meaning"])):
            level, kind = LEVELS.get(answer["verdict"]), answer.get("kind", kind)
            if level is None or (level is Level.REFUTED and origin.allows(kind)):
                continue
            yield origin.finding(level, kind, _reached(kind, level, one, answer), one)
    yield from _stopped(origin, record)
    yield from _uses(origin, record)


def _reached(kind: str, level: Level, one: Record, answer: Record) -> str:
    """What a memory message does outside of its surface, or why that is not known."""
    if level is Level.BOUNDED:
        return f"{kind}: not found in runs whose loops end in time (lines {answer['loops']})"
    if "reason" in answer:
        return answer["reason"]
    who = "the message" if answer["lane"] is None else f"lane {answer['lane']}"
    enough, earlier = one.get("inside_if"), one.get("only_after")
    then = EFFECTS.get(answer["effect"], answer["effect"])
    said = f"{who} reaches outside of {one['surface']}: {then}"
    if earlier:
        return f"{said}; in bounds if line {earlier['line']} is"
    if not enough:
        return said
    sizes = [f"at least {enough['bytes']} bytes"] if enough["bytes"] else []
    return f"{said}; in bounds with {' and '.join([*sizes, *enough['where']])}"


def _check(origin: Origin, record: Record) -> Iterator[Finding]:
    for error in record["errors"]:
        yield origin.finding(Level.UNREADABLE, "file", error)
    for one in record["findings"]:
        yield origin.finding(Level.REFUTED, one["id"], f"{one['rule']} ({one['source']})", one)
    yield from _uses(origin, record)


def _stopped(origin: Origin, record: Record) -> Iterator[Finding]:
    """A kernel that was not read to its end."""
    if record["not_modelled"] is not None:
        yield origin.finding(Level.NOT_MODELLED, "file", f"not modelled: {record['not_modelled']}")
    if record["limit"] is not None:
        yield origin.finding(Level.UNKNOWN, "file", record["limit"])


def _uses(origin: Origin, record: Record) -> Iterator[Finding]:
    for one in record["undefined"]:
        kind, verdict = one["kind"], one["verdict"]
        message = f"{kind}: it {one['what']}"
        if verdict == "refuted":
            yield origin.finding(Level.REFUTED, kind, f"{message}; {one['effect']} depends on it", one)
        elif verdict != "allowed" and origin.undefined.get(kind):
            yield origin.finding(Level.REFUTED, kind, message, one)
        elif verdict == "unknown" and not one["partly"]:
            yield origin.finding(Level.UNKNOWN, kind, f"{message}; {one['reason']}", one)
    if record["undefined_not_asked"] is not None:
        yield origin.finding(Level.UNKNOWN, "file", f"undefined values: {record['undefined_not_asked']}")


def replace_message(place: Place, message: str) -> Place:
    """The same place, with what happens there."""
    return Place(file=place.file, line=place.line, column=place.column, message=message)


def _written(write: Write) -> str:
    if isinstance(write.texel, tuple):
        return f"lane {write.lane} writes texel {write.texel}"
    first, end = ends(write)
    return f"lane {write.lane} writes bytes {first:#x} to {end - 1:#x}"


def _source(at: Record) -> Place | None:
    found = at.get("source")
    if not isinstance(found, dict):  # of a rule that is broken it is a text: the source of the rule
        return None
    place = cast("dict[str, Any]", found)
    return Place(file=place["file"], line=place["line"])


READERS: dict[str, Callable[[Origin, Record], Iterator[Finding]]] = {
    "conflicts": _conflicts,
    "bounds": _bounds,
    "check": _check,
}
