"""Reads the relations and sizes that a user states, with a caret under what cannot be read."""

from functools import cache
from typing import TYPE_CHECKING, cast

from visaproof.isa.errors import ReadError, in_option
from visaproof.launch.relations.expressions import Disjoint, Expression, Relation
from visaproof.visaasm.fragment_records import FragmentError

if TYPE_CHECKING:
    from visaproof.launch.relations.expression_parser import ExpressionParser

MOST_CHARACTERS = 200
"""Of one option: nothing that is nested deeper needs to be read."""


def parse_relation(text: str, option: str) -> Relation | Disjoint:
    """`ld >= 32`, `2*w <= pitch` or `disjoint(a, b)`.  Raises ReadError for anything else, with a caret."""
    found = cast(Relation | Disjoint, _parsed("relation", text, option))
    return Relation(found.sign, found.left, found.right, text) if isinstance(found, Relation) else found


def parse_expression(text: str, option: str) -> Expression:
    """`4096`, `n`, `4*w*h` or `4*(w*h + 16)`.  Raises ReadError for anything else, with a caret."""
    return cast(Expression, _parsed("expression", text, option))


def _parsed(start: str, text: str, option: str) -> object:
    if len(text) > MOST_CHARACTERS:
        raise ReadError(f"more than {MOST_CHARACTERS} characters", in_option(option))
    try:
        return _parser().parse(start, text)
    except FragmentError as error:
        raise pointing(text, error.offset, error.message, option, error.hint) from None


def pointing(text: str, offset: int, message: str, option: str, hint: str = "") -> ReadError:
    """An error about an option, with the option's text and a caret."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    return ReadError(f"{message}\n    {shown}\n    {' ' * offset}^", in_option(option), hint)


@cache
def _parser() -> "ExpressionParser":
    """Made at the first use: lark takes a fifth of a second to load."""
    from visaproof.launch.relations.expression_parser import ExpressionParser

    return ExpressionParser()
