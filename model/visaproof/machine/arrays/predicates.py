"""Statements that set predicates, on arrays: `cmp`, `setp`, and logic on predicates."""

import numpy as np

from visaproof.decode.statement import lane_offset
from visaproof.isa.operands import Execution
from visaproof.machine.arrays import floats, integers
from visaproof.machine.arrays.arithmetic import lifted, require_lanes, written
from visaproof.machine.arrays.arrays import Array, Bools, any_lane
from visaproof.machine.arrays.batch import Batch, Enabled, NotVectorised, require_bits
from visaproof.machine.arrays.operands import Operands, Source
from visaproof.machine.arrays.step import Step
from visaproof.machine.arrays.threads import Threads
from visaproof.program.operands import PredicateTarget, Unlowered
from visaproof.program.operands import Source as Read
from visaproof.program.statements import CombinePredicates, Compare, SetPredicate

_COMBINED = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor, "not": np.logical_not}


class Predicates:
    """Turns statements that set predicates into steps."""

    def __init__(self, threads: Threads, operands: Operands) -> None:
        self._threads = threads
        self._operands = operands

    def compare(self, statement: Compare) -> Step:
        """Raises NotVectorised for what the arrays do not run."""
        execution, target = statement.lanes, statement.target
        require_bits(execution, self._threads)
        sources = [self._operands.source(operand, execution.size) for operand in statement.sources]
        holds = self._relation(statement.relation, sources)
        if not isinstance(target, PredicateTarget):
            destination = self._operands.destination(target, execution.size)

            def run_numbers(batch: Batch, enabled: Enabled) -> Bools | None:
                bits, open_lanes = holds(batch)
                return written(batch, enabled, [(destination, -bits.astype(np.int64))], open_lanes)

            return Step(execution, run_numbers)
        require_lanes(execution, self._threads.predicates[target.variable].shape[1])

        def run(batch: Batch, enabled: Enabled) -> Bools | None:
            bits, open_lanes = holds(batch)
            return self._set(batch, enabled, target.variable, lane_offset(execution), bits, open_lanes)

        return Step(execution, run)

    def _relation(self, relation: str, sources: list[Source]):
        if sources[0].type.floating:
            return floats.compared(relation, sources)
        if sources[1].type.floating:
            raise NotVectorised("cmp of an integer and a float")
        working = integers.exact_type([integers.value_range(source.type, source.modifier) for source in sources])
        compare = integers.COMPARISONS[relation]

        def holds(batch: Batch) -> tuple[Array, Bools | None]:
            (left, right), open_lanes = lifted(sources, batch, working)
            return compare(left, right), open_lanes

        return holds

    def set(self, setp: SetPredicate) -> Step:
        """Page SETP.  Raises NotVectorised as `compare`."""
        execution, target, source = setp.lanes, setp.target, setp.source
        if isinstance(target, Unlowered):
            raise NotVectorised(target.what)
        require_bits(execution, self._threads)
        require_lanes(execution, self._threads.predicates[target.variable].shape[1])
        if source.is_scalar:
            return self._set_half(execution, target.variable, source)
        elements = self._operands.source(source, execution.size)

        def run(batch: Batch, enabled: Enabled) -> Bools | None:
            values, open_lanes = elements.read(batch)
            bits = (values.astype(np.int64) & 1).astype(np.bool_)
            return self._set(batch, enabled, target.variable, lane_offset(execution), bits, open_lanes)

        return Step(execution, run)

    def _set_half(self, execution: Execution, name: str, source: Read) -> Step:
        """Page SETP of a scalar: "the lower/upper 16 dst elements", or all 32, whatever lanes run."""
        first = 0 if execution.size == 32 else lane_offset(execution)
        size = min(32 if execution.size == 32 else 16, self._threads.predicates[name].shape[1] - first)
        elements, places = self._operands.source(source, 1), np.arange(size, dtype=np.int64)

        def run(batch: Batch, _: Enabled) -> Bools | None:
            values, open_lanes = elements.read(batch)
            bits = (values.astype(np.int64) >> places & 1).astype(np.bool_) & (places < elements.type.bits)
            every = Enabled(np.ones((batch.count, size), np.bool_), True)
            return self._set(batch, every, name, first, bits, open_lanes)

        return Step(execution, run)

    def combine(self, statement: CombinePredicates) -> Step:
        """Page AND and its like on predicates.  Raises NotVectorised as `compare`."""
        execution, target, names = statement.lanes, statement.target, statement.sources
        for name in (target, *names):
            require_lanes(execution, self._threads.predicates[name].shape[1])
        first, function = lane_offset(execution), _COMBINED[statement.operation.name]

        def run(batch: Batch, enabled: Enabled) -> Bools | None:
            every = slice(None) if batch.rows is None else batch.rows
            sources = [self._threads.predicates[name][every, first : first + execution.size] for name in names]
            return self._set(batch, enabled, target, first, function(*sources), None)

        return Step(execution, run)

    def _set(
        self, batch: Batch, enabled: Enabled, name: str, first: int, bits: Bools, open_lanes: Bools | None
    ) -> Bools | None:
        """Sets the bits (threads, lanes) of the lanes that take part, from bit `first` on."""
        left = None if open_lanes is None else any_lane(open_lanes, enabled.lanes)
        if left is not None:
            enabled = enabled.without(left)
        view = self._threads.predicates[name][:, first : first + enabled.lanes.shape[1]]
        if batch.rows is None:
            np.copyto(view, bits, where=enabled.lanes)
        else:
            view[batch.rows] = np.where(enabled.lanes, bits, view[batch.rows])
        return left
