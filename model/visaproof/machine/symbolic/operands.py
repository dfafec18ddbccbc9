"""Vector operands symbolically: regions, strides and indirect rows over guarded registers.  Page: 5_operands."""

from collections.abc import Callable

from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.types import DataType
from visaproof.machine.symbolic.address_cases import cases_of, chosen, inside
from visaproof.machine.symbolic.register_addresses import (
    MOST_PLACES,
    NOWHERE,
    AddressRegister,
    GuardedAddresses,
    Named,
    Places,
    places_of,
)
from visaproof.program.operands import (
    AddressedElements,
    AddressedTarget,
    AddressRegisters,
    Constant,
    Destination,
    DroppedTarget,
    Elements,
    PackedConstant,
    RowRegion,
    StorageAddress,
    Target,
    Unlowered,
)
from visaproof.program.operands import Source as Operand
from visaproof.semantics.symbolic.alu import Source
from visaproof.semantics.symbolic.beyond import Beyond, Excess
from visaproof.semantics.symbolic.guarded import GuardedRegisters
from visaproof.semantics.symbolic.literals import NONE, Literals, literals_of
from visaproof.semantics.symbolic.value_names import BeyondVariable
from visaproof.smt import BitVec, Bool, add, conj, const, implies, is_false, is_true, ite, neg, symbol, true

Reader = Callable[[int, Literals], Source]
"""From a lane, and what may be assumed, to its element."""

Writer = Callable[[int, BitVec, Literals, Literals], None]
"""Takes a lane, its bits, the guard under which they are written, and what may be assumed there."""


class SymbolicOperands:
    """Elements of vector operands in the registers of a thread."""

    def __init__(self, registers: GuardedRegisters, beyond: Beyond, some_lane: Literals = NONE) -> None:
        """`some_lane` says that a lane was on when the kernel began."""
        self._some_lane = some_lane
        self._beyond = beyond
        self._registers = registers
        self.addresses = GuardedAddresses()
        self.conditions: list[tuple[Bool, Position]] = []
        """What must hold for register addresses to stay aligned and inside their variables."""

    def reader(self, operand: Operand) -> Reader:
        """What reads the elements of a source."""
        match operand:
            case Elements():
                return self._vector_reader(operand)
            case Constant(bits, data_type):
                constant = Source(const(bits, data_type.bits), data_type)
                return lambda lane, assumed: constant
            case PackedConstant(repeated, data_type):
                count = len(repeated)
                return lambda lane, _: Source(const(repeated[lane % count], data_type.bits), data_type)
            case AddressedElements():
                return lambda lane, assumed: self._read_indirect(operand, lane, assumed)
            case Unlowered(what, position):
                raise NotModelled(what, position)

    def _vector_reader(self, operand: Elements) -> Reader:
        root, origin, data_type = operand.storage, operand.start, operand.type
        region, size, modifier = operand.region, data_type.size, operand.modifier

        def read(lane: int, assumed: Literals) -> Source:
            distance = lane // region.width * region.vertical + lane % region.width * region.horizontal
            start = origin + size * distance
            return Source(self._registers.read_under(root, start, size, assumed), data_type, modifier)

        return read

    def destination_type(self, operand: Destination) -> DataType:
        if isinstance(operand, Unlowered):
            raise NotModelled(operand.what, operand.position)
        return operand.type

    def writer(self, operand: Destination, extra_bytes: int = 0) -> Writer:
        """What writes the elements of a destination, or `extra_bytes` after them."""
        match operand:
            case Target():
                return self._vector_writer(operand, extra_bytes)
            case DroppedTarget():
                return lambda lane, bits, guard, assumed: None
            case AddressedTarget():
                return self._indirect_writer(operand, extra_bytes)
            case Unlowered(what, position):
                raise NotModelled(what, position)

    def _vector_writer(self, operand: Target, extra_bytes: int) -> Writer:
        root, stride, first = operand.storage, operand.stride * operand.type.size, operand.start + extra_bytes

        def write(lane: int, bits: BitVec, guard: Literals, assumed: Literals) -> None:
            start = first + lane * stride
            self._registers.write_under(root, start, bits, guard)

        return write

    def _indirect_writer(self, operand: AddressedTarget, extra_bytes: int) -> Writer:
        def write(lane: int, bits: BitVec, guard: Literals, assumed: Literals) -> None:
            distance = extra_bytes + lane * operand.stride * operand.type.size
            places = self._places(operand, operand.register, distance, assumed)
            self._require_meaning(places.inside, assumed, operand.position, places.root, written=True)
            for element in places.elements:
                self._registers.write_under(places.root, element.start, bits, guard | element.here)

        return write

    def set_address(
        self,
        target: AddressRegisters,
        lane: int,
        base: StorageAddress | AddressRegisters | Unlowered,
        offset: BitVec,
        guard: Literals,
        assumed: Literals,
    ) -> None:
        """Page ADDR_ADD: the byte address of src0, plus src1."""
        match base:
            case StorageAddress(storage, byte):
                before = Named(storage, const(byte, 32), true())
            case AddressRegisters(name, first):
                before = self.addresses.read((name, first + lane), assumed, base.position)
                self._require_meaning(before.written, assumed, base.position, before.root)
            case Unlowered(what, position):
                raise NotModelled(what, position)
        written = guard | literals_of(before.written)
        self.addresses.write(_register(target, lane), before.root, add(before.address, offset), written)

    def clear_address(self, target: AddressRegisters, lane: int, guard: Literals) -> None:
        """The reading mov-of-address: where the guard holds, the register names no variable."""
        self.addresses.write(_register(target, lane), NOWHERE, const(0, 32), guard)

    def _read_indirect(self, operand: AddressedElements, lane: int, assumed: Literals) -> Source:
        """The element at a register address: a choice between every aligned place that it may be, or else 0."""
        region, register = operand.region, operand.register
        row, distance = lane // region.width, lane % region.width * region.horizontal
        if isinstance(region, RowRegion):
            register += row
        else:
            distance += row * region.vertical
        behind = operand.type.size * distance
        by_cases = self._read_by_cases(operand, register, behind, assumed)
        if by_cases is not None:
            return Source(by_cases, operand.type, operand.modifier)
        places = self._places(operand, register, behind, assumed)
        held = [
            (conj(*here), self._registers.read_under(places.root, start, operand.type.size, assumed | apart))
            for start, here, apart in places.elements
        ]
        elsewhere = self._require_meaning(places.inside, assumed, operand.position, places.root, operand.type.bits)
        value = held.pop(0)[1] if is_true(places.inside) else elsewhere
        for here, one in held:  # the order in which private memory is a choice between its stores
            value = ite(here, one, value)
        return Source(value, operand.type, operand.modifier)

    def _read_by_cases(
        self, operand: AddressedElements, register: int, behind: int, assumed: Literals
    ) -> BitVec | None:
        """The element where its address is a choice of constants; None where it is not."""
        named = self.addresses.read((operand.address, register), assumed, operand.position)
        address = add(named.address, const(operand.byte_offset + behind, 32))
        cases = cases_of(address, MOST_PLACES)
        if cases is None or isinstance(cases, int):
            return None
        size, width = self._registers.sizes.get(named.root, 0), operand.type.size

        def is_place(start: int) -> bool:
            return start % width == 0 and start + width <= size

        def read(start: int, there: Literals) -> BitVec:
            return self._registers.read_under(named.root, start, width, there)

        known = assumed | self._some_lane
        meant = conj(named.written, inside(cases, known, is_place))
        elsewhere = self._require_meaning(meant, assumed, operand.position, named.root, operand.type.bits)
        return chosen(cases, known, is_place, read, elsewhere)

    def _places(
        self, operand: AddressedElements | AddressedTarget, register: int, distance: int, assumed: Literals
    ) -> Places:
        """The elements so far behind the address in a register; that it is one of them is what the pages ask."""
        named = self.addresses.read((operand.address, register), assumed, operand.position)
        size, width = self._registers.sizes.get(named.root, 0), operand.type.size
        return places_of(named, operand.byte_offset + distance, width, size, operand.position)

    def _require_meaning(
        self, condition: Bool, assumed: Literals, position: Position, root: str, bits: int = 8, *, written: bool = False
    ) -> BitVec:
        """Notes that a register address must be as the condition says; what is read where it is not."""
        value = const(0, bits)
        needed = implies(conj(*assumed), condition)
        if is_true(needed):
            return value
        if self._beyond.nondeterministic:
            value = symbol(BeyondVariable(root, f"address.{len(self._beyond.found)}"), bits)
            at = self._beyond.position or position
            excess = Excess(neg(needed), at, root, range(0), written, of_address=True, value=value)
            self._beyond.found.append(excess)
        if not (self._beyond.nondeterministic and is_false(condition)):
            self.conditions.append((needed, position))
        return value


def _register(target: AddressRegisters, lane: int) -> AddressRegister:
    """The address register that a lane writes."""
    return target.variable, target.first + lane * target.stride
