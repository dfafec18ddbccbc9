"""`movs` symbolically: what surface and sampler variables stand for.  Page: MOVS.md."""

from collections.abc import Mapping
from typing import NamedTuple

from visaproof.decode.statement import execution_of
from visaproof.decode.surfaces import StateElement, index_missing, indices_are_read
from visaproof.isa.errors import Position
from visaproof.machine.symbolic.bindings import Bound, GuardedBindings
from visaproof.machine.symbolic.operands import SymbolicOperands
from visaproof.machine.symbolic.predicates import lanes_of
from visaproof.machine.symbolic.thread import Thread
from visaproof.semantics.symbolic.guarded import ByteWrite, GuardedRegisters, Literals
from visaproof.semantics.symbolic.value_names import UnboundIndex
from visaproof.smt import BitVec, symbol, symbols_of
from visaproof.visaasm.syntax import Instruction, Kernel, Operand, SamplerVariable, SubscriptedName, SurfaceVariable

INDEX_BYTES = 4
"""Page MOVS: an index has the type UD."""


class StateContents(NamedTuple):
    """What the elements of the state variables stand for, and their indices."""

    surfaces: Mapping[StateElement, tuple[Bound, ...]]
    indices: Mapping[str, list[ByteWrite | None]]


class StateMoves:
    """The surface behind each surface variable; their indices, and those of samplers, only where a `movs` reads one."""

    def __init__(self, kernel: Kernel, thread: Thread, operands: SymbolicOperands) -> None:
        self._thread = thread
        self._operands = operands
        self._surfaces = GuardedBindings(kernel, thread.platform, thread.lanes)
        self._tracked = indices_are_read(kernel)
        variables = [one for one in kernel.variables.values() if isinstance(one, SurfaceVariable | SamplerVariable)]
        self._indices = GuardedRegisters(
            {one.name: INDEX_BYTES * one.num_elts for one in variables},
            lambda name, byte: (symbol(UnboundIndex(name, byte // INDEX_BYTES), 32), byte % INDEX_BYTES),
        )

    def step(self, movs: Instruction) -> None:
        """Page: "contiguous elements will be copied", as many as there are lanes, from the offsets of both operands."""
        target, source = movs.operands
        if not isinstance(target, SubscriptedName):
            assert isinstance(source, SubscriptedName)
            self._copy_indices(movs, target, source)
            return
        self._surfaces.bind(movs)
        if self._tracked:
            facts = self._thread.lanes.facts
            moved = [self._moved(source, lane, facts) for lane in range(execution_of(movs).size)]  # reading movs-mask
            for lane, index in enumerate(moved):
                self._indices.write_under(target.name, INDEX_BYTES * (target.element + lane), index, facts)

    def _moved(self, source: Operand, lane: int, assumed: Literals) -> BitVec:
        """The index that a lane moves."""
        if isinstance(source, SubscriptedName):
            return self._indices.read_under(source.name, INDEX_BYTES * (source.element + lane), INDEX_BYTES, assumed)
        return self._operands.reader(source)(lane, assumed).bits

    def _copy_indices(self, movs: Instruction, target: Operand, source: SubscriptedName) -> None:
        """Page: "If Dst is a general operand, … the index value representing the state variable will be copied"."""
        write = self._operands.writer(target)
        for lane, guard, assumed in lanes_of(self._thread, execution_of(movs)):
            index = self._moved(source, lane, assumed)
            if any(isinstance(one.payload, UnboundIndex) for one in symbols_of(index)):
                raise index_missing(StateElement(source.name, source.element + lane), source.position)
            write(lane, index, guard, assumed)

    def key(self, variable: str, reader: Position) -> str:
        """The surface that the variable stands for here.  Raises NotModelled where it may be one of several."""
        return self._surfaces.key(variable, reader)

    def contents(self) -> StateContents:
        """What `restore` brings back."""
        return StateContents(self._surfaces.contents(), self._indices.contents())

    def restore(self, contents: StateContents) -> None:
        self._surfaces.restore(contents.surfaces)
        self._indices.restore(contents.indices)

    def changed_since(self, before: StateContents) -> bool:
        """Whether a variable may have been bound to something else."""
        return self._surfaces.changed_since(before.surfaces) or self._indices.contents() != before.indices
