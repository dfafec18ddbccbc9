"""The parts of a line that mean the same wherever they stand, each read once by grammar.lark.

Kernels repeat themselves: the 52,000 operands of 488 compiled files have some 500 forms once their leading variable is
taken away.  So an operand is read without its place and its leading name, and each form only once.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, TypeVar, cast

from visaproof.isa.errors import Position
from visaproof.isa.types import DataType
from visaproof.kernel.syntax import ExecutionField, Operand, PredicateUse

if TYPE_CHECKING:
    from visaproof.kernel.grammar import FragmentParser

MEMO_ENTRIES = 1 << 14
MEMO_LENGTH = 120
"""Longer parts are rare, and keeping them could fill the memory."""

NAME = re.compile(r"%?[A-Za-z_][A-Za-z0-9_]*")
_ALIAS_BASE = re.compile(rf"v_type[ \t]*=[ \t]*G[^\"{{]*?alias[ \t]*=[ \t]*<[ \t]*({NAME.pattern})")
_LEADING_NAME = re.compile(rf"(?:\([-a-z~ \t]*\)[ \t]*|&[ \t]*)?({NAME.pattern})")
_BRACKETED_NAME = re.compile(rf"[^\[\]]*\[[ \t]*({NAME.pattern})")


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


@dataclass(frozen=True, slots=True)
class Directive:
    """`.version 4.1`, `.kernel "demo"`, `.kernel_attr NAME=value`: the rule of the grammar and its values.

    `.funcdecl` and `.file` mean nothing here: their strings are kept as they are written.
    """

    rule: str
    values: tuple[str | int | None, ...]


Attribute = tuple[str, str | int | None]
"""`NAME=value` between the braces of `attrs`; a string is kept as it is written between its quotes."""


@dataclass(frozen=True, slots=True)
class DeclarationBody:
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


@dataclass(frozen=True, slots=True)
class Placement:
    """What follows the name in `.input`."""

    offset: int
    size: int | None
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Head:
    """An instruction up to its operands."""

    predicate: PredicateUse | None
    predicate_offset: int
    opcode: str
    suffixes: tuple[str, ...]
    execution: ExecutionField | None


@dataclass(frozen=True, slots=True)
class Shape:
    """An operand without its place; `build` takes the leading name in place of `name`."""

    name: str
    build: Callable[[str, Position], Operand]


def read_directive(text: str) -> Directive:
    return cast(Directive, _parser().parse("directive", text))


def read_declaration(text: str) -> DeclarationBody:
    """What follows the name in `.decl`; it is remembered without the name of its alias base."""
    base = _ALIAS_BASE.search(text)
    if base is None:
        return _remembered_declaration(text) if len(text) <= MEMO_LENGTH else _declaration(text)
    key = _without_name(text, base)
    body = _remembered_declaration(key) if len(key) <= MEMO_LENGTH else _declaration(text)
    return replace(body, base=base.group(1))


def read_placement(text: str) -> Placement:
    return _remembered_placement(text) if len(text) <= MEMO_LENGTH else _placement(text)


def read_head(text: str) -> Head:
    return _remembered_head(text) if len(text) <= MEMO_LENGTH else _head(text)


def read_operand(text: str, position: Position) -> Operand:
    """The operand `text`, which stands at `position`; it is remembered without the name of its variable."""
    name = (_BRACKETED_NAME if "[" in text else _LEADING_NAME).match(text)
    key = _without_name(text, name) if name else text
    try:
        shape = _remembered_operand(key) if len(key) <= MEMO_LENGTH else _operand(text)
    except FragmentError:
        name, shape = None, _operand(text)  # so that the message has the name
    return shape.build(name.group(1) if name else shape.name, position)


def _without_name(text: str, name: re.Match[str]) -> str:
    """The text with a name of the same width that is always the same."""
    start, end = name.span(1)
    return text[:start] + "V".ljust(end - start) + text[end:]


def _declaration(text: str) -> DeclarationBody:
    return cast(DeclarationBody, _parser().parse("declaration", text))


def _placement(text: str) -> Placement:
    return cast(Placement, _parser().parse("placement", text))


def _head(text: str) -> Head:
    return cast(Head, _parser().parse("head", text))


def _operand(text: str) -> Shape:
    return cast(Shape, _parser().parse("operand", text))


_T = TypeVar("_T")


def _remember(read: Callable[[str], _T]) -> Callable[[str], _T]:
    return lru_cache(maxsize=MEMO_ENTRIES)(read)


_remembered_declaration = _remember(_declaration)
_remembered_placement = _remember(_placement)
_remembered_head = _remember(_head)
_remembered_operand = _remember(_operand)


@cache
def _parser() -> "FragmentParser":
    """Made at the first use: the tables take a fifth of a second."""
    from visaproof.kernel.grammar import FragmentParser

    return FragmentParser()
