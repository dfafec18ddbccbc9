"""What a lane knows that has come back to the beginning of a loop: why it did not leave.

    do { … i += n; } while (i < m)      in each iteration but the first, i < m

The branch says it of what the iteration before left. That is what the next one finds: the condition holds of the
symbols that stand for it, if it is about nothing else that an iteration changes.

    do { … } while (i++ < m)            in each iteration but the first, i - 1 < m

Here it says it of what that iteration found, which is what it left less what it added.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product, zip_longest
from typing import NamedTuple, cast

from msgspec import Struct

from visaproof.machine.symbolic.loops.iteration import LoopWrites, lane_runs, left_in, words_of
from visaproof.machine.symbolic.loops.lane_marks import EVERY_LANE
from visaproof.machine.symbolic.loops.shrinking import at_most_first
from visaproof.semantics.symbolic.guarded import ByteWrite, GuardedRegisters
from visaproof.semantics.symbolic.literals import NONE, Literals, literals_of
from visaproof.semantics.symbolic.value_names import OfLoop, RegisterByte
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    concat,
    conj,
    const,
    disj,
    eq,
    is_false,
    is_true,
    linear_parts,
    sub,
    symbol,
    symbols_of,
    true,
    value_of,
)
from visaproof.smt.evaluate import consists_of
from visaproof.smt.halves.products import whole_word
from visaproof.smt.substitution import substitute

HALF_BITS = 32
"""Of a long counter."""

MOST_NAMES = 3
"""Variables that hold one value at the end of an iteration, and of which a condition is said."""

Registers = Mapping[str, list[ByteWrite | None]]
"""Contents of registers."""


class Counter(Struct, frozen=True):
    """A word that each iteration adds one amount to: `first` in the first later one, and in each `step` more."""

    word: BitVec
    """The symbol that stands for it in any of them; of 64 bits both halves side by side, of what stands for them."""
    first: BitVec
    step: BitVec
    lane: Bool | None
    """The symbol that says that its lane runs the iteration: one that has left no longer adds.  None: of all lanes."""


class CountedLoop(Struct, frozen=True):
    """The counters of a loop, and why lanes go on."""

    counters: tuple[Counter, ...]
    goes_on: Mapping[Bool, Literals]
    """By the symbol that says that a lane runs an iteration, what holds in each one after which it runs another."""

    def counters_of(self, guard: Literals) -> Iterator[Counter]:
        """Those that have added in each iteration up to one that has this guard."""
        return (one for one in self.counters if one.lane is None or one.lane in guard)

    def held(self, guard: Literals) -> Literals:
        """What of the guard has held in each iteration up to this one, and not only in this one."""
        own = [reasons for lane, reasons in self.goes_on.items() if lane in guard]
        if own:
            return guard & frozenset[Bool]().union(*own)
        return guard.intersection(*self.goes_on.values()) if self.goes_on else NONE


class Known(Struct, frozen=True):
    """What is known in each later iteration, by the symbol that says that a lane runs it."""

    lanes: Mapping[Bool, Bool]
    always: Bool
    """Whichever lanes run."""
    counted: CountedLoop = CountedLoop((), {})

    def with_it(self, guard: Bool) -> Bool:
        """The guard of an access in that iteration; one without a mask is not that of the lane with its number.

        What is known of whichever lane runs it holds where one lane or another does; else what is known of each.
        """
        if guard.op is Op.DISJ and is_true(self.always):
            return disj(*(self.with_it(one) for one in cast(tuple[Bool, ...], guard.args)))
        own = [self.lanes[one] for one in literals_of(guard) if one in self.lanes]
        return conj(guard, *(own or [self.always]))


NOTHING = Known({}, true())


class _Word(NamedTuple):
    """What iterations write of a variable."""

    left: BitVec
    """What an iteration leaves."""
    held: BitVec
    """What it found."""
    before: BitVec | None
    """What it was before the first later iteration, if it is known without another read."""


class LaterIteration(Struct, frozen=True):
    """An iteration that stands for later ones, run to its end."""

    name: str
    writes: LoopWrites
    found: Mapping[tuple[str, int, int], BitVec]
    """What words of single lanes held when it began, by (variable, first byte, lane)."""
    began: Sequence[Bool]
    """The lanes that run it."""
    again: Sequence[Bool]
    """Those that go on."""
    ended: Literals
    """That there are lanes that come to its end, as there are in each but the last one."""
    reached: Literals
    """That there were lanes before it."""
    fixed: frozenset[Term]
    """Symbols that no iteration changes."""
    used: frozenset[Term]
    """Those on which it depends what the iteration accesses, and who goes on."""
    came_back: bool
    """Whether all lanes have come by the branch, and none for the first time."""

    def known(self, registers: GuardedRegisters, before: Registers) -> Known:
        """What holds in every later iteration; `before` has what registers held before the first of them."""
        words = self._words(registers, before)
        known: dict[Bool, Bool] = {}
        held: dict[Bool, Literals] = {}
        of_all: Literals | None = None
        for lane, goes_on in enumerate(self.again):
            if is_false(self.began[lane]):
                continue
            reasons = literals_of(goes_on) - literals_of(self.began[lane])
            own = [*words.get(lane, ()), *words.get(EVERY_LANE, ())]
            told: list[Bool] = []
            if not is_false(goes_on):
                told += (one for reason in reasons for one in self._of_next(reason, own, lane))
                told += (one for word in own for one in at_most_first(*word))
            known[lane_runs(self.name, lane)] = conj(*told)
            held[lane_runs(self.name, lane)] = reasons.union(told)
            of_all = frozenset(told) if of_all is None else of_all & frozenset(told)
        every = ((lane, one) for lane, some in words.items() for one in some)
        counters = dict.fromkeys(found for each in every if (found := self._counter(*each)) is not None)
        counters |= dict.fromkeys(one for each in words.items() for one in self._long_counters(*each))
        return Known(known, conj(*(of_all or NONE)), CountedLoop(tuple(counters), held))

    def _words(self, registers: GuardedRegisters, before: Registers) -> dict[int, list[_Word]]:
        """By lane, those that iterations write of registers, and that are used."""
        reader, registers.reader = registers.reader, None
        rows: list[tuple[int, BitVec, BitVec, tuple[str, int, int]]] = []
        for variable, start, size, lane in words_of(self.writes):
            if lane != EVERY_LANE and is_false(self.again[lane]):
                continue
            own = symbol(OfLoop(self.name, RegisterByte(variable, start)), 8 * size)
            held = self.found.get((variable, start, lane), own)
            if self.used.isdisjoint(symbols_of(held)):
                continue
            guard = self.ended if lane == EVERY_LANE else literals_of(self.again[lane])
            left = left_in(registers, variable, start, size, guard)
            rows.append((lane, left, held, (variable, start, size)))
        now = registers.contents()
        registers.restore(before)
        words: dict[int, list[_Word]] = {}
        for lane, left, held, place in rows:
            guard = self.reached if lane == EVERY_LANE else literals_of(self.began[lane])
            is_known = registers.shows(*place, guard)
            words.setdefault(lane, []).append(
                _Word(left, held, left_in(registers, *place, guard) if is_known else None)
            )
        registers.restore(now)
        registers.reader = reader
        return words

    def _of_next(self, reason: Bool, words: Sequence[_Word], lane: int) -> Iterator[Bool]:
        """The reason, said of what the next iteration finds; nothing where it is about something else, too."""
        holders: dict[BitVec, list[_Word]] = {}
        for one in words:
            if value_of(one.left) is None:
                holders.setdefault(one.left, []).append(one)
        places: dict[Term, Term] = {
            left: symbol(OfLoop("", f"next{at}"), left.width) for at, left in enumerate(holders)
        }
        of_found: dict[Term, Term] = {}
        for one in words:
            if one.left in places and (own := self._own_symbol(one.held)) is not None:
                added = sub(one.left, own)  # with what stands beside the symbol
                if consists_of(added, self.fixed):
                    of_found[own] = sub(cast(BitVec, places[one.left]), added)
        if not consists_of(reason, self.fixed, places, of_found):
            return
        said = substitute(reason, {**of_found, **places})
        about = frozenset(symbols_of(said))
        if about.isdisjoint(places.values()):
            return
        for row in zip_longest(*(each[:MOST_NAMES] for each in holders.values())):
            finds = {places[left]: one or own[0] for (left, own), one in zip(holders.items(), row, strict=True)}
            found = substitute(said, {place: one.held for place, one in finds.items()})
            if self.came_back:
                yield found
                continue
            used = {place: one for place, one in finds.items() if place in about}
            first = {place: one.before for place, one in used.items() if one.before is not None}
            if len(first) < len(used):
                continue
            entered = substitute(said, first)
            if is_true(entered) or entered in literals_of(self.began[lane]):
                yield found
            else:
                yield disj(found, conj(*(eq(one.held, first[place]) for place, one in used.items())))

    def _long_counters(self, lane: int, words: Sequence[_Word]) -> Iterator[Counter]:
        """Those whose halves are two words: what the low one carries is added to the high one."""
        halves = [one for one in words if one.held.width == HALF_BITS and one.before is not None]
        counted = [(low, frozenset(symbols_of(low.held))) for low in halves if self._counter(lane, low) is not None]
        for high, (low, of_low) in product(halves, counted):
            if high is low or of_low.isdisjoint(symbols_of(high.left)) or high.before is None or low.before is None:
                continue
            held = concat(high.held, low.held)
            step = sub(whole_word(concat(high.left, low.left)), whole_word(held))
            if value_of(step) != 0 and consists_of(step, self.fixed):
                runs = None if lane == EVERY_LANE else lane_runs(self.name, lane)
                yield Counter(held, whole_word(concat(high.before, low.before)), step, runs)

    def _counter(self, lane: int, one: _Word) -> Counter | None:
        """The word as a counter, if it is one."""
        runs = None if lane == EVERY_LANE else lane_runs(self.name, lane)
        step = sub(one.left, one.held)
        own = self._own_symbol(one.held)
        if own is not None and own is not one.held:
            counter = Counter(own, const(0, own.width), step, runs)
        elif one.before is not None and one.held in linear_parts(one.held)[1]:
            counter = Counter(one.held, one.before, step, runs)
        else:
            return None
        return None if value_of(step) == 0 or not consists_of(step, self.fixed) else counter

    def _own_symbol(self, held: BitVec) -> BitVec | None:
        """What changes in a word: itself, or what is added in it once to what no iteration changes."""
        parts = linear_parts(held)[1]
        own = [part for part in parts if isinstance(part.payload, OfLoop) and part.payload.loop == self.name]
        return own[0] if len(own) == 1 and parts[own[0]] == 1 else None
