"""The symbolic state of one thread while a kernel runs: what footprints and arithmetic read."""

import operator
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar, cast

from msgspec.structs import replace

from visaproof.decode.statement import lane_offset
from visaproof.isa.execution import THREAD_LANES, Combine, ExecMask
from visaproof.isa.operands import CHANGING, Execution, RawOperand
from visaproof.machine.symbolic.lanes import Lanes
from visaproof.program.program import Program
from visaproof.semantics.symbolic.accesses import Access, Atomic, Cell, Load, Store
from visaproof.semantics.symbolic.beyond import Beyond
from visaproof.semantics.symbolic.cases import MOST_CHANGED, known_under, under
from visaproof.semantics.symbolic.guarded import GuardedRegisters
from visaproof.semantics.symbolic.guarded_bits import GuardedPredicates
from visaproof.semantics.symbolic.literals import Literals, literals_of
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.state import SymbolicState, SymbolicSurface
from visaproof.smt import BitVec, Bool, Term, bool_const, conj, const, disj, false, is_false, neg, sub, true, value_of
from visaproof.smt.halves.sums import recombined
from visaproof.smt.substitution import substitute_bools

T = TypeVar("T", bound=Term)

DWORD = 4


class Thread:
    """Registers, predicates and running lanes of one thread."""

    def __init__(
        self,
        program: Program,
        lanes: Lanes,
        initial: Callable[[str, int], Byte],
        initial_predicate: Callable[[str, int], Bool],
        name: str = "",
        beyond: Beyond | None = None,
    ) -> None:
        sizes = {name: one.size for name, one in program.storage.items()}
        self.program = program
        self.platform = program.platform
        self.lanes = lanes
        self.initial = initial
        self.name = name
        """Before the names of what is arbitrary: threads that are compared as one share no such value."""
        self.left_out: Collection[str] = ()
        """Variables that nothing writes, as what did is left out: of messages that read them, the words are not asked
        for lane by lane."""
        self.beyond = beyond or Beyond()
        self.registers = GuardedRegisters(sizes, initial, CHANGING, self.beyond)
        self.predicates = GuardedPredicates(dict(program.predicates), initial_predicate, self.beyond)

    def guard_of(self, execution: Execution, lane: int) -> Bool:
        """`ChEn[lane]` and that the thread is here."""
        mask = execution.mask
        assert isinstance(mask, ExecMask)
        running = self.lanes.reached if mask.no_mask else self.lanes.running[mask.lane_offset + lane]
        if execution.predicate is None:
            return running
        return conj(running, self.passes(execution, lane, self.assumption(running)))

    def enabled(self, execution: Execution, lane: int) -> tuple[Bool, bool]:
        """`ChEn[lane]` and that the thread is here; and whether the predicate has the bits for it (D3)."""
        if execution.predicate is None or self.beyond.tolerated or self._has_bits(execution):
            return self.guard_of(execution, lane), True
        return self.guard_of(replace(execution, predicate=None), lane), False

    def jumping(self, execution: Execution) -> list[Bool]:
        """Whether each lane of the thread jumps by a branch of these lanes, if it runs."""
        if execution.size == 1:  # Page GOTO: "all channels would either branch or not"
            return [self._jumps(execution, 0, true())] * THREAD_LANES
        first, jumping = lane_offset(execution), [false()] * THREAD_LANES
        for lane in range(first, first + execution.size):
            jumping[lane] = self._jumps(execution, lane - first, self.lanes.running[lane])
        return jumping

    def _jumps(self, execution: Execution, lane: int, running: Bool) -> Bool:
        """Whether a lane that is running jumps."""
        return true() if execution.predicate is None else self.passes(execution, lane, self.assumption(running))

    def passes(self, execution: Execution, lane: int, assumed: Literals) -> Bool:
        """Whether the predicate lets the lane through, where `assumed` holds (D4)."""
        predicate, mask = execution.predicate, execution.mask
        assert predicate is not None
        assert isinstance(mask, ExecMask)
        first = mask.lane_offset
        if not self._has_bits(execution):
            self.lacks_bits(predicate.variable, first + execution.size, conj(*assumed))
        window = range(execution.size) if predicate.combine is not Combine.PLAIN else (lane,)
        bits = [under(self.predicates.read_under(predicate.variable, first + k, assumed), assumed) for k in window]
        combined = disj(*bits) if predicate.combine is Combine.ANY else conj(*bits)
        return neg(combined) if predicate.inverse else combined

    def lacks_bits(self, variable: str, end: int, guard: Bool, *, written: bool = False) -> None:
        """Notes that bits below `end` are used that the predicate does not have."""
        places = range(self.predicates.sizes[variable], end)
        self.beyond.note(guard, variable, places, written=written, of_bits=True)

    def _has_bits(self, execution: Execution) -> bool:
        predicate, mask = execution.predicate, execution.mask
        assert predicate is not None
        assert isinstance(mask, ExecMask)
        return mask.lane_offset + execution.size <= self.predicates.sizes[predicate.variable]

    def assumption(self, guard: Bool) -> Literals:
        """What a value may take for granted that is only used where the guard holds."""
        return literals_of(guard) | self.lanes.facts


class ThreadState(SymbolicState, frozen=True, kw_only=True):
    """The thread as footprints see it."""

    thread: Thread
    read: dict[tuple[str, int, int, Bool | None], BitVec]
    """The words that were read before: a footprint asks for some of them once for each channel."""

    @staticmethod
    def of(thread: Thread, surfaces: Mapping[str, SymbolicSurface]) -> "ThreadState":
        return ThreadState(
            thread.platform, thread.lanes.running, thread.registers, {}, surfaces, thread=thread, read={}
        )

    def lanes_enabled(self, execution: Execution) -> list[tuple[Bool, Bool]]:
        lanes = (self.thread.enabled(execution, lane) for lane in range(execution.size))
        return [(guard, bool_const(known)) for guard, known in lanes]

    def read_bytes(self, operand: RawOperand, start: int, width: int, when: Bool | None = None) -> tuple[BitVec, bool]:
        first = operand.offset + start
        registers = self.thread.registers
        if not registers.holds(operand.variable, first, width):
            return const(0, 8 * width), False
        if when is not None and is_false(when):
            return const(0, 8 * width), True
        if operand.variable in self.thread.left_out and width == DWORD and first % DWORD == 0:
            return self.thread.initial(operand.variable, first)[0], True
        key = operand.variable, first, width, when
        if key not in self.read:
            assumed = self.thread.lanes.facts if when is None else self.thread.assumption(when)
            value = registers.read_under(operand.variable, first, width, assumed)
            self.read[key] = recombined(value) if width == 8 else value
        return self.read[key], True


def under_guards(accesses: Sequence[Access], assumption: Callable[[Bool], Literals]) -> tuple[Access, ...]:
    """Accesses simplified by what holds where they happen; those of one lane stay at constant distances.

    Where some of them are too large to be simplified, and others are not, all of the lane are, however large.
    """
    found = [under_guard(one, assumption(one.guard)) for one in accesses]
    first: dict[int, BitVec] = {}
    parted = set[int]()
    for one in found:
        if one.lane is not None:
            last = one.cell[-1]
            begin = first.setdefault(one.lane, last)
            if last is not begin and (last.width != begin.width or value_of(sub(last, begin)) is None):
                parted.add(one.lane)
    if not parted:
        return tuple(found)
    pairs = zip(accesses, found, strict=True)
    return tuple(
        under_guard(one, assumption(one.guard), sys.maxsize) if one.lane in parted else done for one, done in pairs
    )


def under_guard(access: Access, assumed: Literals, most: int = MOST_CHANGED) -> Access:
    """The access with its terms simplified by what holds whenever it happens.

    Footprints that read a register without saying when still find choices between what a lane wrote and what was
    there before.
    """
    match access:
        case Store():
            data = (access.value,)
        case Atomic():
            data = (access.src0, access.src1)
        case Load():
            data = ()
    before = (*access.cell, access.inside, access.defined, *data)
    after = substitute_bools(before, known_under(assumed), most)
    if all(map(operator.is_, before, after)):
        return access
    size = len(access.cell)
    cell, inside, defined = cast(Cell, tuple(after[:size])), cast(Bool, after[size]), cast(Bool, after[size + 1])
    words = cast(list[BitVec], after[size + 2 :])
    match access:
        case Store():
            return replace(access, cell=cell, inside=inside, defined=defined, value=words[0])
        case Atomic():
            return replace(access, cell=cell, inside=inside, defined=defined, src0=words[0], src1=words[1])
        case Load():
            return replace(access, cell=cell, inside=inside, defined=defined)
