"""Global ids of one access: what its guard keeps them below, and how small they are at least."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import cast

from msgspec import Struct, field

from visaproof.analysis.bounds.sizes.integers import Below
from visaproof.analysis.bounds.sizes.launch_integers import Counted, LaunchIntegers, conjuncts, least_of, wide
from visaproof.analysis.bounds.sizes.words.divided_words import PartsOfArguments
from visaproof.analysis.conflicts.any_lane import is_in_group
from visaproof.checking.stages import literals
from visaproof.launch.ids.work_items import GROUP_IDS, launched_lanes
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.exact_terms import Word
from visaproof.launch.relations.expressions import Name, Number, Relation
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.launch_names import GLOBAL
from visaproof.launch.relations.polynomials import Polynomial, plus, times, without_factors
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    add,
    conj,
    const,
    extract,
    mul,
    neg,
    sign_extend,
    sle,
    sub,
    symbols_of,
    ult,
    value_of,
    zero_extend,
)

MOST_SHIFT = 1 << 16
"""Of an id in a guard."""
SMALL = 1 << 31
"""Numbers below it are the same as signed ones."""
FEW_ITEMS = {each: Relation("<=", Name(f"{GLOBAL}_{each}"), Number(SMALL)) for each in DIMENSIONS}


class GlobalIds(Struct, dict=True):
    """Of the lane that makes an access, under its guard."""

    integers: LaunchIntegers
    guard: Bool
    lane: int | None
    arguments: Sequence[str]
    """May bound ids."""
    bounds: dict[int, str | None]
    """The argument that bounds the ids of a dimension, as the guard of the first access of the message says."""
    excluded: Callable[[Bool], bool]
    """Whether a condition cannot hold in the launches of the question."""
    used: set[str] = field(default_factory=set[str])
    """Arguments that bound something."""
    natural: set[str] = field(default_factory=set[str])
    """Arguments that are above an id, as signed numbers: none of them is negative."""
    small: set[str] = field(default_factory=set[str])
    """Global sizes up to SMALL, as guards compare ids as signed numbers."""
    shifted: list[Below] = field(default_factory=list[Below])
    """Under which sums that guards compare do not wrap."""
    _in_group: dict[int, bool] = field(default_factory=dict[int, bool])
    _found: dict[tuple[BitVec, str], list[tuple[int, int, int]]] = field(
        default_factory=dict[tuple[BitVec, str], list[tuple[int, int, int]]]
    )

    @cached_property
    def parts(self) -> PartsOfArguments:
        ids = frozenset(symbols_of(*GROUP_IDS, *(one for each in self.integers.launched.ids for one in each)))
        return PartsOfArguments(self.integers, self.guard, ids)

    def is_in_group(self, dimension: int) -> bool:
        """Whether the lane is one of a work item of the group."""
        if dimension not in self._in_group:
            self._in_group[dimension] = self._is_in_group(dimension)
        return self._in_group[dimension]

    def _is_in_group(self, dimension: int) -> bool:
        lane, launched = self.lane, self.integers.launched
        if lane is None or lane >= len(launched.on):
            return False
        on = launched_lanes(self.integers.names.kernel)[lane]
        return on in literals(self.guard) and is_in_group(launched, lane, dimension)

    def last(self, dimension: int) -> Polynomial:
        """The largest global id: i < n makes it n − 1, and i + k < n or i < n − k makes it less by k."""
        return self._last(self._global_id(dimension, dimension), self._bound(dimension))

    def last_of_tile(self, group: int, own: int) -> Polynomial | None:
        """The largest group · stride + id with the id of another dimension; None where no argument bounds it.

        As a transposition makes it, of groups that are as long in both dimensions.
        """
        sizes, stride = self.integers.launched.sizes, self.integers.strides[group]
        lengths = {value_of(stride), value_of(sizes[group]), value_of(sizes[own])}
        if len(lengths) != 1 or None in lengths or not self.is_in_group(own):
            return None
        word, whole = self._global_id(group, own), f"{GLOBAL}_{DIMENSIONS[group]}"
        found = next((name for name in self.arguments if self._says_below(word, name, whole)), None)
        if found is None:
            return None
        self.used.add(found)
        return self._last(word, found)

    def last_of_groups(self, dimension: int) -> Polynomial | None:
        """What group · stride is at most as an argument bounds what its ids are added to; None where none does."""
        tiles = (own for own in range(len(DIMENSIONS)) if own != dimension)
        if self.is_in_group(dimension) and self._bound(dimension) != f"{GLOBAL}_{DIMENSIONS[dimension]}":
            return self._without_id(self.last(dimension), dimension)
        found = ((own, self.last_of_tile(dimension, own)) for own in tiles)
        return next((self._without_id(last, own) for own, last in found if last is not None), None)

    def _without_id(self, last: Polynomial, own: int) -> Polynomial:
        """Less the id, where that is a number for the lane."""
        assert self.lane is not None
        return plus(last, {(): -(value_of(self.integers.launched.ids[self.lane][own]) or 0)})

    def _last(self, word: BitVec, name: str) -> Polynomial:
        less = 0
        for added, taken, bits in self._compared(word, name) if name in self.used else ():
            if less < added + taken:
                less = added + taken
                if added:  # i + k does not wrap
                    self.shifted.append(Below({(name,): 1, (): added - 1}, bits))
        return {(name,): 1, (): -1 - less}

    def _compared(self, word: BitVec, name: str) -> list[tuple[int, int, int]]:
        """What the guard says of the word and the name, which is asked for each sum."""
        if (word, name) not in self._found:
            self._found[word, name] = list(self._comparisons(word, name))
        return self._found[word, name]

    def _comparisons(self, word: BitVec, name: str) -> Iterator[tuple[int, int, int]]:
        """Of each i + k < n − l that the guard says k and l, and the bits of these numbers.

        What is signed does not wrap in n − l where n is at least 0, which of signed names is always asked.
        """
        number = self.integers.names.found(name).word
        own, most = number.term, MOST_SHIFT if number.signed else 1
        for one in self._said(number) if own.width == word.width else ():
            if one.op in (Op.ULT, Op.SLT):
                left, right = cast(tuple[BitVec, BitVec], one.args)
                if left.width != word.width:
                    continue
                added, taken = value_of(sub(left, word)), value_of(sub(own, right))
                if added is None or taken is None or added >= MOST_SHIFT or taken >= most:
                    continue
                if one.op is Op.SLT or not taken:
                    yield added, taken, own.width - (one.op is Op.SLT)

    def _said(self, number: Word) -> Iterator[Bool]:
        """What the guard says wherever the number is at least 0: numbers of 64 bits are compared by halves.

        high < sign(n)  or  high = sign(n) and low < n      where sign(n) is 0
        """
        yield from conjuncts(self.guard)
        if number.signed:
            last = number.term.width - 1
            sign = sign_extend(extract(number.term, last, last), number.term.width)
            for one in literals(self.guard):
                cases = [[*literals(cast(Bool, case))] for case in one.args] if one.op is Op.DISJ else []
                left = [case for case in cases if not any(each.op is Op.ULT and each.args[1] is sign for each in case)]
                if len(left) == 1:
                    yield from left[0]

    def least(self, dimension: int) -> int:
        return least_of(self.guard, self._global_id(dimension, dimension))

    def _bound(self, dimension: int) -> str:
        """What global ids are below: an argument if the guard says so, else the global size."""
        bounds, whole = self.bounds, f"{GLOBAL}_{DIMENSIONS[dimension]}"
        word = self._global_id(dimension, dimension)
        words = (name for name in self.parts.compared() if any(self._compared(word, name)))  # no solver is asked
        names = [*words, *self.arguments]
        if dimension in bounds:
            names = [name for name in (bounds[dimension],) if name is not None]
        found = next((name for name in names if self._says_below(word, name, whole)), None)
        found = found or next((name for name in names if self._is_below(word, name, whole)), None)
        bounds.setdefault(dimension, found)
        if found is None:
            return whole
        self.used.add(found)
        return found

    def _global_id(self, group: int, own: int) -> BitVec:
        assert self.lane is not None
        first = mul(GROUP_IDS[group], self.integers.strides[group])  # no global id needs more bits
        return add(first, zero_extend(self.integers.launched.ids[self.lane][own], first.width))

    def _is_below(self, word: BitVec, name: str, whole: str) -> bool:
        """Whether a solver shows that the guard says it, perhaps of signed numbers."""
        number, guard = self.integers.names.found(name), self.guard
        own, small = number.word.term, ult(word, const(SMALL, word.width))
        width = max(word.width, own.width)
        reaches = conj(guard, neg(ult(wide(word, width), wide(own, width))), *number.facts)
        if number.word.signed:
            reaches = conj(reaches, sle(const(0, own.width), own))
        if self.excluded(reaches):
            return True
        if self.excluded(conj(reaches, small)):
            self.small.add(whole)
            return True
        return False

    def _says_below(self, word: BitVec, name: str, whole: str) -> bool:
        """Whether it is one of the guard's own comparisons."""
        compared = [(taken, bits) for added, taken, bits in self._compared(word, name) if not added]
        if (0, word.width) in compared:
            return True
        if not any(bits < word.width for _, bits in compared):
            return False
        self.small.add(whole)
        own = self.integers.names.found(name).word.term
        if any(one.op is Op.SLT and one.args == (word, own) for one in conjuncts(self.guard)):
            self.natural.add(name)  # in any case: what `_said` adds and n − k rest on it
        return True


class TurnedIds(Struct):
    """Ids that are subtracted from what the guard keeps them below, as rows that are read backwards have them.

        i <= n − 1 − k   =>   q·(n − i)  =  q·(1 + k + t)      with 0 <= t <= n − 1 − k

    `i` is the global id of the lane, and `t` a name of its own, which is an integer that is at least 0.
    """

    ids: GlobalIds
    step: tuple[Polynomial, ...]
    """From one group to the next, in each dimension."""
    counted: tuple[Counted, ...]
    """How the local ids follow from their names."""
    most: dict[str, Polynomial] = field(default_factory=dict[str, Polynomial])
    """What those that were used are at most."""
    limits: list[Below] = field(default_factory=list[Below])
    """Under which the guard says it."""

    def turned(self, one: Polynomial) -> Polynomial:
        """The same sum with names for what an id is below its largest value, where that leaves no id subtracted."""
        for dimension in range(len(DIMENSIONS)):
            for part, count in list(self._subtracted(one, dimension)):
                whole = self._last(dimension)
                ((name, *_),) = (names for names in whole if names)
                if one.get(tuple(sorted((*part, name))), 0) >= count:
                    away = plus(whole, times(self._global_id(dimension), {(): -1}))
                    own: Polynomial = {(InnerName(Kind.TURNED, dimension),): 1}
                    one = plus(one, times(plus(own, times(away, {(): -1})), {part: count}))
                    self.most[InnerName(Kind.TURNED, dimension)] = whole
        return {part: count for part, count in one.items() if count}

    def _subtracted(self, one: Polynomial, dimension: int) -> Iterator[tuple[tuple[str, ...], int]]:
        """By what the global id is multiplied where it is subtracted, in both of its parts."""
        own, by = InnerName(Kind.ID, dimension), self.counted[dimension].times
        ((step, unit),) = self.step[dimension].items()
        for names, count in one.items():
            part = without_factors(names, (own,)) if count < 0 and not count % by else None
            if part is not None and own not in part and self.ids.is_in_group(dimension):
                of_group = one.get(tuple(sorted((*part, InnerName(Kind.GROUP, dimension), *step))), 0)
                if of_group == count // by * unit:
                    yield part, -count // by

    def _global_id(self, dimension: int) -> Polynomial:
        counted = self.counted[dimension]
        own: Polynomial = {(InnerName(Kind.ID, dimension),): counted.times, (): counted.first}
        return plus(times({(InnerName(Kind.GROUP, dimension),): 1}, self.step[dimension]), own)

    def _last(self, dimension: int) -> Polynomial:
        before = len(self.ids.shifted)
        found = self.ids.last(dimension)
        self.limits += self.ids.shifted[before:]
        return found
