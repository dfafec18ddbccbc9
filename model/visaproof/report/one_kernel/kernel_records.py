"""What the records of questions about one kernel have in common."""

from collections.abc import Sequence
from typing import Any

from visaproof.analysis.findings.kernel import Uses
from visaproof.analysis.findings.verdicts import Allowed, MayDepend, NoEffect, Shown, UndefinedUse
from visaproof.checking.limited import Stop
from visaproof.isa.errors import LimitReached, Position
from visaproof.launch.premises import Premise
from visaproof.program.kernel import Kernel
from visaproof.program.source_places import source_place
from visaproof.program.statements import Origin
from visaproof.report.kernels.premises import premises_record
from visaproof.report.one_kernel.conflicts import inputs_of
from visaproof.report.one_kernel.findings import listed
from visaproof.report.one_kernel.kernel_runs import AskedKernel
from visaproof.report.one_kernel.statements import source_text
from visaproof.report.records.common import NotAsked, SourceLine, Unreachable, Use
from visaproof.report.records.common import Write as WriteRecord
from visaproof.semantics.concrete.surface import TexelWrite, Write


def kernel_record(answers: AskedKernel, uses: Uses, premises: Sequence[Premise]) -> dict[str, Any]:
    """The fields of `KernelFile`, but for why the kernel was not read to its end."""
    return {
        "file": answers.kernel.path,
        "kernel": answers.kernel.name,
        "platform": answers.platform.name,
        "launch": answers.launch.source,
        **premises_record(premises),
        "hints": list(answers.start.hints),
        **listed_record(answers.kernel, uses, answers),
    }


def stop_record(stopped: Stop | None, not_asked: Sequence[Origin]) -> dict[str, Any]:
    """Why a kernel was not read to its end, and what is left out then."""
    limit = isinstance(stopped, LimitReached)
    return {
        "not_modelled": None if stopped is None or limit else str(stopped),
        "limit": str(stopped) if limit else None,
        "not_asked": [NotAsked(file=one.position.path, line=one.position.line) for one in not_asked],
    }


def source_record(kernel: Kernel, position: Position) -> SourceLine | None:
    """Where in the program's source a statement comes from."""
    place = source_place(kernel, position)
    return None if place is None else SourceLine(file=place.file, line=place.line, text=source_text(kernel, place))


def listed_record(kernel: Kernel, uses: Uses, asked: AskedKernel | None = None) -> dict[str, Any]:
    """What is undefined, unreachable, and not asked."""
    texts = {one.position: one.text for one in kernel.instructions()}
    return {
        "undefined": [_use_record(one, texts[one.suspect.position], asked) for one in listed(uses.undefined)],
        "undefined_not_asked": None if uses.stopped is None else str(uses.stopped),
        "unreachable": [Unreachable(line=one.position.line, instruction=one.text) for one in uses.unreachable],
    }


def _use_record(one: UndefinedUse, instruction: str, asked: AskedKernel | None) -> Use:
    common: dict[str, Any] = {
        "kind": one.suspect.kind.value,
        "line": one.suspect.position.line,
        "column": one.suspect.position.column,
        "instruction": instruction,
        "variable": one.suspect.variable,
        "what": one.suspect.what,
        "partly": one.suspect.partly,
    }
    match one.answer:
        case Shown(effect, position) as shown:
            inputs = inputs_of(asked, shown) if asked is not None else []
            return Use(
                **common,
                verdict="refuted",
                effect=effect.name.lower(),
                effect_line=position.line,
                execution_mask=f"{shown.state.exec_mask:#x}",
                inputs={one.words: f"{one.value:#x}" for one in inputs},
                input_values=inputs,
                replayed=True,
            )
        case NoEffect():
            return Use(**common, verdict="note")
        case MayDepend(reason):
            return Use(**common, verdict="unknown", reason=reason)
        case Allowed():
            return Use(**common, verdict="allowed")


def write_record(write: Write, offset: int) -> WriteRecord:
    """A write of a lane, counted from the lane `offset` of the thread."""
    lane = offset + (write.lane or 0)
    if isinstance(write, TexelWrite):
        return WriteRecord(lane=lane, texel=tuple(write.texel), channel="RGBA"[write.channel], value=write.value)
    return WriteRecord(lane=lane, address=write.address, bytes=write.width, value=write.value % (1 << 8 * write.width))
