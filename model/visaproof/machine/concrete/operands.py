"""Vector operands on ints: which bytes an element is, and what they hold.  Page: 5_operands.md."""

from collections.abc import Sequence
from struct import pack_into, unpack_from

from visaproof.isa.errors import NotModelled, Position, UndefinedBehavior
from visaproof.isa.operands import CHANNEL_ENABLES
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
    Region,
    RowRegion,
    Source,
    StorageAddress,
    Target,
    Unlowered,
)
from visaproof.program.program import Program
from visaproof.semantics.concrete.alu import to_integer
from visaproof.semantics.concrete.beyond import write_held
from visaproof.semantics.concrete.choices import ANY_BITS, Unstated
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits

Address = tuple[str, int]
"""A root variable and a byte in it."""

CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Of numbers of so many bytes, in formats of `struct`."""

NOWHERE = ""
"""The root of an address that was never written, or is not aligned: a variable that has no bytes."""


class ConcreteOperands:
    """Elements of vector operands in the registers of a thread."""

    def __init__(self, state: ConcreteState) -> None:
        self._state = state
        self._addresses: dict[tuple[str, int], Address] = {}
        """What the address registers hold."""

    def addresses(self) -> dict[tuple[str, int], Address]:
        """What the address registers hold."""
        return dict(self._addresses)

    def read(self, operand: Source, lane: int) -> tuple[int, DataType, str]:
        """The bits of a lane's element of a source, their type, and the modifier that is still to be applied."""
        match operand:
            case Elements():  # most are: taken apart by hand, which is faster
                data_type, storage = operand.type, operand.storage
                if storage == CHANNEL_ENABLES:
                    raise NotModelled("which lanes run, as a number", operand.position)
                byte = operand.start + _region_element(operand.region, lane) * data_type.size
                return self._load(storage, byte, data_type, lane, operand.position), data_type, operand.modifier
            case Constant(bits, data_type):
                return bits, data_type, ""
            case PackedConstant(repeated, data_type):
                return repeated[lane % len(repeated)], data_type, ""
            case AddressedElements(_, _, _, region, data_type, modifier):
                register, element = _addressed_element(region, lane)
                root, start = self._named(operand, register, element * data_type.size)
                return self._load(root, start, data_type, lane, operand.position), data_type, modifier
            case Unlowered(what, position):
                raise NotModelled(what, position)

    def column(self, operand: Source, count: int) -> Sequence[int] | None:
        """The bits of the elements of the first lanes; None where these do not lie at one distance in a variable."""
        match operand:
            case Constant():
                return (operand.bits,) * count
            case Elements() if operand.storage != CHANNEL_ENABLES:
                variable, size = self._state.registers[operand.storage], operand.type.size
                stride, start = _stride(operand.region), operand.start
                span = 1 if stride is None else (count - 1) * stride + 1
                if stride is None or start < 0 or start + span * size > len(variable):
                    return None
                found = unpack_from(f"<{span}{CODES[size]}", variable, start)
                return found[::stride] if stride else found * count
            case _:
                return None

    def destination_type(self, operand: Destination) -> DataType:
        if isinstance(operand, Unlowered):
            raise NotModelled(operand.what, operand.position)
        return operand.type

    def write(self, operand: Destination, lane: int, bits: int, extra_bytes: int = 0) -> None:
        """Writes a lane's element of a destination, `extra_bytes` after its place."""
        match operand:
            case Target():
                size = operand.type.size
                self._store(operand.storage, operand.start + lane * operand.stride * size + extra_bytes, bits, size)
            case DroppedTarget():
                return
            case AddressedTarget(_, _, _, stride, data_type) if stride:
                root, start = self._named(operand, 0, lane * stride * data_type.size + extra_bytes)
                self._store(root, start, bits, data_type.size)
            case AddressedTarget():
                raise NotModelled("a destination in this form", operand.position)
            case Unlowered(what, position):
                raise NotModelled(what, position)

    def write_lanes(self, operand: Destination, lanes: Sequence[int], bits: Sequence[int]) -> None:
        """Writes the elements of these lanes, which ascend: at once where they lie beside each other in a variable."""
        if isinstance(operand, Target) and operand.stride == 1 and len(lanes) == lanes[-1] - lanes[0] + 1:
            variable, size = self._state.registers[operand.storage], operand.type.size
            start = operand.start + lanes[0] * size
            if 0 <= start <= len(variable) - len(lanes) * size:
                low = (1 << 8 * size) - 1
                pack_into(f"<{len(lanes)}{CODES[size]}", variable, start, *[one & low for one in bits])
                return
        for lane, one in zip(lanes, bits, strict=True):
            self.write(operand, lane, one)

    def set_address(
        self, target: AddressRegisters, lane: int, base: StorageAddress | AddressRegisters | Unlowered, offset: int
    ) -> None:
        """Page ADDR_ADD: the byte address of src0, plus src1."""
        match base:
            case StorageAddress(storage, byte):
                place = (storage, byte + offset)
            case AddressRegisters(name, first):
                root_name, start = self._addresses_at(name, first + lane)
                place = (root_name, start + offset)
            case Unlowered(what, position):
                raise NotModelled(what, position)
        self._addresses[_register(target, lane)] = place

    def clear_address(self, target: AddressRegisters, lane: int) -> None:
        """The reading mov-of-address: the register names no variable."""
        if (register := _register(target, lane)) in self._addresses:
            del self._addresses[register]

    def _named(self, operand: AddressedElements | AddressedTarget, register: int, distance: int) -> Address:
        """The element so far after what an address register names; addresses are integers of 32 bits."""
        root, start = self._addresses_at(operand.address, operand.register + register)
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


def _register(target: AddressRegisters, lane: int) -> tuple[str, int]:
    """The address register that a lane writes."""
    return target.variable, target.first + lane * target.stride


def _region_element(region: Region, lane: int) -> int:
    """Page: `FirstElementIndex + i * VertStride + j * HorzStride`, `Width` elements in each row."""
    i, j = divmod(lane, region.width)
    return i * region.vertical + j * region.horizontal


def _stride(region: Region) -> int | None:
    """Elements from each lane to the next one, where that is a constant."""
    if region.width == 1:
        return region.vertical
    return region.horizontal if region.vertical == region.width * region.horizontal else None


def _addressed_element(region: Region | RowRegion, lane: int) -> tuple[int, int]:
    """Which address register a lane uses, from the named one on, and which element after it."""
    if isinstance(region, RowRegion):
        register, column = divmod(lane, region.width)
        return register, column * region.horizontal
    return 0, _region_element(region, lane)


def add_zeros(program: Program, state: ConcreteState) -> None:
    """The variables and predicates that the state lacks."""
    for name, storage in program.storage.items():
        if name not in state.registers:
            state.registers[name] = bytearray(storage.size)
    for name, bits in program.predicates.items():
        state.predicates.setdefault(name, PredicateBits(bits, 0))
