"""What can be wrong in a writing of a page: for each kind of expression or statement, what may stand there instead."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from msgspec import Struct, field

COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">="),
    ast.LtE: ("<", ">"),
    ast.Gt: (">=", "<="),
    ast.GtE: (">", "<"),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-",),
    ast.Sub: ("+",),
    ast.Mult: ("+",),
    ast.FloorDiv: ("%", "*"),
    ast.Mod: ("//",),
    ast.Pow: ("*",),
    ast.LShift: (">>",),
    ast.RShift: ("<<",),
    ast.BitAnd: ("|",),
    ast.BitOr: ("&",),
    ast.BitXor: ("|",),
}
SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
SYMMETRIC = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "add": ("sub",),
    "sub": ("add",),
    "bit_and": ("bit_or",),
    "bit_or": ("bit_and",),
    "bit_xor": ("bit_or",),
    "eq": ("ult",),
    "conj": ("disj",),
    "disj": ("conj",),
    "true": ("false",),
    "false": ("true",),
    "min": ("max",),
    "max": ("min",),
    "any": ("all",),
    "all": ("any",),
}
SIGNEDNESS: dict[str, tuple[str, ...]] = {
    "ult": ("slt", "ule"),
    "ule": ("sle", "ult"),
    "slt": ("ult", "sle"),
    "sle": ("ule", "slt"),
    "zero_extend": ("sign_extend",),
}
SYMMETRIC_FUNCTIONS = ("add", "bit_and", "bit_or", "bit_xor", "conj", "disj", "eq", "isinstance", "max", "min")
"""The order of their arguments is no choice (`isinstance` the other way round is not Python)."""
REPLACED_BY_AN_ARGUMENT = ("conj", "disj", "neg", "ite", "ite_bool", "implies", "max", "min")
GUARDS = ("guard", "inside", "defined")
"""Keywords of an access that say when it happens, and when it is defined."""
INTEGERS = ("ADDRESS_BITS", "CHANNELS", "OWORD_BYTES", "THREAD_LANES")
"""Named numbers."""

Replacement = tuple[ast.AST, str]
"""A node, and what stands there instead."""


class Source(Struct, frozen=True):
    """The text of a module, and what its classes call their operands."""

    text: str
    operands: Mapping[str, str] = field(default_factory=dict[str, str])
    """For an operand of an instruction another one of the same type."""

    def of(self, node: ast.AST) -> str:
        """The source text of a node, in parentheses unless it binds tightly."""
        segment = ast.get_source_segment(self.text, node) or ""
        tight = isinstance(node, ast.Constant | ast.Name | ast.Attribute | ast.Call | ast.Subscript)
        return segment if tight or (segment.startswith("(") and isinstance(node, ast.Tuple)) else f"({segment})"


def comparison(node: ast.AST, source: Source) -> Iterator[Replacement]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in COMPARISONS[type(node.ops[0])]:
            yield node, f"{source.of(node.left)} {other} {source.of(node.comparators[0])}"


def arithmetic(node: ast.AST, source: Source) -> Iterator[Replacement]:
    if isinstance(node, ast.BinOp):
        for other in ARITHMETIC[type(node.op)]:
            yield node, f"({source.of(node.left)} {other} {source.of(node.right)})"
    if isinstance(node, ast.AugAssign):
        for other in ARITHMETIC[type(node.op)]:
            yield node, f"{source.of(node.target)} {other}= {source.of(node.value)}"


def operand_left_out(node: ast.AST, source: Source) -> Iterator[Replacement]:
    if isinstance(node, ast.BinOp):
        yield node, source.of(node.left)
        if isinstance(node.op, SYMMETRIC):
            yield node, source.of(node.right)


def constant(node: ast.AST, _: Source) -> Iterator[Replacement]:
    """One more, one less; and the boolean ones."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield node, str(not node.value)
        elif isinstance(node.value, int):
            yield node, str(node.value + 1)
            yield node, f"{node.value - 1}" if node.value else "(-1)"
    if isinstance(node, ast.Name) and node.id in INTEGERS and isinstance(node.ctx, ast.Load):
        yield node, f"({node.id} + 1)"
        yield node, f"({node.id} - 1)"


def stride(node: ast.AST, _: Source) -> Iterator[Replacement]:
    """Twice and half a size or a distance."""
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value >= 2:
        yield node, str(2 * node.value)
        yield node, str(node.value // 2)


def function(node: ast.AST, _: Source) -> Iterator[Replacement]:
    yield from _renamed(node, FUNCTIONS)


def signedness(node: ast.AST, _: Source) -> Iterator[Replacement]:
    """Signed for unsigned and the other way round, and the end of a range inside or outside."""
    yield from _renamed(node, SIGNEDNESS)


def _renamed(node: ast.AST, table: Mapping[str, tuple[str, ...]]) -> Iterator[Replacement]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        for other in table.get(node.func.id, ()):
            yield node.func, other


def operand_order(node: ast.AST, source: Source) -> Iterator[Replacement]:
    """Neighbours change places: arguments, the parts of a tuple, the sides of an operator."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in SYMMETRIC_FUNCTIONS:
            return
        yield from _neighbours_swapped(node.args, source)
    elif isinstance(node, ast.Tuple):
        yield from _neighbours_swapped(node.elts, source)
    elif isinstance(node, ast.BinOp) and not isinstance(node.op, SYMMETRIC):
        yield node, f"({source.of(node.right)} {SYMBOLS[type(node.op)]} {source.of(node.left)})"


def _neighbours_swapped(parts: list[ast.expr], source: Source) -> Iterator[Replacement]:
    for one, other in pairwise(parts):
        if not isinstance(one, ast.Starred) and not isinstance(other, ast.Starred):
            between = _Between(one, other)
            segment = ast.get_source_segment(source.text, between) or ""
            if segment.count("(") == segment.count(")"):  # else one of them stands in parentheses of its own
                yield between, f"{source.of(other)}, {source.of(one)}"


class _Between(ast.AST):
    """The text from the first to the last of some neighbours."""

    def __init__(self, first: ast.expr, last: ast.expr) -> None:
        super().__init__()
        self.lineno, self.col_offset = first.lineno, first.col_offset
        self.end_lineno, self.end_col_offset = last.end_lineno, last.end_col_offset


def operand_exchanged(node: ast.AST, source: Source) -> Iterator[Replacement]:
    """Another operand of the instruction that has the same type."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        other = source.operands.get(node.attr)
        if other:
            yield node, f"self.{other}"


def guard(node: ast.AST, source: Source) -> Iterator[Replacement]:
    """A condition that is left out, or always or never holds."""
    match node:
        case ast.If(test=test) | ast.comprehension(ifs=[test]):
            yield from ((test, text) for text in ("True", "False", f"not {source.of(test)}"))
        case ast.IfExp(body=body, orelse=orelse):
            yield from ((node, source.of(branch)) for branch in (body, orelse))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, source.of(operand)
        case ast.keyword(arg=arg, value=value) if arg in GUARDS:
            yield from ((value, text) for text in ("true()", "false()"))
        case ast.Call(func=ast.Name(id=name), args=args) if name in REPLACED_BY_AN_ARGUMENT:
            if name in ("conj", "disj") and len(args) > 1:  # the others stay
                for left_out in args:
                    rest = ", ".join(_argument(arg, source) for arg in args if arg is not left_out)
                    yield node, f"{name}({rest})"
            else:
                yield from ((node, source.of(arg)) for arg in args if not isinstance(arg, ast.Starred))
        case _:
            pass


def _argument(node: ast.expr, source: Source) -> str:
    return f"*{source.of(node.value)}" if isinstance(node, ast.Starred) else source.of(node)


def connective(node: ast.AST, source: Source) -> Iterator[Replacement]:
    if isinstance(node, ast.BoolOp):
        texts = [source.of(value) for value in node.values]
        is_and = isinstance(node.op, ast.And)
        yield node, f"({(' or ' if is_and else ' and ').join(texts)})"
        for left_out in range(len(texts)):
            rest = [text for index, text in enumerate(texts) if index != left_out]
            yield node, f"({(' and ' if is_and else ' or ').join(rest)})"


def bounds_of_a_range(node: ast.AST, source: Source) -> Iterator[Replacement]:
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[end]):
            yield node, f"range({source.of(end)} - 1)"
            yield node, f"range({source.of(end)} + 1)"
            yield node, f"range(1, {source.of(end)})"
        case ast.Call(func=ast.Name(id="range"), args=[start, end, *step]):
            by = source.of(step[0]) if step else "1"
            yield node, f"range({source.of(start)}, {source.of(end)} - {by}, {by})"
            yield node, f"range({source.of(start)}, {source.of(end)} + {by}, {by})"
        case ast.Call(func=ast.Name(id="enumerate"), args=[items]):
            yield node, f"enumerate({source.of(items)}, 1)"
        case _:
            pass


def statement_left_out(node: ast.AST, _: Source) -> Iterator[Replacement]:
    """An effect that does not happen; what only names a value stays."""
    match node:
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Raise() | ast.Return(value=None):
            yield node, "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]):
            yield node, "pass"
        case _:
            pass


Operator = Callable[[ast.AST, Source], Iterator[Replacement]]

OPERATORS: dict[str, Operator] = {
    re.sub("_", "-", operator.__name__): operator
    for operator in (
        comparison,
        arithmetic,
        operand_left_out,
        constant,
        stride,
        function,
        signedness,
        operand_order,
        operand_exchanged,
        guard,
        connective,
        bounds_of_a_range,
        statement_left_out,
    )
}
"""Each kind of change by its name."""
