"""What `visaproof check` says about each file."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from visaproof.analysis.findings.kernel import Uses
from visaproof.analysis.legality import TYPE_RULES, Legality
from visaproof.decode.opcode_names import meant
from visaproof.isa.errors import ReadError
from visaproof.isa.platform import Platform
from visaproof.report.kernels.premises import premise_lines, premises_record
from visaproof.report.one_kernel.findings import lines_of
from visaproof.report.one_kernel.kernel_records import listed_record
from visaproof.report.records.common import PremiseRecord, Unreachable, Use
from visaproof.report.results.finding import Finding as Attention
from visaproof.report.text.documents import Document, shown_path
from visaproof.report.text.excerpt import excerpt, printable
from visaproof.report.text.kernel_name import readable_name
from visaproof.visaasm.printing.spelling import Note
from visaproof.visaasm.syntax import Kernel
from visaproof.visaasm.validity import Finding, Mode


class FindingEntry(msgspec.Struct, kw_only=True):
    """A rule that an instruction breaks, or a hazard."""

    line: int
    column: int
    rule: str
    source: str
    id: str
    """The name of the rule."""
    operand: str
    """The page's name of the operand or field, "" for the whole instruction."""


class NoteEntry(msgspec.Struct, kw_only=True):
    """A word in the pages' spelling."""

    line: int
    column: int
    written: str
    read_as: str


class CheckedFile(msgspec.Struct, kw_only=True):
    """One file; the counts are null where it could not be read, and `errors` says why."""

    file: str
    platform: str | None
    kernel: str | None
    declarations: int | None
    instructions: int | None
    checked: int | None
    """Memory messages that were held against rules."""
    legal: bool | None
    findings: list[FindingEntry]
    not_modelled: dict[str, int]
    """Opcodes, and forms of modelled ones, without semantics in visaproof, and how often they stand there."""
    errors: list[str]
    hazards: list[FindingEntry]
    """What Intel's verifier accepts, and emits with another meaning than its page has."""
    notes: list[NoteEntry]
    undefined: list[Use]
    """Uses of undefined values, and whether they have an effect."""
    undefined_not_asked: str | None
    """Why there may be more of these; null where all were asked about."""
    unreachable: list[Unreachable]
    """Writes that no lane reaches."""
    assumptions: list[str]
    """Of the launches in which undefined values were looked for; none where every input is arbitrary."""
    premises: list[PremiseRecord]
    """The same, field by field."""
    command: str | UnsetType = UNSET
    """Of `triage`: the question that was asked."""
    exit_code: int | UnsetType = UNSET


class CheckDocument(Document, kw_only=True):
    """`visaproof check`."""

    platform: str | None
    """Null where the files are for several devices, or for none that is known."""
    files: list[CheckedFile]
    rules: str
    """"page" or "igc"."""
    findings: list[Attention]
    """Of all files, as every command lists them."""


def declarations(kernel: Kernel) -> int:
    """The variables that the file itself declares."""
    return sum(variable.position is not None for variable in kernel.variables.values())


def checked_file(found: Legality, platform: Platform, uses: Uses) -> dict[str, Any]:
    """One file for programs."""
    kernel = found.kernel
    entry = CheckedFile(
        file=shown_path(kernel.path),
        platform=platform.name,
        kernel=kernel.name,
        declarations=declarations(kernel),
        instructions=sum(1 for _ in kernel.instructions()),
        checked=found.checked,
        legal=found.legal,
        findings=[finding_entry(finding) for finding in found.findings],
        not_modelled=dict(found.not_modelled or {}),
        errors=[shown_path(str(error)) for error in found.malformed],
        hazards=[finding_entry(hazard) for hazard in found.hazards],
        notes=[note_entry(note) for note in found.notes],
        **listed_record(found.program, uses),
        **premises_record(uses.assumed),
    )
    return msgspec.to_builtins(entry)


def unreadable_file(path: Path, error: ReadError) -> dict[str, Any]:
    """One file that could not be read."""
    entry = CheckedFile(
        file=shown_path(path), platform=None, kernel=None, declarations=None, instructions=None, checked=None,
        legal=None, findings=[], not_modelled={}, errors=[shown_path(str(error))], hazards=[], notes=[], undefined=[],
        undefined_not_asked=None, unreachable=[], assumptions=[], premises=[],
    )  # fmt: skip
    return msgspec.to_builtins(entry)


def lines_of_file(found: Legality, entry: Mapping[str, Any], uses: Uses) -> Iterator[str]:
    """One file as people read it."""
    premises = premise_lines(uses.assumed) if uses.assumed and (uses.undefined or uses.unreachable) else ()
    for line in (*_lines(found, entry), *premises, *lines_of(found.program, uses)):
        yield printable(line)


def platforms_in(files: Sequence[Mapping[str, Any]]) -> list[str]:
    """The devices of all files, each once."""
    return list(dict.fromkeys(file["platform"] for file in files if file.get("platform") is not None))


def summary(files: Sequence[Mapping[str, Any]], mode: str) -> str:
    """The last line: how many are legal."""
    platforms = platforms_in(files)
    legal, illegal, unread = (sum(file.get("legal") is kind for file in files) for kind in (True, False, None))
    names = ("legal", "NOT LEGAL") if mode == Mode.PAGE.value else ("accepted", "REJECTED")
    late = sum(file.get("limit_reached", False) for file in files)
    words = ((legal, names[0]), (illegal, names[1]), (unread - late, "unreadable"), (late, "not asked"))
    counted = ", ".join(f"{count} {word}" for count, word in words if count) or "no file"
    hazards = sum(len(file.get("hazards", ())) for file in files)
    counted += f" with {hazards} {'hazard' if hazards == 1 else 'hazards'}" if hazards else ""
    return f"{counted} on {', '.join(platforms)}" if platforms else counted


def _lines(found: Legality, entry: Mapping[str, Any]) -> Iterator[str]:
    name = readable_name(found.kernel.name)
    if found.not_modelled is None:
        yield f"{found.kernel.path}: kernel {name}, {entry['checked']} messages of the four pages checked"
    else:
        counts = f"{entry['declarations']} declarations, {entry['instructions']} instructions"
        yield f"{found.kernel.path}: kernel {name}, {counts}, {entry['checked']} memory messages checked"
    if found.not_modelled:
        yield "  not modelled: " + ", ".join(f"{what} ({count})" for what, count in found.not_modelled.items())
        for opcode, known in ((one, meant(one)) for one in found.not_modelled):
            if known:
                yield f"    the pages do not have {opcode}: did you mean {known}?"
    for note in found.notes:
        yield f"  note: {note}"
    for finding in (*found.findings, *found.hazards):
        yield str(finding)
        yield from excerpt(found.source_lines, finding.position)
    if found.findings and all(finding.id.startswith(TYPE_RULES) for finding in found.findings):
        yield "  hint: only types of operands are not the pages': `--types any` takes any, as Intel's compiler does"


def finding_entry(finding: Finding) -> FindingEntry:
    return FindingEntry(
        line=finding.position.line,
        column=finding.position.column,
        rule=finding.rule,
        source=finding.source,
        id=finding.id,
        operand=finding.operand,
    )


def note_entry(note: Note) -> NoteEntry:
    return NoteEntry(line=note.line, column=note.column, written=note.written, read_as=note.read_as)
