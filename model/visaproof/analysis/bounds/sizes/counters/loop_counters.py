"""Counters of loops as integers: what a guard keeps them below, and under which limits they do not wrap.

    E + s < B in each iteration, s = 0, c, 2·c, …      s <= B - 1 - E      where E, c and B - 1 + c are below 2^bits

By induction: E + s <= B - 1 holds of s = 0, where E does not wrap.  The next sum is E + s + c <= B - 1 + c, which does
not wrap either, and of which the guard says again that it is below B.  So the guard has to be what each iteration says
that comes before another one; an `if` in the last one alone may be true of a counter that has wrapped.  Bits are those
of the comparison, one less where it is of signed numbers.  E is the same in all iterations: it has outer counters only.
What E adds up has to be below 2^bits, then; it may subtract more.  The word is E + s once that is in the range of such
numbers, and before that s is less than B - 1 - E as well.

Where all iterations but the first say it, as where one came back to the beginning of a loop that it need not have run
before, and the guard says it of the first value, all of them do.  Else the induction begins with s = c: E is at most
B - 1, of which s = 0 makes a condition, so that E + c does not wrap either.  Nor may s come round, to be at the first
iteration again: B - 1 - E + c has no more bits than the counter.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.analysis.bounds.sizes.counters.counted_down import counted_down
from visaproof.analysis.bounds.sizes.counters.held import said_of
from visaproof.analysis.bounds.sizes.counters.unrolled_counters import ends_of, with_sums
from visaproof.analysis.bounds.sizes.integers import Below, Half, Integers
from visaproof.analysis.bounds.sizes.launch_integers import conjuncts
from visaproof.analysis.bounds.sizes.sums import (
    added_and_subtracted,
    factor_of,
    is_more,
    is_unknown,
    less,
    without_names,
)
from visaproof.analysis.bounds.sizes.words.small_words import comparisons
from visaproof.checking.stages import literals
from visaproof.launch.relations.inner_names import InnerName, Kind, is_inner
from visaproof.launch.relations.polynomials import Polynomial, plus, times
from visaproof.machine.symbolic.loops.came_back import CountedLoop, Counter
from visaproof.semantics.symbolic.literals import Literals
from visaproof.semantics.symbolic.value_names import OfLoop
from visaproof.smt import BitVec, Bool, Op, Term, conj, signed_value, symbols_of, value_of
from visaproof.smt.halves.products import of_whole_words

_ONCE: Polynomial = {(): 1}
LONG = 63
"""Bits of what has to be no negative number, and may be as large as it is."""


class Bounded(Struct, frozen=True):
    """What a counter or a sum is at most where the limits hold; it is at least 0."""

    most: Polynomial
    limits: tuple[Below, ...]


class _Read(Struct, frozen=True):
    """A counter, as an integer above what it is first."""

    step: BitVec
    begins: Polynomial
    """The first value, which may have counters of outer loops."""
    first: tuple[Below, ...]
    """Under which limits the first value is what it is read as."""
    held: tuple[Bool, ...]
    """What has held in each iteration up to that of the access."""
    ends: tuple[tuple[BitVec, BitVec, int, int], ...] = ()
    """What it is at most since it goes on until it is equal to something."""
    later: tuple[Bool, ...] = ()
    """What has held in each iteration but the first."""
    bound: Bounded | None = None
    """What it is at most as it counts down."""


class LoopCounters(Struct, frozen=True, dict=True):
    """Those on which the address of an access may depend."""

    guard: Literals
    atoms: Mapping[Term, Polynomial]
    """Of the launch."""
    halves: Mapping[Term, Half]
    words: Mapping[Term, Polynomial]
    """What each counter is, modulo 2^width."""
    counters: Mapping[str, _Read]

    def reader(self) -> Integers:
        """Of words that may depend on them."""
        return Integers(self.atoms, self.halves, self.words)

    @staticmethod
    def of(
        loops: Sequence[CountedLoop],
        guard: Literals,
        address: BitVec,
        atoms: Mapping[Term, Polynomial],
        halves: Mapping[Term, Half],
        never: Callable[[Bool], bool] = lambda _: False,
    ) -> "LoopCounters":
        """Of the counters that occur in the address.

        One that no guard compares goes as many times as far as another one of its loop as its step is larger: both have
        added in the same iterations, as an address of 64 bits beside an index of 32, or one to which rows are added.

            i = i0 + c·k,  a = a0 + c·s·k   =>   a = a0 + s·(i − i0)      modulo 2^width, s a number or a sum

        So does the low half of a long one.
        """
        found, counters, parts = dict[Term, Polynomial](), dict[str, _Read](), dict(halves)
        used = _used(loops, guard, address)
        for loop in reversed(loops):  # the outer ones first
            held = tuple(one for whole in loop.held(guard) for one in literals(of_whole_words(whole)))
            held = with_sums(held, loops, guard)
            own = {one: _symbols(one) for one in loop.counters_of(guard)}
            if used.isdisjoint(chain.from_iterable(own.values())):
                continue
            compared = frozenset(symbols_of(*held))
            leader: tuple[str, int] | None = None
            of_long = dict[Term, str]()
            for one, symbols in sorted(own.items(), key=lambda each: _place(*each, compared)):
                if one.word in found or symbols.isdisjoint(used | compared):
                    continue
                reader, step = Integers(atoms, parts, found), _constant_step(one)
                said, later = said_of(one, held, guard)
                if symbols & compared and (down := counted_down(one, said, later, reader)) is not None:
                    name = InnerName(Kind.COUNTER, len(counters))
                    counters[name] = _Read(one.step, {}, (), (), bound=Bounded(down.most, down.limits))
                    found[one.word] = plus(down.beside, {(name,): 1})
                    continue
                if (begins := _first(one.first, reader)) is None:
                    continue
                follows = _followed(one, of_long, None if symbols & compared else leader, reader)
                if follows is not None:
                    name, factor = follows
                    counters[name] = replace(counters[name], first=(*counters[name].first, *reader.limits))
                else:
                    name, factor = InnerName(Kind.COUNTER, len(counters)), _ONCE
                    ends = tuple(ends_of(one, said, never))
                    counters[name] = _Read(one.step, begins, tuple(reader.limits), said, ends, later)
                    leader = leader or ((name, step) if step and symbols & compared else None)
                found[one.word] = plus(begins, times(factor, {(name,): 1}))
                if one.word.op is Op.CONCAT:
                    of_long |= dict.fromkeys(symbols, name)
                    parts |= _halves(one.word, found[one.word])
        return LoopCounters(guard, atoms, parts, found, counters)

    def bounded(self) -> dict[str, Bounded]:
        """What each is kept below, as far as it is."""
        found = ((name, self._bound(name, one)) for name, one in self.counters.items())
        return {name: bound for name, bound in found if bound is not None}

    def _bound(self, name: str, counter: _Read) -> Bounded | None:
        if counter.bound is not None:
            return counter.bound
        said = [(each, False, False) for each in comparisons(counter.held)]
        said += [(each, True, False) for each in comparisons(counter.later)]
        said += [(each, False, True) for each in counter.ends]
        for (word, bound, more, bits), but_first, to_equal in said:
            reader = self.reader()
            total = reader.read(word)
            if total is None or total.get((name,)) != 1:
                continue
            begins = {part: count for part, count in total.items() if part != (name,)}
            parts, limits = len(reader.limits), reader.limits
            last, step = reader.exact(bound, bits), self._step(reader, counter)
            if last is None or step is None or has_counter(last):
                continue
            if has_counter(less(begins, counter.begins)) or has_counter(less(counter.begins, begins)):
                continue
            last = plus(last, {(): more})
            next_one = [Below(_with(one.sum, name, step), one.bits) for one in limits[:parts]]
            added = begins if to_equal else added_and_subtracted(begins)[0]
            most = plus(last, times(begins, {(): -1}))
            own = [Below(added, bits), Below(plus(last, step), bits)]
            own += [Below(most, LONG), Below(plus(most, step), counter.step.width)] if but_first else []
            return Bounded(most, (*counter.first, *limits[parts:], *next_one, *own))
        return None

    def compared(self, one: Polynomial, *, less: bool = False) -> Bounded | None:
        """A sum that is at least as large, where the guard keeps parts of it below something: i + 5 in 4·(i + 5) + a.

        Of several such parts the longest one first, and arguments before elements of buffers.  Where that shows that
        the sum does not wrap, parts must be `less` than it by a number: of i + 5 the guard of the iteration before,
        i + 4 < n, which must not wrap either.
        """
        most, limits = one, list[Below]()
        left = [found for found in self._sums if not less or found[0].get((), 0) < one.get((), 0)]
        left.sort(key=lambda each: (len(each[0]), each[0].get((), 0), not _has(Kind.ELEMENT, each[1])), reverse=True)
        for part, last, needed in left:
            if factor := factor_of(most, part):
                most = plus(most, times(factor, plus(last, times(part, {(): -1}))))
                limits += needed
        return Bounded(most, tuple(limits)) if limits else None

    @cached_property
    def compared_words(self) -> list[tuple[BitVec, BitVec, int, int]]:
        """What the guard compares."""
        return [*comparisons(conjuncts(conj(*self.guard)))]

    @cached_property
    def differences(self) -> list[tuple[Polynomial, list[Below]]]:
        """What the guard says is at least 0, as sums, with the limits under which it says so."""
        found: list[tuple[Polynomial, list[Below]]] = []
        for word, bound, more, bits in self.compared_words:
            reader = self.reader()
            total, last = reader.exact(word, bits), reader.exact(bound, bits)
            if total is not None and last is not None:
                found.append((plus(plus(last, {(): more}), times(total, {(): -1})), reader.limits))
        return found

    @cached_property
    def _sums(self) -> list[tuple[Polynomial, Polynomial, list[Below]]]:
        """As sums; not i <= n beside i < n."""
        found = [each for words in self.compared_words if (each := self._sum(*words)) is not None]
        return [one for one in found if not any(one[0] == other[0] and is_more(one[1], other[1]) for other in found)]

    def _sum(
        self, word: BitVec, bound: BitVec, more: int, bits: int
    ) -> tuple[Polynomial, Polynomial, list[Below]] | None:
        """What is compared as a sum, with what that is at most and under which limits; ids bound no arguments."""
        reader = self.reader()
        total = {part: count for part, count in (reader.read(word) or {}).items() if count}
        if not any(total) or (last := reader.exact(bound, bits)) is None or has_counter(last):
            return None
        if not any(is_unknown(name) for part in total for name in part) and any(
            is_unknown(name) for part in last for name in part
        ):
            return None
        return total, plus(last, {(): more}), [*reader.limits, Below(total, bits)]

    def _step(self, reader: Integers, counter: _Read) -> Polynomial | None:
        value = value_of(counter.step)
        return None if value is not None and value >> (counter.step.width - 1) else reader.exact(counter.step)


def _first(word: BitVec, reader: Integers) -> Polynomial | None:
    """What a counter is first: a negative number where it is read as one, modulo 2^width then."""
    if number := value_of(word):
        return {(): signed_value(number, word.width)}
    limits = len(reader.limits)
    if (found := reader.read(word)) is not None and not _is_less(found):
        del reader.limits[limits:]
        return reader.exact(word)
    return found


def _is_less(one: Polynomial) -> bool:
    """Whether something is subtracted in it."""
    return any(count < 0 for count in one.values())


def _used(loops: Sequence[CountedLoop], guard: Literals, address: BitVec) -> frozenset[Term]:
    """Symbols of the address, and of what its counters begin by, which may be counters of outer loops."""
    used = {*symbols_of(address)}
    for one in (each for loop in loops for each in loop.counters_of(guard)):
        if not used.isdisjoint(_symbols(one)):
            used.update(symbols_of(one.first))
    return frozenset(used)


def _symbols(counter: Counter) -> frozenset[Term]:
    """What stands for it, or for its halves."""
    if counter.word.op is not Op.CONCAT:
        return frozenset((counter.word,))
    return frozenset(one for one in symbols_of(counter.word) if isinstance(one.payload, OfLoop))


def _followed(
    counter: Counter, of_long: Mapping[Term, str], leader: tuple[str, int] | None, reader: Integers
) -> tuple[str, Polynomial] | None:
    """The counter that it goes with, and how many times as far: the long one of which it is the low half, or a leader.

    None where it has a name of its own, as each that is compared by itself.
    """
    if (long := of_long.get(counter.word)) is not None:
        return long, _ONCE
    factor = None if leader is None else _times(counter.step, leader[1], reader)
    return None if leader is None or factor is None else (leader[0], factor)


def _place(counter: Counter, symbols: frozenset[Term], compared: frozenset[Term]) -> tuple[bool, bool]:
    """Long ones first, of which others are halves, and then what is compared."""
    return counter.word.op is not Op.CONCAT, symbols.isdisjoint(compared)


def _halves(word: BitVec, whole: Polynomial) -> dict[Term, Half]:
    """Those of a long counter."""
    high, low = cast(tuple[BitVec, BitVec], word.args)
    return {low: Half(whole, 0), high: Half(whole, low.width)}


def _constant_step(counter: Counter) -> int:
    """By how much each iteration makes it larger; 0 where that is no number."""
    value = value_of(counter.step)
    return 0 if value is None or value >> (counter.step.width - 1) else value


def _times(step: BitVec, unit: int, reader: Integers) -> Polynomial | None:
    """How often a step has one that is a number; None where it is no multiple of it, or less than 0."""
    value, limits = value_of(step), len(reader.limits)
    found = None if value is not None and value >> (step.width - 1) else reader.read(step)
    if found and not any(count % unit for count in found.values()):
        return {part: count // unit for part, count in found.items()}
    del reader.limits[limits:]
    return None


def _with(one: Polynomial, name: str, step: Polynomial) -> Polynomial:
    """A sum in the next iteration."""
    total: Polynomial = {}
    for part, count in one.items():
        whole: Polynomial = {(): count}
        for each in part:
            whole = times(whole, plus({(each,): 1}, step) if each == name else {(each,): 1})
        total = plus(total, whole)
    return total


def has_counter(one: Polynomial) -> bool:
    """Whether one stands in a sum."""
    return _has(Kind.COUNTER, one)


def _has(kind: Kind, one: Polynomial) -> bool:
    return any(is_inner(name, kind) for part in one for name in part)


def is_counter(name: str) -> bool:
    """Whether it stands for one."""
    return is_inner(name, Kind.COUNTER)


def without_counters(one: Polynomial, bounded: Mapping[str, Bounded], used: set[str]) -> Polynomial | None:
    """A sum that is at least as large and has no counters; None where one has no bound.  `used` gets their names."""
    counters = dict.fromkeys(name for part in one for name in part if is_counter(name))
    if any(name not in bounded for name in counters):
        return None
    used.update(counters)
    return without_names(one, {name: bounded[name].most for name in counters})
