"""Calls side by side in processes of their own; none of them outlives the caller."""

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import active_children, get_context
from typing import Any, TypeVar

from visaproof.engine.termination import interrupted_by_sigterm

R = TypeVar("R")


def in_processes(function: Callable[..., R], calls: Sequence[tuple[Any, ...]], jobs: int) -> "Iterator[Future[R]]":
    """The future of each call, in the order given.  Workers ignore Ctrl-C: the caller ends them."""
    others = set(active_children())
    # A new interpreter for each worker: a fork would copy the solver and the threads of a progress display.
    executor = ProcessPoolExecutor(jobs, get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN))
    try:
        with interrupted_by_sigterm():
            yield from [executor.submit(function, *call) for call in calls]
    finally:  # also when the caller is interrupted or stops asking
        executor.shutdown(wait=False, cancel_futures=True)
        for worker in set(active_children()) - others:
            worker.kill()
        executor.shutdown(wait=True)
