"""What counters hold behind a loop that ends where one of them is equal to something.

    i = f, f + c, …,  left where i = e,  j = g, g + m·c, …       =>      i = e  and  j = g + m·(e − f)  behind the loop

Modulo 2^width, and of the value that the last iteration leaves: it was compared, and whoever left last compared it.  A
lane that has left adds no more; what belongs to no one lane is what the last of them left.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from msgspec import Struct

from visaproof.machine.symbolic.loops.came_back import Counter
from visaproof.machine.symbolic.loops.iteration import LoopWrites, lane_runs, words_of
from visaproof.machine.symbolic.loops.lane_marks import EVERY_LANE
from visaproof.semantics.symbolic.guarded import GuardedRegisters, Writes
from visaproof.semantics.symbolic.literals import Literals, literals_of
from visaproof.semantics.symbolic.value_names import OfLoop, RegisterByte
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    is_false,
    linear_parts,
    mul,
    scale,
    sub,
    symbol,
    symbols_of,
    value_of,
)
from visaproof.smt.evaluate import consists_of
from visaproof.smt.substitution import substitute


class LoopExit(Struct, frozen=True):
    """Of a loop whose lanes leave it at the end of an iteration alone."""

    name: str
    held: Mapping[tuple[str, int, int], BitVec]
    """Words of single lanes, and quadwords of none, as any iteration finds them."""
    leaving: Sequence[Bool]
    """When each lane leaves."""
    running: Sequence[Bool]
    """The lanes that run it."""
    fixed: frozenset[Term]
    """Symbols that no iteration changes."""

    def write(
        self,
        counters: Sequence[Counter],
        writes: LoopWrites,
        reached: Literals,
        registers: GuardedRegisters,
        before: Writes,
    ) -> None:
        """Writes what is known behind the loop of the words that iterations write.

        It is run where it is `reached`; else those of no one lane are as they were `before`.
        """
        lanes = [place for place, one in enumerate(self.running) if not is_false(one)]
        known = {lane: dict(self._of_lanes(counters, lane_runs(self.name, lane), [lane])) for lane in lanes}
        known[EVERY_LANE] = dict(self._of_lanes(counters, None, lanes))
        for variable, start, size, lane in list(words_of(writes)):
            own = symbol(OfLoop(self.name, RegisterByte(variable, start)), 8 * size)
            value = self.held.get((variable, start, lane), own)
            if not (ends := known.get(lane)) or ends.keys().isdisjoint(symbols_of(value)):
                continue
            value = substitute(value, ends)
            if any(isinstance(one.payload, OfLoop) and one.payload.loop == self.name for one in symbols_of(value)):
                continue
            if lane == EVERY_LANE:
                registers.take_back(variable, range(start, start + size), before)
            registers.write_under(
                variable, start, value, reached if lane == EVERY_LANE else literals_of(self.running[lane])
            )

    def _of_lanes(
        self, counters: Sequence[Counter], runs: Bool | None, lanes: Sequence[int]
    ) -> Iterator[tuple[Term, Term]]:
        """What the counters are behind the loop that belong to these lanes alone, or to no one lane."""
        own = [one for one in counters if one.lane is runs and one.word.op is Op.SYMBOL]
        for leader in own:
            ends = [self._end(leader, lane) for lane in lanes]
            if not ends or (end := ends[0]) is None or any(one is not end for one in ends):
                continue
            for one in own:
                steps = _times(one.step, leader.step)
                if steps is not None and one.word.width == leader.word.width:
                    yield one.word, add(one.first, _product(steps, sub(end, leader.first)))
            return

    def _end(self, counter: Counter, lane: int) -> BitVec | None:
        """What the iteration leaves of it after which the lane leaves; None where that is not said.

        s + c + r = 0  is said      =>      s + c = −r  is left
        """
        for one in literals_of(self.leaving[lane]):
            if one.op is not Op.EQ or one.args[0].width != counter.word.width:
                continue
            left, right = cast(tuple[BitVec, BitVec], one.args)
            for rest in (sub(left, right), sub(right, left)):
                end = sub(add(counter.word, counter.step), rest)
                if linear_parts(rest)[1].get(counter.word) == 1 and consists_of(end, self.fixed):
                    return end
        return None


def _times(step: BitVec, unit: BitVec) -> BitVec | int | None:
    """How often a step has another one: a number, or any word where that is 1."""
    if (by := value_of(unit)) is None or not by:
        return 1 if step is unit else None
    value = value_of(step)
    if value is None:
        return step if by == 1 else None
    return None if value % by else value // by


def _product(times: BitVec | int, word: BitVec) -> BitVec:
    return scale(word, times) if isinstance(times, int) else mul(times, word)
