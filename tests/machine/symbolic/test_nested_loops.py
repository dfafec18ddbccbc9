"""The work for loops in loops grows with their depth, not with the product of their iterations."""

from itertools import pairwise

import pytest

from benchmarks.growth import nested
from visaproof.isa.platform import Platform
from visaproof.machine.symbolic.machine import Machine
from visaproof.machine.symbolic.run import DEFAULT_UNROLL, trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.statements import Run
from visaproof.visaasm.reader import read_kernel


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """The statements that were run, one after another."""
    found: list[Run] = []
    step = Machine.step

    def counted(machine: Machine, statement: Run) -> None:
        found.append(statement)
        step(machine, statement)

    monkeypatch.setattr(Machine, "step", counted)
    return found


def ran(depth: int) -> Trace:
    found = trace(read_kernel(nested(depth), "k.visaasm"), Platform.TGLLP)
    assert found.stopped is None
    assert found.bounded == ()
    return found


@pytest.mark.slow
def test_each_loop_around_adds_as_many_messages() -> None:
    first, *others = (len(ran(depth).performed) for depth in range(1, 7))
    assert others == [first + step * (others[0] - first) for step in range(1, 6)]


@pytest.mark.slow
def test_the_statements_that_are_run_grow_with_the_square_of_the_depth_at_most(steps: list[Run]) -> None:
    counts: list[int] = []
    for depth in (2, 4, 8):
        steps.clear()
        ran(depth)
        counts.append(len(steps))
    assert counts[1] <= 4 * counts[0]
    assert counts[2] <= 4 * counts[1]


def test_where_no_iteration_stands_for_others_each_loop_around_at_most_doubles_the_messages() -> None:
    """Five times as many would be all iterations that are unrolled, in all of those around them."""
    counts: list[int] = []
    for depth in range(1, 6):
        found = trace(read_kernel(nested(depth), "k.visaasm"), Platform.TGLLP, generalise=False)
        assert found.stopped is None
        assert found.bounded
        counts.append(len(found.performed))
    assert counts[0] == 1 + DEFAULT_UNROLL
    assert all(later <= 2 * before + DEFAULT_UNROLL for before, later in pairwise(counts))
