"""The two runs of a difference side by side: what a lane did, as far as what differs is computed from it."""

import pytest

from tests.refinement.effects.test_refinement_observed import program as observed_program
from tests.refinement.test_refinement_addresses import LOW_HALF_ONLY, address
from tests.refinement.test_refinement_addresses import STORE as STORE_BY_ADDRESS
from tests.refinement.test_refinement_addresses import program as addressed
from tests.refinement.test_refinement_choices import compared
from tests.refinement.widths.test_refinement_widths import asked, lane_atomics, with_atomics
from tests.support.differences import byte_of, in_a_register
from visaproof.launch.assumptions import Assume
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.observed import names_from
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.lane_runs import LaneRun, Stored, lane_runs, run_outside
from visaproof.refinement.verdicts import Difference, OutsideBuffers, TargetUndefined
from visaproof.report.two_kernels.answer import verdict_json, verdict_lines

GATHER = "svm_gather.4.1 (M1, 8) A.0 Y.0\n"
STORE = "scatter4_scaled.R (M1, 8) T6 0x0:ud C.0 Y.0\n"


def both(source: str, target: str) -> tuple[Comparison, Difference, LaneRun, LaneRun]:
    comparison = compared(source, target)
    found = decide(comparison, 10_000)
    assert isinstance(found, Difference)
    runs = lane_runs(comparison, found)
    assert runs is not None
    return comparison, found, *runs


def statements(run: LaneRun) -> list[str]:
    return [done.instruction.text for done in run.done]


def test_only_what_the_difference_is_computed_from_is_shown() -> None:
    add, sub = (f"{op} (M1, 8) Y(0,0)<1> X(0,0)<1;1,0> 0x1:ud\n" for op in ("add", "mul"))
    comparison, found, source, target = both(add + STORE, sub + STORE)
    assert source.lane == target.lane == byte_of(found).address // 4
    heads = [text.split()[0] for text in statements(source)]
    assert heads == ["mov", "shl", "add", "scatter4_scaled.R"]  # not the one of D
    (stored,) = source.done[-1].stored
    assert stored == Stored(byte_of(found).surface, byte_of(found).address // 4 * 4, 4, stored.value)
    assert stored.value >> 8 * (byte_of(found).address % 4) & 0xFF == byte_of(found).source
    lines = list(verdict_lines(comparison, found))
    (marked,) = (line for line in lines if "►" in line)
    assert "add (M1, 8)" in marked
    assert "mul (M1, 8)" in marked
    assert not any("… " in line for line in lines)  # two statements before are all there are


def test_a_lane_that_stores_elsewhere_is_shown_with_its_last_store_to_the_buffer() -> None:
    moved = "add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x40:ud\n"
    value = "mov (M1, 8) Y(0,0)<1> X(0,0)<1;1,0>\n"
    _, found, source, target = both(value + STORE, value + moved + STORE)
    places = [run.done[-1].stored[0].place for run in (source, target)]
    assert places[1] - places[0] == 0x40
    assert byte_of(found).address in (*range(places[0], places[0] + 4), *range(places[1], places[1] + 4))


def test_a_statement_that_the_lane_is_off_for_changes_nothing() -> None:
    compare_ = "cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x7:ud\nmov (M1, 8) Y(0,0)<1> 0x1:ud\n"
    plain, under = (f"{head}mov (M1, 8) Y(0,0)<1> 0x2:ud\n" for head in ("", "(P1) "))
    _, _, source, target = both(compare_ + plain + STORE, compare_ + under + STORE)
    assert [one.value for one in source.done[-2].registers] == ["0x00000002"]
    assert target.done[-2].instruction.text.startswith("(P1) mov")
    assert target.done[-2].registers == ()
    assert any(done.instruction.opcode == "cmp" for done in target.done)
    assert not any(done.instruction.opcode == "cmp" for done in source.done)


def test_branches_that_decide_are_shown_where_nothing_is_stored() -> None:
    skip = "cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x7:ud\n(P1) goto (M1, 8) end\n"
    value = "mov (M1, 8) Y(0,0)<1> 0x3:ud\n"
    _, _, source, target = both(value + STORE + "end:\n", value + skip + STORE + "end:\n")
    assert statements(source)[-1] + "\n" == STORE
    assert [done.instruction.opcode for done in target.done] == ["cmp", "goto"]


def test_a_register_that_differs_is_followed_from_the_end() -> None:
    source, target = (
        f"mov (M1, 8) S(0,0)<1> 0x9:d\n{op} (M1, 8) R(0,0)<1> X(0,0)<1;1,0> 0x1:d\n" for op in ("add", "mul")
    )
    scope = Scope(Assume.NONE, observe=tuple(names_from("R")))
    comparison = compare(observed_program(source), observed_program(target), scope)
    found = decide(comparison, 10_000)
    assert isinstance(found, Difference)
    runs = lane_runs(comparison, found)
    assert runs is not None
    assert [[done.instruction.opcode for done in run.done] for run in runs] == [["add"], ["mul"]]
    assert runs[0].lane == in_a_register(found).lanes[0]


@pytest.mark.parametrize("wide", [True, False])
def test_of_a_group_the_thread_that_runs_the_lane_is_followed(wide: bool) -> None:
    programs = with_atomics(16, lane_atomics(16)), with_atomics(8, lane_atomics(8, "sub"))
    source, target = programs if wide else programs[::-1]
    comparison, found = asked(source, target)
    assert isinstance(found, Difference)
    runs = lane_runs(comparison, found)
    assert runs is not None
    assert [run.thread is not None for run in runs] == [not wide, wide]


def test_of_what_has_no_meaning_nothing_is_shown() -> None:
    value = "mov (M1, 8) Y(0,0)<1> X(0,0)<1;1,0>\n"
    comparison = compared(value + STORE, value + "mov (M1, 8) C(0,0)<1> 0x0:ud\n" + STORE)
    found = decide(comparison, 10_000)
    assert isinstance(found, Difference)
    assert isinstance(found.what, TargetUndefined)
    assert lane_runs(comparison, found) is None


@pytest.mark.parametrize(("message", "stores"), [("svm_scatter.4.1 (M1, 8) A.0 X.0\n", True), (GATHER, False)])
def test_an_address_in_no_buffer_is_followed_in_the_target(message: str, stores: bool) -> None:
    """Of a store the lane is known that makes it, of a load none; what is computed for others is left out."""
    other = "mov (M1, 8) Y(0,0)<1> 0x7:d\n"
    bodies = address("PTR") + STORE_BY_ADDRESS, other + LOW_HALF_ONLY + message + address("PTR") + STORE_BY_ADDRESS
    source, target = map(addressed, bodies)
    comparison = compare(source, target, Scope(Assume.NONE))
    found = decide(comparison, 10_000)
    assert isinstance(found, Difference)
    run = run_outside(comparison, found)
    assert run is not None
    assert (run.lane is not None) is stores
    assert run.lane is None or found.exec_mask >> run.lane & 1
    assert isinstance(found.what, OutsideBuffers)
    assert [one.place for one in run.done[-1].stored] == ([found.what.address] if stores else [])
    heads = [text.split()[0] for text in statements(run)]
    assert heads == ["shl", "add", "mov", message.split()[0]]
    lines = list(verdict_lines(comparison, found))
    assert any("in no buffer" in line for line in lines)
    (marked,) = (line for line in lines if "►" in line)
    assert message.split()[0] in marked
    record = verdict_json(comparison, found)["example"]
    assert [one["text"].split()[0] for one in record["runs"]["target"]["statements"]] == heads


def test_statements_that_come_to_the_same_are_left_out_but_for_two_before_the_first_that_does_not() -> None:
    same = "mov (M1, 8) Y(0,0)<1> X(0,0)<1;1,0>\n" + 4 * "add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:ud\n"
    comparison, found, _, _ = both(
        *(f"{same}{op} (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x3:ud\n{STORE}" for op in ("add", "mul"))
    )
    lines = list(verdict_lines(comparison, found))
    assert sum("… 5 more of the same values" in line for line in lines) == 1
    assert sum("add (M1, 8)" in line for line in lines) == 3
