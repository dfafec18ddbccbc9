"""Expressions and conditions of a rewrite rule: read by rewrite.lark, and worked out where they are numbers."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Protocol, cast

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken
from lark.exceptions import VisitError

from visaproof.isa.errors import Position, ReadError
from visaproof.rules.language.syntax import (
    Call,
    Compared,
    Condition,
    Element,
    Expression,
    Holds,
    Joined,
    Negated,
    Number,
    Off,
    Operation,
    Range,
    Selector,
    Word,
)
from visaproof.visaasm.naming import closest, shown

CHANNELS = "RGBA"
MOST_DIGITS = 40

At = Callable[[int], Position]


class _Parser(Protocol):
    def parse(self, text: str, start: str) -> object: ...


@lru_cache(1)
def _parser() -> _Parser:
    grammar = files("visaproof.rules.language").joinpath("rewrite.lark").read_text("utf-8")
    return cast(_Parser, Lark(grammar, parser="lalr", start=["expression", "condition"], propagate_positions=True))


def read_expression(text: str, at: At) -> Expression:
    """The expression that `text` is; `at` gives the place of its characters.  Raises ReadError."""
    return cast(Expression, _read(text, "expression", at))


def read_condition(text: str, at: At) -> Condition:
    """The condition that `text` is.  Raises ReadError."""
    return cast(Condition, _read(text, "condition", at))


def _read(text: str, start: str, at: At) -> object:
    try:
        tree = _parser().parse(text, start)
        return _Meaning(at).transform(tree)  # pyright: ignore[reportArgumentType]
    except VisitError as error:  # what is raised within comes wrapped
        if isinstance(error.orig_exc, RecursionError):
            raise ReadError(f"the {start} is nested too deeply", at(0)) from None
        raise error.orig_exc from None
    except UnexpectedToken as error:
        token = cast(Token, getattr(error, "token", None))
        if token.type == "$END":
            raise ReadError(f"the {start} is incomplete", at(len(text.rstrip())), _HINTS[start]) from None
        raise ReadError(f"unexpected {shown(str(token))}", at(token.start_pos or 0), _HINTS[start]) from None
    except UnexpectedCharacters as error:
        offset = cast(int, error.pos_in_stream)
        raise ReadError(f"unexpected {shown(text[offset : offset + 1])}", at(offset), _HINTS[start]) from None
    except RecursionError:
        raise ReadError(f"the {start} is nested too deeply", at(0)) from None


_HINTS = {
    "expression": "numbers, names, + - * / %, max(…), min(…), count(CHANNELS)",
    "condition": "as in: aligned(off, 4) and no_wrap(base + off), mask within 0xff, p == all",
}


class _Meaning(Transformer[Token, object]):
    """The tree as records."""

    def __init__(self, at: At) -> None:
        super().__init__(visit_tokens=False)
        self._at = at

    def _place(self, token: Token) -> Position:
        return self._at(token.start_pos or 0)

    def number(self, parts: list[Token]) -> Number:
        text = parts[0].replace("_", "")
        if len(text) > MOST_DIGITS:
            raise ReadError(f"the number {shown(str(parts[0]))} is too large", self._place(parts[0]))
        try:
            return Number(int(text, 0 if text[:2] in ("0x", "0X") else 10), self._place(parts[0]))
        except ValueError:
            raise ReadError(f"{shown(str(parts[0]))} is no number", self._place(parts[0])) from None

    def name(self, parts: list[Token]) -> Word:
        return Word(str(parts[0]), self._place(parts[0]))

    def call(self, parts: list[object]) -> Call:
        name, *arguments = parts
        return Call(str(name), tuple(cast(list[Expression], arguments)), self._place(cast(Token, name)))

    def element(self, parts: list[object]) -> Element:
        name, *selectors = parts
        return Element(str(name), tuple(cast(list[Selector], selectors)), self._place(cast(Token, name)))

    def range(self, parts: list[Expression]) -> Range:
        return Range(parts[0], parts[1], parts[0].position)

    def off(self, parts: list[Token]) -> Off:
        return Off(str(parts[0]), self._place(parts[0]))

    def operation(self, parts: list[object]) -> Operation:
        left, sign, right = parts
        left = cast(Expression, left)
        return Operation(str(sign), left, cast(Expression, right), left.position)

    def compared(self, parts: list[object]) -> Compared:
        left, relation, right = parts
        left = cast(Expression, left)
        return Compared(str(relation), left, cast(Expression, right), left.position)

    def holds(self, parts: list[Expression]) -> Holds:
        return Holds(parts[0], parts[0].position)

    def both(self, parts: list[Condition]) -> Joined:
        return Joined(True, parts[0], parts[1])

    def either(self, parts: list[Condition]) -> Joined:
        return Joined(False, parts[0], parts[1])

    def negated(self, parts: list[Condition]) -> Negated:
        return Negated(parts[0])


# ---------------------------------------------------------------- numbers

Holes = Mapping[str, int | str]
"""What the holes of an instance hold: a number, or a word such as `M5` or `RGB`."""


def value_of(expression: Expression, holes: Holes) -> int | str:
    """The expression as a number or a word.  Raises ReadError."""
    match expression:
        case Number(value):
            return value
        case Word(name, position):
            if name not in holes:
                raise ReadError(f"no hole {shown(name)}", position, closest(name, list(holes)))
            return holes[name]
        case Element(_, _, position):
            raise ReadError("an element of a register is not known when the instance is made", position)
        case Call(name, arguments, position):
            return _called(name, [value_of(each, holes) for each in arguments], position)
        case Operation(sign, left, right, position):
            return _calculated(sign, number_of(left, holes), number_of(right, holes), position)


def number_of(expression: Expression, holes: Holes) -> int:
    """The expression as a number.  Raises ReadError."""
    value = value_of(expression, holes)
    if isinstance(value, str):
        raise ReadError(f"{shown(value)} is no number", expression.position, "count(CHANNELS) counts channels")
    return value


def _calculated(sign: str, left: int, right: int, position: Position) -> int:
    if sign in "/%" and right == 0:
        raise ReadError("a division by 0", position)
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left // right
        case _:
            return left % right


def _called(name: str, arguments: list[int | str], position: Position) -> int | str:
    match name, arguments:
        case "max" | "min", [int(first), int(second)]:
            return max(first, second) if name == "max" else min(first, second)
        case "count", [str(channels)] if _are_channels(channels):
            return len(channels)
        case "letter", [str(channels), int(index)] if _are_channels(channels) and 0 <= index < len(channels):
            return channels[index]
        case "channel", [str(channels), int(index)] if _are_channels(channels) and 0 <= index < len(channels):
            return CHANNELS.index(channels[index])
        case _:
            raise ReadError(f"no {name} of these arguments", position, "max, min, count, letter, channel")


def _are_channels(word: str) -> bool:
    return bool(word) and all(letter in CHANNELS for letter in word)
