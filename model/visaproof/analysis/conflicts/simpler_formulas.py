"""Formulas with fewer unknowns, which are faster to decide and say less."""

from collections.abc import Sequence

from visaproof.smt import Bool, Term, const, false, substitute, subterms, symbol
from visaproof.smt.arithmetic import PRODUCTS


def constants(symbols: Sequence[Term], factor: int) -> dict[Term, Term]:
    """A multiple of the factor for each word, no two alike where it is odd, and false for each condition."""
    return {one: const(factor * k, one.width) if one.width else false() for k, one in enumerate(symbols, 1)}


def without_products(formula: Bool) -> Bool:
    """Each product or quotient of unknowns replaced by one unknown: what cannot hold then cannot hold at all."""
    cut: dict[Term, Term] = {
        term: symbol(f"product.{term.serial}", term.width) for term in subterms(formula) if term.op in PRODUCTS
    }
    return substitute(formula, cut) if cut else formula
