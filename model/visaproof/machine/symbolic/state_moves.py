"""`movs` symbolically: what surface and sampler variables stand for.  Page: MOVS.md.

A surface is named by the input that holds its handle.  Unoptimised code keeps handles in private memory, one for each
lane, and takes that of the first lane that is on:

    the word that is moved = the initial word of input V at byte b   ⇒   the surface is the one with the handle V.b
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from visaproof.decode.surfaces import HANDLE_BYTES, StateElement, index_missing
from visaproof.isa.errors import Position
from visaproof.isa.surface_keys import StateAt, surface_key
from visaproof.machine.symbolic.bindings import Bound, GuardedBindings
from visaproof.machine.symbolic.operands import SymbolicOperands
from visaproof.machine.symbolic.predicates import lanes_of
from visaproof.machine.symbolic.thread import Thread
from visaproof.program.operands import Source
from visaproof.program.statements import BindState, ReadState
from visaproof.semantics.symbolic.guarded import ByteWrite, GuardedRegisters
from visaproof.semantics.symbolic.literals import Literals
from visaproof.semantics.symbolic.value_names import OfLoop, UnboundIndex
from visaproof.smt import BitVec, bool_symbol, extract, symbol, symbols_of

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
        self._surfaces.bind(movs, dict(self._found_by_value(movs)))
        if self._tracked:
            facts = self._thread.lanes.facts
            moved = [self._moved(movs.source, lane, facts) for lane in range(movs.lanes.size)]  # reading movs-mask
            for lane, index in enumerate(moved):
                self._indices.write_under(target.variable, INDEX_BYTES * (target.element + lane), index, facts)

    def _found_by_value(self, movs: BindState) -> Iterator[tuple[StateElement, str]]:
        """The surfaces of which the text does not say where their handles come from, but the words that are moved do.

        They are read under what holds wherever the thread comes here, as the names are.
        """
        for place, key in movs.surfaces.items():
            found = None if isinstance(key, StateElement) else surface_key(key)
            if isinstance(found, StateAt) and found.line is not None:  # what `movs` moves has no modifier
                word = self._moved(movs.source, place.element - movs.target.element, self._thread.lanes.facts)
                if word in self._handles:
                    yield place, str(self._handles[word])

    @cached_property
    def _handles(self) -> dict[BitVec, StateAt]:
        """The dwords of the inputs, as they are at first."""
        found: dict[BitVec, StateAt] = {}
        for one in self._thread.program.inputs:
            variable = self._thread.program.storage.get(one.variable)
            for byte in range(0, 0 if variable is None else variable.size, HANDLE_BYTES):
                word, start = self._thread.initial(one.variable, byte)
                if start + HANDLE_BYTES <= word.width // 8:
                    dword = extract(word, 8 * (start + HANDLE_BYTES) - 1, 8 * start)
                    found.setdefault(dword, StateAt(one.variable, byte))
        return found

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
