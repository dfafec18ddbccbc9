"""The files in counterexamples/: each replays, and each is what a claim of proofs/ writes."""

from pathlib import Path

import pytest

from visaproof.checking.claims.catalogue import load_claims
from visaproof.checking.claims.identity_record import SIDES_DIFFER, read_identity, replay_identity
from visaproof.checking.counterexample import read_counterexample, violation_of
from visaproof.checking.replay import replay
from visaproof.checking.verdict import Refuted
from visaproof.report.names import counterexample_name

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "counterexamples").rglob("*.json"))
RULES = [path for path in FILES if violation_of(path) == SIDES_DIFFER]
RUNS = [path for path in FILES if path not in RULES]
MOST_BYTES = 16 * 1024
KERNELS = ("lanes-collide", "unwritten")
"""How kernels are shown to be wrong."""


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_a_counterexample_replays_and_is_small(path: Path):
    """What `execute` leaves is what was recorded, and it shows the violation."""
    assert replay(read_counterexample(path), str(path)).differences == ()
    assert path.stat().st_size <= MOST_BYTES


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_the_sides_of_a_wrong_rule_have_the_recorded_values(path: Path):
    """By numbers: no rule of the normal form touches the terms of the file."""
    assert replay_identity(read_identity(path), str(path)) == ()
    assert path.stat().st_size <= MOST_BYTES


@pytest.mark.slow
def test_the_files_are_those_that_the_refutations_write():
    """`make counterexamples` writes what is missing; a file that no claim writes any more is to be removed.

    Findings in kernels are kept by hand: `visaproof conflicts --save` and `visaproof bounds --save`.
    """
    queries = [claim.ask() for claim in load_claims(ROOT / "proofs") if claim.expected is Refuted]
    names = [counterexample_name(query.id, getattr(query.about, "variant", "")) for query in queries]
    assert len(names) == len(set(names))
    kept = [path.name for path in FILES if violation_of(path) not in KERNELS]
    assert sorted(kept) == sorted(names)
