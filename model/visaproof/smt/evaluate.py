"""Terms at concrete values, and the symbols of a term.  No recursion: terms are deep."""

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from math import inf
from operator import attrgetter
from typing import TypeVar, cast

from visaproof.smt.ieee import FloatOperation, compute
from visaproof.smt.terms import Op, Term, signed_value

T = TypeVar("T", bound=Term)

_serial = attrgetter("serial")


def subterms(*roots: Term, known: Collection[Term] = ()) -> list[Term]:
    """Every distinct subterm of the roots, oldest first, so arguments before the terms that use them.

    None of the `known` ones, nor what these alone have.
    """
    seen = {root for root in roots if root not in known} if known else set(roots)
    stack = list(seen)
    while stack:
        for arg in stack.pop().args:
            if arg not in seen and arg not in known:
                seen.add(arg)
                stack.append(arg)
    return sorted(seen, key=_serial)


def outward(*roots: Term, behind: Callable[[Term], Iterable[Term]] = lambda _: ()) -> Iterator[Term]:
    """Every distinct subterm, arguments first, in an order that only the shape of the roots decides.

    A term comes also after what `behind` names for it, as if these were arguments.
    """
    seen: set[Term] = set()
    stack: list[tuple[Term, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        term, expanded = stack.pop()
        if expanded:
            yield term
        elif term not in seen:
            seen.add(term)
            stack.append((term, True))
            stack.extend((arg, False) for arg in (*term.args, *behind(term)) if arg not in seen)


def symbols_of(*roots: Term) -> list[Term]:
    """The symbols in the roots, oldest first."""
    return [term for term in subterms(*roots) if term.op is Op.SYMBOL]


def consists_of(root: Term, *parts: Container[Term]) -> bool:
    """Whether the term is made of these parts and of constants; the first symbol beyond them ends the search."""
    seen, stack = {root}, [root]
    while stack:
        term = stack.pop()
        if any(term in some for some in parts):
            continue
        if term.op is Op.SYMBOL:
            return False
        for arg in term.args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return True


def occurs(symbol: Term, root: Term, most: float = inf) -> bool:
    """Whether the symbol is seen to stand in the term, among so many of its parts: of those made after the symbol."""
    seen, stack = {root}, [root]
    while stack and len(seen) <= most:
        term = stack.pop()
        if term is symbol:
            return True
        for arg in term.args:
            if arg.serial >= symbol.serial and arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return False


# ---------------------------------------------------------------- evaluation


class Evaluation:
    """Terms under one assignment, Booleans as 0 and 1; parts that terms share are computed once.

    A symbol that the assignment leaves out is 0.  The assignment may get more symbols, but only such as stand in no
    term that was evaluated before.
    """

    def __init__(self, values: Mapping[Term, int]) -> None:
        self._values = values
        self._known: dict[Term, int] = {}

    def of(self, root: Term) -> int:
        """The value of a term."""
        known = self._known
        value = known.get(root)
        if value is not None:
            return value
        if root.op is Op.SYMBOL:
            return known.setdefault(root, self._symbol(root))
        fresh, stack = {root}, [root]
        while stack:
            for arg in stack.pop().args:
                if arg not in known and arg not in fresh:
                    fresh.add(arg)
                    stack.append(arg)
        for term in sorted(fresh, key=_serial):
            op = term.op
            if op is Op.EQ:  # most terms are addresses that are compared
                one, other = term.args
                known[term] = int(known[one] == known[other])
            elif op is Op.ITE:
                condition, then, otherwise = term.args
                known[term] = known[then] if known[condition] else known[otherwise]
            elif op is Op.SYMBOL:
                known[term] = self._symbol(term)
            else:
                known[term] = _EVALUATE[op](term, [known[arg] for arg in term.args])
        return known[root]

    def _symbol(self, term: Term) -> int:
        return self._values.get(term, 0) & ((1 << term.width) - 1 if term.width else 1)


def evaluate(root: Term, values: Mapping[Term, int]) -> int:
    """The value of `root`, Booleans as 0 and 1, where `values` gives its symbols; missing ones are 0."""
    return Evaluation(values).of(root)


def evaluate_all(roots: Iterable[Term], values: Mapping[Term, int]) -> list[int]:
    """The values of several terms, sharing their common parts."""
    evaluation = Evaluation(values)
    return [evaluation.of(root) for root in roots]


def all_hold(conditions: Iterable[Term], values: Mapping[Term, int]) -> bool:
    """Whether all of them do, of which none is looked at behind the first that does not."""
    return all(map(Evaluation(values).of, conditions))


def _sum(term: Term, args: list[int]) -> int:
    constant, factors = cast(tuple[int, tuple[int, ...]], term.payload)
    return (constant + sum(f * a for f, a in zip(factors, args, strict=True))) & ((1 << term.width) - 1)


def _mul(term: Term, args: list[int]) -> int:
    product = 1
    for arg in args:
        product *= arg
    return product & ((1 << term.width) - 1)


def _concat(term: Term, args: list[int]) -> int:
    value = 0
    for part, arg in zip(term.args, args, strict=True):
        value = value << part.width | arg
    return value


def _extract(term: Term, args: list[int]) -> int:
    high, low = cast(tuple[int, int], term.payload)
    return args[0] >> low & ((1 << (high - low + 1)) - 1)


def _shl(term: Term, args: list[int]) -> int:
    return args[0] << args[1] & ((1 << term.width) - 1) if args[1] < term.width else 0


def _ashr(term: Term, args: list[int]) -> int:
    return signed_value(args[0], term.width) >> min(args[1], term.width - 1) & ((1 << term.width) - 1)


def _float(term: Term, args: list[int]) -> int:
    return compute(cast(FloatOperation, term.payload), args, [arg.width for arg in term.args])


def _slt(term: Term, args: list[int]) -> int:
    width = term.args[0].width
    return int(signed_value(args[0], width) < signed_value(args[1], width))


_EVALUATE: dict[Op, Callable[[Term, list[int]], int]] = {
    Op.CONST: lambda term, _: int(cast(int, term.payload)),
    Op.SUM: _sum,
    Op.MUL: _mul,
    Op.AND: lambda _, args: args[0] & args[1],
    Op.OR: lambda _, args: args[0] | args[1],
    Op.XOR: lambda _, args: args[0] ^ args[1],
    Op.SHL: _shl,
    Op.LSHR: lambda term, args: args[0] >> args[1] if args[1] < term.width else 0,
    Op.ASHR: _ashr,
    Op.UDIV: lambda term, args: args[0] // args[1] if args[1] else (1 << term.width) - 1,
    Op.UREM: lambda _, args: args[0] % args[1] if args[1] else args[0],
    Op.CONCAT: _concat,
    Op.EXTRACT: _extract,
    Op.ZERO_EXTEND: lambda _, args: args[0],
    Op.SIGN_EXTEND: lambda term, args: signed_value(args[0], term.args[0].width) & ((1 << term.width) - 1),
    Op.FLOAT: _float,
    Op.NOT: lambda _, args: 1 - args[0],
    Op.CONJ: lambda _, args: int(all(args)),
    Op.DISJ: lambda _, args: int(any(args)),
    Op.ULT: lambda _, args: int(args[0] < args[1]),
    Op.SLT: _slt,
}
