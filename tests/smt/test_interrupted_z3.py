"""What is left of z3 where a handler of a signal raises while it searches."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

import pytest
import z3  # pyright: ignore[reportMissingTypeStubs]

from visaproof.smt import z3_backend


class Stopped(Exception):
    """What the handler raises."""


class Solver:
    """Ends once it was interrupted so many times, as z3 does not hear what comes before its check."""

    def __init__(self, interrupts: int) -> None:
        self.ctx = self
        self._left = interrupts
        self._ended = Event()

    def interrupt(self) -> None:
        self._left -= 1
        if not self._left:
            self._ended.set()

    def check(self) -> str:
        self._ended.wait(10)
        return "unknown"


class Raising(Solver):
    """Raises once it was interrupted, or at once."""

    def __init__(self, reason: bytes, interrupts: int = 1) -> None:
        super().__init__(interrupts)
        self._reason = reason
        if not interrupts:
            self._ended.set()

    def check(self) -> str:
        super().check()
        raise z3.Z3Exception(self._reason)


@contextmanager
def raising_every(seconds: float) -> Iterator[None]:
    def handler(number: int, frame: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.4, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True)
def abandoned(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Solver, object]]:
    kept = list[tuple[Solver, object]]()
    monkeypatch.setattr(z3_backend, "_ABANDONED", kept)
    return kept


def test_an_interrupt_that_is_lost_is_made_again(abandoned: list[tuple[Solver, object]]) -> None:
    with raising_every(0), pytest.raises(Stopped):
        z3_backend.checked(Solver(interrupts=3), 10_000)
    assert abandoned == []


def test_one_that_goes_on_is_kept_whatever_is_raised_meanwhile(abandoned: list[tuple[Solver, object]]) -> None:
    """Its memory is in use."""
    solver = Solver(interrupts=100)
    with raising_every(0.4), pytest.raises(Stopped):
        z3_backend.checked(solver, 10_000, "its terms")
    assert abandoned == [(solver, "its terms")]
    while not solver._ended.is_set():
        solver.interrupt()


def test_what_is_canceled_as_its_time_is_over_says_nothing() -> None:
    assert z3_backend.checked(Raising(b"canceled"), 0) is None


@pytest.mark.parametrize(("reason", "interrupts"), [(b"canceled", 0), (b"out of memory", 1)])
def test_what_z3_raises_otherwise_is_raised(reason: bytes, interrupts: int) -> None:
    with pytest.raises(z3.Z3Exception):
        z3_backend.checked(Raising(reason, interrupts), 0 if interrupts else 10_000)
