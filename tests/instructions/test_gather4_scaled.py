"""GATHER4_SCALED: examples worked by hand from the page, then both writings against each other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instructions.agreement import SURFACE, assert_agreement, states
from visaproof.instructions.gather4_scaled import Gather4Scaled
from visaproof.isa.errors import IllegalInstruction, UndefinedBehavior
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import Channels, Execution, ImmediateUD, Predicate, RawOperand
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer

BYTES = {address: address for address in range(64)}


def gather(channels: int, size: int = 8, execution: Execution | None = None, offset: int = 0) -> Gather4Scaled:
    where = (SURFACE, ImmediateUD(offset), RawOperand("VO"), RawOperand("VD"))
    return Gather4Scaled(execution or Execution(size), Channels(channels), *where)


def test_each_channel_lands_in_a_register_of_its_own(thread: ConcreteState) -> None:
    """R and B of lane 1 at offset 4 + 4: R reads byte 8 on, B reads byte 16 on and goes to the second register."""
    thread.surfaces[SURFACE] = Buffer(64, dict(BYTES))
    thread.exec_mask = 0b10
    thread.registers = {"VO": bytearray(b"\x00\x00\x00\x00\x04\x00\x00\x00" + bytes(24)), "VD": bytearray(64)}
    gather(0b0101, offset=4).execute(thread)
    assert thread.registers["VD"] == bytes(4) + bytes([8, 9, 10, 11]) + bytes(24) + bytes(4) + bytes(
        [16, 17, 18, 19]
    ) + bytes(24)


def test_a_dword_that_is_not_wholly_inside_reads_as_zero(thread: ConcreteState) -> None:
    """A surface of 6 bytes has one dword: R at 0 is read, G at 4 is zeros."""
    thread.surfaces[SURFACE] = Buffer(6, dict.fromkeys(range(6), 170))
    thread.exec_mask = 1
    thread.registers = {"VO": bytearray(32), "VD": bytearray(b"\xff" * 64)}
    gather(0b0011).execute(thread)
    assert thread.registers["VD"][:4] == b"\xaa\xaa\xaa\xaa"
    assert thread.registers["VD"][32:36] == bytes(4)
    assert thread.registers["VD"][4:32] == b"\xff" * 28


def test_a_misaligned_address_is_undefined(thread: ConcreteState) -> None:
    thread.surfaces[SURFACE] = Buffer(64)
    thread.registers = {"VO": bytearray(32), "VD": bytearray(32)}
    with pytest.raises(UndefinedBehavior):
        gather(0b0001, offset=2).execute(thread)


def test_no_channel_is_illegal() -> None:
    with pytest.raises(IllegalInstruction):
        gather(0).validate(Platform.TGLLP)


@settings(deadline=None)
@given(st.data(), st.sampled_from([Platform.TGLLP, Platform.PVC]), st.integers(1, 15), st.sampled_from([8, 16]))
def test_footprint_agrees_with_execute(data: st.DataObject, platform: Platform, channels: int, size: int) -> None:
    mask = data.draw(st.sampled_from([ExecMask.M1, ExecMask.M5, ExecMask.M1_NM]))
    predicate = data.draw(st.sampled_from([None, Predicate("P1"), Predicate("P1", inverse=True)]))
    state = data.draw(states(platform, {"VO": 64, "VD": data.draw(st.sampled_from([256, 100]))}, "VO"))
    offset = data.draw(st.sampled_from([0, 4, 2**32 - 8]))
    assert_agreement(gather(channels, execution=Execution(size, mask, predicate), offset=offset), state)
