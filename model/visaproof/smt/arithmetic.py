"""Sums and products modulo 2^w, as polynomials over atoms."""

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import cast

from visaproof.smt.logic import ite
from visaproof.smt.terms import (
    BitVec,
    Bool,
    Op,
    bit_vector,
    common_width,
    const,
    interned,
    known_trailing_zeros,
    lowest_bit,
    value_of,
)

_serial = attrgetter("serial")

PRODUCTS = frozenset((Op.MUL, Op.UDIV, Op.UREM))
"""Terms that are hard for solvers."""

_MONOMIAL_LIMIT = 64
"""Products are distributed over sums up to this many monomials; beyond, a product of sums stays an atom."""


def linear_parts(term: BitVec) -> tuple[int, dict[BitVec, int]]:
    """`term` as a constant and coefficients of atoms and products, all modulo 2^width."""
    if term.op is Op.SUM:
        constant, coefficients = cast(tuple[int, tuple[int, ...]], term.payload)
        return constant, dict(zip(cast(tuple[BitVec, ...], term.args), coefficients, strict=True))
    if term.op is Op.CONST:
        return cast(int, term.payload), {}
    if (counted := _counted(term)) is not None:
        constant, unit, factor = counted
        return constant, {unit: factor}
    return 0, {term: 1}


def _counted(term: BitVec) -> tuple[int, BitVec, int] | None:
    """A choice of two constants as the smaller one and a multiple of a choice of 0 and 1."""
    if term.op is not Op.ITE or term.args[1].op is not Op.CONST or term.args[2].op is not Op.CONST:
        return None
    condition, then, otherwise = cast(tuple[Bool, BitVec, BitVec], term.args)
    if then.high + otherwise.high == 1:
        return 0, term, 1
    if then.high > otherwise.high:
        return otherwise.high, _choice(condition, 1, 0, term.width), then.high - otherwise.high
    return then.high, _choice(condition, 0, 1, term.width), otherwise.high - then.high


def _choice(condition: Bool, then: int, otherwise: int, width: int) -> BitVec:
    return ite(condition, const(then, width), const(otherwise, width))


def sum_of(constant: int, parts: Mapping[BitVec, int], width: int) -> BitVec:
    """The normal form of a constant plus coefficient times atom."""
    full = (1 << width) - 1
    constant &= full
    atoms = [atom for atom, factor in parts.items() if factor & full]
    if not atoms:
        return const(constant, width)
    if len(atoms) > 1:
        atoms.sort(key=_serial)
    args = tuple(atoms)
    factors = tuple([parts[atom] & full for atom in atoms])
    if not constant and factors == (1,):
        return args[0]
    payload = (constant, factors)
    if len(args) == 1 and _counted(args[0]) is not None:
        condition, then, otherwise = cast(tuple[Bool, BitVec, BitVec], args[0].args)
        then_value, otherwise_value = (constant + factors[0] * branch.high for branch in (then, otherwise))
        return _choice(condition, then_value, otherwise_value, width)
    found = interned(Op.SUM, args, payload, width)
    if found is not None:
        return cast(BitVec, found)
    slices = [atom for atom in args if atom.op is Op.ZERO_EXTEND and atom.args[0].op is Op.EXTRACT]
    if words := {atom: word for atom in slices if (word := _of_upper_bits(atom, parts[atom])) is not None}:
        others = {atom: factor for atom, factor in parts.items() if atom not in words}
        for atom, (word, bits) in words.items():
            constant += _add_to(others, word, parts[atom] >> bits)
        return sum_of(constant, others, width)
    return bit_vector(Op.SUM, args, payload, width, *_sum_facts(constant, args, factors, full))


def _of_upper_bits(atom: BitVec, factor: int) -> tuple[BitVec, int] | None:
    """The word of which the slice is all but some low bits, if these are 0 and the factor brings them back.

    16·(x >> 4) = x where the low 4 bits of x are 0.
    """
    word = cast(BitVec, atom.args[0].args[0])
    high, low = cast(tuple[int, int], atom.args[0].payload)
    if word.width != atom.width or high != word.width - 1 or factor % (1 << low) or known_trailing_zeros(word) < low:
        return None
    return word, low


def _sum_facts(
    constant: int, atoms: Iterable[BitVec], factors: Iterable[int], full: int
) -> tuple[tuple[int, int], int]:
    """Interval and known zero bits of a sum: the interval where nothing wraps, the common trailing zeros."""
    low = high = units = constant
    for atom, factor in zip(atoms, factors, strict=True):
        low += factor * atom.low
        high += factor * atom.high
        units |= factor * lowest_bit(atom)  # its lowest bit is the lowest that the product may have
    return ((low, high) if high <= full else (0, full)), ((units & -units) - 1) & full


def add(*terms: BitVec) -> BitVec:
    """The sum modulo 2^width."""
    width = common_width(terms)
    if len(terms) == 2:  # a term is its own normal form
        if terms[1].op is Op.CONST and not terms[1].payload:
            return terms[0]
        if terms[0].op is Op.CONST and not terms[0].payload:
            return terms[1]
    constant, parts = linear_parts(terms[0])
    for term in terms[1:]:
        constant += _add_to(parts, term, 1)
    return sum_of(constant, parts, width)


def _add_to(parts: dict[BitVec, int], term: BitVec, times: int) -> int:
    """Adds a multiple of the term to a sum, but for the constant, which is the result."""
    if term.op is Op.SUM:
        constant, coefficients = cast(tuple[int, tuple[int, ...]], term.payload)
        for atom, factor in zip(cast(tuple[BitVec, ...], term.args), coefficients, strict=True):
            parts[atom] = parts.get(atom, 0) + factor * times
        return constant * times
    if term.op is Op.CONST:
        return cast(int, term.payload) * times
    if (counted := _counted(term)) is not None:
        constant, unit, factor = counted
        parts[unit] = parts.get(unit, 0) + factor * times
        return constant * times
    parts[term] = parts.get(term, 0) + times
    return 0


def scale(term: BitVec, factor: int) -> BitVec:
    """`factor` times `term`, modulo 2^width."""
    return term if factor == 1 else weighted(0, (term,), (factor,), term.width)


def weighted(constant: int, terms: Iterable[BitVec], factors: Iterable[int], width: int) -> BitVec:
    """A constant and so many times each of the terms, modulo 2^width."""
    parts = dict[BitVec, int]()
    for term, factor in zip(terms, factors, strict=True):
        constant += _add_to(parts, term, factor)
    return sum_of(constant, parts, width)


def negate(term: BitVec) -> BitVec:
    return scale(term, -1)


def sub(left: BitVec, right: BitVec) -> BitVec:
    """The difference modulo 2^width."""
    constant, parts = linear_parts(left)
    return sum_of(constant + _add_to(parts, right, -1), parts, common_width((left, right)))


def difference(left: BitVec, right: BitVec) -> tuple[int, dict[BitVec, int]]:
    """`linear_parts` of left − right, without building that term."""
    full = (1 << common_width((left, right))) - 1
    constant, parts = linear_parts(left)
    constant += _add_to(parts, right, -1)
    return constant & full, {atom: factor & full for atom, factor in parts.items() if factor & full}


def bit_not(term: BitVec) -> BitVec:
    """Every bit inverted: −1 − term."""
    return add(const(-1, term.width), negate(term))


def mul(left: BitVec, right: BitVec) -> BitVec:
    """The product modulo 2^width, distributed over sums while it stays small."""
    width = common_width((left, right))
    if (factor := value_of(left)) is not None:
        return scale(right, factor)
    if (factor := value_of(right)) is not None:
        return scale(left, factor)
    constant_l, parts_l = linear_parts(left)
    constant_r, parts_r = linear_parts(right)
    if (len(parts_l) + 1) * (len(parts_r) + 1) > _MONOMIAL_LIMIT:
        return _product((left, right), width)
    constant, parts = constant_l * constant_r, dict[BitVec, int]()
    for atom, factor in parts_l.items():
        parts[atom] = parts.get(atom, 0) + factor * constant_r
    for atom, factor in parts_r.items():
        parts[atom] = parts.get(atom, 0) + factor * constant_l
    for atom_l, factor_l in parts_l.items():
        for atom_r, factor_r in parts_r.items():
            constant += _add_to(parts, _product_of_atoms(atom_l, atom_r, width), factor_l * factor_r)
    return sum_of(constant, parts, width)


def _product_of_atoms(left: BitVec, right: BitVec, width: int) -> BitVec:
    """(c ? 1 : 0)·y is c ? y : 0, and (x / d)·d is x − x mod d: by 0, with SMT-LIB's remainder, 0."""
    for one, other in ((left, right), (right, left)):
        if one.op is Op.ITE and one.high == 1 and one.args[1].op is one.args[2].op is Op.CONST:
            condition, then, _ = cast(tuple[Bool, BitVec, BitVec], one.args)
            nothing = const(0, width)
            return ite(condition, other, nothing) if then.high else ite(condition, nothing, other)
        if one.op is Op.UDIV and one.args[1] is other:
            dividend = cast(BitVec, one.args[0])
            return sub(dividend, remainder(dividend, other))
    return _product((left, right), width)


def remainder(left: BitVec, right: BitVec) -> BitVec:
    """The term of an unsigned remainder that is not known to be anything simpler."""
    most = min(left.high, right.high - 1) if right.low else left.high
    return bit_vector(Op.UREM, (left, right), None, left.width, (0, most))


def _product(factors: Iterable[BitVec], width: int) -> BitVec:
    atoms: list[BitVec] = []
    for factor in factors:
        atoms.extend(cast(tuple[BitVec, ...], factor.args) if factor.op is Op.MUL else (factor,))
    atoms.sort(key=_serial)
    low, high, trailing = 1, 1, 0
    for atom in atoms:
        low, high, trailing = low * atom.low, high * atom.high, trailing + known_trailing_zeros(atom)
    bounds = (low, high) if high < 1 << width else None
    return bit_vector(Op.MUL, tuple(atoms), None, width, bounds, (1 << min(trailing, width)) - 1)
