"""Bounds as people read them: each memory message, its verdict, and the lane that reaches outside."""

from collections.abc import Iterator
from itertools import groupby, islice
from typing import TYPE_CHECKING

from visaproof.analysis.bounds.kernel import BoundsAnswers, BoundsFinding
from visaproof.analysis.bounds.memory import window_of
from visaproof.analysis.bounds.sizes.inside_if import InsideIf
from visaproof.analysis.bounds.verdicts import Holds, Meaningless, Outside, Reached, Shown, Unbounded, Undecided
from visaproof.analysis.surface_sizes import argument_of
from visaproof.isa.errors import Position
from visaproof.isa.readings import READINGS
from visaproof.launch.matching import is_linked
from visaproof.launch.overlap import NOTHING_SAID
from visaproof.queries.kernels.suspects import ranges
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.report.kernels.premises import premise_lines
from visaproof.report.one_kernel.conflicts import (
    bound_surface,
    data_dependence,
    input_lines,
    readings_lines,
    surface_name,
)
from visaproof.report.one_kernel.lane_rows import LaneRow, Rows, in_rows
from visaproof.report.one_kernel.lane_table import MARK
from visaproof.report.one_kernel.statements import counted_bytes, statement_lines
from visaproof.report.records import bounds as records
from visaproof.report.records.bounds import BoundsAnswer, Message
from visaproof.semantics.concrete.surface import Buffer

if TYPE_CHECKING:
    from visaproof.report.one_kernel.shown_launch import ShownLaunch

INDENT = " " * 8

MOST_ROWS = 8
"""Lanes that are shown of one message."""


def finding_lines(
    answers: BoundsAnswers,
    finding: BoundsFinding,
    record: Message,
    launch: "ShownLaunch | None" = None,
    verbose: bool = False,
) -> Iterator[str]:
    """One message: its source line, what is known of its bounds and of its meaning, and a launch that leaves them."""
    *source, statement = statement_lines(answers.kernel, finding.question.instruction)
    if record.part_of is not None and not verbose:
        yield statement
        yield f"{INDENT}{_as_before(record)}, as line {record.part_of} (-v shows it)"
        return
    if launch is not None and launch.like is not None and not verbose and isinstance(record.meaning, records.Proved):
        yield statement
        surface = surface_name(answers, finding.surfaces[0])
        yield f"{INDENT}{_as_before(record)} where {surface} is too small, as line {launch.like.line} (-v shows it)"
        return
    yield from ("", *source, statement)
    yield from _verdict_lines(answers, finding, launch, verbose)


def _as_before(record: Message) -> str:
    """The verdict of a further part."""
    words = [_word(record.bounds), *([] if isinstance(record.meaning, records.Proved) else [_word(record.meaning)])]
    return "; ".join(dict.fromkeys(words))


def _word(answer: BoundsAnswer) -> str:
    match answer:
        case records.Refuted(kind=kind):
            shown = UndefinedKind.MISALIGNED.value, UndefinedKind.BEYOND_VARIABLE.value
            return f"{'UNDEFINED' if kind in shown else 'OUTSIDE'} (replayed)"
        case records.Bounded():
            return "BOUNDED"
        case records.Unknown():
            return "UNKNOWN"
        case records.NotModelled():
            return "not modelled"
        case records.Proved():
            return "in bounds"


def _verdict_lines(
    answers: BoundsAnswers, finding: BoundsFinding, launch: "ShownLaunch | None", verbose: bool
) -> Iterator[str]:
    surface = bound_surface(answers, *finding.surfaces)["surface"]
    match finding.bounds:
        case Holds(by, bounded):
            yield from _holds(f"every access lies inside {surface}", "in bounds", by, bounded)
        case Unbounded(reason):
            yield f"{INDENT}not modelled: {reason}"
        case Undecided(reason):
            if finding.enough is not None:
                yield _inside_if(finding.enough, surface_name(answers, finding.surfaces[0]))
            yield f"{INDENT}UNKNOWN: {reason}"
            if finding.enough is not None:
                yield f"{INDENT}hint: {finding.enough.options}"
        case Outside() as outside if finding.free_size:
            yield from _too_small(answers, finding, outside, launch)
        case Outside() as outside:
            surface = surface_name(answers, outside.surface)
            yield from _outside_lines(answers, outside, surface, launch, finding.enough, verbose)
            if finding.enough is not None:
                yield f"{INDENT}hint: {finding.enough.options}"
    if not isinstance(finding.meaning, Undecided) or finding.meaning != finding.bounds:  # else neither in time
        yield from _meaning_lines(answers, finding, launch)


def _meaning_lines(answers: BoundsAnswers, finding: BoundsFinding, launch: "ShownLaunch | None") -> Iterator[str]:
    match finding.meaning:
        case Holds(_, ()):
            pass
        case Holds(by, bounded):
            yield from _holds("every access is defined", "defined", by, bounded)
        case Undecided(reason):
            yield f"{INDENT}UNKNOWN: {reason}"
        case Meaningless(lane=lane, message=message, shown=shown):
            yield f"{INDENT}UNDEFINED: {_who(lane)}: {message} (replayed)"
            yield from _shown_lines(answers, shown)
            if launch is not None and not isinstance(finding.bounds, Outside):
                yield from (f"{INDENT}{line}" for line in launch.lines())


def _holds(claim: str, verdict: str, by: str, bounded: tuple[Position, ...]) -> Iterator[str]:
    if not bounded:
        yield f"{INDENT}{verdict}: {claim}, for all inputs ({by})"
        return
    lines = ", ".join(str(line) for line in sorted({loop.line for loop in bounded}))
    yield f"{INDENT}BOUNDED: {claim}, in runs whose loops end in time ({by})"
    yield f"{INDENT}the branch of line {lines} may go back more often than it was unrolled: try a larger --unroll"


def _inside_if(enough: InsideIf, surface: str) -> str:
    what = f"{surface} has {enough}" if enough.size else enough
    return f"{INDENT}inside if {what} (proved: {enough.by}); else:"


def _too_small(
    answers: BoundsAnswers, finding: BoundsFinding, outside: Outside, launch: "ShownLaunch | None"
) -> Iterator[str]:
    """What to say where the surface may have any size: with none, everything is outside."""
    surface = surface_name(answers, outside.surface)
    reached = what_happens(answers, outside, launch)
    missed = None if launch is None else launch.missed(argument_of(answers.kernel, answers.launch, outside.surface))
    before = missed is not None and missed[0] < 0
    if finding.enough is not None:
        yield _inside_if(finding.enough, surface)
    elif finding.only_after is not None:
        yield f"{INDENT}inside if line {finding.only_after.position.line} is (proved: {finding.only_after.by}); else:"
    elif finding.needed is not None:
        yield f"{INDENT}inside if {surface} has at least {counted_bytes(finding.needed)}; else:"
    where = f": {reached}, before {surface} begins" if before else f" where {surface} is too small"
    yield f"{INDENT}OUTSIDE{where}: {'' if before else 'then '}{outside.effect.value} (replayed)"
    if launch is not None:
        yield from (f"{INDENT}{line}" for line in launch.lines(reached))
    if finding.enough is not None:
        yield f"{INDENT}hint: {finding.enough.options}"
    elif is_linked(outside.surface) and finding.needed is not None:
        yield f"{INDENT}hint: --size '{outside.surface.removeprefix('&')}={finding.needed}'"
    elif finding.needed is None and not before:
        yield f"{INDENT}hint: its size is arbitrary; `--size` says how large it is"


def _outside_lines(
    answers: BoundsAnswers,
    outside: Outside,
    surface: str,
    launch: "ShownLaunch | None",
    enough: InsideIf | None,
    verbose: bool,
) -> Iterator[str]:
    """The lane that leaves the buffer: in a launch, or where none is shown, in the run of one thread."""
    first = outside.first
    if enough is not None:
        yield _inside_if(enough, surface)
    if launch is not None and launch.is_another:
        what = what_happens(answers, outside, launch)
        size = launch.bytes_of(argument_of(answers.kernel, answers.launch, outside.surface))
        in_elements = what != launch.what()
        reached = what if in_elements else f"{what} of {surface}"
        if size:
            reached += f", and {surface} has {size}" if in_elements else f", which has {size}"
        yield f"{INDENT}OUTSIDE: {reached}: {outside.effect.value} (replayed)"
        yield from (f"{INDENT}{line}" for line in launch.lines(what))
        return
    yield (
        f"{INDENT}OUTSIDE: {_who(first.lane)} reaches {_span(first)} of {surface}, which has "
        f"{extent_of(outside)}: {outside.effect.value} (replayed)"
    )
    yield ""
    yield from (f"{INDENT}{line}" for line in _lane_table(outside))
    if verbose or launch is None or not launch.is_shown:
        yield from _shown_lines(answers, outside.shown)
    else:
        yield ""
        data = data_dependence(answers, outside.shown)
        yield from [f"{INDENT}depends on data: {data}"] if data else []
    if launch is not None:
        yield from (f"{INDENT}{line}" for line in launch.lines(what_happens(answers, outside, launch)))


def what_happens(answers: BoundsAnswers, outside: Outside, launch: "ShownLaunch | None") -> str:
    """What happens in the launch, in elements of the argument's buffer."""
    argument = argument_of(answers.kernel, answers.launch, outside.surface)
    name = "" if argument is None else surface_name(answers, outside.surface)
    info = NOTHING_SAID if argument is None else answers.launch.info(argument.index)
    first = outside.question.instruction.first_lane
    return "" if launch is None else launch.what(name, argument, first, info)


def _who(lane: int | None) -> str:
    return "the message" if lane is None else f"lane {lane}"


def _span(reached: Reached) -> str:
    if len(reached.cell) > 1:
        return f"texel ({', '.join(map(str, reached.cell))})"
    first = _first(reached)
    return f"bytes {first:#x}..{first + reached.width - 1:#x}"


def extent_of(outside: Outside) -> str:
    surface = outside.shown.state.surfaces[outside.question.performed.surface]
    if outside.first.offset is not None:
        begin, size = window_of(outside.question.buffers, outside.surface, outside.shown.values)
        return f"{counted_bytes(size)} at {begin:#x}"
    if isinstance(surface, Buffer):
        return counted_bytes(surface.size)
    return " and ".join("×".join(map(str, level)) for level in surface.levels[:1]) + " texels"


def _lane_table(outside: Outside) -> Iterator[str]:
    """A row for each enabled lane, as far as there is room; the lanes with an access outside are marked."""
    yield f"  {'lane':>5}  accesses"
    rows = [(lane, list(group)) for lane, group in groupby(outside.reached, key=lambda one: one.lane)]
    leave = [any(one.outside for one in accesses) for _, accesses in rows]
    first = min(max(0, leave.index(True) - 1), max(0, len(rows) - MOST_ROWS)) if any(leave) else 0
    if first:
        yield f"    {first} lane{'s' * (first > 1)} before, inside"
    at = first
    for row in islice(_rows(rows[first:]), MOST_ROWS):
        leaves, count = leave[at], len(row.lanes) if isinstance(row, Rows) else 1
        at += count
        yield f"{MARK if leaves else ' '} {_lanes(row):>5}  {_accesses(row, leaves)}"
    rest = leave[at:]
    if rest:
        yield f"    {len(rest)} more lanes, {sum(rest)} of them with an access outside"


_Row = tuple[int | None, list[Reached]]


def _rows(rows: list[_Row]) -> Iterator[Rows | _Row]:
    """Neighbours with one access of bytes each together; others are rows of their own."""
    for plain, group in groupby(rows, key=_is_plain):
        found = list(group)
        if plain:
            lanes = [LaneRow(lane or 0, _first(one), one.width, str(one.outside)) for lane, (one,) in found]
            yield from in_rows(lanes)
        else:
            yield from found


def _is_plain(row: _Row) -> bool:
    lane, accesses = row
    return lane is not None and len(accesses) == 1 and len(accesses[0].cell) == 1


def _lanes(row: Rows | _Row) -> str:
    if isinstance(row, Rows):
        return row.name
    return "-" if row[0] is None else str(row[0])


def _accesses(row: Rows | _Row, leaves: bool) -> str:
    if isinstance(row, Rows):
        return f"bytes {row.span}" + (" outside" if leaves else "")
    return ", ".join(_span(one) + (" outside" if one.outside else "") for one in row[1])


def _first(reached: Reached) -> int:
    return reached.cell[0] if reached.offset is None else reached.offset


def _shown_lines(answers: BoundsAnswers, shown: Shown) -> Iterator[str]:
    yield ""
    yield from (f"{INDENT}{line}" for line in input_lines(answers, shown))
    data = data_dependence(answers, shown)
    if data:
        yield f"{INDENT}depends on data: {data}"


def uninitialised_lines(answers: BoundsAnswers) -> Iterator[str]:
    """What is compared with itself before any path wrote it."""
    found = [one for one in answers.uninitialised if one.harmless]
    if found:
        yield ""
        yield "  compared with itself before any path wrote it (harmless: IGC's mask of the active lanes):"
    for one in found:
        yield f"  {one.reader.position.line:>5} | {one.reader.text}"
        yield f"{INDENT}{one.variable}, {one.storage.value} {ranges(one.places)}"


def readings_of(finding: BoundsFinding) -> list[str]:
    """The readings on which the effect of the message rests, as in "D11 scatter-bounds-grain"."""
    names = finding.question.performed.decoded.spec.readings
    return [f"{READINGS[name].decision} {name}" for name in names]


def footer(answers: BoundsAnswers, findings: list[BoundsFinding], verbose: bool) -> Iterator[str]:
    """What all answers of a file rest on: premises about the launch, and readings of the pages."""
    yield ""
    yield from premise_lines(answers.start.assumed, verbose)
    yield from readings_lines(dict.fromkeys(reading for one in findings for reading in readings_of(one)), verbose)
