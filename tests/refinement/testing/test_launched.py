"""A thread of a launch on which two kernels differ is shown only where it starts and ends as in that launch."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from visaproof.execution.differing_launch import DifferingLaunch, Left, TargetStops, find_differing
from visaproof.execution.payload import Program
from visaproof.execution.usual_launches import Stated
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import ANY_GROUPS, StatedGroups
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.refines import Programs
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.launched import thread_of
from visaproof.refinement.verdicts import ByteDiffers
from visaproof.semantics.symbolic.names import LaneOn

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


NAMES: Sequence[str] = ("mean", "mean_short")


def compared(groups: StatedGroups = ANY_GROUPS) -> Comparison:
    read = Programs().read
    source, target = (read(EXAMPLES / f"{name}.visaasm", EXAMPLES / f"{name}.bin", None) for name in NAMES)
    return compare(source, target, Scope(Assume.of("launch"), groups=groups))


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compared()


@pytest.fixture(scope="module")
def launch(comparison: Comparison) -> DifferingLaunch:
    source, target = (Program(one.kernel, one.launch, one.platform) for one in (comparison.source, comparison.target))
    found = find_differing(source, target, Stated())
    assert isinstance(found, DifferingLaunch)
    return found


def test_a_thread_of_the_launch_leaves_what_the_launch_left(comparison: Comparison, launch: DifferingLaunch) -> None:
    found = thread_of(comparison, launch)
    assert found is not None
    assert isinstance(found.what, ByteDiffers)
    assert isinstance(launch.left, Left)
    surface, address = f"argument {launch.left.argument}", launch.left.address
    assert (found.what.surface, found.what.address) == (surface, address)
    on = [value for one, value in found.values.items() if isinstance(one.payload, LaneOn)]
    assert sum(on) == launch.shape.items


def test_no_thread_is_shown_that_leaves_another_element(comparison: Comparison, launch: DifferingLaunch) -> None:
    assert isinstance(launch.left, Left)
    element = replace(launch.left.element, first=launch.left.element.first + 4)
    assert thread_of(comparison, replace(launch, left=replace(launch.left, element=element))) is None
    assert thread_of(comparison, replace(launch, left=TargetStops(1, "stops"))) is None


def test_no_thread_is_shown_that_starts_as_no_thread_of_the_question(launch: DifferingLaunch) -> None:
    """Of groups of 64 work items no thread has two lanes."""
    assert launch.shape.local_size != (64, 1, 1)
    assert thread_of(compared(StatedGroups((64, 1, 1))), launch) is None
