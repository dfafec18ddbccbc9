"""A limit on processor time: it interrupts whatever runs within it, the symbolic run and the solvers alike.

The timer of the process raises LimitReached between two steps of the interpreter, as Ctrl-C raises KeyboardInterrupt.
Python delivers signals to the main thread alone: in another one, and where there is no such timer, nothing is limited.
"""

import gc
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from threading import current_thread, main_thread
from time import process_time
from types import CodeType, FrameType, TracebackType

from visaproof.isa.errors import LimitReached

AGAIN_S = 1.0
"""An exception may be lost, as in a callback that a solver makes: after so much more time it is raised again."""

LEAST_S = 0.01

UNSAFE = ("__del__", "_forget", "from_param")
"""Functions that the interpreter calls by itself: what they raise is lost.  `_forget` is that of interned terms; ctypes
calls `from_param` of the types of a solver's arguments, and raises an error of its own instead."""

HALF_MADE = str(Path("z3", "z3.py"))
"""The solver's own classes, whose finalisers fail on what an interrupted `__init__` leaves."""

IMPORTING = "<frozen importlib"
"""Where the interpreter loads modules: one that is half loaded stays so."""


class Limit:
    """Seconds of processor time of this process, from now on."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = process_time() + seconds

    @property
    def left(self) -> float:
        return max(0.0, self._end - process_time())

    def within(self, share: float = 1) -> "Within":
        """Raises LimitReached in what runs within once this share of the time that is left is used up."""
        return Within(self, share)

    def all_but(self, share: float) -> "Within":
        """The same once only this share of the whole limit is left."""
        left = self.left
        return Within(self, max(0.0, 1 - share * self.seconds / left) if 0 < left < inf else 1)


NO_LIMIT = Limit(inf)


TIMES_LONGER = 2
"""What a limit has ended is begun anew where there is so many times as long for it."""


class Attempts:
    """Of something that takes long: each of many questions, which have a small share of the time, may begin it."""

    def __init__(self) -> None:
        self._longest = 0.0

    @contextmanager
    def one_more(self) -> Generator[None]:
        """What runs within is an attempt."""
        start = process_time()
        try:
            yield
        finally:
            self._longest = max(self._longest, process_time() - start)

    @property
    def have_no_time(self) -> bool:
        """Whether the limit around here would end another attempt as it has ended one."""
        return left_here() < TIMES_LONGER * self._longest


def left_here() -> float:
    """Seconds until the innermost limit that is set ends what runs now; infinite where none is."""
    if not hasattr(signal, "getitimer"):
        return inf
    return signal.getitimer(signal.ITIMER_PROF)[0] or inf


@contextmanager
def at_least(seconds: float) -> Generator[None]:
    """What runs within has this long even if the innermost limit ends before, which it then does at once.

    For what is found once and serves many questions, each of which has a small share of the time.
    """
    left = left_here()
    if left >= seconds:
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN_S)
    since = process_time()
    yield  # an exception ends what the innermost limit is about, too
    signal.setitimer(signal.ITIMER_PROF, max(LEAST_S, left - (process_time() - since)), AGAIN_S)


class Within:
    """A context manager.  One inside another ends with the outer one at the latest."""

    def __init__(self, limit: Limit, share: float) -> None:
        self._limit = limit
        self._share = share

    def __enter__(self) -> None:
        left = self._limit.left
        if not left:
            raise LimitReached(self._limit.seconds)
        self._armed = left < inf and current_thread() is main_thread() and hasattr(signal, "setitimer")
        if self._armed:
            self._outer = signal.signal(signal.SIGPROF, self._reached)
            self._outer_left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
            self._since = process_time()
            own = left * self._share
            signal.setitimer(signal.ITIMER_PROF, max(LEAST_S, min(own, self._outer_left or own)), AGAIN_S)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._armed:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, self._outer or signal.SIG_DFL)
            if self._outer_left:
                spent = process_time() - self._since
                signal.setitimer(signal.ITIMER_PROF, max(LEAST_S, self._outer_left - spent), AGAIN_S)

    def _reached(self, number: int, frame: FrameType | None) -> None:
        if any(code.co_filename == __file__ for code in _codes(frame)):  # while the timer is set
            return
        if is_lost_in(frame):
            signal.setitimer(signal.ITIMER_PROF, LEAST_S, AGAIN_S)
            return
        raise LimitReached(self._limit.seconds)


def is_lost_in(frame: FrameType | None) -> bool:
    """Whether an exception raised by a handler of a signal would be lost here, or leave a module half loaded."""
    heard = {getattr(one, "__code__", None) for one in gc.callbacks}  # Hypothesis has one
    return any(
        code.co_name in UNSAFE
        or code in heard
        or code.co_filename.startswith(IMPORTING)
        or (code.co_name == "__init__" and code.co_filename.endswith(HALF_MADE))
        for code in _codes(frame)
    )


def _codes(frame: FrameType | None) -> Iterator[CodeType]:
    """What the interpreter is at, innermost first."""
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back
