"""Counterexample files of every kind, replayed by one call."""

from pathlib import Path

import msgspec
from msgspec import Struct

from visaproof.checking.claims.identity_record import SIDES_DIFFER, read_identity, replay_identity
from visaproof.checking.counterexample import DOES_NOT_REFINE, decoded, read_counterexample, violation_of
from visaproof.checking.replay import Replay, replay
from visaproof.refinement.record import RefinementExample
from visaproof.refinement.replay import run_again


class Replayed(Struct, frozen=True):
    """A file that was run again."""

    claim: str
    shows: str
    """What the run shows, whatever the file says."""
    differences: tuple[str, ...]
    """What is not as recorded, in words; empty where it replays."""
    record: msgspec.Struct
    """What the file holds."""
    run: Replay | None = None
    """Of one kernel, or of instructions."""


def replay_file(path: Path) -> Replayed:
    """Runs the counterexample of a file again, without a solver.  Raises ReadError."""
    violation = violation_of(path)
    if violation == SIDES_DIFFER:
        sides = read_identity(path)
        return Replayed(sides.claim, sides.shows, replay_identity(sides, str(path)), sides)
    if violation == DOES_NOT_REFINE:
        example = decoded(path, RefinementExample)
        again = run_again(example, str(path))
        return Replayed(again.claim, again.shows, tuple(again.differences), example)
    found = read_counterexample(path)
    run = replay(found, str(path))
    return Replayed(found.claim, run.shows, run.differences, found, run)
