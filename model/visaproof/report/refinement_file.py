"""A difference between two kernels, written as a file once that file has been replayed."""

from pathlib import Path

from visaproof.engine.counterexample import write_counterexample
from visaproof.engine.refinement_comparison import Comparison
from visaproof.engine.refinement_record import can_be_recorded, example_name, refinement_record
from visaproof.engine.refinement_replay import replay_refinement
from visaproof.engine.refinement_runs import Difference
from visaproof.report.refinement import difference_text


def save_difference(comparison: Comparison, found: Difference, folder: Path) -> Path | None:
    """The file that was written; None where no file can hold the difference.  Raises OSError."""
    if not can_be_recorded(found):
        return None
    path = folder / example_name(comparison)
    record = refinement_record(comparison, found, difference_text(comparison, found))
    differences = replay_refinement(record, str(path))
    if differences:
        raise AssertionError(f"a difference that was seen does not replay: {'; '.join(differences)}")
    write_counterexample(record, path)
    return path
