"""Guards that never hold: found once, for all accesses that they keep from being made."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from visaproof.analysis.bounds.sizes.by_ends import sufficient
from visaproof.analysis.bounds.sizes.reached import NOT_MADE, Reached
from visaproof.analysis.bounds.sizes.words.any_numbers import AnyNumbers
from visaproof.analysis.bounds.sizes.words.never_together import NeverTogether
from visaproof.cli import main
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.smt import Bool, bool_symbol, const, neg, slt, symbol, ult
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.solvers import solve

DATA = Path(__file__).parents[4] / "data" / "unrolled"
N, ON, OTHER = symbol("n", 8), bool_symbol("on"), bool_symbol("other")
FEW = ult(N, const(4, 8))
MANY = neg(ult(N, const(9, 8)))


class Counted:
    """A solver that is counted."""

    def __init__(self) -> None:
        self.asked: list[Bool] = []

    def never(self, formula: Bool) -> bool:
        self.asked.append(formula)
        return isinstance(solve([formula], 1000), Unsatisfiable)


def test_what_two_guards_share_rules_out_a_third() -> None:
    never, solver = NeverTogether(), Counted()
    asked = AnyNumbers((), solver.never)
    assert never.are([FEW, ON, MANY], asked)
    assert never.are([MANY, OTHER, FEW], asked)
    count = len(solver.asked)
    assert never.are([FEW, slt(N, const(2, 8)), MANY], asked)
    assert never.among([MANY, FEW])
    assert len(solver.asked) == count


def test_what_holds_somewhere_is_not_ruled_out() -> None:
    never, asked = NeverTogether(), AnyNumbers((), Counted().never)
    assert never.are([FEW, ON, MANY], asked)
    assert not never.are([FEW, OTHER], asked)
    assert not never.are([MANY, ON, OTHER], asked)
    assert not never.among([FEW])
    assert not never.among([MANY, OTHER])


def test_what_two_guards_share_is_asked_about_by_itself() -> None:
    """Each never holds, for reasons of its own."""
    never, asked = NeverTogether(), AnyNumbers((), Counted().never)
    assert never.are([FEW, MANY, ON], asked)
    assert never.are([neg(FEW), ult(N, const(2, 8)), ON], asked)
    assert not never.are([ON], asked)
    assert not never.among([ON, OTHER])


def test_no_bytes_may_be_enough_of_what_is_made() -> None:
    """As behind i < n and n <= 0, where that ids are no negative numbers has to be said."""
    names = cast(LaunchNames, SimpleNamespace(most_items=1))
    less = Reached({(): -8}, (), {}, frozenset(), frozenset())
    found = [sufficient(some, names) for some in ([less], [less, NOT_MADE], [NOT_MADE, NOT_MADE])]
    assert [one is not None and one.is_nothing for one in found] == [False, False, True]


def asked(name: str, capsys: pytest.CaptureFixture[str], limit: int = 60) -> list[dict[str, Any]]:
    launch = ("--launch", str(DATA / "unrolled.ze_info"), "--format", "json", "--limit", str(limit))
    main(["bounds", str(DATA / f"{name}.visaasm"), *launch])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages"]


def is_never_made(one: dict[str, Any]) -> bool:
    return one["bounds"].get("by") == "no guard of an access ever holds"


@pytest.mark.slow
def test_what_is_unrolled_more_often_than_it_runs_needs_no_size(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked("few", capsys)
    assert len(found) == 18
    assert sum(map(is_never_made, found)) == 16
    assert all(one["bounds"]["verdict"] == "proved" for one in found if is_never_made(one))
    assert sum(one["inside_if"] is not None for one in found) == 2


@pytest.mark.slow
def test_what_is_unrolled_as_often_as_it_runs_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked("enough", capsys, 20)
    assert len(found) == 18
    assert not any(map(is_never_made, found))
    assert not any(one["bounds"]["verdict"] == "proved" for one in found)


@pytest.mark.slow
def test_nothing_is_never_made_where_no_guard_is_asked_about(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NeverTogether, "are", lambda *_: False)
    assert not any(map(is_never_made, asked("few", capsys, 10)))
