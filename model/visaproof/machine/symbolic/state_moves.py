"""`movs` symbolically: what surface and sampler variables stand for.  Page: MOVS.md."""

from collections.abc import Mapping
from typing import NamedTuple

from visaproof.decode.surfaces import StateElement, index_missing
from visaproof.isa.errors import Position
from visaproof.machine.symbolic.bindings import Bound, GuardedBindings
from visaproof.machine.symbolic.operands import SymbolicOperands
from visaproof.machine.symbolic.predicates import lanes_of
from visaproof.machine.symbolic.thread import Thread
from visaproof.program.operands import Source
from visaproof.program.statements import BindState, ReadState
from visaproof.semantics.symbolic.guarded import ByteWrite, GuardedRegisters
from visaproof.semantics.symbolic.literals import Literals
from visaproof.semantics.symbolic.value_names import OfLoop, UnboundIndex
from visaproof.smt import BitVec, bool_symbol, symbol, symbols_of

INDEX_BYTES = 4
"""Page MOVS: an index has the type UD."""


class StateContents(NamedTuple):
    """What the elements of the state variables stand for, and their indices."""

    surfaces: Mapping[StateElement, tuple[Bound, ...]]
    indices: Mapping[str, list[ByteWrite | None]]


class StateMoves:
    """The surface behind each surface variable; their indices, and those of samplers, only where a `movs` reads one."""

    def __init__(self, thread: Thread, operands: SymbolicOperands) -> None:
        self._thread = thread
        self._operands = operands
        self._surfaces = GuardedBindings(thread.lanes)
        self._tracked = thread.program.indices_are_read
        self._indices = GuardedRegisters(
            {name: INDEX_BYTES * one.elements for name, one in thread.program.states.items()},
            lambda name, byte: (symbol(UnboundIndex(name, byte // INDEX_BYTES), 32), byte % INDEX_BYTES),
        )

    def bind(self, movs: BindState) -> None:
        """Page: "contiguous elements will be copied", as many as there are lanes, from the offsets of both operands."""
        target = movs.target
        self._surfaces.bind(movs)
        if self._tracked:
            facts = self._thread.lanes.facts
            moved = [self._moved(movs.source, lane, facts) for lane in range(movs.lanes.size)]  # reading movs-mask
            for lane, index in enumerate(moved):
                self._indices.write_under(target.variable, INDEX_BYTES * (target.element + lane), index, facts)

    def _moved(self, source: StateElement | Source, lane: int, assumed: Literals) -> BitVec:
        """The index that a lane moves."""
        if isinstance(source, StateElement):
            place = INDEX_BYTES * (source.element + lane)
            return self._indices.read_under(source.variable, place, INDEX_BYTES, assumed)
        return self._operands.reader(source)(lane, assumed).bits

    def read(self, movs: ReadState) -> None:
        """Page: "If Dst is a general operand, … the index value representing the state variable will be copied"."""
        write, source = self._operands.writer(movs.target), movs.source
        for lane, guard, assumed in lanes_of(self._thread, movs.lanes):
            index = self._moved(source, lane, assumed)
            if any(isinstance(one.payload, UnboundIndex) for one in symbols_of(index)):
                raise index_missing(StateElement(source.variable, source.element + lane), movs.source_position)
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
        """Whether the index of a variable may be another one."""
        return self._indices.contents() != before.indices

    def bound_since(self, before: StateContents, log: int) -> dict[StateElement, set[str]]:
        """The surfaces that elements were bound to since then, if some stand for another one than before."""
        found: dict[StateElement, set[str]] = {}
        if self._surfaces.changed_since(before.surfaces):
            for place, key in self._surfaces.log[log:]:
                found.setdefault(place, set()).add(key)
        return found

    @property
    def logged(self) -> int:
        """How often an element was bound."""
        return len(self._surfaces.log)

    def loosen(self, bound: Mapping[StateElement, set[str]], name: str) -> None:
        """Lets elements stand for any of these surfaces, as iterations of a loop of this name leave them."""
        self._surfaces.loosen(bound, bool_symbol(OfLoop(name, "bound")))
