"""Sums and products modulo 2^w, as polynomials over atoms."""

from collections.abc import Iterable
from typing import cast

from visaproof.smt.terms import (
    BitVec,
    Op,
    bit_vector,
    common_width,
    const,
    interned,
    known_trailing_zeros,
    trailing_zeros,
    value_of,
)

_MONOMIAL_LIMIT = 64
"""Products are distributed over sums up to this many monomials; beyond, a product of sums stays an atom."""


def linear_parts(term: BitVec) -> tuple[int, dict[BitVec, int]]:
    """`term` as a constant and coefficients of atoms and products, all modulo 2^width."""
    if term.op is Op.CONST:
        return cast(int, term.payload), {}
    if term.op is Op.SUM:
        constant, coefficients = cast(tuple[int, tuple[int, ...]], term.payload)
        return constant, dict(zip(cast(tuple[BitVec, ...], term.args), coefficients, strict=True))
    return 0, {term: 1}


def sum_of(constant: int, parts: dict[BitVec, int], width: int) -> BitVec:
    """The normal form of a constant plus coefficient times atom."""
    modulus = 1 << width
    constant %= modulus
    items = [(atom, factor % modulus) for atom, factor in parts.items() if factor % modulus]
    if not items:
        return const(constant, width)
    if not constant and len(items) == 1 and items[0][1] == 1:
        return items[0][0]
    items.sort(key=_serial)
    args = tuple([atom for atom, _ in items])
    payload = (constant, tuple([factor for _, factor in items]))
    found = interned(Op.SUM, args, payload, width)
    if found is not None:
        return cast(BitVec, found)
    return bit_vector(Op.SUM, args, payload, width, *_sum_facts(constant, items, width))


def _serial(item: tuple[BitVec, int]) -> int:
    return item[0].serial


def _sum_facts(constant: int, items: list[tuple[BitVec, int]], width: int) -> tuple[tuple[int, int], int]:
    """Interval and known zero bits of a sum: the interval where nothing wraps, the common trailing zeros."""
    full = (1 << width) - 1
    low = high = constant
    trailing = trailing_zeros(constant, width)
    for atom, factor in items:
        low += factor * atom.low
        high += factor * atom.high
        trailing = min(trailing, trailing_zeros(factor, width) + known_trailing_zeros(atom))
    return ((low, high) if high <= full else (0, full)), (1 << min(trailing, width)) - 1


def add(*terms: BitVec) -> BitVec:
    """The sum modulo 2^width."""
    width = common_width(terms)
    constant, parts = 0, dict[BitVec, int]()
    for term in terms:
        more, coefficients = linear_parts(term)
        constant += more
        for atom, factor in coefficients.items():
            parts[atom] = parts.get(atom, 0) + factor
    return sum_of(constant, parts, width)


def scale(term: BitVec, factor: int) -> BitVec:
    """`factor` times `term`, modulo 2^width."""
    constant, parts = linear_parts(term)
    return sum_of(constant * factor, {atom: f * factor for atom, f in parts.items()}, term.width)


def negate(term: BitVec) -> BitVec:
    return scale(term, -1)


def sub(left: BitVec, right: BitVec) -> BitVec:
    """The difference modulo 2^width."""
    width = common_width((left, right))
    constant, parts = linear_parts(left)
    less, coefficients = linear_parts(right)
    for atom, factor in coefficients.items():
        parts[atom] = parts.get(atom, 0) - factor
    return sum_of(constant - less, parts, width)


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
    parts = dict[BitVec, int]()
    for atom, factor in parts_l.items():
        parts[atom] = parts.get(atom, 0) + factor * constant_r
    for atom, factor in parts_r.items():
        parts[atom] = parts.get(atom, 0) + factor * constant_l
    for atom_l, factor_l in parts_l.items():
        for atom_r, factor_r in parts_r.items():
            product = _product((atom_l, atom_r), width)
            parts[product] = parts.get(product, 0) + factor_l * factor_r
    return sum_of(constant_l * constant_r, parts, width)


def _product(factors: Iterable[BitVec], width: int) -> BitVec:
    atoms: list[BitVec] = []
    for factor in factors:
        atoms.extend(cast(tuple[BitVec, ...], factor.args) if factor.op is Op.MUL else (factor,))
    atoms.sort(key=lambda atom: atom.serial)
    low, high, trailing = 1, 1, 0
    for atom in atoms:
        low, high, trailing = low * atom.low, high * atom.high, trailing + known_trailing_zeros(atom)
    bounds = (low, high) if high < 1 << width else None
    return bit_vector(Op.MUL, tuple(atoms), None, width, bounds, (1 << min(trailing, width)) - 1)
