"""Products of unknowns as integers of which only their order is kept: enough to see that y·w + x is below h·w.

Each product of words becomes a symbol P wide enough for the exact integer, and is truncated where the formula had it.
Sums are factored first where that gives a word that the formula compares: g·l·w + i·w is (g·l + i)·w.  Of the
products of numbers that are not negative no more is said than

    a + k ≤ c  ⇒  a·r + k·r ≤ c·r   a = 0 ∨ b = 0  ⇒  a·b = 0
    a ≤ c  ⇒  a·r ≤ c·r             a ≥ 1  ⇒  b ≤ a·b

for k = 1, and for k = m + 1 where the formula has a·r + m·r, as of the row after the one of a work item,
and of those with negative ones, as a guard may let through where `w - 1` wraps,

    a < 0 ∧ b ≥ 1  ⇒  a·b ≤ a       a < 0 ∧ b < 0  ⇒  −a ≤ a·b

These are theorems on integers, so that a formula that cannot hold with them cannot hold; the other way round it may.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, product
from math import gcd
from operator import attrgetter
from typing import cast

from msgspec import Struct, field

from visaproof.smt.arithmetic import PRODUCTS, add, linear_parts, mul, scale
from visaproof.smt.bits import sign_extend, zero_extend
from visaproof.smt.comparison import eq, sle, slt
from visaproof.smt.evaluate import subterms
from visaproof.smt.logic import conj, disj, implies
from visaproof.smt.slices import truncate
from visaproof.smt.substitution import substitute
from visaproof.smt.terms import BitVec, Bool, Op, Term, const, symbol

MOST_BITS = 256
"""Of an exact product; a formula with longer ones is left as it is."""
MOST_PAIRS = 60
"""Of products that are compared."""
MOST_ROWS = 8
"""Between the row of a work item and one that it reads."""
MOST_STEPS = 8
"""Products in words that stand in products."""

_serial = attrgetter("serial")


class _Factor(Struct, frozen=True):
    """A word, read as an integer."""

    word: BitVec
    signed: bool

    @property
    def bits(self) -> int:
        return self.word.width if self.signed else self.word.high.bit_length()

    def integer(self, width: int) -> BitVec:
        if self.signed:
            return sign_extend(self.word, width)
        return zero_extend(self.word, width) if self.word.width < width else truncate(self.word, width)


_Key = tuple[_Factor, ...]
"""The factors of a product, in one order for each product."""


class _Products(Struct):
    """The products of one formula."""

    known: set[Term]
    """The terms of the formula: a sum is factored so that it has one of these."""
    signed: set[Term]
    """The words that exact products of the formula read as signed."""
    width: int
    """Bits for each integer."""
    highest: Mapping[Term, int]
    """Of words that the formula keeps below a number."""
    found: dict[_Key, BitVec] = field(default_factory=dict[_Key, BitVec])
    steps: dict[int, None] = field(default_factory=lambda: {1: None})
    """How far apart factors of products are compared."""

    def integer(self, key: _Key) -> BitVec:
        """The exact product of the factors."""
        if not key:
            return const(1, self.width)
        if len(key) == 1:
            return key[0].integer(self.width)
        if key not in self.found:
            name = ".".join(f"{one.word.serial}{'s' if one.signed else ''}" for one in key)
            self.found[key] = symbol(f"integer.{name}", self.width)
        return self.found[key]

    def without(self, term: BitVec) -> BitVec | None:
        """The term with integers for its products; None where it has none."""
        constant, parts = linear_parts(term)
        if not any(atom.op is Op.MUL for atom in parts):
            return None
        self.steps |= dict.fromkeys(_steps(parts))
        total = const(constant, term.width)
        while (factored := self._factored(parts, term.width)) is not None:
            times, factors, group = factored
            total = add(total, scale(self._product(factors, term.width), times))
            parts = {atom: count for atom, count in parts.items() if atom not in group}
        for atom, times in parts.items():
            factors = cast(tuple[BitVec, ...], atom.args) if atom.op is Op.MUL else ()
            total = add(total, scale(self._product(factors, term.width) if factors else atom, times))
        return total

    def _product(self, factors: tuple[BitVec, ...], width: int) -> BitVec:
        key = key_of(self._factor(one) for one in factors)
        return truncate(self.integer(key), width)

    def _factor(self, word: BitVec) -> _Factor:
        """A word as it is read: one that is not extended may be read in either way, modulo its width."""
        return stripped(word) or _Factor(word, self._is_signed(word))

    def _is_signed(self, word: BitVec) -> bool:
        return word in self.signed

    def _factored(
        self, parts: Mapping[BitVec, int], width: int
    ) -> tuple[int, tuple[BitVec, ...], dict[BitVec, int]] | None:
        """A product of which one factor is a sum that the formula has, how often it is in the parts, and in which."""
        atoms = dict.fromkeys(one for atom in parts if atom.op is Op.MUL for one in cast(tuple[BitVec, ...], atom.args))
        for factor in atoms:
            group = {atom: times for atom, times in parts.items() if atom.op is Op.MUL and factor in atom.args}
            if len(group) < 2:
                continue
            shared, times = _common([cast(tuple[BitVec, ...], atom.args) for atom in group]), gcd(*group.values())
            quotient = const(0, width)
            for atom, count in group.items():
                rest = _rest(cast(tuple[BitVec, ...], atom.args), shared, width)
                quotient = add(quotient, scale(rest, count // times))
            if quotient in self.known:
                return times, (quotient, *shared), group
        return None


def _steps(parts: Mapping[BitVec, int]) -> Iterator[int]:
    """For each a·r + m·r, in how many steps of r it ends."""
    for atom, times in parts.items():
        for factor in cast(tuple[BitVec, ...], atom.args) if atom.op is Op.MUL else ():
            rows, rest = divmod(parts.get(factor, 0), times)
            if not rest and 0 < rows < MOST_ROWS:
                yield rows + 1


def _common(products: list[tuple[BitVec, ...]]) -> tuple[BitVec, ...]:
    """The factors that all have, each as often as in the one that has it least often."""
    found: list[BitVec] = []
    for one in dict.fromkeys(products[0]):
        found += [one] * min(each.count(one) for each in products)
    return tuple(found)


def _rest(factors: tuple[BitVec, ...], gone: tuple[BitVec, ...], width: int) -> BitVec:
    left = list(factors)
    for one in gone:
        left.remove(one)
    found = const(1, width)
    for one in left:
        found = mul(found, one)
    return found


def stripped(word: BitVec) -> _Factor | None:
    """The word that was extended to this one; None where it was not."""
    if word.op is Op.ZERO_EXTEND:
        return _Factor(cast(BitVec, word.args[0]), signed=False)
    if word.op is Op.SIGN_EXTEND:
        return _Factor(cast(BitVec, word.args[0]), signed=True)
    return None


def key_of(factors: Iterable[_Factor]) -> _Key:
    return tuple(sorted(factors, key=lambda one: (one.word.serial, one.signed)))


def with_integer_products(formula: Bool) -> Bool | None:
    """What follows from the formula, with integers for its products; None where it has none, or too long ones."""
    terms = subterms(formula)
    if not any(term.op is Op.MUL for term in terms):
        return None
    found = _prepared(formula, terms)
    if found is None:
        return None
    formula = _cut(found, formula)
    facts: dict[Bool, None] = {}
    for _ in range(MOST_STEPS):
        before = len(found.found)
        facts = dict.fromkeys(_facts(found))
        cut = [_cut(found, fact) for fact in facts]
        if len(found.found) == before:
            return _without_others(conj(formula, *cut))
    return None


def _prepared(formula: Bool, terms: list[Term]) -> _Products | None:
    signed = {
        cast(Term, factor.word)
        for term in terms
        if term.op is Op.MUL
        for one in term.args
        if (factor := stripped(cast(BitVec, one))) is not None and factor.signed
    }
    longest = max(sum(one.width for one in _words(term)) for term in terms if term.op is Op.MUL)
    width = max(longest, *(term.width for term in terms)) + 2
    return _Products(set(terms), signed, width, _highest(formula)) if width <= MOST_BITS else None


def _highest(formula: Bool) -> dict[Term, int]:
    """The largest values that a conjunction allows, for words that it compares with a number."""
    found: dict[Term, int] = {}
    for part in cast(tuple[Bool, ...], formula.args) if formula.op is Op.CONJ else (formula,):
        word, most = _at_most(part)
        if word is not None:
            found[word] = min(most, found.get(word, most))
    return found


def _at_most(part: Bool) -> tuple[BitVec | None, int]:
    """The word w and the number n of n ≥ w, which is written as not n < w, or of w < n + 1."""
    compared = part.args[0] if part.op is Op.NOT else part
    if compared.op is not Op.ULT:
        return None, 0
    less, more = cast(tuple[BitVec, BitVec], compared.args)
    number, word = (less, more) if part.op is Op.NOT else (more, less)
    if not isinstance(number.payload, int) or number.op is not Op.CONST:
        return None, 0
    return word, number.payload if part.op is Op.NOT else max(0, number.payload - 1)


def _words(product: Term) -> Iterator[Term]:
    for one in product.args:
        factor = stripped(cast(BitVec, one))
        yield one if factor is None else factor.word


def _cut(products: _Products, formula: Bool) -> Bool:
    """The formula with integers for all products, also in words that stand in products."""
    for _ in range(MOST_STEPS):
        replaced: dict[Term, Term] = {}
        for term in subterms(formula):
            if isinstance(term, BitVec) and term.op in (Op.SUM, Op.MUL) and (cut := products.without(term)) is not None:
                replaced[term] = cut
        if not replaced:
            break
        formula = substitute(formula, replaced)
    return formula


def _without_others(formula: Bool) -> Bool:
    """Quotients and what else is hard as an unknown each."""
    cut: dict[Term, Term] = {
        term: symbol(f"product.{term.serial}", term.width) for term in subterms(formula) if term.op in PRODUCTS
    }
    return substitute(formula, cut) if cut else formula


def _facts(products: _Products) -> Iterator[Bool]:
    """What is known of the integers."""
    keys = list(products.found)
    views = {key: list(_views(key)) for key in keys}
    zero, one = const(0, products.width), const(1, products.width)
    for key in keys:
        factors = [products.integer((each,)) for each in key]
        whole = products.found[key]
        natural = conj(*(sle(zero, each) for each in factors))
        yield implies(disj(*(eq(each, zero) for each in factors)), eq(whole, zero))
        yield implies(natural, sle(zero, whole))
        for each, rest in views[key]:
            left, right = products.integer((each,)), products.integer(rest)
            yield implies(conj(natural, sle(one, left)), sle(right, whole))
            yield implies(conj(natural, sle(one, right)), sle(left, whole))
            if any(factor.signed for factor in key):
                yield implies(conj(slt(left, zero), sle(one, right)), sle(whole, left))
                yield implies(conj(slt(right, zero), sle(one, left)), sle(whole, right))
                yield implies(conj(slt(left, zero), slt(right, zero)), sle(zero, add(whole, left)))
        most = 1
        for each in key:
            highest = products.highest.get(each.word, each.word.high)
            most *= 1 << (each.word.width - 1) if each.signed else min(highest, each.word.high)
        signed = any(each.signed for each in key)
        yield conj(sle(const(-most if signed else 0, products.width), whole), sle(whole, const(most, products.width)))
    alike = [pair for pair in combinations(keys, 2) if set(pair[0]) & set(pair[1])]
    for first, second in alike[:MOST_PAIRS]:
        natural = conj(*(sle(zero, products.integer((each,))) for each in dict.fromkeys((*first, *second))))
        for (one, rest), (other, others) in product(views[first], views[second]):
            if rest == others:
                yield from _ordered(products, (one,), (other,), rest, natural)
                yield from _ordered(products, (other,), (one,), rest, natural)


def _views(key: _Key) -> Iterator[tuple[_Factor, _Key]]:
    """One factor, and the product of the others."""
    for place, each in enumerate(key):
        if each not in key[:place]:
            yield each, key[:place] + key[place + 1 :]


def _ordered(products: _Products, less: _Key, more: _Key, rest: _Key, natural: Bool) -> Iterator[Bool]:
    """a·r against c·r, for single factors a and c."""
    a, c, r = products.integer(less), products.integer(more), products.integer(rest)
    low, high = products.integer(key_of([*less, *rest])), products.integer(key_of([*more, *rest]))
    yield implies(conj(natural, sle(a, c)), sle(low, high))
    for step in products.steps:
        after = add(a, const(step, products.width))
        yield implies(conj(natural, sle(after, c)), sle(add(low, scale(r, step)), high))
