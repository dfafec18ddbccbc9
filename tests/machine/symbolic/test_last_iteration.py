"""The guess at what iterations write spares iterations, and decides nothing: a wrong one is found out."""

from collections.abc import Callable

import pytest

from tests.analysis.conflicts.test_loop_conflicts import BACK, CONFLICT, COUNT, FREE, HEADER, SCATTER, answers
from visaproof.analysis.conflicts.verdicts import Free
from visaproof.isa.platform import Platform
from visaproof.machine.symbolic.loops.iteration import LoopWrites
from visaproof.machine.symbolic.loops.last_iteration import LastIterations
from visaproof.machine.symbolic.machine import Machine
from visaproof.machine.symbolic.run import trace
from visaproof.program.statements import Run
from visaproof.visaasm.reader import read_kernel

COUNTED = f"{COUNT}    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x800:ud\n{SCATTER}{BACK}"
"""A loop of five statements, whose lanes all go on by one step."""
LATER = f"{COUNT}    cmp.gt (M1, 8) P2 N(0,0)<0;1,0> 0x5:ud\n    (P2) mov (M1, 8) X(0,0)<1> 0x0:ud\n{SCATTER}{BACK}"
"""No iteration that is unrolled writes what later ones do."""
OTHER_STEPS = f"{COUNT}    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n{SCATTER}    cmp.gt (M1, 8) P2 \
N(0,0)<0;1,0> 0x5:ud\n    (P2) mov (M1, 8) Y(0,0)<1> S(0,0)<1;1,0>\n{BACK}"
BY_ONE_STEP = "    mov (M1_NM, 8) Y(0,0)<1> 0x800:ud\n" + OTHER_STEPS
"""Lanes go by one step, in each iteration that is unrolled: in later ones by any."""


def nothing(*_: object) -> LoopWrites:
    return LoopWrites()


def all_shifted(*_: object) -> LoopWrites:
    """That each element of X and Y is written by its lane, and shifted, and no predicate."""
    writes = {(name, byte): {byte // 4} for name in "XY" for byte in range(32)}
    return LoopWrites(registers=writes, shifts={"X", "Y"})


def of_another_lane(*_: object) -> LoopWrites:
    return LoopWrites(registers={(name, byte): {7 - byte // 4} for name in "XY" for byte in range(32)})


GUESSES = (LastIterations.writes, nothing, all_shifted, of_another_lane)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The opcodes of the statements that were run, one after another."""
    found: list[str] = []
    step = Machine.step

    def counted(machine: Machine, statement: Run) -> None:
        found.append(statement.origin.opcode)
        step(machine, statement)

    monkeypatch.setattr(Machine, "step", counted)
    return found


def times(body: str, steps: list[str]) -> int:
    """How often an iteration is run, two of which are unrolled."""
    steps.clear()
    found = trace(read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm"), Platform.TGLLP, unroll=1)
    assert found.bounded == ()
    return sum("scatter" in opcode for opcode in steps)


def test_one_iteration_behind_those_that_are_unrolled_is_enough_where_the_guess_is_right(
    steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert times(COUNTED, steps) == 2 + 1
    monkeypatch.setattr(LastIterations, "writes", nothing)
    assert times(COUNTED, steps) == 2 + 3  # what is written, what is shifted, and whether it is


def test_where_it_is_wrong_there_are_more(steps: list[str]) -> None:
    assert times(LATER, steps) > 2 + 1
    assert times(BY_ONE_STEP, steps) > 2 + 1


def is_free(body: str, guess: Callable[..., LoopWrites], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether all scatters are, for all iterations."""
    monkeypatch.setattr(LastIterations, "writes", guess)
    return all(isinstance(answer, Free) and not answer.bounded for answer in answers(body, 1))


@pytest.mark.parametrize("guess", GUESSES)
@pytest.mark.parametrize("body", [LATER, BY_ONE_STEP])
def test_no_guess_frees_what_later_iterations_break(
    body: str, guess: Callable[..., LoopWrites], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_free(body, guess, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("guess", GUESSES)
@pytest.mark.parametrize("case", CONFLICT)
def test_no_guess_frees_lanes_that_meet(
    case: str, guess: Callable[..., LoopWrites], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_free(CONFLICT[case], guess, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("guess", [LastIterations.writes, nothing])
@pytest.mark.parametrize("case", FREE)
def test_with_the_guess_as_much_is_proved_as_without_one(
    case: str, guess: Callable[..., LoopWrites], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_free(FREE[case], guess, monkeypatch)
