"""A run that the limit ends is begun anew only where there is more time for it."""

from time import process_time

import pytest

from tests.support.rows import rows
from visaproof.analysis.conflicts.whole_run import WholeRun
from visaproof.isa.errors import LimitReached
from visaproof.isa.platform import Platform
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.lower import lowered
from visaproof.program.places_alone import places_alone
from visaproof.smt.limit import Limit

TAKES_S = 0.2


def slow() -> Trace:
    """A run that takes a while."""
    end = process_time() + TAKES_S
    while process_time() < end:
        pass
    return trace(rows(), Platform.TGLLP)


def whole() -> WholeRun:
    return WholeRun(slow, places_alone(lowered(rows(), Platform.TGLLP), None))


def in_vain(seconds: float) -> WholeRun:
    found = whole()
    with pytest.raises(LimitReached), Limit(seconds).within():
        found.trace()
    return found


def test_the_first_run_is_not_too_long() -> None:
    found = whole()
    with Limit(5).within():
        assert not found.is_too_long


def test_as_long_as_one_that_did_not_end_is_too_long() -> None:
    found = in_vain(0.1)
    with Limit(0.15).within():
        assert found.is_too_long


def test_where_there_is_much_more_time_or_no_limit_it_is_begun_anew() -> None:
    found = in_vain(0.1)
    assert not found.is_too_long
    with Limit(5).within():
        assert not found.is_too_long
        assert found.trace().stopped is None


def test_one_that_has_ended_is_kept() -> None:
    found = whole()
    ran = found.trace()
    with Limit(5).within():
        assert not found.is_too_long
        assert found.trace() is ran
