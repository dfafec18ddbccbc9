"""Which surface a message reaches: the values that `movs` binds to surface variables, found before anything runs."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from visaproof.decode.statement import Statement, execution_of, root_byte
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.identity import Same
from visaproof.isa.platform import Platform
from visaproof.isa.surface_keys import StateAt, TableEntry, surface_key
from visaproof.isa.types import DataType
from visaproof.visaasm.syntax import (
    AddressOf,
    Immediate,
    IndirectOperand,
    Instruction,
    Kernel,
    LscData,
    Operand,
    RawOperand,
    SubscriptedName,
    SurfaceVariable,
    VectorDestination,
    VectorSource,
)

BINDLESS = "%bss"
"""The surface variable whose value is an offset into the surface state heap."""


class StateElement(NamedTuple):
    """An element of a surface or sampler variable; a message names element 0."""

    variable: str
    element: int


def unbound(place: StateElement) -> str:
    """The name of a surface that nothing bound to this element."""
    return place.variable if place.element == 0 else f"{place.variable}({place.element})"


def index_missing(place: StateElement, position: Position) -> NotModelled:
    """Page MOVS: "the index value representing the state variable", which a kernel knows only where it was moved."""
    what = f"movs of {place.variable}({place.element}), of which no launch says the index: page MOVS"
    return NotModelled(what, position)


def indices_are_read(kernel: Kernel) -> bool:
    """Whether some `movs` copies what a state variable holds; otherwise its index needs no number."""
    return any(one.opcode == "movs" and isinstance(one.operands[1], SubscriptedName) for one in kernel.instructions())


class SurfaceBindings:
    """The surface that each element of a surface variable stands for, statement after statement.

    A surface is named by what bound it: `bti 2` for a binding table index, `bindless V0034.0` for an offset that the
    kernel got in an input, and by its variable where nothing bound it.  Two names may still be one surface.
    """

    def __init__(self, kernel: Kernel, platform: Platform) -> None:
        self._kernel = kernel
        self._platform = platform
        self._bound: dict[StateElement, str] = {}

    def contents(self) -> dict[StateElement, str]:
        """What `restore` brings back."""
        return dict(self._bound)

    def restore(self, bound: Mapping[StateElement, str]) -> None:
        self._bound = dict(bound)

    def bind(self, movs: Instruction) -> None:
        """Takes note of a `movs`; one of a sampler changes no surface."""
        self._bound.update(self.named(movs, self._held))

    def named(self, movs: Instruction, held: Callable[[StateElement], str]) -> dict[StateElement, str]:
        """The elements of surface variables that a `movs` binds, each with the name of its surface.

        `held` says what an element that is copied stands for.  All lanes count, by the reading movs-mask.
        """
        return {
            place: held(source) if isinstance(source, StateElement) else source
            for place, source in self.bound_by(movs).items()
        }

    def bound_by(self, movs: Instruction) -> dict[StateElement, str | StateElement]:
        """The same with the elements that are copied as they are."""
        target, source = movs.operands
        if not isinstance(target, SubscriptedName):
            return {}
        if not isinstance(self._kernel.variables.get(target.name), SurfaceVariable):
            return {}
        return {
            StateElement(target.name, target.element + lane): self._name(target, source, lane, movs)
            for lane in range(execution_of(movs).size)
        }

    def key(self, variable: str) -> str:
        """The name of the surface that the variable stands for now."""
        return self._held(StateElement(variable, 0))

    def _held(self, place: StateElement) -> str:
        return self._bound.get(place, unbound(place))

    def _name(
        self,
        target: SubscriptedName,
        source: Operand,
        lane: int,
        movs: Instruction,
    ) -> str | StateElement:
        kind = _kind(target)
        if (place := copied(target, source, lane)) is not None:
            return place
        match source:
            case Immediate(bits):
                return f"{kind} {bits}"
            case VectorSource(region=region):
                root, start = first_byte(self._kernel, source, self._platform)
                element = lane // region.width * region.vertical + lane % region.width * region.horizontal
                byte = root, start + DataType.UD.size * element
                origin = _origin(self._kernel, byte, movs, self._platform, _WITH_A_DWORD)
                return str(origin) if kind == "bindless" else f"{kind} {origin.place}"
            case _:
                return f"{kind} line {movs.position.line}{f' lane {lane}' if lane else ''}"


def copied(target: SubscriptedName, source: Operand, lane: int) -> StateElement | None:
    """The element whose surface a lane of a `movs` hands on: one that holds the same kind of number."""
    if isinstance(source, SubscriptedName) and _kind(source) == _kind(target):
        return StateElement(source.name, source.element + lane)
    return None


HANDLE_BYTES = 4
"""Of a handle, which launches number with so many; Xe3P has zeros above."""


def may_be_handle(key: str) -> bool:
    """Whether the number behind the name of a surface may be a handle: a constant beside %bss is an index."""
    return not isinstance(surface_key(key), TableEntry)


def _kind(surface: SubscriptedName) -> str:
    """What the number in a surface variable is."""
    return "bindless" if surface.name == BINDLESS else "bti"


Place = tuple[str, int]
"""A byte of a root variable."""


def bindless_name(kernel: Kernel, handle: Place, reader: Instruction, platform: Platform, *, wide: bool = False) -> str:
    """The name of the surface whose handle of a dword, or of a qword if it is `wide`, lies at this byte."""
    return str(_origin(kernel, handle, reader, platform, _QWORDS if wide else _WITH_A_DWORD))


def handle_place(name: str) -> Place | None:
    """Where the handle lies by which a surface of such a name is found; None where the name does not say it."""
    key = surface_key(name)
    return (key.variable, key.byte) if isinstance(key, StateAt) else None


def read_surface(s: Statement, operand: Operand) -> str:
    """What a read through the sampler names: a surface variable, or on Xe3P a qword with the address of its state."""
    if s.platform < Platform.Xe3P:
        return s.surface(operand)
    match operand:
        case RawOperand():
            raw = s.raw(operand)
            place = raw.variable, raw.offset
        case VectorSource(index=0):
            place = first_byte(s.kernel, operand, s.platform)
        case _:
            return s.surface(operand)
    return bindless_name(s.kernel, place, s.instruction, s.platform, wide=True)


def _origin(
    kernel: Kernel, place: Place, reader: Instruction, platform: Platform, types: frozenset[DataType]
) -> StateAt:
    """Where the content of a byte comes from, through copies of these types into variables that nothing else writes."""
    while writers := writers_of(kernel, platform).get(place[0]):
        copied = _copied(kernel, writers[0][1], platform, types)
        if len(writers) > 1 or writers[0][0] != place[1] or copied is None:
            return StateAt(*place, reader.position.line)
        place = copied
    return StateAt(*place)


def sampler_handle(kernel: Kernel, source: VectorSource, platform: Platform) -> str:
    """The input of which a `movs` makes the name of a sampler, `V0052.0`; empty where it is made of something else.

    Not on the pages.  Seen: IGC sets bit 0 of the handle, which tells the hardware that its state is bindless.
    """
    if getattr(kernel.variables[source.variable], "type", DataType.UW) not in _WITH_A_DWORD or source.modifier:
        return ""
    inputs = {root_byte(kernel, one.variable, 0)[0] for one in kernel.inputs}
    place, marked = first_byte(kernel, source, platform), False
    while place[0] not in inputs:
        end = place[1] + HANDLE_BYTES
        writers = [one for one in writers_of(kernel, platform).get(place[0], ()) if one[0] is None or one[0] < end]
        if len(writers) != 1 or writers[0][0] != place[1]:
            return ""
        writer = writers[0][1]
        marks = writer.opcode == "or" and isinstance(bit := writer.operands[2], Immediate) and bit.bits == 1
        marked = marked or marks
        copied = _copied(kernel, writer, platform, _WITH_A_DWORD, "or" if marks else "mov")
        if copied is None or copied[0] == place[0]:
            return ""
        place = copied
    return f"{place[0]}.{place[1]}" if marked and place[0] not in writers_of(kernel, platform) else ""


def first_byte(kernel: Kernel, operand: VectorSource | VectorDestination, platform: Platform) -> Place:
    """The byte of a root variable at which an operand begins."""
    declared = kernel.variables[operand.variable]
    size = getattr(declared, "type", DataType.UD).size
    return root_byte(kernel, operand.variable, operand.row * platform.grf_bytes + operand.column * size)


_QWORDS = frozenset((DataType.UQ, DataType.Q))
_WITH_A_DWORD = frozenset((DataType.UD, DataType.D)) | _QWORDS
"""Integers whose lowest dword a `mov` between them keeps."""


def _copied(
    kernel: Kernel, mov: Instruction, platform: Platform, types: frozenset[DataType], opcode: str = "mov"
) -> Place | None:
    """What an unmasked `mov` between these types copies in its first lane; of a dword and a qword, the lower half.

    What other lanes write lies behind that, at any stride but 0.
    """
    if mov.opcode != opcode or mov.suffixes or mov.predicate or mov.execution is None:
        return None
    target, source = mov.operands[:2]
    if not mov.execution.mask.no_mask or not isinstance(source, VectorSource):
        return None
    if mov.execution.size > 1 and not (isinstance(target, VectorDestination) and target.horizontal):
        return None
    copied = [one for one in (source, target) if isinstance(one, VectorSource | VectorDestination)]
    if source.modifier or not {getattr(kernel.variables[one.variable], "type", DataType.UW) for one in copied} <= types:
        return None
    return first_byte(kernel, source, platform)


Writers = Mapping[str, list[tuple[int | None, Instruction]]]


def writers_of(kernel: Kernel, platform: Platform) -> Writers:
    """Each instruction that may write a root variable, with the first byte where it is known."""
    return _writers_of(Same(kernel), platform)


@lru_cache(maxsize=4)
def _writers_of(same: Same[Kernel], platform: Platform) -> Writers:
    kernel = same.it
    reached = _addressed(kernel)
    by_root: dict[str, list[tuple[int | None, Instruction]]] = {}
    for instruction in kernel.instructions():
        for operand in instruction.operands:
            if isinstance(operand, VectorDestination):
                root, byte = first_byte(kernel, operand, platform)
                by_root.setdefault(root, []).append((byte, instruction))
            elif isinstance(operand, RawOperand | LscData):
                root, _ = root_byte(kernel, operand.variable, operand.offset)
                by_root.setdefault(root, []).append((None, instruction))
            elif isinstance(operand, IndirectOperand) and operand.horizontal is not None:
                for root in reached:
                    by_root.setdefault(root, []).append((None, instruction))
    return by_root


def _addressed(kernel: Kernel) -> dict[str, None]:
    """The root variables of which register addresses are made; behind the end of one a kernel is undefined."""
    operands = (operand for instruction in kernel.instructions() for operand in instruction.operands)
    return dict.fromkeys(root_byte(kernel, one.variable, 0)[0] for one in operands if isinstance(one, AddressOf))
