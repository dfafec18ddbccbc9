"""Relations and sizes that a user states: sums and products of arguments and values of the launch, over the integers.

    --where 'ld >= 32'   --where '2*w <= pitch'   --where 'n % 16 == 0'   --size 'a=4*(w*h + 16)'

Nothing wraps: `4*w*h` is the product of the numbers, however many bits it needs.  `x % m` is the one of 0..m−1 that
differs from x by a multiple of m.
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, cast

from visaproof.isa.errors import ReadError, in_option
from visaproof.kernel.fragment_records import FragmentError

if TYPE_CHECKING:
    from visaproof.kernel.expression_parser import ExpressionParser

MOST_CHARACTERS = 200
"""Of one option: nothing that is nested deeper needs to be read."""


@dataclass(frozen=True, slots=True)
class Number:
    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Name:
    """An argument by value, or a value of the launch."""

    text: str
    offset: int = 0
    """Where it stands in the option."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Operation:
    """`left + right`, `-`, `*` or `%`; the right side of `%` is a positive number."""

    sign: str
    left: "Expression"
    right: "Expression"

    def __str__(self) -> str:
        space = " " if self.sign in "+-%" else ""
        return f"{self._part(self.left, last=False)}{space}{self.sign}{space}{self._part(self.right, last=True)}"

    def _part(self, part: "Expression", *, last: bool) -> str:
        own, inner = _RANK[self.sign], _RANK[part.sign] if isinstance(part, Operation) else len(_RANK)
        return f"({part})" if inner < own or (last and inner == own) else str(part)


Expression = Number | Name | Operation

_RANK = {"+": 0, "-": 0, "*": 1, "%": 1}
OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "%": operator.mod,
}
COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}


@dataclass(frozen=True, slots=True)
class Relation:
    """`left` compared with `right`."""

    sign: str
    left: Expression
    right: Expression
    text: str = ""
    """As the user wrote it, for messages that point into it."""

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"

    def holds(self, values: Mapping[str, int]) -> bool:
        """Whether it holds of these numbers.  Raises KeyError for a name that has none."""
        return COMPARISONS[self.sign](value_in(self.left, values), value_in(self.right, values))

    def names(self) -> Iterator[Name]:
        yield from names_in(self.left)
        yield from names_in(self.right)


@dataclass(frozen=True, slots=True)
class Disjoint:
    """Two arguments that share no byte, by name or number."""

    one: str
    other: str


def value_in(expression: Expression, values: Mapping[str, int]) -> int:
    """The number that the expression is for these values."""
    match expression:
        case Number(value):
            return value
        case Name(text):
            return values[text]
        case Operation(sign, left, right):
            return OPERATIONS[sign](value_in(left, values), value_in(right, values))


def names_in(expression: Expression) -> Iterator[Name]:
    match expression:
        case Number():
            return
        case Name():
            yield expression
        case Operation(_, left, right):
            yield from names_in(left)
            yield from names_in(right)


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
    from visaproof.kernel.expression_parser import ExpressionParser

    return ExpressionParser()
