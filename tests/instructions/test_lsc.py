"""lsc_load, lsc_store and lsc_atomic_* of LSC_UNTYPED: by hand from the page, then both writings."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instructions.agreement import SURFACE, assert_agreement, flat_states, states
from visaproof.instructions import Instruction
from visaproof.instructions.family import LscAtomic, LscLoad, LscStore
from visaproof.instructions.lsc.atomic import OPERATIONS
from visaproof.instructions.lsc.untyped import Addresses, DataShape, DataSize, Extension
from visaproof.isa.atomics import COMPARING_OPS, AtomicOp
from visaproof.isa.errors import IllegalInstruction, UndefinedBehavior
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import NULL, Execution, Predicate, RawOperand
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer

OFFSETS, DATA, SECOND = RawOperand("VA"), RawOperand("VD"), RawOperand("VS")
D32 = DataSize.D32


def dwords(*values: int) -> bytearray:
    return bytearray(b"".join((value % 2**32).to_bytes(4, "little") for value in values))


def memory(state: ConcreteState) -> Buffer:
    surface = state.surfaces[SURFACE]
    assert isinstance(surface, Buffer)
    return surface


def test_vector_elements_lie_in_successive_registers(thread: ConcreteState) -> None:
    """d32x2 of 2 lanes with 32-byte registers: the second element of lane 1 is dword 9."""
    thread.surfaces[SURFACE] = Buffer(64, {k: k for k in range(64)})
    thread.registers = {"VA": dwords(0, 17), "VD": bytearray(64)}
    LscLoad(Execution(2), SURFACE, Addresses(OFFSETS, 32), DataShape(D32, 2), DATA).execute(thread)
    assert thread.registers["VD"][:8] == bytes([0, 1, 2, 3, 17, 18, 19, 20])
    assert thread.registers["VD"][32:40] == bytes([4, 5, 6, 7, 21, 22, 23, 24])


def test_registers_of_64_bytes_move_the_second_element(thread: ConcreteState) -> None:
    thread.platform = Platform.PVC
    thread.surfaces[SURFACE] = Buffer(64, {k: k for k in range(64)})
    thread.registers = {"VA": dwords(0), "VD": bytearray(128)}
    LscLoad(Execution(1), SURFACE, Addresses(OFFSETS, 32), DataShape(D32, 2), DATA).execute(thread)
    assert thread.registers["VD"][64:68] == bytes([4, 5, 6, 7])


def test_transposed_elements_lie_behind_each_other(thread: ConcreteState) -> None:
    thread.surfaces[SURFACE] = Buffer(64)
    thread.registers = {"VA": dwords(8), "VD": bytearray(range(32))}
    shape = DataShape(DataSize.D64, 4, transposed=True)
    LscStore(Execution(1), SURFACE, Addresses(OFFSETS, 32), shape, DATA).execute(thread)
    assert [memory(thread).contents.get(k, 0) for k in range(6, 42)] == [0, 0, *range(32), 0, 0]


def test_fcas_writes_its_second_source_where_the_first_is_equal(thread: ConcreteState) -> None:
    """1.0 becomes 2.0 for lane 0, whose comparand is 1.0; -0.0 is equal to 0.0 for lane 1; NaN is equal to nothing."""
    one, two, minus_zero, nan = 0x3F80_0000, 0x4000_0000, 0x8000_0000, 0x7FC0_0000
    held = b"".join(word.to_bytes(4, "little") for word in (one, minus_zero, nan))
    thread.surfaces[SURFACE] = Buffer(64, dict(enumerate(held)))
    thread.registers = {"VA": dwords(0, 4, 8, 8), "VD": bytearray(16), "VS": dwords(one, 0, nan, one)}
    thread.registers["VT"] = dwords(two, two, two, two)
    cas = LscAtomic(
        Execution(4), AtomicOp.FCMPWR, SURFACE, Addresses(OFFSETS, 32), DATA, RawOperand("VS"), RawOperand("VT")
    )
    cas.execute(thread)
    assert thread.registers["VD"] == dwords(one, minus_zero, nan, nan)
    assert [memory(thread).read(at, 4) for at in (0, 4, 8)] == [two, two, nan]


def test_addresses_are_scaled_and_moved(thread: ConcreteState) -> None:
    """4·3 − 8 = 4; the page's example `flat[0x4*VOFF-0x10]`."""
    thread.surfaces[SURFACE] = Buffer(64, {4: 7})
    thread.registers = {"VA": dwords(3), "VD": bytearray(4)}
    LscLoad(Execution(1), SURFACE, Addresses(OFFSETS, 32, 4, -8), DataShape(D32), DATA).execute(thread)
    assert thread.registers["VD"] == dwords(7)


@pytest.mark.parametrize(
    ("extension", "element", "address"),
    [
        (Extension.ZERO, 0xFFFF_FFFF, 0x1_0000 + 4 * 0xFFFF_FFFF + 8),
        (Extension.SIGN, 0xFFFF_FFFF, 0x1_0000 - 4 + 8),
        (Extension.SIGN, 0x7FFF_FFFF, 0x1_0000 + 4 * 0x7FFF_FFFF + 8),
    ],
)
def test_a_dword_is_extended_before_it_is_scaled(
    thread: ConcreteState, extension: Extension, element: int, address: int
) -> None:
    thread.surfaces["flat"] = Buffer(2**64, {address: 7})
    thread.registers = {"VA": dwords(element), "VD": bytearray(4), "VS": dwords(0, 0, 0x1_0000, 0)}
    for base in (RawOperand("VS", 8), 0x1_0000):
        addresses = Addresses(OFFSETS, 64, 4, 8, extension, base)
        LscLoad(Execution(1), "flat", addresses, DataShape(D32), DATA).execute(thread)
        assert thread.registers["VD"] == dwords(7)


def test_the_base_and_a_64_bit_element_are_added(thread: ConcreteState) -> None:
    thread.surfaces["flat"] = Buffer(2**64, {0x2_0000_0010: 7})
    thread.registers = {"VA": dwords(8, 1), "VD": bytearray(4), "VS": dwords(4, 1)}
    LscLoad(Execution(1), "flat", Addresses(OFFSETS, 64, 1, 4, None, SECOND), DataShape(D32), DATA).execute(thread)
    assert thread.registers["VD"] == dwords(7)


def test_a_negative_offset_in_a_surface_is_outside_of_it(thread: ConcreteState) -> None:
    """-4 + 4 is no address inside, whatever a sum of 64 bits would be."""
    thread.surfaces[SURFACE] = Buffer(64, dict.fromkeys(range(64), 7))
    thread.registers = {"VA": dwords(-4), "VD": bytearray(range(64))}
    addresses = Addresses(OFFSETS, 64, 1, 0, Extension.SIGN)
    LscLoad(Execution(1), SURFACE, addresses, DataShape(D32, 2), DATA).execute(thread)
    assert thread.registers["VD"][:4] == thread.registers["VD"][32:36] == bytes(4)


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_offsets_of_64_bits_in_a_surface_agree_in_both_writings(data: st.DataObject) -> None:
    scale, moved = data.draw(st.sampled_from([1, 4])), data.draw(st.sampled_from([0, 12, -16]))
    extension = data.draw(st.sampled_from(list(Extension)))
    kind = data.draw(st.sampled_from([LscLoad, LscStore]))
    shape = DataShape(data.draw(st.sampled_from(list(DataSize))), data.draw(st.sampled_from([1, 2, 4])))
    instruction = kind(Execution(8, ExecMask.M1), SURFACE, Addresses(OFFSETS, 64, scale, moved, extension), shape, DATA)
    state = data.draw(states(Platform.PVC, {"VA": 128, "VD": 512, "VS": 68}, "VA"))
    assert_agreement(instruction, state)


def test_narrow_stores_take_the_low_bytes_of_their_dwords(thread: ConcreteState) -> None:
    thread.surfaces[SURFACE] = Buffer(8)
    thread.registers = {"VA": dwords(1, 3), "VD": dwords(0x11223344, 0x55667788)}
    LscStore(Execution(2), SURFACE, Addresses(OFFSETS, 32), DataShape(DataSize.D16U32), DATA).execute(thread)
    assert memory(thread).contents == {1: 0x44, 2: 0x33, 3: 0x88, 4: 0x77}


def test_lanes_of_a_store_must_not_share_a_byte(thread: ConcreteState) -> None:
    """Unaligned dwords at 1 and 4 share byte 4."""
    thread.surfaces[SURFACE] = Buffer(64)
    thread.registers = {"VA": dwords(1, 4), "VD": dwords(1, 2)}
    with pytest.raises(UndefinedBehavior, match="both write byte 0x4"):
        LscStore(Execution(2), SURFACE, Addresses(OFFSETS, 32), DataShape(D32), DATA).execute(thread)


def test_icas_compares_with_its_first_source(thread: ConcreteState) -> None:
    """Page: "icas […] VCMP VIFEQ"."""
    thread.surfaces[SURFACE] = Buffer(64, {0: 5})
    thread.registers = {"VA": dwords(0, 0), "VD": dwords(5, 6), "VS": dwords(9, 7)}
    LscAtomic(Execution(2), AtomicOp.CMPXCHG, SURFACE, Addresses(OFFSETS, 32), NULL, DATA, SECOND).execute(thread)
    assert memory(thread).read_dword(0) == 9


@pytest.mark.parametrize(
    ("instruction", "platform"),
    [
        (LscLoad(Execution(8), SURFACE, Addresses(OFFSETS, 32), DataShape(D32), DATA), Platform.TGLLP),
        (LscLoad(Execution(8), SURFACE, Addresses(OFFSETS, 32), DataShape(D32, 5), DATA), Platform.DG2),
        (LscStore(Execution(8), SURFACE, Addresses(OFFSETS, 32), DataShape(D32, 2, True), DATA), Platform.DG2),
        (LscAtomic(Execution(8), AtomicOp.ADD, SURFACE, Addresses(OFFSETS, 32)), Platform.DG2),
        (LscLoad(Execution(8), "flat", Addresses(OFFSETS, 64, base=64), DataShape(D32), DATA), Platform.Xe3),
        (
            LscStore(Execution(8), "flat", Addresses(OFFSETS, 64, extension=Extension.ZERO), DataShape(D32), DATA),
            Platform.Xe3,
        ),
        (LscAtomic(Execution(8), AtomicOp.INC, "flat", Addresses(OFFSETS, 64, base=OFFSETS)), Platform.PVC),
    ],
)
def test_operands_that_break_the_page(instruction: Instruction, platform: Platform) -> None:
    with pytest.raises(IllegalInstruction):
        instruction.validate(platform)


@st.composite
def address_forms(draw: st.DrawFn, bits: int) -> Addresses:
    """Every form of an address; a base and an extended dword are for 64-bit sums."""
    scale, moved = draw(st.sampled_from([1, 1, 4])), draw(st.sampled_from([0, 0, 12, -16]))
    base = draw(st.sampled_from([None, None, RawOperand("VS", 8), 2**bits - 8, 64]))
    extension = draw(st.sampled_from([None, Extension.ZERO, Extension.SIGN])) if bits == 64 else None
    return Addresses(OFFSETS, bits, scale, moved, extension, base)


@st.composite
def messages(draw: st.DrawFn, bits: int) -> Instruction:
    mask = draw(st.sampled_from([ExecMask.M1, ExecMask.M5, ExecMask.M1_NM]))
    predicate = draw(st.sampled_from([None, Predicate("P1"), Predicate("P1", inverse=True)]))
    transposed = draw(st.booleans())
    execution = Execution(1 if transposed else draw(st.sampled_from([1, 2, 8, 16])), mask, predicate)
    surface = "flat" if bits == 64 else SURFACE
    addresses = draw(address_forms(bits))
    if draw(st.integers(0, 3)) == 0:
        op = draw(st.sampled_from(list(OPERATIONS.values())))
        src1 = RawOperand("VS") if op.sources >= 1 else NULL
        src2 = RawOperand("VS", 4) if op.sources == 2 else NULL
        dst = draw(st.sampled_from([NULL, DATA]))
        width = 32 if op in COMPARING_OPS else draw(st.sampled_from([32, 64]))
        return LscAtomic(execution, op, surface, addresses, dst, src1, src2, width)
    shape = DataShape(draw(st.sampled_from(list(DataSize))), draw(st.sampled_from([1, 2, 3, 4])), transposed)
    return draw(st.sampled_from([LscLoad, LscStore]))(execution, surface, addresses, shape, DATA)


@pytest.mark.slow
@pytest.mark.parametrize("bits", [32, 64])
@settings(deadline=None, max_examples=200)
@given(data=st.data())
def test_footprint_agrees_with_execute(bits: int, data: st.DataObject) -> None:
    platform = data.draw(st.sampled_from([Platform.DG2, Platform.PVC, Platform.Xe2]))
    instruction = data.draw(messages(bits))
    kind = flat_states if bits == 64 else states
    state = data.draw(kind(platform, {"VA": 128, "VD": data.draw(st.sampled_from([512, 128, 50])), "VS": 68}, "VA"))
    assert_agreement(instruction, state)
