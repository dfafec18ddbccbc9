"""Questions on which a solver is slow: where lanes write depends on products of unknowns, or on functions."""

from collections.abc import Collection

from visaproof.analysis.conflicts.alike_values import functions_in
from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.smt import subterms
from visaproof.smt.arithmetic import PRODUCTS

INVERSE = "inv"
"""The operation by way of which integers are divided."""


def has_products(question: ConflictQuestion) -> bool:
    """Whether it depends on a product of unknowns where lanes write."""
    return any(term.op in PRODUCTS for pair in question.pairs[:1] for term in subterms(pair.meet))


def divides(question: ConflictQuestion, values: Collection[Uninterpreted]) -> bool:
    """Whether it may depend on an integer quotient where lanes write: it does on an inverse."""
    functions = (one for pair in question.pairs[:1] for one in functions_in(pair.meet, values))
    return any(one.operation[:1] == (INVERSE,) for one in functions)


def is_hard(question: ConflictQuestion, values: Collection[Uninterpreted]) -> bool:
    """Whether it depends on products of unknowns, or on functions of them."""
    return has_products(question) or any(functions_in(pair.meet, values) for pair in question.pairs[:1])
