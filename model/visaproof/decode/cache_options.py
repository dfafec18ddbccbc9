"""How the caches treat an LSC message, level by level: `.uc.ca` after its unit.  Page LSC_UNTYPED.md.

Which level is passed by decides what other threads see, and when: a load that is not cached sees what a cached one need
not see, and a store that is written through is seen sooner than one that is written back.
"""

from collections.abc import Sequence
from typing import Protocol

CACHE_WORDS = ("df", "uc", "ca", "wb", "wt", "st", "ri", "cc")
"""Default, uncached, cached, written back, written through, streaming, read and invalidated, cached as a constant."""

MOST_LEVELS = 3

DEFAULT, UNCACHED = "df", "uc"

_CACHED = frozenset(("ca", "st", "ri"))
"""Of loads: all of them may find what was there before."""

_AT_LEAST = {"wt": frozenset(("wt", "wb", "st"))} | {
    word: frozenset((*_CACHED, "wb", "cc")) for word in ("ca", "st", "ri", "wb")
}
"""What each word is at least as strong as, beside itself; uncached is stronger than all, the default is not known."""

Caches = tuple[str, ...]


class Spelled(Protocol):
    """What has a mnemonic."""

    @property
    def opcode(self) -> str: ...

    @property
    def suffixes(self) -> tuple[str, ...]: ...


def caches_of(instruction: Spelled) -> Caches | None:
    """The words of a message, one for each level; None of a message that has none."""
    if not instruction.opcode.startswith("lsc_"):
        return None
    words = [word for word in instruction.suffixes[1:] if word in CACHE_WORDS]
    return (*words, *[DEFAULT] * (MOST_LEVELS - len(words)))


def are_as_strong(target: Caches | None, source: Caches | None, one_device: bool) -> bool:
    """Whether other threads are seen and see as soon as with the source's words.

    What is passed by in the source is passed by in the target.  Else messages of two devices, or without words, are not
    compared.
    """
    if source is None:
        return True
    if target is None or not one_device:
        return all(
            word != UNCACHED or (target is not None and target[level] == word) for level, word in enumerate(source)
        )
    return all(map(_is_as_strong, target, source))


def _is_as_strong(target: str, source: str) -> bool:
    return target in (source, UNCACHED) or source in _AT_LEAST.get(target, ())


def are_compared(target: Caches | None, source: Caches | None, one_device: bool) -> bool:
    """Whether pages say of both messages what the caches do."""
    return (target is None) == (source is None) and (one_device or not _says(target or ()) | _says(source or ()))


def _says(words: Sequence[str]) -> bool:
    return any(word != DEFAULT for word in words)
