"""A loop of which it is not known how often it runs: one iteration that stands for all later ones.

What an iteration may write is arbitrary before it, so it says what every later iteration says, whatever the earlier
ones left.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.decode.surfaces import StateElement
from visaproof.decode.synchronisation import Moment
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.execution import THREAD_LANES
from visaproof.machine.symbolic.loops.lane_marks import EVERY_LANE, LaneMarks
from visaproof.machine.symbolic.private import PrivateCell, PrivateMemory, PrivateStore
from visaproof.semantics.symbolic.guarded import GuardedRegisters, Writes, Written
from visaproof.semantics.symbolic.guarded_bits import GuardedPredicates
from visaproof.semantics.symbolic.literals import NONE, Literals, literals_of
from visaproof.semantics.symbolic.value_names import OfLoop, PredicateBit, RegisterByte
from visaproof.smt import BitVec, Bool, Term, add, bool_symbol, conj, disj, false, is_false, sub, symbol, symbols_of
from visaproof.smt.halves.sums import recombined

DWORD, QWORD = 4, 8

Key = TypeVar("Key")
Item = TypeVar("Item")

Place = tuple[str, int]
"""A byte of a variable, or a lane of a predicate."""


class LoopWrites(Struct):
    """What an iteration may write of registers, predicates and private memory, and under the guard of which lanes."""

    registers: dict[Place, set[int]] = field(default_factory=dict[Place, set[int]])
    predicates: dict[Place, set[int]] = field(default_factory=dict[Place, set[int]])
    addresses: set[Place] = field(default_factory=set[Place])
    """Address registers."""
    private: dict[PrivateCell, set[int]] = field(default_factory=dict[PrivateCell, set[int]])
    """The cells of private memory: they are the same in every iteration."""
    anywhere: bool = False
    """Whether it may write anything in private memory: some address may be another one in each iteration."""
    bound: dict[StateElement, set[str]] = field(default_factory=dict[StateElement, set[str]])
    """The surfaces that elements of surface variables may be bound to, where that is another one than before."""
    shifts: set[str] = field(default_factory=set[str])
    """Variables whose elements all differ by one amount from what they were before the loop; a guess until `tried`.

    Counters are, as in `i += n`: a lane that is still in the loop has been through every iteration.  A quadword of no
    one lane differs by an amount of its own, as a pointer to which a loop adds: it points into the same buffer.
    """

    tried: bool = False
    """Whether shifts were looked for in an iteration that stands for others."""
    wide: frozenset[str] = frozenset()
    """Variables of quadwords: what is written of these is one word, as a pointer to which a loop adds is."""

    def copy(self) -> "LoopWrites":
        """The same, to be improved by itself."""
        fresh = LoopWrites(shifts=set(self.shifts), tried=self.tried, wide=self.wide)
        fresh._add(self)
        return fresh

    def improve(self, written: "LoopWrites", shifted: set[str]) -> bool:
        """Takes in what an iteration wrote and shifted; whether another iteration has to confirm it."""
        if not self._covers(written):
            self._add(written)
            return True
        if not self.tried:
            guessed, self.tried, self.shifts = self.shifts, True, shifted
            return shifted != guessed
        confirmed = self.shifts <= shifted
        self.shifts &= shifted
        return not confirmed

    def _covers(self, other: "LoopWrites") -> bool:
        return (
            _within(other.registers, self.registers)
            and _within(other.predicates, self.predicates)
            and _within(other.private, self.private)
            and _within(other.bound, self.bound)
            and other.addresses <= self.addresses
            and other.anywhere <= self.anywhere
        )

    def _add(self, other: "LoopWrites") -> None:
        _join(self.registers, other.registers)
        _join(self.predicates, other.predicates)
        _join(self.private, other.private)
        _join(self.bound, other.bound)
        self.addresses |= other.addresses
        self.anywhere |= other.anywhere


def keep_changes(written: LoopWrites, facts: Literals, registers: GuardedRegisters, before: Writes) -> None:
    """Leaves out the words of no one lane that an iteration leaves as it found them, as calls do a stack pointer.

    v before the loop, and after an iteration that begins with v:  v before and after all iterations, by induction.
    """
    for variable, start, size, lane in list(words_of(written)):
        if lane == EVERY_LANE and registers.stays((variable, start, size), facts, before):
            for byte in range(start, start + size):
                del written.registers[variable, byte]


def _within(some: Mapping[Key, set[Item]], others: Mapping[Key, set[Item]]) -> bool:
    return all(lanes <= others.get(place, set()) for place, lanes in some.items())


def _join(mine: dict[Key, set[Item]], theirs: Mapping[Key, set[Item]]) -> None:
    for place, lanes in theirs.items():
        mine.setdefault(place, set()).update(lanes)


class Held(NamedTuple):
    """What a word or a bit that iterations write holds: before the loop, in any iteration, after it, behind."""

    before: Term
    during: Term
    """Arbitrary."""
    after: Term
    """By what it holds during the iteration, for lanes that go on."""
    ended: Term
    """The same for all lanes: some may have left the loop in the middle."""
    left: Term
    """Uninterpreted, too: what some iteration left."""
    lane: int
    """The lane that alone writes it; or `EVERY_LANE`."""


class LoopIteration(Struct, frozen=True):
    """One iteration that stands for all but the first, with what a comparison with another kernel needs."""

    branch: Position
    begins: Moment
    """What came before the iteration."""
    ends: Moment
    """What came before that which is behind the loop."""
    held: tuple[Held, ...]
    lanes: tuple[Held, ...]
    """Of each lane, whether it runs: the loop, any iteration, and the iteration after that."""
    exits: tuple[tuple[Held, ...], ...] = ()
    """Of each place where lanes leave to, if there are several, and of each lane, whether it leaves the loop there: a
    symbol, and of an iteration the condition."""
    ended_before: int = 0
    """How many loops had ended before this one began: those from there on that ended before it are within it."""

    def changed(self, change: Callable[[tuple[Held, ...]], tuple[Held, ...]]) -> "LoopIteration":
        """The same with a change of all that is held."""
        exits = tuple(map(change, self.exits))
        return replace(self, held=change(self.held), lanes=change(self.lanes), exits=exits)

    @property
    def first(self) -> int:
        """How many messages came before the iteration."""
        return self.begins.messages

    @property
    def behind(self) -> int:
        """How many came before what is behind the loop."""
        return self.ends.messages


def words_of(writes: LoopWrites) -> Iterator[tuple[str, int, int, int]]:
    """What iterations write of variables: (variable, first byte, bytes, lane), with `EVERY_LANE` for no one lane.

    The bytes of a word are those of a dword, or quadword, that are written by the same lane.
    """
    by_word: dict[tuple[str, int, int], list[int]] = {}
    for (variable, position), lanes in writes.registers.items():
        lane = min(lanes) if len(lanes) == 1 else EVERY_LANE
        unit = QWORD if variable in writes.wide else DWORD
        by_word.setdefault((variable, position // unit, lane), []).append(position)
    for (variable, _, lane), positions in by_word.items():
        positions.sort()
        if positions[-1] - positions[0] == len(positions) - 1:
            yield variable, positions[0], len(positions), lane
        else:
            yield from ((variable, position, 1, lane) for position in positions)


def owners(writes: LoopWrites) -> list[int]:
    """Of each cell of private memory that iterations write the lane that alone does it, or `EVERY_LANE`."""
    return [min(lanes) if len(lanes) == 1 else EVERY_LANE for lanes in writes.private.values()]


def guard_of(lane: int, running: Sequence[Bool], facts: Literals) -> Literals:
    """What is known where a lane runs and the facts hold; of no one lane, where these hold."""
    return facts if lane == EVERY_LANE else literals_of(running[lane]) | facts


def in_round(name: str, running: Sequence[Bool]) -> tuple[Bool, ...]:
    """Any of the running lanes: those that are still in the loop in one of the later iterations."""
    return tuple(guard if is_false(guard) else conj(guard, lane_runs(name, lane)) for lane, guard in enumerate(running))


def lane_runs(name: str, lane: int) -> Bool:
    """Whether a lane runs the iteration that stands for the later ones."""
    return bool_symbol(OfLoop(name, f"lane{lane}"))


def lane_leaves(name: str, place: int, lane: int) -> Bool:
    """Whether a lane leaves the loop to this place, in one of its iterations."""
    return bool_symbol(OfLoop(name, f"exit{place}.lane{lane}"))


def ending(exits: Mapping[int, Iterable[Bool]], behind: int, lanes: Iterable[Bool]) -> dict[int, list[Bool]]:
    """The places where lanes leave an iteration, in order, with the one that these leave to at its end."""
    ends = list(lanes)
    also = list(map(disj, exits.get(behind, repeat(false())), ends))
    return {place: list(one) for place, one in sorted({**exits, behind: also}.items())}


def exits_of(name: str, exits: Mapping[int, Sequence[Bool]]) -> tuple[tuple[Held, ...], ...]:
    """Of each place and lane whether it leaves the loop to there, where there is more than one such place.

    Raises NotModelled where there is none: of what never ends nothing is said.
    """
    if not exits:
        raise NotModelled("a loop that no lane leaves")
    if len(exits) == 1:
        return ()
    return tuple(
        tuple(
            Held(false(), taken := lane_leaves(name, place, lane), now, now, taken, lane)
            for lane, now in enumerate(leaving)
        )
        for place, leaving in exits.items()
    )


def round_writes(
    name: str,
    registers: Iterable[Written],
    predicates: Iterable[Written],
    private: Iterable[PrivateStore],
    fixed: frozenset[Term],
) -> LoopWrites:
    """What was written in an iteration whose lanes are those of `in_round(name, …)`; none changes what is `fixed`."""
    marks = LaneMarks({lane: frozenset((lane_runs(name, lane),)) for lane in range(THREAD_LANES)})
    found = writes_of(marks, registers, predicates)
    for guard, at, value in private:
        if value is None or not fixed.issuperset(symbols_of(at)):
            found.anywhere = True
        else:
            found.private.setdefault((at, value.width // 8), set()).add(marks.lane(guard))
    return found


def writes_of(marks: LaneMarks, registers: Iterable[Written], predicates: Iterable[Written]) -> LoopWrites:
    """What was written of registers and predicates, by lanes whose guards have their marks."""
    found = LoopWrites()
    for places, log in ((found.registers, registers), (found.predicates, predicates)):
        for variable, start, size, guard in log:
            lane = marks.lane(guard)
            for position in range(start, start + size):
                places.setdefault((variable, position), set()).add(lane)
    return found


def havoc_private(name: str, writes: LoopWrites, running: Sequence[Literals], memory: PrivateMemory) -> None:
    """Makes arbitrary what the iterations may have written in private memory."""
    if writes.anywhere:
        memory.havoc()
    memory.blur(name, {cell: _guard(lanes, running) for cell, lanes in writes.private.items()})


def _guard(lanes: set[int], running: Sequence[Literals]) -> Literals:
    """What holds wherever the iterations have written: that the lane ran them, if it was one lane."""
    return running[min(lanes)] if len(lanes) == 1 and EVERY_LANE not in lanes else NONE


def havoc(
    name: str,
    writes: LoopWrites,
    running: Sequence[Literals],
    registers: GuardedRegisters,
    predicates: GuardedPredicates,
    entered: Literals = NONE,
    facts: Literals = NONE,
) -> dict[tuple[str, int, int], BitVec]:
    """Makes arbitrary what the iterations may have written, for the lanes that ran them; `running` has their guards.

    What is not one lane's alone becomes so where the iterations are `entered` at all; `facts` hold here.  Gives what
    belongs to single lanes, and quadwords of none, as (variable, first byte, lane), and what they hold now.
    """
    held: dict[tuple[str, int, int], BitVec] = {}
    for variable, start, size, lane in list(words_of(writes)):
        guard = entered if lane == EVERY_LANE else running[lane]
        value = symbol(OfLoop(name, RegisterByte(variable, start)), 8 * size)
        if variable in writes.shifts:
            amount = value if lane == EVERY_LANE else symbol(OfLoop(name, f"{variable}.shift"), 8 * size)
            value = add(left_in(registers, variable, start, size, facts if lane == EVERY_LANE else guard), amount)
        registers.write_under(variable, start, value, guard)
        if lane != EVERY_LANE or size == QWORD:
            held[variable, start, lane] = value
    for (variable, position), lanes in writes.predicates.items():
        guard = _guard(lanes, running) or entered
        predicates.write_under(variable, position, bool_symbol(OfLoop(name, PredicateBit(variable, position))), guard)
    return held


def left_in(registers: GuardedRegisters, variable: str, start: int, size: int, guard: Literals) -> BitVec:
    """What is left in a word: a quadword that was moved in halves is the sum that it is."""
    left = registers.read_under(variable, start, size, guard)
    return recombined(left) if size == QWORD else left


def shifts(
    before: Mapping[tuple[str, int, int], BitVec],
    running: Sequence[Bool],
    facts: Literals,
    registers: GuardedRegisters,
) -> set[str]:
    """The variables to whose elements an iteration added one amount in every lane that goes on.

    Of no one lane those count to which it added what depends on no other quadword, which may be another pointer.
    """
    amounts: dict[str, BitVec] = {}
    shifted, differing = set[str](), set[str]()
    for (variable, start, lane), held in before.items():
        if variable in differing or (lane != EVERY_LANE and is_false(running[lane])):  # to read a word takes long
            continue
        guard = facts if lane == EVERY_LANE else literals_of(running[lane])
        amount = sub(left_in(registers, variable, start, held.width // 8, guard), held)
        if lane == EVERY_LANE:
            is_shift = all(one.width < held.width for one in symbols_of(amount) if isinstance(one, BitVec))
            (shifted if is_shift else differing).add(variable)
        elif variable not in amounts:
            amounts[variable] = amount
        else:
            (shifted if amount is amounts[variable] else differing).add(variable)
    return shifted - differing
