"""The parts of a line that mean the same wherever they stand, each read once by grammar.lark.

Kernels repeat themselves: the 52,000 operands of 488 compiled files have some 500 forms once their leading variable is
taken away.  So an operand is read without its place and its leading name, and each form only once.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, TypeVar, cast

from msgspec.structs import replace

from visaproof.isa.errors import Position
from visaproof.visaasm.fragment_records import DeclarationBody, Directive, FragmentError, Head, Placement, Shape
from visaproof.visaasm.syntax import Operand

if TYPE_CHECKING:
    from visaproof.visaasm.grammar import FragmentParser

MEMO_ENTRIES = 1 << 14
MEMO_LENGTH = 120
"""Longer parts are rare, and keeping them could fill the memory."""

NAME = re.compile(r"%?[A-Za-z_][A-Za-z0-9_]*")
_ALIAS_BASE = re.compile(rf"v_type[ \t]*=[ \t]*G[^\"{{]*?alias[ \t]*=[ \t]*<[ \t]*({NAME.pattern})")
_LEADING_NAME = re.compile(rf"(?:\([-a-z~ \t]*\)[ \t]*|&[ \t]*)?({NAME.pattern})")
_BRACKETED_NAME = re.compile(rf"[^\[\]]*\[[ \t]*({NAME.pattern})")

_SEVERAL_PARTS = re.compile(r"(?:^|[^r \t][ \t]*)\[[^\]]*,")
"""The address of a message with several names, which is kept as it is."""


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
    leading = None if _SEVERAL_PARTS.search(text) else _BRACKETED_NAME if "[" in text else _LEADING_NAME
    name = leading.match(text) if leading else None
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
    from visaproof.visaasm.grammar import FragmentParser

    return FragmentParser()
