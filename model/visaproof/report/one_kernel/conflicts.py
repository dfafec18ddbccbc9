"""Conflicts as people read them: the scatter, its verdict, and the lanes that collide."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.launches.collisions import colliding
from visaproof.analysis.conflicts.reach import NOT_REACHED
from visaproof.analysis.conflicts.verdicts import Conflict, Finding, Free, Undecided
from visaproof.analysis.surface_sizes import argument_of
from visaproof.isa.errors import Position
from visaproof.isa.readings import READINGS
from visaproof.launch.input_meaning import LocalId
from visaproof.report.kernels.premises import premise_lines
from visaproof.report.one_kernel.collision import collision_of
from visaproof.report.one_kernel.kernel_runs import AskedKernel, ShownRun, loads_that_decide
from visaproof.report.one_kernel.lane_table import lane_table
from visaproof.report.one_kernel.statements import counted_bytes, statement_lines
from visaproof.report.one_kernel.wrapping import places_without_wrapping
from visaproof.report.records import conflicts as records
from visaproof.report.records.common import InputValue, input_value
from visaproof.report.records.conflicts import Scatter
from visaproof.report.text.hints import fitting
from visaproof.report.text.kernel_name import readable_name
from visaproof.report.text.surface_words import surface_words
from visaproof.semantics.concrete.surface import Buffer, Image
from visaproof.semantics.symbolic.names import is_lane, is_size
from visaproof.semantics.symbolic.value_names import LoadedValue

if TYPE_CHECKING:
    from visaproof.report.one_kernel.shown_launch import ShownLaunch

UNBOUNDED = 1 << 40
"""A surface of this size has no bound worth showing: it is the flat address space."""


def header(answers: AskedKernel) -> Iterator[str]:
    """The kernel, the platform, and where its launch information is from."""
    kernel = answers.kernel
    count = sum(1 for _ in kernel.instructions())
    yield f"{kernel.path}: kernel {readable_name(kernel.name)}, {count} instructions, {answers.platform.name}"
    yield f"  launch: {answers.launch.source}"


def finding_lines(
    answers: KernelAnswers,
    finding: Finding,
    record: Scatter,
    launch: "ShownLaunch | None" = None,
    verbose: bool = False,
) -> Iterator[str]:
    """One scatter: its source line and verdict, and for a conflict the lanes, the inputs and a launch that has it."""
    *source, statement = statement_lines(answers.kernel, finding.question.instruction)
    if record.part_of is not None and not verbose:
        yield statement
        yield f"        {_as_before(record)} line {record.part_of} (-v shows it)"
        return
    if _is_of_one_lane(finding) and not verbose:
        yield f"{statement}    free: only one lane writes"
        return
    yield from ("", *source, statement)
    yield from _verdict_lines(answers, finding, record, launch, verbose)


def _is_of_one_lane(finding: Finding) -> bool:
    """Whether there is nothing to say but that it is free."""
    answer = finding.answer
    return isinstance(answer, Free) and len(finding.question.lanes) == 1 and not answer.bounded and not answer.vacuous


def _as_before(record: Scatter) -> str:
    """The verdict of a further part."""
    match record:
        case records.Refuted():
            return f"CONFLICT: {collision_of(record).headline} ({replayed(record.after)}), as in"
        case records.Unknown():
            return "UNKNOWN, as"
        case records.Bounded():
            return "BOUNDED, as"
        case records.Vacuous():
            return "VACUOUS, as"
        case records.Proved():
            return "free, as"


def _verdict_lines(
    answers: KernelAnswers, finding: Finding, record: Scatter, launch: "ShownLaunch | None", verbose: bool
) -> Iterator[str]:
    surface = surface_name(answers, finding.question.performed.surface)
    match finding.answer:
        case Free(by, bounded):
            lanes = len(finding.question.lanes)
            apart = f"no two of {lanes} lanes can write the same {_unit(finding)}"
            reach = apart if lanes > 1 else "only one lane writes"
            if by == NOT_REACHED:
                yield "        VACUOUS: no launch that obeys --where comes here"
            elif finding.answer.vacuous:
                yield "        VACUOUS: every run loses its meaning before it comes here: `visaproof bounds` says where"
            elif bounded:
                yield f"        BOUNDED: {reach} of {surface}, in runs whose loops end in time ({by})"
                yield f"        {_iterations(bounded)}: try a larger --unroll"
            else:
                yield f"        free: {reach} of {surface}, for all inputs ({by})"
        case Undecided(reason):
            yield from _missing_lines(answers, finding)
            yield f"        UNKNOWN: {reason}"
            if _may_be_of_any_local_size(answers):
                yield "        hint: `--local-size X,Y,Z` asks of the groups that the host launches, not of all sizes"
        case Conflict() as conflict:
            headline = collision_of(record).headline if isinstance(record, records.Refuted) else surface
            yield from _conflict_lines(answers, finding, conflict, headline, launch, verbose)


def _may_be_of_any_local_size(answers: KernelAnswers) -> bool:
    """Whether it is open in which rows and planes of a group the lanes of a thread are."""
    meanings = [piece.meaning for pieces in answers.launch.meanings.values() for piece in pieces]
    read = {one.dimension for one in meanings if isinstance(one, LocalId)}
    return answers.launch.group_size is None and len(read) > 1


def _unit(finding: Finding) -> str:
    """What two lanes may not write both."""
    return "texel" if finding.question.of_texels else "byte"


def _iterations(loops: tuple[Position, ...]) -> str:
    lines = ", ".join(str(line) for line in sorted({loop.line for loop in loops}))
    return f"the branch of line {lines} may go back more often than it was unrolled"


def _conflict_lines(
    answers: KernelAnswers,
    finding: Finding,
    conflict: Conflict,
    headline: str,
    launch: "ShownLaunch | None",
    verbose: bool,
) -> Iterator[str]:
    """The lanes that collide: in a launch, or if none is shown, in the run of one thread.

    A launch says what the inputs of a thread come to; they follow it for who wants them.
    """
    offset = finding.question.instruction.first_lane
    met = None if launch is None else colliding(launch.writes)
    if met is not None and launch is not None:
        conflict = replace(conflict, first=met[0], second=met[1], writes=launch.writes)
    yield from _missing_lines(answers, finding)
    yield f"        CONFLICT: {headline} ({replayed(conflict.after and conflict.after.line)})"
    yield ""
    yield from (f"        {line}" for line in lane_table(finding, conflict, offset))
    yield ""
    like_this = launch is None or not launch.is_another
    if like_this and (apart := places_without_wrapping(finding, conflict)) is not None:
        lanes = (offset + (one.lane or 0) for one in (conflict.first, conflict.second))
        places = (f"lane {lane} {place:#x}" for lane, place in zip(lanes, apart, strict=True))
        yield f"        only since an index wraps: without that, the addresses are {' and '.join(places)}"
    if like_this and (verbose or launch is None or not launch.is_shown):
        yield from (f"        {line}" for line in input_lines(answers, conflict))
    if data := data_dependence(answers, conflict):
        yield f"        depends on data: {data}"
    if launch is not None:
        yield from (f"        {line}" for line in launch.lines())
    for hint in filter(None, map(fitting, answers.start.hints)):
        yield f"        hint: {hint}"


def replayed(after: int | None) -> str:
    """How a conflict was confirmed; `after` is the line of a scatter whose lanes collide before."""
    return "replayed" if after is None else f"replayed after the conflict of line {after}"


def _missing_lines(answers: KernelAnswers, finding: Finding) -> Iterator[str]:
    """The relations under which there is no conflict."""
    if finding.missing is not None:
        in_time = ", in runs whose loops end in time" if answers.bounded else ""
        yield f"        free if {finding.missing}{in_time} (proved: {finding.missing.by}); else:"
    elif not finding.searched:
        yield "        relations that would free it were not looked for to the end (--limit)"


def input_lines(answers: AskedKernel, conflict: ShownRun) -> Iterator[str]:
    """The inputs of the run that are not 0, by meaning, and the memory that it read."""
    state = conflict.state
    shown = [f"execution mask {state.exec_mask:#x}"]
    for one in inputs_of(answers, conflict):
        shown.append(f"{one.words} = {one.value:#x}")
    yield f"inputs: {'; '.join(shown)}; every other input {answers.start.rest}"
    for key, surface in state.surfaces.items():
        if isinstance(surface, Buffer) and surface.size < UNBOUNDED:
            content = ", ".join(f"[{at:#x}] = {byte:#04x}" for at, byte in sorted(surface.contents.items())[:8] if byte)
            size = counted_bytes(surface.size)
            yield f"surface {surface_name(answers, key)}: {size}{', ' + content if content else ''}"
        elif isinstance(surface, Image):
            yield f"surface {surface_name(answers, key)}: {_extents(surface)} texels"


def _extents(image: Image) -> str:
    """The image's largest level as width×height×depth."""
    return "×".join(map(str, image.extents(0)))


def inputs_of(answers: AskedKernel, conflict: ShownRun) -> list[InputValue]:
    """The unknowns of the launch that are not 0 in the run of a conflict, with what they mean."""
    found: list[InputValue] = []
    for unknown, counted in conflict.values.items():
        if is_lane(unknown) or is_size(unknown) or isinstance(unknown.payload, LoadedValue):
            continue
        name = str(unknown.payload)
        value = counted + answers.start.least.get(name, 0)
        if value:
            meaning = answers.start.meanings.get(name)
            found.append(input_value(name, meaning or _OF_R0.get(name), value))
    return found


_OF_R0 = {"%r0.4": "group id x", "%r0.24": "group id y", "%r0.28": "group id z"}


def data_dependence(answers: AskedKernel, conflict: ShownRun) -> str:
    """The loads whose values decide whether the lanes meet; empty where no data does."""
    lines = {
        one.instruction.position.line: f"line {one.instruction.position.line} "
        f"({one.instruction.opcode} from {surface_name(answers, one.surface)})"
        for one in loads_that_decide(answers, conflict)
    }
    return ", ".join(lines[line] for line in sorted(lines))


def surface_name(answers: AskedKernel, key: str) -> str:
    """A surface by the name of the argument that stands there."""
    return surface_words(key, argument_of(answers.kernel, answers.launch, key))


def bound_surface(answers: AskedKernel, *keys: str) -> dict[str, Any]:
    """The fields of `BoundSurface`."""
    arguments = {argument_of(answers.kernel, answers.launch, key) for key in keys}
    (argument,) = arguments if len(arguments) == 1 else (None,)
    return {
        "surface": " or ".join(dict.fromkeys(surface_name(answers, key) for key in keys)),
        "binding": " or ".join(keys),
        "argument": None if argument is None else argument.index,
    }


def readings_of(finding: Finding) -> list[str]:
    """The readings on which the effect of the scatter rests, as in "D14 collision"."""
    names = finding.question.performed.decoded.spec.readings
    return [f"{READINGS[name].decision} {name}" for name in names]


NOT_ASKED = "not asked: whether two messages or two threads race; `visaproof run --races error` watches one launch"
"""What no answer of `conflicts` says."""


def footer(answers: KernelAnswers, findings: list[Finding], premises: bool, verbose: bool) -> Iterator[str]:
    """What all answers of a file rest on, premises about the launch and readings of the pages; what was not asked."""
    if any(isinstance(one.answer, Free) for one in findings):
        yield ""
        yield f"  {NOT_ASKED}"
    yield ""
    if premises:
        yield from premise_lines(answers.start.assumed, verbose)
    yield from readings_lines(dict.fromkeys(reading for one in findings for reading in readings_of(one)), verbose)


def readings_lines(used: Collection[str], verbose: bool) -> Iterator[str]:
    """The readings of the pages on which answers rest, or how many there are."""
    if used and verbose:
        yield f"  readings used: {', '.join(used)}"
    elif used:
        yield f"  readings used: {len(used)} (-v lists them; `visaproof readings` explains each)"
