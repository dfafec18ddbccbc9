"""Loops of a fixed length that take many statements: one iteration stands for those that are left."""

import pytest

from tests.analysis.conflicts.test_loop_conflicts import BACK, COUNT, HEADER, SCATTER
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.verdicts import Conflict, Free
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.machine.symbolic import walk
from visaproof.machine.symbolic.run import trace
from visaproof.visaasm.reader import read_kernel

ITERATIONS = 100
A_HUNDRED_TIMES = BACK.replace("S(0,0)<1;1,0>", f"{ITERATIONS:#x}:ud")

APART = "    mad (M1, 8) X(0,0)<1> N(0,0)<0;1,0> 0x8:uw L(0,0)<1;1,0>\n"
"""256 bytes apart in each iteration."""

LATE = """    shr (M1_NM, 1) S(0,0)<1> N(0,0)<0;1,0> 0x3:ud
    shr (M1, 8) X(0,0)<1> L(0,0)<1;1,0> S(0,0)<0;1,0>
"""
"""Apart as long as 256 bytes are shifted by no more than six bits: from iteration 56 on they are not."""


@pytest.fixture(autouse=True)
def _few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many statements as a few iterations take, and fewer than all of them take."""
    monkeypatch.setattr(walk, "FIXED_STEPS", 40)
    monkeypatch.setattr(walk, "MAX_STEPS", 300)


def kernel(addresses: str, back: str = A_HUNDRED_TIMES) -> str:
    return f"{HEADER}{COUNT}{addresses}{SCATTER}{back}    ret (M1, 1)\n"


def answers(text: str) -> list[Free | Conflict | object]:
    asked = ask_kernel(read_kernel(text, "k.visaasm"), Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, 10_000)
    assert asked.stopped is None
    assert not asked.bounded
    return [finding.answer for finding in asked.answers()]


def test_addresses_that_are_apart_in_any_iteration_are_free() -> None:
    (found,) = answers(kernel(APART))
    assert isinstance(found, Free)


def test_lanes_that_meet_in_a_late_iteration_are_not_free() -> None:
    """None of the iterations that are run one by one shows it."""
    (found,) = answers(kernel(LATE))
    assert isinstance(found, Conflict)


def test_a_short_loop_runs_to_its_end() -> None:
    ran = trace(read_kernel(kernel(LATE, BACK.replace("S(0,0)<1;1,0>", "0x7:ud")), "k.visaasm"), Platform.TGLLP)
    assert len(ran.performed) == 7
    assert not any(one.any_round for one in ran.performed)


def test_a_loop_of_which_no_iteration_stands_for_others_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MAX_STEPS", 10 * ITERATIONS)
    monkeypatch.setattr(walk.Walk, "_generalised", lambda *given, **named: False)
    ran = trace(read_kernel(kernel(APART), "k.visaasm"), Platform.TGLLP)
    assert ran.stopped is None
    assert not ran.bounded
    assert len(ran.performed) == ITERATIONS


def test_kernels_that_are_compared_run_all_of_the_iterations() -> None:
    ran = trace(read_kernel(kernel(APART), "k.visaasm"), Platform.TGLLP, compared_as="source")
    assert "loops that take more" in str(ran.stopped)


INSIDE = """    cmp.lt (M1, 8) P1 L(0,0)<1;1,0> 0x300:ud
    (P1) goto (M1, 8) on
on:
"""


@pytest.mark.parametrize("branch", ["", INSIDE])
def test_a_loop_that_nothing_leaves_is_not_said_to_end(branch: str) -> None:
    ran = trace(read_kernel(kernel(APART + branch, "    goto (M1, 8) again\n"), "k.visaasm"), Platform.TGLLP)
    assert "loops that take more" in str(ran.stopped)


def test_a_loop_that_is_left_in_its_midst_ends() -> None:
    """Its own branch has no condition."""
    leave = A_HUNDRED_TIMES.replace("cmp.lt", "cmp.ge").replace("again", "behind") + "    goto (M1, 8) again\nbehind:\n"
    (found,) = answers(kernel(APART, leave))
    assert isinstance(found, Free)
