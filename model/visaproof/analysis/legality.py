"""What the rules of a mode say about a kernel: findings, hazards, and what has no page here."""

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from visaproof.decode.message import OPCODES, decode
from visaproof.decode.opcode_check import require_described
from visaproof.decode.raw_send import resolved
from visaproof.isa.errors import IllegalInstruction, NotModelled, ReadError
from visaproof.isa.platform import Platform
from visaproof.visaasm.linking.names import linked
from visaproof.visaasm.opcode_kinds import Kind, kind_of
from visaproof.visaasm.printing.spelling import Note
from visaproof.visaasm.syntax import Instruction, Kernel
from visaproof.visaasm.validity import Finding, Mode, judged_by_igc, judged_by_pages
from visaproof.visaasm.validity.hazards import hazards_beside, hazards_of
from visaproof.visaasm.validity.message import MESSAGES
from visaproof.visaasm.validity.rule import INSTRUCTION
from visaproof.visaasm.validity.type_rules import wrong_types

LINKED = "fcall", "faddr"
"""What the linker resolves where the functions are there."""
TYPE_RULES = "page.type"
"""The ids of the rules on operand types begin so."""


class Legality(Struct, frozen=True):
    """A kernel by the rules of a mode."""

    kernel: Kernel
    source_lines: tuple[str, ...]
    """The text as it is written."""
    checked: int
    """Memory messages that were held against rules."""
    findings: tuple[Finding, ...]
    """Rules that are broken; any of them makes the file illegal."""
    hazards: tuple[Finding, ...]
    """What Intel's verifier accepts, and emits with another meaning than its page has."""
    notes: tuple[Note, ...] = ()
    """Words in the pages' spelling."""
    malformed: tuple[ReadError, ...] = ()
    """Messages beside the four pages whose operands do not fit their opcode."""
    not_modelled: Mapping[str, int] | None = None
    """Opcodes, and forms of modelled ones, that have no semantics here, and how often; None where nobody looked."""

    whole: Kernel | None = None
    """With the functions that it calls, where these were looked for."""

    @property
    def program(self) -> Kernel:
        """What runs."""
        return self.whole or self.kernel

    @property
    def legal(self) -> bool:
        return not self.findings and not self.malformed


def legality(text: str, path: str, platform: Platform, mode: Mode, any_type: bool = False) -> Legality:
    """Holds every memory message of a file against the rules; `any_type` leaves out those on operand types.

    The mode IGC has rules for the four pages only, and none on types.  Raises ReadError.
    """
    if mode is Mode.IGC:
        judged = judged_by_igc(text, path, platform)
        lines = judged.kernel.source_lines
        return Legality(judged.kernel, lines, len(judged.statements), judged.findings, hazards_of(judged))
    judged = judged_by_pages(text, path, platform)
    broken = {message.instruction for message, findings in judged.statements if message is not None and findings}
    others = _Others(judged.kernel, platform, broken)
    found = sorted((*judged.findings, *others.findings), key=lambda finding: finding.position.line)
    return Legality(
        judged.kernel,
        tuple(text.split("\n")),
        len(judged.statements) + others.checked,
        tuple(finding for finding in found if not (any_type and finding.id.startswith(TYPE_RULES))),
        hazards_beside(judged),
        judged.notes,
        tuple(others.malformed),
        dict(others.not_modelled.most_common()),
    )


def with_functions(found: Legality, functions: Mapping[str, Kernel]) -> Legality:
    """The same with the kernel linked with these functions: calls that can be followed are modelled."""
    whole = linked(found.kernel, functions)
    kept = Counter(one.opcode for one in whole.instructions())
    left = {
        what: min(count, kept[what]) if what in LINKED else count for what, count in (found.not_modelled or {}).items()
    }
    return replace(found, not_modelled={what: count for what, count in left.items() if count}, whole=whole)


class _Others:
    """What the table does not say: messages beside the four pages, and what has no semantics here."""

    def __init__(self, kernel: Kernel, platform: Platform, broken: set[Instruction]) -> None:
        """`broken` are statements of the four pages that the table rejects."""
        self.checked = 0
        self.findings: list[Finding] = []
        self.malformed: list[ReadError] = []
        self.not_modelled: Counter[str] = Counter()
        for one in kernel.instructions():
            try:
                instruction = resolved(one, kernel, platform)
            except NotModelled as form:
                self.not_modelled[form.what] += 1
                continue
            match kind_of(instruction, OPCODES):
                case Kind.UNKNOWN:
                    self.not_modelled[instruction.opcode] += 1
                case Kind.MEMORY if instruction not in broken:
                    self._message(instruction, kernel, platform)
                case _:
                    self._computation(instruction, kernel, platform)

    def _computation(self, instruction: Instruction, kernel: Kernel, platform: Platform) -> None:
        try:
            require_described(instruction, kernel, platform)
        except NotModelled as form:
            self.not_modelled[form.what] += 1

    def _message(self, instruction: Instruction, kernel: Kernel, platform: Platform) -> None:
        try:
            if instruction.opcode in MESSAGES:
                decode(instruction, kernel, platform)
            else:
                self.findings += family_findings(instruction, kernel, platform)
                self.checked += 1
        except ReadError as error:
            self.malformed.append(error)
        except NotModelled as form:
            self.not_modelled[form.what] += 1


def family_findings(instruction: Instruction, kernel: Kernel, platform: Platform) -> Iterator[Finding]:
    """The first rule that a message beside the four pages breaks, and its types.  Raises ReadError, NotModelled."""
    message = decode(instruction, kernel, platform)
    try:
        message.validate(platform)
    except IllegalInstruction as broken:
        yield Finding("page.operands", broken.rule, broken.source, INSTRUCTION, instruction.position)
    for wrong in wrong_types(instruction, kernel):
        yield Finding(TYPE_RULES, wrong.rule, message.spec.page, wrong.name, wrong.operand.position)
