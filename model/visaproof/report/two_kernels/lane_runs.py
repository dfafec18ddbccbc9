"""What a lane did in both runs of a difference, side by side, as people and programs read it."""

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from visaproof.refinement.testing.lane_runs import Done, LaneRun, Stored
from visaproof.report.text.columns import beside
from visaproof.report.two_kernels.writers import Naming

AROUND = 2
"""Statements with the same values that are shown before others."""

MARK = "► "

MOST_ROWS = 40
MOST_VALUES = 4
"""Of one statement."""

Put = Callable[[Stored], str]
"""What a lane put into memory, in words."""

Row = tuple[Done | None, Done | None]


def lane_run_lines(runs: tuple[LaneRun, LaneRun], put: Put) -> Iterator[str]:
    """The statements of both runs that come to something else, and a few before the first of them."""
    source, target = runs
    rows = list(aligned(source.done, target.done))
    if not rows:
        return
    yield "what it is computed from:"
    yield from beside([f"  source, {_who(source)}"], [f"  target, {_who(target)}"])
    differ = [place for place, row in enumerate(rows) if not _same(row)]
    first = differ[0] if differ else len(rows) - 1
    shown = sorted({*range(max(first - AROUND, 0), first), *differ, len(rows) - 1})
    behind = -1
    for place in (*shown[: MOST_ROWS // 2], *shown[MOST_ROWS // 2 :][-MOST_ROWS // 2 :]):
        if left_out := place - behind - 1:
            same = "" if len(shown) > MOST_ROWS else " of the same values"
            yield from beside([f"  … {left_out} more{same}"], ["  …"])
        mark = MARK if place == first else " " * len(MARK)
        yield from beside(*(_lines(one, mark, put) for one in rows[place]))
        behind = place


def target_run_lines(run: LaneRun, put: Put) -> Iterator[str]:
    """The statements of the target alone, the last of which is at fault."""
    if not run.done:
        return
    last = run.done[-1].instruction
    yield f"  line {last.position.line}, {_who(run)} | {' '.join(last.text.split())}"
    yield "what it is computed from:"
    shown = run.done[-MOST_ROWS:]
    if left_out := len(run.done) - len(shown):
        yield f"    … {left_out} more"
    for one in shown:
        yield from (f"  {line}" for line in _lines(one, MARK if one is shown[-1] else " " * len(MARK), put))


def aligned(source: Sequence[Done], target: Sequence[Done]) -> Iterator[Row]:
    """Statements of both that come to the same values beside each other, in order, and both last ones."""
    if source and target:
        yield from _aligned(source[:-1], target[:-1])
        yield source[-1], target[-1]
    else:
        yield from zip_longest(source, target)


def _aligned(source: Sequence[Done], target: Sequence[Done]) -> Iterator[Row]:
    values = [[one.values for one in side] for side in (source, target)]
    for _, start, end, other, behind in SequenceMatcher(None, *values, autojunk=False).get_opcodes():
        yield from zip_longest(source[start:end], target[other:behind])


def _same(row: Row) -> bool:
    one, other = row
    return one is not None and other is not None and one.values == other.values


def _who(run: LaneRun) -> str:
    thread = [] if run.thread is None else [f"thread {run.thread}"]
    return ", ".join([*thread, "all lanes" if run.lane is None else f"lane {run.lane}"])


def _lines(done: Done | None, mark: str, put: Put) -> list[str]:
    if done is None:
        return []
    statement = f"{mark}{done.instruction.position.line}: {' '.join(done.instruction.text.split())}"
    values = [*(f"{one.place} = {one.value}" for one in done.registers), *map(put, done.stored)]
    more = [f"      and {len(values) - MOST_VALUES} more"] if len(values) > MOST_VALUES else []
    return [statement, *(f"      {one}" for one in values[:MOST_VALUES]), *more]


def lane_run_json(run: LaneRun, name: Naming) -> dict[str, Any]:
    """One of them."""
    return {"thread": run.thread, "lane": run.lane, "statements": [_done_json(one, name) for one in run.done]}


def _done_json(done: Done, name: Naming) -> dict[str, Any]:
    stored = [
        {"surface": name(one.surface), "address": one.place, "bytes": one.width, "value": f"{one.value:#x}"}
        for one in done.stored
    ]
    record: dict[str, Any] = {"line": done.instruction.position.line, "text": done.instruction.text.strip()}
    registers = {one.place: one.value for one in done.registers}
    return record | ({"registers": registers} if registers else {}) | ({"stored": stored} if stored else {})
