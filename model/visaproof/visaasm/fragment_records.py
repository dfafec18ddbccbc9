"""What the parts of a line say, as records: what the rules of grammar.lark make, and what is said of a wrong one."""

from collections.abc import Callable

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.isa.types import DataType
from visaproof.visaasm.syntax import ExecutionField, Operand, PredicateUse


class FragmentError(Exception):
    """The part cannot be read; `offset` counts characters from its start."""

    def __init__(self, message: str, offset: int, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.hint = hint

    def moved(self, start: int) -> "FragmentError":
        """The same error, counted from the start of a text in which the part stands at `start`."""
        return type(self)(self.message, start + self.offset, self.hint)


class UnknownForm(FragmentError):
    """The grammar has no such part; other fragment errors are about a value in a part that it has."""


class Directive(Struct, frozen=True):
    """`.version 4.1`, `.kernel "demo"`, `.kernel_attr NAME=value`: the rule of the grammar and its values.

    `.funcdecl` and `.file` mean nothing here: their strings are kept as they are written.
    """

    rule: str
    values: tuple[str | int | None, ...]


Attribute = tuple[str, str | int | None]
"""`NAME=value` between the braces of `attrs`; a string is kept as it is written between its quotes."""


class DeclarationBody(Struct, frozen=True):
    """What follows the name in `.decl`; `kind` is the letter of `v_type`."""

    kind: str
    type: DataType | None
    num_elts: int
    num_elts_offset: int
    align: str | None = None
    base: str | None = None
    base_offset: int = 0
    """Where the alias stands in the text."""
    alias_bytes: int = 0
    v_name: str | None = None
    attributes: tuple[Attribute, ...] = ()


class Placement(Struct, frozen=True):
    """What follows the name in `.input`."""

    offset: int
    size: int | None
    attributes: tuple[Attribute, ...] = ()


class Head(Struct, frozen=True):
    """An instruction up to its operands."""

    predicate: PredicateUse | None
    predicate_offset: int
    opcode: str
    suffixes: tuple[str, ...]
    execution: ExecutionField | None


class Shape(Struct, frozen=True):
    """An operand without its place; `build` takes the leading name in place of `name`."""

    name: str
    build: Callable[[str, Position], Operand]
