"""The barriers and fences of two kernels, side by side."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from visaproof.decode.synchronisation import Synchronised
from visaproof.refinement.effects.synchronisation import Events
from visaproof.smt import is_true

MOST_SHOWN = 40


def events_side_by_side(events: tuple[Events, Events]) -> Iterator[str]:
    """Two columns, in the order of each kernel; nothing where there are none."""
    if not any(events):
        return
    columns = [["source", *map(_line, events[0])], ["target", *map(_line, events[1])]]
    width = max(map(len, columns[0][: MOST_SHOWN + 1]))
    rows = list(zip_longest(*columns, fillvalue=""))
    for one, other in rows[: MOST_SHOWN + 1]:
        yield f"    {one:{width}}   {other}".rstrip()
    if len(rows) > MOST_SHOWN + 1:
        yield f"    … and {len(rows) - MOST_SHOWN - 1} more"


def _line(one: Synchronised) -> str:
    return f"{one.position}: {one.event}" + ("" if is_true(one.guard) else " (under a condition)")


def events_json(events: tuple[Events, Events]) -> dict[str, Any]:
    """The same for machines; nothing where there are none."""
    if not any(events):
        return {}
    names = "source", "target"
    return {"synchronisation": {name: [*map(_json, own)] for name, own in zip(names, events, strict=True)}}


def _json(one: Synchronised) -> dict[str, Any]:
    return {"at": str(one.position), "event": str(one.event), "always": is_true(one.guard)}
