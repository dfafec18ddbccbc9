"""Predicates that statements set or combine, symbolically."""

from collections.abc import Callable, Iterator, Sequence

from visaproof.decode.statement import lane_offset
from visaproof.isa.errors import NotModelled
from visaproof.isa.operands import Execution
from visaproof.machine.symbolic.operands import SymbolicOperands
from visaproof.machine.symbolic.thread import Thread
from visaproof.program.operands import PredicateTarget, Unlowered
from visaproof.program.statements import CombinePredicates, SetPredicate
from visaproof.semantics.symbolic.literals import Literals, literals_of
from visaproof.semantics.symbolic.value_names import OpenValue
from visaproof.smt import Bool, bit, bool_symbol, conj, disj, iff, is_false, neg, zero_extend
from visaproof.smt.halves.sums import as_order

HALF = 16
"""Page SETP: below 32 lanes "the lower/upper 16 dst elements are updated"."""

Lane = tuple[int, Literals, Literals]
"""A lane that may run, its guard, and what its values may take for granted."""


def lanes_of(thread: Thread, execution: Execution) -> list[Lane]:
    """The lanes that may be enabled."""
    lanes: list[Lane] = []
    for lane in range(execution.size):
        guard = thread.guard_of(execution, lane)
        if not is_false(guard):
            lanes.append((lane, literals_of(guard), thread.assumption(guard)))
    return lanes


class SymbolicPredicates:
    """Runs `setp`, and the logic opcodes on predicates."""

    def __init__(
        self,
        thread: Thread,
        operands: SymbolicOperands,
        told: Callable[[Bool, Literals], Bool] = lambda holds, _: holds,
    ) -> None:
        """`told` gives what else is known of a condition."""
        self._thread = thread
        self._operands = operands
        self._told = told

    def set(self, setp: SetPredicate) -> None:
        target, source, execution = setp.target, setp.source, setp.lanes
        if isinstance(target, Unlowered):
            raise NotModelled(target.what, target.position)
        first, read = lane_offset(execution), self._operands.reader(source)
        facts = self._thread.lanes.facts
        bits = self._thread.predicates.sizes[target.variable]
        if first % HALF:
            raise NotModelled("setp from another lane on than 0 or 16", setp.position)
        if source.is_scalar:  # Page SETP: every bit is set, whatever the mask
            if first + execution.size > bits:
                self._thread.lacks_bits(target.variable, first + execution.size, conj(*facts), written=True)
            word = zero_extend(read(0, facts).bits, 64)
            count = min(max(execution.size, HALF), bits - first)
            self.set_bits(target, [(first + k, facts) for k in range(count)], [bit(word, k) for k in range(count)])
            return
        if execution.size < min(HALF, bits - first):
            raise NotModelled("setp of a vector of fewer lanes than the predicate has bits", setp.position)
        lanes = lanes_of(self._thread, execution)
        lowest = [bit(read(lane, assumed).bits, 0) for lane, _, assumed in lanes]
        self.set_bits(target, [(first + lane, guard) for lane, guard, _ in lanes], lowest)

    def combine(self, statement: CombinePredicates) -> None:
        """Page AND and its like on predicates: each enabled lane has the bits that its place in the thread has."""
        lanes, first = lanes_of(self._thread, statement.lanes), lane_offset(statement.lanes)
        places = [(first + lane, guard) for lane, guard, _ in lanes]
        combined = _COMBINED[statement.operation.name]
        bits = [
            self._told(combined([self._bit(name, first + lane, assumed) for name in statement.sources]), assumed)
            for lane, _, assumed in lanes
        ]
        self.set_bits(PredicateTarget(statement.target), places, bits)

    def _bit(self, variable: str, place: int, assumed: Literals) -> Bool:
        if place >= self._thread.predicates.sizes[variable]:
            self._thread.lacks_bits(variable, place + 1, conj(*assumed))
        return self._thread.predicates.read_under(variable, place, assumed)

    def leave_open(
        self, target: PredicateTarget, execution: Execution, lanes: Sequence[Lane], sites: Iterator[str]
    ) -> None:
        """Sets a bit of each lane to anything: there is a site for each of them."""
        first = lane_offset(execution)
        bits = [bool_symbol(OpenValue(self._thread.name, next(sites))) for _ in lanes]
        self.set_bits(target, [(first + lane, guard) for lane, guard, _ in lanes], bits)

    def set_bits(self, target: PredicateTarget, places: Sequence[tuple[int, Literals]], bits: Sequence[Bool]) -> None:
        """Sets bits of a predicate where their guards hold."""
        variable, predicates = target.variable, self._thread.predicates
        for (place, guard), value in zip(places, bits, strict=True):
            if place < predicates.sizes[variable]:
                predicates.write_under(variable, place, value, guard)
            else:
                self._thread.lacks_bits(variable, place + 1, conj(*guard), written=True)


_COMBINED: dict[str, Callable[[Sequence[Bool]], Bool]] = {
    "and": lambda bits: conj(*bits),
    "or": lambda bits: as_order(disj(*bits)),
    "xor": lambda bits: neg(iff(bits[0], bits[1])),
    "not": lambda bits: neg(bits[0]),
}
