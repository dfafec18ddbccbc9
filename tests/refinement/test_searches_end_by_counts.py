"""Searches end by counts: on a machine on which each step takes an hour, they find what they find on a fast one."""

import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from tests.refinement.test_refinement import IDLE, program
from tests.refinement.testing.test_refinement_small import SUM, TWO_SURFACES
from visaproof.launch.assumptions import Assume
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.random_testing import random_test
from visaproof.refinement.verdicts import Difference
from visaproof.rules.decision import check_rule
from visaproof.rules.language.reader import read_rule_file, rule_files
from visaproof.rules.suggest import suggest

PACKAGE = Path(__file__).parents[2] / "model" / "visaproof"
SEARCHING = ("refinement", "rules", "execution", "analysis")
CLOCKS = ("process_time", "monotonic", "perf_counter", "thread_time", "time_ns")
TOLD = {
    "refinement/strategies/strategy.py": "the seconds that --stats prints",
    "analysis/conflicts/search.py": "the verdict says that it timed out",
    "analysis/findings/verdicts.py": "the answer says that it timed out",
    "analysis/bounds/sizes/at_ends.py": "whether an address is read as integers before a solver is asked",
    "analysis/bounds/sizes/enough_bytes.py": "only whether a size that would suffice is named depends on it",
}
"""The modules that read a clock, and why the answer does not silently depend on it."""
WRONG = SUM.replace("add (M1, 8) F", "mul (M1, 8) F")


def test_no_search_reads_a_clock() -> None:
    modules = (path for folder in SEARCHING for path in (PACKAGE / folder).rglob("*.py"))
    reading = {
        str(path.relative_to(PACKAGE)) for path in modules if any(clock in path.read_text("utf-8") for clock in CLOCKS)
    }
    assert reading == set(TOLD)


def _slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at a clock is an hour later than the last one, but for what a solver is given."""
    hours = count(1)
    clock: Callable[[], float] = lambda: 3600.0 * next(hours)  # noqa: E731
    modules = [module for name, module in sys.modules.items() if name.startswith("visaproof.")]
    for module in modules:
        if not module.__name__.startswith("visaproof.smt"):
            for name in set(CLOCKS) & set(vars(module)):
                monkeypatch.setattr(module, name, clock)


def _comparison(target: str) -> Comparison:
    return compare(program(SUM, TWO_SURFACES), program(IDLE + target, TWO_SURFACES), Scope(Assume.NONE))


def test_a_slow_machine_finds_the_same_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by random testing, and shrunk."""
    fast = decide(_comparison(WRONG), 2_000)
    _slowly(monkeypatch)
    assert isinstance(fast, Difference)
    assert decide(_comparison(WRONG), 2_000) == fast


def test_a_slow_machine_makes_as_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last run of many shows the difference, and none is made after the last one."""
    comparison, most = _comparison(SUM), 200
    made = list[int]()

    def last(*_: object) -> Difference | None:
        made.append(1)
        return None

    _slowly(monkeypatch)
    monkeypatch.setattr("visaproof.refinement.testing.random_testing.difference", last)
    assert random_test(comparison, 60, most=most) is None
    assert len(made) == most


@pytest.mark.slow
def test_a_slow_machine_suggests_the_same_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = read_rule_file(rule_files(["dec-to-predec-used"])[0])
    refuted = check_rule(rule)
    fast = suggest(rule, refuted, 5)
    _slowly(monkeypatch)
    assert suggest(rule, refuted, 5) == fast


def test_a_search_for_conditions_counts_what_it_leaves_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("visaproof.rules.suggest.MOST_ASKED", 0)
    rule = read_rule_file(rule_files(["dec-to-predec-used"])[0])
    found = suggest(rule, check_rule(rule), 5)
    assert found is not None
    assert found.undecided > 0
