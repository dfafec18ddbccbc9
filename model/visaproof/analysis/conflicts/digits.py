"""Lanes are apart whose addresses are numbers with local ids as digits, where each stride reaches over those below.

    s₁ ≥ width,   s₂ ≥ s₁·l₁,   s₃ ≥ s₂·l₂,   s₃·l₃ ≤ 2^w     (l: local sizes; integers, in some order of the digits)

Of two numbers that differ the highest digit that does adds at least its stride s, and the digits below take away at
most s − s₁; all together they add up to 2^w − s₁ at most, so that nothing meets behind a wrap either.  What is proved
by solvers is only that the strides of the kernel are these integers, and the inequalities, which have no ids.

The sizes are those of one group.  What is named has those of the launch, which are no less: it is enough where no size
stands on the side that has to be large.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations

from msgspec import Struct, field

from visaproof.analysis.conflicts.strides import EXTENSIONS, Stride, Strides, term_of
from visaproof.checking.ladder import literals
from visaproof.launch.ids.local_ids import MOST_GROUP_ITEMS
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.exact_terms import exact
from visaproof.launch.relations.expressions import Number, Relation, names_in, renamed
from visaproof.launch.relations.inner_names import InnerName, Kind, is_inner
from visaproof.launch.relations.launch_names import LOCAL, LaunchNames
from visaproof.launch.relations.named_words import SIZES_OF_LAUNCH
from visaproof.launch.relations.polynomials import (
    Polynomial,
    at_least,
    constant_of,
    content,
    expression,
    quotient,
    times,
)
from visaproof.launch.relations.relations import stated_relation
from visaproof.smt import BitVec, Bool, conj, eq, is_true, neg, sub, symbols_of, truncate, value_of
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.integers.products import with_integer_products
from visaproof.smt.solvers import solve_sums

RUNG = "local ids as digits"
MOST_MS = 500
"""For one inequality."""


class Digits(Struct):
    """Of one scatter."""

    strides: Strides
    names: LaunchNames
    facts: Sequence[Bool]
    """Of the launch."""
    shown: dict[tuple[Bool, ...], bool] = field(default_factory=dict[tuple[Bool, ...], bool])

    def missing(self) -> Iterator[tuple[Relation, ...]]:
        """Relations under which the lanes are apart: for each order of the digits those that no launch grants."""
        granted: dict[Relation, bool] = {}
        for order in self._orders():
            needed: list[Relation | None] = []
            for one in order:
                if one not in granted:
                    granted[one] = self._holds(one, ())
                if not granted[one]:
                    needed.append(self._of_launch(one))
            named = [one for one in needed if one is not None]
            if len(named) == len(needed) and self._are_integers([self._term(one) for one in named]):
                yield tuple(named)

    def apart(self, more: Sequence[Bool]) -> bool:
        """Whether the lanes are where `more` holds."""
        for order in self._orders():
            if all(self._holds(one, more) for one in order):
                return self._are_integers(more)
        return False

    def _holds(self, relation: Relation, more: Sequence[Bool]) -> bool:
        """Whether it does of the group, by itself or because it does of the launch."""
        ways = dict.fromkeys((relation, self._of_launch(relation)))
        return any(self._follows(self._term(one), [*self._facts_of(one), *more]) for one in ways if one is not None)

    def _of_launch(self, relation: Relation) -> Relation | None:
        """With the sizes of the launch for those of the group, if it says no less then."""
        large = relation.left if relation.sign == ">=" else relation.right
        if any(is_inner(name.text, Kind.OWN_SIZE) for name in names_in(large)):
            return None
        sizes: dict[str, str] = {InnerName(Kind.OWN_SIZE, d): f"{LOCAL}_{name}" for d, name in enumerate(DIMENSIONS)}
        return Relation(relation.sign, renamed(relation.left, sizes), renamed(relation.right, sizes))

    def _orders(self) -> Iterator[tuple[Relation, ...]]:
        """The inequalities for each order of the digits, without those that have no names and hold."""
        found = {d: self._polynomial(stride) for d, stride in self.strides.by_dimension.items()}
        known = {d: one for d, one in found.items() if one is not None}
        if len(known) < len(found):
            return
        flat = [
            Relation("==", expression(size), Number(1))
            for size in (self._size(d) for d in range(3) if d not in known)
            if constant_of(size) is None
        ]
        unit = content(known.values())
        strides = {d: self._upwards(one, unit) for d, one in known.items()}
        for order in permutations(sorted(strides, key=lambda d: (constant_of(strides[d]) is None, d))):
            chain = list(self.chain([(strides[d], self._size(d)) for d in order], unit))
            if all(isinstance(one, Relation) for one in chain):
                yield *flat, *(one for one in chain if isinstance(one, Relation))

    def chain(self, digits: Sequence[tuple[Polynomial, Polynomial]], unit: int) -> Iterator[Relation | bool]:
        """False where one cannot hold, or could only hold of arguments that are about 0."""
        below: Polynomial = {(): -(-self.strides.width // (self.strides.unit * unit))}
        before: tuple[Polynomial, Polynomial] | None = None
        for stride, size in digits:
            one = at_least(stride, below)
            if before is not None and (rows := quotient(stride, before[0])) is not None:
                one = at_least(rows, before[1])  # of a stride above 0, which it is by the inequality before
            before = stride, size
            if isinstance(one, Relation) and one.sign == "<=" and any(not _is_of_launch(n.text) for n in one.names()):
                yield False
            elif one is not True:
                yield one
            below = times(stride, size)
        most, (last, size) = (1 << self.strides.bits) // unit, digits[-1]
        items = constant_of(size) or MOST_GROUP_ITEMS
        value = constant_of(last)
        if value is None:
            yield Relation("<", expression(last), expression({(): most // items}))
        elif value * items > most:
            yield from self._at_least({(): most // value}, size)

    @staticmethod
    def _at_least(left: Polynomial, right: Polynomial) -> Iterator[Relation | bool]:
        one = at_least(left, right)
        if one is not True:
            yield one

    @staticmethod
    def _upwards(one: Polynomial, unit: int) -> Polynomial:
        """In units; with the sign changed where it is below 0: then the digits count downwards."""
        down = all(count <= 0 for count in one.values())
        return {names: (-count if down else count) // unit for names, count in one.items()}

    def _size(self, dimension: int) -> Polynomial:
        launched = self.names.start.group.launched
        known = None if launched is None else value_of(launched.sizes[dimension])
        return {(): known} if known is not None else {(self.names.own_size(dimension),): 1}

    def _polynomial(self, stride: Stride) -> Polynomial | None:
        """The stride in names; None where a factor has none."""
        found: dict[tuple[str, ...], int] = {}
        known = {**self.names.by_word(), **self.names.own_words()}
        for factors, count in stride.items():
            inner = [factor.args[0] if factor.op in EXTENSIONS else factor for factor in factors]
            names = [known.get(factor) or known.get(one) for factor, one in zip(factors, inner, strict=True)]
            if None in names:
                return None
            key = tuple(sorted(name for name in names if name is not None))
            found[key] = found.get(key, 0) + count
        return found

    def _are_integers(self, more: Sequence[Bool]) -> bool:
        """Whether the strides are the integers of which the relations speak, as far as the sum has bits."""
        bits = self.strides.bits
        for stride in self.strides.by_dimension.values():
            polynomial = self._polynomial(stride)
            assert polynomial is not None
            own = term_of(stride, bits)
            if not self._follows(eq(own, self._word(polynomial, bits)), [*self._facts_about(own), *more]):
                return False
        return True

    def _word(self, polynomial: Polynomial, bits: int) -> BitVec:
        """Its value modulo 2^bits."""
        up = {names: count for names, count in polynomial.items() if count > 0}
        down = {names: -count for names, count in polynomial.items() if count < 0}
        words = {name: self.names.found(name).word for names in polynomial for name in names}
        one, other = (truncate(exact(expression(side), words, bits).term, bits) for side in (up, down))
        return sub(one, other)

    def _term(self, relation: Relation) -> Bool:
        return stated_relation(self.names, relation).term

    def _facts_of(self, relation: Relation) -> list[Bool]:
        return [*stated_relation(self.names, relation).facts, *self._facts_about(self._term(relation))]

    def _facts_about(self, term: Bool | BitVec) -> list[Bool]:
        """Those that have no other symbols."""
        used = set(symbols_of(term))
        return [fact for one in self.facts for fact in literals(one) if used.issuperset(symbols_of(fact))]

    def _follows(self, goal: Bool, known: Sequence[Bool]) -> bool:
        if is_true(goal) or any(goal is one for one in known):
            return True
        key = (goal, *known)
        if key not in self.shown:
            formula = conj(*known, neg(goal))
            self.shown[key] = isinstance(solve_sums(with_integer_products(formula) or formula, MOST_MS), Unsatisfiable)
        return self.shown[key]


def _is_of_launch(name: str) -> bool:
    return name in SIZES_OF_LAUNCH
