"""Terms at concrete values, terms with parts replaced, and the symbols of a term.  No recursion: terms are deep."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from operator import attrgetter
from typing import TypeVar, cast

from visaproof.smt.arithmetic import add, mul, scale
from visaproof.smt.bits import bit_and, bit_or, bit_xor, shl, sign_extend, zero_extend
from visaproof.smt.comparison import eq, slt, ult
from visaproof.smt.float_terms import rounded
from visaproof.smt.ieee import FloatOperation, compute
from visaproof.smt.logic import conj, disj, ite, neg
from visaproof.smt.slices import ashr, concat, extract, lshr, udiv, urem
from visaproof.smt.terms import BitVec, Bool, Op, Term, const, own_mark

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


def occurs(symbol: Term, root: Term) -> bool:
    """Whether the symbol stands in the term: only what was made after the symbol is looked at."""
    seen, stack = {root}, [root]
    while stack:
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
        if root in known:
            return known[root]
        fresh, stack = {root}, [root]
        while stack:
            for arg in stack.pop().args:
                if arg not in known and arg not in fresh:
                    fresh.add(arg)
                    stack.append(arg)
        for term in sorted(fresh, key=_serial):
            if term.op is Op.SYMBOL:
                known[term] = self._values.get(term, 0) & ((1 << term.width) - 1 if term.width else 1)
            else:
                known[term] = _EVALUATE[term.op](term, [known[arg] for arg in term.args])
        return known[root]


def evaluate(root: Term, values: Mapping[Term, int]) -> int:
    """The value of `root`, Booleans as 0 and 1, where `values` gives its symbols; missing ones are 0."""
    return Evaluation(values).of(root)


def evaluate_all(roots: Iterable[Term], values: Mapping[Term, int]) -> list[int]:
    """The values of several terms, sharing their common parts."""
    evaluation = Evaluation(values)
    return [evaluation.of(root) for root in roots]


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


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
    return _signed(args[0], term.width) >> min(args[1], term.width - 1) & ((1 << term.width) - 1)


def _float(term: Term, args: list[int]) -> int:
    return compute(cast(FloatOperation, term.payload), args, [arg.width for arg in term.args])


def _slt(term: Term, args: list[int]) -> int:
    width = term.args[0].width
    return int(_signed(args[0], width) < _signed(args[1], width))


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
    Op.SIGN_EXTEND: lambda term, args: _signed(args[0], term.args[0].width) & ((1 << term.width) - 1),
    Op.ITE: lambda _, args: args[1] if args[0] else args[2],
    Op.FLOAT: _float,
    Op.NOT: lambda _, args: 1 - args[0],
    Op.CONJ: lambda _, args: int(all(args)),
    Op.DISJ: lambda _, args: int(any(args)),
    Op.EQ: lambda _, args: int(args[0] == args[1]),
    Op.ULT: lambda _, args: int(args[0] < args[1]),
    Op.SLT: _slt,
}


# ---------------------------------------------------------------- substitution


class Substitution:
    """Terms with every occurrence of a key replaced, in normal form again; parts that terms share are built once.

    There may come more replacements, but only of symbols that stand in no term that was replaced before.
    """

    def __init__(self, replacements: Mapping[Term, Term]) -> None:
        self._replacements = dict(replacements)
        self._done: dict[Term, Term] = {}

    def add(self, symbol: Term, replacement: Term) -> None:
        """A replacement more."""
        self._replacements[symbol] = replacement

    def of(self, root: T) -> T:
        """The term with its replacements."""
        done = self._done
        for term in subterms(root, known=done):
            args = tuple([done[arg] for arg in term.args])
            done[term] = self._replacements.get(term) or (term if args == term.args else rebuild(term, args))
        return cast(T, done[root])


def substitute(root: T, replacements: Mapping[Term, Term]) -> T:
    """`root` with every occurrence of a key replaced, in normal form again."""
    return substitute_all((root,), replacements)[0]


def substitute_all(roots: Sequence[T], replacements: Mapping[Term, Term]) -> list[T]:
    """Several terms with every occurrence of a key replaced, sharing the work on their common parts."""
    changed: dict[Term, Term] = {}
    for term in subterms(*roots):
        if term in replacements:
            changed[term] = replacements[term]
        elif any(arg in changed for arg in term.args):
            changed[term] = rebuild(term, tuple([changed.get(arg, arg) for arg in term.args]))
    return [cast(T, changed.get(root, root)) for root in roots]


class Booleans(dict[Term, Term]):
    """Booleans and what replaces them, with the marks of them all."""

    __slots__ = ("marks",)

    def __init__(self, replacements: Mapping[Term, Term]) -> None:
        super().__init__(replacements)
        self.marks = marks_of(replacements)


def substitute_bools(
    roots: Sequence[T], replacements: Mapping[Term, Term], most: float = inf, *, within_relations: bool = True
) -> list[T]:
    """Several terms with every occurrence of a Boolean replaced; unchanged where more than `most` subterms change.

    Parts that hold none of them are not looked at, nor those that are compared with each other unless
    `within_relations`.
    """
    marks = replacements.marks if isinstance(replacements, Booleans) else marks_of(replacements)
    if not any(root.marks & marks for root in roots):
        return list(roots)
    changing = _changing(roots, replacements, marks, most, within_relations=within_relations)
    done: dict[Term, Term] = {}
    for term in sorted(changing, key=_serial):
        if term in replacements:
            done[term] = replacements[term]
        else:
            args = tuple(done.get(arg, arg) for arg in term.args)
            done[term] = term if args == term.args else rebuild(term, args)
    return [cast(T, done.get(root, root)) for root in roots]


def marks_of(booleans: Iterable[Term]) -> int:
    """The marks of these; a term without any of them holds none of these."""
    marks = 0
    for term in booleans:
        if term.args or term.op is Op.SYMBOL:
            marks |= own_mark(term)
    return marks


def _changing(
    roots: Sequence[Term], replacements: Mapping[Term, Term], marks: int, most: float, *, within_relations: bool
) -> set[Term]:
    """The subterms that may hold one of the Booleans; none if there are more than `most`, or no Boolean is met."""
    stack: list[Term] = [root for root in roots if root.marks & marks]
    seen, found = set[Term](stack), False
    while stack:
        term = stack.pop()
        if term in replacements:
            found = True
        elif within_relations or term.op not in _RELATIONS:
            for arg in term.args:
                if arg.marks & marks and arg not in seen:
                    seen.add(arg)
                    stack.append(arg)
            if len(seen) > most:
                return set()
    return seen if found else set()


_RELATIONS = frozenset((Op.EQ, Op.ULT, Op.SLT))


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The term of the same kind over other arguments, through the normalising constructors."""
    if term.width == 0:
        return _rebuild_bool(term, args)
    parts = cast(tuple[BitVec, ...], args)
    match term.op:
        case Op.SUM:
            constant, factors = cast(tuple[int, tuple[int, ...]], term.payload)
            scaled = (scale(part, factor) for part, factor in zip(parts, factors, strict=True))
            return add(const(constant, term.width), *scaled)
        case Op.MUL:
            product = parts[0]
            for part in parts[1:]:
                product = mul(product, part)
            return product
        case Op.EXTRACT:
            high, low = cast(tuple[int, int], term.payload)
            return extract(parts[0], high, low)
        case Op.ZERO_EXTEND:
            return zero_extend(parts[0], term.width)
        case Op.SIGN_EXTEND:
            return sign_extend(parts[0], term.width)
        case Op.ITE:
            return ite(cast(Bool, args[0]), parts[1], parts[2])
        case Op.FLOAT:
            return rounded(cast(FloatOperation, term.payload), *parts)
        case _:
            return _BINARY[term.op](*parts)


_BINARY: dict[Op, Callable[..., BitVec]] = {
    Op.AND: bit_and,
    Op.OR: bit_or,
    Op.XOR: bit_xor,
    Op.SHL: shl,
    Op.LSHR: lshr,
    Op.ASHR: ashr,
    Op.UDIV: udiv,
    Op.UREM: urem,
    Op.CONCAT: concat,
}


def _rebuild_bool(term: Term, args: tuple[Term, ...]) -> Bool:
    match term.op:
        case Op.NOT | Op.CONJ | Op.DISJ:
            connective = {Op.NOT: neg, Op.CONJ: conj, Op.DISJ: disj}[term.op]
            return connective(*cast(tuple[Bool, ...], args))
        case _:
            relation = {Op.EQ: eq, Op.ULT: ult, Op.SLT: slt}[term.op]
            return relation(*cast(tuple[BitVec, BitVec], args))
