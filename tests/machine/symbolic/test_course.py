"""The order of the marks of a run, also where nothing stands between them."""

from random import Random
from types import SimpleNamespace
from typing import cast

import pytest

from visaproof.decode.synchronisation import Moment
from visaproof.isa.errors import Position
from visaproof.machine.symbolic.course import MarkKind, course
from visaproof.machine.symbolic.loops.iteration import LoopIteration
from visaproof.machine.symbolic.trace import Trace

HERE = Position("k.visaasm", 1, 1)


class Run:
    """A run of nested loops at random, with what it comes to in order."""

    def __init__(self, random: Random, between: float) -> None:
        self._random, self._between = random, between
        """How often a message or an event stands at a place."""
        self.messages = 0
        self.events: list[SimpleNamespace] = []
        self.loops: list[LoopIteration] = []
        self.came: list[tuple[MarkKind, object]] = []

    @property
    def now(self) -> Moment:
        return Moment(self.messages, len(self.events))

    def step(self) -> None:
        if self._random.random() < self._between:
            self.messages += 1
        if self._random.random() < self._between:
            self.came.append((MarkKind.EVENT, len(self.events)))
            self.events.append(SimpleNamespace(before=self.messages))

    def nest(self, depth: int) -> None:
        for _ in range(self._random.randint(0 if depth else 1, 3) if depth < 3 else 0):
            self.step()
            begins, before, own = self.now, len(self.loops), object()
            self.came.append((MarkKind.ROUND, own))
            self.step()
            self.nest(depth + 1)
            self.step()
            place = len(self.loops)
            self.came = [(kind, place if one is own else one) for kind, one in self.came]
            self.came.append((MarkKind.BEHIND, place))
            self.loops.append(LoopIteration(HERE, begins, self.now, (), (), (), before))
        self.step()


@pytest.mark.parametrize("between", [0.0, 0.2, 0.5, 1.0])
def test_marks_stand_in_the_order_of_the_run(between: float) -> None:
    for seed in range(50):
        run = Run(Random(seed), between)
        run.nest(0)
        found = course(cast(Trace, SimpleNamespace(loops=tuple(run.loops), events=tuple(run.events))))
        at_events = [mark for mark in found if mark.kind is MarkKind.EVENT]
        assert [mark.which for mark in at_events] == list(range(len(run.events)))
        marks = [(mark.kind, mark.which) for mark in found if mark.kind is not MarkKind.EVENT]
        assert marks == [one for one in run.came if one[0] is not MarkKind.EVENT]
        assert [(mark.events, mark.before) for mark in found] == sorted((mark.events, mark.before) for mark in found)
