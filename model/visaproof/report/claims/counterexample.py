"""A counterexample as a small table: the instruction, what differs from zero before it, and what it leaves."""

import re
from collections.abc import Iterator

from rich.console import Console

from visaproof.checking.claims.identity_record import IdentityExample
from visaproof.checking.counterexample import Counterexample, Outcome, SurfaceState

_LANES = re.compile(r"\(M\d\w*, (\d+)\)")
_QWORDS = re.compile(r"\bqw_\w+\.\d+ .* (\w+)\.\d+$")
"""The last operand of a qword message has eight bytes for each lane."""

_DECLARATION = re.compile(r"\s*(\.|$)")
INDENT = 5
PIPE_WIDTH = 120
"""Columns of a table that goes to no terminal."""


def described(counterexample: Counterexample | IdentityExample, console: Console) -> None:
    """Prints the counterexample, indented."""
    width = console.width - INDENT if console.is_terminal else PIPE_WIDTH
    if isinstance(counterexample, IdentityExample):
        lines = identity_lines(counterexample)
    else:
        lines = counterexample_lines(counterexample, width)
    for line in lines:
        console.print(" " * INDENT + line, soft_wrap=True)


def identity_lines(example: IdentityExample) -> Iterator[str]:
    """What it shows, the values, and both sides."""
    yield f"{example.shows}:"
    yield ", ".join(f"{name} = {value}" for name, value in example.values.items())
    for side in (example.written, example.other):
        yield f"{side.term} = {side.value}"


def counterexample_lines(counterexample: Counterexample, width: int) -> Iterator[str]:
    """What it shows, the instruction, the state before, and what each run leaves."""
    yield f"{counterexample.shows}:"
    for line in instructions_of(counterexample):
        yield f"  {line}"
    yield from _registers(counterexample, width)
    yield from _places(counterexample)
    yield from _outcomes(counterexample)


def instructions_of(counterexample: Counterexample) -> list[str]:
    """The statements of the program, without declarations and the final `ret`; of a kernel, the one that is meant."""
    if counterexample.line:
        return [line.strip() for line in counterexample.program[counterexample.line - 1 : counterexample.line]]
    lines = [line.strip() for line in counterexample.program if not _DECLARATION.match(line)]
    return [line for line in lines if not line.startswith("ret ")]


def _registers(counterexample: Counterexample, width: int) -> Iterator[str]:
    """Registers that are not zero, one row for as many elements as there are lanes, as hexadecimal numbers."""
    (text, *_) = [*instructions_of(counterexample), ""]
    found, qword = _LANES.search(text), _QWORDS.search(text)
    lanes = int(found.group(1)) if found else 4
    rows: list[tuple[str, list[str]]] = []
    for name, content in counterexample.state.registers.items():
        size = 8 if qword and qword.group(1) == name else 4
        rows += _rows(name, bytes.fromhex(content), size, lanes)
    columns = [
        [str(index), *(row[index] if index < len(row) else "" for _, row in rows)]
        for index in range(lanes)
        if any(row[index : index + 1] not in ([], ["0"]) for _, row in rows)
    ]
    yield from _side_by_side(["lane" if found else "dword", *(label for label, _ in rows)], columns, width)


def _side_by_side(labels: list[str], columns: list[list[str]], width: int) -> Iterator[str]:
    """The labels and as many columns as fit, then the labels again and the next columns."""
    while columns:
        lines = [f"{label:<{max(map(len, labels))}}" for label in labels]
        first = True
        while columns and (first or len(lines[0]) + 2 + max(map(len, columns[0])) <= width):
            column, first = columns.pop(0), False
            lines = [f"{line}  {cell:>{max(map(len, column))}}" for line, cell in zip(lines, column, strict=True)]
        yield from lines


def _rows(name: str, content: bytes, size: int, lanes: int) -> Iterator[tuple[str, list[str]]]:
    for start in range(0, len(content), size * lanes):
        row = content[start : start + size * lanes]
        if any(row):
            values = [int.from_bytes(row[at : at + size], "little") for at in range(0, len(row), size)]
            yield f"{name}.{start}", [f"{value:#x}" if value else "0" for value in values]


def _places(counterexample: Counterexample) -> Iterator[str]:
    """Platform, execution mask, predicates and surfaces."""
    state, runs = counterexample.state, counterexample.runs
    masks = f", execution mask {', then '.join(runs[0].steps)}" if len(runs) == 1 else ""
    yield f"on {counterexample.platform}{masks}"
    for name, predicate in state.predicates.items():
        yield f"{name} = {predicate.bits}"
    for name, surface in state.surfaces.items():
        yield f"{name}: {_surface(surface)}"


def _surface(surface: SurfaceState) -> str:
    if surface.levels is None:
        extent = f"{surface.size or 0:,} bytes"
    else:
        extent = ", ".join("x".join(map(str, level)) for level in surface.levels) + " texels"
    cells = ", ".join(f"[{place}] = {value}" for place, value in surface.contents.items())
    return f"{extent}; {cells}" if cells else f"{extent}, all zero"


def _outcomes(counterexample: Counterexample) -> Iterator[str]:
    runs = [(f"execute {', '.join(run.steps)}", run.outcome) for run in counterexample.runs]
    if len(runs) == 1:
        runs = [("execute", runs[0][1])]
    if counterexample.claimed is not None:
        runs.append((counterexample.variant or "the page", counterexample.claimed))
    width = max(len(who) for who, _ in runs)
    for who, outcome in runs:
        yield f"{who:<{width}}  {outcome_text(outcome)}"


def outcome_text(outcome: Outcome) -> str:
    """ "T6[0x10] = 0x01, VD.0 = 0x2", or why it is undefined."""
    if outcome.undefined is not None:
        return f"undefined: {outcome.undefined}"
    return ", ".join(f"{place} = {value}" for place, value in outcome.changes.items()) or "changes nothing"
