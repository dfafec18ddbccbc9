"""Lanes that collide behind a branch on data, in the launch of a conflict where the branch goes the other way."""

import pytest

from tests.analysis.conflicts.test_repairs import AND_GREATER, COMPARE, HEAD
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.launches import other_data
from visaproof.analysis.conflicts.launches.other_data import with_other_data
from visaproof.analysis.conflicts.thread_states import Values, state_of
from visaproof.analysis.conflicts.verdicts import Conflict
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.machine.concrete.run import run
from visaproof.semantics.symbolic.names import lane_on
from visaproof.smt import Bool, conj
from visaproof.smt.answers import Answer, Undecided
from visaproof.smt.evaluate import all_hold
from visaproof.visaasm.reader import read_kernel

ONE_PLACE = "    mov (M1, 8) I(0,0)<1> 0x0:ud\n"
EITHER = """    (!P1) scatter4_scaled.R (M1, 8) T8 0x0:ud I.0 A.0
    (P1) scatter4_scaled.R (M1, 8) T8 0x0:ud I.0 A.0
    ret (M1, 1)
"""
AGAIN = "    gather4_scaled.R (M1, 8) T{} 0x0:ud A.0 Y.0\n"
LAUNCH: Values = {lane_on(lane): 1 for lane in range(8)}
"""All else is 0 in it, also what is loaded."""


def asked(body: str) -> KernelAnswers:
    code = read_kernel(HEAD + body + ONE_PLACE + EITHER, "chosen.visaasm")
    return ask_kernel(code, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, 10_000)


def found_for_the_second(rows: KernelAnswers) -> list[tuple[int, Values]]:
    return list(with_other_data(rows.questions[1], rows.asked, LAUNCH))


def test_a_run_on_the_data_that_are_found_goes_through_the_other_branch() -> None:
    rows = asked(COMPARE.format("lt"))
    question = rows.questions[1]
    ((index, values),) = found_for_the_second(rows)
    assert all_hold((*question.premises, question.pairs[index].meet), values)
    past = run(rows.kernel, state_of(rows.asked, question.performed, values), past_collisions=True)
    assert question.instruction.position in {past.performed[at].instruction.position for at in past.collided}


def test_both_branches_are_shown() -> None:
    first, second = asked(COMPARE.format("lt")).answers()
    assert isinstance(first.answer, Conflict)
    assert isinstance(second.answer, Conflict)


def test_no_data_make_one_float_less_and_greater_than_another() -> None:
    """The comparisons are two unknowns in the run."""
    assert found_for_the_second(asked(COMPARE.format("lt")))
    assert not found_for_the_second(asked(COMPARE.format("lt") + AND_GREATER))


@pytest.mark.parametrize(("surface", "found"), [(6, False), (7, True)])
def test_loads_from_one_place_bring_one_word(surface: int, found: bool) -> None:
    """X was loaded from the first surface."""
    assert bool(found_for_the_second(asked(AGAIN.format(surface) + COMPARE.format("lt")))) == found


def test_no_solver_is_asked_where_nothing_depends_on_data(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[Bool]()

    def noted(formulas: list[Bool], timeout_ms: int) -> Answer:
        seen.append(conj(*formulas))
        return Undecided(str(timeout_ms))

    monkeypatch.setattr(other_data, "solve", noted)
    of_lanes = "    cmp.lt (M1, 8) P1 A(0,0)<1;1,0> 0x10:ud\n"
    assert not found_for_the_second(asked(of_lanes))
    assert not seen
    assert not found_for_the_second(asked(COMPARE.format("lt")))
    assert len(seen) == 1


def test_long_runs_are_not_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_data, "MOST_VALUES", 16)
    assert not found_for_the_second(asked(COMPARE.format("lt")))
