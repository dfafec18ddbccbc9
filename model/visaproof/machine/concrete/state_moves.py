"""`movs` on ints: what surface and sampler variables stand for.  Page: MOVS.md."""

from collections.abc import Callable
from copy import copy

from visaproof.decode.statement import execution_of
from visaproof.decode.surfaces import StateElement, SurfaceBindings, index_missing, may_be_handle
from visaproof.machine.concrete.operands import ConcreteOperands
from visaproof.machine.concrete.predicates import enabled_lanes
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.visaasm.syntax import Instruction, Operand, SubscriptedName, VectorSource


class ConcreteStateMoves:
    """The state variables of a thread: a name and a number for each element that was bound."""

    def __init__(self, bindings: SurfaceBindings, state: ConcreteState, operands: ConcreteOperands) -> None:
        self._surfaces = copy(bindings)
        self._surfaces.restore({})
        self._state = state
        self._operands = operands
        self._indices: dict[StateElement, int] = {}
        self._handles: set[StateElement] = set()
        """Those whose index came out of a register."""

    def step(self, movs: Instruction) -> None:
        """Page: "contiguous elements will be copied", as many as there are lanes, from the offsets of both operands."""
        self._operands.require_described(movs)
        target, source = movs.operands
        if not isinstance(target, SubscriptedName):
            copy_indices(movs, self._state, self._operands, self._indices.get)
            return
        moved = [self._moved(source, lane) for lane in range(execution_of(movs).size)]  # reading movs-mask
        self._surfaces.bind(movs)
        handles = [self._is_handle(source, lane) for lane in range(len(moved))]
        for lane, index in enumerate(moved):
            place = StateElement(target.name, target.element + lane)
            self._indices.pop(place, None)
            self._handles.discard(place)
            if index is not None:
                self._indices[place] = index
            if handles[lane]:
                self._handles.add(place)

    def _moved(self, source: Operand, lane: int) -> int | None:
        """The index that a lane moves; None where nothing bound what it copies."""
        if isinstance(source, SubscriptedName):
            return self._indices.get(StateElement(source.name, source.element + lane))
        return self._operands.read(source, lane)[0]

    def _is_handle(self, source: Operand, lane: int) -> bool:
        if isinstance(source, SubscriptedName):
            return StateElement(source.name, source.element + lane) in self._handles
        return isinstance(source, VectorSource)

    def keys(self, variable: str) -> list[str]:
        """The names of the surface that a variable stands for: by its handle as well, where the number may be one."""
        key = self._surfaces.key(variable)
        return [key, f"bindless handle {self.index(variable)}"] if may_be_handle(key) else [key]

    def index(self, variable: str) -> int | None:
        """The number that was moved into a variable."""
        return self._indices.get(StateElement(variable, 0))

    def sampler_number(self, variable: str) -> int | None:
        """The number of the sampler that a variable stands for; None where that is not known, as behind a handle."""
        return None if StateElement(variable, 0) in self._handles else self.index(variable)

    def contents(self) -> object:
        """All that the variables hold."""
        return self._surfaces.contents(), dict(self._indices), set(self._handles)


def copy_indices(
    movs: Instruction, state: ConcreteState, operands: ConcreteOperands, index: Callable[[StateElement], int | None]
) -> None:
    """Page: "If Dst is a general operand, … the index value representing the state variable will be copied"."""
    target, source = movs.operands
    assert isinstance(source, SubscriptedName)
    for lane in enabled_lanes(state, execution_of(movs)):
        place = StateElement(source.name, source.element + lane)
        found = index(place)
        if found is None:
            raise index_missing(place, source.position)
        operands.write(target, lane, found)
