"""What the premises of a rewrite rule let stand for what: equal words, and truth values."""

from collections.abc import Sequence
from typing import cast

from visaproof.smt import BitVec, Bool, Op, Term, add, conj, neg, sub, substitute, subterms, true


def replacements(premises: Sequence[Bool]) -> dict[Term, Term]:
    """What may stand for what where the premises hold: equal words, and truth values."""
    known: dict[Term, Term] = {}
    whole = conj(*premises)
    for premise_ in whole.args if whole.op is Op.CONJ else (whole,):
        fact = substitute(premise_, known)
        found: tuple[Term, Term] | None = None
        if fact.op is Op.SYMBOL:
            found = fact, true()
        elif fact.op is Op.NOT and fact.args[0].op is Op.SYMBOL:
            found = fact.args[0], neg(true())
        elif fact.op is Op.EQ:
            found = _solved(cast(BitVec, fact.args[0]), cast(BitVec, fact.args[1]))
        if found is not None:
            known = {one: substitute(other, dict([found])) for one, other in known.items()} | dict([found])
    return known


def _solved(left: BitVec, right: BitVec) -> tuple[Term, Term] | None:
    """A symbol of an equation and what it equals."""
    difference = sub(left, right)
    for one in reversed([term for term in subterms(left, right) if term.op is Op.SYMBOL and term.width == left.width]):
        for other in (sub(cast(BitVec, one), difference), add(cast(BitVec, one), difference)):
            if one not in set(subterms(other)):
                return one, other
    return None
