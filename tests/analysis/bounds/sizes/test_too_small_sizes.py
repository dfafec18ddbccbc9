"""Sizes that launches show to be too small, and buffers that are empty: what is left out is decided all the same."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from visaproof.analysis.bounds import outside_search
from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kernel import BoundsAnswers
from visaproof.analysis.bounds.outside_search import emptied, is_possible
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.conflicts.thread_states import Values
from visaproof.analysis.surface_sizes import amount_term, parse_amount
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import read_launch
from visaproof.launch.relations.expression_reader import parse_relation
from visaproof.launch.relations.expressions import Relation
from visaproof.launch.relations.relations import stated_relation
from visaproof.queries.kernels.bounds import BoundsQuestion
from visaproof.semantics.symbolic.names import surface_size
from visaproof.semantics.symbolic.value_names import LoadedValue
from visaproof.smt import Bool, conj, const, eq, evaluate, neg, substitute, symbol, symbols_of, ule, ult
from visaproof.smt.answers import Undecided
from visaproof.visaasm.reader import read_kernel

DATA = Path(__file__).parents[3] / "data" / "sizes"
SIZES = {
    "guarded": {"4*w*h": False, "4*w*h + 4": False, "4*w": True, "4*h": True, "w*h": True},
    "neighbours": {"16*n": False, "4*n": True, "16*n - 16": True},
    "of_all_items": {"4*global_size_x*global_size_y": False, "4*global_size_x": True, "4*local_size_x": True},
}
"""Of the buffer `out`, by kernel: whether the size is too small."""


def answers(kernel: str) -> tuple[BoundsAnswers, BoundsQuestion]:
    """With the last question, of the store."""
    own = read_kernel((DATA / f"{kernel}.visaasm").read_text(), kernel)
    launch = read_launch(DATA / "sizes.ze_info", own)
    found = ask_bounds(own, Platform.DG2, launch, Assume.LAUNCH, StatedLaunch(), 10_000)
    return found, found.questions[-1]


def excluded(found: BoundsAnswers, question: BoundsQuestion, amount: str, relations: Sequence[str] = ()) -> bool:
    names = found.sizes.names
    size, facts = amount_term(names, parse_amount(amount, "--size"), "--size")
    own = [one for text in relations if isinstance(one := parse_relation(text, "--where"), Relation)]
    stated = [stated_relation(names, one) for one in own]
    conditions: list[Bool] = [*facts, *(term for one in stated for term in (*one.facts, one.term))]
    return found.sizes.samples.of([question], found.sizes.offsets(question.surfaces[0])).exclude(size, conditions)


@pytest.mark.parametrize("kernel", SIZES)
def test_a_launch_shows_that_a_size_is_too_small(kernel: str) -> None:
    found, question = answers(kernel)
    assert {one: excluded(found, question, one) for one in SIZES[kernel]} == SIZES[kernel]


def test_a_launch_that_relations_exclude_shows_nothing() -> None:
    found, question = answers("guarded")
    assert excluded(found, question, "4*w", ["h >= 2"])
    assert not excluded(found, question, "4*w", ["h <= 1", "w <= 4294967295"])


@pytest.mark.parametrize("kernel", SIZES)
def test_each_sample_is_a_launch_with_such_an_access(kernel: str) -> None:
    found, question = answers(kernel)
    samples = found.sizes.samples.of([question], found.sizes.offsets(question.surfaces[0])).left
    assert samples
    (size,) = emptied(question)
    for one in samples:
        assert all(evaluate(premise, one.values) for premise in question.premises)
        too_small = {**one.values, size: one.end - 1}
        assert any(evaluate(doubt.condition, too_small) for doubt in question.outside)


def test_an_access_outside_of_a_buffer_is_outside_of_an_empty_one() -> None:
    _, question = answers("guarded")
    empty = emptied(question)
    (size,) = empty
    for doubt in question.outside[::3]:
        for seed in range(40):
            values = {one: seed * 77 % 61 if one.width else 1 for one in symbols_of(doubt.condition)}
            of_empty = evaluate(substitute(doubt.condition, empty), values)
            assert of_empty == evaluate(doubt.condition, {**values, size: 0})
            assert of_empty or not evaluate(doubt.condition, values)


def test_a_buffer_whose_size_matters_otherwise_is_not_emptied() -> None:
    _, question = answers("guarded")
    (size,) = emptied(question)
    own = surface_size(question.surfaces[0])
    known = ule(const(4, own.width), own)
    assert own == size
    assert not emptied(replace(question, premises=(*question.premises, known)))
    assert not emptied(replace(question, earlier=(neg(known),)))
    (doubt, *_) = question.outside
    guarded = replace(doubt, access=replace(doubt.access, guard=known))
    assert not emptied(replace(question, outside=(guarded,)))


def test_a_buffer_is_not_emptied_where_a_lane_needs_what_was_loaded() -> None:
    """An empty one holds nothing, so that no run would come there."""
    _, question = answers("guarded")
    (doubt, *_) = question.outside
    loaded = ult(symbol(LoadedValue("", "1"), 32), const(4, 32))
    assert not emptied(replace(question, outside=(replace(doubt, access=replace(doubt.access, guard=loaded)),)))


def test_a_launch_that_was_shown_is_tried_for_other_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = answers("guarded")
    first, other = symbol("first", 32), symbol("other", 32)
    shown: list[Values] = []
    assert is_possible(found.asked, eq(first, const(12345, 32)), 1_000, shown)
    assert [values[first] for values in shown] == [12345]
    monkeypatch.setattr(outside_search, "solve", lambda *_: Undecided("not asked"))
    assert is_possible(found.asked, conj(eq(first, const(12345, 32)), eq(other, const(64, 32))), 1_000, shown)
    assert not is_possible(found.asked, conj(eq(first, const(12346, 32)), eq(other, const(64, 32))), 1_000, shown)
    assert not is_possible(found.asked, eq(first, const(12345, 32)), 1_000, [])
