"""lsc_store of LSC_UNTYPED (0x89/04): a vector of elements per lane, written to any address.  Page: LSC_UNTYPED.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require_execution
from visaproof.instructions.lsc.load import element_bytes, first_address, in_cells, lane_address
from visaproof.instructions.lsc.untyped import PAGE, READINGS, Addresses, DataShape, require_addresses, require_shape
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import LaneWrite
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import add, bool_const, conj, const, truncate


class LscStore(Struct, frozen=True):
    """`[(P)] lsc_store.SFID (MASK, SIZE) surface[addresses] src:shape`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x89,
        mnemonic="LSC_STORE",
        page=PAGE,
        exec_sizes=(1, 2, 4, 8, 16, 32),
        since=Platform.DG2,
        collision_undefined=True,  # the page is silent: reading "flat-collision"
        readings=(*READINGS, "flat-collision"),
    )

    execution: Execution
    surface: str
    addresses: Addresses
    shape: DataShape
    src: RawOperand

    def __str__(self) -> str:
        return (
            f"{self.execution.prefix}lsc_store {self.execution} {self.surface}{self.addresses} {self.src}:{self.shape}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        require_shape(self.shape, self.execution, platform)
        require_addresses(self.addresses, platform)

    def execute(self, state: ConcreteState) -> None:
        size = self.shape.size
        writes: list[LaneWrite] = []
        for n in range(self.execution.size):
            if not state.channel_enabled(self.execution, n):
                continue
            address = lane_address(state, self.addresses, n)
            for v in range(self.shape.elements):  # Page: DstData[v].elems[n], or DstData[n].elems[v] where transposed
                if self.shape.transposed:
                    place = v * size.in_register
                else:
                    registers = -(-self.execution.size * size.in_register // state.platform.grf_bytes)
                    place = v * registers * state.platform.grf_bytes + n * size.in_register
                for part in range(0, size.in_memory, 4):
                    width = min(4, size.in_memory)
                    at = address + self.shape.behind(v) + part
                    at = at % 2**64 if self.surface == FLAT else at
                    value = state.read_bytes(self.src, place + part, 4) % 256**width
                    writes.append(LaneWrite(n, at, width, value))
        state.buffer(self.surface).scatter(writes)

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        surface, width = state.buffer(self.surface), min(4, self.shape.size.in_memory)
        for lane, (enabled, predicate_known) in enumerate(state.lanes_enabled(self.execution)):
            first, known = first_address(state, self.addresses, lane, enabled)
            first = in_cells(first, surface)
            for behind, place in element_bytes(self.shape, self.execution, state.platform, lane):
                address = add(first, const(behind, first.width))
                value, value_known = state.read_bytes(self.src, place, 4, enabled)
                yield Store(
                    guard=enabled,
                    lane=lane,
                    surface=self.surface,
                    cell=(address,),
                    width=width,
                    inside=surface.contains(address, width),
                    defined=conj(predicate_known, bool_const(known and value_known)),
                    value=truncate(value, 8 * width),
                )
