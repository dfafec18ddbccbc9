"""The parser that relations.lark describes.  Imported only where a relation or a size is read."""

from lark import Token, Transformer

from visaproof.launch.relations.expressions import Disjoint, Expression, Name, Number, Operation, Relation
from visaproof.visaasm.constant_expressions import UnreadableNumber, literal
from visaproof.visaasm.fragment_records import FragmentError
from visaproof.visaasm.text_parser import TextParser, rules_in

WORDS = {
    "NAME": "a name",
    "INT": "a number",
    "COMPARISON": "a comparison (<=, <, ==, !=, >=, >)",
    "DISJOINT": "disjoint(A, B)",
    "EXTREME": "max(A)",
}


class ExpressionRules:
    """Every rule of the grammar."""

    def comparison(self, left: Expression, sign: Token, right: Expression) -> Relation:
        return Relation(str(sign), left, right)

    def disjoint(self, _: Token, one: str, other: str) -> Disjoint:
        return Disjoint(one, other)

    def buffer_name(self, token: Token) -> str:
        return str(token)

    def buffer_number(self, token: Token) -> str:
        return str(_number(token))

    def add(self, left: Expression, right: Expression) -> Operation:
        return Operation("+", left, right)

    def subtract(self, left: Expression, right: Expression) -> Operation:
        return Operation("-", left, right)

    def multiply(self, left: Expression, right: Expression) -> Operation:
        return Operation("*", left, right)

    def remainder(self, left: Expression, token: Token) -> Operation:
        divisor = _number(token)
        if not divisor:
            raise FragmentError("a remainder by 0", token.start_pos or 0, "the right side of % is a positive number")
        return Operation("%", left, Number(divisor))

    def negate(self, operand: Expression) -> Expression:
        return Number(-operand.value) if isinstance(operand, Number) else Operation("-", Number(0), operand)

    def literal(self, token: Token) -> Number:
        return Number(_number(token))

    def name(self, token: Token) -> Name:
        return Name(str(token), token.start_pos or 0)

    def extreme(self, which: Token, buffer: str) -> Name:
        return Name(f"{which}({buffer})", which.start_pos or 0)


class ExpressionParser(TextParser):
    """Reads one option."""

    def __init__(self) -> None:
        rules: Transformer[Token, object] = rules_in(ExpressionRules())
        super().__init__(
            "visaproof.launch.relations",
            "relations.lark",
            ["relation", "expression"],
            rules,
            WORDS,
            {"'+'", "'-'", "'*'", "'%'"},
        )


def _number(token: Token) -> int:
    try:
        return literal(token)
    except UnreadableNumber as error:
        raise FragmentError(str(error), token.start_pos or 0) from None
