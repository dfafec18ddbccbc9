"""Kernels that reach memory by 64-bit pointers or LSC, as compilers write them: their scatters conflict or do not."""

from pathlib import Path

import pytest

from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.verdicts import Conflict, Free
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import read_launch
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.smt import sub, value_of
from visaproof.visaasm.reader import read_kernel_file

DATA = Path(__file__).parents[2] / "data"
WIDE = ("a64", "lsc", "pvc-O2")
EXPECTED = {
    "lane_conflict": Conflict,
    "conflict_div": Conflict,
    "permute_scatter": Conflict,
    "swap_pairs": Free,
    "vadd": Free,
    "copy16": Free,
}
FILES = sorted(
    path
    for path in (DATA / "visaasm").glob("*/*.visaasm")
    if path.parent.name in EXPECTED and any(part in path.stem for part in WIDE)
)


def test_the_data_has_such_files() -> None:
    assert {path.parent.name for path in FILES} == set(EXPECTED)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_scatters_to_64_bit_addresses(path: Path) -> None:
    """A conflict has been replayed concretely."""
    kernel = read_kernel_file(path)
    launch = read_launch(DATA / "manifest.json", kernel, None)
    assert launch.platform is not None
    asked = ask_kernel(kernel, launch.platform, launch, Assume.IDS, timeout_ms=20_000)
    assert asked.stopped is None
    answers = [type(finding.answer) for finding in asked.answers()]
    assert answers == [EXPECTED[path.parent.name]]
    if path.parent.name == "vadd":
        assert_pointers_cancel(asked.questions[0])


def assert_pointers_cancel(question: ConflictQuestion) -> None:
    """What differs between two lanes is no pointer, although it was added in halves with a carry."""
    (first,), (second,) = (lane.base for lane in question.lanes[:2])
    difference = sub(second, first)
    assert value_of(difference) is not None or len(difference.args) == 2
