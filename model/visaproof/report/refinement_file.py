"""A difference between two kernels, written as a file once that file has been replayed."""

from pathlib import Path

from visaproof.engine.counterexample import write_counterexample
from visaproof.engine.refinement.comparison import Comparison
from visaproof.engine.refinement.record import example_name, refinement_record
from visaproof.engine.refinement.replay import replay_refinement
from visaproof.engine.refinement.runs import Difference
from visaproof.report.refinement import difference_text


def save_difference(comparison: Comparison, found: Difference, folder: Path) -> Path:
    """The file that was written.  Raises OSError."""
    path = folder / example_name(comparison)
    record = refinement_record(comparison, found, difference_text(comparison, found))
    differences = replay_refinement(record, str(path))
    if differences:
        raise AssertionError(f"a difference that was seen does not replay: {'; '.join(differences)}")
    write_counterexample(record, path)
    return path
