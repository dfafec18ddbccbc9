"""DWORD_ATOMIC (0x7D): one atomic read-modify-write of a dword per lane.  Page: DWORD_ATOMIC.md."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.instruction import require, require_execution
from visaproof.isa.atomics import COMPARING_OPS, FLOAT_OPS, PAGE_OPS, AtomicOp
from visaproof.isa.errors import NotModelled
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.float_atomics import float_new_value
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import LaneWrite
from visaproof.semantics.symbolic.accesses import Atomic, RegisterSlice
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicState
from visaproof.smt import BitVec, Bool, bool_const, conj, const, eq, truncate, zero_extend


class DwordAtomic(Struct, frozen=True):
    """`[(P)] dword_atomic.OP (MASK, SIZE) surface element_offset src0 src1 dst`; absent operands are null."""

    spec: ClassVar[Spec] = Spec(
        opcode=0x7D,
        mnemonic="DWORD_ATOMIC",
        page="DWORD_ATOMIC.md",
        exec_sizes=(1, 2, 4, 8, 16, 32),
        readings=(
            "mask-alignment", "short-predicate", "any-all-window", "short-variable", "disabled-lanes", "slm-bounds",
            "scatter-bounds-grain", "dword-misaligned", "atomic-order",
        ),
    )  # fmt: skip

    execution: Execution
    op: AtomicOp
    surface: str
    element_offset: RawOperand
    """One UD byte offset per lane."""
    src0: RawOperand = NULL
    src1: RawOperand = NULL
    dst: RawOperand = NULL

    def __str__(self) -> str:
        spelling = self.op.spelling or self.op.name.lower()
        return (
            f"{self.execution.prefix}dword_atomic.{spelling} {self.execution} {self.surface} "
            f"{self.element_offset} {self.src0} {self.src1} {self.dst}"
        )

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_execution(self.execution, self.spec, readings)
        require_on_page(self.op, self.spec.page)
        require_sources(self.op, self.src0, self.src1, self.spec.page)

    def execute(self, state: ConcreteState) -> None:
        updates: list[tuple[int, int, int, int]] = []
        for i in range(self.execution.size):
            if state.channel_enabled(self.execution, i):
                offset = state.read_dword(self.element_offset, i)  # Page: "in the unit of bytes"
                state.require_aligned(offset, 4)
                src0, src1 = (lane_word(state, source, i, 4) for source in (self.src0, self.src1))
                updates.append((i, offset, src0, src1))
        run_serially(state, self.surface, self.op, updates, self.dst)

    def footprint(self, state: SymbolicState) -> Iterator[Atomic]:
        surface = state.buffer(self.surface)
        for lane, (enabled, predicate_known) in enumerate(state.lanes_enabled(self.execution)):
            offset, offset_known = state.read_dword(self.element_offset, lane, enabled)
            src0, src0_known = lane_source(state, self.src0, lane, enabled)
            src1, src1_known = lane_source(state, self.src1, lane, enabled)
            destination, fits = lane_destination(state, self.dst, lane)
            address = zero_extend(offset, ADDRESS_BITS)
            known = offset_known and src0_known and src1_known and fits
            yield Atomic(
                guard=enabled,
                lane=lane,
                surface=self.surface,
                cell=(address,),
                width=4,
                inside=surface.contains(address, 4),
                defined=conj(eq(truncate(offset, 2), const(0, 2)), predicate_known, bool_const(known)),
                op=self.op,
                src0=src0,
                src1=src1,
                returns_new=self.op is AtomicOp.PREDEC,
                destination=destination,
                readings=state.readings,
            )


def require_on_page(op: AtomicOp, page: str) -> None:
    """fadd and fsub are LSC's alone."""
    require(op in PAGE_OPS, f"{op.name.lower()} is not on the page", page)


def require_sources(op: AtomicOp, src0: RawOperand, src1: RawOperand, page: str) -> None:
    """Page: which sources must be V0, the null variable."""
    name = op.name.lower()
    require((src0 != NULL) == (op.sources >= 1), f"Src0 of {name}: V0 exactly where it has no source", page)
    require((src1 != NULL) == (op.sources == 2), f"Src1 of {name}: V0 unless it compares", page)


def require_bits(op: AtomicOp, bits: int, page: str) -> None:
    """Dwords or qwords; comparisons of floats on other sizes than dwords are not modelled."""
    require(bits in (32, 64), f"an atomic on {bits} bits", page)
    if bits != 32 and op in COMPARING_OPS:
        raise NotModelled(f"{op.name.lower()} on {bits} bits")


# ---------------------------------------------------------------- the concrete machine


def lane_word(state: ConcreteState, operand: RawOperand, lane: int, width: int) -> int:
    """The `width` bytes of a lane's source; 0 where it is absent."""
    return 0 if operand == NULL else state.read_bytes(operand, width * lane, width)


def run_serially(
    state: ConcreteState,
    surface: str,
    op: AtomicOp,
    updates: list[tuple[int, int, int, int]],
    dst: RawOperand,
    width: int = 4,
) -> None:
    """(lane, address, src0, src1) one after the other.  Page: "serialized and atomically updated" (D30)."""
    for i, *_ in updates if dst != NULL else []:
        state.read_bytes(dst, width * i, width)  # every enabled lane must fit (D6)
    buffer = state.buffer(surface)
    for i, address, src0, src1 in state.in_turn(updates):

        def change(old: int, src0: int = src0, src1: int = src1) -> int:
            if op in FLOAT_OPS:
                return float_new_value(op, old, src0, src1, 8 * width, state.readings)
            return integer_new_value(op, old, src0, src1, 8 * width)

        old, new = buffer.modify(address, width, change)
        if buffer.changed is not None:
            buffer.changed.append(LaneWrite(i, address, width, new))
        if dst != NULL:
            state.write_bytes(dst, width * i, width, new if op is AtomicOp.PREDEC else old)


def integer_new_value(op: AtomicOp, old: int, src0: int, src1: int, bits: int) -> int:
    """What an operation on integers of `bits` bits leaves in memory, not yet reduced to them."""
    if op in (AtomicOp.IMIN, AtomicOp.IMAX):
        signed = partial(_signed, bits=bits)
        return min(old, src0, key=signed) if op is AtomicOp.IMIN else max(old, src0, key=signed)
    return _NEW_VALUE[op](old, src0, src1)


def _signed(value: int, bits: int) -> int:
    return value - 2**bits if value >= 2 ** (bits - 1) else value


_NEW_VALUE: dict[AtomicOp, Callable[[int, int, int], int]] = {
    AtomicOp.ADD: lambda old, src0, _: old + src0,
    AtomicOp.SUB: lambda old, src0, _: old - src0,
    AtomicOp.INC: lambda old, _, __: old + 1,
    AtomicOp.DEC: lambda old, _, __: old - 1,
    AtomicOp.PREDEC: lambda old, _, __: old - 1,
    AtomicOp.MIN: lambda old, src0, _: min(old, src0),
    AtomicOp.MAX: lambda old, src0, _: max(old, src0),
    AtomicOp.XCHG: lambda _, src0, __: src0,
    AtomicOp.CMPXCHG: lambda old, src0, src1: src0 if old == src1 else old,
    AtomicOp.AND: lambda old, src0, _: old & src0,
    AtomicOp.OR: lambda old, src0, _: old | src0,
    AtomicOp.XOR: lambda old, src0, _: old ^ src0,
}
"""Page: table DWORD_ATOMIC_OP, the operations on integers that do not ask for a sign."""


# ---------------------------------------------------------------- the symbolic machine


def lane_source(
    state: SymbolicState, operand: RawOperand, lane: int, enabled: Bool, width: int = 4
) -> tuple[BitVec, bool]:
    """The `width` bytes of a lane's source, and whether the page gives them a meaning; 0 where it is absent."""
    if operand == NULL:
        return const(0, 8 * width), True
    return state.read_bytes(operand, width * lane, width, enabled)


def lane_destination(
    state: SymbolicState, dst: RawOperand, lane: int, width: int = 4
) -> tuple[RegisterSlice | None, bool]:
    """Where a lane's result goes, and whether dst has the room."""
    if dst == NULL:
        return None, True
    place = RegisterSlice(dst.variable, dst.offset + width * lane, width)
    return place, state.registers.holds(place.variable, place.start, width)
