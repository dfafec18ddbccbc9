"""Asks each question once, in this run or an earlier one, and says how far it is."""

import sys
from collections.abc import Sequence
from contextlib import closing
from time import monotonic

from benchmarks.faults.ask import Answer
from benchmarks.faults.plan import Pair, Planted, plan
from benchmarks.faults.store import Record, Store
from benchmarks.faults.table import OPEN
from benchmarks.faults.tasks import Ask, OfFault, OfPair, OfRuns, Task

TOLD_EVERY = 10.0
"""Seconds."""


class Progress:
    """Lines for the reader, from time to time."""

    def __init__(self, faults: int) -> None:
        self._faults = faults
        self._started = self._told = monotonic()
        self._asked = self._decided = self._open = 0

    def take(self, record: Record) -> None:
        """Counts what was asked now or before."""
        if "kind" in record and record["answer"] != Answer.ILLEGAL.value:
            self._decided += 1
            self._open += Answer(record["answer"]) in OPEN

    def tell(self) -> None:
        """Counts what was asked now."""
        self._asked += 1
        now = monotonic()
        if now - self._told >= TOLD_EVERY:
            self._told = now
            faults = f"{self._decided} of {self._faults} faults, {self._open} of them open" if self._decided else ""
            print(f"{now - self._started:.0f} s: {self._asked} asked; {faults}".rstrip("; "), file=sys.stderr)


class Asker:
    """The answers to questions, from the file or asked now."""

    def __init__(self, store: Store, ask: Ask, again: Sequence[str], progress: Progress) -> None:
        self._store, self._ask, self._again, self._progress = store, ask, again, progress
        self._known: dict[str, Record] = {}
        self.illegal = 0
        """Faults that are no programs."""

    def faults(self, pairs: Sequence[Pair], count: int, seed: int) -> list[Record]:
        """Faults in pairs that are proved without them; what is no program is no fault, and another stands for it.

        As long as it is not known which these are, all are taken to count: then those that are planned are asked.
        """
        while True:
            self.illegal = 0
            planned = plan(pairs, count, seed, self._may_count)
            of_pairs = [OfPair(pair) for pair in dict.fromkeys(planted.pair for planted in planned)]
            if not self._missing(of_pairs) and not self._missing([OfFault(planted) for planted in planned]):
                return [self._known[planted.id] for planted in planned]
            self._complete(of_pairs)
            self._complete([OfFault(planted) for planted in planned if self._is_proved(planted.pair)])

    def proved(self, pairs: Sequence[Pair]) -> list[Pair]:
        self._complete([OfPair(pair) for pair in pairs])
        return [pair for pair in pairs if self._is_proved(pair)]

    def runs(self, pairs: Sequence[Pair], runs: int) -> list[Record]:
        tasks = [OfRuns(pair, runs) for pair in pairs]
        self._complete(tasks)
        return [self._known[task.name] for task in tasks]

    def _is_proved(self, pair: Pair) -> bool:
        return self._known[OfPair(pair).name]["answer"] == Answer.EQUIVALENT.value

    def _may_count(self, planted: Planted) -> bool:
        """Whether nothing is known yet that speaks against the fault."""
        if not self._missing([OfPair(planted.pair)]) and not self._is_proved(planted.pair):
            return False
        illegal = not self._missing([OfFault(planted)]) and self._known[planted.id]["answer"] == Answer.ILLEGAL.value
        self.illegal += illegal
        return not illegal

    def _complete(self, tasks: Sequence[Task]) -> None:
        """Asks what is missing."""
        with closing(self._ask(self._missing(tasks))) as answers:
            for task, record in answers:
                self._know(task, self._store.add(task.name, record))
                self._progress.tell()

    def _missing(self, tasks: Sequence[Task]) -> list[Task]:
        """Those that have no answer, now or before."""
        for task in tasks:
            found = self._store.get(task.name) if task.name not in self._known else None
            again = isinstance(task, OfFault) and found is not None and found["answer"] in self._again
            if found is not None and not again:
                self._know(task, found)
        return [task for task in tasks if task.name not in self._known]

    def _know(self, task: Task, record: Record) -> None:
        self._known[task.name] = record
        self._progress.take(record)
