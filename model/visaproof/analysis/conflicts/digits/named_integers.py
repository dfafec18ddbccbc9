"""Words of a kernel as the integers that relations speak of: sums of products of names."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import cast

from msgspec import Struct, field

from visaproof.analysis.conflicts.digits.records import EXTENSIONS, Factors, Stride
from visaproof.analysis.conflicts.digits.strides import depends_on_ids
from visaproof.checking.stages import literals
from visaproof.launch.ids.any_items import any_ids
from visaproof.launch.relations.exact_terms import Word, exact, relation_term
from visaproof.launch.relations.expressions import Name, Operation, Relation
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.polynomials import Polynomial, expression
from visaproof.launch.relations.relations import stated_relation
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    conj,
    const,
    is_true,
    linear_parts,
    neg,
    signed_value,
    slt,
    sub,
    symbols_of,
    truncate,
    ult,
)
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.integers.products import with_integer_products
from visaproof.smt.solvers import solve_sums

MOST_MS = 500
"""For one question."""
WORD = "the word"
"""What a word is called beside names."""


class NamedIntegers(Struct, dict=True):
    """Of one kernel and its launch."""

    names: LaunchNames
    facts: Sequence[Bool]
    """Of the launch."""
    shown: dict[tuple[Bool, ...], bool] = field(default_factory=dict[tuple[Bool, ...], bool])

    def polynomial(self, stride: Stride, *, uniform: bool = False) -> Polynomial | None:
        """The sum of products in names; None where a factor has none.  With `uniform` words that no argument holds are
        given names.
        """
        found: dict[tuple[str, ...], int] = {}
        known = {**self.names.by_word(), **self.names.own_words()}
        for factors, count in stride.items():
            names = [self._name(factor, known, uniform) for factor in factors]
            if None in names:
                return None
            key = tuple(sorted(name for name in names if name is not None))
            found[key] = found.get(key, 0) + count
        return found

    def _name(self, factor: BitVec, known: Mapping[Term, str], uniform: bool) -> str | None:
        inner = cast(BitVec, factor.args[0]) if factor.op in EXTENSIONS else factor
        found = known.get(factor) or known.get(inner)
        if found is None and uniform and not depends_on_ids(inner):
            return self.names.of_uniform(inner, signed=factor.op is not Op.ZERO_EXTEND)
        return found

    def of_word(self, word: BitVec, *, uniform: bool = False) -> Polynomial | None:
        """What the word would be if nothing wrapped."""
        constant, parts = linear_parts(word)
        stride: dict[Factors, int] = {(): signed_value(constant, word.width)} if constant else {}
        for atom, count in parts.items():
            factors = tuple(one for one in atom.args if isinstance(one, BitVec)) if atom.op is Op.MUL else (atom,)
            stride[factors] = signed_value(count, word.width)
        return self.polynomial(stride, uniform=uniform) or None

    def word(self, polynomial: Polynomial, bits: int) -> BitVec:
        """Its value modulo 2^bits."""
        up, down = _sides(polynomial)
        words = {name: self.names.found(name).word for names in polynomial for name in names}
        one, other = (truncate(exact(expression(side), words, bits).term, bits) for side in (up, down))
        return sub(one, other)

    def term(self, relation: Relation) -> Bool:
        return stated_relation(self.names, relation).term

    def holds(self, relation: Relation, more: Sequence[Bool]) -> bool:
        """Whether it follows from what is known of the launch and from more."""
        stated = stated_relation(self.names, relation)
        return self.follows(stated.term, (stated.term,), (*stated.facts, *more))

    def is_exactly(
        self, word: BitVec, polynomial: Polynomial, more: Sequence[Bool], guards: Sequence[Bool] = ()
    ) -> bool:
        """Whether the word, read unsigned, is this integer, by itself or where guards let a work item write."""
        up, down = map(expression, _sides(polynomial))
        words = {name: self.names.found(name).word for names in polynomial for name in names}
        equal = Relation("==", Operation("+", Name(WORD), down), up)
        goal = relation_term(equal, {**words, WORD: Word(word)})
        return self.follows(goal, (word,), more) or (bool(guards) and self.holds_in_group(goal, (*guards, *more)))

    def is_not_negative(self, word: BitVec) -> bool:
        """Whether it is not, of a work item of the group."""
        return self.holds_in_group(neg(slt(word, const(0, word.width))))

    def holds_in_group(self, goal: Bool, more: Sequence[Bool] = ()) -> bool:
        """Whether it follows from `more` of a work item of the group."""
        launched = self.names.start.group.launched
        sizes = () if launched is None else launched.sizes
        in_group = [ult(one, size) for one, size in zip(any_ids(0), sizes, strict=True)] if sizes else []
        return self.follows(goal, (goal, *in_group, *more), (*in_group, *more))

    def follows(self, goal: Bool, about: Sequence[Bool | BitVec], more: Sequence[Bool]) -> bool:
        """Whether it does from `more` and those facts of the launch that have no symbols but those it is about; or
        those and arguments, as relations that the user states may have.
        """
        if is_true(goal):
            return True
        used = set(symbols_of(*about))
        ways = dict.fromkeys((*self._facts_of(some), *more) for some in (used, used | self._arguments))
        return any(self._is_implied(goal, known) for known in ways)

    def _facts_of(self, symbols: set[Term]) -> tuple[Bool, ...]:
        return tuple(fact for one in self.facts for fact in literals(one) if symbols.issuperset(symbols_of(fact)))

    @cached_property
    def _arguments(self) -> set[Term]:
        return set(self.names.words_of_arguments())

    def _is_implied(self, goal: Bool, known: tuple[Bool, ...]) -> bool:
        if any(goal is one for one in known):
            return True
        key = (goal, *known)
        if key not in self.shown:
            formula = conj(*known, neg(goal))
            self.shown[key] = isinstance(solve_sums(with_integer_products(formula) or formula, MOST_MS), Unsatisfiable)
        return self.shown[key]


def _sides(one: Polynomial) -> tuple[Polynomial, Polynomial]:
    """What is added, and what is subtracted."""
    up = {names: count for names, count in one.items() if count > 0}
    return up, {names: -count for names, count in one.items() if count < 0}
