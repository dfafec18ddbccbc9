"""A rule of a mode, and what is found where one is broken."""

from collections.abc import Callable

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.visaasm.validity.message import Message

INSTRUCTION = ""
"""In the place of an operand's name: the instruction itself."""


class Finding(Struct, frozen=True):
    """A rule that an instruction breaks, and where."""

    id: str
    rule: str
    source: str
    operand: str
    """The page's name of the operand or field; "" for the instruction."""
    position: Position

    def __str__(self) -> str:
        where = f"{self.operand}: " if self.operand else ""
        return f"{self.position}: {where}{self.rule} [{self.id}] ({self.source})"


class Rule(Struct, frozen=True):
    """A row of a table: what must hold of each of `operands` of the instructions it `applies_to`."""

    id: str
    text: str
    source: str
    applies_to: tuple[str, ...]
    operands: tuple[str, ...]
    """Operands, or fields of the head, by the page's names; an operand that the instruction lacks is passed over."""
    holds: Callable[[Message, str], bool]


HEAD_FIELDS = ("Exec_size", "Pred", "Channels", "Num_blocks", "Op", "Size", INSTRUCTION)


def broken(rules: tuple[Rule, ...], message: Message) -> tuple[Finding, ...]:
    """What the message breaks of these rules, in their order."""
    return tuple(
        Finding(rule.id, rule.text, rule.source, name, _position(message, name))
        for rule in rules
        if message.mnemonic in rule.applies_to
        for name in rule.operands
        if (name in HEAD_FIELDS or name in message.names) and not rule.holds(message, name)
    )


def _position(message: Message, name: str) -> Position:
    operand = None if name in HEAD_FIELDS else message.operand(name)
    return message.instruction.position if operand is None else operand.position
