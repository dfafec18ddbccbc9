"""Runs and places of which not all is known: no answer is lost, and none is made up."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from visaproof.analysis.bounds import kept_runs, verdicts
from visaproof.analysis.bounds import kernel as bounds
from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kept_runs import KeptRuns
from visaproof.analysis.bounds.kernel import BoundsAnswers
from visaproof.analysis.bounds.sizes.enough_bytes import SizeFinder
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Outside, Undecided
from visaproof.analysis.conflicts.results import Open, Progress
from visaproof.cli import main
from visaproof.isa.errors import LimitReached, Position
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import read_launch
from visaproof.machine.concrete.run import MissingSurface
from visaproof.queries.kernels.bounds import needed_bytes
from visaproof.semantics.concrete.surface import Miss
from visaproof.semantics.symbolic.names import LaneOn
from visaproof.smt import true
from visaproof.visaasm.reader import read_kernel_file

DATA = Path(__file__).parents[2] / "data"


def answers(variant: str) -> BoundsAnswers:
    kernel = read_kernel_file(DATA / "visaasm" / "vadd" / f"{variant}.visaasm")
    launch = read_launch(DATA / "manifest.json", kernel)
    return ask_bounds(kernel, Platform.TGLLP, launch, Assume.LAUNCH, StatedLaunch(), 2_000)


def test_a_run_that_comes_to_an_unknown_surface_confirms_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the symbolic run ended before the message that reaches it."""

    def missing(*_: object) -> None:
        raise MissingSurface(Position("k.visaasm", 1, 1), "bti 9")

    monkeypatch.setattr(verdicts._Confirm, "_outcome", missing)
    first = next(answers("tgllp-O2-simd8").answers())
    assert isinstance(first.bounds, Undecided)
    assert "no surface 'bti 9'" in first.bounds.reason


def test_a_size_is_named_where_no_run_confirms_that_one_is_needed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "decide_bounds", lambda *_: Undecided("no run"))
    at = ["--launch", str(DATA / "manifest.json")]
    assert main(["bounds", str(DATA / "visaasm" / "vadd" / "tgllp-O2-simd8-a64.visaasm"), *at]) == 3
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    unknown = lines.index("UNKNOWN: no run")
    assert lines[unknown - 1].startswith("inside if a has at least 4*global_size_x bytes")
    assert lines[unknown + 1].startswith("hint: --size 'a=4*global_size_x'")


@pytest.mark.parametrize("ends", [1, 99])
@pytest.mark.parametrize("at_ends", [True, False])
def test_a_size_is_looked_for_again_where_a_share_of_the_time_ended(
    at_ends: bool, ends: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict is decided once, and kept where there is no more time, with what the addresses say of the size."""
    find, decide, left, decided = SizeFinder.find, bounds.decide_bounds, [ends], list[object]()

    def find_late(*asked: Any) -> Any:
        left[0] -= 1
        if left[0] >= 0:
            raise LimitReached(1)
        return find(*asked)

    def counted(question: Any, *asked: Any) -> Any:
        decided.append(question)
        return decide(question, *asked)

    monkeypatch.setattr(SizeFinder, "find", find_late)
    monkeypatch.setattr(bounds, "decide_bounds", counted)
    if not at_ends:
        monkeypatch.setattr(SizeFinder, "at_ends", lambda *_: None)
    asked = answers("tgllp-O2-simd8")
    found = {one.question.instruction.position: one for one in asked.answers()}
    assert len(decided) == len(found) == 3
    assert {isinstance(one.bounds, Outside) for one in found.values()} == {True}
    assert {one.enough is not None for one in found.values()} == {at_ends or ends == 1}


def test_a_size_is_known_where_the_time_ends_in_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a message is outside of a buffer that is too small, sizes are looked for first."""
    decide = bounds.decide_bounds

    def too_long(question: Any, asked: Any, tried: Any) -> Any:
        if tried.shown:
            raise LimitReached(1)
        return decide(question, asked, tried)

    monkeypatch.setattr(bounds, "decide_bounds", too_long)
    first, *others = answers("tgllp-O2-simd8").answers()
    assert isinstance(first.bounds, Outside)
    assert [isinstance(one.bounds, Undecided) for one in others] == [True, True]
    assert all(one.enough is not None for one in (first, *others))


def test_without_the_place_of_each_access_no_size_is_enough() -> None:
    question = next(one for one in answers("tgllp-O2-simd8-a64").questions if len(one.places) > 1)
    assert needed_bytes([replace(question, places=dict(list(question.places.items())[:1]))]) is None


def test_no_size_is_named_where_loops_may_go_on() -> None:
    """More iterations may reach further; nor is one where an access is not placed."""
    found = answers("tgllp-O2-simd8")
    assert next(found.answers()).enough is not None
    loops = ((true(), Position("k.visaasm", 1, 1)),)
    longer = replace(found, asked=replace(found.asked, trace=replace(found.asked.trace, bounded=loops)))
    assert next(longer.answers()).enough is None
    lost = replace(
        found, put=replace(found.put, asked=tuple(replace(one, lost="somewhere") for one in found.put.asked))
    )
    assert next(lost.answers()).enough is None


def test_a_search_that_the_time_ended_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what it had tried in vain; that of another message begins anew."""
    asked, progress, tried = answers("tgllp-O2-simd8"), list[Progress](), verdicts.Tried()

    def late(search: verdicts.Search[object], _: object) -> Open:
        progress.append(search.progress)
        raise LimitReached(1)

    monkeypatch.setattr(verdicts.Search, "run", late)
    first, second, *_ = asked.questions
    for question in (first, first, second):
        with pytest.raises(LimitReached):
            verdicts.decide_bounds(question, asked.asked, tried)
    assert progress[0] is progress[1]
    assert progress[0] is not progress[2]


def test_values_that_showed_one_message_outside_show_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """No solver is asked of it; values that show nothing are no answer."""
    asked = answers("tgllp-O2-simd8")
    first, second, *_ = asked.questions
    tried = verdicts.Tried()
    assert isinstance(verdicts.decide_bounds(first, asked.asked, tried), Outside)
    searched = list[object]()

    def search(*_: object) -> Open:
        searched.append(_)
        return Open("searched")

    monkeypatch.setattr(verdicts.Search, "run", search)
    assert isinstance(verdicts.decide_bounds(second, asked.asked, tried), Outside)
    assert not searched
    nothing = {one: int(isinstance(one.payload, LaneOn)) for one in tried.shown[0].values}
    assert isinstance(verdicts.decide_bounds(second, asked.asked, verdicts.Tried([KeptRuns(nothing)])), Undecided)
    assert len(searched) == 1


def test_a_kept_run_shows_what_every_choice_of_open_results_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answers("tgllp-O2-simd8")
    first, second, *_ = asked.questions
    tried = verdicts.Tried()
    verdicts.decide_bounds(first, asked.asked, tried)
    one, other = first.instruction.position, second.instruction.position
    near, far = Miss((64,), 4), Miss((128,), 4)
    under = [{one: frozenset({near, far}), other: frozenset({near})}, {one: frozenset({far})}]
    monkeypatch.setattr(kept_runs, "under_each_choice", lambda _: under)
    kept = KeptRuns(tried.shown[0].values).of(first, asked.asked)
    assert kept is not None
    assert kept.misses == {one: frozenset({far})}
