"""DWORD_ATOMIC: examples worked by hand from the page, then both writings against each other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instructions.agreement import SURFACE, assert_agreement, states
from visaproof.instructions.family import DwordAtomic
from visaproof.isa.atomics import PAGE_OPS, AtomicOp
from visaproof.isa.errors import IllegalInstruction, UndefinedBehavior
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import NULL, Execution, Predicate, RawOperand
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer

OFFSETS, SRC0, SRC1, DST = RawOperand("VO"), RawOperand("V0"), RawOperand("V1"), RawOperand("VD")


def dwords(*values: int) -> bytearray:
    return bytearray(b"".join((value % 2**32).to_bytes(4, "little") for value in values))


def atomic(op: AtomicOp, size: int = 2, dst: RawOperand = DST) -> DwordAtomic:
    return DwordAtomic(
        Execution(size), op, SURFACE, OFFSETS, SRC0 if op.sources else NULL, SRC1 if op.sources > 1 else NULL, dst
    )


@pytest.mark.parametrize(
    ("op", "returned", "left"),
    [
        (AtomicOp.INC, (5, 6), 7),
        (AtomicOp.PREDEC, (4, 3), 3),  # Page: PREDEC returns the new value
        (AtomicOp.SUB, (5, -2), -5),
        (AtomicOp.IMIN, (5, 5), 3),
        (AtomicOp.XCHG, (5, 7), 3),
        (AtomicOp.CMPXCHG, (5, 7), 7),  # lane 0 finds its comparand 5, lane 1 does not find 9
    ],
)
def test_lanes_on_one_dword_follow_each_other(
    thread: ConcreteState, op: AtomicOp, returned: tuple[int, int], left: int
) -> None:
    thread.surfaces[SURFACE] = Buffer(64, {8: 5})
    thread.registers = {"VO": dwords(8, 8), "V0": dwords(7, 3), "V1": dwords(5, 9), "VD": dwords(0, 0)}
    atomic(op).execute(thread)
    surface = thread.surfaces[SURFACE]
    assert isinstance(surface, Buffer)
    assert surface.read_dword(8) == left % 2**32
    assert thread.registers["VD"] == dwords(*returned)


def test_outside_it_returns_zero_and_writes_nothing(thread: ConcreteState) -> None:
    """Page: "On read: zeros are returned. On write: data is dropped." """
    thread.surfaces[SURFACE] = Buffer(10, {8: 5})
    thread.registers = {"VO": dwords(8, 64), "VD": dwords(9, 9)}
    atomic(AtomicOp.INC).execute(thread)
    assert thread.registers["VD"] == dwords(0, 0)
    assert thread.surfaces[SURFACE] == Buffer(10, {8: 5})


def test_a_misaligned_offset_is_undefined(thread: ConcreteState) -> None:
    thread.surfaces[SURFACE] = Buffer(64)
    thread.registers = {"VO": dwords(2), "VD": dwords(0)}
    with pytest.raises(UndefinedBehavior):
        atomic(AtomicOp.INC, 1).execute(thread)


def test_sources_are_there_exactly_where_the_operation_has_them() -> None:
    for op in PAGE_OPS:
        atomic(op, 8).validate(Platform.TGLLP)
    with pytest.raises(IllegalInstruction):
        DwordAtomic(Execution(8), AtomicOp.ADD, SURFACE, OFFSETS).validate(Platform.TGLLP)


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(st.data(), st.sampled_from(PAGE_OPS), st.sampled_from([1, 2, 8, 16]))
def test_footprint_agrees_with_execute(data: st.DataObject, op: AtomicOp, size: int) -> None:
    mask = data.draw(st.sampled_from([ExecMask.M1, ExecMask.M5, ExecMask.M1_NM]))
    predicate = data.draw(st.sampled_from([None, Predicate("P1"), Predicate("P1", inverse=True)]))
    rooms = {"VO": 64, "V0": 64, "V1": data.draw(st.sampled_from([64, 20])), "VD": data.draw(st.sampled_from([64, 20]))}
    state = data.draw(states(Platform.TGLLP, rooms, "VO"))
    drawn = atomic(op, size, data.draw(st.sampled_from([DST, NULL])))
    instruction = DwordAtomic(Execution(size, mask, predicate), op, SURFACE, OFFSETS, drawn.src0, drawn.src1, drawn.dst)
    assert_agreement(instruction, state)
