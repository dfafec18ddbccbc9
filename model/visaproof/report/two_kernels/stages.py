"""Which strategies were tried for a question about two kernels, and what each took."""

from collections.abc import Iterator, Sequence
from typing import Any

from visaproof.refinement.strategies.strategy import Stage, Stages
from visaproof.report.text.tables import table

WIDTH = 120


def stage_lines(stages: Stages) -> Iterator[str]:
    """A table in the order in which they were tried."""
    if not stages.tried:
        yield "  no strategy was needed"
        return
    lines = [[one.name, f"{one.seconds:.3f}", one.answer or "-"] for one in stages.tried]
    yield from (line.rstrip() for line in table(["stage", "seconds", "found"], lines, WIDTH))


def stages_json(tried: Sequence[Stage]) -> list[dict[str, Any]]:
    """The same as data; the time is of the processor."""
    return [{"stage": one.name, "seconds": round(one.seconds, 6), "found": one.answer} for one in tried]
