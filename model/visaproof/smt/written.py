"""Terms as they are written: the operations of `visaproof.smt`, under the same names, without any rule.

Such a term is not interned and knows nothing of its value, so it can neither be simplified nor make another term
simpler.  It can be lowered to a solver, evaluated, compiled and shown; `substitute` would bring it into normal form.
What no kind of term says is written by its definition in SMT-LIB: `x − y` is x + (−1)·y, the complement is x ^ ones,
`x <= y` is x < y or x = y.
"""

from collections.abc import Mapping
from typing import Protocol, TypeVar, cast

from visaproof.smt.evaluate import subterms
from visaproof.smt.ieee import FloatOperation
from visaproof.smt.terms import BitVec, Bool, Op, Term, apart, bool_const, common_width, const

T = TypeVar("T", bound=Term)


class Words(Protocol):
    """What builds terms: this module, as written, or `visaproof.smt`, in normal form."""

    def add(self, *terms: BitVec) -> BitVec: ...
    def sub(self, left: BitVec, right: BitVec, /) -> BitVec: ...
    def negate(self, term: BitVec, /) -> BitVec: ...
    def scale(self, term: BitVec, factor: int, /) -> BitVec: ...
    def mul(self, left: BitVec, right: BitVec, /) -> BitVec: ...
    def bit_not(self, term: BitVec, /) -> BitVec: ...
    def bit_and(self, left: BitVec, right: BitVec, /) -> BitVec: ...
    def bit_or(self, left: BitVec, right: BitVec, /) -> BitVec: ...
    def bit_xor(self, left: BitVec, right: BitVec, /) -> BitVec: ...
    def shl(self, term: BitVec, amount: BitVec, /) -> BitVec: ...
    def lshr(self, term: BitVec, amount: BitVec, /) -> BitVec: ...
    def ashr(self, term: BitVec, amount: BitVec, /) -> BitVec: ...
    def udiv(self, left: BitVec, right: BitVec, /) -> BitVec: ...
    def urem(self, left: BitVec, right: BitVec, /) -> BitVec: ...
    def concat(self, *parts: BitVec) -> BitVec: ...
    def extract(self, term: BitVec, high: int, low: int, /) -> BitVec: ...
    def truncate(self, term: BitVec, to: int, /) -> BitVec: ...
    def zero_extend(self, term: BitVec, to: int, /) -> BitVec: ...
    def sign_extend(self, term: BitVec, to: int, /) -> BitVec: ...
    def ite(self, condition: Bool, then: BitVec, otherwise: BitVec, /) -> BitVec: ...
    def ite_bool(self, condition: Bool, then: Bool, otherwise: Bool, /) -> Bool: ...
    def eq(self, left: BitVec, right: BitVec, /) -> Bool: ...
    def ult(self, left: BitVec, right: BitVec, /) -> Bool: ...
    def ule(self, left: BitVec, right: BitVec, /) -> Bool: ...
    def slt(self, left: BitVec, right: BitVec, /) -> Bool: ...
    def sle(self, left: BitVec, right: BitVec, /) -> Bool: ...
    def bit(self, term: BitVec, index: int, /) -> Bool: ...
    def neg(self, term: Bool, /) -> Bool: ...
    def conj(self, *terms: Bool) -> Bool: ...
    def disj(self, *terms: Bool) -> Bool: ...
    def implies(self, premise: Bool, conclusion: Bool, /) -> Bool: ...
    def iff(self, left: Bool, right: Bool, /) -> Bool: ...


def _word(op: Op, args: tuple[Term, ...], width: int, payload: object = None) -> BitVec:
    return apart(BitVec, op, args, payload, width)


def _truth(op: Op, *args: Term) -> Bool:
    return apart(Bool, op, args, None, 0)


def _binary(op: Op, left: BitVec, right: BitVec) -> BitVec:
    return _word(op, (left, right), common_width((left, right)))


# ---------------------------------------------------------------- words


def add(*terms: BitVec) -> BitVec:
    return _word(Op.SUM, terms, common_width(terms), (0, (1,) * len(terms)))


def scale(term: BitVec, factor: int) -> BitVec:
    return _word(Op.SUM, (term,), term.width, (0, (factor & ((1 << term.width) - 1),)))


def negate(term: BitVec) -> BitVec:
    return scale(term, -1)


def sub(left: BitVec, right: BitVec) -> BitVec:
    return add(left, negate(right))


def mul(left: BitVec, right: BitVec) -> BitVec:
    return _binary(Op.MUL, left, right)


def bit_and(left: BitVec, right: BitVec) -> BitVec:
    return _binary(Op.AND, left, right)


def bit_or(left: BitVec, right: BitVec) -> BitVec:
    return _binary(Op.OR, left, right)


def bit_xor(left: BitVec, right: BitVec) -> BitVec:
    return _binary(Op.XOR, left, right)


def bit_not(term: BitVec) -> BitVec:
    return bit_xor(term, const(-1, term.width))


def shl(term: BitVec, amount: BitVec) -> BitVec:
    return _binary(Op.SHL, term, amount)


def lshr(term: BitVec, amount: BitVec) -> BitVec:
    return _binary(Op.LSHR, term, amount)


def ashr(term: BitVec, amount: BitVec) -> BitVec:
    return _binary(Op.ASHR, term, amount)


def udiv(left: BitVec, right: BitVec) -> BitVec:
    return _binary(Op.UDIV, left, right)


def urem(left: BitVec, right: BitVec) -> BitVec:
    return _binary(Op.UREM, left, right)


def concat(*parts: BitVec) -> BitVec:
    return _word(Op.CONCAT, parts, sum(part.width for part in parts))


def extract(term: BitVec, high: int, low: int) -> BitVec:
    return _word(Op.EXTRACT, (term,), high - low + 1, (high, low))


def truncate(term: BitVec, to: int) -> BitVec:
    return extract(term, to - 1, 0)


def zero_extend(term: BitVec, to: int) -> BitVec:
    return _word(Op.ZERO_EXTEND, (term,), to)


def sign_extend(term: BitVec, to: int) -> BitVec:
    return _word(Op.SIGN_EXTEND, (term,), to)


def ite(condition: Bool, then: BitVec, otherwise: BitVec) -> BitVec:
    return _word(Op.ITE, (condition, then, otherwise), common_width((then, otherwise)))


def rounded(operation: FloatOperation, *args: BitVec) -> BitVec:
    return _word(Op.FLOAT, args, operation.result.width, operation)


# ---------------------------------------------------------------- truth values


def eq(left: BitVec, right: BitVec) -> Bool:
    common_width((left, right))
    return _truth(Op.EQ, left, right)


def ult(left: BitVec, right: BitVec) -> Bool:
    common_width((left, right))
    return _truth(Op.ULT, left, right)


def ule(left: BitVec, right: BitVec) -> Bool:
    return disj(ult(left, right), eq(left, right))


def slt(left: BitVec, right: BitVec) -> Bool:
    common_width((left, right))
    return _truth(Op.SLT, left, right)


def sle(left: BitVec, right: BitVec) -> Bool:
    return disj(slt(left, right), eq(left, right))


def bit(term: BitVec, index: int) -> Bool:
    return eq(extract(term, index, index), const(1, 1))


def neg(term: Bool) -> Bool:
    return _truth(Op.NOT, term)


def conj(*terms: Bool) -> Bool:
    return _truth(Op.CONJ, *terms) if len(terms) > 1 else terms[0] if terms else bool_const(True)


def disj(*terms: Bool) -> Bool:
    return _truth(Op.DISJ, *terms) if len(terms) > 1 else terms[0] if terms else bool_const(False)


def implies(premise: Bool, conclusion: Bool) -> Bool:
    return disj(neg(premise), conclusion)


def iff(left: Bool, right: Bool) -> Bool:
    return conj(implies(left, right), implies(right, left))


def ite_bool(condition: Bool, then: Bool, otherwise: Bool) -> Bool:
    return disj(conj(condition, then), conj(neg(condition), otherwise))


def same(left: Term, right: Term) -> Bool:
    """Whether two words, or two truth values, are equal."""
    if isinstance(left, BitVec) and isinstance(right, BitVec):
        return eq(left, right)
    return iff(cast(Bool, left), cast(Bool, right))


def instance(root: T, replacements: Mapping[Term, Term]) -> T:
    """The term with its symbols replaced, as written: no rule sees what comes of it."""
    done: dict[Term, Term] = dict(replacements)
    for term in subterms(root):
        if term not in done:
            args = tuple(done[arg] for arg in term.args)
            same_args = all(new is old for new, old in zip(args, term.args, strict=True))
            done[term] = term if same_args else apart(type(term), term.op, args, term.payload, term.width)
    return cast(T, done[root])
