"""Statements that compute, on ints: sources of all enabled lanes first, then their destinations (D36)."""

from collections.abc import Callable, Iterable

from visaproof.decode.statement import lane_offset, without_mask, without_predicate
from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import CONTROL, FloatMode
from visaproof.isa.opcodes import Lanes
from visaproof.isa.operands import Execution
from visaproof.isa.types import DataType
from visaproof.machine.concrete.operands import ConcreteOperands
from visaproof.machine.concrete.page_elements import Element, Row, destination, elements, rows
from visaproof.machine.concrete.predicates import ConcretePredicates, enabled_lanes
from visaproof.program.operands import PredicateTarget, Source
from visaproof.program.statements import (
    ClearAddress,
    CombinePredicates,
    Compare,
    Compute,
    Computing,
    MovePredicate,
    SetAddress,
    SetPredicate,
)
from visaproof.semantics.concrete import alu, float_functions, floats, mixed_floats
from visaproof.semantics.concrete.choices import Unstated
from visaproof.semantics.concrete.state import ConcreteState


class ConcreteArithmetic:
    """Runs arithmetic, comparisons, predicate settings and address computations."""

    def __init__(self, state: ConcreteState, operands: ConcreteOperands) -> None:
        self._state = state
        self._operands = operands
        self._predicates = ConcretePredicates(state, operands)
        self._picks = False
        """Whether a statement took a result of several that are allowed, for some lane."""

    def step(self, statement: Computing) -> None:
        try:
            self._step(statement)
        except NotModelled as reason:
            raise NotModelled(reason.what, reason.position or statement.position) from None

    def _step(self, statement: Computing) -> None:
        match statement:
            case Compute() if statement.operation.row.lanes is Lanes.PAIRS:
                self._pairs(statement)
            case Compute() if len(statement.targets) > 1 or statement.operation.name == "madw":
                self._two_results(statement)
            case Compute():
                self._one_result(statement)
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

    def _sources(self, statement: Compute | Compare, lane: int) -> tuple[list[int], list[DataType]]:
        """The sources as the integers that they are."""
        read = elements(self._operands, statement, lane)
        return self._integers(statement, read), [data_type for _, data_type, _ in read]

    def _integers(self, statement: Compute | Compare, read: list[Element]) -> list[int]:
        values: list[int] = []
        for bits, data_type, modifier in read:
            if data_type.floating:
                raise NotModelled(f"{statement.operation.name} on {data_type.spelling}")
            value = alu.to_integer(bits, data_type)
            values.append(alu.modified(value, modifier, data_type) if modifier else value)
        return values

    def _one_result(self, statement: Compute) -> None:
        execution = statement.lanes
        target = destination(statement)
        if statement.operation.name == "sel":
            execution, chosen = without_predicate(execution), execution
        else:
            chosen = execution
        result = self._operands.destination_type(target)
        lanes = enabled_lanes(self._state, execution)
        by_lane = None if statement.operation.name == "sel" else rows(self._operands, statement, lanes)
        known = dict[Row, int]()
        self._picks = False
        computed: list[int] = []
        for lane in lanes:
            row = by_lane[lane] if by_lane is not None else ()
            if (value := known.get(row)) is None:
                copied = self._copied(statement, chosen, lane, result)
                value = copied[0] if copied else self._value(statement, chosen, lane, result)
                if by_lane is not None and not self._picks:
                    known[row] = value
            computed.append(value)
        if lanes:
            self._operands.write_lanes(target, lanes, computed)

    def _copied(self, statement: Compute, chosen: Execution, lane: int, result: DataType) -> tuple[int] | None:
        """The bits of a source that are copied as they are: `mov` and `sel` of one type, floats too."""
        if statement.operation.name not in ("mov", "sel") or statement.operation.saturates:
            return None
        bits, data_type, modifier = self._operands.read(self._picked(statement, chosen, lane), lane)
        return (bits,) if data_type is result and not modifier else None

    def _picked(self, statement: Compute, chosen: Execution, lane: int) -> Source:
        """The source of `mov`; of `sel`, the one that the predicate chooses."""
        if statement.operation.name == "mov":
            return statement.sources[0]
        if chosen.predicate is None:
            raise NotModelled("sel without a predicate", statement.position)
        return statement.sources[0 if self._state.channel_enabled(without_mask(chosen), lane) else 1]

    def _value(self, statement: Compute, chosen: Execution, lane: int, result: DataType) -> int:
        saturate = statement.operation.saturates
        if statement.operation.name in ("mov", "sel"):
            picked = self._picked(statement, chosen, lane)
            value = self._stated(
                lambda: self._converted(picked, lane, result, saturate), statement, lane, result, operands=[picked]
            )
        elif statement.operation.name == "fcvt":
            value = self._stated(lambda: self._reformatted(statement, lane, result), statement, lane, result)
        elif result.floating:
            value = self._stated(lambda: self._float(statement, lane, result), statement, lane, result)
        else:
            value = self._stated(lambda: self._integer(statement, lane, result), statement, lane, result)
        if not saturate:
            return value
        if not result.floating:
            return self._stated(
                lambda: alu.saturated_result(statement.operation.name, value, result), statement, lane, result
            )
        return self._stated(lambda: floats.clamped(value, result, self._mode()), statement, lane, result)

    def _stated(
        self,
        compute: Callable[[], int],
        statement: Compute | Compare,
        lane: int,
        result: DataType,
        operands: Iterable[Source] | None = None,
    ) -> int:
        """What is computed, or where no page states that, what the state chooses for these operands."""
        try:
            return compute()
        except Unstated as reason:
            if operands is None:
                read = elements(self._operands, statement, lane)
            else:
                read = [self._operands.read(operand, lane) for operand in operands]
            self._picks = True
            known = [(bits, data_type.spelling, modifier) for bits, data_type, modifier in read]
            operation = statement.operation.name, result.spelling, known
            bits = self._state.choices.pick(reason, statement.position, lane, result, operation)
            return bits if result.floating else alu.to_integer(bits, result)

    def _mode(self) -> FloatMode | None:
        """What the control register says, where there is one."""
        try:
            register = self._state.registers[CONTROL]
        except KeyError:
            return None
        return FloatMode.of(int.from_bytes(register[:4], "little"))

    def _reformatted(self, statement: Compute, lane: int, result: DataType) -> int:
        bits, data_type, _ = self._operands.read(statement.sources[0], lane)
        return float_functions.reformatted(bits, data_type, result)

    def _converted(self, source: Source, lane: int, result: DataType, saturate: bool) -> int:
        """Page MOV: "with type conversion if necessary"."""
        bits, data_type, modifier = self._operands.read(source, lane)
        if data_type.floating:
            bits = floats.modified(bits, modifier, data_type)
            if result.floating:
                return floats.converted(bits, data_type, result, self._mode())
            return floats.to_integer(bits, data_type, result, self._mode(), saturate)
        value = alu.modified(alu.to_integer(bits, data_type), modifier, data_type)
        return floats.from_integer(value, result, self._mode()) if result.floating else value

    def _float_sources(self, statement: Compute | Compare, lane: int) -> list[tuple[int, DataType]]:
        """The sources after their modifiers, with their types."""
        read = elements(self._operands, statement, lane)
        return [(floats.modified(bits, modifier, data_type), data_type) for bits, data_type, modifier in read]

    def _float(self, statement: Compute, lane: int, result: DataType) -> int:
        """Page 2_datatypes: "its destination type must also be the same as the execution type"; rows of others mix."""
        sources, mode = self._float_sources(statement, lane), self._mode()
        if any(data_type is not result for _, data_type in sources):
            return mixed_floats.operation(statement.operation.name, sources, result, mode)
        return float_functions.operation(statement.operation.name, [bits for bits, _ in sources], result, mode)

    def _integer(self, statement: Compute, lane: int, result: DataType) -> int:
        values, types = self._sources(statement, lane)
        if statement.operation.name == "bfn":
            table = statement.operation.table
            assert table is not None
            return alu.boolean_function(table, values, max(result.bits, *(t.bits for t in types)))
        if statement.operation.name in ("div", "mod"):
            return alu.quotient(statement.operation.name, values[0], values[1])
        if statement.operation.name in alu.OPERATIONS:
            return alu.OPERATIONS[statement.operation.name](values, types, result)
        raise NotModelled(f"opcode {statement.operation.name} in a concrete run")

    def _pairs(self, statement: Compute) -> None:
        """Pages SAD2, SAD2ADD: the sum of two lanes in the even one; "the odd element are updated with undefined"."""
        target, result = statement.target, self._operands.destination_type(statement.target)
        computed: list[tuple[int, int]] = []
        for lane in enabled_lanes(self._state, statement.lanes):
            if lane % 2 == 0:
                values, others = (self._sources(statement, one)[0] for one in (lane, lane + 1))
                total = alu.absolute_differences(values, others)
                computed.append((lane, alu.saturated(total, result) if statement.operation.saturates else total))
                computed.append((lane + 1, self._stated(alu.odd_element, statement, lane + 1, result)))
        for lane, value in computed:
            self._operands.write(target, lane, value)

    def _two_results(self, statement: Compute) -> None:
        execution = statement.lanes
        computed: list[tuple[int, tuple[int, int]]] = []
        for lane in enabled_lanes(self._state, execution):
            values, _ = self._sources(statement, lane)
            match statement.operation.name:
                case "addc":
                    pair = alu.add_with_carry(values[0], values[1])
                case "subb":
                    pair = alu.subtract_with_borrow(values[0], values[1])
                case _:
                    pair = alu.multiply_add_wide(values)
            computed.append((lane, pair))
        for lane, (low, high) in computed:
            self._operands.write(statement.target, lane, low)
            if statement.operation.name != "madw":
                self._operands.write(statement.targets[1], lane, high)
            else:  # Page MADW: "the high 32b of results are stored in the high GRFs"
                registers = -(-4 * execution.size // self._state.platform.grf_bytes)
                distance = registers * self._state.platform.grf_bytes
                self._operands.write(statement.target, lane, high, distance)

    def _compare(self, statement: Compare) -> None:
        execution, target = statement.lanes, statement.target
        holds: dict[int, bool] = {}
        lanes = enabled_lanes(self._state, execution)
        by_lane, known = rows(self._operands, statement, lanes), dict[Row, bool]()
        self._picks = False
        for lane in lanes:
            row = by_lane[lane] if by_lane is not None else ()
            if (held := known.get(row)) is None:
                held = self._holds(statement, lane)
                if by_lane is not None and not self._picks:
                    known[row] = held
            holds[lane] = held
        if isinstance(target, PredicateTarget):
            first = lane_offset(execution)
            self._predicates.set_bits(target.variable, {first + lane: bit for lane, bit in holds.items()})
            return
        for lane, bit in holds.items():
            self._operands.write(target, lane, -1 if bit else 0)

    def _holds(self, statement: Compare, lane: int) -> bool:
        relation, read = statement.relation, elements(self._operands, statement, lane)
        data_type = read[0][1]
        if data_type.floating:
            if any(found is not data_type for _, found, _ in read):
                types = " and ".join(found.spelling for _, found, _ in read)
                raise NotModelled(f"{statement.operation.name} of {types}")
            sources = [floats.modified(bits, modifier, of_type) for bits, of_type, modifier in read]
            return bool(
                self._stated(
                    lambda: floats.compare(relation, sources, data_type, self._mode()), statement, lane, DataType.UB
                )
            )
        left, right = self._integers(statement, read)
        return alu.COMPARISONS[relation](left, right)

    def _mov_predicate(self, statement: MovePredicate) -> None:
        """Page MOV: "the value of the predicate variable is interpreted as an unsigned integer"; above its bits, 0."""
        predicate = self._state.predicates[statement.predicate]
        for lane in enabled_lanes(self._state, statement.lanes):
            self._operands.write(statement.target, lane, predicate.bits % (1 << predicate.count))

    def _clear_addresses(self, statement: ClearAddress) -> None:
        for lane in enabled_lanes(self._state, statement.lanes):
            self._operands.clear_address(statement.target, lane)

    def _address(self, statement: SetAddress) -> None:
        for lane in enabled_lanes(self._state, statement.lanes):
            bits, data_type, _ = self._operands.read(statement.offset, lane)
            self._operands.set_address(statement.target, lane, statement.base, alu.to_integer(bits, data_type))
