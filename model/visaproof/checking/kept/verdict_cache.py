"""Answers kept in a file of SQLite, by keys that hold everything on which they depend.

Several processes may write at once.  A row counts only if its code of authentication fits, so that what is damaged is
asked again.  Nothing that happens to the file ends a run: it goes on without it, and says so once.
"""

import hmac
import os
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from time import monotonic, sleep, time
from types import TracebackType
from typing import Any, TypeVar, cast

import msgspec

from visaproof.checking.claims.model_version import model_version
from visaproof.isa.errors import Position, ReadError

T = TypeVar("T")

APPLICATION = 0x76697361
"""By which SQLite's header names the program: "visa"."""
FORMAT = 1
PATIENCE_S = 30.0
"""For another writer."""
RETRY_S = 0.01
SECRET = "VISAPROOF_CACHE_KEY"
"""The variable with the secret under which rows are signed; who does not know it cannot make any that count."""
NAME_ANOTHER = "name a file that does not exist yet, or one that `visaproof cache` knows"
MOST_BYTES = 2**28
"""Of one answer."""

TABLE = """CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, version TEXT NOT NULL, content BLOB NOT NULL, code BLOB NOT NULL,
    made INTEGER NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID"""


class Mode(Enum):
    """What a run does with the cache."""

    OFF = "off"
    READ_WRITE = "read-write"
    READ_ONLY = "read-only"
    ENFORCE = "enforce"
    """Read only, and nothing is asked: an answer that is not there fails the run."""


class VerdictCache:
    """The answers of one kind.  Close it.  Raises ReadError for a file that is something else: it is left alone."""

    def __init__(
        self, path: Path, kind: str, mode: Mode = Mode.READ_WRITE, say: Callable[[str], None] = lambda _: None
    ) -> None:
        self.path, self.kind, self.mode = path, kind, mode
        self._say = say
        self._secret = os.environ.get(SECRET, "visaproof").encode(errors="surrogateescape")
        self._hits: list[str] = []
        self._base: sqlite3.Connection | None = None
        self.damaged = 0
        """Rows that did not count."""
        if _is_foreign(path):
            raise ReadError("not a cache of visaproof", Position(str(path), 1, 1), NAME_ANOTHER)
        if mode is not Mode.OFF:
            with suppress(_Unusable):
                self._base = self._guarded(self._opened)

    @property
    def enforced(self) -> bool:
        """Whether nothing may be asked that is not there."""
        return self.mode is Mode.ENFORCE

    def get(self, key: str) -> Any:
        """What was answered, as plain data; None where nothing was, or nothing that counts."""
        return self.get_as(key, cast("type[Any]", Any))

    def get_as(self, key: str, kind: type[T]) -> T | None:
        """The same as a record."""
        if self._base is None:
            return None
        try:
            row = self._guarded(self._row, key)
        except _Unusable:
            return None
        if row is None:
            return None
        content, code = row
        try:
            if not hmac.compare_digest(code, self._code(key, content)):
                raise ValueError
            found = msgspec.json.decode(_unpacked(content), type=kind)
        except (ValueError, TypeError, zlib.error, msgspec.MsgspecError):
            self.damaged += 1
            self._say(f"{self.path}: a damaged row is not used: what was answered there is asked again")
            return None
        self._hits.append(key)
        return found

    def add(self, key: str, answer: Any) -> None:
        """Keeps an answer at once; one that JSON cannot hold is not kept."""
        if self._base is None or self.mode is not Mode.READ_WRITE:
            return
        try:
            content = zlib.compress(msgspec.json.encode(answer), 1)
        except (UnicodeEncodeError, TypeError):
            return
        now = int(time())
        row = (key, self.kind, model_version(), content, self._code(key, content), now, now)
        with suppress(_Unusable):
            self._guarded(self._execute, "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def close(self) -> None:
        """Notes which answers were used, for those who make room."""
        base, self._base = self._base, None
        if base is None:
            return
        with suppress(sqlite3.Error):
            if self._hits and self.mode is Mode.READ_WRITE:
                base.execute("BEGIN IMMEDIATE")
                base.executemany(
                    "UPDATE answers SET used = ? WHERE key = ?", [(int(time()), key) for key in self._hits]
                )
                base.execute("COMMIT")
        base.close()

    def __enter__(self) -> "VerdictCache":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _guarded(self, do: Callable[..., T], *parts: Any) -> T:
        """What `do` gives; where the file does not allow it the run goes on without the cache."""
        try:
            return do(*parts)
        except (sqlite3.Error, OSError, OverflowError) as error:
            self._give_up(error)
            raise _Unusable from None

    def _give_up(self, error: Exception) -> None:
        base, self._base = self._base, None
        if base is not None:
            with suppress(sqlite3.Error):
                base.close()
        aside = ""
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            with suppress(OSError):
                os.replace(self.path, f"{self.path}.damaged")
                aside = f"; it is {self.path.name}.damaged now"
        self._say(f"{self.path}: the cache is not used any more: {error}{aside}")

    def _opened(self) -> sqlite3.Connection:
        base = connected(self.path, read_only=self.mode is not Mode.READ_WRITE)
        self._base = base
        return base

    def _row(self, key: str) -> tuple[bytes, bytes] | None:
        assert self._base is not None
        question = "SELECT content, code FROM answers WHERE key = ? AND kind = ?"
        return self._base.execute(question, (key, self.kind)).fetchone()

    def _execute(self, statement: str, parts: tuple[Any, ...]) -> None:
        assert self._base is not None
        self._base.execute(statement, parts)

    def _code(self, key: str, content: bytes) -> bytes:
        return code_of(self._secret, key, self.kind, content)


class _Unusable(Exception):
    """The cache was given up."""


def code_of(secret: bytes, key: str, kind: str, content: bytes) -> bytes:
    """The code of authentication of a row."""
    return hmac.digest(secret, b"\0".join((key.encode(), kind.encode(), content)), "sha256")


def _is_foreign(path: Path) -> bool:
    """Whether something is there that no visaproof wrote.  One that is empty, or cannot be read, is not."""
    if path.exists() and not path.is_file():
        return True
    try:
        with path.open("rb") as file:
            begin = file.read(100)
    except OSError:
        return False
    return bool(begin) and not (begin.startswith(b"SQLite format 3\0") and begin[68:72] in (_NAME, bytes(4)))


def connected(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """The file, made if need be.  Raises sqlite3.Error."""
    if path.exists() and not path.is_file():  # SQLite would wait for who writes to a pipe
        raise sqlite3.OperationalError("not a regular file")
    if read_only:
        return _read_only(path)
    end = monotonic() + PATIENCE_S
    while True:
        try:
            return _writable(path)
        except sqlite3.OperationalError as error:  # the change to WAL does not wait for another writer's
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or monotonic() > end:
                raise
            sleep(RETRY_S)


def _writable(path: Path) -> sqlite3.Connection:
    base = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
    try:
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = NORMAL")
        if base.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            base.execute(f"PRAGMA application_id = {APPLICATION}")
        base.execute(TABLE)
    except BaseException:
        base.close()
        raise
    return base


_NAME = APPLICATION.to_bytes(4, "big")


def _read_only(path: Path) -> sqlite3.Connection:
    """Also on a file system that nobody may write to.  A file that another process is about to fill is empty."""
    uri = path.absolute().as_uri()
    failed = sqlite3.OperationalError("no such file")
    for option in ("mode=ro", "immutable=1"):
        base = sqlite3.connect(f"{uri}?{option}", timeout=PATIENCE_S, isolation_level=None, uri=True)
        try:
            if not base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                base.close()
                base = sqlite3.connect(":memory:", isolation_level=None)
                base.execute(TABLE)
            base.execute("SELECT count(*) FROM answers WHERE key = ''").fetchone()
        except sqlite3.OperationalError as error:
            base.close()
            failed = error
        else:
            return base
    raise failed


def _unpacked(content: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    found = unpacker.decompress(content, MOST_BYTES)
    if not unpacker.eof:
        raise ValueError("too large, or cut off")
    return found
