"""The page: entries of any number of JSON documents in one HTML file that loads nothing else."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from visaproof import __version__
from visaproof.report.page.entry import SIGNS, Entry, Mark
from visaproof.report.page.of_kernels import of_bounds, of_check, of_conflicts, of_unread
from visaproof.report.page.of_pairs import of_answer, of_row
from visaproof.report.page.of_tools import of_claim, of_rule, of_run
from visaproof.report.pictures.drawing import SHAPES, Drawing, alone
from visaproof.report.text.markup import json_in_html, xml_text

HERE = Path(__file__).parent
_PLACE = re.compile("@([A-Z]+)@")
GOOD = (Mark.PROVED, Mark.NOTE)
NO_PICTURE = "nothing was refuted that could be drawn"
CHUNK = 100
"""Pictures that are read together."""
MOST_MISSING = 20
"""Reasons that are shown why something was not asked."""

Record = Mapping[str, Any]

OF_FILES: Mapping[str, Callable[[Record], Iterator[Entry]]] = {
    "conflicts": of_conflicts,
    "bounds": of_bounds,
    "check": of_check,
}
"""By the command that asked about the file."""


class NoEntries(Exception):
    """A document of a command that gives no answers about kernels, rules or claims."""


def entries_of(document: Record) -> Iterator[Entry]:
    """Those of one document.  Raises NoEntries, and KeyError or msgspec.ValidationError where it is damaged."""
    command = document["command"]
    if (error := document.get("error")) is not None:
        yield Entry(mark=Mark.UNREADABLE, command=command, word="ERROR", headline=error["message"], place=error["hint"])
        return
    match command:
        case "conflicts" | "bounds" | "check" | "triage":
            for record in document["files"]:
                of = record.get("command", command)
                yield from of_unread(of, record) if "error" in record else OF_FILES[of](record)
        case "refine" | "ocloc":
            yield from (of_answer(command, one, number) for number, one in enumerate(document["asked"]))
        case "tv":
            yield from (of_row(one, number) for number, one in enumerate(document["asked"]))
        case "prove":
            yield from map(of_claim, document["claims"])
        case "rules":
            yield from map(of_rule, document["rules"])
        case "run":
            yield from of_run(document)
        case _:
            raise NoEntries(command)


def page_of_texts(texts: Iterable[str], title: str = "") -> str:
    """The page of JSON documents.  Raises as `entries_of`."""
    return page_of([json.loads(text) for text in texts], title)


def picture_of_text(text: str) -> str:
    """The picture of the first finding of a document that has one, as SVG; else one that says that there is none."""
    pictures = (one.pictures[0] for one in entries_of(json.loads(text)) if one.pictures)
    found = next(pictures, None)
    if found is None:
        empty = Drawing(480, NO_PICTURE, NO_PICTURE, "none")
        empty.text(20, 30, NO_PICTURE)
        found = empty.svg()
    return alone(found)


def page_of(documents: Sequence[Record], title: str = "") -> str:
    """The page of documents that were read already."""
    entries = [one for document in documents for one in entries_of(document)]
    order = list(Mark)
    entries.sort(key=lambda one: order.index(one.mark))
    commands = list(dict.fromkeys(document["command"] for document in documents))
    title = title or f"visaproof {', '.join(commands)}"
    missing = [text for document in documents for text in document.get("not_done", ())]
    parts = {
        "TITLE": xml_text(title),
        "ABOUT": xml_text(_about(documents, entries)),
        "INCOMPLETE": _incomplete(missing, [document["command"] for document in documents if _is_partial(document)]),
        "STYLE": (HERE / "page.css").read_text() + SHAPES,
        "MARKS": _marks(entries),
        "COMMANDS": _picks("command", Counter(one.command for one in entries)),
        "COUNT": str(len(entries)),
        "SCRIPT": (HERE / "page.js").read_text(),
        **_data(entries),
    }
    return _PLACE.sub(lambda found: parts[found[1]], (HERE / "page.html").read_text())


def _about(documents: Sequence[Record], entries: Sequence[Entry]) -> str:
    versions = ", ".join(dict.fromkeys(str(document.get("visaproof", __version__)) for document in documents))
    kernels = len({(one.kernel, one.place.rpartition("→")[2].strip().partition(":")[0]) for one in entries})
    results = f"{len(entries)} result{'s' * (len(entries) != 1)}"
    about = "one kernel or pair" if kernels == 1 else f"{kernels} kernels or pairs"
    return f"{results} about {about}, of visaproof {versions}"


def _is_partial(document: Record) -> bool:
    return document.get("complete") is False


def _incomplete(missing: Sequence[str], commands: Sequence[str]) -> str:
    """What was not asked, before all answers."""
    if not missing and not commands:
        return ""
    shown = "".join(f"<li>{xml_text(text)}</li>" for text in missing[:MOST_MISSING])
    more = f"<li>and {len(missing) - MOST_MISSING} more</li>" if len(missing) > MOST_MISSING else ""
    said = f"Not complete: {len(missing)} question{'s' * (len(missing) != 1)} not asked"
    return f'<details class="fold panel"><summary>{said}</summary><ul>{shown}{more}</ul></details>'


def _marks(entries: Sequence[Entry]) -> str:
    counts = Counter(one.mark for one in entries)
    return "".join(_pick("mark", one.value, f"{SIGNS[one]} {one.value}", counts[one]) for one in Mark if counts[one])


def _picks(name: str, counts: Counter[str]) -> str:
    return "".join(_pick(name, value, value, count) for value, count in counts.items())


def _pick(name: str, value: str, label: str, count: int) -> str:
    box = f'<input type="checkbox" name="{name}" value="{xml_text(value)}">'
    return f'<label class="pick">{box}{xml_text(label)} <b>{count}</b></label>'


def _data(entries: Sequence[Entry]) -> dict[str, str]:
    """The entries, with what many of them share said once; pictures in chunks, which are read when they are shown."""
    premises, readings, chunks = _Pool(), _Pool(), [list[str]()]
    shown: list[dict[str, Any]] = []
    for one in entries:
        plain = msgspec.to_builtins(one)
        for name, pool in (("premises", premises), ("readings", readings)):
            if name in plain:
                plain[name] = pool.place(plain[name])
        if one.pictures:
            if len(chunks[-1]) >= CHUNK:
                chunks.append([])
            plain["pictures"] = [len(chunks) - 1, len(chunks[-1]), len(chunks[-1]) + len(one.pictures)]
            chunks[-1] += one.pictures
        shown.append(plain)
    document = {
        "entries": shown, "premises": premises.values, "readings": readings.values,
        "signs": {one.value: sign for one, sign in SIGNS.items()},
        "attention": [one.value for one in Mark if one not in GOOD],
        "open": len(entries) == 1 or (bool(entries) and entries[0].mark not in GOOD),
    }  # fmt: skip
    return {
        "DATA": json_in_html(msgspec.json.encode(document).decode()),
        "PICTURES": "\n".join(
            f'<script type="application/json" id="pictures-{number}">{json_in_html(json.dumps(chunk))}</script>'
            for number, chunk in enumerate(chunks)
        ),
    }


class _Pool:
    """Values that stand once, and their places."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._places: dict[str, int] = {}

    def place(self, value: object) -> int:
        key = repr(value)
        if key not in self._places:
            self._places[key] = len(self.values)
            self.values.append(value)
        return self._places[key]
