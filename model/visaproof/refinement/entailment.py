"""What follows from a condition by its connectives alone: where a target is undefined, its source often is as well."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import cast

from visaproof.semantics.symbolic.literals import Literals, alternatives, literals_of
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    bool_symbol,
    const,
    eq,
    linear_parts,
    neg,
    sub,
    subterms,
)
from visaproof.smt.substitution import substitute_all


def with_plain_equations(conditions: Sequence[Bool]) -> list[Bool]:
    """The conditions with a truth value for each equation: one for all that have the same difference of their sides."""
    names: dict[Term, Term] = {}
    for term in subterms(*conditions):
        if term.op is Op.EQ:
            left, right = cast(tuple[BitVec, BitVec], term.args)
            constant = const(linear_parts(left)[0], left.width)
            names[term] = eq(sub(left, constant), sub(right, constant))
    conditions, names = substitute_all(conditions, names), {}
    differences: dict[Term, Term] = {}
    for term in subterms(*conditions):
        if term.op is Op.EQ:
            left, right = cast(tuple[BitVec, BitVec], term.args)
            either = sub(left, right), sub(right, left)
            known = next((one for one in either if one in differences), either[0])
            names[term] = differences.setdefault(known, bool_symbol(f"equation.{len(differences)}"))
    return substitute_all(conditions, names)


def not_covered(conditions: Iterable[Bool], by: Iterable[Bool]) -> Iterator[Bool]:
    """The conditions without those wherever one of the others holds, by unit propagation.

    c1 ∧ … ∧ cn ∧ ¬o1 ∧ … ∧ ¬om is contradictory, where each ¬o is a clause  ¬l1 ∨ … ∨ ¬lk;  a ∧ (b ∨ c) is ab ∨ ac

    Lanes of the target collide where those of the source do whose address is aligned; where it is not, the source is
    undefined for that.
    """
    asked = list(conditions)
    if not asked:
        return
    others = dict.fromkeys(way for condition in by for way in _ways(condition))
    having: dict[Bool, list[Literals]] = {}
    for other in others:
        for literal in other:
            having.setdefault(literal, []).append(other)
    known: set[Bool] = set()
    if _is_refuted([neg(*other) for other in others if len(other) == 1], known, having, having):
        return
    watching = _watching(others, known, having)
    for condition in asked:
        if not all(_is_refuted(way, set(known), having, watching) for way in _ways(condition)):
            yield condition


_Having = Mapping[Bool, Sequence[Literals]]
"""By a literal, conjunctions."""


def _watching(others: Iterable[Literals], known: Collection[Bool], having: _Having) -> _Having:
    """Each conjunction by those two of its literals that fewest have, one of which holds where at most one is missing.

    One with choices in it by all that is not known, of which a case may hold that it does not name.
    """
    found: dict[Bool, list[Literals]] = {}
    for other in others:
        left = [one for one in other if one not in known]
        plain = sorted((one for one in left if one.op is not Op.DISJ), key=lambda one: len(having[one]))
        for literal in plain[:2] if len(plain) > 1 else left:
            found.setdefault(literal, []).append(other)
    return found


def _ways(condition: Bool) -> Iterator[Literals]:
    """The conjunctions of which the condition is the disjunction; of choices in one, the first is multiplied out."""
    for part in alternatives(condition):
        literals = literals_of(part)
        choice = next((one for one in part.args if one.op is Op.DISJ), None) if part.op is Op.CONJ else None
        if choice is None:
            yield literals
            continue
        rest = literals - {cast(Bool, choice)}
        yield from (rest | literals_of(cast(Bool, one)) for one in choice.args)


def _is_refuted(literals: Iterable[Bool], known: set[Bool], having: _Having, watching: _Having) -> bool:
    """Whether these cannot hold beside what is known, while none of the conjunctions does; else they are known, too,
    with what follows from them."""
    given = [one for one in literals if one not in known]
    known.update(given)
    ahead: list[Bool] = []
    seen = dict.fromkeys(other for one in given for other in watching.get(one, ()))
    while True:
        for other in seen:
            missing = other - known
            if any(one.op is Op.DISJ for one in missing):
                missing = [one for one in missing if not _has_a_case(one, known)]
            if not missing:
                return True
            if len(missing) == 1 and (negated := neg(*missing)) not in known:
                known.add(negated)
                ahead.append(negated)
        if not ahead:
            return False
        seen = having.get(ahead.pop(), ())


def _has_a_case(condition: Bool, known: set[Bool]) -> bool:
    """Whether it is a disjunction of which one case is known:  a ∧ b  ⇒  (a ∧ b) ∨ c."""
    return condition.op is Op.DISJ and any(literals_of(one) <= known for one in alternatives(condition))
