"""How messages speak of names and of text that cannot be read."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches

SHOWN_CHARACTERS = 40
COMPARED_NAMES = 20_000
"""Comparing a name with more would take seconds."""


def shown(text: str) -> str:
    """`text` in quotes, with unprintable characters escaped and the end of a long one cut off."""
    cut = text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"
    return f"'{cut}'" if cut.isprintable() else repr(cut)


def listed(words: Iterable[str]) -> str:
    """ "a, b or c"."""
    *most, last = list(words) or ["nothing"]
    return f"{', '.join(most)} or {last}" if most else last


def closest(name: str, known: Collection[str], likeness: float = 0.6) -> str:
    """A hint that proposes the known name most like `name`, or "".  P1 and P2 have a likeness of 0.5."""
    if len(name) > SHOWN_CHARACTERS or len(known) > COMPARED_NAMES:
        return ""
    found = get_close_matches(name, known, n=1, cutoff=likeness)
    return f"did you mean {found[0]}?" if found else ""
