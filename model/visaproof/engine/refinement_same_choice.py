"""Kernels that do the same if the source finds in what nothing wrote what the target finds there.

What nothing wrote may be anything in the source: for each choice of the target there is one of the source, and it is
enough to find it.  It is read off from the stores: the value that the target stores in the same place.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from visaproof.queries.refinement import Question, open_undefined
from visaproof.queries.refinement_stores import Stores, UnitStore, same_stores
from visaproof.smt import BitVec, Bool, Term, is_false, substitute, subterms


def same_by_choice(question: Question, unwritten: Iterable[Term]) -> bool:
    """Whether there are choices of the source under which both leave the same, and the target has a meaning.

    `unwritten` are the words that the source finds in registers that nothing wrote.
    """
    found = _Choices(frozenset(unwritten), question.memory.operations)
    for surface in question.surfaces:
        source, target = question.source.stores.get(surface, ()), question.target.stores.get(surface, ())
        if not found.unify_stores(source, target):
            return False
    chosen = found.chosen
    if not chosen or any(term in chosen for term in subterms(*question.memory.definitions.values())):
        return False
    undefined = {substitute(condition, chosen): kind for condition, kind in question.source.undefined.items()}
    stores = {surface: _chosen(stores, chosen) for surface, stores in question.source.stores.items()}
    source = replace(question.source, stores=stores, undefined=undefined)
    both = ((stores.get(one, ()), question.target.stores.get(one, ())) for one in question.surfaces)
    apart = open_undefined(replace(question, source=source))
    return all(same_stores(mine, theirs) for mine, theirs in both) and is_false(apart)


@dataclass
class _Choices:
    """What the source chooses, as far as it is known."""

    unwritten: frozenset[Term]
    operations: Mapping[Term, Hashable]
    """What each result stands for."""
    chosen: dict[Term, Term] = field(default_factory=dict[Term, Term])

    def unify_stores(self, source: Stores, target: Stores) -> bool:
        """Finds what the source has to choose so that stores under one guard to one place store the same."""
        if len(source) != len(target):
            return False
        places: dict[tuple[Term, Term], list[UnitStore]] = {}
        for store in target:
            places.setdefault((store.guard, store.cell), []).append(store)
        for store in source:
            known = places.get((store.guard, store.cell))
            if not known or not self._unify(store.value, known.pop(0).value):
                return False
        return True

    def _unify(self, source: Term, target: Term) -> bool:
        """Whether the terms are one where the source chooses so."""
        if source is target or self.chosen.get(source) is target:
            return True
        if source in self.chosen or source.width != target.width:
            return False
        if source in self.unwritten or self._same_operation(source, target):
            self.chosen[source] = target
            return True
        if not source.args or (source.op, source.payload, len(source.args)) != (
            target.op, target.payload, len(target.args),
        ):  # fmt: skip
            return False
        return all(self._unify(one, other) for one, other in zip(source.args, target.args, strict=True))

    def _same_operation(self, source: Term, target: Term) -> bool:
        """Whether both are the result of one operation on operands that are the same."""
        mine, theirs = self.operations.get(source), self.operations.get(target)
        if not isinstance(mine, tuple) or not isinstance(theirs, tuple):
            return False
        parts, others = cast(tuple[Hashable, ...], mine), cast(tuple[Hashable, ...], theirs)
        return len(parts) == len(others) and all(map(self._same_part, parts, others))

    def _same_part(self, one: Hashable, other: Hashable) -> bool:
        if isinstance(one, BitVec | Bool) and isinstance(other, BitVec | Bool):
            return self._unify(one, other)
        return one == other


def _chosen(stores: Stores, chosen: Mapping[Term, Term]) -> Stores:
    return tuple(
        UnitStore(substitute(one.guard, chosen), substitute(one.cell, chosen), substitute(one.value, chosen))
        for one in stores
    )
