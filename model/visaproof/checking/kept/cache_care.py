"""What keeps a cache in order: what is in it, making room, and taking answers elsewhere."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import time

from msgspec import Struct

from visaproof.checking.claims.model_version import model_version
from visaproof.checking.kept.verdict_cache import SECRET, code_of, connected

DAY_S = 24 * 60 * 60


class Stats(Struct, frozen=True):
    """What a cache holds."""

    file_bytes: int
    kinds: tuple[tuple[str, int, int], ...]
    """Kind, answers, and bytes of them."""
    of_this_version: int
    damaged: int
    """Rows whose code of authentication does not fit."""
    oldest: int
    newest: int
    """When answers were made, in seconds since 1970; 0 where there is none."""


def stats(path: Path) -> Stats:
    """Raises sqlite3.Error."""
    with closing(connected(path, read_only=True)) as base:
        kinds = base.execute("SELECT kind, count(*), sum(length(content)) FROM answers GROUP BY kind ORDER BY kind")
        found = tuple((str(kind), int(count), int(size)) for kind, count, size in kinds)
        times = base.execute("SELECT min(made), max(made) FROM answers").fetchone()
        current = base.execute("SELECT count(*) FROM answers WHERE version = ?", (model_version(),)).fetchone()[0]
        damaged = sum(1 for _ in _damaged(base))
    return Stats(path.stat().st_size, found, current, damaged, times[0] or 0, times[1] or 0)


def collect(path: Path, *, older_than_days: float | None, most_bytes: int | None) -> int:
    """Deletes answers of other versions, damaged ones, those unused for so long, then the longest unused."""
    with closing(connected(path, read_only=False)) as base:
        before = _count(base)
        base.execute("BEGIN IMMEDIATE")
        base.execute("DELETE FROM answers WHERE version != ?", (model_version(),))
        base.executemany("DELETE FROM answers WHERE key = ?", [(key,) for key in _damaged(base)])
        if older_than_days is not None:
            base.execute("DELETE FROM answers WHERE used < ?", (int(time() - older_than_days * DAY_S),))
        if most_bytes is not None:
            _shrink(base, most_bytes)
        base.execute("COMMIT")
        after = _count(base)
        base.execute("VACUUM")
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return before - after


def export(path: Path, file: Path) -> int:
    """Writes all answers into one new file, which takes the place of an old one.  Raises sqlite3.Error, OSError."""
    part = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with closing(connected(path, read_only=True)) as base:
            base.execute("VACUUM INTO ?", (str(part),))
            count = _count(base)
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)
    return count


def take_in(path: Path, file: Path) -> tuple[int, int]:
    """Adds the answers of a file that are not there yet; how many, and how many did not count."""
    with closing(connected(file, read_only=True)) as other, closing(connected(path, read_only=False)) as base:
        bad = set(_damaged(other))
        before = _count(base)
        base.execute("BEGIN IMMEDIATE")
        rows = (row for row in other.execute("SELECT * FROM answers") if row[0] not in bad)
        base.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        base.execute("COMMIT")
        return _count(base) - before, len(bad)


def _count(base: sqlite3.Connection) -> int:
    return int(base.execute("SELECT count(*) FROM answers").fetchone()[0])


def _damaged(base: sqlite3.Connection) -> Iterator[str]:
    secret = os.environ.get(SECRET, "visaproof").encode(errors="surrogateescape")
    for key, kind, content, code in base.execute("SELECT key, kind, content, code FROM answers").fetchall():
        if code_of(secret, key, kind, content) != code:
            yield key


def _shrink(base: sqlite3.Connection, most_bytes: int) -> None:
    """Deletes what was not used for longest until the rest has at most so many bytes."""
    left, kept = most_bytes, set[str]()
    for key, size in base.execute("SELECT key, length(content) FROM answers ORDER BY used DESC, key"):
        left -= size
        if left < 0:
            break
        kept.add(key)
    gone = [(key,) for (key,) in base.execute("SELECT key FROM answers") if key not in kept]
    base.executemany("DELETE FROM answers WHERE key = ?", gone)
