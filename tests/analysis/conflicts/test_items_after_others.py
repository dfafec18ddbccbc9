"""That work items only collide where an earlier scatter of theirs does, asked of any work items at once."""

import pytest

from tests.support.rows import PITCH, PLUS_X, asked
from visaproof.analysis.conflicts import after_others
from visaproof.analysis.conflicts.any_items.items_after_others import excluded_among_items
from visaproof.analysis.conflicts.any_items.items_apart import ItemsApart
from visaproof.analysis.conflicts.verdicts import Conflict, Free
from visaproof.smt import Bool

STORE = "    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0\n"
FURTHER = "    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x40:ud\n"
SOME = "    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> 0x4:uw\n    (P1) scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0\n"
FIRST_LANES = (
    "    mov (M1, 8) D(0,0)<1> 0x76543210:uv\n    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> 0x4:ud\n"
    "    (P1) scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0\n"
)
ROWS = PITCH + PLUS_X + "    shl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud\n"
RET = "    ret (M1, 1)\n"


def excluded(body: str, place: int, *others: int) -> bool:
    rows = asked(ROWS + body + RET)
    at = rows.positions
    return bool(excluded_among_items(rows.items, at[place], 0, 1, [at[one] for one in others]))


@pytest.mark.parametrize("again", [STORE, SOME])
def test_the_same_place_again_is_excluded(again: str) -> None:
    assert excluded(STORE + again, 1, 0)


@pytest.mark.parametrize("body", [STORE + FURTHER + STORE, SOME + STORE, FIRST_LANES + STORE])
def test_lanes_that_may_collide_without_the_earlier_ones_are_not(body: str) -> None:
    """Outside of the surface the first store does nothing; or fewer lanes store, work items or whichever run there."""
    assert not excluded(body, 1, 0)


def test_a_later_scatter_excludes_nothing() -> None:
    assert not excluded(STORE + STORE, 0, 1)


def test_a_scatter_that_is_not_named_excludes_nothing() -> None:
    assert not excluded(STORE + STORE, 1)


def test_where_there_are_more_iterations_none_is_taken_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over any items a loop may begin with an iteration that no launch comes to."""
    rows = asked(ROWS + STORE + STORE + RET)
    position, questions = rows.positions[1], ItemsApart.questions
    assert rows.items.iteration(position, 0, 1) is not None
    monkeypatch.setattr(ItemsApart, "questions", lambda own, at: 2 * (questions(own, at) or []))
    assert rows.items.iteration(position, 0, 1) is None
    assert not excluded_among_items(rows.items, position, 0, 1, rows.positions[:1])


def test_what_the_layout_of_ids_leaves_to_others_is_not_asked_of_all_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    simply = after_others._excluded  # pyright: ignore[reportPrivateUsage]

    def first_pair(formula: Bool, most_ms: int) -> str:
        assert most_ms == after_others.EXCLUDED_MS[0]
        return simply(formula, most_ms)

    monkeypatch.setattr(after_others, "_excluded", first_pair)
    first, second = (one.answer for one in asked(ROWS + STORE + STORE + RET).answers())
    assert isinstance(first, Conflict)
    assert isinstance(second, Free)
