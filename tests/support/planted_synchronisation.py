"""Faults in what a target does to other threads, for the nets that catch them: whether the fault is noticed."""

from typing import Any

import pytest

from tests.refinement.effects.test_synchronisation import asked
from visaproof.refinement.effects import synchronisation
from visaproof.refinement.effects.side import Side
from visaproof.refinement.verdicts import Refines


def _notices(source: str, target: str) -> bool:
    return not isinstance(asked(source, target), Refines)


def a_barrier_that_is_dropped(_: pytest.MonkeyPatch) -> bool:
    return _notices("st bar ld out", "st ld out")


def a_fence_that_reaches_less(_: pytest.MonkeyPatch) -> bool:
    return _notices("put ugm.none.gpu get out", "put ugm.none.tile get out")


def a_fence_that_is_dropped(_: pytest.MonkeyPatch) -> bool:
    return _notices("put ugm.none.gpu get out", "put get out")


def a_fence_that_some_runs_miss(_: pytest.MonkeyPatch) -> bool:
    return _notices("put ugm.none.gpu get out", "put if ugm.none.gpu fi get out")


def a_load_before_its_fence(_: pytest.MonkeyPatch) -> bool:
    return _notices("put ugm.none.gpu get out", "put get ugm.none.gpu out")


def a_load_that_is_cached(_: pytest.MonkeyPatch) -> bool:
    return _notices("uget out", "cget out")


def nothing_in_order(side: Side, **_: Any) -> Any:
    """A kernel without barriers and fences."""
    return synchronisation._Course(side, [], [], [])
