"""`movs` on ints: what surface and sampler variables stand for.  Page: MOVS.md."""

from collections.abc import Callable, Collection

from visaproof.decode.surfaces import HANDLE_BYTES, StateElement, handle_place, index_missing, may_be_handle, unbound
from visaproof.isa.surface_keys import HandleNumber
from visaproof.machine.concrete.operands import ConcreteOperands
from visaproof.machine.concrete.predicates import enabled_lanes
from visaproof.program.operands import Elements, Source
from visaproof.program.statements import BindState, ReadState
from visaproof.semantics.concrete.state import ConcreteState


class ConcreteStateMoves:
    """The state variables of a thread: a name and a number for each element that was bound."""

    def __init__(self, state: ConcreteState, operands: ConcreteOperands) -> None:
        self._surfaces: dict[StateElement, str] = {}
        self._state = state
        self._operands = operands
        self._indices: dict[StateElement, int] = {}
        self._handles: set[StateElement] = set()
        """Those whose index came out of a register."""

    def step(self, movs: BindState | ReadState) -> None:
        if isinstance(movs, BindState):
            self._bind(movs)
        else:
            copy_indices(movs, self._state, self._operands, self._indices.get)

    def _bind(self, movs: BindState) -> None:
        """Page: "contiguous elements will be copied", as many as there are lanes, from the offsets of both operands."""
        target, source = movs.target, movs.source
        moved = [self._moved(source, lane) for lane in range(movs.lanes.size)]  # reading movs-mask
        self._surfaces |= {
            place: self._held(one) if isinstance(one, StateElement) else one for place, one in movs.surfaces.items()
        }
        handles = [self._is_handle(source, lane) for lane in range(len(moved))]
        for lane, index in enumerate(moved):
            place = StateElement(target.variable, target.element + lane)
            self._indices.pop(place, None)
            self._handles.discard(place)
            if index is not None:
                self._indices[place] = index
            if handles[lane]:
                self._handles.add(place)

    def _held(self, place: StateElement) -> str:
        """The surface that an element stands for."""
        return self._surfaces.get(place, unbound(place))

    def _moved(self, source: StateElement | Source, lane: int) -> int | None:
        """The index that a lane moves; None where nothing bound what it copies."""
        if isinstance(source, StateElement):
            return self._indices.get(StateElement(source.variable, source.element + lane))
        return self._operands.read(source, lane)[0]

    def _is_handle(self, source: StateElement | Source, lane: int) -> bool:
        if isinstance(source, StateElement):
            return StateElement(source.variable, source.element + lane) in self._handles
        return isinstance(source, Elements)

    def keys(self, variable: str) -> list[str]:
        """The names of the surface that a variable stands for: by its handle as well, where the number may be one."""
        key = self._held(StateElement(variable, 0))
        handle = self._handle(variable, key) if may_be_handle(key) else None
        return [key] if handle is None else [key, str(HandleNumber(handle))]

    def known(self, variable: str, surfaces: Collection[str]) -> str | None:
        """The one of these surfaces that a variable stands for, by either name; None where it is none of them."""
        return next((name for name in self.keys(variable) if name in surfaces), None)

    def _handle(self, variable: str, key: str) -> int | None:
        """The number by which a surface is found: one that was moved into the variable, or in the operand itself."""
        index, place = self.index(variable), handle_place(key)
        if index is not None or place is None or place[0] not in self._state.registers:
            return index
        name, first = place
        return int.from_bytes(self._state.registers[name][first : first + HANDLE_BYTES], "little")

    def index(self, variable: str) -> int | None:
        """The number that was moved into a variable."""
        return self._indices.get(StateElement(variable, 0))

    def sampler_number(self, variable: str) -> int | None:
        """The number of the sampler that a variable stands for; None where that is not known, as after a handle."""
        return None if StateElement(variable, 0) in self._handles else self.index(variable)

    def contents(self) -> object:
        """All that the variables hold."""
        return dict(self._surfaces), dict(self._indices), set(self._handles)


def copy_indices(
    movs: ReadState, state: ConcreteState, operands: ConcreteOperands, index: Callable[[StateElement], int | None]
) -> None:
    """Page: "If Dst is a general operand, … the index value representing the state variable will be copied"."""
    for lane in enabled_lanes(state, movs.lanes):
        place = StateElement(movs.source.variable, movs.source.element + lane)
        found = index(place)
        if found is None:
            raise index_missing(place, movs.source_position)
        operands.write(movs.target, lane, found)
