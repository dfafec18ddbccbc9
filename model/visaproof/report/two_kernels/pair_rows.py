"""Pairs and their answers as rows that can be kept in a file; made of nothing but text, so that they load at once."""

from enum import Enum
from typing import Any

import msgspec

from visaproof.launch.premise_rows import Grantor
from visaproof.pairs.lists import Pair


class Answer(Enum):
    """What is said of a pair, in the order of a table."""

    REFINES = "refines"
    CONDITIONAL = "refines under conditions"
    DIFFERS = "does not refine"
    BOUNDED = "bounded"
    VACUOUS = "vacuous"
    UNKNOWN = "unknown"
    NOT_MODELLED = "not modelled"
    UNMATCHED = "inputs do not match"
    UNREADABLE = "unreadable"
    MISSING = "no counterpart"
    FAILED = "failed"
    DISAGREED = "solvers disagree"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A pair in one direction, and its answer."""

    group: str
    flow: str
    source: str
    target: str
    answer: Answer
    detail: str
    """How it was shown, where they differ, or why there is no answer."""
    verdict: dict[str, Any] = {}
    """What `visaproof refine --format json` says."""
    reading: float = 0
    asking: float = 0
    """Seconds of processor time."""

    @property
    def premises(self) -> list[str]:
        """The names of those that the verdict rests on."""
        return [one["name"] for one in self.verdict.get("premises", ()) if one["granted_by"] != Grantor.OPEN.value]


def row(pair: Pair, answer: Answer, detail: str, verdict: dict[str, Any] | None = None) -> Row:
    """The row of a pair; paths in the detail become the short names."""
    names = {str(pair.source): pair.source_name, str(pair.target): pair.target_name}
    for path in sorted(names, key=len, reverse=True):
        detail = detail.replace(path, names[path])
    return Row(
        group=pair.group, flow=pair.flow, source=pair.source_name, target=pair.target_name,
        answer=answer, detail=detail, verdict=verdict or {},
    )  # fmt: skip


# ---------------------------------------------------------------- kept

NOT_ASKED = "not asked: the budget"
_NOT_KEPT = (Answer.UNREADABLE, Answer.MISSING, Answer.FAILED, Answer.DISAGREED)
_KEPT = ("answer", "detail", "verdict", "reading", "asking")


def kept(found: Row) -> dict[str, Any] | None:
    """What a file keeps of an answer; None of one that the next run may give otherwise."""
    if found.answer in _NOT_KEPT or found.detail.startswith(NOT_ASKED):
        return None
    plain = msgspec.to_builtins(found)
    return {name: plain[name] for name in _KEPT}


def from_kept(pair: Pair, answer: Any) -> Row | None:
    """The row that a file kept; None where it is damaged."""
    if not isinstance(answer, dict):
        return None
    names = {"group": pair.group, "flow": pair.flow, "source": pair.source_name, "target": pair.target_name}
    try:
        return msgspec.convert(answer | names, Row)  # pyright: ignore[reportUnknownArgumentType]
    except (msgspec.ValidationError, TypeError):
        return None
