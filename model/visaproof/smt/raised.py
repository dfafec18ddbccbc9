"""z3 expressions as terms, memory taken out: the way from a formula in z3 arrays to the engine.  z3 is imported here.

A read of what was stored is a choice between the values by the addresses.  A read of memory as it was is a symbol of
its own, and two reads of one array agree where their addresses are equal (Ackermann).  So a formula with one read in
it has one symbol, however large memory is.
"""

from collections.abc import Callable, Generator, Sequence
from itertools import combinations
from typing import Any, cast

import z3  # pyright: ignore[reportMissingTypeStubs]
from msgspec import Struct, field

from visaproof.smt.arithmetic import add, bit_not, mul, negate, sub
from visaproof.smt.bits import bit_and, bit_or, bit_xor, shl, sign_extend, zero_extend
from visaproof.smt.comparison import eq, sle, slt, ule, ult
from visaproof.smt.evaluate import evaluate
from visaproof.smt.logic import conj, disj, iff, implies, ite, ite_bool, neg
from visaproof.smt.slices import ashr, concat, extract, lshr, udiv, urem
from visaproof.smt.terms import BitVec, Bool, Term, bool_const, bool_symbol, const, is_false, is_true, symbol

_z3: Any = z3
DWORD = 32
"""A wider constant is raised as dwords, as registers are read: so it is in the form that the engine knows best."""

_Work = Generator["_Work", Term, Term]
_Rewriting = Generator["_Rewriting", Any, Any]


class NoSuchFormError(ValueError):
    """An expression that has no form without arrays."""


class Read(Struct, frozen=True):
    """What a formula calls the content of a cell of an array before anything was stored."""

    array: str
    cell: BitVec
    content: BitVec


class PartOf(Struct, frozen=True):
    """What a symbol is called that stands for a dword of a constant, or for a cell of an array: no constant has such
    a name, whatever it is spelled like."""

    name: str
    place: int

    def __str__(self) -> str:
        return f"{self.name}.{self.place}"


class Raising(Struct, eq=False):
    """Expressions of one formula, or of several: common parts are raised once."""

    reads: dict[str, list[Read]] = field(default_factory=dict[str, list[Read]])
    """By the name of the array."""
    constants: dict[tuple[str, int], tuple[Any, Term]] = field(default_factory=dict[tuple[str, int], tuple[Any, Term]])
    """The bit-vectors and truth values by name and width, as z3 has them and as terms."""
    arrays: dict[str, Any] = field(default_factory=dict[str, Any])
    _terms: dict[int, Term] = field(default_factory=dict[int, Term])
    _read: dict[tuple[int, Term], Term] = field(default_factory=dict[tuple[int, Term], Term])
    _held: list[Any] = field(default_factory=list[Any])

    def word(self, expression: Any) -> BitVec:
        """A bit-vector.  Raises NoSuchFormError."""
        return cast(BitVec, _run(self._raised(expression)))

    def truth(self, expression: Any) -> Bool:
        """A truth value.  Raises NoSuchFormError."""
        return cast(Bool, _run(self._raised(expression)))

    def agreement(self) -> tuple[Bool, ...]:
        """Reads of one array have one content where their cells are equal."""
        pairs = (pair for reads in self.reads.values() for pair in combinations(reads, 2))
        facts = (implies(eq(one.cell, other.cell), eq(one.content, other.content)) for one, other in pairs)
        return tuple(fact for fact in facts if not is_true(fact))

    def numbers(self, values: dict[Term, int]) -> list[tuple[Any, Any]]:
        """Each constant with the number that the values give it, and each array with what it holds, as z3 has them."""
        found: list[tuple[Any, Any]] = []
        for expression, term in self.constants.values():
            value = evaluate(term, values)
            found.append((expression, _z3.BitVecVal(value, term.width) if term.width else _z3.BoolVal(bool(value))))
        for name, array in self.arrays.items():
            contents: Any = _z3.K(array.domain(), _z3.BitVecVal(0, array.range().size()))
            for cell, content in self.contents(name, values).items():
                at, what = _z3.BitVecVal(cell, array.domain().size()), _z3.BitVecVal(content, array.range().size())
                contents = _z3.Store(contents, at, what)
            found.append((array, contents))
        return found

    def contents(self, array: str, values: dict[Term, int]) -> dict[int, int]:
        """What the cells of an array hold that were read."""
        reads = self.reads.get(array, [])
        return {evaluate(read.cell, values): evaluate(read.content, values) for read in reads}

    def _raised(self, expression: Any) -> _Work:
        key = expression.get_id()
        if key in self._terms:
            return self._terms[key]
        self._held.append(expression)  # z3 gives the number of what nobody holds to another expression
        kind = expression.decl().kind() if _z3.is_app(expression) else None
        if kind == _z3.Z3_OP_SELECT:
            array, index = expression.children()
            cell = yield self._raised(index)
            found = yield self._selected(array, cast(BitVec, cell))
        elif kind == _z3.Z3_OP_UNINTERPRETED and expression.num_args() == 0:
            found = self._constant(expression)
        else:
            parts: list[Any] = []
            for child in expression.children() if kind in _RAISE else ():
                if _z3.is_array(child):
                    raise NoSuchFormError(_no_form(expression, "arrays are compared where only their cells can be"))
                parts.append((yield self._raised(child)))
            if kind not in _RAISE:
                raise NoSuchFormError(_no_form(expression, "it is no bit-vector, truth value, or cell of an array"))
            found = _RAISE[kind](expression, parts)
        self._terms[key] = found
        return found

    def _constant(self, expression: Any) -> Term:
        name = expression.decl().name()
        if _z3.is_bool(expression):
            term: Term = bool_symbol(name)
        elif _z3.is_bv(expression):
            width = expression.size()
            if width > 2 * DWORD and width % DWORD == 0:
                starts = reversed(range(0, width, DWORD))
                term = concat(*(symbol(PartOf(name, start // 8), DWORD) for start in starts))
            else:
                term = symbol(name, width)
        else:
            raise NoSuchFormError(_no_form(expression, f"it is of sort {expression.sort()}"))
        self.constants[name, term.width] = expression, term
        return term

    def _selected(self, array: Any, cell: BitVec) -> _Work:
        key = array.get_id(), cell
        if key in self._read:
            return self._read[key]
        self._held.append(array)
        kind = array.decl().kind() if _z3.is_app(array) else None
        found: Term
        if kind == _z3.Z3_OP_STORE:
            before, index, value = array.children()
            same = eq(cast(BitVec, (yield self._raised(index))), cell)
            if is_true(same):
                found = yield self._raised(value)
            elif is_false(same):
                found = yield self._selected(before, cell)
            else:
                stored = yield self._raised(value)
                found = ite(same, cast(BitVec, stored), cast(BitVec, (yield self._selected(before, cell))))
        elif kind == _z3.Z3_OP_ITE:
            condition, then, otherwise = array.children()
            if_true = yield self._selected(then, cell)
            if_false = yield self._selected(otherwise, cell)
            chosen = yield self._raised(condition)
            found = ite(cast(Bool, chosen), cast(BitVec, if_true), cast(BitVec, if_false))
        elif kind == _z3.Z3_OP_CONST_ARRAY:
            found = yield self._raised(array.arg(0))
        elif kind == _z3.Z3_OP_UNINTERPRETED and array.num_args() == 0 and _z3.is_bv_sort(array.range()):
            found = self._content(array, cell)
        else:
            raise NoSuchFormError(_no_form(array, "it is no array that was stored to"))
        self._read[key] = found
        return found

    def _content(self, array: Any, cell: BitVec) -> BitVec:
        name = array.decl().name()
        if not self.arrays.setdefault(name, array).eq(array):
            raise NoSuchFormError(f"two arrays are called {name!r}")
        reads = self.reads.setdefault(name, [])
        content = symbol(PartOf(f"{name} cell", len(reads)), array.range().size())
        reads.append(Read(name, cell, content))
        return content


def at_one_place(claim: Any) -> Any:
    """The claim about one arbitrary place: what has to hold for all places, and of arrays that have to be equal, is
    asked of a constant that nothing else is called by.  This is the same claim if it is to be proved."""
    done: dict[tuple[int, bool], Any] = {}
    held: list[Any] = []

    def rewritten(formula: Any, positive: bool) -> _Rewriting:
        key = formula.get_id(), positive
        if key in done:
            return done[key]
        held.append(formula)
        found = formula
        if _z3.is_quantifier(formula):
            for_all = formula.is_forall()
            if for_all == positive and not formula.is_lambda():
                sorts = [formula.var_sort(number) for number in range(formula.num_vars())]
                names = [formula.var_name(number) for number in range(formula.num_vars())]
                places = [_z3.FreshConst(sort, name) for sort, name in zip(sorts, names, strict=True)]
                found = yield rewritten(_z3.substitute_vars(formula.body(), *reversed(places)), positive)
        elif _z3.is_and(formula) or _z3.is_or(formula):
            parts: list[Any] = []
            for child in formula.children():
                parts.append((yield rewritten(child, positive)))
            found = _z3.And(*parts) if _z3.is_and(formula) else _z3.Or(*parts)
        elif _z3.is_not(formula):
            found = _z3.Not((yield rewritten(formula.arg(0), not positive)))
        elif _z3.is_implies(formula):
            premise = yield rewritten(formula.arg(0), not positive)
            found = _z3.Implies(premise, (yield rewritten(formula.arg(1), positive)))
        elif positive and _z3.is_eq(formula) and _z3.is_array(formula.arg(0)):
            place = _z3.FreshConst(formula.arg(0).domain(), "place")
            found = _z3.Select(formula.arg(0), place) == _z3.Select(formula.arg(1), place)
        done[key] = found
        return found

    return _run(rewritten(claim, True))


def _run(work: Any) -> Any:
    """Runs generators that ask for others, without a stack of Python's: stores lie hundreds deep."""
    stack, value = [work], None
    while stack:
        try:
            stack.append(stack[-1].send(value))
            value = None
        except StopIteration as end:
            stack.pop()
            value = end.value
    return value


def _no_form(expression: Any, why: str) -> str:
    text = " ".join(str(expression.decl() if _z3.is_app(expression) else expression).split())
    return f"no form without arrays: {text[:80]}: {why}"


_Rule = Callable[[Any, Sequence[Any]], Term]


def _fold(operation: Callable[[Any, Any], Any]) -> _Rule:
    def rule(_: Any, parts: Sequence[Any]) -> Term:
        result = parts[0]
        for part in parts[1:]:
            result = operation(result, part)
        return result

    return rule


def _equal(_: Any, parts: Sequence[Any]) -> Bool:
    left, right = parts
    return eq(left, right) if left.width else iff(left, right)


def _distinct(expression: Any, parts: Sequence[Any]) -> Bool:
    return conj(*(neg(_equal(expression, pair)) for pair in combinations(parts, 2)))


def _choice(_: Any, parts: Sequence[Any]) -> Term:
    condition, then, otherwise = parts
    return ite(condition, then, otherwise) if then.width else ite_bool(condition, then, otherwise)


def _sign_of(word: BitVec) -> Bool:
    return eq(extract(word, word.width - 1, word.width - 1), const(1, 1))


def _signed_division(left: BitVec, right: BitVec) -> BitVec:
    """SMT-LIB's bvsdiv."""
    sizes = (ite(_sign_of(word), negate(word), word) for word in (left, right))
    quotient = udiv(*sizes)
    return ite(iff(_sign_of(left), _sign_of(right)), quotient, negate(quotient))


def _rotated(word: BitVec, by: BitVec) -> BitVec:
    """To the left."""
    width = const(word.width, word.width)
    left = urem(by, width)
    return bit_or(shl(word, left), lshr(word, urem(sub(width, left), width)))


def _rotated_right(word: BitVec, by: BitVec) -> BitVec:
    width = const(word.width, word.width)
    return _rotated(word, sub(width, urem(by, width)))


_RAISE: dict[int, _Rule] = {
    _z3.Z3_OP_TRUE: lambda _, parts: bool_const(True),
    _z3.Z3_OP_FALSE: lambda _, parts: bool_const(False),
    _z3.Z3_OP_EQ: _equal,
    _z3.Z3_OP_IFF: _equal,
    _z3.Z3_OP_DISTINCT: _distinct,
    _z3.Z3_OP_ITE: _choice,
    _z3.Z3_OP_AND: lambda _, parts: conj(*parts),
    _z3.Z3_OP_OR: lambda _, parts: disj(*parts),
    _z3.Z3_OP_NOT: lambda _, parts: neg(parts[0]),
    _z3.Z3_OP_XOR: lambda _, parts: neg(iff(parts[0], parts[1])),
    _z3.Z3_OP_IMPLIES: lambda _, parts: implies(parts[0], parts[1]),
    _z3.Z3_OP_BNUM: lambda expression, _: const(expression.as_long(), expression.size()),
    _z3.Z3_OP_BNEG: lambda _, parts: negate(parts[0]),
    _z3.Z3_OP_BADD: _fold(add),
    _z3.Z3_OP_BSUB: _fold(sub),
    _z3.Z3_OP_BMUL: _fold(mul),
    _z3.Z3_OP_BUDIV: _fold(udiv),
    _z3.Z3_OP_BUREM: _fold(urem),
    _z3.Z3_OP_BSDIV: _fold(_signed_division),
    _z3.Z3_OP_ULEQ: lambda _, parts: ule(parts[0], parts[1]),
    _z3.Z3_OP_ULT: lambda _, parts: ult(parts[0], parts[1]),
    _z3.Z3_OP_UGEQ: lambda _, parts: ule(parts[1], parts[0]),
    _z3.Z3_OP_UGT: lambda _, parts: ult(parts[1], parts[0]),
    _z3.Z3_OP_SLEQ: lambda _, parts: sle(parts[0], parts[1]),
    _z3.Z3_OP_SLT: lambda _, parts: slt(parts[0], parts[1]),
    _z3.Z3_OP_SGEQ: lambda _, parts: sle(parts[1], parts[0]),
    _z3.Z3_OP_SGT: lambda _, parts: slt(parts[1], parts[0]),
    _z3.Z3_OP_BAND: _fold(bit_and),
    _z3.Z3_OP_BOR: _fold(bit_or),
    _z3.Z3_OP_BXOR: _fold(bit_xor),
    _z3.Z3_OP_BNOT: lambda _, parts: bit_not(parts[0]),
    _z3.Z3_OP_CONCAT: lambda _, parts: concat(*parts),
    _z3.Z3_OP_EXTRACT: lambda expression, parts: extract(parts[0], *expression.params()),
    _z3.Z3_OP_ZERO_EXT: lambda expression, parts: zero_extend(parts[0], expression.size()),
    _z3.Z3_OP_SIGN_EXT: lambda expression, parts: sign_extend(parts[0], expression.size()),
    _z3.Z3_OP_REPEAT: lambda expression, parts: concat(*(parts[0] for _ in range(expression.params()[0]))),
    _z3.Z3_OP_BSHL: _fold(shl),
    _z3.Z3_OP_BLSHR: _fold(lshr),
    _z3.Z3_OP_BASHR: _fold(ashr),
    _z3.Z3_OP_EXT_ROTATE_LEFT: _fold(_rotated),
    _z3.Z3_OP_EXT_ROTATE_RIGHT: _fold(_rotated_right),
}
"""Each operation of z3 that has one here."""
