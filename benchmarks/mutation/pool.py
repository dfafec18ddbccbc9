"""Tasks side by side, each in a process of its own that cannot outlive its limit of processor time."""

import gc
import os
import resource
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from msgspec import Struct

T = TypeVar("T")

CPU_SECONDS = 90
MEMORY_BYTES = 2 << 30


class OutOfTime(Exception):
    """What `at_most` raises."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises OutOfTime in the midst of Python code that takes more processor time, however busy the machine is."""

    def stop(*_: object) -> None:
        raise OutOfTime(f"no end within {seconds} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


class Ended(Struct, Generic[T], frozen=True):
    """A task whose process has ended, with what it sent; `exitcode` is negative where a signal ended it."""

    task: T
    sent: tuple[Any, ...]
    exitcode: int

    @property
    def out_of_time(self) -> bool:
        return self.exitcode == -signal.SIGPROF


def side_by_side(tasks: Iterable[T], work: Callable[[T, Callable[[Any], None]], None], jobs: int) -> Iterator[Ended[T]]:
    """Each task as it ends; `work` gets the task, and a function that sends something picklable and small.

    A fork of this process does the work, so what it has imported is there at once.  No process outlives this iterator.
    """
    context, waiting = get_context("fork"), iter(tasks)
    gc.freeze()  # what is shared with the forks stays shared: no collection touches it
    running: dict[int, tuple[Any, Connection, T]] = {}
    try:
        while True:
            for task in islice(waiting, jobs - len(running)):
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(target=_alone, args=(work, task, sender), daemon=True)
                process.start()
                sender.close()
                running[process.sentinel] = process, receiver, task
            if not running:
                return
            for sentinel in wait(running):
                process, receiver, task = running.pop(sentinel)  # type: ignore[call-overload]
                process.join()
                yield Ended(task, tuple(_received(receiver)), process.exitcode)
    finally:
        for process, _, _ in running.values():
            process.kill()
            process.join()


def _alone(work: Callable[[T, Callable[[Any], None]], None], task: T, sender: Connection) -> None:
    """The kernel ends this process when its time is over, whatever it is doing."""
    for number in (signal.SIGPROF, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    gc.disable()  # a short life
    work(task, sender.send)
    sender.close()
    os._exit(0)


def _received(receiver: Connection) -> Iterator[Any]:
    try:
        while True:
            yield receiver.recv()
    except EOFError:
        receiver.close()
