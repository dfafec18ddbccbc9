"""A goal about what was stored, in parts: one for each store that a read may see.

    ite(c, t, e) = x   follows from   c ⇒ t = x   and   e = x

A store is only looked at under what every way to it has in common, so that each is looked at once.
"""

from collections.abc import Iterator
from typing import cast

from visaproof.smt import BitVec, Bool, Op, Term, disj, eq, neg
from visaproof.smt.evaluate import outward

MOST_PARTS = 4_000
Path = frozenset[Term]
"""Conditions that hold together on every way to a term."""


def parts_of(goal: Bool) -> tuple[Bool, ...]:
    """Statements that together imply the goal; none where it is not made of choices."""
    found: list[Bool] = []
    for clause in goal.args if goal.op is Op.CONJ else (goal,):
        literals = cast(tuple[Bool, ...], clause.args if clause.op is Op.DISJ else (clause,))
        chosen = next((each for each in literals if _is_about_a_choice(each)), None)
        if chosen is None:
            found.append(cast(Bool, clause))
            continue
        others = [each for each in literals if each is not chosen]
        found += (disj(*others, part) for part in _split(chosen))
        if len(found) > MOST_PARTS:
            return ()
    return tuple(found) if len(found) > 1 else ()


def _is_about_a_choice(literal: Term) -> bool:
    return literal.op is Op.EQ and any(side.op is Op.ITE for side in literal.args)


def _split(equal: Bool) -> Iterator[Bool]:
    left, right = cast(tuple[BitVec, BitVec], equal.args)
    if left.op is not Op.ITE:
        left, right = right, left
    for path, leaf in _leaves(left):
        yield disj(*(neg(cast(Bool, condition)) for condition in path), eq(leaf, right))


def _leaves(root: BitVec) -> Iterator[tuple[Path, BitVec]]:
    """What a word may be, each with what every way to it has in common."""
    common: dict[Term, Path] = {root: frozenset()}
    for term in reversed(_choices(root)):  # a choice comes after those that it stands in
        condition, then, otherwise = term.args
        for branch, holds in ((then, condition), (otherwise, neg(cast(Bool, condition)))):
            path = common[term] | {holds}
            common[branch] = common[branch] & path if branch in common else path
    yield from ((path, cast(BitVec, term)) for term, path in common.items() if term.op is not Op.ITE)


def _choices(root: Term) -> list[Term]:
    """The choices that a word is made of by way of their branches, each after those in it."""
    inside: set[Term] = set()
    stack = [root]
    while stack:
        term = stack.pop()
        if term.op is Op.ITE and term not in inside:
            inside.add(term)
            stack += term.args[1:]
    return [term for term in outward(root) if term in inside]
