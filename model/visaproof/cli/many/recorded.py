"""What a question prints, kept as text, and shown at once where somebody waits for it."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from io import StringIO, TextIOBase
from typing import IO

from msgspec import Struct, field

from visaproof.report.text.waiting import Waiting


class _Tee(TextIOBase):
    """A stream that keeps what is written, and passes it on when it is flushed."""

    def __init__(self, shown: IO[str] | None, like: IO[str], clear: Callable[[], None]) -> None:
        self._shown, self._like, self._clear, self._waiting = shown, like, clear, ""
        self.kept = StringIO()

    @property
    def encoding(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return getattr(self._like, "encoding", None) or "utf-8"

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._like.isatty()

    def fileno(self) -> int:
        return self._like.fileno()

    def write(self, text: str) -> int:
        self.kept.write(text)
        self._waiting += text
        return len(text)

    def flush(self) -> None:
        if self._shown is not None and self._waiting:
            waiting, self._waiting = self._waiting, ""
            self._clear()
            self._shown.write(waiting)
            self._shown.flush()


class Recorded(Struct):
    """Both streams, as far as they were written."""

    out: Callable[[], str] = field(default=lambda: "")
    said: Callable[[], str] = field(default=lambda: "")


@contextmanager
def recorded(*, live_out: bool, live_said: bool, clear: Callable[[], None] = lambda: None) -> Generator[Recorded]:
    """stdout and stderr of what runs within; a live one is shown as well, in the order of both.

    `clear` takes what stands on the terminal out of the way of that.
    """
    stdout, stderr = sys.stdout, sys.stderr
    out = _Tee(stdout if live_out else None, stdout, clear)
    said = _Tee(stderr if live_said else None, stderr, clear)
    sys.stdout, sys.stderr = out, _Flushing(said)
    try:
        yield Recorded(out.kept.getvalue, said.kept.getvalue)
    finally:
        sys.stdout, sys.stderr = stdout, stderr
        out.flush()
        said.flush()


@contextmanager
def shown_meanwhile(what: str, limit_s: float, *, live_out: bool, live_said: bool) -> Generator[Recorded]:
    """As `recorded`; a terminal says for how long `what` has been asked, while nothing else is printed."""
    if not live_said:
        with recorded(live_out=live_out, live_said=False) as streams:
            yield streams
        return
    with (
        Waiting(what, limit_s, sys.stderr) as waiting,
        recorded(live_out=live_out, live_said=True, clear=waiting.clear) as streams,
    ):
        yield streams


class _Flushing(TextIOBase):
    """stderr: each line goes out at once."""

    def __init__(self, tee: _Tee) -> None:
        self._tee = tee

    @property
    def encoding(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._tee.encoding

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._tee.isatty()

    def fileno(self) -> int:
        return self._tee.fileno()

    def write(self, text: str) -> int:
        written = self._tee.write(text)
        self._tee.flush()
        return written

    def flush(self) -> None:
        self._tee.flush()
