"""lsc_load of LSC_UNTYPED (0x89/00): a vector of elements per lane, read from any address.  Page: LSC_UNTYPED.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from visaproof.instructions.instruction import require_execution
from visaproof.instructions.lsc_untyped import PAGE, READINGS, Addresses, DataShape, component_bytes, require_shape
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import ADDRESS_BITS, FLAT_BITS, SymbolicState
from visaproof.smt import BitVec, Bool, add, bool_const, conj, const, scale, zero_extend


@dataclass(frozen=True, slots=True)
class LscLoad:
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

    def execute(self, state: ConcreteState) -> None:
        memory, size = state.buffer(self.surface), self.shape.size
        loaded: list[tuple[int, int]] = []
        for n in range(self.execution.size):
            if self.dst == NULL or not state.channel_enabled(self.execution, n):
                continue
            wrap = 2**self.addresses.bits
            source = state.read_bytes(self.addresses.operand, n * self.addresses.bits // 8, self.addresses.bits // 8)
            address = (self.addresses.scale * source + self.addresses.immediate) % wrap
            for v in range(self.shape.elements):  # Page: DstData[v].elems[n], or DstData[n].elems[v] where transposed
                if self.shape.transposed:
                    place = v * size.in_register
                else:
                    registers = -(-self.execution.size * size.in_register // state.platform.grf_bytes)
                    place = v * registers * state.platform.grf_bytes + n * size.in_register
                for part in range(0, size.in_memory, 4):
                    at = address + v * size.in_memory + part
                    at = at % wrap if self.addresses.bits == 64 else at
                    loaded.append((place + part, memory.read(at, min(4, size.in_memory))))
        for place, _ in loaded:
            state.read_bytes(self.dst, place, 4)  # every enabled lane must fit (D6)
        for place, value in loaded:
            state.write_bytes(self.dst, place, 4, value)  # the upper bytes of a narrow element: here 0

    def footprint(self, state: SymbolicState) -> Iterator[Load]:
        if self.dst == NULL:
            return
        surface, width = state.buffer(self.surface), min(4, self.shape.size.in_memory)
        for lane, (enabled, predicate_known) in enumerate(state.lanes_enabled(self.execution)):
            first, known = first_address(state, self.addresses, lane, enabled)
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
        """The page does not say what a byte or a word becomes in its dword (D34)."""
        width = self.shape.size.in_memory
        if width >= 4 or self.dst == NULL:
            return
        for lane, (enabled, _) in enumerate(state.lanes_enabled(self.execution)):
            for _, place in element_bytes(self.shape, self.execution, state.platform, lane):
                start = self.dst.offset + place + width
                if state.registers.holds(self.dst.variable, start, 4 - width):
                    yield enabled, RegisterSlice(self.dst.variable, start, 4 - width)


# ---------------------------------------------------------------- the symbolic machine


def first_address(state: SymbolicState, addresses: Addresses, lane: int, enabled: Bool) -> tuple[BitVec, bool]:
    """The address of a lane's first element, as wide as the cells of the surface, and whether its variable has it."""
    size = addresses.bits // 8
    read, known = state.read_bytes(addresses.operand, size * lane, size, enabled)
    sum_ = add(scale(read, addresses.scale), const(addresses.immediate, addresses.bits))
    return zero_extend(sum_, ADDRESS_BITS if addresses.bits < FLAT_BITS else FLAT_BITS), known


def element_bytes(shape: DataShape, execution: Execution, platform: Platform, lane: int) -> list[tuple[int, int]]:
    """For each access of a lane, at most a dword: bytes behind its address, and bytes behind the data operand."""
    distance = (
        shape.size.in_register if shape.transposed else component_bytes(shape, execution.size, platform.grf_bytes)
    )
    return [
        (element * shape.size.in_memory + part, element * distance + lane * shape.size.in_register + part)
        for element in range(shape.elements)
        for part in range(0, shape.size.in_memory, 4)
    ]
