"""Conjunctions as sets of their literals, and what one of them says of another."""

from typing import cast

from visaproof.smt import Bool, Op, conj, disj, false, is_true, kept, neg
from visaproof.smt.terms import interned

Literals = frozenset[Bool]
"""A conjunction; a false one holds the constant false."""

NONE: Literals = frozenset()
"""Nothing: holds always."""


def literals_of(guard: Bool) -> Literals:
    if is_true(guard):
        return NONE
    return frozenset(guard.args) if guard.op is Op.CONJ else frozenset((guard,))  # pyright: ignore[reportReturnType]


def alternatives(condition: Bool) -> tuple[Bool, ...]:
    """Those of a disjunction; the condition itself where it is none."""
    return cast(tuple[Bool, ...], condition.args) if condition.op is Op.DISJ else (condition,)


@kept(4_096)
def missing(guard: Literals, assumed: Literals) -> Bool:
    """What has to hold beside the assumption for the guard to hold: false where they contradict each other."""
    lacking = guard - assumed
    for one in lacking:
        if _is_denied(one, assumed):
            return false()
    rest = conj(*(_left(one, assumed) for one in lacking if not _follows(one, assumed)))
    return false() if _is_denied(rest, assumed) else rest


def _is_denied(literal: Bool, assumed: Literals) -> bool:
    """Whether the assumption holds its opposite, which is not made for that: one that no term is cannot be there."""
    if literal.op is Op.NOT:
        return literal.args[0] in assumed
    opposite = neg(literal) if literal.op is Op.CONST else interned(Op.NOT, (literal,), None, 0)
    return opposite in assumed


def _follows(literal: Bool, assumed: Literals) -> bool:
    """Whether an alternative in the literal holds where the assumption does: of a thread, that a lane of it runs."""
    if literal.op is not Op.DISJ:
        return False
    if any(literals_of(cast(Bool, one)) <= assumed for one in literal.args):
        return True
    return any(one.op is Op.DISJ and _is_weaker(literal, one) for one in assumed)


def _left(literal: Bool, assumed: Literals) -> Bool:
    """The literal without what the assumption A says of it: of a thread, what all of its lanes jump by.

    With alternatives w₁ … wₙ, and S what all of them share:   A → (w₁∖S) ∨ … ∨ (wₙ∖S)   ⟹   A → (w₁ ∨ … ∨ wₙ ↔ S)
    """
    if literal.op is not Op.DISJ:
        return literal
    ways = [literals_of(cast(Bool, one)) for one in literal.args]
    shared = ways[0].intersection(*ways)
    others = disj(*(conj(*(way - shared)) for way in ways)) if shared else literal
    holds = bool(shared) and (literals_of(others) <= assumed or _follows(others, assumed))
    return conj(*(shared - assumed)) if holds else literal


@kept(1024)
def _is_weaker(some: Bool, others: Bool) -> bool:
    """Whether each of the others implies one of these: lanes that are still in a loop came to its beginning."""
    found = [literals_of(cast(Bool, one)) for one in some.args]
    return all(any(one <= literals_of(cast(Bool, other)) for one in found) for other in others.args)
