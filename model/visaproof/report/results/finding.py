"""The result model: what a command says of one file, and each thing in it that wants attention."""

from collections.abc import Iterable
from enum import Enum
from hashlib import sha256
from typing import Any

import msgspec


class Level(Enum):
    """Why a finding is one: the words of `--fail-on`, the worst first."""

    INTERNAL = "internal"
    DISAGREEMENT = "disagreement"
    """Two solvers answer one question differently."""
    UNREADABLE = "unreadable"
    REFUTED = "refuted"
    VACUOUS = "vacuous"
    NOT_MODELLED = "not-modelled"
    BOUNDED = "bounded"
    UNKNOWN = "unknown"


CODES = {
    Level.INTERNAL: 70,
    Level.DISAGREEMENT: 6,
    Level.UNREADABLE: 2,
    Level.REFUTED: 1,
    Level.VACUOUS: 5,
    Level.NOT_MODELLED: 4,
    Level.BOUNDED: 3,
    Level.UNKNOWN: 3,
}
"""The exit code of each."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a text; lines and columns count from 1, and 0 is a whole file."""

    file: str
    line: int = 0
    column: int = 0
    message: str = ""
    """What happens there."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that wants attention: a violation, or a question without an answer."""

    level: Level
    kind: str
    """What it is about: a kind of undefined behaviour, a rule's id, "refinement", or "file"."""
    message: str
    """One sentence."""
    kernel: str
    """Its name; of a question about two kernels, source and target."""
    place: Place
    statement: str = ""
    """The text of the statement."""
    related: tuple[Place, ...] = ()
    """Both accesses of a conflict."""
    source: Place | None = None
    """The line of the OpenCL or SYCL source, where the compiler wrote it down."""

    @property
    def key(self) -> str:
        """By which a baseline knows it again: kernel, statement and kind, but no line."""
        text = " ".join(self.statement.split())
        parts = (self.kernel, text, self.kind, self.level.value)
        return sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:32]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one file, or of one pair: made where the question is asked, kept in a cache, shown anywhere."""

    subject: str
    """The file, or source and target."""
    code: int
    """Its exit code."""
    text: str
    """What a person reads on stdout."""
    said: str = ""
    """What a person reads on stderr."""
    record: dict[str, Any] = {}
    """What programs read."""
    findings: tuple[Finding, ...] = ()
    seconds: float = 0
    """Of processor time."""
    known: int = 0
    """Findings that a baseline lists, and that are left out here."""


def worst_code(findings: Iterable[Finding]) -> int:
    """The exit code of a run with these findings."""
    levels = {finding.level for finding in findings}
    return next((CODES[level] for level in Level if level in levels), 0)
