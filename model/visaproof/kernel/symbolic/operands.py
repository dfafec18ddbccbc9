"""Vector operands on terms: regions, strides and indirect rows over guarded registers.  Page: 5_operands."""

from collections.abc import Callable, Mapping

from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.types import DataType
from visaproof.kernel.opcodes import packed_element
from visaproof.kernel.predefined import NULL
from visaproof.kernel.syntax import (
    AddressOf,
    GeneralVariable,
    Immediate,
    IndirectOperand,
    Kernel,
    Operand,
    Region,
    RowRegion,
    SubscriptedName,
    VectorDestination,
    VectorSource,
)
from visaproof.semantics.symbolic.alu import Source
from visaproof.semantics.symbolic.guarded import GuardedRegisters, Literals
from visaproof.smt import BitVec, Bool, add, conj, const, disj, eq, implies, ite, known_trailing_zeros, sub, value_of
from visaproof.smt.arithmetic import linear_parts

MAX_INDIRECT_ELEMENTS = 64
"""A register that is named by a symbolic address is a choice between at most this many places."""


Reader = Callable[[int, Literals], Source]
"""From a lane, and what may be assumed, to its element."""

Writer = Callable[[int, BitVec, Literals], None]
"""Takes a lane, its bits, and the guard under which they are written."""


class SymbolicOperands:
    """Elements of vector operands in the registers of a thread."""

    def __init__(self, kernel: Kernel, registers: GuardedRegisters, grf_bytes: int) -> None:
        self._kernel = kernel
        self._registers = registers
        self._grf_bytes = grf_bytes
        self._addresses: dict[tuple[str, int], tuple[str, BitVec]] = {}
        """What the address registers hold: a root variable, and a byte in it of 32 bits."""
        self.conditions: list[tuple[Bool, Position]] = []
        """What must hold for register addresses to stay aligned and inside their variables."""

    def addresses(self) -> dict[tuple[str, int], tuple[str, BitVec]]:
        """What `restore` brings back."""
        return dict(self._addresses)

    def restore(self, addresses: Mapping[tuple[str, int], tuple[str, BitVec]]) -> None:
        self._addresses = dict(addresses)

    def reader(self, operand: Operand) -> Reader:
        """What reads the elements of a source."""
        match operand:
            case Immediate(_, DataType.V | DataType.UV):
                return lambda lane, _: _packed(operand, lane)
            case Immediate(bits, data_type):
                constant = Source(const(bits, data_type.bits), data_type)
                return lambda lane, assumed: constant
            case VectorSource():
                return self._vector_reader(operand)
            case IndirectOperand(region=region) if region is not None:
                return lambda lane, assumed: self._read_indirect(operand, region, lane, assumed)
            case _:
                raise NotModelled("a source in this form", operand.position)

    def _vector_reader(self, operand: VectorSource) -> Reader:
        root, origin, data_type = self._origin(operand)
        region, size, modifier = operand.region, data_type.size, operand.modifier

        def read(lane: int, assumed: Literals) -> Source:
            distance = lane // region.width * region.vertical + lane % region.width * region.horizontal
            start = origin + size * distance
            self._require(root, start, size, operand)
            return Source(self._registers.read_under(root, start, size, assumed), data_type, modifier)

        return read

    def destination_type(self, operand: Operand) -> DataType:
        match operand:
            case VectorDestination(variable):
                return self._general(variable).type
            case IndirectOperand(type=data_type):
                return data_type
            case _:
                raise NotModelled("a destination in this form", operand.position)

    def writer(self, operand: Operand, extra_bytes: int = 0) -> Writer:
        """What writes the elements of a destination, or `extra_bytes` behind them."""
        match operand:
            case VectorDestination(variable) if variable == NULL:
                return lambda lane, bits, guard: None
            case VectorDestination(horizontal=horizontal):
                root, origin, data_type = self._origin(operand)
            case IndirectOperand(horizontal=horizontal, type=data_type) if horizontal is not None:
                root, address = self._address(operand.address_variable, operand.element, operand)
                base = value_of(address)
                if base is None:
                    raise NotModelled("a write through a symbolic register address", operand.position)
                origin = base + operand.byte_offset
            case _:
                raise NotModelled("a destination in this form", operand.position)
        stride, first = horizontal * data_type.size, origin + extra_bytes

        def write(lane: int, bits: BitVec, guard: Literals) -> None:
            start = first + lane * stride
            self._require(root, start, data_type.size, operand)
            self._registers.write_under(root, start, bits, guard)

        return write

    def set_address(self, target: SubscriptedName, lane: int, source: Operand, offset: BitVec, guard: Literals) -> None:
        """Page ADDR_ADD: the byte address of src0, plus src1."""
        match source:
            case AddressOf(variable, byte_offset):
                declared, start = self._kernel.root_of(self._general(variable))
                root, address = declared.name, add(const(start + byte_offset, 32), offset)
            case SubscriptedName(name, element):
                root, before = self._address(name, element + lane, source)
                address = add(before, offset)
            case _:
                raise NotModelled("an address of this form", source.position)
        register = target.name, target.element + lane * (target.horizontal or 1)
        old = self._addresses.get(register)
        if old is not None and guard:
            if old[0] != root:
                raise NotModelled("an address register that may name either of two variables", target.position)
            address = ite(conj(*guard), address, old[1])
        self._addresses[register] = root, address

    def _read_indirect(
        self, operand: IndirectOperand, region: Region | RowRegion, lane: int, assumed: Literals
    ) -> Source:
        """The element at a register address: a choice between every aligned place that it may be."""
        row, distance = lane // region.width, lane % region.width * region.horizontal
        register = operand.element
        if isinstance(region, RowRegion):
            register += row
        else:
            distance += row * region.vertical
        root, address = self._address(operand.address_variable, register, operand)
        width = operand.type.size
        place = add(address, const(operand.byte_offset + width * distance, 32))
        last = self._registers.sizes[root] - width
        candidates = _places(place, range(0, last + 1, width))
        if not candidates or len(candidates) > MAX_INDIRECT_ELEMENTS:
            raise NotModelled(f"a register address with {len(candidates)} possible places", operand.position)
        value = self._registers.read_under(root, candidates[0], width, assumed)
        here = [eq(place, const(start, 32)) for start in candidates]
        for start, is_here in zip(candidates[1:], here[1:], strict=True):
            value = ite(is_here, self._registers.read_under(root, start, width, assumed), value)
        if value_of(place) is None:
            reachable = disj(*here)
            self.conditions.append((implies(conj(*assumed), reachable), operand.position))
        return Source(value, operand.type, operand.modifier)

    def _address(self, variable: str, element: int, operand: Operand) -> tuple[str, BitVec]:
        found = self._addresses.get((variable, element))
        if found is None:
            raise NotModelled(f"address register {variable}({element}), which nothing wrote", operand.position)
        return found

    def _origin(self, operand: VectorSource | VectorDestination) -> tuple[str, int, DataType]:
        """Root variable, byte of the first element, and element type."""
        declared = self._general(operand.variable)
        root, start = self._kernel.root_of(declared)
        return root.name, start + operand.row * self._grf_bytes + operand.column * declared.type.size, declared.type

    def _general(self, name: str) -> GeneralVariable:
        declared = self._kernel.variables[name]
        assert isinstance(declared, GeneralVariable)
        return declared

    def _require(self, root: str, start: int, width: int, operand: Operand) -> None:
        if not self._registers.holds(root, start, width):
            raise NotModelled(f"bytes {start}..{start + width - 1} lie beyond {root}", operand.position)


def _places(term: BitVec, places: range) -> list[int]:
    """Those of the places that the term may be, by its bounds and by the powers of two that divide its unknowns."""
    constant, _ = linear_parts(term)
    unit = 1 << known_trailing_zeros(sub(term, const(constant, term.width)))
    return [place for place in places if term.low <= place <= term.high and (place - constant) % unit == 0]


def _packed(operand: Immediate, lane: int) -> Source:
    bits, data_type = packed_element(operand, lane)
    return Source(const(bits, data_type.bits), data_type)
