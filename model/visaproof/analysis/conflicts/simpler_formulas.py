"""Formulas with fewer unknowns, which are faster to decide and say less."""

from collections.abc import Sequence
from typing import cast

from visaproof.smt import BitVec, Bool, Op, Term, const, false, substitute, subterms, symbol
from visaproof.smt.arithmetic import PRODUCTS, linear_parts


def constants(symbols: Sequence[Term], factor: int) -> dict[Term, Term]:
    """A multiple of the factor for each word, no two alike where it is odd, and false for each condition."""
    return {one: const(factor * k, one.width) if one.width else false() for k, one in enumerate(symbols, 1)}


def without_products(formula: Bool) -> Bool:
    """Each product or quotient of unknowns replaced by one unknown: what cannot hold then cannot hold at all."""
    cut: dict[Term, Term] = {
        term: symbol(f"product.{term.serial}", term.width) for term in subterms(formula) if term.op in PRODUCTS
    }
    return substitute(formula, cut) if cut else formula


def with_fewer_atoms(formula: Bool) -> Bool:
    """Words that are only added to each other replaced by one unknown: what cannot hold then cannot hold at all.

        4·x + 4·y < 4·x + 4·y + z    with t for x + y    is    4·t < 4·t + z

    x and y occur nowhere but in sums, and in each as often as the other, modulo its size.
    """
    while cut := _added_to_each_other(formula):
        formula = substitute(formula, cut)
    return formula


def _added_to_each_other(formula: Bool) -> dict[Term, Term]:
    """The first of such words as an unknown, and 0 for the others."""
    times: dict[Term, dict[Term, int]] = {}
    beside = set[Term]()
    for term in subterms(formula):
        if term.op is Op.SUM:
            for atom, factor in linear_parts(cast(BitVec, term))[1].items():
                times.setdefault(atom, {})[term] = factor
        else:
            beside.update(term.args)
    alike: dict[frozenset[tuple[Term, int]], list[Term]] = {}
    for atom, factors in times.items():
        if atom not in beside:
            alike.setdefault(frozenset(factors.items()), []).append(atom)
    cut: dict[Term, Term] = {}
    for first, *others in alike.values():
        if others:
            cut[first] = symbol(f"sum.{first.serial}", first.width)
            cut.update((one, const(0, one.width)) for one in others)
    return cut
