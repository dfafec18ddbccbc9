"""Launches as hosts make them: asked about all lanes at once, before lane after lane."""

from collections.abc import Sequence

import pytest

from tests.support.rows import PLUS_X, STORE, STRIDED, asked
from visaproof.analysis.conflicts import kernel as conflicts_kernel
from visaproof.analysis.conflicts import verdicts
from visaproof.analysis.conflicts.launches import usual_search
from visaproof.analysis.conflicts.results import Open, Progress
from visaproof.analysis.conflicts.search import Search
from visaproof.analysis.conflicts.verdicts import Conflict, Free, Undecided, decide_conflict
from visaproof.isa.errors import LimitReached, NotModelled
from visaproof.launch.ids.launched_words import LaunchedIds
from visaproof.smt import Bool, answers, true
from visaproof.smt.solvers import solve


def rows_of(pitch: int) -> str:
    """Lanes of rows that overlap in groups whose rows have more items than the pitch."""
    return f"    mul (M1, 8) A(0,0)<1> Y(0,0)<1;1,0> {pitch:#x}:uw\n" + PLUS_X + STORE


@pytest.mark.parametrize("pitch", [17, 33, 100, 300])
def test_rows_of_one_more_than_a_pitch_overlap_in_some_group(pitch: int) -> None:
    (finding,) = asked(rows_of(pitch)).answers()
    assert str(finding.missing) == f"local_size_x <= {pitch}"
    assert isinstance(finding.answer, Conflict)


@pytest.mark.slow
def test_where_no_usual_group_shows_it_all_lanes_are_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of 101 items or more: each pair of the lanes may meet, and none does in the groups that are tried."""
    times, is_usual = list[int](), LaunchedIds.is_usual
    monkeypatch.setattr(conflicts_kernel, "colliding_groups", lambda *_: ())
    monkeypatch.setattr(LaunchedIds, "is_usual", lambda own: (times.append(1), is_usual(own))[1])
    (finding,) = asked(rows_of(100)).answers()
    assert str(finding.missing) == "local_size_x <= 100"
    assert finding.answer == Undecided("the lanes meet in no usual launch")
    assert len(times) == 1


def test_where_a_run_cannot_confirm_a_launch_no_further_one_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found = list[int]()

    def count_found(formulas: Sequence[Bool], timeout_ms: int) -> answers.Answer:
        answer = solve(formulas, timeout_ms)
        found.append(isinstance(answer, answers.Satisfiable))
        return answer

    def not_modelled(*_: object) -> None:
        raise NotModelled("opcode pow on floats")

    monkeypatch.setattr(usual_search, "solve", count_found)
    monkeypatch.setattr(verdicts, "_confirmed", not_modelled)
    (finding,) = asked(rows_of(17)).answers()
    assert isinstance(finding.answer, Undecided)
    assert "pow" in finding.answer.reason
    assert sum(found) == 1


def test_a_search_that_was_ended_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simple values and first groups are not tried again; what the solver left open stays open."""
    guessed, in_groups = list[int](), list[int]()
    guess, in_launch = Search[Conflict]._by_simple_values, usual_search.constants_of
    monkeypatch.setattr(Search, "_by_simple_values", lambda own, *which: (guessed.append(1), guess(own, *which))[1])
    monkeypatch.setattr(usual_search, "constants_of", lambda launch: (in_groups.append(1), in_launch(launch))[1])
    rows, progress = asked(rows_of(100)), Progress()
    (question,) = rows.questions
    first = decide_conflict(question, rows.asked, progress=progress)
    times = len(guessed), len(in_groups)
    assert times[0] == 1
    assert times[1] > 0
    assert decide_conflict(question, rows.asked, progress=progress) == first
    assert (len(guessed), len(in_groups)) == times


def test_an_iteration_that_is_free_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, progress = asked(rows_of(1024)), Progress()
    (question,) = rows.questions
    first = decide_conflict(question, rows.asked, progress=progress)
    assert isinstance(first, Free)

    def too_slow(*_: object) -> None:
        raise LimitReached(1)

    monkeypatch.setattr(Search, "_run", too_slow)
    assert decide_conflict(question, rows.asked, progress=progress) == first
    with pytest.raises(LimitReached):
        decide_conflict(question, rows.asked, progress=Progress())


def test_simple_values_that_no_run_confirms_are_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a limit has ended the search among them."""
    ran = list[int]()
    monkeypatch.setattr(verdicts, "_confirmed", lambda *_: ran.append(1))
    rows, progress = asked(STRIDED), Progress()
    (question,) = rows.questions
    decide_conflict(question, rows.asked, progress=progress, easily=True)
    times, progress.tried_simple = len(ran), False
    assert times > 0
    decide_conflict(question, rows.asked, progress=progress, easily=True)
    assert len(ran) == times


@pytest.mark.parametrize(("most_ms", "ends"), [(200, True), (None, False)])
def test_behind_long_loops_lanes_are_not_asked_one_by_one_if_relations_are_known(
    most_ms: int | None, ends: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of a usual launch did not end, so that others hardly will."""
    long, others = Open("a long run", stuck=True), Open("asked one by one")
    monkeypatch.setattr(Search, "_solved", lambda *_: others)
    rows, progress = asked(rows_of(100)), Progress(stuck=long)
    (question,) = rows.questions
    found = decide_conflict(question, rows.asked, most_ms=lambda: most_ms, progress=progress)
    assert found == (Undecided(long.reason, stuck=True) if ends else Undecided(others.reason))


def test_groups_in_which_it_is_hard_to_see_do_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first group takes the solver too long; the next one shows the conflict."""
    solved = list[int]()

    def slow_at_first(formulas: Sequence[Bool], timeout_ms: int) -> answers.Answer:
        solved.append(timeout_ms)
        return answers.Undecided("slow") if len(solved) == 1 else solve(formulas, timeout_ms)

    monkeypatch.setattr(usual_search, "solve", slow_at_first)
    (finding,) = asked(rows_of(17)).answers()
    assert isinstance(finding.answer, Conflict)
    assert solved[:2] == [usual_search.QUICK_MS] * 2


def test_a_group_at_which_a_limit_has_ended_the_search_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would end the next share of the time as well: the next group is asked about."""
    times = list[int]()

    def ended_at_first(formulas: Sequence[Bool], timeout_ms: int) -> answers.Answer:
        times.append(timeout_ms)
        if len(times) == 1:
            raise LimitReached(1)
        return solve(formulas, timeout_ms)

    monkeypatch.setattr(usual_search, "solve", ended_at_first)
    rows = asked(rows_of(17))
    (question,) = rows.questions
    usual = usual_search.UsualSearch(rows.asked, [pair.meet for pair in question.pairs], range(4), true())
    with pytest.raises(LimitReached):
        next(usual.in_first_groups(), None)
    (tried,) = usual.in_vain.values()
    assert tried == {0: usual_search.QUICK_MS}
    next(usual.in_first_groups(), None)
    assert 1 in tried
