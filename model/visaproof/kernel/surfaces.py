"""Which surface a message reaches: the values that `movs` binds to surface variables, found before anything runs."""

from collections.abc import Mapping
from functools import lru_cache

from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.kernel.statement import root_byte
from visaproof.kernel.syntax import (
    Immediate,
    IndirectOperand,
    Instruction,
    Kernel,
    LscData,
    RawOperand,
    SubscriptedName,
    SurfaceVariable,
    VectorDestination,
    VectorSource,
)

BINDLESS = "%bss"
"""The surface variable whose value is an offset into the surface state heap."""


class SurfaceBindings:
    """The surface that each variable stands for, statement after statement.

    A surface is named by what bound it: `bti 2` for a binding table index, `bindless V0034.0` for an offset that the
    kernel got in an input, and by its variable where nothing bound it.  Two names may still be one surface.
    """

    def __init__(self, kernel: Kernel, platform: Platform) -> None:
        self._kernel = kernel
        self._platform = platform
        self._bound: dict[str, str] = {}

    def contents(self) -> dict[str, str]:
        """What `restore` brings back."""
        return dict(self._bound)

    def restore(self, bound: Mapping[str, str]) -> None:
        self._bound = dict(bound)

    def bind(self, movs: Instruction) -> None:
        """Takes note of a `movs`; one of a sampler changes no surface."""
        named = self.named(movs)
        if named is not None:
            self._bound[named[0]] = named[1]

    def named(self, movs: Instruction) -> tuple[str, str] | None:
        """The surface variable that a `movs` binds, and the name of the surface; None where it changes no surface."""
        target, source = movs.operands
        if not isinstance(target, SubscriptedName):
            return None
        if target.element != 0 or not isinstance(self._kernel.variables.get(target.name), SurfaceVariable):
            return None
        return target.name, self._name(target.name, source, movs)

    def key(self, variable: str) -> str:
        """The name of the surface that the variable stands for now."""
        return self._bound.get(variable, variable)

    def _name(self, variable: str, source: object, movs: Instruction) -> str:
        kind = "bindless" if variable == BINDLESS else "bti"
        if isinstance(source, Immediate):
            return f"{kind} {source.bits}"
        if isinstance(source, VectorSource):
            place = first_byte(self._kernel, source, self._platform)
            return f"{kind} {_origin(self._kernel, place, movs, self._platform, _WITH_A_DWORD)}"
        return f"{kind} line {movs.position.line}"


Place = tuple[str, int]
"""A byte of a root variable."""


def bindless_name(kernel: Kernel, handle: Place, reader: Instruction, platform: Platform, *, wide: bool = False) -> str:
    """The name of the surface whose handle of a dword, or of a qword if it is `wide`, lies at this byte."""
    return f"bindless {_origin(kernel, handle, reader, platform, _QWORDS if wide else _WITH_A_DWORD)}"


def _origin(kernel: Kernel, place: Place, reader: Instruction, platform: Platform, types: frozenset[DataType]) -> str:
    """Where the content of a byte comes from, through copies of these types into variables that nothing else writes."""
    while writers := writers_of(kernel, platform).get(place[0]):
        copied = _copied(kernel, writers[0][1], platform, types)
        if len(writers) > 1 or writers[0][0] != place[1] or copied is None:
            return f"{place[0]}.{place[1]} line {reader.position.line}"
        place = copied
    return f"{place[0]}.{place[1]}"


def first_byte(kernel: Kernel, operand: VectorSource | VectorDestination, platform: Platform) -> Place:
    """The byte of a root variable at which an operand begins."""
    declared = kernel.variables[operand.variable]
    size = getattr(declared, "type", DataType.UD).size
    return root_byte(kernel, operand.variable, operand.row * platform.grf_bytes + operand.column * size)


_QWORDS = frozenset((DataType.UQ, DataType.Q))
_WITH_A_DWORD = frozenset((DataType.UD, DataType.D)) | _QWORDS
"""Integers whose lowest dword a `mov` between them keeps."""


def _copied(kernel: Kernel, mov: Instruction, platform: Platform, types: frozenset[DataType]) -> Place | None:
    """What a one-lane unmasked `mov` between these types copies; of a dword and a qword, the lower half."""
    if mov.opcode != "mov" or mov.suffixes or mov.predicate or mov.execution is None:
        return None
    source = mov.operands[1]
    if mov.execution.size != 1 or not mov.execution.mask.no_mask or not isinstance(source, VectorSource):
        return None
    target = mov.operands[0]
    copied = [one for one in (source, target) if isinstance(one, VectorSource | VectorDestination)]
    if source.modifier or not {getattr(kernel.variables[one.variable], "type", DataType.UW) for one in copied} <= types:
        return None
    return first_byte(kernel, source, platform)


class _Same:
    """A kernel that is compared by its identity."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def __hash__(self) -> int:
        return id(self.kernel)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.kernel is other.kernel


Writers = Mapping[str, list[tuple[int | None, Instruction]]]


def writers_of(kernel: Kernel, platform: Platform) -> Writers:
    """Each instruction that may write a root variable, with the first byte where it is known."""
    return _writers_of(_Same(kernel), platform)


@lru_cache(maxsize=4)
def _writers_of(same: _Same, platform: Platform) -> Writers:
    kernel = same.kernel
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
                for name in kernel.variables:
                    by_root.setdefault(name, []).append((None, instruction))
    return by_root
