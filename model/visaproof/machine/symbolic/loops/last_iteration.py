"""What the last iteration of a loop that was unrolled wrote: a guess at what all later ones write.

The iteration that stands for these proves or disproves it, so it may be wrong.  Else that one would be run at least
twice, at first to see what it writes.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from visaproof.machine.symbolic.loops.iteration import (
    QWORD,
    LoopWrites,
    guard_of,
    keep_changes,
    shifts,
    words_of,
    writes_of,
)
from visaproof.machine.symbolic.loops.lane_marks import EVERY_LANE, LaneMarks
from visaproof.machine.symbolic.thread import Thread
from visaproof.program.def_use import definitions, uses
from visaproof.program.statements import Landing, Statement
from visaproof.semantics.symbolic.guarded import Writes, Written
from visaproof.semantics.symbolic.literals import Literals, literals_of
from visaproof.smt import BitVec, Bool, is_false
from visaproof.smt.halves.sums import recombined


class _Begun(Struct, frozen=True):
    """An iteration at its beginning; of the logs of writes, which go on, how long they are."""

    running: tuple[Bool, ...]
    facts: Literals
    before: Writes
    logs: tuple[list[Written], list[Written]]
    lengths: tuple[int, int]


class LastIterations:
    """Of each loop, by the place behind it."""

    def __init__(self, thread: Thread, wide: frozenset[str], *, looks: bool) -> None:
        """Nothing is ever known where it does not `look`."""
        self._thread, self._wide, self._looks = thread, wide, looks
        self._begun: dict[int, _Begun] = {}

    def begin(self, place: int) -> None:
        """The next iteration begins."""
        if self._looks:
            registers, lanes, logs = self._thread.registers, self._thread.lanes, self._logs()
            lengths = len(logs[0]), len(logs[1])
            self._begun[place] = _Begun(lanes.running, lanes.facts, registers.contents(), logs, lengths)

    def writes(self, place: int, head: int) -> LoopWrites:
        """What the iteration wrote that ends now, and what it shifted; nothing where that is not known."""
        begun, logs = self._begun.pop(place, None), self._logs()
        if begun is None or any(now is not then for now, then in zip(logs, begun.logs, strict=True)):
            return LoopWrites(wide=self._wide)
        marks = _own_literals(begun.running)
        if marks is None:
            return LoopWrites(wide=self._wide)
        registers, (first, second) = self._thread.registers, begun.lengths
        found = writes_of(marks, logs[0][first:], logs[1][second:])
        found.wide = self._wide
        keep_changes(found, begun.facts, registers, begun.before)
        held = self._held(begun, found, _read_first(self._thread.program.statements[head:place]))
        found.shifts = shifts(held, self._thread.lanes.running, self._thread.lanes.facts, registers)
        return found

    def _logs(self) -> tuple[list[Written], list[Written]]:
        return self._thread.registers.log, self._thread.predicates.log

    def _held(
        self, begun: _Begun, found: LoopWrites, variables: Collection[str]
    ) -> Mapping[tuple[str, int, int], BitVec]:
        """What was held at the beginning by what single lanes write of these variables, and by quadwords of none."""
        held: dict[tuple[str, int, int], BitVec] = {}
        for variable, start, size, lane in words_of(found):
            if variable in variables and (lane != EVERY_LANE or size == QWORD):
                guard = begun.facts if lane == EVERY_LANE else guard_of(lane, begun.running, begun.facts)
                left = self._thread.registers.read_then((variable, start, size), guard, begun.before)
                held[variable, start, lane] = recombined(left) if size == QWORD else left
        return held


def _read_first(statements: Iterable[Statement]) -> set[str]:
    """The variables that are read before they are written, as the statements stand: what is left out is rarely shifted,
    but written anew in each iteration."""
    read, written = set[str](), set[str]()
    for one in statements:
        if not isinstance(one, Landing):
            read |= uses(one) - written
            written |= definitions(one)
    return read


def _own_literals(running: tuple[Bool, ...]) -> LaneMarks | None:
    """What is asked of each lane alone for it to run; None where nothing is of some lane that may."""
    guards = {lane: literals_of(guard) for lane, guard in enumerate(running) if not is_false(guard)}
    common = Counter(literal for guard in guards.values() for literal in guard)
    own = {lane: frozenset(one for one in guard if common[one] == 1) for lane, guard in guards.items()}
    return LaneMarks(own) if all(own.values()) else None
