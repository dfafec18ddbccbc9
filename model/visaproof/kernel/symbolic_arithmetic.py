"""Statements that compute, on terms: sources of all lanes first, then their destinations (D36)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from visaproof.isa.errors import NotModelled
from visaproof.isa.operands import Execution
from visaproof.isa.types import DataType
from visaproof.kernel.opcodes import DESTINATIONS, Kind, boolean_table, is_scalar, kind_of
from visaproof.kernel.statement import execution_of, lane_offset, without_mask, without_predicate
from visaproof.kernel.symbolic_operands import Reader, SymbolicOperands
from visaproof.kernel.symbolic_thread import Thread
from visaproof.kernel.syntax import Instruction, Name, Operand, SubscriptedName
from visaproof.semantics.symbolic import alu
from visaproof.semantics.symbolic.alu import Source
from visaproof.semantics.symbolic.guarded import Literals, literals_of
from visaproof.smt import BitVec, Bool, bit, bool_symbol, concat, const, is_false, ite, symbol, zero_extend

Lane = tuple[int, Literals, Literals]
"""A lane that may run, its guard, and what its values may take for granted."""

_Pair = tuple[BitVec, BitVec]

CONTROL = "%cr0"


@dataclass(frozen=True, slots=True)
class Arbitrary:
    """A value that the model leaves open: a float result, a saturated one, bytes that a page leaves undefined."""

    symbol: BitVec | Bool
    instruction: Instruction
    lane: int | None
    reason: str
    operands: tuple[Source, ...] | None = None
    """What it is a function of, together with the opcode, the types and `control`; None where it may be anything."""
    result: DataType | None = None
    """The type of a value that is such a function; None for a comparison."""
    control: BitVec | None = None
    """The control register, which says how floats are rounded."""
    origin: "SamplerOrigin | None" = None
    """Of a read through the sampler: what it depends on beside its operands, which are coordinates."""


@dataclass(frozen=True, slots=True)
class SamplerOrigin:
    """The image, how it is read, and which of its channels this is."""

    surface: str
    sampler: str
    slot: int


class SymbolicArithmetic:
    """Runs arithmetic, comparisons, predicate settings and address computations."""

    def __init__(self, thread: Thread, operands: SymbolicOperands) -> None:
        self._thread = thread
        self._operands = operands
        self.arbitrary: list[Arbitrary] = []

    def step(self, instruction: Instruction) -> None:
        match kind_of(instruction, frozenset()):
            case Kind.COMPARE:
                self._compare(instruction)
            case Kind.SET_PREDICATE:
                self._set_predicate(instruction)
            case Kind.ADDRESS:
                self._address(instruction)
            case _ if instruction.opcode in DESTINATIONS or instruction.opcode == "madw":
                self._two_results(instruction)
            case _ if instruction.opcode == "sel":
                self._select(instruction)
            case _ if instruction.opcode == "mov" and isinstance(instruction.operands[1], Name):
                self._mov_predicate(instruction, instruction.operands[1])
            case _:
                self._one_result(instruction)

    def lanes(self, execution: Execution) -> list[Lane]:
        """The lanes that may be enabled."""
        lanes: list[Lane] = []
        for lane in range(execution.size):
            guard, known = self._thread.enabled(execution, lane)
            if not known:
                raise NotModelled(f"predicate {execution.predicate} has too few bits for {execution}")
            if not is_false(guard):
                lanes.append((lane, literals_of(guard), self._thread.assumption(guard)))
        return lanes

    def fresh(
        self,
        instruction: Instruction,
        lane: int | None,
        width: int,
        reason: str,
        operands: tuple[Source, ...] | None = None,
        result: DataType | None = None,
        origin: SamplerOrigin | None = None,
    ) -> BitVec:
        """An arbitrary value in place of one that the model leaves open."""
        name = f"{self._thread.name}arbitrary.{instruction.position.line}.{len(self.arbitrary)}"
        value = symbol(name, width)
        control = None if operands is None else self._control()
        self.arbitrary.append(Arbitrary(value, instruction, lane, reason, operands, result, control, origin))
        return value

    def _control(self) -> BitVec | None:
        registers = self._thread.registers
        if not registers.holds(CONTROL, 0, 4):
            return None
        return registers.read_under(CONTROL, 0, 4, self._thread.lanes.facts)

    def _write(self, target: Operand, lanes: Sequence[Lane], values: Sequence[BitVec], extra_bytes: int = 0) -> None:
        write = self._operands.writer(target, extra_bytes)
        for (lane, guard, _), value in zip(lanes, values, strict=True):
            write(lane, value, guard)

    def _readers(self, instruction: Instruction, first: int) -> list[Reader]:
        return [self._operands.reader(operand) for operand in instruction.operands[first:]]

    def _one_result(self, instruction: Instruction) -> None:
        target = instruction.operands[0]
        result = self._operands.destination_type(target)
        readers = self._readers(instruction, 1)
        compute = self._operation(instruction)
        lanes = self.lanes(execution_of(instruction))
        values: list[BitVec] = []
        for lane, _, assumed in lanes:
            sources = [read(lane, assumed) for read in readers]
            if _copies(instruction, sources[0], result):
                values.append(sources[0].bits)
            elif compute is None or "sat" in instruction.suffixes or _floats(sources, result):
                reason = _reason(instruction, sources, result)
                values.append(self.fresh(instruction, lane, result.bits, reason, tuple(sources), result))
            else:
                values.append(compute(sources, result))
        self._write(target, lanes, values)

    def _operation(self, instruction: Instruction) -> Callable[[Sequence[Source], DataType], BitVec] | None:
        """What the opcode computes on integers, if that is modelled."""
        if instruction.opcode == "bfn":
            table = boolean_table(instruction)
            return lambda sources, result: alu.boolean_function(table, sources, result)
        return alu.OPERATIONS.get(instruction.opcode)

    def _select(self, instruction: Instruction) -> None:
        execution = execution_of(instruction)
        if execution.predicate is None:
            raise NotModelled("sel without a predicate", instruction.position)
        target = instruction.operands[0]
        result = self._operands.destination_type(target)
        readers = self._readers(instruction, 1)
        lanes = self.lanes(without_predicate(execution))
        values: list[BitVec] = []
        for lane, _, assumed in lanes:
            first, second = (self._as_result(read(lane, assumed), instruction, lane, result) for read in readers)
            values.append(ite(self._thread.passes(without_mask(execution), lane, assumed), first, second))
        self._write(target, lanes, values)

    def _as_result(self, source: Source, instruction: Instruction, lane: int, result: DataType) -> BitVec:
        if _copies(instruction, source, result):
            return source.bits
        if _floats((source,), result) or "sat" in instruction.suffixes:
            reason = _reason(instruction, (source,), result)
            return self.fresh(instruction, lane, result.bits, reason, (source,), result)
        return alu.OPERATIONS["mov"]((source,), result)

    def _two_results(self, instruction: Instruction) -> None:
        execution = execution_of(instruction)
        readers = self._readers(instruction, DESTINATIONS.get(instruction.opcode, 1))
        lanes = self.lanes(execution)
        pairs: list[_Pair] = []
        for lane, _, assumed in lanes:
            sources = [read(lane, assumed) for read in readers]
            if _floats(sources, DataType.UD):
                raise NotModelled(f"{instruction.opcode} on floats", instruction.position)
            pairs.append(_TWO_RESULTS[instruction.opcode](sources))
        first, second = instruction.operands[0], instruction.operands[1]
        self._write(first, lanes, [low for low, _ in pairs])
        highs = [high for _, high in pairs]
        if instruction.opcode != "madw":
            self._write(second, lanes, highs)
        else:  # Page MADW: "the high 32b of results are stored in the high GRFs"
            register = self._thread.platform.grf_bytes
            self._write(first, lanes, highs, (4 * execution.size + register - 1) // register * register)

    def _compare(self, instruction: Instruction) -> None:
        execution = execution_of(instruction)
        target = instruction.operands[0]
        left_reader, right_reader = self._readers(instruction, 1)
        lanes = self.lanes(execution)
        holds: list[Bool] = []
        for lane, _, assumed in lanes:
            left, right = left_reader(lane, assumed), right_reader(lane, assumed)
            if left.type.floating or right.type.floating:
                holds.append(self._fresh_bit(instruction, lane, (left, right)))
            else:
                holds.append(alu.compare(instruction.suffixes[0], left, right))
        if isinstance(target, Name):
            self._set_bits(target, [(lane_offset(execution) + lane, guard) for lane, guard, _ in lanes], holds)
            return
        width = self._operands.destination_type(target).bits
        self._write(target, lanes, [ite(one, const(-1, width), const(0, width)) for one in holds])

    def _fresh_bit(self, instruction: Instruction, lane: int, operands: tuple[Source, ...]) -> Bool:
        value = bool_symbol(f"{self._thread.name}arbitrary.{instruction.position.line}.{len(self.arbitrary)}")
        self.arbitrary.append(
            Arbitrary(value, instruction, lane, "a comparison of floats", operands, None, self._control())
        )
        return value

    def _set_bits(self, target: Name, places: Sequence[tuple[int, Literals]], bits: Sequence[Bool]) -> None:
        for (place, guard), value in zip(places, bits, strict=True):
            if place >= self._thread.predicates.sizes[target.name]:
                raise NotModelled(f"{target.name} has no bit for lane {place}", target.position)
            self._thread.predicates.write_under(target.name, place, value, guard)

    def _set_predicate(self, instruction: Instruction) -> None:
        target, source = instruction.operands
        assert isinstance(target, Name)
        execution = execution_of(instruction)
        first, read = lane_offset(execution), self._operands.reader(source)
        facts = self._thread.lanes.facts
        if is_scalar(source):  # Page SETP: every bit is set, whatever the mask
            word = zero_extend(read(0, facts).bits, 64)
            places = [(first + lane, facts) for lane in range(execution.size)]
            self._set_bits(target, places, [bit(word, lane) for lane in range(execution.size)])
            return
        lanes = self.lanes(execution)
        bits = [bit(read(lane, assumed).bits, 0) for lane, _, assumed in lanes]
        self._set_bits(target, [(first + lane, guard) for lane, guard, _ in lanes], bits)

    def _mov_predicate(self, instruction: Instruction, source: Name) -> None:
        """Page MOV: the predicate as an unsigned integer; "the upper bits […] will have undefined values"."""
        target = instruction.operands[0]
        width = self._operands.destination_type(target).bits
        count = min(self._thread.predicates.sizes[source.name], width)
        lanes = self.lanes(execution_of(instruction))
        values: list[BitVec] = []
        for lane, _, assumed in lanes:
            bits = [self._thread.predicates.read_under(source.name, k, assumed) for k in reversed(range(count))]
            value = concat(*(ite(one, const(1, 1), const(0, 1)) for one in bits))
            if count < width:
                reason = f"{source.name} has only {count} bits"
                above = self.fresh(instruction, lane, width - count, reason) if count < 16 else const(0, width - count)
                value = concat(above, value)
            values.append(value)
        self._write(target, lanes, values)

    def _address(self, instruction: Instruction) -> None:
        target, base, offset = instruction.operands
        assert isinstance(target, SubscriptedName)
        read = self._operands.reader(offset)
        for lane, guard, assumed in self.lanes(execution_of(instruction)):
            self._operands.set_address(target, lane, base, read(lane, assumed).modulo(32), guard)


_TWO_RESULTS: dict[str, Callable[[Sequence[Source]], _Pair]] = {
    "addc": lambda sources: alu.add_with_carry(sources[0].modulo(32), sources[1].modulo(32)),
    "subb": lambda sources: alu.subtract_with_borrow(sources[0].modulo(32), sources[1].modulo(32)),
    "madw": alu.multiply_add_wide,
}


def _copies(instruction: Instruction, source: Source, result: DataType) -> bool:
    """Whether the bits are copied as they are: `mov` and `sel` of one type, floats too."""
    return (
        instruction.opcode in ("mov", "sel")
        and not instruction.suffixes
        and source.type is result
        and not source.modifier
    )


def _floats(sources: Sequence[Source], result: DataType) -> bool:
    return result.floating or any(source.type.floating for source in sources)


def _reason(instruction: Instruction, sources: Sequence[Source], result: DataType) -> str:
    if _floats(sources, result):
        return f"{instruction.opcode} on floats"
    return f"{'.'.join((instruction.opcode, *instruction.suffixes))}"
