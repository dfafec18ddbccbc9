"""lsc_load of LSC_UNTYPED (0x89/00): a vector of elements per lane, read from any address.  Page: LSC_UNTYPED.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require_execution
from visaproof.instructions.lsc.untyped import (
    MOST_MOVED,
    PAGE,
    READINGS,
    Addresses,
    DataShape,
    Extension,
    component_bytes,
    require_addresses,
    require_shape,
)
from visaproof.instructions.svm_gather import FLAT
from visaproof.instructions.undefined_bytes import ClearedSlice
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import (
    ADDRESS_BITS,
    FLAT_BITS,
    SymbolicBuffer,
    SymbolicFlat,
    SymbolicScratch,
    SymbolicState,
)
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bit,
    bool_const,
    conj,
    const,
    ite,
    scale,
    sign_extend,
    truncate,
    zero_extend,
)


class LscLoad(Struct, frozen=True):
    """`[(P)] lsc_load.SFID (MASK, SIZE) dst:shape surface[addresses]`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x89,
        mnemonic="LSC_LOAD",
        page=PAGE,
        exec_sizes=(1, 2, 4, 8, 16, 32),
        since=Platform.DG2,
        readings=(*READINGS, "disabled-lanes", "lsc-narrow"),
    )

    execution: Execution
    surface: str
    addresses: Addresses
    shape: DataShape
    dst: RawOperand
    """Null where the load only fills the cache."""

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}lsc_load {self.execution} {self.dst}:{self.shape} {self.surface}{self.addresses}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        require_shape(self.shape, self.execution, platform)
        require_addresses(self.addresses, platform)

    def execute(self, state: ConcreteState) -> None:
        memory, size = state.buffer(self.surface), self.shape.size
        loaded: list[tuple[int, int]] = []
        for n in range(self.execution.size):
            if self.dst == NULL or not state.channel_enabled(self.execution, n):
                continue
            address = lane_address(state, self.addresses, n)
            for v in range(self.shape.elements):  # Page: DstData[v].elems[n], or DstData[n].elems[v] where transposed
                if self.shape.transposed:
                    place = v * size.in_register
                else:
                    registers = -(-self.execution.size * size.in_register // state.platform.grf_bytes)
                    place = v * registers * state.platform.grf_bytes + n * size.in_register
                for part in range(0, size.in_memory, 4):
                    at = address + self.shape.behind(v) + part
                    width = min(4, size.in_memory)
                    flat = self.surface == FLAT
                    value = state.loaded(at % 2**64, width, memory) if flat else memory.read(at, width)
                    loaded.append((place + part, value))
        for place, _ in loaded:
            state.read_bytes(self.dst, place, 4)  # every enabled lane must fit (D6)
        for place, value in loaded:
            state.write_bytes(self.dst, place, 4, value)  # the upper bytes of a narrow element: 0

    def footprint(self, state: SymbolicState) -> Iterator[Load]:
        if self.dst == NULL:
            return
        surface, width = state.buffer(self.surface), min(4, self.shape.size.in_memory)
        for lane, (enabled, predicate_known) in enumerate(state.lanes_enabled(self.execution)):
            first, known = first_address(state, self.addresses, lane, enabled)
            first = in_cells(first, surface)
            for behind, place in element_bytes(self.shape, self.execution, state.platform, lane):
                address = add(first, const(behind, first.width))
                slot = RegisterSlice(self.dst.variable, self.dst.offset + place, width)
                fits = state.registers.holds(slot.variable, slot.start, 4)
                yield Load(
                    guard=enabled,
                    lane=lane,
                    surface=self.surface,
                    cell=(address,),
                    width=width,
                    inside=surface.contains(address, width),
                    defined=conj(predicate_known, bool_const(known and fits)),
                    destination=slot,
                )

    def undefined_bytes(self, state: SymbolicState) -> Iterator[tuple[Bool, RegisterSlice]]:
        """What a byte or a word becomes in its dword (D34): extended with 0 from Xe2 on, undefined before."""
        slice_of = ClearedSlice if state.platform >= Platform.Xe2 else RegisterSlice
        width = self.shape.size.in_memory
        if width >= 4 or self.dst == NULL:
            return
        for lane, (enabled, _) in enumerate(state.lanes_enabled(self.execution)):
            for _, place in element_bytes(self.shape, self.execution, state.platform, lane):
                start = self.dst.offset + place + width
                if state.registers.holds(self.dst.variable, start, 4 - width):
                    yield enabled, slice_of(self.dst.variable, start, 4 - width)


# ---------------------------------------------------------------- the concrete machine


def lane_address(state: ConcreteState, addresses: Addresses, lane: int) -> int:
    """The address of a lane's first element.  Page: Base + AddrScale*Src0Addrs[n] + AddrImmOffset."""
    width = addresses.element_bytes
    element = state.read_bytes(addresses.operand, lane * width, width)
    if addresses.extension is Extension.SIGN and element >= 2**31:
        element -= 2**32
    base = addresses.base or 0
    if isinstance(base, RawOperand):
        base = state.read_bytes(base, 0, addresses.bits // 8)
    return (base + addresses.scale * element + addresses.immediate) % 2**addresses.bits


# ---------------------------------------------------------------- the symbolic machine


def first_address(state: SymbolicState, addresses: Addresses, lane: int, enabled: Bool) -> tuple[BitVec, bool]:
    """The address of a lane's first element, as wide as the cells of its surface, and whether the variables have it."""
    size = addresses.element_bytes
    read, known = state.read_bytes(addresses.operand, size * lane, size, enabled)
    if addresses.extension is not None:
        extend = sign_extend if addresses.extension is Extension.SIGN else zero_extend
        read = extend(read, addresses.bits)
    sum_ = add(scale(read, addresses.scale), const(addresses.immediate, addresses.bits))
    if isinstance(addresses.base, RawOperand):
        base, base_known = state.read_bytes(addresses.base, 0, addresses.bits // 8, enabled)
        return add(base, sum_), known and base_known
    return add(sum_, const(addresses.base or 0, addresses.bits)), known


def in_cells(address: BitVec, surface: SymbolicBuffer) -> BitVec:
    """The address as wide as the cells of the surface: one of 64 bits, for a surface, is small or negative."""
    if isinstance(surface, SymbolicFlat):
        return zero_extend(address, FLAT_BITS)
    if address.width < FLAT_BITS:
        return zero_extend(address, ADDRESS_BITS)
    low = truncate(address, ADDRESS_BITS)
    if address.high < MOST_MOVED or isinstance(surface, SymbolicScratch):
        return low
    return ite(bit(address, FLAT_BITS - 1), const(MOST_MOVED, ADDRESS_BITS), low)  # a negative one is outside


def element_bytes(shape: DataShape, execution: Execution, platform: Platform, lane: int) -> list[tuple[int, int]]:
    """For each access of a lane, at most a dword: bytes behind its address, and bytes behind the data operand."""
    distance = (
        shape.size.in_register if shape.transposed else component_bytes(shape, execution.size, platform.grf_bytes)
    )
    return [
        (shape.behind(element) + part, element * distance + lane * shape.size.in_register + part)
        for element in range(shape.elements)
        for part in range(0, shape.size.in_memory, 4)
    ]
