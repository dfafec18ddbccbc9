"""What the rules of grammar.lark for constants, directives and instruction heads mean."""

import re
from typing import NamedTuple

from lark import Token
from msgspec.structs import replace

from visaproof.isa.execution import EXEC_SIZES, Combine, ExecMask
from visaproof.isa.types import DataType, type_named
from visaproof.visaasm import constant_expressions as arithmetic
from visaproof.visaasm.constant_expressions import UnreadableNumber
from visaproof.visaasm.fragment_records import Attribute, DeclarationBody, Directive, FragmentError, Head, Placement
from visaproof.visaasm.naming import closest, listed, shown
from visaproof.visaasm.syntax import ExecutionField, PredicateUse


class Constant(NamedTuple):
    """The value of a constant expression, and where its last number stands."""

    value: int
    offset: int


def literal_value(token: Token) -> Constant:
    offset = token.start_pos or 0
    try:
        return Constant(arithmetic.literal(token), offset)
    except UnreadableNumber as error:
        raise FragmentError(str(error), offset) from None


def type_spelled(token: Token, offset: int) -> DataType:
    """The element type, upper or lower case."""
    try:
        return type_named(token)
    except KeyError:
        names = [data_type.spelling for data_type in DataType]
        hint = closest(token.lower(), names) or f"the types are {listed(names)}"
        raise FragmentError(f"unknown type {shown(token)}", offset, hint) from None


class ConstantRules:
    """Constant expressions, evaluated in 64 bits as they are read."""

    def literal(self, token: Token) -> Constant:
        return literal_value(token)

    def negate(self, operand: Constant) -> Constant:
        return calculate("subtract", Constant(0, operand.offset), operand)

    def complement(self, operand: Constant) -> Constant:
        return calculate("subtract", Constant(-1, operand.offset), operand)

    def is_zero(self, operand: Constant) -> Constant:
        return Constant(int(operand.value == 0), operand.offset)

    def choose(self, condition: Constant, when_true: Constant, when_false: Constant) -> Constant:
        return when_true if condition.value else when_false


def calculate(name: str, left: Constant, right: Constant) -> Constant:
    """The binary operator that grammar.lark calls `name`."""
    try:
        value = arithmetic.OPERATIONS[name](left.value, right.value)
        return Constant(arithmetic.in_range(value), right.offset)
    except UnreadableNumber as error:
        raise FragmentError(str(error), right.offset) from None


# ---------------------------------------------------------------- directives

ALIGNMENTS = {
    "byte": "byte",
    "word": "word",
    "dword": "dword",
    "qword": "qword",
    "oword": "oword",
    "hword": "hword",
    "wordx32": "wordx32",
    "32word": "wordx32",
    "wordx64": "wordx64",
    "64word": "wordx64",
    "GRF": "GRF",
    "GRFx2": "GRFx2",
    "2GRF": "GRFx2",
}
ALIGNED_BYTES = {1: "byte", 2: "word", 4: "dword", 8: "qword", 16: "oword", 32: "hword", 64: "wordx32", 128: "wordx64"}


class AliasOf(NamedTuple):
    """`alias=<base, bytes>`; `offset` is the place of `base` in the text."""

    base: str
    bytes: int
    offset: int


Attributes = tuple[Attribute, ...]


class DirectiveRules(ConstantRules):
    """Directives, and what follows the name in `.decl` and `.input`."""

    def version(self, major: Token, minor: Token) -> Directive:
        return Directive("version", (literal_value(major).value, literal_value(minor).value))

    def kernel(self, name: Token) -> Directive:
        return Directive("kernel", (unquoted(name),))

    def global_function(self, name: Token) -> Directive:
        return Directive("global_function", (unquoted(name),))

    def function(self, name: Token) -> Directive:
        return Directive("function", (unquoted(name),))

    def funcdecl(self, name: Token) -> Directive:
        return Directive("funcdecl", (_between_quotes(name),))

    def file(self, name: Token) -> Directive:
        return Directive("file", (_between_quotes(name),))

    def loc(self, line: Token) -> Directive:
        return Directive("loc", (literal_value(line).value,))

    def source_file(self, name: Token) -> Directive:
        return Directive("source_file", (_between_quotes(name),))

    def source_line(self, line: Token) -> Directive:
        return Directive("source_line", (literal_value(line).value,))

    def attribute(self, name: Token, value: Token | Constant | None) -> Directive:
        read = value.value if isinstance(value, Constant) else None if value is None else unquoted(value)
        return Directive("attribute", (str(name), read))

    def general(
        self,
        kind: Token,
        spelled: Token,
        num_elts: Constant,
        align: str | None,
        alias: AliasOf | None,
        attributes: Attributes | None,
    ) -> DeclarationBody:
        offset = spelled.start_pos or 0
        data_type = type_spelled(spelled, offset)
        if data_type.packed:
            raise FragmentError(f"no variable has the packed type {spelled}", offset, "it is for immediates only")
        base = alias or AliasOf("", 0, 0)
        return DeclarationBody(
            str(kind),
            data_type,
            num_elts.value,
            num_elts.offset,
            align,
            base.base or None,
            base.offset,
            base.bytes,
            attributes=attributes or (),
        )

    def counted(self, kind: Token, num_elts: Constant, attributes: Attributes | None) -> DeclarationBody:
        return DeclarationBody(str(kind), None, num_elts.value, num_elts.offset, attributes=attributes or ())

    def named(
        self, kind: Token, num_elts: Constant, name: str | None, attributes: Attributes | None
    ) -> DeclarationBody:
        return replace(self.counted(kind, num_elts, attributes), v_name=name)

    def align_word(self, word: Token) -> str:
        if word not in ALIGNMENTS:
            hint = closest(word, ALIGNMENTS) or f"the words are {listed(ALIGNMENTS)}"
            raise FragmentError(f"unknown alignment {shown(word)}", word.start_pos or 0, hint)
        return ALIGNMENTS[word]

    def align_bytes(self, count: Constant) -> str:
        if count.value not in ALIGNED_BYTES:
            hint = f"an alignment has {listed(map(str, ALIGNED_BYTES))} bytes"
            raise FragmentError(f"unknown alignment {count.value}", count.offset, hint)
        return ALIGNED_BYTES[count.value]

    def alias(self, base: Token, count: Constant) -> AliasOf:
        return AliasOf(str(base), count.value, base.start_pos or 0)

    def v_name(self, name: Token) -> str:
        return str(name)

    def attr(self, name: Token, value: Token | Constant | None) -> Attribute:
        read = value.value if isinstance(value, Constant) else None if value is None else _between_quotes(value)
        return str(name), read

    def attrs(self, *attributes: Attribute) -> Attributes:
        return attributes

    def placement(self, offset: Constant | None, size: Constant | None, attributes: Attributes | None) -> Placement:
        return Placement(offset.value if offset else 0, size.value if size else None, attributes or ())


def _between_quotes(token: Token) -> str:
    """The characters of a string that is only kept, escapes as they are written."""
    return token[1:-1]


ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
ESCAPED = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def unquoted(token: Token) -> str:
    """A name as it stands, or a string without its quotes and C escapes."""
    if token.type != "STRING":
        return str(token)

    def decoded(match: re.Match[str]) -> str:
        octal, hexadecimal, letter = match.groups()
        if octal or hexadecimal:
            return chr(int(octal, 8) & 0xFF if octal else int(hexadecimal, 16))
        if letter in ESCAPED:
            return ESCAPED[letter]
        if letter in "'\"?\\":
            return letter
        offset = (token.start_pos or 0) + 1 + match.start()
        raise FragmentError(f"unknown escape {shown(match.group())}", offset)

    return ESCAPE.sub(decoded, token[1:-1])


# ---------------------------------------------------------------- instruction heads

COMBINES = {"any": Combine.ANY, "all": Combine.ALL}
MASKS = {mask.name: mask for mask in ExecMask} | {"NoMask": ExecMask.M1_NM}


class PlacedPredicate(NamedTuple):
    """A predicate and where its variable stands in the text."""

    use: PredicateUse
    offset: int


class StatementRules(DirectiveRules):
    """Instructions up to their operands."""

    def head(
        self,
        predicate: PlacedPredicate | None,
        opcode: Token,
        before: tuple[str, ...],
        execution: ExecutionField | None,
        behind: tuple[str, ...],
    ) -> Head:
        use, offset = predicate or (None, 0)
        return Head(use, offset, str(opcode), before + behind, execution)

    def predicate(self, inverse: Token | None, name: Token, combine: Token | None) -> PlacedPredicate:
        if combine is not None and combine not in COMBINES:
            raise FragmentError(
                f"unknown predicate control {shown(combine)}", combine.start_pos or 0, "any or all, in lower case"
            )
        how = Combine.PLAIN if combine is None else COMBINES[combine]
        return PlacedPredicate(PredicateUse(str(name), inverse is not None, how), name.start_pos or 0)

    def suffixes(self, *tokens: Token) -> tuple[str, ...]:
        return tuple(map(str, tokens))

    def execution(self, mask: Token | None, size: Token) -> ExecutionField:
        if mask is not None and mask not in MASKS:
            hint = "the masks are M1 to M8 and M1_NM to M8_NM"
            raise FragmentError(f"unknown execution mask {shown(mask)}", mask.start_pos or 0, hint)
        count = literal_value(size)
        if count.value not in EXEC_SIZES:
            hint = f"the sizes are {listed(map(str, EXEC_SIZES))}"
            raise FragmentError(f"there is no execution size {count.value}", count.offset, hint)
        return ExecutionField(ExecMask.M1 if mask is None else MASKS[mask], count.value)
