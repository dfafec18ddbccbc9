"""QW_GATHER: examples worked by hand from the page, then both writings against each other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instructions.agreement import SURFACE, assert_agreement, states
from visaproof.instructions.qw_gather import QwGather
from visaproof.isa.errors import IllegalInstruction, UndefinedBehavior
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import Execution, Predicate, RawOperand
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer


def gather(execution: Execution) -> QwGather:
    return QwGather(execution, SURFACE, RawOperand("VO"), RawOperand("VD"))


def test_each_lane_gets_the_qword_at_its_byte_offset(thread: ConcreteState) -> None:
    """Lane 1 reads byte 8 on; lane 0 is off and keeps its qword."""
    thread.exec_mask = 0b10
    thread.surfaces[SURFACE] = Buffer(64, {k: k for k in range(64)})
    thread.registers = {"VO": bytearray(b"\0\0\0\0\x08\0\0\0"), "VD": bytearray(b"\xff" * 16)}
    gather(Execution(2)).execute(thread)
    assert thread.registers["VD"] == b"\xff" * 8 + bytes(range(8, 16))


def test_half_a_qword_may_be_inside(thread: ConcreteState) -> None:
    """A surface of 12 bytes: of the qword at 8, only the low dword."""
    thread.surfaces[SURFACE] = Buffer(12, dict.fromkeys(range(12), 170))
    thread.registers = {"VO": bytearray(b"\x08\0\0\0"), "VD": bytearray(b"\xff" * 8)}
    gather(Execution(1)).execute(thread)
    assert thread.registers["VD"] == b"\xaa" * 4 + bytes(4)


def test_a_misaligned_offset_is_undefined(thread: ConcreteState) -> None:
    thread.surfaces[SURFACE] = Buffer(64)
    thread.registers = {"VO": bytearray(b"\x04\0\0\0"), "VD": bytearray(8)}
    with pytest.raises(UndefinedBehavior):
        gather(Execution(1)).execute(thread)


def test_it_exists_from_xehp_on() -> None:
    gather(Execution(8)).validate(Platform.XeHP_SDV)
    with pytest.raises(IllegalInstruction):
        gather(Execution(8)).validate(Platform.TGLLP)


@settings(deadline=None)
@given(st.data(), st.sampled_from([1, 2, 4, 8, 16]))
def test_footprint_agrees_with_execute(data: st.DataObject, size: int) -> None:
    mask = data.draw(st.sampled_from([ExecMask.M1, ExecMask.M5, ExecMask.M1_NM]))
    predicate = data.draw(st.sampled_from([None, Predicate("P1"), Predicate("P1", inverse=True)]))
    state = data.draw(states(Platform.DG2, {"VO": 64, "VD": data.draw(st.sampled_from([128, 50]))}, "VO"))
    assert_agreement(gather(Execution(size, mask, predicate)), state)
