"""An entry of the page: one answer, made of the record of any command."""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

import msgspec


class Mark(Enum):
    """How an answer is shown: the worst first.  The words are those of `--fail-on`, and two for what is good."""

    INTERNAL = "internal"
    DISAGREEMENT = "disagreement"
    UNREADABLE = "unreadable"
    REFUTED = "refuted"
    VACUOUS = "vacuous"
    NOT_MODELLED = "not-modelled"
    BOUNDED = "bounded"
    UNKNOWN = "unknown"
    PROVED = "proved"
    NOTE = "note"


SIGNS = {
    Mark.INTERNAL: "‼", Mark.DISAGREEMENT: "≠",
    Mark.UNREADABLE: "!", Mark.REFUTED: "✕", Mark.VACUOUS: "∅", Mark.NOT_MODELLED: "–",
    Mark.BOUNDED: "~", Mark.UNKNOWN: "?", Mark.PROVED: "✓", Mark.NOTE: "i",
}  # fmt: skip
"""Beside each colour, for whom colours say nothing."""


class Panel(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of an entry: rows of words under a title."""

    title: str
    rows: tuple[tuple[str, ...], ...]
    code: bool = False
    """Whether its only column is code, with something to copy."""
    head: tuple[str, ...] = ()
    marked: tuple[int, ...] = ()
    """Rows that matter most."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer."""

    mark: Mark
    command: str
    word: str
    """The verdict in a word or two, as in CONFLICT."""
    headline: str
    kernel: str = ""
    place: str = ""
    """The source line and the line of the dump."""
    lines: tuple[tuple[str, str], ...] = ()
    """The source line and the statement, each with where it stands."""
    pictures: tuple[str, ...] = ()
    """SVG for a wide and for a narrow page."""
    panels: tuple[Panel, ...] = ()
    premises: tuple[tuple[str, str, str], ...] = ()
    """Name, sentence, who grants it."""
    readings: tuple[str, ...] = ()
    scope: str = ""
    """What was not asked."""


def text_of(value: Any) -> str:
    """A field that may be missing."""
    return value if isinstance(value, str) else ""


def premises_of(record: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    """Those that an answer rests on."""
    return tuple((one["name"], one["sentence"], one["granted_by"]) for one in record.get("premises") or ())


def command_rows(words: list[str]) -> tuple[tuple[str, ...], ...]:
    """A command line to copy."""
    import shlex

    return ((shlex.join(words),),)


def facts(title: str, pairs: Iterator[tuple[str, str]]) -> Iterator[Panel]:
    """A panel of names and values; none where there is nothing to say."""
    rows = tuple(pairs)
    if rows:
        yield Panel(title, rows)
