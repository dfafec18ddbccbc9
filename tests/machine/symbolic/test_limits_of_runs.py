"""A limit ends the symbolic run whose limit it is; any other one ends what the run is a part of, too."""

import pytest

from tests.support.rows import rows
from visaproof.isa.errors import LimitReached
from visaproof.isa.platform import Platform
from visaproof.machine.symbolic import walk
from visaproof.machine.symbolic.run import trace
from visaproof.smt.limit import NO_LIMIT, Limit


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The statements at which a walk arrives; at the third one a limit is reached."""
    found: list[int] = []
    known = walk.Walk._step

    def counted(self: walk.Walk, *given: object) -> object:
        found.append(self._place)
        if len(found) == 3:
            raise LimitReached(1)
        return known(self, *given)  # pyright: ignore[reportCallIssue, reportArgumentType]

    monkeypatch.setattr(walk.Walk, "_step", counted)
    return found


def test_the_own_limit_keeps_what_was_run(steps: list[int]) -> None:
    ran = trace(rows(), Platform.TGLLP, limit=Limit(1000))
    assert isinstance(ran.stopped, LimitReached)
    assert len(steps) == 3


def test_a_limit_from_outside_ends_more_than_the_run(steps: list[int]) -> None:
    with pytest.raises(LimitReached):
        trace(rows(), Platform.TGLLP, limit=NO_LIMIT)
    assert len(steps) == 3
