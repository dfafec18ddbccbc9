"""Vector operands on ints: which bytes an element is, and what they hold.  Page: 5_operands.md."""

from visaproof.decode.opcode_check import require_described
from visaproof.isa.errors import NotModelled, Position, UndefinedBehavior
from visaproof.isa.identity import Same
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.alu import to_integer
from visaproof.semantics.concrete.beyond import write_held
from visaproof.semantics.concrete.choices import ANY_BITS, Unstated
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.visaasm.opcode_kinds import packed_element
from visaproof.visaasm.predefined import CHANNEL_ENABLES, NULL
from visaproof.visaasm.syntax import (
    AddressOf,
    GeneralVariable,
    Immediate,
    IndirectOperand,
    Instruction,
    Kernel,
    Operand,
    PredicateVariable,
    Region,
    RowRegion,
    SubscriptedName,
    VectorDestination,
    VectorSource,
)

Address = tuple[str, int]
"""A root variable and a byte in it."""

NOWHERE = ""
"""The root of an address that was never written, or is not aligned: a variable that has no bytes."""


class ConcreteOperands:
    """Elements of vector operands in the registers of a thread."""

    def __init__(self, kernel: Kernel, state: ConcreteState) -> None:
        self._kernel = kernel
        self._state = state
        self._addresses: dict[tuple[str, int], Address] = {}
        """What the address registers hold."""
        self._described = set[Same[Instruction]]()
        """The statements of the kernel that were held against their pages, which takes longer than to run them."""

    def require_described(self, instruction: Instruction) -> None:
        """Raises NotModelled for a form of an opcode that its page does not describe."""
        if Same(instruction) not in self._described:
            require_described(instruction, self._kernel, self._state.platform)
            self._described.add(Same(instruction))

    def addresses(self) -> dict[tuple[str, int], Address]:
        """What the address registers hold."""
        return dict(self._addresses)

    def read(self, operand: Operand, lane: int) -> tuple[int, DataType, str]:
        """The bits of a lane's element of a source, their type, and the modifier that is still to be applied."""
        match operand:
            case Immediate(type=data_type) if data_type.packed:
                return *packed_element(operand, lane), ""
            case Immediate(bits, data_type):
                return bits, data_type, ""
            case VectorSource(variable, row, column, region, modifier):
                declared = self._general(variable)
                first = row * (self._state.platform.grf_bytes // declared.type.size) + column
                element = first + _region_element(region, lane)
                root, start = self._kernel.root_of(declared)
                if root.name == CHANNEL_ENABLES:
                    raise NotModelled("which lanes run, as a number", operand.position)
                byte = start + element * declared.type.size
                return self._load(root.name, byte, declared.type, lane, operand.position), declared.type, modifier
            case IndirectOperand(region=region, type=data_type, modifier=modifier) if region:
                register, element = _addressed_element(region, lane)
                root, start = self._named(operand, register, element * data_type.size)
                return self._load(root, start, data_type, lane, operand.position), data_type, modifier
            case _:
                raise NotModelled("a source in this form", operand.position)

    def destination_type(self, operand: Operand) -> DataType:
        match operand:
            case VectorDestination(variable):
                return self._general(variable).type
            case IndirectOperand():
                return operand.type
            case _:
                raise NotModelled("a destination in this form", operand.position)

    def write(self, operand: Operand, lane: int, bits: int, extra_bytes: int = 0) -> None:
        """Writes a lane's element of a destination, `extra_bytes` behind its place."""
        match operand:
            case VectorDestination(variable) if variable == NULL:
                return
            case VectorDestination(variable, row, column, horizontal):
                declared = self._general(variable)
                element = row * (self._state.platform.grf_bytes // declared.type.size) + column + lane * horizontal
                root, start = self._kernel.root_of(declared)
                place = start + element * declared.type.size + extra_bytes
                self._store(root.name, place, bits, declared.type.size)
            case IndirectOperand(horizontal=horizontal, type=data_type) if horizontal:
                root, start = self._named(operand, 0, lane * horizontal * data_type.size + extra_bytes)
                self._store(root, start, bits, data_type.size)
            case _:
                raise NotModelled("a destination in this form", operand.position)

    def set_address(self, target: SubscriptedName, lane: int, source: Operand, offset: int) -> None:
        """Page ADDR_ADD: the byte address of src0, plus src1."""
        match source:
            case AddressOf(variable, byte_offset):
                root, start = self._kernel.root_of(self._general(variable))
                place = (root.name, start + byte_offset + offset)
            case SubscriptedName(name, element):
                root_name, start = self._addresses_at(name, element + lane)
                place = (root_name, start + offset)
            case _:
                raise NotModelled("an address of this form", source.position)
        self._addresses[_register(target, lane)] = place

    def clear_address(self, target: SubscriptedName, lane: int) -> None:
        """The reading mov-of-address: the register names no variable."""
        if (register := _register(target, lane)) in self._addresses:
            del self._addresses[register]

    def _named(self, operand: IndirectOperand, register: int, distance: int) -> Address:
        """The element so far behind what an address register names; addresses are integers of 32 bits."""
        root, start = self._addresses_at(operand.address_variable, operand.element + register)
        start = to_integer((start + operand.byte_offset + distance) % 2**32, DataType.D)
        if start % operand.type.size and self._state.beyond_of(root) is not None:
            return NOWHERE, start
        if start % operand.type.size:
            raise UndefinedBehavior(f"indirect address {root}.{start} is not aligned to {operand.type.spelling}")
        return root, start

    def _addresses_at(self, variable: str, element: int) -> Address:
        if (variable, element) not in self._addresses:
            if self._state.beyond_of(f"{variable}({element})") is not None:
                return NOWHERE, 0
            raise UndefinedBehavior(f"address register {variable}({element}) was never written")
        return self._addresses[variable, element]

    def _general(self, name: str) -> GeneralVariable:
        declared = self._kernel.variables[name]
        assert isinstance(declared, GeneralVariable)
        return declared

    def _held(self, root: str) -> bytearray:
        return bytearray() if root == NOWHERE else self._state.registers[root]

    def _load(self, root: str, start: int, data_type: DataType, lane: int, position: Position) -> int:
        variable, width = self._held(root), data_type.size
        if start < 0 or start + width > len(variable):
            if (beyond := self._state.beyond_of(root)) is not None:
                return beyond.read(root, variable, start, width)
            if not self._state.choices.beyond:
                raise UndefinedBehavior(f"bytes {start}..{start + width - 1} lie beyond {root}")
            reason, place = Unstated(f"what lies beyond {root}", ANY_BITS), (root, start, lane)
            return self._state.choices.pick(reason, position, lane, data_type, place, beyond=True)
        return int.from_bytes(variable[start : start + width], "little")

    def _store(self, root: str, start: int, bits: int, width: int) -> None:
        variable, content = self._held(root), bits % (1 << 8 * width)
        if start < 0 or start + width > len(variable):
            if self._state.beyond_of(root) is None:
                raise UndefinedBehavior(f"bytes {start}..{start + width - 1} lie beyond {root}")
            write_held(variable, start, content.to_bytes(width, "little"))
        else:
            variable[start : start + width] = content.to_bytes(width, "little")


def _register(target: SubscriptedName, lane: int) -> tuple[str, int]:
    """The address register that a lane writes."""
    return target.name, target.element + lane * (target.horizontal or 1)


def _region_element(region: Region, lane: int) -> int:
    """Page: `FirstElementIndex + i * VertStride + j * HorzStride`, `Width` elements in each row."""
    i, j = divmod(lane, region.width)
    return i * region.vertical + j * region.horizontal


def _addressed_element(region: Region | RowRegion, lane: int) -> tuple[int, int]:
    """Which address register a lane uses, from the named one on, and which element behind it."""
    if isinstance(region, RowRegion):
        register, column = divmod(lane, region.width)
        return register, column * region.horizontal
    return 0, _region_element(region, lane)


def add_zeros(kernel: Kernel, state: ConcreteState) -> None:
    """The variables and predicates that the state lacks."""
    for variable in kernel.variables.values():
        if isinstance(variable, GeneralVariable) and variable.alias is None:
            state.registers.setdefault(variable.name, bytearray(variable.size))
        elif isinstance(variable, PredicateVariable):
            state.predicates.setdefault(variable.name, PredicateBits(variable.num_elts, 0))
