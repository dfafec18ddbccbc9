"""Relations and sizes that a user states: sums and products of arguments and values of the launch, over the integers.

    --where 'ld >= 32'   --where '2*w <= pitch'   --where 'n % 16 == 0'   --size 'a=4*(w*h + 16)'

Nothing wraps: `4*w*h` is the product of the numbers, however many bits it needs.  `x % m` is the one of 0..m−1 that
differs from x by a multiple of m.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce

from msgspec import Struct


class Number(Struct, frozen=True):
    value: int

    def __str__(self) -> str:
        return str(self.value)


class Name(Struct, frozen=True):
    """An argument by value, or a value of the launch."""

    text: str
    offset: int = 0
    """Where it stands in the option."""

    def __str__(self) -> str:
        return self.text


class Operation(Struct, frozen=True):
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


class Relation(Struct, frozen=True):
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


class Disjoint(Struct, frozen=True):
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


def in_order(expression: Expression, names: Sequence[str]) -> Expression:
    """The same with the factors of each product in the order of these names, after numbers and before other names."""
    if not isinstance(expression, Operation):
        return expression
    if expression.sign != "*":
        sides = (in_order(side, names) for side in (expression.left, expression.right))
        return Operation(expression.sign, *sides)
    ranks = {name: place for place, name in enumerate(names)}
    factors = [in_order(one, names) for one in _factors(expression)]
    factors.sort(key=lambda one: -1 if isinstance(one, Number) else ranks.get(str(one), len(ranks)))
    return reduce(lambda left, right: Operation("*", left, right), factors)


def _factors(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, Operation) and expression.sign == "*":
        yield from _factors(expression.left)
        yield from _factors(expression.right)
    else:
        yield expression


def names_in(expression: Expression) -> Iterator[Name]:
    match expression:
        case Number():
            return
        case Name():
            yield expression
        case Operation(_, left, right):
            yield from names_in(left)
            yield from names_in(right)


def renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """With other names in the place of some."""
    match expression:
        case Number():
            return expression
        case Name(text):
            return Name(names.get(text, text))
        case Operation(sign, left, right):
            return Operation(sign, renamed(left, names), renamed(right, names))
