"""The pages SVM_…: loads, stores and atomics at 64-bit addresses, by hand, then both writings."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instructions.agreement import assert_agreement, flat_states
from visaproof.instructions import Instruction
from visaproof.instructions.family import (
    SvmAtomic,
    SvmBlockLd,
    SvmBlockSt,
    SvmGather,
    SvmGather4Scaled,
    SvmScatter,
    SvmScatter4Scaled,
)
from visaproof.isa.atomics import COMPARING_OPS, PAGE_OPS, AtomicOp
from visaproof.isa.errors import IllegalInstruction, UndefinedBehavior
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import NULL, Channels, Execution, ImmediateUD, Predicate, RawOperand
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer

ADDRESSES, DATA, SECOND = RawOperand("VA"), RawOperand("VD"), RawOperand("VS")
HIGH = 0x7_0000_0000
"""An address that no dword holds."""


def qwords(*values: int) -> bytearray:
    return bytearray(b"".join(value.to_bytes(8, "little") for value in values))


def dwords(*values: int) -> bytearray:
    return bytearray(b"".join(value.to_bytes(4, "little") for value in values))


def flat(content: bytes = b"", at: int = HIGH) -> Buffer:
    return Buffer(1 << 64, {at + k: byte for k, byte in enumerate(content)})


def memory(state: ConcreteState, address: int, count: int) -> bytes:
    surface = state.surfaces["flat"]
    assert isinstance(surface, Buffer)
    return bytes(surface.contents.get(address + k, 0) for k in range(count))


def test_blocks_of_a_gather_lie_one_block_of_all_lanes_apart(thread: ConcreteState) -> None:
    """Page: dst[j*exec_size+i]: with 8 lanes, the second dword of lane 1 is element 9."""
    thread.exec_mask = 0b11
    thread.surfaces["flat"] = flat(bytes(range(32)))
    thread.registers = {"VA": qwords(HIGH, HIGH + 16) + bytes(48), "VD": bytearray(b"\xff" * 64)}
    SvmGather(Execution(8), 4, 2, ADDRESSES, DATA).execute(thread)
    assert thread.registers["VD"][:8] == bytes([0, 1, 2, 3, 16, 17, 18, 19])
    assert thread.registers["VD"][32:40] == bytes([4, 5, 6, 7, 20, 21, 22, 23])
    assert thread.registers["VD"][8:12] == b"\xff" * 4


def test_bytes_of_a_scatter_come_four_to_a_lane(thread: ConcreteState) -> None:
    """Page: src[i*min_block_size+j], and any byte address is aligned to one byte."""
    thread.exec_mask = 0b11
    thread.surfaces["flat"] = flat()
    thread.registers = {"VA": qwords(HIGH + 1, HIGH + 3) + bytes(48), "VD": bytearray(range(1, 33))}
    SvmScatter(Execution(8), 1, 2, ADDRESSES, DATA).execute(thread)
    assert memory(thread, HIGH, 6) == bytes([0, 1, 2, 5, 6, 0])


def test_a_scatter_of_qwords(thread: ConcreteState) -> None:
    thread.exec_mask = 0b11
    thread.surfaces["flat"] = flat()
    thread.registers = {"VA": qwords(HIGH + 8, HIGH), "VD": bytearray(range(16))}
    SvmScatter(Execution(2), 8, 1, ADDRESSES, DATA).execute(thread)
    assert memory(thread, HIGH, 16) == bytes([*range(8, 16), *range(8)])


def test_lanes_of_a_scatter_must_not_meet(thread: ConcreteState) -> None:
    """Two lanes at one address that only differ above 2^32 are apart; equal ones are undefined."""
    thread.exec_mask = 0b11
    thread.surfaces["flat"] = flat()
    thread.registers = {"VA": qwords(HIGH, HIGH + 2**32), "VD": bytearray(8)}
    SvmScatter(Execution(2), 4, 1, ADDRESSES, DATA).execute(thread)
    thread.registers["VA"] = qwords(HIGH, HIGH)
    with pytest.raises(UndefinedBehavior, match="both write"):
        SvmScatter(Execution(2), 4, 1, ADDRESSES, DATA).execute(thread)


@pytest.mark.parametrize("block_size", [4, 8])
def test_addresses_are_aligned_to_their_block(thread: ConcreteState, block_size: int) -> None:
    thread.surfaces["flat"] = flat()
    thread.registers = {"VA": qwords(HIGH + block_size // 2), "VD": bytearray(8)}
    for instruction in (SvmGather, SvmScatter):
        with pytest.raises(UndefinedBehavior, match="not a multiple"):
            instruction(Execution(1), block_size, 1, ADDRESSES, DATA).execute(thread)


def test_blocks_copy_owords(thread: ConcreteState) -> None:
    thread.surfaces["flat"] = flat(bytes(range(32)))
    thread.registers = {"VA": qwords(HIGH), "VS": qwords(HIGH + 64), "VD": bytearray(32)}
    SvmBlockLd(2, ADDRESSES, DATA).execute(thread)
    SvmBlockSt(1, SECOND, RawOperand("VD", 16)).execute(thread)
    assert thread.registers["VD"] == bytes(range(32))
    assert memory(thread, HIGH + 64, 17) == bytes([*range(16, 32), 0])


def test_only_unaligned_blocks_may_start_at_a_dword(thread: ConcreteState) -> None:
    thread.surfaces["flat"] = flat(bytes(range(32)))
    thread.registers = {"VA": qwords(HIGH + 4), "VD": bytearray(16)}
    SvmBlockLd(1, ADDRESSES, DATA, unaligned=True).execute(thread)
    assert thread.registers["VD"] == bytes(range(4, 20))
    for instruction in (SvmBlockLd(1, ADDRESSES, DATA), SvmBlockSt(1, ADDRESSES, DATA)):
        with pytest.raises(UndefinedBehavior):
            instruction.execute(thread)


def test_channels_of_a_gather4_start_at_a_register(thread: ConcreteState) -> None:
    """RB of lane 0, whose offset wraps around 2^64 with the base 8."""
    thread.exec_mask = 1
    thread.surfaces["flat"] = flat(bytes(range(16)), at=0)
    thread.registers = {"VA": qwords(2**64 - 8) + bytes(56), "VD": bytearray(64)}
    SvmGather4Scaled(Execution(8), Channels(0b101), ImmediateUD(8), ADDRESSES, DATA).execute(thread)
    assert thread.registers["VD"][:4] == bytes([0, 1, 2, 3])
    assert thread.registers["VD"][32:36] == bytes([8, 9, 10, 11])


def test_channels_of_a_scatter4_start_at_a_register(thread: ConcreteState) -> None:
    """GA of lanes 0 and 1: dwords 1 and 3 behind each address."""
    thread.exec_mask = 0b11
    thread.surfaces["flat"] = flat()
    thread.registers = {"VA": qwords(8, 24) + bytes(48), "VB": qwords(HIGH), "VD": bytearray(range(64))}
    SvmScatter4Scaled(Execution(8), Channels(0b1010), RawOperand("VB"), ADDRESSES, DATA).execute(thread)
    expected = bytearray(40)
    for lane in (0, 1):
        for slot, channel in ((0, 1), (1, 3)):
            place = 8 + 16 * lane + 4 * channel
            expected[place : place + 4] = bytes(range(32 * slot + 4 * lane, 32 * slot + 4 * lane + 4))
    assert memory(thread, HIGH, 40) == expected


def test_channels_of_two_lanes_of_a_scatter4_must_not_meet(thread: ConcreteState) -> None:
    """G of lane 0 is R of lane 1."""
    thread.exec_mask = 0b11
    thread.surfaces["flat"] = flat()
    thread.registers = {"VA": qwords(HIGH, HIGH + 4) + bytes(48), "VD": bytearray(64)}
    SvmScatter4Scaled(Execution(8), Channels(0b10), ImmediateUD(0), ADDRESSES, DATA).execute(thread)
    with pytest.raises(UndefinedBehavior, match="both write"):
        SvmScatter4Scaled(Execution(8), Channels(0b11), ImmediateUD(0), ADDRESSES, DATA).execute(thread)


def test_atomics_on_one_address_add_up(thread: ConcreteState) -> None:
    thread.exec_mask = 0b111
    thread.surfaces["flat"] = flat(b"\x05")
    thread.registers = {"VA": qwords(HIGH, HIGH, HIGH, 0), "VS": dwords(1, 2, 3, 4), "VD": dwords(9, 9, 9, 9)}
    SvmAtomic(Execution(4), AtomicOp.ADD, ADDRESSES, DATA, SECOND).execute(thread)
    assert memory(thread, HIGH, 2) == bytes([11, 0])
    assert thread.registers["VD"] == dwords(5, 6, 8, 9)


@pytest.mark.parametrize(
    "instruction",
    [
        SvmGather(Execution(16), 4, 8, ADDRESSES, DATA),
        SvmScatter(Execution(4), 4, 2, ADDRESSES, DATA),
        SvmGather(Execution(32), 4, 1, ADDRESSES, DATA),
        SvmBlockLd(3, ADDRESSES, DATA),
        SvmGather4Scaled(Execution(8), Channels(0), ADDRESSES, SECOND, DATA),
        SvmScatter4Scaled(Execution(8), Channels(0), ADDRESSES, SECOND, DATA),
        SvmAtomic(Execution(8), AtomicOp.INC, ADDRESSES, src0=SECOND),
        SvmAtomic(Execution(16), AtomicOp.INC, ADDRESSES),
    ],
)
def test_operands_that_break_a_page(instruction: Instruction) -> None:
    with pytest.raises(IllegalInstruction):
        instruction.validate(Platform.TGLLP)


@st.composite
def executions(draw: st.DrawFn, sizes: tuple[int, ...]) -> Execution:
    mask = draw(st.sampled_from([ExecMask.M1, ExecMask.M5, ExecMask.M1_NM]))
    predicate = draw(st.sampled_from([None, Predicate("P1"), Predicate("P1", inverse=True)]))
    return Execution(draw(st.sampled_from(sizes)), mask, predicate)


KINDS = (SvmGather, SvmScatter, SvmBlockLd, SvmBlockSt, SvmGather4Scaled, SvmScatter4Scaled, SvmAtomic)


@st.composite
def messages(draw: st.DrawFn) -> Instruction:
    kind = draw(st.sampled_from(KINDS))
    if kind in (SvmGather, SvmScatter):
        size, count = draw(st.sampled_from([(1, 1), (1, 2), (1, 4), (4, 1), (4, 2), (4, 8), (8, 1), (8, 2)]))
        lanes = {1: (1, 2, 8, 16), 8: (8,)}.get(count, (8, 16))
        return kind(draw(executions(lanes)), size, count, ADDRESSES, DATA)
    if kind is SvmBlockLd:
        return SvmBlockLd(draw(st.sampled_from([1, 2, 8])), RawOperand("VA", 8), DATA, draw(st.booleans()))
    if kind is SvmBlockSt:
        return SvmBlockSt(draw(st.sampled_from([1, 2, 8])), RawOperand("VA", 8), DATA)
    if kind in (SvmGather4Scaled, SvmScatter4Scaled):
        base = draw(st.sampled_from([ImmediateUD(0), ImmediateUD(6), RawOperand("VA", 8)]))
        return kind(draw(executions((8, 16))), Channels(draw(st.integers(1, 15))), base, ADDRESSES, DATA)
    op = draw(st.sampled_from(PAGE_OPS))
    src0 = RawOperand("VS") if op.sources >= 1 else NULL
    src1 = RawOperand("VS", 4) if op.sources == 2 else NULL
    bits = 32 if op in COMPARING_OPS else draw(st.sampled_from([32, 64]))
    execution, dst = draw(executions((1, 2, 4, 8))), draw(st.sampled_from([NULL, DATA]))
    return SvmAtomic(execution, op, ADDRESSES, dst, src0, src1, bits=bits)


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(messages(), st.data())
def test_footprint_agrees_with_execute(instruction: Instruction, data: st.DataObject) -> None:
    platform = data.draw(st.sampled_from([Platform.TGLLP, Platform.PVC]))
    room = data.draw(st.sampled_from([256, 128, 50]))
    state = data.draw(flat_states(platform, {"VA": 128, "VD": room, "VS": 40}, "VA"))
    instruction.validate(platform)
    assert_agreement(instruction, state)
