"""Answers to the questions of earlier runs, as long as nothing has changed that they depend on."""

from hashlib import sha256
from pathlib import Path
from typing import Any

from visaproof.checking.claims.model_version import digest, model_version
from visaproof.checking.kept.verdict_cache import VerdictCache

FILE = Path(__file__).parents[2] / ".faults.jsonl"

Record = dict[str, Any]


def version() -> str:
    """A short name for everything that an answer depends on."""
    return sha256(f"{model_version()} {digest(Path(__file__).parent)}".encode()).hexdigest()[:16]


class Store:
    """The records of a file by question; one of another version is asked for again, unless all are to be kept."""

    def __init__(self, answers: VerdictCache, current: str, keep: bool = False) -> None:
        self._answers, self._current, self._keep = answers, current, keep

    def get(self, name: str) -> Record | None:
        found = self._answers.get(name)
        if found is None or not (self._keep or found["version"] == self._current):
            return None
        return found["record"]

    def add(self, name: str, record: Record) -> Record:
        """Writes it at once."""
        record = {"id": name} | record
        self._answers.add(name, {"version": self._current, "record": record})
        return record
