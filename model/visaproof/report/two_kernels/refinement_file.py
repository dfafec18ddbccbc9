"""A difference between two kernels, written as a file once that file has been replayed."""

from pathlib import Path

from visaproof.checking.counterexample import write_counterexample
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.record import RefinementExample, example_name, refinement_record
from visaproof.refinement.replay import replay_refinement
from visaproof.refinement.verdicts import Difference
from visaproof.report.two_kernels.difference import difference_text


def save_difference(comparison: Comparison, found: Difference, folder: Path) -> Path:
    """The file that was written.  Raises OSError."""
    return write_difference(comparison, replayed_record(comparison, found), folder)


def replayed_record(comparison: Comparison, found: Difference) -> RefinementExample:
    """What is saved of a difference, which shows it once more."""
    record = refinement_record(comparison, found, difference_text(comparison, found))
    differences = replay_refinement(record, example_name(comparison))
    if differences:
        raise AssertionError(f"a difference that was seen does not replay: {'; '.join(differences)}")
    return record


def write_difference(comparison: Comparison, record: RefinementExample, folder: Path) -> Path:
    """The file that was written.  Raises OSError."""
    path = folder / example_name(comparison)
    write_counterexample(record, path)
    return path
