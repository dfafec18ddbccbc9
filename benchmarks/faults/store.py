"""The file of results: a line for each question as soon as it is answered, so that a later run goes on from there.

A line counts as long as nothing has changed that an answer depends on.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FILE = ROOT / ".faults.jsonl"
SOURCES = ("model/**/*.py", "model/**/*.lark", "benchmarks/faults/*.py", "requirements.lock")

Record = dict[str, Any]


def sources() -> str:
    """A short name for everything that an answer depends on."""
    whole = sha256()
    for path in sorted({path for pattern in SOURCES for path in ROOT.glob(pattern)}):
        whole.update(f"{path.relative_to(ROOT)} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()[:16]


class Store:
    """The latest line of each question; new ones are written at once."""

    def __init__(self, path: Path, current: str, keep: bool = False) -> None:
        """With `keep`, lines count whatever has changed since."""
        self._path, self._current = path, current
        self._lines: dict[str, Record] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            try:
                record = json.loads(line)
            except ValueError:  # cut off by an interrupt
                continue
            if keep or record["sources"] == current:
                self._lines[record["id"]] = record

    def get(self, name: str) -> Record | None:
        return self._lines.get(name)

    def add(self, name: str, record: Record) -> Record:
        """Writes a line."""
        self._lines[name] = {"id": name, "sources": self._current} | record
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(self._lines[name], ensure_ascii=False) + "\n")
        return self._lines[name]
