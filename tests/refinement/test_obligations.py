"""The theorem of refinement: each obligation is a goal of its own, and a wrong target leaves that goal open."""

import pytest

from tests.refinement.test_refinement import APART, STORE_B, program
from visaproof.launch.assumptions import Assume
from visaproof.refinement.comparison import compare
from visaproof.refinement.obligations import Obligation, open_goals
from visaproof.refinement.scope import Scope
from visaproof.smt import is_true

SOURCE = APART + STORE_B
ADD = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d\n"
MISALIGNED = "add (M1, 8) B(0,0)<1> B(0,0)<1;1,0> 0x1:ud\n"


def open_obligations(target: str, observe: tuple[tuple[str, str], ...] = ()) -> list[Obligation]:
    question = compare(program(SOURCE), program(target), Scope(Assume.NONE, observe=observe)).question
    return [one.obligation for one in open_goals(question) if not is_true(one.holds)]


def test_equal_programs_leave_nothing_open() -> None:
    assert open_obligations(SOURCE) == []


@pytest.mark.parametrize(
    ("target", "observe", "found"),
    [
        (APART + ADD + STORE_B, (), [Obligation.STORES]),
        (APART + MISALIGNED + STORE_B, (), [Obligation.UNDEFINED, Obligation.STORES]),
        (APART + STORE_B + ADD, (("X", "X"),), [Obligation.REGISTERS]),
    ],
)
def test_a_wrong_target_leaves_its_obligation_open(
    target: str, observe: tuple[tuple[str, str], ...], found: list[Obligation]
) -> None:
    assert open_obligations(target, observe) == found
