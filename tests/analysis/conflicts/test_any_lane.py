"""A question about any lane: what can hold for a lane can hold for it, and lanes ask the same."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.analysis.bounds import kernel as bounds
from visaproof.analysis.bounds.sizes.enough_bytes import SizeFinder
from visaproof.analysis.bounds.sizes.samples import Samples
from visaproof.analysis.conflicts import any_lane, search
from visaproof.analysis.conflicts.any_lane import about_any_lane
from visaproof.checking.clauses import form_of
from visaproof.cli import main
from visaproof.launch.ids.launched_words import LaunchedIds
from visaproof.launch.ids.work_items import GROUP_IDS
from visaproof.smt import (
    Bool,
    Term,
    add,
    bool_symbol,
    conj,
    const,
    eq,
    extract,
    ite,
    mul,
    scale,
    symbol,
    symbols_of,
    true,
    ule,
    zero_extend,
)
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.evaluate import evaluate
from visaproof.smt.solvers import solve

DATA = Path(__file__).parents[2] / "data"
ON = bool_symbol("on")
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


def ask(kernel: str, *options: str, folder: str = "sizes") -> int:
    place = DATA / folder
    return main(["bounds", str(place / f"{kernel}.visaasm"), "--launch", str(place / f"{folder}.ze_info"), *options])


@pytest.mark.slow
def test_lanes_ask_the_same(questions: list[Asked], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two halves of a message to each of two surfaces, in which lanes have ids of their own.  (Sums of integers show it
    before a solver is asked.)"""
    monkeypatch.setattr(SizeFinder, "stated", lambda *_: "")
    monkeypatch.setattr(bounds, "has_product", lambda *_: False)
    ask("of_all_items", "--size", "out=4*global_size_x*global_size_y", "--size", "in=4*global_size_x*global_size_y")
    assert len({form_of(one) for one, _ in questions}) > 30
    assert len({form_of(lifted) for _, (lifted, *_) in questions}) <= 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "kernel"),
    [("sizes", "one_before"), ("sizes", "neighbours"), ("wide_ids", "beyond")],
)
def test_what_can_hold_for_a_lane_can_hold_for_any(
    folder: str, kernel: str, questions: list[Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked of sizes that are too small, which launches show before a solver is asked."""
    monkeypatch.setattr(Samples, "exclude", lambda *_: False)
    ask(kernel, folder=folder)
    possible = [each for one, lifted in questions for each in lifted if isinstance(solve([one], 2_000), Satisfiable)]
    assert possible
    assert all(isinstance(solve([one], 2_000), Satisfiable) for one in possible)


def test_ids_in_64_bits_are_those_in_32(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask("triples", "--size", "in=12*n", "--size", "out=4*n", "--limit", "20", folder="wide_ids") == 0
    assert capsys.readouterr().out.count("in bounds: ") == 2


def test_past_the_last_of_them_is_outside(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask("beyond", "--size", "in=12*n", "--size", "out=4*n", "--limit", "20", folder="wide_ids") == 1
    assert "an access reaches in[3], bytes 0xc..0xf, and in has 12 bytes" in capsys.readouterr().out


@pytest.mark.parametrize("cut", [False, True])
def test_ids_that_may_wrap_are_not_the_same_in_more_bits(monkeypatch: pytest.MonkeyPatch, cut: bool) -> None:
    """Of a group and a stride nothing is known: their product may need 64 bits."""
    if cut:
        monkeypatch.setattr(any_lane, "_fits", lambda *_: true())
    group, stride, own = GROUP_IDS[0], symbol("stride", 32), symbol("own", 16)
    wide = [zero_extend(one, 64) for one in (group, stride, own)]
    beyond = ule(const(1 << 32, 64), add(mul(wide[0], wide[1]), wide[2]))
    launch = ule(add(mul(group, stride), zero_extend(own, 32)), const(1 << 30, 32))
    asked, assumed = any_lane._of_any_item(beyond, [launch], 0, own)
    assert isinstance(solve([conj(asked, *assumed)], 5_000), Unsatisfiable if cut else Satisfiable)


@given(group=st.integers(0, 15), first=st.integers(0, 15), lane=st.integers(0, 15), times=st.sampled_from([1, 2, 4]))
def test_the_low_bits_of_an_id_are_those_of_any(group: int, first: int, lane: int, times: int) -> None:
    """In a loop that is unrolled, what is left over is a few bits of a sum."""
    base, own = symbol("first", 8), any_lane.any_id(symbol("first", 8), 0)
    word = add(scale(ite(ON, base, const(0, 8)), times), const(lane, 8))
    index = add(mul(const(4, 8), word), symbol("group", 8))
    parts: list[Term] = [
        eq(extract(index, 3, 0), const(3, 4)),
        extract(word, 2, 0),
        extract(scale(word, 3), 4, 0),
        word,
    ]
    values: dict[Term, int] = {base: first, symbol("group", 8): group, ON: 1}
    values[own] = evaluate(word, values)
    for part, of_any in zip(parts, any_lane.with_any_ids(parts, (word, const(0, 8), const(0, 8))), strict=True):
        assert base not in symbols_of(of_any)
        assert evaluate(of_any, values) == evaluate(part, values)
