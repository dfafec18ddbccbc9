"""lsc_atomic_* of LSC_UNTYPED (0x89): a dword or qword per lane is read, changed and written.  Page: LSC_UNTYPED.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.dword_atomic import (
    lane_destination,
    lane_source,
    lane_word,
    require_bits,
    require_sources,
    run_serially,
)
from visaproof.instructions.instruction import require_execution
from visaproof.instructions.lsc.load import first_address, in_cells, lane_address
from visaproof.instructions.lsc.untyped import PAGE, READINGS, Addresses, require_addresses
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import bool_const, conj, const, eq, truncate

OPERATIONS: dict[str, AtomicOp] = {
    "iinc": AtomicOp.INC,
    "idec": AtomicOp.DEC,
    "iadd": AtomicOp.ADD,
    "isub": AtomicOp.SUB,
    "smin": AtomicOp.IMIN,
    "smax": AtomicOp.IMAX,
    "umin": AtomicOp.MIN,
    "umax": AtomicOp.MAX,
    "icas": AtomicOp.CMPXCHG,
    "store": AtomicOp.XCHG,
    "and": AtomicOp.AND,
    "or": AtomicOp.OR,
    "xor": AtomicOp.XOR,
    "fmin": AtomicOp.FMIN,
    "fmax": AtomicOp.FMAX,
    "fcas": AtomicOp.FCMPWR,
    "fadd": AtomicOp.FADD,
    "fsub": AtomicOp.FSUB,
}
"""The operations by their name behind `lsc_atomic_`; load is not modelled.

IGC writes an exchange as `store`, and takes what it brings for what was there; the vectors of another implementation
agree (`visaproof vectors`).
"""


class LscAtomic(Struct, frozen=True):
    """`[(P)] lsc_atomic_OP.SFID (MASK, SIZE) dst:d32 surface[addresses] src1 src2`; absent operands are null."""

    spec: ClassVar[Spec] = Spec(
        opcode=0x89,
        mnemonic="LSC_ATOMIC",
        page=PAGE,
        exec_sizes=(1, 2, 4, 8, 16, 32),
        since=Platform.DG2,
        readings=(
            *READINGS,
            "disabled-lanes",
            "dword-misaligned",
            "atomic-order",
            "float-nan",
            "float-zeros",
            "float-denormals",
            "float-sums",
        ),
    )

    execution: Execution
    op: AtomicOp
    surface: str
    addresses: Addresses
    dst: RawOperand = NULL
    src1: RawOperand = NULL
    src2: RawOperand = NULL
    bits: int = 32
    """Of what is updated; src1, src2 and dst have as many for each lane."""

    def __str__(self) -> str:
        name = next(name for name, op in OPERATIONS.items() if op is self.op)
        return (
            f"{self.execution.prefix}lsc_atomic_{name} {self.execution} {self.dst}:d{self.bits} "
            f"{self.surface}{self.addresses} {self.src1} {self.src2}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        require_sources(self.op, self.src1, self.src2, self.spec.page)
        require_bits(self.op, self.bits, self.spec.page)
        require_addresses(self.addresses, platform)

    @property
    def _roles(self) -> tuple[RawOperand, RawOperand]:
        """The operands as DWORD_ATOMIC names them: icas has (compared, new), CMPXCHG (new, compared) (D38)."""
        return (self.src2, self.src1) if self.op is AtomicOp.CMPXCHG else (self.src1, self.src2)

    def execute(self, state: ConcreteState) -> None:
        width = self.bits // 8
        updates: list[tuple[int, int, int, int]] = []
        for n in range(self.execution.size):
            if state.channel_enabled(self.execution, n):
                address = lane_address(state, self.addresses, n)
                state.require_aligned(address, width)
                src0, src1 = (lane_word(state, operand, n, width) for operand in self._roles)
                updates.append((n, address, src0, src1))
        run_serially(state, self.surface, self.op, updates, self.dst, width)

    def footprint(self, state: SymbolicState) -> Iterator[Atomic]:
        surface, width, low = state.buffer(self.surface), self.bits // 8, 3 if self.bits == 64 else 2
        for lane, (enabled, predicate_known) in enumerate(state.lanes_enabled(self.execution)):
            first, known = first_address(state, self.addresses, lane, enabled)
            address = in_cells(first, surface)
            src0, src0_known = lane_source(state, self._roles[0], lane, enabled, width)
            src1, src1_known = lane_source(state, self._roles[1], lane, enabled, width)
            destination, fits = lane_destination(state, self.dst, lane, width)
            all_known = known and src0_known and src1_known and fits
            yield Atomic(
                guard=enabled,
                lane=lane,
                surface=self.surface,
                cell=(address,),
                width=width,
                inside=surface.contains(address, width),
                defined=conj(eq(truncate(address, low), const(0, low)), predicate_known, bool_const(all_known)),
                op=self.op,
                src0=src0,
                src1=src1,
                returns_new=False,
                destination=destination,
                readings=state.readings,
            )
