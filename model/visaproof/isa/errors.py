"""The three kinds of "no", unreadable input, and a limit that ended the work.  None of them inherits from another."""

from msgspec import Struct


class Position(Struct, frozen=True):
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
    """The page leaves this instruction undefined in this state."""

    place: tuple[int, int] | None = None
    """The first byte of an access in no buffer, and how many."""


class WritesCollide(UndefinedBehavior):
    """Two lanes of one message write the same byte or texel."""


class InNoBuffer(UndefinedBehavior):
    """A 64-bit address at which no buffer lies."""

    def __init__(self, address: int, width: int, near: str) -> None:
        super().__init__(f"bytes {address:#x}..{address + width - 1:#x} are in no buffer{near}")
        self.place = address, width


class SolversDisagree(Exception):
    """Two solvers answer one question differently: one of them is wrong, and nothing that it says counts."""


class NotModelled(Exception):
    """visaproof has no semantics for this yet: an answer would be a guess."""

    def __init__(self, what: str, position: Position | None = None) -> None:
        super().__init__(f"{position}: {what}" if position else what)
        self.what = what
        self.position = position


class TooLong(NotModelled):
    """A run of more statements than it was given: it may be an endless loop."""


class ReadError(Exception):
    """A file that cannot be read; shown as `file:line:column: message` with a hint."""

    def __init__(self, message: str, position: Position, hint: str = "") -> None:
        super().__init__(f"{position}: {message}" + (f"\n  hint: {hint}" if hint else ""))
        self.message = message
        self.position = position
        self.hint = hint


class LimitReached(BaseException):
    """The processor time for a file or a pair is used up.

    It is no Exception: nothing that handles failures may take it for one.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds
        self.position: Position | None = None
        """The statement at which the symbolic run was."""

    @property
    def what(self) -> str:
        """What ended the run, without the place."""
        return f"limit of {self.seconds:g} s reached"

    def __str__(self) -> str:
        place = f" in the symbolic run, at {self.position}" if self.position else ""
        return f"{self.what}{place}"
