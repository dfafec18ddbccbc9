"""Predicates that statements set or combine, symbolically."""

from collections.abc import Callable, Sequence

from visaproof.decode.statement import execution_of, lane_offset
from visaproof.isa.errors import NotModelled
from visaproof.isa.operands import Execution
from visaproof.machine.symbolic.operands import SymbolicOperands
from visaproof.machine.symbolic.thread import Thread
from visaproof.semantics.symbolic.guarded import Literals, literals_of
from visaproof.smt import Bool, bit, conj, disj, iff, is_false, neg, zero_extend
from visaproof.visaasm.opcode_kinds import is_scalar
from visaproof.visaasm.syntax import Instruction, Name

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

    def __init__(self, thread: Thread, operands: SymbolicOperands) -> None:
        self._thread = thread
        self._operands = operands

    def set(self, instruction: Instruction) -> None:
        target, source = instruction.operands
        if not isinstance(target, Name):
            raise NotModelled("setp of what is no predicate", target.position)
        execution = execution_of(instruction)
        first, read = lane_offset(execution), self._operands.reader(source)
        facts = self._thread.lanes.facts
        bits = self._thread.predicates.sizes[target.name]
        if first % HALF:
            raise NotModelled("setp from another lane on than 0 or 16", instruction.position)
        if is_scalar(source):  # Page SETP: every bit is set, whatever the mask
            if first + execution.size > bits:
                self._thread.lacks_bits(target.name, first + execution.size, conj(*facts), written=True)
            word = zero_extend(read(0, facts).bits, 64)
            count = min(max(execution.size, HALF), bits - first)
            self.set_bits(target, [(first + k, facts) for k in range(count)], [bit(word, k) for k in range(count)])
            return
        if execution.size < min(HALF, bits - first):
            raise NotModelled("setp of a vector of fewer lanes than the predicate has bits", instruction.position)
        lanes = lanes_of(self._thread, execution)
        lowest = [bit(read(lane, assumed).bits, 0) for lane, _, assumed in lanes]
        self.set_bits(target, [(first + lane, guard) for lane, guard, _ in lanes], lowest)

    def combine(self, instruction: Instruction) -> None:
        """Page AND and its like on predicates: each enabled lane has the bits that its place in the thread has."""
        names = [operand for operand in instruction.operands if isinstance(operand, Name)]
        if instruction.predicate is not None or len(names) != len(instruction.operands):
            raise NotModelled(f"{instruction.opcode} of predicates in this form", instruction.position)
        execution = execution_of(instruction)
        lanes, first = lanes_of(self._thread, execution), lane_offset(execution)
        places = [(first + lane, guard) for lane, guard, _ in lanes]
        bits = [
            _COMBINED[instruction.opcode]([self._bit(name, first + lane, assumed) for name in names[1:]])
            for lane, _, assumed in lanes
        ]
        self.set_bits(names[0], places, bits)

    def _bit(self, name: Name, place: int, assumed: Literals) -> Bool:
        if place >= self._thread.predicates.sizes[name.name]:
            self._thread.lacks_bits(name.name, place + 1, conj(*assumed))
        return self._thread.predicates.read_under(name.name, place, assumed)

    def set_bits(self, target: Name, places: Sequence[tuple[int, Literals]], bits: Sequence[Bool]) -> None:
        """Sets bits of a predicate where their guards hold."""
        for (place, guard), value in zip(places, bits, strict=True):
            if place < self._thread.predicates.sizes[target.name]:
                self._thread.predicates.write_under(target.name, place, value, guard)
            else:
                self._thread.lacks_bits(target.name, place + 1, conj(*guard), written=True)


_COMBINED: dict[str, Callable[[Sequence[Bool]], Bool]] = {
    "and": lambda bits: conj(*bits),
    "or": lambda bits: disj(*bits),
    "xor": lambda bits: neg(iff(bits[0], bits[1])),
    "not": lambda bits: neg(bits[0]),
}
