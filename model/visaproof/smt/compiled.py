"""Terms as a Python function of their symbols, for many evaluations of the same terms.

Each term becomes one assignment of a generated function.  Making the function costs about as much as ten evaluations by
`evaluate`; calling it costs a tenth of one.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from visaproof.smt.evaluate import subterms
from visaproof.smt.ieee import FloatOperation, compute
from visaproof.smt.terms import Op, Term, kept

DEEP = 200
"""Summands from which on they are not written as a chain."""

KEPT = 4
"""Functions: who draws values and who then makes them smaller evaluate the same terms."""


def compiled(roots: Iterable[Term], symbols: Sequence[Term]) -> Callable[[Sequence[int]], list[int]]:
    """A function from values of the symbols, in their order, to the values of the roots; Booleans are 0 and 1.

    `symbols` names every symbol of the roots, and a value has no more bits than its symbol.
    """
    return _compiled(tuple(roots), tuple(symbols))


@kept(KEPT)
def _compiled(roots: tuple[Term, ...], symbols: tuple[Term, ...]) -> Callable[[Sequence[int]], list[int]]:
    operations: dict[str, FloatOperation] = {}
    names = {symbol: f"v{index}" for index, symbol in enumerate(symbols)}
    lines = [f"{', '.join(names.values())}, = values"] if names else []
    for term in subterms(*roots):
        if term in names:
            continue
        if term.op is Op.CONST:
            names[term] = str(int(cast(int, term.payload)))
        else:
            args = [names[arg] for arg in term.args]
            source = _float(term, args, operations) if term.op is Op.FLOAT else _SOURCE[term.op](term, args)
            names[term] = f"v{len(names)}"
            lines.append(f"{names[term]} = {source}")
    lines.append(f"return [{', '.join(names[root] for root in roots)}]")
    scope: dict[str, Callable[[Sequence[int]], list[int]]] = {}
    exec("def run(values):\n    " + "\n    ".join(lines), {"compute": compute, **operations}, scope)
    return scope["run"]


def _float(term: Term, args: list[str], operations: dict[str, FloatOperation]) -> str:
    name = f"operation{len(operations)}"
    operations[name] = cast(FloatOperation, term.payload)
    return f"compute({name}, ({', '.join(args)},), {tuple(arg.width for arg in term.args)})"


def _mask(term: Term) -> int:
    return (1 << term.width) - 1


def _offset(term: Term, name: str) -> str:
    """The value plus half the range: signed order becomes unsigned order."""
    return f"({name} ^ {1 << (term.width - 1)})"


def _signed(term: Term, name: str) -> str:
    return f"({_offset(term, name)} - {1 << (term.width - 1)})"


def _sum(term: Term, args: list[str]) -> str:
    constant, factors = cast(tuple[int, tuple[int, ...]], term.payload)
    scaled = [arg if factor == 1 else f"{factor} * {arg}" for factor, arg in zip(factors, args, strict=True)]
    return f"{_added([str(constant), *scaled])} & {_mask(term)}"


def _concat(term: Term, args: list[str]) -> str:
    shifted, below = list[str](), 0
    for part, arg in zip(reversed(term.args), reversed(args), strict=True):
        shifted.append(f"({arg} << {below})")
        below += part.width
    return _added(shifted)


def _added(args: list[str]) -> str:
    """The sum of the arguments; of many by a call, because Python's compiler recurses into a chain of operators."""
    return f"({' + '.join(args)})" if len(args) < DEEP else f"sum(({', '.join(args)}))"


def _extract(term: Term, args: list[str]) -> str:
    _, low = cast(tuple[int, int], term.payload)
    return f"{args[0]} >> {low} & {_mask(term)}"


_SOURCE: dict[Op, Callable[[Term, list[str]], str]] = {
    Op.SUM: _sum,
    Op.MUL: lambda term, args: f"{' * '.join(args)} & {_mask(term)}",
    Op.AND: lambda _, args: f"{args[0]} & {args[1]}",
    Op.OR: lambda _, args: f"{args[0]} | {args[1]}",
    Op.XOR: lambda _, args: f"{args[0]} ^ {args[1]}",
    Op.SHL: lambda term, args: f"{args[0]} << {args[1]} & {_mask(term)} if {args[1]} < {term.width} else 0",
    Op.LSHR: lambda term, args: f"{args[0]} >> {args[1]} if {args[1]} < {term.width} else 0",
    Op.ASHR: lambda term, args: f"{_signed(term, args[0])} >> min({args[1]}, {term.width}) & {_mask(term)}",
    Op.UDIV: lambda term, args: f"{args[0]} // {args[1]} if {args[1]} else {_mask(term)}",
    Op.UREM: lambda _, args: f"{args[0]} % {args[1]} if {args[1]} else {args[0]}",
    Op.CONCAT: _concat,
    Op.EXTRACT: _extract,
    Op.ZERO_EXTEND: lambda _, args: args[0],
    Op.SIGN_EXTEND: lambda term, args: f"{_signed(term.args[0], args[0])} & {_mask(term)}",
    Op.ITE: lambda _, args: f"{args[1]} if {args[0]} else {args[2]}",
    Op.NOT: lambda _, args: f"1 - {args[0]}",
    Op.CONJ: lambda _, args: f"1 if {' and '.join(args)} else 0",
    Op.DISJ: lambda _, args: f"1 if {' or '.join(args)} else 0",
    Op.EQ: lambda _, args: f"1 if {args[0]} == {args[1]} else 0",
    Op.ULT: lambda _, args: f"1 if {args[0]} < {args[1]} else 0",
    Op.SLT: lambda term, args: f"1 if {_offset(term.args[0], args[0])} < {_offset(term.args[1], args[1])} else 0",
}
