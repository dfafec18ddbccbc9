"""The questions of a run, asked side by side: about pairs, faults in them, and random runs of both kernels."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing

from msgspec import Struct

from benchmarks.faults.ask import Answer, ask_fault, ask_pair, ask_runs
from benchmarks.faults.plan import Pair, Planted
from benchmarks.faults.store import Record
from visaproof.checking.task_pool import Answered, side_by_side

LIMIT_S = 300.0
"""By the clock: a question that takes longer stays open."""


class OfPair(Struct, frozen=True):
    """Whether a pair is proved."""

    pair: Pair

    @property
    def name(self) -> str:
        return f"pair: {self.pair.id}"


class OfFault(Struct, frozen=True):
    """What is said of a fault."""

    planted: Planted

    @property
    def name(self) -> str:
        return self.planted.id


class OfRuns(Struct, frozen=True):
    """Whether so many random runs tell a proved pair apart."""

    pair: Pair
    runs: int

    @property
    def name(self) -> str:
        return f"runs {self.runs}: {self.pair.id}"


Task = OfPair | OfFault | OfRuns
Replies = Generator[tuple[Task, Record]]
Ask = Callable[[Sequence[Task]], Replies]


class Doer(Struct, frozen=True):
    """Asks one question, wherever it is sent."""

    timeout_ms: int
    """For one question to a solver."""

    def __call__(self, task: Task) -> Record:
        match task:
            case OfPair(pair):
                return ask_pair(pair, self.timeout_ms)
            case OfFault(planted):
                return ask_fault(planted, self.timeout_ms)
            case OfRuns(pair, runs):
                return ask_runs(pair, runs)


class Processes(Struct, frozen=True):
    """Asks in so many processes."""

    timeout_ms: int
    jobs: int

    def __call__(self, tasks: Sequence[Task]) -> Replies:
        """Each question with its answer, as it comes."""
        with closing(side_by_side(Doer(self.timeout_ms), tasks, self.jobs, LIMIT_S)) as answers:
            for found in answers:
                task = tasks[found.index]
                yield task, found.answer if isinstance(found, Answered) else _lost(task, found.reason)


def _lost(task: Task, reason: str) -> Record:
    """What is recorded of a question whose process ended."""
    about = task.planted.about if isinstance(task, OfFault) else {}
    return about | {"answer": Answer.UNKNOWN.value, "detail": reason, "seconds": LIMIT_S}
