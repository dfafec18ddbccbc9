"""Terms in the words of SMT-LIB, for people and other tools, and read back as they are written."""

import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import cast

from visaproof.isa.float_modes import Rounding
from visaproof.smt import written
from visaproof.smt.ieee import FloatOp, FloatOperation, Format
from visaproof.smt.terms import BitVec, Bool, Op, Term, bool_const, const

MOST_BITS = 1_024
"""That an extension read from a text may add."""

_NAMES: dict[Op, str] = {
    Op.MUL: "bvmul",
    Op.AND: "bvand",
    Op.OR: "bvor",
    Op.XOR: "bvxor",
    Op.SHL: "bvshl",
    Op.LSHR: "bvlshr",
    Op.ASHR: "bvashr",
    Op.UDIV: "bvudiv",
    Op.UREM: "bvurem",
    Op.CONCAT: "concat",
    Op.ITE: "ite",
    Op.NOT: "not",
    Op.CONJ: "and",
    Op.DISJ: "or",
    Op.EQ: "=",
    Op.ULT: "bvult",
    Op.SLT: "bvslt",
}


def literal(value: int, width: int) -> str:
    """A number of `width` bits; a truth value for a width of 0."""
    if not width:
        return "true" if value else "false"
    return f"#x{value:0{width // 4}x}" if width % 4 == 0 else f"#b{value:0{width}b}"


def text_of(term: Term) -> str:
    """One expression."""
    match term.op:
        case Op.CONST:
            return literal(int(cast(int, term.payload)), term.width)
        case Op.SYMBOL:
            return str(term.payload)
        case Op.SUM:
            return _sum(term)
        case Op.FLOAT:
            return f"({_rounding(cast(FloatOperation, term.payload))} {' '.join(map(text_of, term.args))})"
        case Op.EXTRACT:
            high, low = cast(tuple[int, int], term.payload)
            return f"((_ extract {high} {low}) {text_of(term.args[0])})"
        case Op.ZERO_EXTEND | Op.SIGN_EXTEND:
            return f"((_ {term.op.name.lower()} {term.width - term.args[0].width}) {text_of(term.args[0])})"
        case _:
            return f"({_NAMES[term.op]} {' '.join(map(text_of, term.args))})"


def _rounding(operation: FloatOperation) -> str:
    """SMT-LIB has no function from a number to its pattern: `(_ ieee.add RNE 8 23)` is one on patterns.

    The numbers are the widths of exponent and fraction, of the result and, where it has another format, of the source.
    """
    formats = (*operation.result, *(operation.source or ()))
    return f"(_ ieee.{operation.op.value} {operation.rounding.value} {' '.join(map(str, formats))})"


def _sum(term: Term) -> str:
    constant, factors = cast(tuple[int, tuple[int, ...]], term.payload)
    parts = [literal(constant, term.width)] if constant else []
    for factor, arg in zip(factors, term.args, strict=True):
        text = text_of(arg)
        parts.append(text if factor == 1 else f"(bvmul {literal(factor, term.width)} {text})")
    return parts[0] if len(parts) == 1 else f"(bvadd {' '.join(parts)})"


# ---------------------------------------------------------------- reading

_TOKEN = re.compile(r"[()]|[^\s()]+")

Tree = str | list["Tree"]


def term_of(text: str, symbols: Mapping[str, Term]) -> Term:
    """The term of an expression, as written.  Raises ValueError where it is none, or of symbols that are not named."""
    stack: list[list[Tree]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token != ")":
            stack[-1].append(token)
        elif len(stack) == 1:
            raise ValueError("a parenthesis too many")
        else:
            done = stack.pop()
            stack[-1].append(done)
    if len(stack) != 1 or len(stack[0]) != 1:
        raise ValueError("not one expression")
    return _built(stack[0][0], symbols)


def value_of_literal(text: str) -> tuple[int, int]:
    """A number and its width; 0 for a truth value.  Raises ValueError."""
    if text in ("true", "false"):
        return int(text == "true"), 0
    base = {"#x": 16, "#b": 2}.get(text[:2])
    if base is None or len(text) < 3:
        raise ValueError(f"{text!r} is no number of SMT-LIB")
    return int(text[2:], base), (len(text) - 2) * (4 if base == 16 else 1)


def _built(tree: Tree, symbols: Mapping[str, Term]) -> Term:
    if isinstance(tree, str):
        if tree in symbols:
            return symbols[tree]
        value, width = value_of_literal(tree)
        return const(value, width) if width else bool_const(bool(value))
    if not tree:
        raise ValueError("an empty expression")
    args = [_built(part, symbols) for part in tree[1:]]
    match tree[0]:
        case ["_", str(name), str(rounding), *widths] if name.startswith("ieee."):
            return _float(name.removeprefix("ieee."), rounding, [int(str(width)) for width in widths], args)
        case ["_", str(name), *numbers]:
            return _indexed(name, [int(str(number)) for number in numbers], args)
        case str(name) if name in _OPERATIONS:
            return _OPERATIONS[name](args)
        case other:
            raise ValueError(f"no operation {other!r}")


def _indexed(name: str, numbers: list[int], args: list[Term]) -> Term:
    (word,) = _words(args)
    match name, numbers:
        case "extract", [high, low] if 0 <= low <= high < word.width:
            return written.extract(word, high, low)
        case "zero_extend", [more] if 0 <= more <= MOST_BITS:
            return written.zero_extend(word, word.width + more)
        case "sign_extend", [more] if 0 <= more <= MOST_BITS:
            return written.sign_extend(word, word.width + more)
        case _:
            raise ValueError(f"no operation {name!r} with {numbers} on {word.width} bits")


def _float(name: str, rounding: str, widths: list[int], args: list[Term]) -> Term:
    if len(widths) not in (2, 4) or not all(0 < width < MOST_BITS for width in widths):
        raise ValueError(f"no formats of floats: {widths}")
    formats = [Format(*widths[start : start + 2]) for start in range(0, len(widths), 2)]
    return written.rounded(FloatOperation(FloatOp(name), Rounding(rounding), *formats), *_words(args))


def _words(args: list[Term]) -> list[BitVec]:
    words = [arg for arg in args if isinstance(arg, BitVec)]
    if not words or len(words) != len(args):
        raise ValueError("a bit-vector is missing")
    return words


def _truths(args: list[Term]) -> list[Bool]:
    truths = [arg for arg in args if isinstance(arg, Bool)]
    if len(truths) != len(args):
        raise ValueError("a truth value is missing")
    return truths


def _on_words(operation: Callable[..., Term]) -> Callable[[list[Term]], Term]:
    return lambda args: operation(*_words(args))


def _on_truths(operation: Callable[..., Term]) -> Callable[[list[Term]], Term]:
    return lambda args: operation(*_truths(args))


def _choice(args: list[Term]) -> Term:
    (condition,), (then, otherwise) = _truths(args[:1]), _words(args[1:])
    return written.ite(condition, then, otherwise)


def _equal(args: list[Term]) -> Term:
    left, right = args
    if type(left) is not type(right):
        raise ValueError("a bit-vector equals no truth value")
    return written.same(left, right)


_OPERATIONS: dict[str, Callable[[list[Term]], Term]] = {
    "bvadd": _on_words(written.add),
    "bvmul": _on_words(lambda *factors: reduce(written.mul, factors)),
    "bvand": _on_words(written.bit_and),
    "bvor": _on_words(written.bit_or),
    "bvxor": _on_words(written.bit_xor),
    "bvshl": _on_words(written.shl),
    "bvlshr": _on_words(written.lshr),
    "bvashr": _on_words(written.ashr),
    "bvudiv": _on_words(written.udiv),
    "bvurem": _on_words(written.urem),
    "concat": _on_words(written.concat),
    "ite": _choice,
    "not": _on_truths(written.neg),
    "and": _on_truths(written.conj),
    "or": _on_truths(written.disj),
    "=": _equal,
    "bvult": _on_words(written.ult),
    "bvslt": _on_words(written.slt),
}
