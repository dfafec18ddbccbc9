"""OWORD_ST: examples worked by hand from the page, then both writings against each other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instructions.agreement import SURFACE, assert_agreement, states
from visaproof.instructions.oword_st import OwordSt
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.operands import ImmediateUD, RawOperand, ScalarUD
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer


def test_the_offset_counts_owords(thread: ConcreteState) -> None:
    """Offset 1 is byte 16; lanes that are off do not matter."""
    thread.exec_mask = 0
    memory = thread.surfaces[SURFACE] = Buffer(64)
    thread.registers = {"VS": bytearray(range(16, 32))}
    OwordSt(1, SURFACE, ImmediateUD(1), RawOperand("VS")).execute(thread)
    assert memory.contents == {k: k for k in range(16, 32)}


def test_dwords_beyond_the_end_are_dropped(thread: ConcreteState) -> None:
    memory = thread.surfaces[SURFACE] = Buffer(10)
    thread.registers = {"VS": bytearray(b"\xaa" * 16)}
    OwordSt(1, SURFACE, ImmediateUD(0), RawOperand("VS")).execute(thread)
    assert memory.contents == dict.fromkeys(range(8), 0xAA)


def test_slm_is_illegal_before_icllp() -> None:
    with pytest.raises(IllegalInstruction):
        OwordSt(1, "%slm", ImmediateUD(0), RawOperand("VS")).validate(Platform.SKL)


@settings(deadline=None)
@given(st.data(), st.sampled_from([1, 2, 4, 8]))
def test_footprint_agrees_with_execute(data: st.DataObject, size: int) -> None:
    state = data.draw(states(Platform.TGLLP, {"VO": 32, "VS": data.draw(st.sampled_from([128, 50]))}, "VO"))
    assert_agreement(OwordSt(size, SURFACE, ScalarUD("VO", 4), RawOperand("VS")), state)
