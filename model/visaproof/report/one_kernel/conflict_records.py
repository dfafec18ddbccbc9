"""Conflicts as programs read them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.verdicts import Conflict, Finding, Free, Undecided
from visaproof.analysis.findings.kernel import Uses
from visaproof.launch.premises import Premise
from visaproof.report.one_kernel.conflicts import bound_surface, data_dependence, inputs_of, readings_of
from visaproof.report.one_kernel.kernel_records import kernel_record, source_record, stop_record, write_record
from visaproof.report.one_kernel.stored_type import stored_type
from visaproof.report.one_kernel.wrapping import places_without_wrapping
from visaproof.report.records import conflicts as records
from visaproof.report.records.conflicts import ConflictsFile, FreeIf, Scatter

if TYPE_CHECKING:
    from visaproof.report.one_kernel.shown_launch import ShownLaunch


def finding_record(answers: KernelAnswers, finding: Finding, launch: "ShownLaunch | None" = None) -> Scatter:
    """One scatter for programs."""
    instruction = finding.question.instruction
    common: dict[str, Any] = {
        "file": instruction.position.path,
        "line": instruction.position.line,
        "column": instruction.position.column,
        "source": source_record(answers.kernel, instruction.position),
        "instruction": instruction.text,
        **bound_surface(answers, finding.question.performed.surface),
        "lanes": len(finding.question.lanes),
        "readings": readings_of(finding),
    }
    match finding.answer:
        case Free() as free if free.vacuous:
            return records.Vacuous(**common)
        case Free(by, ()):
            return records.Proved(**common, by=by)
        case Free(by, bounded):
            return records.Bounded(**common, by=by, loops=sorted({loop.line for loop in bounded}))
        case Undecided(reason):
            return records.Unknown(**common, reason=reason, free_if=_missing_record(answers, finding))
        case Conflict() as conflict:
            offset = instruction.first_lane
            return records.Refuted(
                **common,
                free_if=_missing_record(answers, finding),
                searched=finding.searched,
                colliding_lanes=(offset + (conflict.first.lane or 0), offset + (conflict.second.lane or 0)),
                writes=[write_record(write, offset) for write in conflict.writes],
                data_type=stored_type(instruction.position, answers.kernel) or UNSET,
                execution_mask=f"{conflict.state.exec_mask:#x}",
                inputs={one.words: f"{one.value:#x}" for one in inputs_of(answers, conflict)},
                input_values=inputs_of(answers, conflict),
                depends_on_data=data_dependence(answers, conflict),
                replayed=True,
                wraps=places_without_wrapping(finding, conflict) is not None,
                after=conflict.after and conflict.after.line,
                launch=None if launch is None else launch.record(offset),
            )


def _missing_record(answers: KernelAnswers, finding: Finding) -> FreeIf | None:
    """The relations under which the scatter was proved free; None where none are known."""
    if finding.missing is None:
        return None
    return FreeIf(
        relations=[str(one) for one in finding.missing.relations],
        by=finding.missing.by,
        loops=sorted({loop.line for loop in answers.bounded}),
    )


def file_record(
    answers: KernelAnswers, scatters: Sequence[Scatter], uses: Uses, premises: Sequence[Premise] | None = None
) -> dict[str, Any]:
    """One file for programs."""
    common = kernel_record(answers, uses, answers.start.assumed if premises is None else premises)
    stopped = stop_record(answers.stopped, answers.not_asked)
    return msgspec.to_builtins(ConflictsFile(**common, **stopped, scatters=list(scatters)))
