"""Conditions on the lanes of a message and on earlier messages: which exclude each other, which belong together."""

from collections.abc import Callable, Iterable
from functools import partial
from sys import maxsize
from typing import cast

from msgspec import Struct, field

from visaproof.semantics.symbolic.literals import Literals, alternatives, literals_of
from visaproof.semantics.symbolic.names import is_lane
from visaproof.smt import Bool, Op, Term, neg, subterms, true


class Excluded(Struct):
    """Conjunctions that cannot hold, by their newest literal, each with its place among all that was added."""

    by_literal: dict[Bool, list[tuple[int, Literals]]] = field(default_factory=dict[Bool, list[tuple[int, Literals]]])
    added: int = 0

    def add(self, denied: Bool) -> None:
        """That a condition cannot hold."""
        for one in alternatives(denied):
            if literals := literals_of(one):
                newest = max(literals, key=lambda literal: literal.serial)
                self.by_literal.setdefault(newest, []).append((self.added, literals))
        self.added += 1

    def excludes(self, condition: Bool, first: int = maxsize) -> bool:
        """Whether each alternative of the condition says all that a conjunction says of the `first` that were added."""
        return all(self._excludes(literals_of(one), first) for one in alternatives(condition))

    def _excludes(self, literals: Literals, first: int) -> bool:
        known = (denied for literal in literals for place, denied in self.by_literal.get(literal, ()) if place < first)
        return any(denied <= literals for denied in known)


class ExcludedBefore(Struct):
    """What cannot hold where all of some conditions do: of questions whose earlier conditions are the first ones of
    those of another question, each condition is looked at once.
    """

    _excluded: Excluded = field(default_factory=Excluded)
    _conditions: tuple[Bool, ...] = ()

    def by(self, earlier: tuple[Bool, ...]) -> Callable[[Bool], bool]:
        """What says of a condition whether these exclude it."""
        count = min(len(earlier), len(self._conditions))
        if earlier[:count] != self._conditions[:count]:
            self._excluded, self._conditions = Excluded(), ()
        for condition in earlier[len(self._conditions) :]:
            self._excluded.add(cast(Bool, condition.args[0]) if condition.op is Op.NOT else true())
        if len(earlier) > len(self._conditions):
            self._conditions = earlier
        return partial(self._excluded.excludes, first=len(earlier))


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
