"""Lanes are apart whose addresses are numbers with digits of their own, where each stride reaches over those below.

    s₁ ≥ width,   s₂ ≥ s₁·l₁,   s₃ ≥ s₂·l₂,   s₃·l₃ ≤ 2^w     (l: sizes; integers, in some order of the digits)

Digits are local ids, with local sizes, and parts of numbers that differ where ids do, with radices: `parts_of_numbers`.
Of two addresses that differ the highest digit that does adds at least its stride s, and the digits below take away at
most s − s₁; all together they add up to 2^w − s₁ at most, so that nothing meets behind a wrap either.  What is proved
by solvers is only that strides and radices of the kernel are these integers, and the inequalities, which have no ids.

The last part of a number n has no radix: where n < b, it is below ⌈b/low⌉, and with integers s₂/s₁

    s₂·low ≥ s₁·b   ⇒   s₂ ≥ s₁·⌈b/low⌉

Where nothing bounds n, but it is a sum with one local id that cannot wrap, two of one group differ by less than its
size l.  Then their last parts do as well: ⌊n/low⌋ − ⌊m/low⌋ is at most ⌈(n − m)/low⌉.  Without a last part the others
tell them apart if they end at l or later: numbers that are the same below r₁·r₂·… = e differ by a multiple of e.

The sizes are those of one group, or what guards say: `guards`.  What is named has those of the launch, which are no
less: it is enough where no size stands on the side that has to be large.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import permutations

from msgspec import Struct

from visaproof.analysis.conflicts.digits.guards import IdBound, bounds_of_ids, counts_up, fixed_digits, upper_limit
from visaproof.analysis.conflicts.digits.inequalities import Place, chain
from visaproof.analysis.conflicts.digits.named_integers import NamedIntegers
from visaproof.analysis.conflicts.digits.orders import Limits, Order, degree, is_size, positive
from visaproof.analysis.conflicts.digits.parts_of_numbers import ONE, Piece, in_order, piece
from visaproof.analysis.conflicts.digits.records import Digit, Part, Stride
from visaproof.analysis.conflicts.digits.strides import Strides, extended_from, sum_of, term_of
from visaproof.analysis.conflicts.digits.uniform_words import of_arguments, words_in
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.expressions import Number, Relation, names_in, renamed
from visaproof.launch.relations.inner_names import InnerName, Kind, is_inner
from visaproof.launch.relations.launch_names import LOCAL
from visaproof.launch.relations.polynomials import (
    Polynomial,
    at_least,
    constant_of,
    content,
    divided,
    expression,
)
from visaproof.smt import BitVec, Bool, Op, eq, value_of

STAGE = "local ids as digits"
OF_NUMBERS = "parts of a number as digits"
"""The stage where some digits are quotients and remainders."""
MOST_DIGITS = 6
"""Of which all orders are tried."""


class Digits(Struct, dict=True):
    """Of one scatter."""

    strides: Strides
    integers: NamedIntegers
    conditions: frozenset[Bool] = frozenset()
    """That hold wherever a lane writes, said of the first lane."""
    positive: tuple[Relation, ...] = ()
    """Under which the strides are what they are."""

    @property
    def by(self) -> str:
        return OF_NUMBERS if any(isinstance(one, Part) for one in self.strides.by_digit) else STAGE

    def missing(self) -> Iterator[tuple[Relation, ...]]:
        """Relations under which the lanes are apart: for each order of the digits those that no launch grants."""
        granted: dict[Relation, bool] = {}
        for order in self._orders():
            for one in order.relations:
                if one not in granted:
                    granted[one] = self.holds(one, ())
            open_ones = [one for one in order.relations if not granted[one]]
            named = [stated for one in open_ones if (stated := self._named(one)) is not None]
            more = [self.integers.term(one) for one in named]
            if (
                len(named) == len(open_ones)
                and all(self.holds(one, more) for one in open_ones if words_in(one))
                and self._are_integers(order, more)
            ):
                yield self._not_implied(list(dict.fromkeys(named)))

    def _not_implied(self, relations: Sequence[Relation]) -> tuple[Relation, ...]:
        """Without those that follow from the others."""
        kept = list(relations)
        for one in relations:
            others = [other for other in kept if other is not one]
            if self.integers.holds(one, [self.integers.term(other) for other in others]):
                kept = others
        return tuple(kept)

    def apart(self, more: Sequence[Bool]) -> bool:
        """Whether the lanes are where `more` holds."""
        for order in self._orders():
            if all(self.holds(one, more) for one in order.relations) and self._are_integers(order, more):
                return True
        return False

    def holds(self, relation: Relation, more: Sequence[Bool]) -> bool:
        """Whether it does of the group, by itself or because it does of the launch."""
        ways = [one for one in dict.fromkeys((relation, self._of_launch(relation))) if one is not None]
        return any(self.integers.holds(one, more) for one in ways) or self._is_guarded(relation, more)

    def _is_guarded(self, relation: Relation, more: Sequence[Bool]) -> bool:
        """Whether it holds wherever a lane writes, as a guard says."""
        return bool(self._guards) and self.integers.holds_in_group(self.integers.term(relation), [*self._guards, *more])

    @cached_property
    def _guards(self) -> list[Bool]:
        return [one.guard for one in self.id_bounds.values()]

    def _named(self, relation: Relation) -> Relation | None:
        """A relation that a user can state, from which this one should follow."""
        launched = self._of_launch(relation)
        if launched is None or not words_in(launched):
            return launched
        return of_arguments(launched, self.integers.names, lambda one: self.holds(one, ()))

    def _of_launch(self, relation: Relation) -> Relation | None:
        """With the sizes of the launch for those of the group, if it says no less then."""
        large = relation.left if relation.sign == ">=" else relation.right
        if any(is_inner(name.text, Kind.OWN_SIZE) for name in names_in(large)):
            return None
        sizes: dict[str, str] = {InnerName(Kind.OWN_SIZE, d): f"{LOCAL}_{name}" for d, name in enumerate(DIMENSIONS)}
        return Relation(relation.sign, renamed(relation.left, sizes), renamed(relation.right, sizes))

    def _orders(self, flat: bool = True) -> Iterator[Order]:
        """The inequalities for each order of the digits, without those that have no names and hold.

        With `flat` also that the sizes are 1 in other dimensions.  First those where guards bound local ids.
        """
        if self.id_bounds:
            yield from self._orders_of(self.id_bounds, flat)
        yield from self._orders_of({}, flat)

    def _orders_of(self, bounds: Mapping[Digit, IdBound], flat: bool) -> Iterator[Order]:
        known, limits = self._polynomials, self._limits
        if known is None or limits is None or len(known) > MOST_DIGITS:
            return
        others = [self._size(d) for d in range(3) if flat and d not in limits.covered | self.fixed]
        if any((value := constant_of(size)) is not None and value > 1 for size in others):
            return
        alone = [Relation("==", expression(size), Number(1)) for size in others if constant_of(size) is None]
        unit = content(known.values())
        strides = {digit: self._upwards(one, unit) for digit, one in known.items()}
        numbers = any(isinstance(digit, Part) for digit in strides)
        first = [*self.positive, *limits.relations, *alone]
        for order in permutations(sorted(strides, key=lambda one: self._rank(strides[one], one))):
            degrees = [degree(strides[one]) for one in order]
            used = [bounds[one] for one in order[:-1] if one in bounds]
            if ((numbers or bounds) and degrees != sorted(degrees)) or (bounds and not used):
                continue
            sizes = {**limits.sizes, **{one.dimension: (one.below, ONE) for one in used}}
            places = [Place(strides[one], *sizes[one], isinstance(one, Part)) for one in order]
            needed = [*positive(used), *chain(places, unit, self.strides)]
            if all(isinstance(one, Relation) for one in needed):
                relations = dict.fromkeys((*first, *(one for one in needed if isinstance(one, Relation))))
                yield Order(tuple(relations), {**limits.exact, **{one.word: one.below for one in used}})

    @staticmethod
    def _rank(stride: Polynomial, digit: Digit) -> tuple[bool, int]:
        return constant_of(stride) is None, digit if isinstance(digit, int) else len(DIMENSIONS)

    @staticmethod
    def _upwards(one: Polynomial, unit: int) -> Polynomial:
        """In units; with the sign changed where it is below 0: then the digits count downwards."""
        down = all(count <= 0 for count in one.values())
        return {names: (-count if down else count) // unit for names, count in one.items()}

    @cached_property
    def _polynomials(self) -> Mapping[Digit, Polynomial] | None:
        """The strides in names; None where one has none."""
        found = {
            digit: self.integers.polynomial(stride, uniform=True) for digit, stride in self.strides.by_digit.items()
        }
        known = {digit: one for digit, one in found.items() if one is not None}
        return known if len(known) == len(found) else None

    # ------------------------------------------------------------ sizes

    def _size(self, dimension: int) -> Polynomial:
        launched = self.integers.names.start.group.launched
        known = None if launched is None else value_of(launched.sizes[dimension])
        return {(): known} if known is not None else {(self.integers.names.own_size(dimension),): 1}

    @cached_property
    def id_bounds(self) -> Mapping[Digit, IdBound]:
        """What guards say of local ids that are digits."""
        found = bounds_of_ids(self.conditions, self.integers)
        return {one.dimension: one for one in found if one.dimension in self.strides.by_digit}

    @cached_property
    def fixed(self) -> frozenset[Digit]:
        """The digits that are the same for all lanes that write."""
        return frozenset(fixed_digits(self.conditions))

    @cached_property
    def _limits(self) -> Limits | None:
        """None where the digits leave out something of a number."""
        dimensions = [one for one in self.strides.by_digit if isinstance(one, int)]
        parts = [one for one in self.strides.by_digit if isinstance(one, Part)]
        found = Limits({d: (self._size(d), ONE) for d in dimensions}, (), {}, frozenset(dimensions))
        for number in dict.fromkeys(one.number for one in parts):
            more = self._of_number(number, [one for one in parts if one.number is number])
            if more is None:
                return None
            found = Limits(
                {**found.sizes, **more.sizes},
                (*found.relations, *more.relations),
                {**found.exact, **more.exact},
                found.covered | more.covered,
            )
        return found

    def _of_number(self, number: BitVec, parts: Sequence[Part]) -> Limits | None:
        """That it differs where ids do, and so do its parts."""
        within = self._of_ids(number)
        if within is None:
            return None
        own, differs = within.strides, within._first_order
        exact = dict[BitVec, Polynomial]()
        pieces = [self._piece(one, exact) for one in parts]
        known = [one for one in pieces if one is not None]
        if differs is None or len(known) < len(pieces):
            return None
        sizes: dict[Digit, tuple[Polynomial, Polynomial]] = {
            part: (one.radix, ONE) for part, one in zip(parts, known, strict=True) if one.radix is not None
        }
        order = in_order(known)
        if order is None:
            known += self._fixed_pieces(number, parts, exact)
            order = in_order(known)
        if order is None:
            return None
        last, bound = known[order[-1]], self._bound(number, own, exact)
        names = {name for one in exact.values() for each in one for name in each}
        relations = [*differs.relations, *(at_least({(name,): 1}, ONE) for name in sorted(names) if not is_size(name))]
        relations += [at_least(one, ONE) for one in exact.values() if len(one) > 1]
        distance = self._distance(number, own) if bound is None else bound
        if last.end is not None:
            relations.append(distance is not None and at_least(last.end, distance))
        elif order[-1] >= len(parts):
            pass  # of the last one it is known what it is
        elif bound is None and distance is not None:
            sizes[parts[order[-1]]] = (distance, ONE)
        elif bound is not None:
            whole = divided(bound, last.low)
            sizes[parts[order[-1]]] = (bound, last.low) if whole is None else (whole, ONE)
        if any(one is False for one in relations) or len(sizes) < len(parts):
            return None
        return Limits(
            sizes, tuple(one for one in relations if isinstance(one, Relation)), exact, frozenset(own.by_digit)
        )

    def _fixed_pieces(self, number: BitVec, parts: Sequence[Part], exact: dict[BitVec, Polynomial]) -> Iterator[Piece]:
        """Other parts of the number that are the same for all lanes."""
        for one in self.fixed:
            if isinstance(one, Part) and one.number is number and one not in parts:
                found = self._piece(one, exact)
                if found is not None:
                    yield found

    @cached_property
    def _first_order(self) -> Order | None:
        """Of a number with ids alone as digits."""
        return next(self._orders(flat=False), None)

    def _of_ids(self, number: BitVec) -> "Digits | None":
        """The number itself, with ids alone as digits."""
        own = sum_of(number)
        if own is None or own.bits != number.width or not all(isinstance(one, int) for one in own.by_digit):
            return None
        return Digits(Strides(own.by_digit, own.common, own.bits, 1, 1), self.integers)

    def _piece(self, part: Part, exact: dict[BitVec, Polynomial]) -> Piece | None:
        """In names, with the words that have to be the integers."""
        steps = list[tuple[Op, Polynomial]]()
        for operation, by in part.steps:
            polynomial = self.integers.of_word(by)
            if polynomial is None:
                return None
            steps.append((operation, polynomial))
            if constant_of(polynomial) is None:
                exact[by] = polynomial
        return piece(steps)

    def _bound(self, number: BitVec, own: Strides, exact: dict[BitVec, Polynomial]) -> Polynomial | None:
        """What the number is below where a lane writes: as a guard says, or as the size of the group does."""
        for condition in self.conditions:
            said = upper_limit(condition)
            if said is not None and extended_from(said.word) is number:
                polynomial = self.integers.of_word(said.limit)
                if polynomial is not None and (not said.signed or self.integers.is_not_negative(said.word)):
                    exact[said.limit] = polynomial
                    return polynomial
        alone = self._one_id(own) if own.common == (0, frozenset()) else None
        return None if alone is None else self._size(alone)

    def _distance(self, number: BitVec, own: Strides) -> Polynomial | None:
        """What the number of one work item of a message differs from that of another by less than."""
        alone = self._one_id(own)
        return self._size(alone) if alone is not None and counts_up(number, alone, self.integers) else None

    @staticmethod
    def _one_id(own: Strides) -> int | None:
        """The dimension, where a number is a local id and what all items have in common."""
        ((dimension, stride), *more) = own.by_digit.items()
        return dimension if not more and isinstance(dimension, int) and stride == {(): 1} else None

    def _are_integers(self, order: Order, more: Sequence[Bool]) -> bool:
        """Whether the strides are the integers of which the relations speak, as far as the sum has bits, and what
        numbers are divided by, and are below, altogether.
        """
        known = self._polynomials
        assert known is not None
        if not all(self.integers.is_exactly(word, one, more, self._guards) for word, one in order.exact.items()):
            return False
        bits = self.strides.bits
        for digit, stride in self.strides.by_digit.items():
            if not self._is_integer(stride, known[digit], bits, more):
                return False
        numbers = [self._of_ids(one) for one in {d.number for d in known if isinstance(d, Part)}]
        return all(
            one is not None and (first := one._first_order) is not None and one._are_integers(first, more)
            for one in numbers
        )

    def _is_integer(self, stride: Stride, known: Polynomial, bits: int, more: Sequence[Bool]) -> bool:
        """Whether the stride is the integer modulo 2^bits; of a product it is if its factors are."""
        integers, factors = self.integers, {one for each in stride for one in each}
        if any(len(each) > 1 for each in stride):
            named = [(one, integers.polynomial({(one,): 1}, uniform=True)) for one in factors]
            if all(one is not None and integers.is_exactly(word, one, more) for word, one in named):
                return True
        own = term_of(stride, bits)
        return integers.follows(eq(own, integers.word(known, bits)), (own,), more)
