"""Terms with parts replaced, in normal form again.  No recursion: terms are deep."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from operator import attrgetter
from typing import TypeVar, cast

from visaproof.smt.arithmetic import mul, weighted
from visaproof.smt.bits import bit_and, bit_or, bit_xor, shl, sign_extend, zero_extend
from visaproof.smt.comparison import eq, slt, ult
from visaproof.smt.ieee import FloatOperation, rounded
from visaproof.smt.logic import conj, disj, ite, neg
from visaproof.smt.slices import ashr, concat, extract, lshr, udiv, urem
from visaproof.smt.terms import BitVec, Bool, Op, Term, own_mark, value_of

T = TypeVar("T", bound=Term)

_serial = attrgetter("serial")
_CONST, _CONJ, _DISJ, _ITE = Op.CONST, Op.CONJ, Op.DISJ, Op.ITE
"""To look a member up in its class takes as long as three calls."""


class Substitution:
    """Terms with every occurrence of a key replaced, in normal form again; parts that terms share are built once.

    Once an argument decides a term, the others are not looked at: the first constants decide most conditions of a pair
    of lanes.  A term that is older than every key holds none: arguments are made before the terms that use them.
    There may come more replacements, but only of symbols that stand in no term that was replaced before.
    """

    def __init__(self, replacements: Mapping[Term, Term]) -> None:
        self._done: dict[Term, Term] = dict(replacements)
        self._oldest = min((key.serial for key in replacements), default=inf)

    def add(self, symbol: Term, replacement: Term) -> None:
        """A replacement more."""
        self._done[symbol] = replacement
        self._oldest = min(self._oldest, symbol.serial)

    def of(self, root: T) -> T:
        """The term with its replacements."""
        done, oldest = self._done, self._oldest
        if root not in done and root.serial < oldest:
            return root
        stack = [] if root in done else [(cast(Term, root), self._needed(root))]
        while stack:
            term, needed = stack[-1]
            for arg in needed:
                if arg not in done:
                    if arg.serial > oldest and arg.args:
                        stack.append((arg, self._needed(arg)))
                        break
                    done[arg] = arg
            else:
                stack.pop()
                done[term] = self._rebuilt(term)
        return cast(T, done[root])

    def _needed(self, term: Term) -> Iterator[Term]:
        """The arguments, until those before, once they are replaced, decide the term; then its replacement is noted."""
        kind = term.op
        if kind is _CONJ or kind is _DISJ:
            return self._until_decided(term, kind is _DISJ)
        return self._chosen(term) if kind is _ITE else iter(term.args)

    def _until_decided(self, term: Term, decisive: bool) -> Iterator[Term]:
        for arg in term.args:
            yield arg
            if (one := self._done[arg]).op is _CONST and one.payload == decisive:
                self._done[term] = one
                return

    def _chosen(self, term: Term) -> Iterator[Term]:
        condition, then, otherwise = term.args
        yield condition
        known = value_of(self._done[condition])
        if known is None:
            yield from (then, otherwise)
        else:
            chosen = then if known else otherwise
            yield chosen
            self._done[term] = self._done[chosen]

    def _rebuilt(self, term: Term) -> Term:
        done = self._done
        if (decided := done.get(term)) is not None:
            return decided
        args = tuple([done[arg] for arg in term.args])
        return term if args == term.args else rebuild(term, args)


def substitute(root: T, replacements: Mapping[Term, Term]) -> T:
    """`root` with every occurrence of a key replaced, in normal form again."""
    return Substitution(replacements).of(root)


def substitute_all(roots: Sequence[T], replacements: Mapping[Term, Term]) -> list[T]:
    """Several terms with every occurrence of a key replaced, sharing the work on their common parts."""
    return list(map(Substitution(replacements).of, roots))


class Booleans(dict[Term, Term]):
    """Booleans and what replaces them, with the marks of them all."""

    __slots__ = ("marks", "stay", "under")

    def __init__(self, replacements: Mapping[Term, Term]) -> None:
        super().__init__(replacements)
        self.marks = marks_of(replacements)
        self.under: dict[Term, Term] = {}
        """Terms that were simplified by these, and what they became."""
        self.stay = set[Term]()
        """Terms that have the marks of some of them, and stay as they are: they are looked through once."""


def substitute_bools(
    roots: Sequence[T], replacements: Mapping[Term, Term], most: float = inf, *, within_relations: bool = True
) -> list[T]:
    """Several terms with every occurrence of a Boolean replaced; unchanged where more than `most` subterms change.

    Parts that hold none of them are not looked at, nor those that are compared with each other unless
    `within_relations`.
    """
    known = isinstance(replacements, Booleans)
    marks = replacements.marks if known else marks_of(replacements)
    if not any(root.marks & marks for root in roots):
        return list(roots)
    stay = replacements.stay if known and within_relations else set[Term]()
    changing = _changing(roots, replacements, marks, most, stay, within_relations=within_relations)
    done: dict[Term, Term] = {}
    for term in sorted(changing, key=_serial):
        if term in replacements:
            done[term] = replacements[term]
            continue
        args = tuple([done.get(arg, arg) for arg in term.args])
        if args == term.args:
            done[term] = term
            stay.add(term)
        else:
            done[term] = rebuild(term, args)
    return [cast(T, done.get(root, root)) for root in roots]


def marks_of(booleans: Iterable[Term]) -> int:
    """The marks of these; a term without any of them holds none of these."""
    marks = 0
    for term in booleans:
        if term.args or term.op is Op.SYMBOL:
            marks |= own_mark(term)
    return marks


def _changing(
    roots: Sequence[Term],
    replacements: Mapping[Term, Term],
    marks: int,
    most: float,
    stay: set[Term],
    *,
    within_relations: bool,
) -> set[Term]:
    """The subterms that may hold one of the Booleans; none if there are more than `most`, or no Boolean is met.

    Those that `stay` are left out, and where no Boolean is met, all of them do.
    """
    stack: list[Term] = [root for root in roots if root.marks & marks and root not in stay]
    seen, found = set[Term](stack), False
    while stack:
        term = stack.pop()
        if term in replacements:
            found = True
        elif within_relations or term.op not in _RELATIONS:
            for arg in term.args:
                if arg.marks & marks and arg not in seen and arg not in stay:
                    seen.add(arg)
                    stack.append(arg)
            if len(seen) > most:
                return set()
    if not found:
        stay |= seen
        return set()
    return seen


_RELATIONS = frozenset((Op.EQ, Op.ULT, Op.SLT))


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The term of the same kind over other arguments, through the normalising constructors."""
    if (made_of := _OF_ARGUMENTS.get(term.op)) is not None:
        return made_of(*args)
    parts = cast(tuple[BitVec, ...], args)
    match term.op:
        case Op.SUM:
            constant, factors = cast(tuple[int, tuple[int, ...]], term.payload)
            return weighted(constant, parts, factors, term.width)
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
            raise AssertionError(term.op)


_OF_ARGUMENTS: dict[Op, Callable[..., Term]] = {
    Op.AND: bit_and,
    Op.OR: bit_or,
    Op.XOR: bit_xor,
    Op.SHL: shl,
    Op.LSHR: lshr,
    Op.ASHR: ashr,
    Op.UDIV: udiv,
    Op.UREM: urem,
    Op.CONCAT: concat,
    Op.NOT: neg,
    Op.CONJ: conj,
    Op.DISJ: disj,
    Op.EQ: eq,
    Op.ULT: ult,
    Op.SLT: slt,
}
"""What is made of the arguments alone."""
