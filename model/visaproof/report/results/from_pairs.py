"""Findings of a pair of kernels, read off its row."""

from visaproof.report.results.finding import CODES, Finding, Level, Place, Result
from visaproof.report.two_kernels.pair_rows import Answer, Row

LEVELS = {
    Answer.DIFFERS: Level.REFUTED,
    Answer.BOUNDED: Level.BOUNDED,
    Answer.VACUOUS: Level.VACUOUS,
    Answer.UNKNOWN: Level.UNKNOWN,
    Answer.NOT_MODELLED: Level.NOT_MODELLED,
    Answer.UNMATCHED: Level.UNREADABLE,
    Answer.UNREADABLE: Level.UNREADABLE,
    Answer.MISSING: Level.UNREADABLE,
    Answer.FAILED: Level.INTERNAL,
    Answer.DISAGREED: Level.DISAGREEMENT,
}
"""Of answers that are findings."""


def result_of(row: Row, code: int, target: str) -> Result:
    """A pair as every format shows it; `target` is the file that a finding is about."""
    subject = f"{row.source} → {row.target}" if row.target else row.source
    level = LEVELS.get(row.answer)
    found: tuple[Finding, ...] = ()
    if level is not None:
        place = Place(file=target)
        message = f"{row.answer.value}: {row.detail}"
        found = (Finding(level=level, kind="refinement", message=message, kernel=subject, place=place),)
    assert (CODES[level] if level else 0) == code, "a finding has the exit code of its answer"
    return Result(
        subject=subject, code=code, text=f"{subject}: {row.answer.value}: {row.detail}\n", findings=found,
        seconds=row.reading + row.asking,
    )  # fmt: skip
