"""Asks each question once, in this run or an earlier one, and says how far it is."""

import sys
from collections.abc import Callable, Sequence
from time import monotonic

from benchmarks.faults.ask import Answer, ask_fault, ask_pair, ask_runs
from benchmarks.faults.plan import Pair, Planted
from benchmarks.faults.store import Record, Store
from benchmarks.faults.table import OPEN

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

    def __init__(self, store: Store, timeout_ms: int, again: Sequence[str], progress: Progress) -> None:
        self._store, self._timeout_ms, self._again, self._progress = store, timeout_ms, again, progress
        self._known: dict[str, Record] = {}
        self.illegal = 0
        """Faults that are no programs."""

    def is_proved(self, pair: Pair) -> bool:
        record = self._record(f"pair: {pair.id}", lambda: ask_pair(pair, self._timeout_ms), ())
        return record["answer"] == Answer.EQUIVALENT.value

    def is_fault(self, planted: Planted) -> bool:
        """Whether a fault is in a pair that is proved without it, and leaves a program."""
        if not self.is_proved(planted.pair):
            return False
        legal = self.fault(planted)["answer"] != Answer.ILLEGAL.value
        self.illegal += not legal
        return legal

    def fault(self, planted: Planted) -> Record:
        return self._record(planted.id, lambda: ask_fault(planted, self._timeout_ms), self._again)

    def runs(self, pair: Pair, runs: int) -> Record:
        return self._record(f"runs {runs}: {pair.id}", lambda: ask_runs(pair, runs), ())

    def _record(self, name: str, ask: Callable[[], Record], again: Sequence[str]) -> Record:
        if name not in self._known:
            found = self._store.get(name)
            asked = found is None or found["answer"] in again
            self._known[name] = self._store.add(name, ask()) if found is None or asked else found
            self._progress.take(self._known[name])
            if asked:
                self._progress.tell()
        return self._known[name]
