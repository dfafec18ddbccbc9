"""From the operands of `.visaasm` to bytes of storage: aliases, rows and columns are resolved here alone."""

from functools import lru_cache

from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.program.operands import (
    AddressedElements,
    AddressedTarget,
    AddressRegisters,
    Constant,
    Destination,
    DroppedTarget,
    Elements,
    PackedConstant,
    PredicateTarget,
    Region,
    RowRegion,
    Source,
    StorageAddress,
    Target,
    Unlowered,
)
from visaproof.visaasm import syntax
from visaproof.visaasm.opcode_kinds import RESTRICTED_FLOATS, packed_element
from visaproof.visaasm.predefined import NULL

PACKED_INTEGERS = 8
"""The elements of `:v` and `:uv`."""


class OperandLowering:
    """Lowers the operands of one kernel."""

    def __init__(self, kernel: syntax.Kernel, platform: Platform) -> None:
        self._kernel = kernel
        self._grf_bytes = platform.grf_bytes
        self._roots: dict[str, tuple[str, int, DataType]] = {}

    def source(self, operand: syntax.Operand) -> Source:
        match operand:
            case syntax.Immediate(_, data_type) if data_type.packed:
                count = RESTRICTED_FLOATS if data_type is DataType.VF else PACKED_INTEGERS
                elements = [packed_element(operand, lane) for lane in range(count)]
                return PackedConstant(tuple(bits for bits, _ in elements), elements[0][1], operand.position)
            case syntax.Immediate(bits, data_type):
                return Constant(bits, data_type, operand.position)
            case syntax.VectorSource(variable, row, column, region, modifier):
                root, start, data_type = self._first(variable, row, column)
                return Elements(root, start, _region(region), data_type, modifier, operand.position)
            case syntax.IndirectOperand(variable, element, behind, region, _, data_type, modifier) if region:
                lowered = _region(region) if isinstance(region, syntax.Region) else _rows(region)
                return AddressedElements(variable, element, behind, lowered, data_type, modifier, operand.position)
            case _:
                return Unlowered("a source in this form", operand.position)

    def destination(self, operand: syntax.Operand) -> Destination:
        match operand:
            case syntax.VectorDestination(variable) if variable == NULL:
                return DroppedTarget(self._root(variable)[2], operand.position)
            case syntax.VectorDestination(variable, row, column, horizontal):
                root, start, data_type = self._first(variable, row, column)
                return Target(root, start, horizontal, data_type, operand.position)
            case syntax.IndirectOperand(variable, element, behind, _, horizontal, data_type) if horizontal is not None:
                return AddressedTarget(variable, element, behind, horizontal, data_type, operand.position)
            case _:
                return Unlowered("a destination in this form", operand.position)

    def address(self, operand: syntax.Operand) -> StorageAddress | AddressRegisters | Unlowered:
        """What `addr_add` adds to."""
        match operand:
            case syntax.AddressOf(variable, byte_offset) if isinstance(
                self._kernel.variables.get(variable), syntax.GeneralVariable
            ):
                root, start, _ = self._root(variable)
                return StorageAddress(root, start + byte_offset, operand.position)
            case syntax.SubscriptedName():
                return registers(operand)
            case _:
                return Unlowered("an address of this form", operand.position)

    def _first(self, variable: str, row: int, column: int) -> tuple[str, int, DataType]:
        """Root variable, byte of the element in this row and column, and element type."""
        root, start, data_type = self._root(variable)
        return root, start + row * self._grf_bytes + column * data_type.size, data_type

    def _root(self, variable: str) -> tuple[str, int, DataType]:
        """Root variable, the first byte, and element type."""
        if variable not in self._roots:
            declared = self._kernel.variables[variable]
            assert isinstance(declared, syntax.GeneralVariable)
            root, start = self._kernel.root_of(declared)
            self._roots[variable] = root.name, start, declared.type
        return self._roots[variable]


def registers(operand: syntax.SubscriptedName) -> AddressRegisters:
    """Address registers from the named one on."""
    return AddressRegisters(operand.name, operand.element, operand.horizontal or 1, operand.position)


def predicate(operand: syntax.Operand) -> PredicateTarget | None:
    """The predicate that stands in the place of a vector; None where none does."""
    return PredicateTarget(operand.name) if isinstance(operand, syntax.Name) else None


@lru_cache(maxsize=256)
def _region(region: syntax.Region) -> Region:
    return Region(region.vertical, region.width, region.horizontal)


@lru_cache(maxsize=256)
def _rows(region: syntax.RowRegion) -> RowRegion:
    return RowRegion(region.width, region.horizontal)
