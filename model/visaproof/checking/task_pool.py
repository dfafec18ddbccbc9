"""Many tasks side by side, where the end of one process loses only the task it was at; each answer comes at once."""

import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import islice
from math import inf
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from time import monotonic
from traceback import format_exc
from typing import Any, Generic, TypeVar

from msgspec import Struct

from visaproof.checking.termination import interrupted_by_signals
from visaproof.smt.solvers import CROSS_CHECKED

T = TypeVar("T")
R = TypeVar("R")
WithTraceback = tuple[BaseException, str]
"""An exception, and its traceback."""


class Answered(Struct, Generic[R], frozen=True):
    """What came of a task."""

    index: int
    answer: R


class Lost(Struct, frozen=True):
    """A task whose process ended, or was ended, before it answered."""

    index: int
    reason: str
    died: bool = False
    """Whether it ended by itself: another attempt may go better."""


class _Raised(Struct, frozen=True):
    """A task that ended with an exception: it is raised where the answer is asked for."""

    index: int
    error: BaseException
    traceback: str


class ElsewhereError(Exception):
    """The traceback of an exception in another process, as text."""


class _Worker(Struct, Generic[T]):
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


def side_by_side(
    do: Callable[[T], R], tasks: Sequence[T], jobs: int, limit_s: float | None = None
) -> Generator[Answered[R] | Lost]:
    """What comes of each task, as it comes.  No process outlives this generator: close it.

    `do` is pickled once for each process, in which it may keep what several tasks share; what it raises is raised
    here.  A task that takes longer than the limit, by the clock, ends with its process.
    """
    with closing(_outcomes(do, tasks, jobs, limit_s)) as outcomes:
        yield from map(_told, outcomes)


def in_order(
    do: Callable[[T], R], tasks: Sequence[T], jobs: int, limit_s: float | None = None
) -> Generator[Answered[R] | Lost]:
    """As `side_by_side`, in the order of the tasks: what comes early waits."""
    early: dict[int, Answered[R] | Lost | _Raised] = {}
    due = 0
    with closing(_outcomes(do, tasks, jobs, limit_s)) as outcomes:
        for one in outcomes:
            early[one.index] = one
            while due in early:
                yield _told(early.pop(due))
                due += 1


def _told(outcome: Answered[R] | Lost | _Raised) -> Answered[R] | Lost:
    if isinstance(outcome, _Raised):
        raise outcome.error from ElsewhereError(outcome.traceback)
    return outcome


def _outcomes(
    do: Callable[[T], R], tasks: Sequence[T], jobs: int, limit_s: float | None
) -> Generator[Answered[R] | Lost | _Raised]:
    running: list[_Worker[T]] = []
    try:
        with interrupted_by_signals():
            yield from _answers(do, iter(enumerate(tasks)), jobs, limit_s, running)
    finally:
        for worker in running:
            _end(worker)


def _answers(
    do: Callable[[T], R],
    waiting: Iterator[tuple[int, T]],
    jobs: int,
    limit_s: float | None,
    running: list[_Worker[T]],
) -> Iterator[Answered[R] | Lost | _Raised]:
    """What comes of the tasks that are waiting; `running` has the processes there are at any time."""
    for index, task in islice(waiting, jobs):
        running.append(_started(do))
        running[-1].give(index, task)
    while running:
        for worker in _ready(running, limit_s):
            found: Answered[R] | Lost | _Raised = _received(worker, limit_s)
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


def _ready(running: list[_Worker[T]], limit_s: float | None) -> Iterator[_Worker[T]]:
    """Those that answered or ended, or whose time is over."""
    left = None if limit_s is None else max(0, min(worker.since for worker in running) + limit_s - monotonic())
    spoke = wait([worker.connection for worker in running], left)
    begun = -inf if limit_s is None else monotonic() - limit_s
    return (one for one in tuple(running) if one.connection in spoke or one.since <= begun)


def _received(worker: _Worker[T], limit_s: float | None) -> Answered[Any] | Lost | _Raised:
    if not worker.connection.poll():
        return Lost(worker.index, f"no answer within {limit_s:g} s")
    try:
        answer, raised = worker.connection.recv()
    except (EOFError, OSError):
        worker.process.join()
        return Lost(worker.index, f"its process ended ({worker.process.exitcode}), perhaps for want of memory", True)
    return _Raised(worker.index, *raised) if raised else Answered(worker.index, answer)


def _started(do: Callable[[T], R]) -> _Worker[T]:
    context = get_context("spawn")  # a fork would copy the solver and the threads of a progress display
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(do, theirs, CROSS_CHECKED.get()), daemon=True)
    with _ctrl_c_held_back():
        process.start()
    theirs.close()
    return _Worker(process, ours)


@contextmanager
def _ctrl_c_held_back() -> Generator[None]:
    """A process that starts meanwhile never hears Ctrl-C: the caller does, and ends it."""
    if not hasattr(signal, "pthread_sigmask"):  # as on Windows: `_serve` sees to it once it runs
        yield
        return
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


def _serve(
    do: Callable[[T], R], connection: "Connection[tuple[R | None, WithTraceback | None], T]", both_solvers: bool
) -> None:
    """Answers tasks until the caller is gone."""
    CROSS_CHECKED.set(both_solvers)
    if not hasattr(signal, "pthread_sigmask"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while True:
            connection.send(_outcome(do, connection.recv()))
    except (EOFError, OSError):
        return


def _outcome(do: Callable[[T], R], task: T) -> tuple[R | None, WithTraceback | None]:
    """The answer, or what was raised instead."""
    try:
        return do(task), None
    except BaseException as error:
        return None, (error, format_exc())  # pickled, the error alone has no traceback
