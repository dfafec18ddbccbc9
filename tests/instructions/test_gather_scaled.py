"""GATHER_SCALED: examples worked by hand from the page, then both writings against each other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instructions.agreement import SURFACE, assert_agreement, states
from visaproof.instructions.gather_scaled import GatherScaled
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import Execution, ImmediateUD, Predicate, RawOperand, ScalarUD
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer


def gather(blocks: int, execution: Execution) -> GatherScaled:
    return GatherScaled(execution, blocks, SURFACE, ImmediateUD(1), RawOperand("VO"), RawOperand("VD"))


def test_two_bytes_come_from_any_byte_address(thread: ConcreteState) -> None:
    """Offset 1 + 2 is odd: bytes 3 and 4 arrive in the low half of lane 0's dword."""
    thread.surfaces[SURFACE] = Buffer(16, {3: 0x33, 4: 0x44})
    thread.registers = {"VO": bytearray(b"\x02\x00\x00\x00"), "VD": bytearray(b"\xff" * 4)}
    gather(2, Execution(1)).execute(thread)
    assert thread.registers["VD"][:2] == b"\x33\x44"


def test_an_element_that_straddles_the_end_reads_as_zero(thread: ConcreteState) -> None:
    thread.surfaces[SURFACE] = Buffer(4, {3: 0x33})
    thread.registers = {"VO": bytearray(b"\x02\x00\x00\x00"), "VD": bytearray(b"\xff" * 4)}
    gather(4, Execution(1)).execute(thread)
    assert thread.registers["VD"] == bytes(4)


def test_three_blocks_are_illegal() -> None:
    with pytest.raises(IllegalInstruction):
        gather(3, Execution(8)).validate(Platform.TGLLP)


@settings(deadline=None)
@given(st.data(), st.sampled_from([1, 2, 4]), st.sampled_from([1, 4, 8, 16, 32]))
def test_footprint_agrees_with_execute(data: st.DataObject, blocks: int, size: int) -> None:
    mask = data.draw(st.sampled_from([ExecMask.M1, ExecMask.M1_NM]))
    predicate = data.draw(st.sampled_from([None, Predicate("P1"), Predicate("P1", inverse=True)]))
    state = data.draw(states(Platform.DG2, {"VO": 128, "VD": data.draw(st.sampled_from([128, 50]))}, "VO"))
    offset = data.draw(st.sampled_from([ImmediateUD(0), ImmediateUD(2**32 - 3), ScalarUD("VO", 8)]))
    instruction = GatherScaled(
        Execution(size, mask, predicate), blocks, SURFACE, offset, RawOperand("VO"), RawOperand("VD")
    )
    assert_agreement(instruction, state)
