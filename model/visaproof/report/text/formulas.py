"""Terms as a person writes them: `(o3+0x10)+12`, `EM[8] and not P1[8]`.

A sum inside of parentheses wraps in its own width before it takes part in what is around it.
"""

import re
from collections.abc import Callable, Iterable
from typing import cast

from visaproof.smt import BitVec, Op, Term, linear_parts

_INDEXED = re.compile(r"(.+)\[(\d+)\]")


def number(value: int) -> str:
    return f"{value:#x}" if value > 15 else str(value)


def formula(term: Term) -> str:
    """One line; only what footprints consist of has a form of its own."""
    write = _FORMS.get(term.op)
    return write(term) if write is not None else f"{term.op.name.lower()}({', '.join(map(formula, term.args))})"


def _inner(term: Term) -> str:
    """The formula as a part of another one."""
    simple = term.op in (Op.CONST, Op.SYMBOL) or (term.op is Op.ZERO_EXTEND and term.args[0].op is Op.SYMBOL)
    return formula(term) if simple else f"({formula(term)})"


def _constant(term: Term) -> str:
    return number(cast(int, term.payload)) if term.width else str(term.payload).lower()


def _sum(term: Term) -> str:
    constant, parts = linear_parts(cast(BitVec, term))
    text = ""
    for atom, factor in parts.items():
        negative = factor >> (term.width - 1)
        size = (1 << term.width) - factor if negative else factor
        shown = _widened(atom) if size == 1 else f"{size}*{_widened(atom)}"
        text += ("-" if negative else "+" if text else "") + shown
    negative = constant >> (term.width - 1)
    size = (1 << term.width) - constant if negative else constant
    return text + (f"{'-' if negative else '+'}{number(size)}" if constant else "")


def _widened(term: Term) -> str:
    return _inner(term.args[0]) if term.op is Op.ZERO_EXTEND else _inner(term)


def _choice(term: Term) -> str:
    condition, then, otherwise = term.args
    return f"{formula(then)} if {formula(condition)} else {formula(otherwise)}"


def _infix(sign: str) -> Callable[[Term], str]:
    return lambda term: f" {sign} ".join(_inner(arg) for arg in term.args)


def _lanes(word: str) -> Callable[[Term], str]:
    several = "all of " if word == "and" else "any of "
    return lambda term: f" {word} ".join(_ranges(sorted(map(formula, term.args), key=_by_name), several))


def _by_name(part: str) -> tuple[str, int]:
    indexed = _INDEXED.fullmatch(part)
    return (indexed.group(1), int(indexed.group(2))) if indexed else (part, 0)


def _ranges(parts: Iterable[str], several: str) -> list[str]:
    """`P[8]`, `P[9]`, … put together as `all of P[8..9]`; other parts as they are."""
    runs: list[tuple[str, int, int]] = []
    others: list[str] = []
    for part in parts:
        indexed = _INDEXED.fullmatch(part)
        if indexed is None:
            others.append(f"({part})" if " " in part else part)
            continue
        name, index = indexed.group(1), int(indexed.group(2))
        if runs and runs[-1][0] == name and runs[-1][2] == index - 1:
            runs[-1] = (name, runs[-1][1], index)
        else:
            runs.append((name, index, index))
    shown = [f"{name}[{first}]" if first == last else f"{several}{name}[{first}..{last}]" for name, first, last in runs]
    return shown + others


def _not(term: Term) -> str:
    shown = formula(term.args[0])
    return f"not {shown}" if " " not in shown or shown.startswith("any of") else f"not ({shown})"


def _concat(term: Term) -> str:
    return ":".join(_inner(arg) for arg in term.args)


def _extract(term: Term) -> str:
    high, low = cast(tuple[int, int], term.payload)
    return f"{_inner(term.args[0])}[{high}:{low}]"


_FORMS: dict[Op, Callable[[Term], str]] = {
    Op.CONST: _constant,
    Op.SYMBOL: lambda term: str(term.payload),
    Op.SUM: _sum,
    Op.ZERO_EXTEND: lambda term: formula(term.args[0]),
    Op.ITE: _choice,
    Op.AND: _infix("&"),
    Op.OR: _infix("|"),
    Op.XOR: _infix("^"),
    Op.EQ: _infix("=="),
    Op.ULT: _infix("<"),
    Op.SLT: _infix("<s"),
    Op.CONJ: _lanes("and"),
    Op.DISJ: _lanes("or"),
    Op.NOT: _not,
    Op.CONCAT: _concat,
    Op.EXTRACT: _extract,
}
