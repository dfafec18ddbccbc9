"""Rows of which a message may have two: the groups that are found, and that there are none, against all groups."""

from collections.abc import Iterator

import pytest

from tests.support.rows import PLUS_X, STORE, asked
from visaproof.analysis.conflicts.any_items import colliding_groups as module
from visaproof.analysis.conflicts.any_items.colliding_groups import colliding_groups
from visaproof.analysis.conflicts.results import Never
from visaproof.launch.ids.local_ids import MOST_GROUP_ITEMS
from visaproof.smt import Term

LANES = 8


def found(pitch: int) -> Never | Iterator[dict[Term, int]]:
    answers = asked(f"    mul (M1, 8) A(0,0)<1> Y(0,0)<1;1,0> {pitch:#x}:uw\n" + PLUS_X + STORE)
    questions = answers.items.questions(answers.positions[0])
    assert questions is not None
    return colliding_groups(answers.items, questions[0])


def collide(pitch: int, row: int, first: int) -> bool:
    places = [item // row * pitch + item % row for item in range(first, min(first + LANES, MOST_GROUP_ITEMS))]
    return len(set(places)) < len(places)


def some_group_collides(pitch: int) -> bool:
    """Of two rows at least, each message on its own."""
    return any(
        collide(pitch, row, first)
        for row in range(1, MOST_GROUP_ITEMS // 2 + 1)
        for first in range(0, MOST_GROUP_ITEMS // row * row - LANES + 1, LANES)
    )


@pytest.mark.parametrize("pitch", [3, 17, 100, 509, 510, 511, 512, 700])
def test_groups_are_found_iff_one_of_all_has_two_items_at_one_place(pitch: int) -> None:
    assert isinstance(found(pitch), Never) == (not some_group_collides(pitch))


@pytest.mark.parametrize("pitch", [3, 17, 100, 509, 510])
def test_the_first_group_that_is_found_has_them(pitch: int) -> None:
    groups = found(pitch)
    assert not isinstance(groups, Never)
    groups = list(groups)
    assert 0 < len(groups) <= module.MOST_GROUPS
    for one in groups:
        values = {str(term.payload): value for term, value in one.items()}
        row, x, y = values["local_size_x"], values["first_local_id_x"], values["first_local_id_y"]
        assert collide(pitch, row, y * row + x)


def test_items_of_larger_groups_would_collide(monkeypatch: pytest.MonkeyPatch) -> None:
    """What keeps rows of 511 items apart is that no group has more than two."""
    monkeypatch.setattr(module, "ule", lambda *_: module.conj())
    assert not isinstance(found(512), Never)
