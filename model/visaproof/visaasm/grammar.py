"""The parser that grammar.lark describes.

Imported only when the first kernel is read: lark and its tables take a fifth of a second to load.
"""

from functools import partial

from lark import Token, Transformer

from visaproof.visaasm.constant_expressions import OPERATIONS
from visaproof.visaasm.grammar_rules import StatementRules, calculate
from visaproof.visaasm.operand_rules import OperandRules
from visaproof.visaasm.text_parser import TextParser, rules_in, spread

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


class Rules(StatementRules, OperandRules):
    """Every rule of the grammar but the binary operators."""


class FragmentParser(TextParser):
    """Reads one part of a line."""

    def __init__(self) -> None:
        super().__init__("visaproof.visaasm", "grammar.lark", STARTS, _transformer(), WORDS, OPERATORS)


def _transformer() -> Transformer[Token, object]:
    transformer = rules_in(Rules())
    for name in OPERATIONS:
        setattr(transformer, name, spread(partial(calculate, name)))
    return transformer
