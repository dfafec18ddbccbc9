"""`--rules igc` against Intel's own parser and verifier."""

from collections import Counter
from pathlib import Path

import pytest

from tests.genx.disagreements import DOCUMENTED_DISAGREEMENTS
from tests.genx.generator import cases
from tests.genx.judged import broken_hazards, rejection, run_all
from tests.genx.tool import REASON, TOOL
from visaproof.isa.platform import SUPPORTED, Platform

pytestmark = pytest.mark.skipif(TOOL is None, reason=REASON)

PARTS, FILES_OF_A_PART = 4, 600


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(PARTS))
def test_the_rules_accept_what_the_tool_accepts(seed: int, tmp_path: Path) -> None:
    """Every file that the tool has a verdict on; it crashes only where that is documented."""
    generated = list(cases(FILES_OF_A_PART, seed))
    different: list[str] = []
    counted: Counter[tuple[Platform, bool]] = Counter()
    for case, run in zip(generated, run_all(generated, tmp_path), strict=True):
        if run.crashed:
            assert broken_hazards(case) & {row.hazard for row in DOCUMENTED_DISAGREEMENTS}, case.statement
            continue
        rejected = rejection(case)
        counted[case.platform, run.accepted] += 1
        if run.accepted == bool(rejected):
            said = f"the tool: {run.message or run.accepted}; we: {rejected or True}"
            different.append(f"{case.platform.name}: {case.statement}: {said}")
    assert not different, "\n".join(different)
    both = [(platform, accepted) for platform in SUPPORTED for accepted in (True, False)]
    assert all(counted[each] >= 20 for each in both), "each platform accepts and rejects some"
    assert sum(counted.values()) >= FILES_OF_A_PART - 10


def test_at_least_two_thousand_files_are_tried() -> None:
    assert PARTS * FILES_OF_A_PART >= 2000
    assert list(cases(50, seed=0)) == list(cases(50, seed=0)), "always the same"
