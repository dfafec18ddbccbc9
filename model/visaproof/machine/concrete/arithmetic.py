"""Statements that compute, on ints: sources of all enabled lanes first, then their destinations (D36)."""

from collections.abc import Callable, Iterable

from visaproof.decode.statement import execution_of, lane_offset, without_mask, without_predicate
from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import CONTROL, FloatMode
from visaproof.isa.opcodes import ROWS, Lanes
from visaproof.isa.operands import Execution
from visaproof.isa.types import DataType
from visaproof.machine.concrete.operands import ConcreteOperands
from visaproof.machine.concrete.page_elements import destination, elements
from visaproof.machine.concrete.predicates import ConcretePredicates, enabled_lanes
from visaproof.semantics.concrete import alu, float_functions, floats, mixed_floats
from visaproof.semantics.concrete.choices import Unstated
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.visaasm.opcode_kinds import DESTINATIONS, Kind, boolean_table, kind_of
from visaproof.visaasm.syntax import (
    Instruction,
    Name,
    Operand,
    SubscriptedName,
)


class ConcreteArithmetic:
    """Runs arithmetic, comparisons, predicate settings and address computations."""

    def __init__(self, state: ConcreteState, operands: ConcreteOperands) -> None:
        self._state = state
        self._operands = operands
        self._predicates = ConcretePredicates(state, operands)

    def step(self, instruction: Instruction) -> None:
        try:
            self._step(instruction)
        except NotModelled as reason:
            raise NotModelled(reason.what, reason.position or instruction.position) from None

    def _step(self, instruction: Instruction) -> None:
        self._operands.require_described(instruction)
        match kind_of(instruction, frozenset()):
            case Kind.COMPARE:
                self._compare(instruction)
            case Kind.SET_PREDICATE:
                self._predicates.set(instruction)
            case Kind.PREDICATE_LOGIC:
                self._predicates.combine(instruction)
            case Kind.ADDRESS:
                self._address(instruction)
            case _ if ROWS[instruction.opcode].lanes is Lanes.PAIRS:
                self._pairs(instruction)
            case _ if instruction.opcode in DESTINATIONS or instruction.opcode == "madw":
                self._two_results(instruction)
            case _:
                self._one_result(instruction)

    def _sources(self, instruction: Instruction, first: int, lane: int) -> tuple[list[int], list[DataType]]:
        """The sources from operand `first` on, as the integers that they are."""
        values: list[int] = []
        types: list[DataType] = []
        for bits, data_type, modifier in elements(self._operands, instruction, first, lane):
            if data_type.floating:
                raise NotModelled(f"{instruction.opcode} on {data_type.spelling}")
            values.append(alu.modified(alu.to_integer(bits, data_type), modifier, data_type))
            types.append(data_type)
        return values, types

    def _one_result(self, instruction: Instruction) -> None:
        execution = execution_of(instruction)
        target = destination(instruction)
        if instruction.opcode == "mov" and isinstance(instruction.operands[1], Name):
            self._mov_predicate(target, instruction.operands[1], execution)
            return
        if isinstance(target, SubscriptedName):
            self._clear_addresses(target, execution)
            return
        if instruction.opcode == "sel":
            execution, chosen = without_predicate(execution), execution
        else:
            chosen = execution
        result = self._operands.destination_type(target)
        computed: list[tuple[int, int]] = []
        for lane in enabled_lanes(self._state, execution):
            if copied := self._copied(instruction, chosen, lane, result):
                computed.append((lane, copied[0]))
            else:
                computed.append((lane, self._value(instruction, chosen, lane, result)))
        for lane, value in computed:
            self._operands.write(target, lane, value)

    def _copied(self, instruction: Instruction, chosen: Execution, lane: int, result: DataType) -> tuple[int] | None:
        """The bits of a source that are copied as they are: `mov` and `sel` of one type, floats too."""
        if instruction.opcode not in ("mov", "sel") or instruction.suffixes:
            return None
        bits, data_type, modifier = self._operands.read(self._picked(instruction, chosen, lane), lane)
        return (bits,) if data_type is result and not modifier else None

    def _picked(self, instruction: Instruction, chosen: Execution, lane: int) -> Operand:
        """The source of `mov`; of `sel`, the one that the predicate chooses."""
        if instruction.opcode == "mov":
            return instruction.operands[1]
        if chosen.predicate is None:
            raise NotModelled("sel without a predicate", instruction.position)
        return instruction.operands[1 if self._state.channel_enabled(without_mask(chosen), lane) else 2]

    def _value(self, instruction: Instruction, chosen: Execution, lane: int, result: DataType) -> int:
        saturate = "sat" in instruction.suffixes
        if instruction.opcode in ("mov", "sel"):
            picked = self._picked(instruction, chosen, lane)
            value = self._stated(
                lambda: self._converted(picked, lane, result, saturate), instruction, lane, result, operands=[picked]
            )
        elif instruction.opcode == "fcvt":
            value = self._stated(lambda: self._reformatted(instruction, lane, result), instruction, lane, result)
        elif result.floating:
            value = self._stated(lambda: self._float(instruction, lane, result), instruction, lane, result)
        else:
            value = self._stated(lambda: self._integer(instruction, lane, result), instruction, lane, result)
        if not saturate:
            return value
        if not result.floating:
            return self._stated(
                lambda: alu.saturated_result(instruction.opcode, value, result), instruction, lane, result
            )
        return self._stated(lambda: floats.clamped(value, result, self._mode()), instruction, lane, result)

    def _stated(
        self,
        compute: Callable[[], int],
        instruction: Instruction,
        lane: int,
        result: DataType,
        operands: Iterable[Operand] | None = None,
    ) -> int:
        """What is computed, or where no page states that, what the state chooses for these operands."""
        try:
            return compute()
        except Unstated as reason:
            if operands is None:
                read = elements(self._operands, instruction, 1, lane)
            else:
                read = [self._operands.read(operand, lane) for operand in operands]
            known = [(bits, data_type.spelling, modifier) for bits, data_type, modifier in read]
            operation = instruction.opcode, result.spelling, known
            bits = self._state.choices.pick(reason, instruction.position, lane, result, operation)
            return bits if result.floating else alu.to_integer(bits, result)

    def _mode(self) -> FloatMode | None:
        """What the control register says, where there is one."""
        try:
            register = self._state.registers[CONTROL]
        except KeyError:
            return None
        return FloatMode.of(int.from_bytes(register[:4], "little"))

    def _reformatted(self, instruction: Instruction, lane: int, result: DataType) -> int:
        bits, data_type, _ = self._operands.read(instruction.operands[1], lane)
        return float_functions.reformatted(bits, data_type, result)

    def _converted(self, source: Operand, lane: int, result: DataType, saturate: bool) -> int:
        """Page MOV: "with type conversion if necessary"."""
        bits, data_type, modifier = self._operands.read(source, lane)
        if data_type.floating:
            bits = floats.modified(bits, modifier, data_type)
            if result.floating:
                return floats.converted(bits, data_type, result, self._mode())
            return floats.to_integer(bits, data_type, result, self._mode(), saturate)
        value = alu.modified(alu.to_integer(bits, data_type), modifier, data_type)
        return floats.from_integer(value, result, self._mode()) if result.floating else value

    def _float_sources(self, instruction: Instruction, lane: int) -> list[tuple[int, DataType]]:
        """The sources after their modifiers, with their types."""
        read = elements(self._operands, instruction, 1, lane)
        return [(floats.modified(bits, modifier, data_type), data_type) for bits, data_type, modifier in read]

    def _float(self, instruction: Instruction, lane: int, result: DataType) -> int:
        """Page 2_datatypes: "its destination type must also be the same as the execution type"; rows of others mix."""
        sources, mode = self._float_sources(instruction, lane), self._mode()
        if any(data_type is not result for _, data_type in sources):
            return mixed_floats.operation(instruction.opcode, sources, result, mode)
        return float_functions.operation(instruction.opcode, [bits for bits, _ in sources], result, mode)

    def _integer(self, instruction: Instruction, lane: int, result: DataType) -> int:
        values, types = self._sources(instruction, 1, lane)
        if instruction.opcode == "bfn":
            table = boolean_table(instruction)
            return alu.boolean_function(table, values, max(result.bits, *(t.bits for t in types)))
        if instruction.opcode in ("div", "mod"):
            return alu.quotient(instruction.opcode, values[0], values[1])
        if instruction.opcode in alu.OPERATIONS:
            return alu.OPERATIONS[instruction.opcode](values, types, result)
        raise NotModelled(f"opcode {instruction.opcode} in a concrete run")

    def _pairs(self, instruction: Instruction) -> None:
        """Pages SAD2, SAD2ADD: the sum of two lanes in the even one; "the odd element are updated with undefined"."""
        target, result = instruction.operands[0], self._operands.destination_type(instruction.operands[0])
        computed: list[tuple[int, int]] = []
        for lane in enabled_lanes(self._state, execution_of(instruction)):
            if lane % 2 == 0:
                values, others = (self._sources(instruction, 1, one)[0] for one in (lane, lane + 1))
                total = alu.absolute_differences(values, others)
                computed.append((lane, alu.saturated(total, result) if "sat" in instruction.suffixes else total))
                computed.append((lane + 1, self._stated(alu.odd_element, instruction, lane + 1, result)))
        for lane, value in computed:
            self._operands.write(target, lane, value)

    def _two_results(self, instruction: Instruction) -> None:
        execution = execution_of(instruction)
        first_source = DESTINATIONS.get(instruction.opcode, 1)
        computed: list[tuple[int, tuple[int, int]]] = []
        for lane in enabled_lanes(self._state, execution):
            values, _ = self._sources(instruction, first_source, lane)
            match instruction.opcode:
                case "addc":
                    pair = alu.add_with_carry(values[0], values[1])
                case "subb":
                    pair = alu.subtract_with_borrow(values[0], values[1])
                case _:
                    pair = alu.multiply_add_wide(values)
            computed.append((lane, pair))
        for lane, (low, high) in computed:
            self._operands.write(instruction.operands[0], lane, low)
            if instruction.opcode != "madw":
                self._operands.write(instruction.operands[1], lane, high)
            else:  # Page MADW: "the high 32b of results are stored in the high GRFs"
                registers = -(-4 * execution.size // self._state.platform.grf_bytes)
                distance = registers * self._state.platform.grf_bytes
                self._operands.write(instruction.operands[0], lane, high, distance)

    def _compare(self, instruction: Instruction) -> None:
        execution = execution_of(instruction)
        target = instruction.operands[0]
        holds: dict[int, bool] = {}
        for lane in enabled_lanes(self._state, execution):
            holds[lane] = self._holds(instruction, lane)
        if isinstance(target, Name):
            self._predicates.set_bits(target.name, {lane_offset(execution) + lane: bit for lane, bit in holds.items()})
            return
        for lane, bit in holds.items():
            self._operands.write(target, lane, -1 if bit else 0)

    def _holds(self, instruction: Instruction, lane: int) -> bool:
        relation = instruction.suffixes[0]
        _, data_type, _ = self._operands.read(instruction.operands[1], lane)
        if data_type.floating:
            read = self._float_sources(instruction, lane)
            if any(found is not data_type for _, found in read):
                raise NotModelled(f"{instruction.opcode} of {' and '.join(found.spelling for _, found in read)}")
            sources = [bits for bits, _ in read]
            return bool(
                self._stated(
                    lambda: floats.compare(relation, sources, data_type, self._mode()), instruction, lane, DataType.UB
                )
            )
        left, right = self._sources(instruction, 1, lane)[0]
        return alu.COMPARISONS[relation](left, right)

    def _mov_predicate(self, target: Operand, source: Name, execution: Execution) -> None:
        """Page MOV: "the value of the predicate variable is interpreted as an unsigned integer"; above its bits, 0."""
        predicate = self._state.predicates[source.name]
        for lane in enabled_lanes(self._state, execution):
            self._operands.write(target, lane, predicate.bits % (1 << predicate.count))

    def _clear_addresses(self, target: SubscriptedName, execution: Execution) -> None:
        for lane in enabled_lanes(self._state, execution):
            self._operands.clear_address(target, lane)

    def _address(self, instruction: Instruction) -> None:
        target, base, offset = instruction.operands
        assert isinstance(target, SubscriptedName)
        for lane in enabled_lanes(self._state, execution_of(instruction)):
            bits, data_type, _ = self._operands.read(offset, lane)
            self._operands.set_address(target, lane, base, alu.to_integer(bits, data_type))
