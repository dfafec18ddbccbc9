"""Which instructions of a kernel break their pages on a platform, and which have no page here."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from visaproof.isa.errors import IllegalInstruction, NotModelled, Position, ReadError
from visaproof.isa.platform import Platform
from visaproof.kernel.decode import OPCODES, decode
from visaproof.kernel.opcodes import Kind, kind_of
from visaproof.kernel.syntax import Instruction, Kernel
from visaproof.kernel.type_rules import check_types


@dataclass(frozen=True, slots=True)
class Breach:
    """An instruction that breaks a rule of its page."""

    position: Position
    rule: str
    source: str
    """The page or the decision."""


@dataclass(frozen=True, slots=True)
class Legality:
    """What the pages say about a kernel."""

    kernel: Kernel
    platform: Platform
    checked: int
    """Instructions that have a page here and were held against it."""
    breaches: tuple[Breach, ...]
    malformed: tuple[ReadError, ...]
    """Instructions whose operands do not fit their opcode."""
    not_modelled: Mapping[str, int]
    """Opcodes, and forms of modelled ones, that have no semantics here, and how often they stand there."""


def legality(kernel: Kernel, platform: Platform, any_type: bool = False) -> Legality:
    """Holds every memory message against its page; `any_type` leaves out the rules on operand types."""
    checked = 0
    breaches: list[Breach] = []
    malformed: list[ReadError] = []
    not_modelled: Counter[str] = Counter()
    for instruction in kernel.instructions():
        match kind_of(instruction, OPCODES):
            case Kind.UNKNOWN:
                not_modelled[instruction.opcode] += 1
            case Kind.MEMORY:
                try:
                    breaches += _breaches(instruction, kernel, platform, any_type)
                    checked += 1
                except ReadError as error:
                    malformed.append(error)
                except NotModelled as form:
                    not_modelled[form.what] += 1
            case _:
                pass
    return Legality(kernel, platform, checked, tuple(breaches), tuple(malformed), dict(not_modelled.most_common()))


def _breaches(instruction: Instruction, kernel: Kernel, platform: Platform, any_type: bool) -> list[Breach]:
    """The first rule that its operands break, and the first that their types do."""
    message = decode(instruction, kernel, platform)
    found: list[Breach] = []
    try:
        message.validate(platform)
    except IllegalInstruction as broken:
        found.append(Breach(instruction.position, broken.rule, broken.source))
    try:
        if not any_type:
            check_types(instruction, kernel)
    except IllegalInstruction as broken:
        found.append(Breach(instruction.position, broken.rule, broken.source))
    return found
