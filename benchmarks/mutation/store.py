"""The file of results: one line for each mutant as soon as it is tried, so that an interrupted run goes on from there.

A line counts as long as nothing has changed that a result depends on.  After a change it still says on what the mutant
was noticed, and that is tried first.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.mutation.killers import Kill, Killer, Manner

ROOT = Path(__file__).parents[2]
FILE = ROOT / ".mutants.jsonl"
SOURCES = (
    "model/**/*.py", "proofs/*.py", "benchmarks/mutation/*.py", "tests/strategies.py", "tests/two_writings.py",
    "tests/smt/*.py", "tests/**/test_*private*.py", "tests/**/test_aligned_pointers.py",
)  # fmt: skip
"""What a result depends on, with the versions in `requirements.lock`."""

Kills = dict[Killer, Kill | None]
"""What each killer said: None where it noticed nothing, absent where it was not asked."""


def sources() -> str:
    """A short name for everything that a result depends on."""
    paths = sorted({path for pattern in (*SOURCES, "requirements.lock") for path in ROOT.glob(pattern)})
    whole = sha256()
    for path in paths:
        whole.update(f"{path.relative_to(ROOT)} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()[:16]


class Store:
    """The results of earlier runs, to which those of this one are added line by line."""

    def __init__(self, path: Path, current: str) -> None:
        self._path, self._current = path, current
        self._lines = _latest(path)
        self._file = None

    def kills(self, mutant: str) -> Kills:
        """What is known about a mutant."""
        line = self._lines.get(mutant)
        return _kills(line["kills"]) if line and line["sources"] == self._current else {}

    def hints(self, mutant: str) -> dict[Killer, str]:
        """On what each killer noticed the mutant, whatever has changed since."""
        line = self._lines.get(mutant)
        return {killer: kill.on for killer, kill in _kills(line["kills"]).items() if kill} if line else {}

    def add(self, mutant: str, kills: Kills) -> None:
        """Writes a line at once."""
        assert self._file, "not open"
        told = {
            killer.value: kill and {"manner": kill.manner.value, "detail": kill.detail[:300], "on": kill.on}
            for killer, kill in kills.items()
        }
        self._lines[mutant] = {"id": mutant, "sources": self._current, "kills": told}
        self._file.write(_as_line(self._lines[mutant]))
        self._file.flush()

    def __enter__(self) -> "Store":
        """Keeps the latest line of each mutant, and opens the file for more."""
        text = "".join(map(_as_line, self._lines.values()))
        rewritten = self._path.with_suffix(".new")
        rewritten.write_text(text, encoding="utf-8")
        rewritten.replace(self._path)
        self._file = self._path.open("a", encoding="utf-8")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file:
            self._file.close()


def _latest(path: Path) -> dict[str, dict[str, Any]]:
    lines: dict[str, dict[str, Any]] = {}
    if path.is_file():
        for text in path.read_text(encoding="utf-8").splitlines():
            try:
                line = json.loads(text)
            except ValueError:  # cut off by an interrupt
                continue
            lines[line["id"]] = line
    return lines


def _kills(told: Mapping[str, dict[str, str] | None]) -> Kills:
    return {
        Killer(name): Kill(Manner(kill["manner"]), kill["detail"], kill["on"]) if kill else None
        for name, kill in told.items()
    }


def _as_line(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"
