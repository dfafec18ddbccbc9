"""The parser that grammar.lark describes, and its syntax errors in words.

Imported only when the first kernel is read: lark and its tables take a fifth of a second to load.
"""

from collections.abc import Callable, Collection
from functools import partial
from importlib.resources import files
from typing import Protocol, cast

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken

from visaproof.kernel.arithmetic import OPERATIONS
from visaproof.kernel.fragment_records import UnknownForm
from visaproof.kernel.naming import listed, shown
from visaproof.kernel.operand_rules import OperandRules
from visaproof.kernel.rules import StatementRules, calculate

STARTS = ["directive", "declaration", "placement", "head", "operand"]

WORDS = {
    "NAME": "a name",
    "OPCODE": "an instruction",
    "INT": "a number",
    "FLOAT": "a decimal fraction",
    "STRING": "a quoted string",
    "SHAPE": "a type",
    "SUFFIX": "a suffix",
    "MODIFIER": "a modifier",
    "INDIRECT": "'r['",
    "ALIGNMENT": "an alignment",
}
"""What a message calls the terminals that have no fixed spelling."""

OPERATORS = frozenset(["'+'", "'-'", "'*'", "'/'", "'%'", "'&'", "'|'", "'^'", "'?'", "'~'", "'!'"]) | frozenset(
    ["'=='", "'!='", "'<='", "'>='", "'<<'", "'>>'", "'>>>'"]
)
SHOWN_EXPECTATIONS = 6


class Rules(StatementRules, OperandRules):
    """Every rule of the grammar but the binary operators."""


class _Parser(Protocol):
    def parse(self, text: str, start: str) -> object: ...


class FragmentParser:
    """Reads one part of a line."""

    def __init__(self) -> None:
        grammar = files("visaproof.kernel").joinpath("grammar.lark").read_text("utf-8")
        lark = Lark(grammar, parser="lalr", start=STARTS, transformer=_transformer(), maybe_placeholders=True)
        self._parser: _Parser = lark
        self._spelling = {
            terminal.name: WORDS.get(terminal.name, f"'{terminal.pattern.value}'") for terminal in lark.terminals
        }

    def parse(self, start: str, text: str) -> object:
        """The value of `text` as the rule `start`.  Raises FragmentError; UnknownForm if there is none."""
        try:
            return self._parser.parse(text, start)
        except UnexpectedToken as error:
            token = cast(Token, getattr(error, "token", None))
            if token.type == "$END":
                raise self._stopped("", len(text.rstrip()), error.accepts) from None
            raise self._stopped(str(token), token.start_pos or 0, error.accepts) from None
        except UnexpectedCharacters as error:
            offset = cast(int, error.pos_in_stream)
            raise self._stopped(text[offset:].partition(" ")[0], offset, error.allowed) from None

    def _stopped(self, word: str, offset: int, allowed: Collection[str] | None) -> UnknownForm:
        found = f"unexpected {shown(word)}" if word else "something is missing at the end"
        spelled = sorted(self._spelling[name] for name in allowed or () if name in self._spelling)
        expected = [word for word in spelled if word not in OPERATORS] or spelled
        hint = f"expected {listed(expected)}" if 0 < len(expected) <= SHOWN_EXPECTATIONS else ""
        return UnknownForm(found, offset, hint)


def _transformer() -> Transformer[Token, object]:
    """The rules in the form that lark calls them in, each with a list of its parts."""
    rules = Rules()
    transformer = Transformer[Token, object]()
    for name in (name for name in dir(rules) if not name.startswith("_")):
        setattr(transformer, name, _spread(getattr(rules, name)))
    for name in OPERATIONS:
        setattr(transformer, name, _spread(partial(calculate, name)))
    return transformer


def _spread(rule: Callable[..., object]) -> Callable[[list[object]], object]:
    return lambda parts: rule(*parts)
