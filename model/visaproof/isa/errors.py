"""The three kinds of "no", and unreadable input.  None of them inherits from another."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a text file; lines and columns count from 1.  An option of the command line has line 0."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path


def in_option(name: str) -> Position:
    """Where an option of the command line is at fault."""
    return Position(name, 0, 0)


class IllegalInstruction(Exception):
    """The operands break the page; `rule` names the field and `source` the page or decision."""

    def __init__(self, rule: str, source: str) -> None:
        super().__init__(f"{rule} ({source})")
        self.rule = rule
        self.source = source


class UndefinedBehavior(Exception):
    """The page gives no meaning to this instruction in this state."""


class NotModelled(Exception):
    """visaproof has no semantics for this yet: an answer would be a guess."""

    def __init__(self, what: str, position: Position | None = None) -> None:
        super().__init__(f"{position}: {what}" if position else what)
        self.what = what
        self.position = position


class ReadError(Exception):
    """A file that cannot be read; shown as `file:line:column: message` with a hint."""

    def __init__(self, message: str, position: Position, hint: str = "") -> None:
        super().__init__(f"{position}: {message}" + (f"\n  hint: {hint}" if hint else ""))
        self.message = message
        self.position = position
        self.hint = hint
