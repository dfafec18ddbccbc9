"""Products of unknowns in what a solver is asked: an unknown each, of which only what decides about rows is kept.

    a·u + v = a·u' + v'  (mod 2^w)   becomes   P + v − v' = 0  (mod 2^w),   P = a·(u − u')

where of P, an integer, no more is said than

    u = u'             ⇒  P = 0
    u > u'            ⇒  P ≥ a           u < u'  ⇒  P ≤ −a
    |u − u'| ≤ 2^k     ⇒  |P| ≤ 2^k·a

for the powers of two up to the width of u.  What cannot hold then cannot hold at all: the other way round it may, so
that only a proof comes of it.
"""

from collections.abc import Iterator
from typing import cast

from msgspec import Struct

from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    conj,
    const,
    eq,
    implies,
    kept,
    negate,
    scale,
    sle,
    slt,
    sub,
    substitute,
    subterms,
    symbol,
    truncate,
    zero_extend,
)
from visaproof.smt.arithmetic import PRODUCTS, difference, mul

KEPT = 1 << 14
"""Equations: formulas about one kernel share most of them."""

LOW = 32
"""Bits in which offsets into surfaces are computed, before they are extended: what is equal is equal in these."""


class _Row(Struct, frozen=True):
    """a·(u − u'), with what it is multiplied by modulo 2^w."""

    factor: BitVec
    one: BitVec
    other: BitVec
    times: int

    @property
    def bits(self) -> int:
        """Of a·(u − u'), with a sign and one to spare."""
        needed = self.factor.high.bit_length() + max(self.one.high, self.other.high).bit_length() + 2
        return max(needed, self.factor.width + 1)


def without_products(formula: Bool) -> Bool:
    """What follows from the formula, with no product of unknowns."""
    replaced: dict[Term, Term] = {}
    facts: dict[Bool, None] = {}
    for term in subterms(formula):
        if term.op is Op.EQ and isinstance(term.args[0], BitVec):
            left, right = cast(tuple[BitVec, BitVec], term.args)
            found = _apart(left, right)
            if found is not None:
                replaced[term], more = found
                facts |= dict.fromkeys(more)
            elif left.width > LOW and (low := _apart(truncate(left, LOW), truncate(right, LOW))) is not None:
                facts |= dict.fromkeys((implies(cast(Bool, term), low[0]), *low[1]))
    formula = conj(substitute(formula, replaced), *facts)
    cut: dict[Term, Term] = {
        term: symbol(f"product.{term.serial}", term.width) for term in subterms(formula) if term.op in PRODUCTS
    }
    return substitute(formula, cut) if cut else formula


@kept(KEPT)
def _apart(left: BitVec, right: BitVec) -> tuple[Bool, list[Bool]] | None:
    """The equation with an unknown for each difference of products, and what is said of them."""
    constant, parts = difference(left, right)
    rows, facts = list(_rows(parts, left.width)), list[Bool]()
    if not rows:
        return None
    total = const(constant, left.width)
    for row in rows:
        name, width = f"row.{row.factor.serial}.{row.one.serial}.{row.other.serial}", row.bits
        product = symbol(name, width)
        facts += _facts(row, product)
        total = add(total, scale(truncate(product, left.width), row.times))
        for word, sign in ((row.one, 1), (row.other, -1)):
            atom = mul(row.factor, word)
            parts[atom] = parts.get(atom, 0) - sign * row.times
    for atom, times in parts.items():
        total = add(total, scale(atom, times))
    return eq(total, const(0, left.width)), facts


def _rows(parts: dict[BitVec, int], width: int) -> Iterator[_Row]:
    """Products with a factor in common that are counted alike, with opposite signs."""
    products = [(atom, times) for atom, times in parts.items() if atom.op is Op.MUL and len(atom.args) == 2]
    left = dict(products)
    for atom, times in products:
        for other, opposite in products:
            if atom not in left or other not in left or (times + opposite) % (1 << width) or times >> (width - 1):
                continue
            shared = [one for one in atom.args if one in other.args]
            if len(shared) == 1:
                factor = cast(BitVec, shared[0])
                del left[atom], left[other]
                yield _Row(factor, _rest(atom, factor), _rest(other, factor), times)


def _rest(product: BitVec, factor: BitVec) -> BitVec:
    one, other = cast(tuple[BitVec, BitVec], product.args)
    return other if one is factor else one


def _facts(row: _Row, product: BitVec) -> Iterator[Bool]:
    """In as many bits as the product has, where nothing wraps."""
    factor, one, other = (zero_extend(word, product.width) for word in (row.factor, row.one, row.other))
    distance, zero = sub(one, other), const(0, product.width)
    yield implies(eq(row.one, row.other), eq(product, zero))
    yield implies(slt(zero, distance), sle(factor, product))
    yield implies(slt(distance, zero), sle(product, negate(factor)))
    for bits in range(max(row.one.high, row.other.high).bit_length() + 1):
        step, rows = const(1 << bits, product.width), scale(factor, 1 << bits)
        yield implies(sle(distance, step), sle(product, rows))
        yield implies(sle(negate(step), distance), sle(negate(rows), product))
