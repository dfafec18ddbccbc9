"""A question about any lane: what can hold for a lane can hold for it, and lanes ask the same."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from visaproof.analysis.conflicts import search
from visaproof.analysis.conflicts.any_lane import about_any_lane
from visaproof.checking.clauses import form_of
from visaproof.cli import main
from visaproof.launch.ids.launched_words import LaunchedIds
from visaproof.smt import Bool, conj
from visaproof.smt.answers import Satisfiable
from visaproof.smt.solvers import solve

SIZES = Path(__file__).parents[2] / "data" / "sizes"
Asked = tuple[Bool, list[Bool]]


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[Asked]:
    """Each question about a lane, and those about any lane that it became."""
    found: list[Asked] = []

    def noted(launched: LaunchedIds, lanes: Sequence[Bool], premise: Bool, condition: Bool) -> list[Bool]:
        lifted = list(about_any_lane(launched, lanes, premise, condition))
        found.append((conj(premise, condition), lifted))
        return lifted

    monkeypatch.setattr(search, "about_any_lane", noted)
    return found


def ask(kernel: str, *options: str) -> None:
    main(["bounds", str(SIZES / f"{kernel}.visaasm"), "--launch", str(SIZES / "sizes.ze_info"), *options])


@pytest.mark.slow
def test_lanes_ask_the_same(questions: list[Asked]) -> None:
    """Two halves of a message to each of two surfaces, in which lanes have ids of their own."""
    ask("of_all_items", "--size", "out=4*global_size_x*global_size_y", "--size", "in=4*global_size_x*global_size_y")
    assert len({form_of(one) for one, _ in questions}) > 30
    assert len({form_of(lifted) for _, (lifted, *_) in questions}) <= 4


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["of_groups", "one_before", "neighbours"])
def test_what_can_hold_for_a_lane_can_hold_for_any(kernel: str, questions: list[Asked]) -> None:
    ask(kernel)
    possible = [each for one, lifted in questions for each in lifted if isinstance(solve([one], 2_000), Satisfiable)]
    assert possible
    assert all(isinstance(solve([one], 2_000), Satisfiable) for one in possible)
