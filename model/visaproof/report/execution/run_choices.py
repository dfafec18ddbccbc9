"""What a launch shows of results that no page states, and of what depends on them."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from visaproof.execution.choices import (
    Dependent,
    DependentBytes,
    DependentEnding,
    DependentStatement,
    Nondeterminism,
)
from visaproof.execution.payload import Program
from visaproof.execution.run import Memory, UndefinedAt
from visaproof.execution.shape import ThreadId
from visaproof.isa.errors import Position
from visaproof.isa.identity import Same
from visaproof.report.execution.run_premises import of_choices
from visaproof.report.execution.run_records import DependentRecord, NondeterminismRecord, UnstatedRecord
from visaproof.report.text.documents import shown_path
from visaproof.semantics.concrete.choices import POLICIES, Picked
from visaproof.visaasm.opcode_kinds import Kind, kind_of_opcode

MOST_SHOWN = 16
"""Dependent things in text, and results of each."""
MOST_RECORDS = 10_000
WIDTH = 120


def lines(found: Nondeterminism, program: Program, memory: Memory) -> Iterator[str]:
    """As text."""
    beyond, unstated = ([one for one in found.picked if one.beyond is kind] for kind in (True, False))
    if beyond:
        yield ""
        unseen = next(one for one in of_choices(found) if one.name == "beyond-unseen")
        yield from _wrapped(f"  note: {unseen}")
        yield from _causes(beyond)
    if unstated and not found.dependent:
        yield ""
        yield f"  note: no page states {_counted(unstated)}; buffers, branches and addresses are the same under the"
        yield f"        {POLICIES} choices tried, which is no proof that nothing depends on them"
        yield from _causes(unstated)
    together = _together(found.dependent)
    for several in together[:MOST_SHOWN]:
        one = several[0]
        yield ""
        yield f"  UNKNOWN: {_what(one, program, memory)} on {_counted(one.on)} that no page states"
        yield from _places([each for each in several if isinstance(each, DependentBytes)])
        yield from _causes(one.on)
    if (more := len(together) - MOST_SHOWN) > 0:
        yield ""
        yield f"  UNKNOWN: {more:,} more depend on such results"


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, subsequent_indent=" " * 8)


def _together(dependent: Sequence[Dependent]) -> list[list[Dependent]]:
    """Bytes of one buffer that depend on the same results, in one list; all else alone."""
    found: dict[object, list[Dependent]] = {}
    for one in dependent:
        on = tuple(Same(each) for each in one.on)
        key = (one.argument, on) if isinstance(one, DependentBytes) else Same(one)
        found.setdefault(key, []).append(one)
    return list(found.values())


def _places(ranges: Sequence[DependentBytes]) -> Iterator[str]:
    """Which bytes."""
    if ranges:
        shown = [f"{one.first:#x}..{one.last:#x}" for one in ranges[:MOST_SHOWN]]
        more = f", … {len(ranges) - MOST_SHOWN:,} more" if len(ranges) > MOST_SHOWN else ""
        count = sum(one.last - one.first + 1 for one in ranges)
        yield f"        {count:,} bytes: {', '.join(shown)}{more}"


def _counted(picked: Sequence[Picked]) -> str:
    return "a result" if len(picked) == 1 else f"{len(picked):,} results"


def _causes(picked: Sequence[Picked]) -> Iterator[str]:
    for one in picked[:MOST_SHOWN]:
        others = ", and others" if one.others else ""
        yield f"        {one.position}: {one.what} (lane {one.lane} of {one.thread}{others})"
    if (more := len(picked) - MOST_SHOWN) > 0:
        yield f"        {more:,} more"


def _what(one: Dependent, program: Program, memory: Memory) -> str:
    match one:
        case DependentBytes(index):
            return f"{memory.buffers[index].name} depends"
        case DependentStatement(position):
            if _is_branch(position, program):
                return f"{position}: which lanes jump depends"
            return f"{position}: which bytes are reached depends"
        case DependentEnding(UndefinedAt() as undefined):
            return f"{undefined.position}: whether the behaviour is undefined ({undefined.message}) depends"
        case DependentEnding(stopped=stopped):
            return f"whether the launch can be run ({stopped}) depends"


def _is_branch(position: Position, program: Program) -> bool:
    return any(
        each.position == position and kind_of_opcode(each.opcode) is Kind.BRANCH
        for each in program.kernel.instructions()
    )


def record(found: Nondeterminism, program: Program) -> NondeterminismRecord:
    """As JSON."""
    places = {(one.position, one.what): k for k, one in enumerate(found.picked)}
    dependent = [
        _dependent(one, program, [places[cause.position, cause.what] for cause in one.on])
        for one in found.dependent[:MOST_RECORDS]
    ]
    return NondeterminismRecord(POLICIES, [_unstated(one) for one in found.picked], dependent)


def _unstated(one: Picked) -> UnstatedRecord:
    thread = one.thread
    assert isinstance(thread, ThreadId)
    place = one.position
    path = shown_path(place.path)
    number, lane = thread.number, one.lane
    return UnstatedRecord(path, place.line, place.column, one.what, thread.group, number, lane, one.others, one.beyond)


def _dependent(one: Dependent, program: Program, on: list[int]) -> DependentRecord:
    match one:
        case DependentBytes(index, first, last):
            return DependentRecord("bytes", on, argument=index, first_byte=first, last_byte=last)
        case DependentStatement(position):
            kind = "branch" if _is_branch(position, program) else "address"
            return DependentRecord(kind, on, line=position.line, column=position.column)
        case DependentEnding(UndefinedAt(position, message)):
            return DependentRecord("ending", on, line=position.line, column=position.column, message=message)
        case DependentEnding(stopped=stopped):
            return DependentRecord("ending", on, message=stopped)
