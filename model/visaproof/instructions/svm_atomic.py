"""SVM_ATOMIC (0x4E/05): an atomic read-modify-write of a dword or qword per lane.  Page: SVM_ATOMIC.md."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.dword_atomic import (
    lane_destination,
    lane_source,
    lane_word,
    require_bits,
    require_on_page,
    require_sources,
    run_serially,
)
from visaproof.instructions.instruction import require_execution
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import bool_const, conj, const, eq, truncate


class SvmAtomic(Struct, frozen=True):
    """`[(P)] svm_atomic.OP (MASK, SIZE) addresses dst src0 src1`; absent operands are null."""

    spec: ClassVar[Spec] = Spec(
        opcode=0x4E,
        mnemonic="SVM_ATOMIC",
        page="SVM_ATOMIC.md",
        exec_sizes=(1, 2, 4, 8),
        readings=(
            "mask-alignment", "short-predicate", "any-all-window", "short-variable", "disabled-lanes", "flat-bounds",
            "dword-misaligned", "atomic-order",
        ),
    )  # fmt: skip

    execution: Execution
    op: AtomicOp
    addresses: RawOperand
    """One UQ byte address per lane."""
    dst: RawOperand = NULL
    src0: RawOperand = NULL
    src1: RawOperand = NULL
    surface: str = FLAT
    bits: int = 32
    """Of what is updated; src0, src1 and dst have as many for each lane."""

    def __str__(self) -> str:
        spelling = self.op.spelling or self.op.name.lower()
        bits = f".{self.bits}" if self.bits != 32 else ""
        return (
            f"{self.execution.prefix}svm_atomic.{spelling}{bits} {self.execution} "
            f"{self.addresses} {self.dst} {self.src0} {self.src1}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        require_on_page(self.op, self.spec.page)
        require_sources(self.op, self.src0, self.src1, self.spec.page)
        require_bits(self.op, self.bits, self.spec.page)

    def execute(self, state: ConcreteState) -> None:
        width, updates = self.bits // 8, list[tuple[int, int, int, int]]()
        for i in range(self.execution.size):
            if state.channel_enabled(self.execution, i):
                address = state.read_bytes(self.addresses, 8 * i, 8)
                state.require_aligned(address, width)  # Page: "Dword or Qword aligned depending on the type of Dst"
                src0, src1 = (lane_word(state, source, i, width) for source in (self.src0, self.src1))
                updates.append((i, address, src0, src1))
        run_serially(state, self.surface, self.op, updates, self.dst, width)

    def footprint(self, state: SymbolicState) -> Iterator[Atomic]:
        surface, width, low = state.buffer(self.surface), self.bits // 8, 3 if self.bits == 64 else 2
        for lane, (enabled, predicate_known) in enumerate(state.lanes_enabled(self.execution)):
            address, address_known = state.read_bytes(self.addresses, 8 * lane, 8, enabled)
            src0, src0_known = lane_source(state, self.src0, lane, enabled, width)
            src1, src1_known = lane_source(state, self.src1, lane, enabled, width)
            destination, fits = lane_destination(state, self.dst, lane, width)
            known = address_known and src0_known and src1_known and fits
            yield Atomic(
                guard=enabled,
                lane=lane,
                surface=self.surface,
                cell=(address,),
                width=width,
                inside=surface.contains(address, width),
                defined=conj(eq(truncate(address, low), const(0, low)), predicate_known, bool_const(known)),
                op=self.op,
                src0=src0,
                src1=src1,
                returns_new=self.op is AtomicOp.PREDEC,
                destination=destination,
                readings=state.readings,
            )
