"""Predicates that statements set or combine, on terms."""

from collections.abc import Callable, Sequence

from visaproof.isa.errors import NotModelled
from visaproof.isa.operands import Execution
from visaproof.kernel.opcodes import is_scalar
from visaproof.kernel.statement import execution_of, lane_offset
from visaproof.kernel.symbolic.operands import SymbolicOperands
from visaproof.kernel.symbolic.thread import Thread
from visaproof.kernel.syntax import Instruction, Name
from visaproof.semantics.symbolic.guarded import Literals, literals_of
from visaproof.smt import Bool, bit, conj, disj, iff, is_false, neg, zero_extend

Lane = tuple[int, Literals, Literals]
"""A lane that may run, its guard, and what its values may take for granted."""


def lanes_of(thread: Thread, execution: Execution) -> list[Lane]:
    """The lanes that may be enabled."""
    lanes: list[Lane] = []
    for lane in range(execution.size):
        guard, known = thread.enabled(execution, lane)
        if not known:
            raise NotModelled(f"predicate {execution.predicate} has too few bits for {execution}")
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
        if is_scalar(source):  # Page SETP: every bit is set, whatever the mask
            word = zero_extend(read(0, facts).bits, 64)
            places = [(first + lane, facts) for lane in range(execution.size)]
            self.set_bits(target, places, [bit(word, lane) for lane in range(execution.size)])
            return
        lanes = lanes_of(self._thread, execution)
        bits = [bit(read(lane, assumed).bits, 0) for lane, _, assumed in lanes]
        self.set_bits(target, [(first + lane, guard) for lane, guard, _ in lanes], bits)

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
        self._require(name, place)
        return self._thread.predicates.read_under(name.name, place, assumed)

    def set_bits(self, target: Name, places: Sequence[tuple[int, Literals]], bits: Sequence[Bool]) -> None:
        """Sets bits of a predicate where their guards hold."""
        for (place, guard), value in zip(places, bits, strict=True):
            self._require(target, place)
            self._thread.predicates.write_under(target.name, place, value, guard)

    def _require(self, name: Name, place: int) -> None:
        if place >= self._thread.predicates.sizes[name.name]:
            raise NotModelled(f"{name.name} has no bit for lane {place}", name.position)


_COMBINED: dict[str, Callable[[Sequence[Bool]], Bool]] = {
    "and": lambda bits: conj(*bits),
    "or": lambda bits: disj(*bits),
    "xor": lambda bits: neg(iff(bits[0], bits[1])),
    "not": lambda bits: neg(bits[0]),
}
