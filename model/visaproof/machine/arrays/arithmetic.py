"""Statements that compute, on arrays: sources of all lanes first, then their destinations (D36)."""

from collections.abc import Callable

import numpy as np

from visaproof.decode.statement import lane_offset, without_predicate
from visaproof.isa.operands import Execution
from visaproof.isa.types import DataType
from visaproof.machine.arrays import floats, integers
from visaproof.machine.arrays.arrays import Array, Bools, any_lane
from visaproof.machine.arrays.batch import Batch, Enabled, NotVectorised, require_bits
from visaproof.machine.arrays.operands import Destination, Operands, Source
from visaproof.machine.arrays.step import Step
from visaproof.machine.arrays.threads import Threads
from visaproof.program.operands import Source as Read
from visaproof.program.statements import Compute, MovePredicate

Value = Callable[[Batch], tuple[Array, Bools | None]]
"""The bits of a result (threads, lanes), and for which lanes the machine for single threads must be asked, if any."""


class Arithmetic:
    """Turns statements that compute into steps."""

    def __init__(self, threads: Threads, operands: Operands) -> None:
        self._threads = threads
        self._operands = operands

    def step(self, statement: Compute) -> Step:
        """Raises NotVectorised for what the arrays do not run."""
        name = statement.operation.name
        if len(statement.targets) > 1 or name == "madw":
            return self._two_results(statement)
        execution = statement.lanes
        if name == "sel":
            require_bits(execution, self._threads)
            value, execution = self._selected(statement), without_predicate(execution)
        elif name == "mov":
            value = self._converted(statement, statement.sources[0])
        else:
            value = self._computed(statement)
        return self._written(execution, self._operands.destination(statement.target, execution.size), value)

    def move_predicate(self, statement: MovePredicate) -> Step:
        """Raises NotVectorised as `step`."""
        execution = statement.lanes
        target = self._operands.destination(statement.target, execution.size)
        return self._written(execution, target, self._predicate_number(statement.predicate))

    def _written(self, execution: Execution, target: Destination, value: Value) -> Step:
        require_bits(execution, self._threads)

        def run(batch: Batch, enabled: Enabled) -> Bools | None:
            values, open_lanes = value(batch)
            return written(batch, enabled, [(target, values)], open_lanes)

        return Step(execution, run)

    def _result(self, statement: Compute) -> DataType:
        return self._operands.destination(statement.target, statement.lanes.size).type

    def _predicate_number(self, source: str) -> Value:
        """Page MOV: "the value of the predicate variable is interpreted as an unsigned integer"."""
        variable = self._threads.predicates[source]
        weights = np.uint64(1) << np.arange(variable.shape[1], dtype=np.uint64)
        return lambda batch: ((batch.pick(variable) @ weights)[:, None], None)

    def _converted(self, statement: Compute, operand: Read) -> Value:
        """Page MOV: "with type conversion if necessary"; elements of the same type are copied as they are."""
        source, result = self._operands.source(operand, statement.lanes.size), self._result(statement)
        if source.type is result and not source.modifier and not statement.operation.saturates:
            return source.read
        saturate = statement.operation.saturates
        if source.type.floating or result.floating:
            return floats.converted(source, result, saturate)
        return self._integers([source], "mov", result, saturate)

    def _selected(self, statement: Compute) -> Value:
        execution = statement.lanes
        predicate = execution.predicate
        if predicate is None:
            raise NotVectorised("sel without a predicate")
        first, second = (self._converted(statement, operand) for operand in statement.sources)

        def value(batch: Batch) -> tuple[Array, Bools | None]:
            chosen = batch.chosen(execution, predicate)
            (left, left_open), (right, right_open) = first(batch), second(batch)
            if left.dtype != right.dtype:
                left, right = left.astype(np.uint64), right.astype(np.uint64)
            open_lanes = None
            if left_open is not None or right_open is not None:
                open_lanes = np.where(
                    chosen, left_open is not None and left_open, right_open is not None and right_open
                )
            return np.where(chosen, left, right), open_lanes

        return value

    def _computed(self, statement: Compute) -> Value:
        result, saturate = self._result(statement), statement.operation.saturates
        lanes = statement.lanes.size
        sources = [self._operands.source(operand, lanes) for operand in statement.sources]
        if result.floating:
            return floats.computed(statement.operation.name, sources, result, saturate)
        if any(source.type.floating for source in sources):
            raise NotVectorised("floats in integer arithmetic")
        if statement.operation.name == "bfn":
            return self._boolean(statement, sources, result)
        return self._integers(sources, statement.operation.name, result, saturate)

    def _integers(self, sources: list[Source], opcode: str, result: DataType, saturate: bool) -> Value:
        types = [source.type for source in sources]
        operation = integers.operation_of(opcode, types, result, saturate)
        ranges = [integers.value_range(source.type, source.modifier) for source in sources]
        working = integers.working_type(opcode, ranges, result, saturate)

        def value(batch: Batch) -> tuple[Array, Bools | None]:
            values, open_lanes = lifted(sources, batch, working)
            found = integers.in_words(operation(values, types, result))
            return (integers.saturated(found, result) if saturate else found), open_lanes

        return value

    def _boolean(self, statement: Compute, sources: list[Source], result: DataType) -> Value:
        if statement.operation.saturates:
            raise NotVectorised("bfn.sat")
        table = statement.operation.table
        assert table is not None
        width = max(result.bits, *(source.type.bits for source in sources))

        def value(batch: Batch) -> tuple[Array, Bools | None]:
            values, open_lanes = lifted(sources, batch, integers.U64)
            return integers.boolean_function(table, values, width), open_lanes

        return value

    def _two_results(self, statement: Compute) -> Step:
        execution = statement.lanes
        require_bits(execution, self._threads)
        wide, lanes = statement.operation.name == "madw", execution.size
        sources = [self._operands.source(operand, lanes) for operand in statement.sources]
        if any(source.type.floating or source.type.size > 4 for source in sources):
            raise NotVectorised(f"{statement.operation.name} on this type")
        grf = self._threads.platform.grf_bytes  # Page MADW: "the high 32b of results are stored in the high GRFs"
        behind = -(-4 * lanes // grf) * grf
        low_target = self._operands.destination(statement.target, lanes)
        high_target = self._operands.destination(statement.targets[0 if wide else 1], lanes, behind if wide else 0)
        if not _apart(low_target, high_target):
            raise NotVectorised("destinations that may overlap")
        both = _PAIRS[statement.operation.name]

        def run(batch: Batch, enabled: Enabled) -> Bools | None:
            values, open_lanes = lifted(sources, batch, integers.I64)
            low, high = both(values)
            return written(batch, enabled, [(low_target, low), (high_target, high)], open_lanes)

        return Step(execution, run)


_LOW = 0xFFFF_FFFF


def _multiply_add(values: list[Array]) -> tuple[Array, Array]:
    result = values[0].astype(np.uint64) * values[1].astype(np.uint64) + values[2].astype(np.uint64)
    return result & np.uint64(_LOW), result >> np.uint64(32)


_PAIRS: dict[str, Callable[[list[Array]], tuple[Array, Array]]] = {
    "addc": lambda v: (v[0] + v[1] & _LOW, (v[0] & _LOW) + (v[1] & _LOW) > _LOW),
    "subb": lambda v: (v[0] - v[1] & _LOW, v[0] & _LOW < v[1] & _LOW),
    "madw": _multiply_add,
}


def lifted(sources: list[Source], batch: Batch, dtype: np.dtype) -> tuple[list[Array], Bools | None]:
    """The integers that the sources are, and for which lanes one of them has no element."""
    values: list[Array] = []
    open_lanes: Bools | None = None
    for source in sources:
        elements, missing = source.read(batch)
        values.append(integers.lifted(elements, source.type, source.modifier, dtype))
        open_lanes = joined(open_lanes, missing)
    return values, open_lanes


def joined(first: Bools | None, second: Bools | None) -> Bools | None:
    """The lanes of either."""
    if first is None or second is None:
        return second if first is None else first
    return first | second


def written(
    batch: Batch, enabled: Enabled, results: list[tuple[Destination, Array]], open_lanes: Bools | None
) -> Bools | None:
    """Writes results, but for the threads with an open lane or without a place for one; those are returned."""
    for target, _ in results:
        open_lanes = joined(open_lanes, target.fits(batch))
    left = None
    if open_lanes is not None:
        left = any_lane(open_lanes, enabled.lanes)
        if not left.any():
            left = None
        else:
            enabled = enabled.without(left)
    for target, values in results:
        target.write(batch, values, enabled.lanes, enabled.full)
    return left


def _apart(first: Destination, second: Destination) -> bool:
    """Whether no byte can belong to both destinations."""
    if first.span is None or second.span is None:
        return False
    return first.span[0] != second.span[0] or first.span[2] <= second.span[1] or second.span[2] <= first.span[1]


def require_lanes(execution: Execution, bits: int) -> None:
    """Raises NotVectorised where a predicate variable of so many bits has none for some lane."""
    if lane_offset(execution) + execution.size > bits:
        raise NotVectorised("a predicate with too few bits")
