"""Bounds as programs read them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from visaproof.analysis.bounds.kernel import BoundsAnswers, BoundsFinding
from visaproof.analysis.bounds.only_after import OnlyAfter
from visaproof.analysis.bounds.sizes.inside_if import InsideIf
from visaproof.analysis.bounds.verdicts import Holds, Meaningless, Outside, Reached, Shown, Unbounded, Undecided
from visaproof.analysis.findings.kernel import Uses
from visaproof.isa.operands import SLM
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.queries.kernels.uninitialised import Uninitialised
from visaproof.report.one_kernel.bounds import extent_of, readings_of, what_happens
from visaproof.report.one_kernel.conflicts import UNBOUNDED, bound_surface, data_dependence, inputs_of, surface_name
from visaproof.report.one_kernel.kernel_records import kernel_record, source_record, stop_record
from visaproof.report.records import bounds as records
from visaproof.report.records.bounds import (
    Access,
    BoundsAnswer,
    BoundsFile,
    EarlierStatement,
    Enough,
    Message,
    UninitialisedUse,
)
from visaproof.semantics.concrete.surface import Buffer

if TYPE_CHECKING:
    from visaproof.report.one_kernel.shown_launch import ShownLaunch


def file_record(answers: BoundsAnswers, messages: Sequence[Message], uses: Uses) -> dict[str, Any]:
    """One file for programs."""
    found = BoundsFile(
        **kernel_record(answers, uses, answers.start.assumed),
        **stop_record(answers.stopped, answers.not_asked),
        vacuous=answers.vacuous,
        messages=list(messages),
        unwritten=[_uninitialised(one) for one in answers.uninitialised],
    )
    return msgspec.to_builtins(found)


def finding_record(answers: BoundsAnswers, finding: BoundsFinding, launch: "ShownLaunch | None" = None) -> Message:
    """One message for programs."""
    instruction = finding.question.instruction
    what = what_happens(answers, finding.bounds, launch) if isinstance(finding.bounds, Outside) else ""
    return Message(
        line=instruction.position.line,
        column=instruction.position.column,
        source=source_record(answers.kernel, instruction.position),
        instruction=instruction.text,
        **bound_surface(answers, *finding.surfaces),
        size_is_arbitrary=finding.free_size,
        enough_bytes=finding.needed,
        inside_if=_enough(finding.enough),
        only_after=_earlier(finding.only_after),
        readings=readings_of(finding),
        bounds=_answer(answers, finding.bounds),
        meaning=_answer(answers, finding.meaning),
        launch=None if launch is None else launch.record(instruction.first_lane, what),
    )


def _enough(enough: InsideIf | None) -> Enough | None:
    """The size that is enough, and the relations with which it is."""
    if enough is None:
        return None
    amount = None if enough.size is None else str(enough.size.amount)
    return Enough(bytes=amount, where=[str(one) for one in enough.relations], by=enough.by)


def _earlier(found: OnlyAfter | None) -> EarlierStatement | None:
    return None if found is None else EarlierStatement(line=found.position.line, by=found.by)


def _answer(answers: BoundsAnswers, answer: Holds | Outside | Meaningless | Undecided | Unbounded) -> BoundsAnswer:
    match answer:
        case Holds(by, ()):
            return records.Proved(by=by)
        case Holds(by, bounded):
            return records.Bounded(by=by, loops=sorted({loop.line for loop in bounded}))
        case Undecided(reason):
            return records.Unknown(reason=reason)
        case Unbounded(reason):
            return records.NotModelled(reason=reason)
        case Meaningless(lane=lane, message=message, shown=shown):
            kind = UndefinedKind.BEYOND_VARIABLE if answer.question.performed.short else UndefinedKind.MISALIGNED
            return records.Refuted(kind=kind.value, lane=lane, reason=message, **_shown(answers, shown))
        case Outside(first=first, effect=effect, reached=reached, shown=shown):
            return records.Refuted(
                kind=(UndefinedKind.SLM_OUTSIDE if answer.surface == SLM else UndefinedKind.OUTSIDE).value,
                lane=first.lane,
                cell=list(first.cell),
                bytes=first.width,
                extent=extent_of(answer),
                effect=effect.name.lower(),
                accesses=[_access(one) for one in reached],
                **_shown(answers, shown),
            )


def _access(one: Reached) -> Access:
    """One access; at a 64-bit address with its distance from the beginning of the buffer."""
    found = Access(lane=one.lane, cell=list(one.cell), bytes=one.width, outside=one.outside)
    return found if one.offset is None else msgspec.structs.replace(found, offset=one.offset)


def _shown(answers: BoundsAnswers, shown: Shown) -> dict[str, Any]:
    return {
        "execution_mask": f"{shown.state.exec_mask:#x}",
        "inputs": {one.words: f"{one.value:#x}" for one in inputs_of(answers, shown)},
        "input_values": inputs_of(answers, shown),
        "surfaces": {
            surface_name(answers, key): surface.size
            for key, surface in shown.state.surfaces.items()
            if isinstance(surface, Buffer) and surface.size < UNBOUNDED
        },
        "depends_on_data": data_dependence(answers, shown),
        "replayed": True,
    }


def _uninitialised(one: Uninitialised) -> UninitialisedUse:
    return UninitialisedUse(
        line=one.reader.position.line,
        instruction=one.reader.text,
        variable=one.variable,
        kind=one.storage.value,
        places=list(one.places),
        harmless=one.harmless,
    )
