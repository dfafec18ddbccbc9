"""A relation that the user states (`--where`), with where its names stand, and whether numbers obey it."""

from collections.abc import Mapping

from msgspec import Struct

from visaproof.launch.relations.expressions import Relation
from visaproof.smt import BitVec, Bool, Term, signed_value
from visaproof.smt.evaluate import evaluate


class NamedValue(Struct, frozen=True):
    """A name of a relation: its bytes in the payload, lowest first, or a term where the kernel does not get it."""

    term: BitVec
    signed: bool
    places: tuple[tuple[str, int], ...]

    def number(self, values: Mapping[Term, int]) -> int:
        """What it is where the symbols have these values, and 0 where they have none."""
        word = evaluate(self.term, values)
        return signed_value(word, self.term.width) if self.signed else word


class StatedRelation(Struct, frozen=True):
    """A relation of one kernel and its launch."""

    relation: Relation
    names: Mapping[str, NamedValue]
    term: Bool
    facts: tuple[Bool, ...]
    """What holds of its names in every launch."""

    def holds(self, values: Mapping[Term, int]) -> bool:
        """Whether the numbers obey it: in integers, and not by the term that the solver gets."""
        return self.relation.holds({name: one.number(values) for name, one in self.names.items()})
