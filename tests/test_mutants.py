"""Every wrong variant is caught twice: by states on which `execute` does something else, and by a property."""

from collections.abc import Callable

import pytest

from proofs.variants import WRONG, WrongVariant
from tests.two_writings import found_disagreement
from visaproof.checking.confirm import violated
from visaproof.checking.decide import decide
from visaproof.checking.verdict import Refuted
from visaproof.queries import atomics, bounds, collision, frame, predication, value
from visaproof.queries.query import Query
from visaproof.queries.subject import Subject

STATES = 100
"""The slowest variant to be caught needs 34 (`(!P.any)` read as any(!P))."""

KILLERS: dict[str, Callable[[Subject], Query]] = {
    "without-bounds": bounds.out_of_bounds_write_is_dropped,
    "without-predicate": predication.nomask_obeys_the_predicate,
    "without-execution-mask": predication.disabled_lane_touches_nothing,
    "nomask-obeys-the-mask": predication.nomask_ignores_the_execution_mask,
    "inverted-before-combining": predication.disabled_lane_touches_nothing,
    "channel-position-for-number": bounds.bounds_are_the_pages,
    "exec-size-for-slot-stride": value.written_dword_is_the_lanes_datum,
    "channel-number-for-slot": value.written_dword_is_the_lanes_datum,
    "global-offset-ignored": bounds.bounds_are_the_pages,
    "offset-sum-does-not-wrap": bounds.bounds_are_the_pages,
    "qword-index": bounds.bounds_are_the_pages,
    "halves-swapped": value.written_dword_is_the_lanes_datum,
    "straddling-qword-dropped": bounds.bounds_are_the_pages,
    "byte-offset": bounds.bounds_are_the_pages,
    "block-address-wraps": bounds.out_of_bounds_read_gives_zero,
    "next-oword": bounds.bounds_are_the_pages,
    "one-dword-further": frame.other_registers_are_unchanged,
    "stores-zeros": frame.other_memory_is_unchanged,
    "next-register": value.loaded_dword_is_the_surfaces,
    "sources-swapped": atomics.memory_holds_the_result,
    "returns-new": atomics.returned_value_is_old,
    "returns-old": atomics.returned_value_is_old,
    "coordinates-swapped": bounds.bounds_are_the_pages,
    "v-and-r-swapped": bounds.bounds_are_the_pages,
    "lod-ignored": frame.other_memory_is_unchanged,
    "slice-below-height": bounds.bounds_are_the_pages,
    "array-shrinks": bounds.bounds_are_the_pages,
    "one-past-the-end": bounds.out_of_bounds_write_is_dropped,
    "disabled-lane-returns-zero": frame.other_registers_are_unchanged,
    "source-in-upper-half": atomics.memory_holds_the_result,
    "result-in-upper-half": frame.other_registers_are_unchanged,
    "does-imin": atomics.memory_holds_the_result,
    "does-imax": atomics.memory_holds_the_result,
    "nan-propagates": atomics.memory_holds_the_result,
    "zeros-ordered": atomics.memory_holds_the_result,
    "denormals-flushed": atomics.memory_holds_the_result,
    "does-max": atomics.memory_holds_the_result,
    "does-add": atomics.memory_holds_the_result,
    "does-dec": atomics.memory_holds_the_result,
    "does-or": atomics.memory_holds_the_result,
    "lanes-never-collide": collision.colliding_lanes_are_undefined,
    "misalignment-allowed": collision.misaligned_lane_is_undefined,
    "nothing-is-defined": collision.nothing_else_is_undefined,
}
"""For each variant a property that it breaks."""


def _name(wrong: WrongVariant) -> str:
    subject = wrong()
    return f"{subject.variant}-{wrong.shape}"


@pytest.mark.parametrize("wrong", WRONG, ids=_name)
def test_the_cross_check_finds_a_state_on_which_execute_differs(wrong: WrongVariant) -> None:
    assert found_disagreement(wrong(), STATES) is not None


@pytest.mark.parametrize("wrong", WRONG, ids=_name)
def test_a_property_is_refuted_by_a_counterexample_that_replays(wrong: WrongVariant) -> None:
    subject = wrong()
    verdict = decide(KILLERS[subject.variant](subject))
    assert isinstance(verdict, Refuted), verdict
    assert verdict.execution.variant == subject.variant
    assert violated(verdict.execution)


@pytest.mark.parametrize("wrong", WRONG, ids=_name)
def test_the_right_instruction_passes_the_same_states(wrong: WrongVariant) -> None:
    """What catches the variant is the variant, not the states."""
    assert found_disagreement(wrong.shape(), STATES // 10) is None
