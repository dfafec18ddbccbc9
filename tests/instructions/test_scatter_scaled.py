"""SCATTER_SCALED: examples worked by hand from the page, then both writings against each other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instructions.agreement import SURFACE, assert_agreement, states
from visaproof.instructions.scatter_scaled import ScatterScaled
from visaproof.isa.errors import IllegalInstruction, UndefinedBehavior
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import Execution, ImmediateUD, Predicate, RawOperand
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, LaneWrite


def scatter(blocks: int, execution: Execution, offset: int = 0) -> ScatterScaled:
    return ScatterScaled(execution, blocks, SURFACE, ImmediateUD(offset), RawOperand("VO"), RawOperand("VS"))


def test_the_low_byte_of_each_lane_is_written(thread: ConcreteState) -> None:
    """Lanes 0 and 1 write 0x11 and 0x22 to bytes 5 and 4; the upper bytes of src are ignored."""
    memory = thread.surfaces[SURFACE] = Buffer(16)
    memory.log = []
    thread.registers = {"VO": bytearray(b"\x05\0\0\0\x04\0\0\0"), "VS": bytearray(b"\x11\xff\xff\xff\x22\xff\xff\xff")}
    scatter(1, Execution(2)).execute(thread)
    assert memory.contents == {5: 0x11, 4: 0x22}
    assert memory.log == [LaneWrite(0, 5, 1, 0x11), LaneWrite(1, 4, 1, 0x22)]


def test_lanes_that_share_a_byte_are_undefined(thread: ConcreteState) -> None:
    """Two words at 0 and 1 share byte 1; no byte is written."""
    memory = thread.surfaces[SURFACE] = Buffer(16)
    thread.registers = {"VO": bytearray(b"\0\0\0\0\x01\0\0\0"), "VS": bytearray(8)}
    with pytest.raises(UndefinedBehavior):
        scatter(2, Execution(2)).execute(thread)
    assert memory.contents == {}


def test_a_write_outside_collides_with_nothing(thread: ConcreteState) -> None:
    """Both lanes write at 2^32 - 1 + 2 = 1 with a surface of 1 byte: both are dropped."""
    thread.surfaces[SURFACE] = Buffer(1)
    thread.registers = {"VO": bytearray(b"\x02\0\0\0\x02\0\0\0"), "VS": bytearray(8)}
    scatter(1, Execution(2), offset=2**32 - 1).execute(thread)
    assert thread.surfaces[SURFACE] == Buffer(1)


def test_eight_blocks_are_illegal() -> None:
    with pytest.raises(IllegalInstruction):
        scatter(8, Execution(8)).validate(Platform.TGLLP)


@settings(deadline=None)
@given(st.data(), st.sampled_from([1, 2, 4]), st.sampled_from([1, 2, 4, 8, 16, 32]))
def test_footprint_agrees_with_execute(data: st.DataObject, blocks: int, size: int) -> None:
    mask = data.draw(st.sampled_from([ExecMask.M1, ExecMask.M1_NM]))
    predicate = data.draw(st.sampled_from([None, Predicate("P1"), Predicate("P1", inverse=True)]))
    state = data.draw(states(Platform.TGLLP, {"VO": 128, "VS": data.draw(st.sampled_from([128, 50]))}, "VO"))
    offset = data.draw(st.sampled_from([0, 1, 2**32 - 3]))
    assert_agreement(scatter(blocks, Execution(size, mask, predicate), offset), state)
