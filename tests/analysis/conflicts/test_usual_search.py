"""Launches as hosts make them: asked about all lanes at once, before lane after lane."""

import pytest

from tests.support.rows import PLUS_X, STORE, asked
from visaproof.analysis.conflicts.verdicts import Conflict, Undecided
from visaproof.launch.ids.launched_words import LaunchedIds


def rows_of(pitch: int) -> str:
    """Lanes of rows that overlap in groups whose rows have more items than the pitch."""
    return f"    mul (M1, 8) A(0,0)<1> Y(0,0)<1;1,0> {pitch:#x}:uw\n" + PLUS_X + STORE


@pytest.mark.parametrize("pitch", [17, 33])
def test_rows_of_one_more_than_a_message_has_lanes_overlap_in_some_group(pitch: int) -> None:
    (finding,) = asked(rows_of(pitch)).answers()
    assert str(finding.missing) == f"local_size_x <= {pitch}"
    assert isinstance(finding.answer, Conflict)


def test_where_no_usual_group_shows_it_all_lanes_are_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of 101 items or more: each pair of the lanes may meet, and none does in the groups that are tried."""
    times, is_usual = list[int](), LaunchedIds.is_usual
    monkeypatch.setattr(LaunchedIds, "is_usual", lambda own: (times.append(1), is_usual(own))[1])
    (finding,) = asked(rows_of(100)).answers()
    assert str(finding.missing) == "local_size_x <= 100"
    assert finding.answer == Undecided("the lanes meet in no usual launch")
    assert len(times) == 1
