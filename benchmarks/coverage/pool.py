"""The files of a corpus measured in several processes, which share nothing: PoCL does not outlive a fork."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.coverage.measure import Row, measured
from visaproof.checking.task_pool import Lost, side_by_side

Task = tuple[dict[str, Any], list[str]]
"""An entry of the manifest, and the tags of its kernel."""


def measured_all(corpus: Path, tasks: Sequence[Task], timeout: float, runs: bool, jobs: int) -> Iterator[Row]:
    """A row for each file, as soon as it is there."""
    work = partial(_one, corpus, timeout, runs)
    if jobs == 1:
        yield from map(work, tasks)
        return
    with closing(side_by_side(work, tasks, jobs)) as found:
        for one in found:
            if isinstance(one, Lost):
                entry, _ = tasks[one.index]
                raise SystemExit(f"{entry['file']}: {one.reason}: try fewer --jobs")
            yield one.answer


def _one(corpus: Path, timeout: float, runs: bool, task: Task) -> Row:
    return measured(corpus, *task, timeout, runs)
