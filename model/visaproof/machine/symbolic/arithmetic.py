"""Statements that compute, symbolically: sources of all lanes first, then their destinations (D36)."""

from collections.abc import Callable, Sequence
from functools import partial
from operator import is_
from typing import cast

from visaproof.decode.sampler import LANES_MAY_DIFFER
from visaproof.decode.statement import lane_offset, without_mask, without_predicate
from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import CONTROL, OF_DPAS
from visaproof.isa.types import DataType
from visaproof.launch.float_results import Floats, comparison_meaning, meaning_of
from visaproof.machine.symbolic.divisions.integer_division import IntegerDivisions
from visaproof.machine.symbolic.lane_reads import readers_of, target_of
from visaproof.machine.symbolic.operands import Reader, SymbolicOperands
from visaproof.machine.symbolic.predicates import Lane, SymbolicPredicates, lanes_of
from visaproof.machine.symbolic.thread import Thread
from visaproof.machine.symbolic.uninterpreted_results import (
    CORRECTED,
    NO_RESULT,
    UNINTERPRETED,
    OpenValues,
    SamplerOrigin,
    Uninterpreted,
)
from visaproof.program.operands import Destination, PredicateTarget
from visaproof.program.statements import (
    ClearAddress,
    CombinePredicates,
    Compare,
    Compute,
    Computing,
    MatrixProduct,
    MovePredicate,
    Run,
    SetAddress,
    SetPredicate,
)
from visaproof.semantics.symbolic import alu
from visaproof.semantics.symbolic.cases import by_cases, given
from visaproof.semantics.symbolic.elements import Operation, Source
from visaproof.semantics.symbolic.float_axioms import Comparison, comparison, copies, plain
from visaproof.semantics.symbolic.guarded import ByteWrite
from visaproof.semantics.symbolic.literals import Literals
from visaproof.semantics.symbolic.pairs import PAIRED
from visaproof.semantics.symbolic.saturation import of_integers
from visaproof.smt import BitVec, Bool, bool_symbol, concat, const, extract, is_false, ite, ite_bool, neg, symbol

_Pair = tuple[BitVec, BitVec]


class SymbolicArithmetic:
    """Runs arithmetic, comparisons, predicate settings and address computations."""

    def __init__(self, thread: Thread, operands: SymbolicOperands, floats: Floats, divisions: bool) -> None:
        self._thread = thread
        self._operands = operands
        self._floats = floats
        self._open = OpenValues(thread.name)
        self._divisions = IntegerDivisions(self._open.defined, thread.initial) if divisions else None
        self._predicates = SymbolicPredicates(thread, operands, *([self._divisions.told] if self._divisions else ()))
        self._read_control: tuple[Run, Literals, tuple[ByteWrite | None, ...], BitVec] | None = None
        """For whom the control register was read, under which facts, what was written to it, and what it held."""

    @property
    def arbitrary(self) -> list[Uninterpreted]:
        """The values that were left open, in the order in which they were."""
        return self._open.values

    def step(self, statement: Computing) -> None:
        match statement:
            case Compute():
                self._compute(statement)
            case Compare():
                self._compare(statement)
            case MovePredicate():
                self._mov_predicate(statement)
            case SetPredicate():
                self._predicates.set(statement)
            case CombinePredicates():
                self._predicates.combine(statement)
            case SetAddress():
                self._address(statement)
            case ClearAddress():
                self._clear_addresses(statement)

    def _compute(self, statement: Compute) -> None:
        name = statement.operation.name
        if name in _TWO_RESULTS:
            self._two_results(statement)
        elif name in PAIRED:
            self._differences(statement)
        elif name == "sel":
            self._select(statement)
        else:
            self._one_result(statement)

    def fresh(
        self,
        statement: Run,
        lane: int | None,
        width: int,
        reason: str,
        operands: tuple[Source, ...] | None = None,
        result: DataType | None = None,
        origin: SamplerOrigin | None = None,
    ) -> BitVec:
        """An arbitrary value in place of one that the model leaves open; one for one operation on the same operands."""
        control, operation = None if operands is None else self._control(statement), _operation_of(statement)
        one = Uninterpreted(
            symbol("", width), statement.origin, lane, reason, operation, operands, result, control, origin
        )
        return cast(BitVec, self._open.named(one))

    def _control(self, statement: Run) -> BitVec | None:
        """What a result of the statement depends on of the control register: read once for all its lanes."""
        registers, facts = self._thread.registers, self._thread.lanes.facts
        if not registers.holds(CONTROL, 0, 4):
            return None
        known, written = self._read_control, registers.newest(CONTROL, 0, 4)
        if known is not None and known[0] is statement and known[1] == facts and all(map(is_, known[2], written)):
            return known[3]
        found = self._control_for(statement, facts)
        self._read_control = statement, facts, written, found
        return found

    def _control_for(self, statement: Run, facts: Literals) -> BitVec:
        control = self._thread.registers.read_under(CONTROL, 0, 4, facts)
        if isinstance(statement, MatrixProduct):
            return control
        return concat(extract(control, control.width - 1, OF_DPAS + 1), extract(control, OF_DPAS - 1, 0))

    def _write(self, target: Destination, lanes: Sequence[Lane], values: Sequence[BitVec]) -> None:
        write = self._operands.writer(target)
        for (lane, guard, assumed), value in zip(lanes, values, strict=True):
            write(lane, value, guard, assumed)

    def _readers(self, statement: Compute | Compare) -> list[Reader]:
        return readers_of(statement, self._operands)

    def _one_result(self, statement: Compute) -> None:
        target = target_of(statement)
        result = self._operands.destination_type(target)
        readers = self._readers(statement)
        compute = self._operation(statement)
        lanes = lanes_of(self._thread, statement.lanes)
        values: list[BitVec] = []
        for lane, _, assumed in lanes:
            sources = [read(lane, assumed) for read in readers]
            values.append(self._value(statement, lane, sources, assumed, result, compute))
        self._write(target, lanes, values)

    def _value(
        self,
        statement: Compute,
        lane: int,
        sources: Sequence[Source],
        assumed: Literals,
        result: DataType,
        compute: Operation | None,
    ) -> BitVec:
        if copies(_operation_of(statement), sources[0], result):
            return plain(sources)[0].bits
        if compute is None or statement.operation.saturates or _floats(sources, result):
            return self._result(statement, lane, sources, assumed, result)
        value = compute(sources, result)
        return self._divisions.word(value, assumed) if self._divisions else value

    def _differences(self, statement: Compute) -> None:
        """Page SAD2: "the odd element are updated with undefined values", be the odd lane enabled or the even one."""
        execution, target = statement.lanes, statement.target
        if execution.size == 1:
            raise NotModelled(f"{statement.operation.name} of one lane", statement.position)
        result, compute = self._operands.destination_type(target), self._operation(statement)
        readers = self._readers(statement)
        lanes, values = list[Lane](), list[BitVec]()
        for lane, guard, assumed in lanes_of(self._thread, execution):
            if lane % 2 == 0:
                sources = [read(lane, assumed) for read in readers]
                lanes.append((lane, guard, assumed))
                values.append(self._value(statement, lane, sources, assumed, result, compute))
            lanes.append((lane | 1, guard, assumed))
            values.append(self.fresh(statement, lane | 1, result.bits, NO_RESULT))
        self._write(target, lanes, values)

    def _result(
        self, statement: Compute, lane: int, sources: Sequence[Source], assumed: Literals, result: DataType
    ) -> BitVec:
        """Of an operation on floats, of a division, or of what saturates."""
        known = given(sources, assumed)
        return by_cases(known, lambda one: self._result_of(statement, lane, one, assumed, result), ite)

    def _result_of(
        self, statement: Compute, lane: int, sources: Sequence[Source], assumed: Literals, result: DataType
    ) -> BitVec:
        operands = plain(sources)
        if _floats(operands, result):
            meaning = meaning_of(self._floats, statement.operation, operands, result, self._control(statement))
        else:
            meaning = of_integers(_operation_of(statement), operands, result)
        if meaning is not None and is_false(meaning.open):
            return cast(BitVec, meaning.value)
        if meaning is not None:
            value = self.fresh(statement, lane, result.bits, NO_RESULT, operands, result)
            return ite(meaning.open, value, cast(BitVec, meaning.value))
        divisions = self._divisions
        quotient = divisions.ended_by(_operation_of(statement), operands, result) if divisions else None
        value = self.fresh(statement, lane, result.bits, CORRECTED if quotient else UNINTERPRETED, operands, result)
        return divisions.second_part(quotient, value, assumed) if divisions and quotient else value

    def _operation(self, statement: Compute) -> Operation | None:
        """What the opcode computes on integers, if that is modelled."""
        if statement.operation.name == "bfn":
            table = statement.operation.table
            assert table is not None
            return lambda sources, result: alu.boolean_function(table, sources, result)
        return alu.OPERATIONS.get(statement.operation.name)

    def _select(self, statement: Compute) -> None:
        execution = statement.lanes
        if execution.predicate is None:
            raise NotModelled("sel without a predicate", statement.position)
        target = statement.target
        result = self._operands.destination_type(target)
        readers = self._readers(statement)
        lanes = lanes_of(self._thread, without_predicate(execution))
        values: list[BitVec] = []
        for lane, _, assumed in lanes:
            sources = [read(lane, assumed) for read in readers]
            first, second = (self._as_result(source, statement, lane, assumed, result) for source in sources)
            values.append(ite(self._thread.passes(without_mask(execution), lane, assumed), first, second))
        self._write(target, lanes, values)

    def _as_result(self, source: Source, statement: Compute, lane: int, assumed: Literals, result: DataType) -> BitVec:
        if copies(_operation_of(statement), source, result):
            return plain((source,))[0].bits
        if _floats((source,), result) or statement.operation.saturates:
            return self._result(statement, lane, (source,), assumed, result)
        return alu.OPERATIONS["mov"]((source,), result)

    def _two_results(self, statement: Compute) -> None:
        execution = statement.lanes
        readers = self._readers(statement)
        lanes = lanes_of(self._thread, execution)
        pairs: list[_Pair] = []
        for lane, _, assumed in lanes:
            sources = [read(lane, assumed) for read in readers]
            if _floats(sources, DataType.UD):
                raise NotModelled(f"{statement.operation.name} on floats", statement.position)
            pairs.append(_TWO_RESULTS[statement.operation.name](sources))
        first, second, behind = statement.target, statement.targets[-1], 0
        if statement.operation.name == "madw":  # Page MADW: "the high 32b of results are stored in the high GRFs"
            register = self._thread.platform.grf_bytes
            second, behind = first, (4 * execution.size + register - 1) // register * register
        write_low, write_high = self._operands.writer(first), self._operands.writer(second, behind)
        for (lane, guard, assumed), (low, high) in zip(lanes, pairs, strict=True):  # destinations may overlap
            write_low(lane, low, guard, assumed)
            write_high(lane, high, guard, assumed)

    def _compare(self, statement: Compare) -> None:
        execution, target = statement.lanes, statement.target
        left_reader, right_reader = self._readers(statement)
        lanes = lanes_of(self._thread, execution)
        holds: list[Bool] = []
        for lane, _, assumed in lanes:
            left, right = left_reader(lane, assumed), right_reader(lane, assumed)
            if left.type.floating or right.type.floating:
                holds.append(self._comparison(statement, lane, given((left, right), assumed)))
            else:
                compare, some = partial(alu.compare, statement.relation), self._divisions
                holds.append(some.compared((left, right), compare, assumed) if some else compare(left, right))
        if isinstance(target, PredicateTarget):
            places = [(lane_offset(execution) + lane, guard) for lane, guard, _ in lanes]
            self._predicates.set_bits(target, places, holds)
            return
        width = self._operands.destination_type(target).bits
        self._write(target, lanes, [ite(one, const(-1, width), const(0, width)) for one in holds])

    def _comparison(self, statement: Compare, lane: int, sources: Sequence[Source]) -> Bool:
        """A comparison of floats."""
        return by_cases(sources, lambda one: self._comparison_of(statement, lane, *one), ite_bool)

    def _comparison_of(self, statement: Compare, lane: int, left: Source, right: Source) -> Bool:
        written = self._open.by_integers(comparison(statement.relation, *plain((left, right))))
        if not isinstance(written, Comparison):
            return written
        meaning = comparison_meaning(self._floats, written.relation, written.operands, self._control(statement))
        if meaning is not None and is_false(meaning.open):
            holds = cast(Bool, meaning.value)
        else:
            operation, reason = ("cmp", written.relation), UNINTERPRETED if meaning is None else NO_RESULT
            control, symbol_of = self._control(statement), bool_symbol("")
            one = Uninterpreted(symbol_of, statement.origin, lane, reason, operation, written.operands, None, control)
            holds = cast(Bool, self._open.named(one))
            if meaning is not None:
                holds = ite_bool(meaning.open, holds, cast(Bool, meaning.value))
        return neg(holds) if written.negated else holds

    def _mov_predicate(self, statement: MovePredicate) -> None:
        """Page MOV: the predicate as an unsigned integer; "the upper bits […] will have undefined values"."""
        target = statement.target
        source, width = statement.predicate, self._operands.destination_type(target).bits
        count = min(self._thread.predicates.sizes[source], width)
        lanes = lanes_of(self._thread, statement.lanes)
        values: list[BitVec] = []
        for lane, _, assumed in lanes:
            bits = [self._thread.predicates.read_under(source, k, assumed) for k in reversed(range(count))]
            value = concat(*(ite(one, const(1, 1), const(0, 1)) for one in bits))
            if count < width:
                reason = f"which leaves the bits from {count} on undefined"
                above = self.fresh(statement, lane, width - count, reason) if count < 16 else const(0, width - count)
                value = concat(above, value)
            values.append(value)
        self._write(target, lanes, values)

    def _clear_addresses(self, statement: ClearAddress) -> None:
        for lane, guard, _ in lanes_of(self._thread, statement.lanes):
            self._operands.clear_address(statement.target, lane, guard)

    def _address(self, statement: SetAddress) -> None:
        read = self._operands.reader(statement.offset)
        for lane, guard, assumed in lanes_of(self._thread, statement.lanes):
            offset = read(lane, assumed).modulo(32)
            self._operands.set_address(statement.target, lane, statement.base, offset, guard, assumed)


_TWO_RESULTS: dict[str, Callable[[Sequence[Source]], _Pair]] = {
    "addc": lambda sources: alu.add_with_carry(sources[0].modulo(32), sources[1].modulo(32)),
    "subb": lambda sources: alu.subtract_with_borrow(sources[0].modulo(32), sources[1].modulo(32)),
    "madw": alu.multiply_add_wide,
}


def _operation_of(statement: Run) -> tuple[str, ...]:
    """The function that is computed; of a message, which is none, its name."""
    if isinstance(statement, Compute):
        return statement.operation.function
    return statement.origin.opcode, *(one for one in statement.origin.suffixes if one != LANES_MAY_DIFFER)


def _floats(sources: Sequence[Source], result: DataType) -> bool:
    return result.floating or any(source.type.floating for source in sources)
