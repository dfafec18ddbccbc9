"""The files of a corpus measured in several processes, which share nothing: PoCL does not outlive a fork."""

import signal
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.coverage.measure import Row, measured

Task = tuple[dict[str, Any], list[str]]
"""An entry of the manifest, and the tags of its kernel."""


def measured_all(corpus: Path, tasks: Sequence[Task], timeout: float, runs: bool, jobs: int) -> Iterator[Row]:
    """A row for each file, as soon as it is there."""
    work = partial(_one, corpus, timeout, runs)
    if jobs == 1:
        yield from map(work, tasks)
        return
    with get_context("spawn").Pool(jobs, _leave_interrupts_to_the_parent) as pool:
        yield from pool.imap_unordered(work, tasks)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _one(corpus: Path, timeout: float, runs: bool, task: Task) -> Row:
    return measured(corpus, *task, timeout, runs)
