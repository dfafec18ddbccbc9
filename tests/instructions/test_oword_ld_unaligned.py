"""OWORD_LD_UNALIGNED: examples worked by hand from the page, then both writings against each other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instructions.agreement import SURFACE, assert_agreement, states
from visaproof.instructions.oword_ld_unaligned import OwordLdUnaligned
from visaproof.isa.errors import IllegalInstruction, UndefinedBehavior
from visaproof.isa.operands import ImmediateUD, RawOperand, ScalarUD
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer


def load(size: int, offset: int) -> OwordLdUnaligned:
    return OwordLdUnaligned(size, SURFACE, ImmediateUD(offset), RawOperand("VD"))


def test_the_offset_counts_bytes(thread: ConcreteState) -> None:
    """Offset 4 is byte 4, not oword 4; lanes that are off do not matter."""
    thread.exec_mask = 0
    thread.surfaces[SURFACE] = Buffer(64, {k: k for k in range(64)})
    thread.registers = {"VD": bytearray(16)}
    load(1, 4).execute(thread)
    assert thread.registers["VD"] == bytes(range(4, 20))


def test_dwords_beyond_the_end_are_zero(thread: ConcreteState) -> None:
    thread.surfaces[SURFACE] = Buffer(10, dict.fromkeys(range(10), 170))
    thread.registers = {"VD": bytearray(b"\xff" * 16)}
    load(1, 0).execute(thread)
    assert thread.registers["VD"] == b"\xaa" * 8 + bytes(8)


def test_an_odd_offset_is_undefined(thread: ConcreteState) -> None:
    thread.surfaces[SURFACE] = Buffer(64)
    thread.registers = {"VD": bytearray(16)}
    with pytest.raises(UndefinedBehavior):
        load(1, 2).execute(thread)


def test_sixteen_owords_are_illegal() -> None:
    with pytest.raises(IllegalInstruction):
        load(16, 0).validate(Platform.PVC)


@settings(deadline=None)
@given(st.data(), st.sampled_from([1, 2, 4, 8]))
def test_footprint_agrees_with_execute(data: st.DataObject, size: int) -> None:
    state = data.draw(states(Platform.TGLLP, {"VO": 32, "VD": data.draw(st.sampled_from([128, 50]))}, "VO"))
    assert_agreement(OwordLdUnaligned(size, SURFACE, ScalarUD("VO", 4), RawOperand("VD")), state)
