"""Where a run does not end with the arguments of a model, others are tried of which the model says the same."""

from typing import cast

import pytest

from tests.support.rows import asked
from visaproof.analysis.conflicts import other_arguments
from visaproof.analysis.conflicts.launches.usual_launches import usual_launches
from visaproof.analysis.conflicts.other_arguments import with_other_arguments
from visaproof.analysis.conflicts.thread_states import Values
from visaproof.analysis.conflicts.verdicts import Conflict, Undecided
from visaproof.isa.errors import NotModelled, TooLong
from visaproof.smt import BitVec, Bool, const, eq, ult

HALVES = """    mov (M1_NM, 1) D(0,0)<1> N(0,0)<0;1,0>
again:
    shr (M1_NM, 1) D(0,0)<1> D(0,0)<0;1,0> 0x1:ud
    cmp.eq (M1_NM, 8) P1 D(0,0)<0;1,0> N(0,0)<0;1,0>
    (P1) goto (M1, 8) again
    and (M1, 8) A(0,0)<1> Y(0,0)<1;1,0> 0x1:ud
    shl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud
    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0
    ret (M1, 1)
"""
"""A loop that never ends if n is 0, before lanes write where others do."""
(N,) = cast(tuple[BitVec, ...], asked(HALVES).asked.arguments)


def test_lanes_collide_behind_a_loop_that_zeros_never_leave() -> None:
    (found,) = asked(HALVES).answers()
    assert isinstance(found.answer, Conflict)
    assert found.answer.first.lane != found.answer.second.lane


def test_that_is_not_shown_without_other_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_arguments, "OTHERS", ())
    (found,) = asked(HALVES).answers()
    assert isinstance(found.answer, Undecided)


def shown(ends: int, *conditions: Bool, relations: tuple[str, ...] = ()) -> int:
    """The argument of the run that ended: all others are endless."""
    rows = asked(HALVES, *relations)

    def show(values: Values) -> int:
        if values[N] != ends:
            raise TooLong("endless")
        return values[N]

    found = with_other_arguments(show, rows.asked, {**next(usual_launches(rows.asked)), N: 0}, conditions)
    assert found is not None
    return found


def test_the_others_fulfil_the_conditions() -> None:
    assert shown(1) == 1
    assert shown(64, ult(const(5, 32), N)) == 64
    with pytest.raises(TooLong):
        shown(1, eq(N, const(0, 32)))


def test_the_others_are_of_a_launch_that_is_asked_about() -> None:
    assert shown(64, relations=("n != 1",)) == 64
    with pytest.raises(TooLong):
        shown(1, relations=("n != 1",))


def test_what_has_no_semantics_is_not_tried_again() -> None:
    rows, tried = asked(HALVES), list[Values]()

    def show(values: Values) -> None:
        tried.append(values)
        raise NotModelled("what no page states")

    with pytest.raises(NotModelled):
        with_other_arguments(show, rows.asked, {}, ())
    assert len(tried) == 1
