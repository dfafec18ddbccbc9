"""Many tasks side by side, where the end of one process loses only the task it was at; each answer comes at once."""

import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from time import monotonic
from typing import Any, Generic, TypeVar

from visaproof.engine.termination import interrupted_by_sigterm

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Answered(Generic[R]):
    """What came of a task."""

    index: int
    answer: R


@dataclass(frozen=True, slots=True)
class Lost:
    """A task whose process ended, or was ended, before it answered."""

    index: int
    reason: str


@dataclass(slots=True)
class _Worker(Generic[T]):
    """A process, and the task that it is at."""

    process: SpawnProcess
    connection: "Connection[T, Any]"
    index: int = 0
    since: float = 0

    def give(self, index: int, task: T) -> None:
        """One that has ended says so when it is waited for."""
        self.index, self.since = index, monotonic()
        with suppress(OSError):
            self.connection.send(task)


def side_by_side(do: Callable[[T], R], tasks: Sequence[T], jobs: int, limit_s: float) -> Generator[Answered[R] | Lost]:
    """What comes of each task, as it comes.  No process outlives this generator: close it.

    `do` is pickled once for each process, in which it may keep what several tasks share.  It must not raise.  A task
    that takes longer than the limit, by the clock, ends with its process.
    """
    running: list[_Worker[T]] = []
    try:
        with interrupted_by_sigterm():
            yield from _answers(do, iter(enumerate(tasks)), jobs, limit_s, running)
    finally:
        for worker in running:
            _end(worker)


def _answers(
    do: Callable[[T], R], waiting: Iterator[tuple[int, T]], jobs: int, limit_s: float, running: list[_Worker[T]]
) -> Iterator[Answered[R] | Lost]:
    """What comes of the tasks that are waiting; `running` has the processes there are at any time."""
    for index, task in islice(waiting, jobs):
        running.append(_started(do))
        running[-1].give(index, task)
    while running:
        for worker in _ready(running, limit_s):
            found: Answered[R] | Lost = _received(worker, limit_s)
            lost = isinstance(found, Lost)
            following = next(waiting, None)
            if lost or following is None:
                running.remove(worker)
                _end(worker)
            if following is not None:
                if lost:
                    worker = _started(do)
                    running.append(worker)
                worker.give(*following)
            yield found


def _ready(running: list[_Worker[T]], limit_s: float) -> Iterator[_Worker[T]]:
    """Those that answered or ended, or whose time is over."""
    left = min(worker.since for worker in running) + limit_s - monotonic()
    spoke = wait([worker.connection for worker in running], max(0, left))
    now = monotonic()
    return (one for one in tuple(running) if one.connection in spoke or now - one.since >= limit_s)


def _received(worker: _Worker[T], limit_s: float) -> Answered[Any] | Lost:
    if not worker.connection.poll():
        return Lost(worker.index, f"no answer within {limit_s:g} s")
    try:
        return Answered(worker.index, worker.connection.recv())
    except (EOFError, OSError):
        worker.process.join()
        return Lost(worker.index, f"its process ended ({worker.process.exitcode}), perhaps for want of memory")


def _started(do: Callable[[T], R]) -> _Worker[T]:
    context = get_context("spawn")  # a fork would copy the solver and the threads of a progress display
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(do, theirs), daemon=True)
    with _ctrl_c_held_back():
        process.start()
    theirs.close()
    return _Worker(process, ours)


@contextmanager
def _ctrl_c_held_back() -> Generator[None]:
    """A process that starts meanwhile never hears Ctrl-C: the caller does, and ends it."""
    resource_tracker.ensure_running()  # which would let the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(worker: _Worker[T]) -> None:
    worker.connection.close()
    worker.process.kill()
    worker.process.join()


def _serve(do: Callable[[T], R], connection: "Connection[R, T]") -> None:
    """Answers tasks until the caller is gone."""
    try:
        while True:
            connection.send(do(connection.recv()))
    except (EOFError, OSError):
        return
