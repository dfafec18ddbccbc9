"""A line at the bottom of a terminal while one question takes its time: what is asked, and for how long."""

from threading import Event, RLock, Thread
from time import monotonic
from types import TracebackType
from typing import IO

from visaproof.report.text.excerpt import printable

FIRST_S = 2.0
"""Of silence, before the line comes; most answers are there before."""
EACH_S = 1.0


class Waiting:
    """A context manager.  Whoever prints within takes the line away first: `clear`.

    A solver that keeps the interpreter to itself stops the count as well.
    """

    def __init__(self, what: str, limit_s: float, stream: IO[str], first_s: float = FIRST_S) -> None:
        self._what, self._limit_s, self._stream, self._first_s = printable(what), limit_s, stream, first_s
        self._begun = self._silent_since = monotonic()
        self._is_shown, self._lock, self._ended = False, RLock(), Event()
        self._thread = Thread(target=self._show, daemon=True) if stream.isatty() else None

    def __enter__(self) -> "Waiting":
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        self.clear()

    def clear(self) -> None:
        """Takes the line off the terminal; it comes back after some silence."""
        with self._lock:
            self._silent_since = monotonic()
            if self._is_shown:
                self._stream.write("\r\x1b[K")
                self._stream.flush()
                self._is_shown = False

    def _show(self) -> None:
        while not self._ended.wait(min(EACH_S, self._first_s)):
            with self._lock:
                if monotonic() - self._silent_since >= self._first_s and not self._ended.is_set():
                    self._stream.write(f"\r\x1b[K{self._line()}")
                    self._stream.flush()
                    self._is_shown = True

    def _line(self) -> str:
        """It fits into one line: of a long name, the end is shown."""
        from shutil import get_terminal_size

        so_far = f" {monotonic() - self._begun:.0f} s"
        limit = f" (--limit {self._limit_s:g})" if self._limit_s < float("inf") else ""
        room = get_terminal_size().columns - 1 - len(so_far) - len(limit)
        what = self._what if len(self._what) <= room else f"...{self._what[len(self._what) + 3 - room :]}"
        return f"{what if room > 3 else ''}{so_far}{limit}"
