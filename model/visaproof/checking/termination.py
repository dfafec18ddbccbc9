"""SIGTERM and SIGHUP end a command as Ctrl-C does where it has files or processes of its own to take with it."""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

from visaproof.smt.limit import LEAST_S, is_lost_in

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def interrupted_by_signals() -> Generator[None]:
    """Either raises KeyboardInterrupt within, unless whoever called has another use for it."""
    on_main = current_thread() is main_thread()
    ours = [one for one in ENDING if on_main and signal.getsignal(one) is signal.SIG_DFL]
    for one in ours:
        signal.signal(one, _interrupt)
    try:
        yield
    finally:
        for one in ours:
            signal.signal(one, signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:
    can_wait = hasattr(signal, "setitimer") and is_lost_in(frame)
    if can_wait and signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, _interrupt):
        signal.signal(signal.SIGALRM, _interrupt)  # again, once the interpreter has left that function
        signal.setitimer(signal.ITIMER_REAL, LEAST_S)
        return
    raise KeyboardInterrupt
