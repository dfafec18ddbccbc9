"""Scatters by quotients of ids, in groups of any size: two lanes run items that are less than a message apart."""

import pytest

from tests.support.rows import PLUS_X, STORE, asked
from visaproof.analysis.conflicts.any_items import items_apart
from visaproof.analysis.conflicts.any_items.items_apart import Apart, NotShown
from visaproof.analysis.conflicts.verdicts import Conflict

HALVES = """    mov (M1, 8) A(0,0)<1> Y(0,0)<1;1,0>
    and (M1, 8) D(0,0)<1> A(0,0)<1;1,0> 0x1:ud
    shr (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x1:ud
    mul (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x{half:x}:ud
    mul (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x600:ud
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>
"""


def proof(half: int) -> Apart | NotShown:
    answers = asked(HALVES.format(half=half) + PLUS_X + STORE)
    return answers.items.proof(answers.positions[0], 1)


def test_halves_of_rows_are_apart_in_groups_of_any_size() -> None:
    assert isinstance(proof(96), Apart)


def test_it_is_that_the_items_are_near_which_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items_apart, "apart_by_differences", lambda *_: False)
    assert isinstance(proof(96), Apart)
    monkeypatch.setattr(items_apart, "in_one_message", lambda *_: None)
    assert isinstance(proof(96), NotShown)


@pytest.mark.parametrize("half", [0, 1, 4])
def test_halves_closer_than_a_message_are_not(half: int) -> None:
    assert isinstance(proof(half), NotShown)
    (finding,) = asked(HALVES.format(half=half) + PLUS_X + STORE).answers()
    assert isinstance(finding.answer, Conflict)


@pytest.mark.parametrize("pitch", ["0x800:uw", "N(0,0)<0;1,0>"])
def test_lanes_that_are_off_run_no_items(pitch: str) -> None:
    """With NoMask they store, too, and after the last item of a group they have the ids of the first."""
    rows = f"    mul (M1, 8) A(0,0)<1> Y(0,0)<1;1,0> {pitch}\n" + PLUS_X + STORE
    answers, without_mask = asked(rows), asked(rows.replace("(M1, 8)", "(M1_NM, 8)"))
    (position,) = answers.positions
    assert answers.items.questions(position)
    assert answers.items.digits(position, 1)
    assert not without_mask.items.questions(position)
    assert without_mask.items.proof(position, 1) == NotShown()
    (finding,) = without_mask.answers()
    assert isinstance(finding.answer, Conflict)
    assert finding.missing is None
