"""Conditions on the lanes of a message and on earlier messages: which exclude each other, which belong together."""

from collections.abc import Iterable
from typing import cast

from msgspec import Struct, field

from visaproof.semantics.symbolic.literals import Literals, alternatives, literals_of
from visaproof.semantics.symbolic.names import is_lane
from visaproof.smt import Bool, Op, Term, neg, subterms


def excluded_by(earlier: Iterable[Bool]) -> "Excluded":
    """What cannot hold where all the earlier conditions do."""
    excluded = Excluded()
    for condition in earlier:
        if condition.op is Op.NOT:
            excluded.add(cast(Bool, condition.args[0]))
    return excluded


class Excluded(Struct, frozen=True):
    """Conjunctions that cannot hold, by their newest literal."""

    by_literal: dict[Bool, list[Literals]] = field(default_factory=dict[Bool, list[Literals]])

    def add(self, denied: Bool) -> None:
        """That a condition cannot hold."""
        for one in alternatives(denied):
            if literals := literals_of(one):
                newest = max(literals, key=lambda literal: literal.serial)
                self.by_literal.setdefault(newest, []).append(literals)

    def excludes(self, condition: Bool) -> bool:
        """Whether each alternative of the condition says all that one of the conjunctions says."""
        return all(self._excludes(literals_of(one)) for one in alternatives(condition))

    def _excludes(self, literals: Literals) -> bool:
        known = (denied for literal in literals for denied in self.by_literal.get(literal, ()))
        return any(denied <= literals for denied in known)


def _conjuncts(condition: Bool) -> Iterable[Bool]:
    """What the condition says one by one: a denied disjunction denies each of its parts."""
    if condition.op is Op.NOT:
        return (neg(denied) for denied in alternatives(cast(Bool, condition.args[0])))
    return cast(tuple[Bool, ...], condition.args) if condition.op is Op.CONJ else (condition,)


class OfLanes(Struct, frozen=True):
    """Conditions, each with the lanes whose bits in the execution mask it depends on."""

    conditions: tuple[Bool, ...]
    lanes: tuple[frozenset[Term], ...]

    @staticmethod
    def of(conditions: Iterable[Bool]) -> "OfLanes":
        parts = tuple(part for condition in conditions for part in _conjuncts(condition))
        found = lanes_of(parts)
        return OfLanes(parts, tuple(found[part] for part in parts))

    def within(self, lanes: frozenset[Term]) -> tuple[Bool, ...]:
        """Those that depend on none but these lanes, and on one of them."""
        pairs = zip(self.conditions, self.lanes, strict=True)
        return tuple(condition for condition, own in pairs if own and own <= lanes)


def lanes_of(roots: Iterable[Term]) -> dict[Term, frozenset[Term]]:
    """The bits of the execution mask in the roots and all their subterms."""
    found: dict[Term, frozenset[Term]] = {}
    for term in subterms(*roots):
        if term.op is Op.SYMBOL:
            found[term] = frozenset((term,)) if is_lane(term) else frozenset()
        else:
            found[term] = frozenset[Term]().union(*(found[part] for part in term.args))
    return found
