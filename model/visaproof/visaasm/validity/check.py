"""The two modes: what the pages allow, and what Intel's verifier accepts.  Source: docs/pages/validity.md §5."""

from collections.abc import Iterable
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.platform import Platform
from visaproof.visaasm import syntax
from visaproof.visaasm.fragment_records import FragmentError
from visaproof.visaasm.printing.spelling import STATEMENT, Note, as_written, in_grammar_spelling
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.source import LogicalLine
from visaproof.visaasm.validity import igc_forms, igc_rules, page_rules
from visaproof.visaasm.validity.message import MESSAGES, Message
from visaproof.visaasm.validity.rule import INSTRUCTION, Finding, broken
from visaproof.visaasm.validity.unchecked import UnreadableOperand, read_statement, read_unchecked


class Mode(Enum):
    """Whose rules; the value is what `--rules` takes."""

    PAGE = "page"
    IGC = "igc"


class Verdict(Struct, frozen=True):
    """What a mode says about a file."""

    checked: int
    """Statements of the four pages."""
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...] = ()
    """Words in the pages' spelling; Intel's parser takes none of them."""

    @property
    def accepted(self) -> bool:
        return not self.findings


class Judged(Struct, frozen=True):
    """A file by the rules of a mode."""

    kernel: syntax.Kernel
    """By Intel's rules: without the statements that the reader of this package refuses."""
    statements: tuple[tuple[Message | None, tuple[Finding, ...]], ...]
    """Those of the four pages, None where one cannot be read, with the rules that it breaks."""
    notes: tuple[Note, ...] = ()
    """By the pages' rules: words in the pages' spelling."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        found = [finding for _, findings in self.statements for finding in findings]
        return tuple(sorted(found, key=lambda finding: finding.position.line))

    @property
    def accepted(self) -> tuple[Message, ...]:
        return tuple(message for message, findings in self.statements if message is not None and not findings)


def check_instruction(
    instruction: syntax.Instruction, kernel: syntax.Kernel, platform: Platform, mode: Mode
) -> tuple[Finding, ...]:
    """The rules that a statement breaks; none for statements of other instructions.

    The rules come in stages (form, names, values), and only those of the first broken stage are reported.
    """
    mnemonic = instruction.opcode.lower()
    if mnemonic not in MESSAGES:
        return ()
    message = Message(replace(instruction, opcode=mnemonic), kernel, platform)
    if mode is Mode.PAGE:
        return broken(page_rules.FORMS, message) or broken(page_rules.RULES, message)
    start = instruction.position

    def at(offset: int) -> Position:
        return replace(start, column=start.column + offset)

    return igc_forms.form_findings(mnemonic, instruction.text, at) or _igc_values(message)


def check_text(text: str, path: str, platform: Platform, mode: Mode) -> Verdict:
    """The rules that the statements of a file break.

    The mode PAGE takes the pages' spelling too, with a note.  Raises ReadError where the file cannot be read; in the
    mode IGC, a statement of the four pages that cannot be read is a finding instead.
    """
    judged = (judged_by_igc if mode is Mode.IGC else judged_by_pages)(text, path, platform)
    return Verdict(len(judged.statements), judged.findings, judged.notes)


def judged_by_pages(text: str, path: str, platform: Platform) -> Judged:
    """Each statement of the four pages with the rules of the mode PAGE that it breaks.  Raises ReadError.

    The kernel is in the grammar's spelling; the findings are at the places of the text as it is written.
    """
    spelled, notes = in_grammar_spelling(text)
    try:
        kernel = read_kernel(spelled, path, grf_bytes=platform.grf_bytes)
    except ReadError as error:
        raise ReadError(error.message, as_written(error.position, notes), error.hint) from None
    statements: list[tuple[Message | None, tuple[Finding, ...]]] = []
    for each in kernel.instructions():
        if each.opcode in MESSAGES:
            findings = check_instruction(each, kernel, platform, Mode.PAGE)
            statements.append((Message(each, kernel, platform), findings_as_written(findings, notes)))
    return Judged(kernel, tuple(statements), notes)


def findings_as_written(findings: Iterable[Finding], notes: tuple[Note, ...]) -> tuple[Finding, ...]:
    """The findings at their places in a text in the pages' spelling."""
    return tuple(replace(finding, position=as_written(finding.position, notes)) for finding in findings)


def judged_by_igc(text: str, path: str, platform: Platform) -> Judged:
    """Each statement of the four pages with the rules of the mode IGC that it breaks.

    Raises ReadError for what is wrong beside these statements.
    """
    unchecked = read_unchecked(text, path, platform.grf_bytes)
    kernel = unchecked.kernel
    statements = [_refused(line, kernel, platform) for line in unchecked.refused]
    for each in kernel.instructions():
        if each.opcode.lower() in MESSAGES:
            findings = check_instruction(each, kernel, platform, Mode.IGC)
            statements.append((Message(each, kernel, platform), findings))
    return Judged(kernel, tuple(statements))


def _refused(
    line: LogicalLine, kernel: syntax.Kernel, platform: Platform
) -> tuple[Message | None, tuple[Finding, ...]]:
    """By Intel's rules, a statement that the reader of this package refuses."""
    head = STATEMENT.match(line.text)
    assert head is not None
    if found := igc_forms.form_findings(head.group(2).lower(), line.text, line.position):
        return None, found
    try:
        message = Message(read_statement(line), kernel, platform)
    except UnreadableOperand as error:
        return None, (Finding("igc.operand-value", error.message, igc_forms.SOURCE, error.name, error.position),)
    except FragmentError as error:
        where = line.position(error.offset)
        return None, (Finding("igc.syntax", error.message, igc_forms.SOURCE, INSTRUCTION, where),)
    return message, _igc_values(message)


def _igc_values(message: Message) -> tuple[Finding, ...]:
    return broken(igc_rules.NAMES, message) or broken(igc_rules.RULES, message)
