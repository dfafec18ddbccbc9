"""SCATTER4_SCALED: examples worked by hand from the page, on both writings at once."""

import pytest

from tests.two_writings import after_both, dwords, is_undefined
from visaproof.instructions import Scatter4Scaled
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.operands import Channels, Execution, ImmediateUD, Predicate, RawOperand, ScalarUD
from visaproof.isa.platform import SUPPORTED, Platform
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer

R, G, B, A = 1, 2, 4, 8
SURFACE = "T6"


def scatter4(channels: int, offset: int = 0, execution: Execution | None = None) -> Scatter4Scaled:
    where = (SURFACE, ImmediateUD(offset), RawOperand("VO"), RawOperand("VS"))
    return Scatter4Scaled(execution or Execution(8), Channels(channels), *where)


def thread(lane_offsets: list[int], lanes: int, size: int = 4096, platform: Platform = Platform.TGLLP) -> ConcreteState:
    """Dword k of src holds 0x100 + k."""
    state = ConcreteState(platform, exec_mask=lanes, surfaces={SURFACE: Buffer(size)})
    state.registers = {"VO": dwords(*lane_offsets), "VS": dwords(*(0x100 + k for k in range(64)))}
    return state


def memory(state: ConcreteState) -> dict[int, int]:
    """The dwords that are not 0."""
    buffer = state.buffer(SURFACE)
    starts = {address // 4 * 4 for address, byte in buffer.contents.items() if byte}
    return {start: sum(buffer.contents.get(start + k, 0) << 8 * k for k in range(4)) for start in sorted(starts)}


def test_ra_takes_a_from_the_second_slot_and_writes_it_at_plus_12() -> None:
    """Lane 1, byte 64 + 16 = 80: R at 80 from dword 0·8 + 1, A at 80 + 4·3 = 92 from dword 1·8 + 1."""
    after = after_both(scatter4(R | A, offset=64), thread([0, 16, 0, 0, 0, 0, 0, 0], lanes=0b10))
    assert memory(after) == {80: 0x101, 92: 0x109}


def test_a_alone_writes_at_plus_12_from_the_first_slot() -> None:
    after = after_both(scatter4(A), thread([0] * 8, lanes=1))
    assert memory(after) == {12: 0x100}


def test_rgba_writes_four_dwords_in_a_row() -> None:
    """Lane 2: slots start at dwords 0, 8, 16 and 24, so its data are dwords 2, 10, 18 and 26."""
    after = after_both(scatter4(R | G | B | A), thread([0, 0, 32, 0, 0, 0, 0, 0], lanes=0b100))
    assert memory(after) == {32: 0x102, 36: 0x10A, 40: 0x112, 44: 0x11A}


def test_eight_lanes_skip_the_upper_half_of_a_64_byte_register() -> None:
    """ch_start = ch_pos · max(8, 64/4) = 16: G of lane 7 is dword 16 + 7 = 23, and dwords 8..15 are never read."""
    before = thread([16 * lane for lane in range(8)], lanes=0xFF, platform=Platform.PVC)
    after = after_both(scatter4(R | G), before)
    assert memory(after) == {16 * i + 4 * c: 0x100 + 16 * c + i for i in range(8) for c in range(2)}
    before.registers["VS"][32:64] = bytes(range(32))
    assert after_both(scatter4(R | G), before).surfaces == after.surfaces


def test_sixteen_lanes_have_slots_of_sixteen_dwords_on_every_platform() -> None:
    """max(16, 8) = max(16, 16) = 16: G of lane 3 is dword 19."""
    for platform in (Platform.TGLLP, Platform.PVC):
        before = thread([0] * 16, lanes=0b1000, platform=platform)
        assert memory(after_both(scatter4(G, execution=Execution(16)), before)) == {4: 0x103}
        assert memory(after_both(scatter4(R | G, execution=Execution(16)), before)) == {0: 0x103, 4: 0x113}


def test_the_offset_sum_wraps_at_32_bits() -> None:
    """0xFFFF_FFF0 + 0x18 = 2^32 + 8, so byte 8 (D10)."""
    after = after_both(scatter4(R, offset=0xFFFF_FFF0), thread([0x18] + [0] * 7, lanes=1))
    assert memory(after) == {8: 0x100}


def test_the_channel_address_does_not_wrap() -> None:
    """R at 2^32 - 8, G at 2^32 - 4; B at 2^32 and A at 2^32 + 4 lie outside 4 GiB, not at 0 and 4 (D10b)."""
    after = after_both(scatter4(R | G | B | A), thread([2**32 - 8] + [0] * 7, lanes=1, size=2**32))
    assert memory(after) == {2**32 - 8: 0x100, 2**32 - 4: 0x108}


def test_each_dword_of_a_group_is_dropped_on_its_own() -> None:
    """Of a surface of 44 bytes, RGBA at 36 reaches 36 and 40; 44 and 48 are outside (D11)."""
    after = after_both(scatter4(R | G | B | A), thread([36] + [0] * 7, lanes=1, size=44))
    assert memory(after) == {36: 0x100, 40: 0x108}


def test_a_partial_dword_at_the_end_is_outside() -> None:
    """A surface of 6 bytes holds the dword at 0; the one at 4 would need bytes up to 7."""
    assert memory(after_both(scatter4(R | G), thread([0] * 8, lanes=1, size=6))) == {0: 0x100}


def test_a_misaligned_enabled_lane_is_undefined() -> None:
    """1 + 1 = 2 is no multiple of 4, 2 + 2 is; a disabled lane has no address (D13)."""
    assert is_undefined(scatter4(R, offset=1), thread([1] + [0] * 7, lanes=1))
    assert not is_undefined(scatter4(R, offset=2), thread([2] + [0] * 7, lanes=1))
    assert not is_undefined(scatter4(R), thread([1] + [0] * 7, lanes=0b10))
    assert is_undefined(scatter4(R), thread([4097] + [0] * 7, lanes=1)), "outside is no excuse"


def test_lanes_on_one_dword_are_undefined_even_with_equal_data() -> None:
    """Page: "undefined if more than one channel writes to the same address", whatever they write (D14)."""
    before = thread([64] * 8, lanes=0b11)
    before.registers["VS"] = bytearray(b"\x05" * 256)
    assert is_undefined(scatter4(R), before)


def test_groups_that_overlap_in_one_dword_are_undefined() -> None:
    """RGBA at 0 covers 0, 4, 8, 12; R at 12 of lane 1 meets A of lane 0, R at 16 does not."""
    assert is_undefined(scatter4(R | G | B | A), thread([0, 12] + [0] * 6, lanes=0b11))
    assert not is_undefined(scatter4(R | G | B | A), thread([0, 16] + [0] * 6, lanes=0b11))


def test_channels_that_are_not_written_do_not_collide() -> None:
    """.RA covers 0 and 12: a second lane at 4 covers 4 and 16."""
    assert memory(after_both(scatter4(R | A), thread([0, 4] + [0] * 6, lanes=0b11))) == {
        0: 0x100, 4: 0x101, 12: 0x108, 16: 0x109
    }  # fmt: skip


def test_dropped_writes_do_not_collide() -> None:
    """Both lanes at 64 in a surface of 64 bytes: nothing is written, and nothing is undefined."""
    before = thread([64] * 8, lanes=0xFF, size=64)
    assert after_both(scatter4(R), before) == before


def test_groups_that_meet_only_outside_are_defined() -> None:
    """RGBA at 56 and at 64 of 64 bytes meet at 64 and 68, where both are dropped."""
    after = after_both(scatter4(R | G | B | A), thread([56, 64] + [0] * 6, lanes=0b11, size=64))
    assert memory(after) == {56: 0x100, 60: 0x108}


def test_m3_takes_lanes_8_to_15_of_the_execution_mask() -> None:
    """M3 starts at lane 4·2 = 8: bit 9 enables lane 1, bit 1 does not."""
    m3 = Execution(8, ExecMask.M3)
    offsets = [16 * lane for lane in range(8)]
    assert memory(after_both(scatter4(R, execution=m3), thread(offsets, lanes=1 << 9))) == {16: 0x101}
    assert memory(after_both(scatter4(R, execution=m3), thread(offsets, lanes=0xFF))) == {}


def predicated(bits: int, predicate: Predicate, mask: ExecMask, lanes: int = 0xFFFF_FFFF) -> set[int]:
    """The lanes that write, of eight, under these 32 predicate bits."""
    before = thread([16 * lane for lane in range(8)], lanes=lanes)
    before.predicates["P1"] = PredicateBits(32, bits)
    after = after_both(scatter4(R, execution=Execution(8, mask, predicate)), before)
    return {address // 16 for address in memory(after)}


def test_nomask_ignores_the_execution_mask_but_not_the_predicate() -> None:
    plain = Predicate("P1")
    assert predicated(0b101, plain, ExecMask.M1_NM, lanes=0) == {0, 2}
    assert predicated(0b101, plain, ExecMask.M1, lanes=0) == set()
    assert predicated(0b101, plain, ExecMask.M1, lanes=0b110) == {2}


def test_the_predicate_bits_start_at_the_mask_offset() -> None:
    """M4_NM would start at 12, M3_NM starts at 8: bits 8..15 of 0x4100 are 0x41, lanes 0 and 6."""
    assert predicated(0x4100, Predicate("P1"), ExecMask.M3_NM) == {0, 6}
    assert predicated(0x4100, Predicate("P1", inverse=True), ExecMask.M3_NM) == {1, 2, 3, 4, 5, 7}


@pytest.mark.parametrize(
    ("bits", "combine", "inverse", "writing"),
    [
        (0x0000, Combine.ANY, False, False),
        (0x0200, Combine.ANY, False, True),
        (0x00FF, Combine.ANY, False, False),  # outside the window 8..15 (D4)
        (0xFF00, Combine.ALL, False, True),
        (0xFE00, Combine.ALL, False, False),
        (0x0000, Combine.ANY, True, True),  # combine first, then invert: not any
        (0x0200, Combine.ANY, True, False),  # any(not P) would hold
        (0xFE00, Combine.ALL, True, True),
        (0xFF00, Combine.ALL, True, False),
    ],
)
def test_any_and_all_combine_the_window_before_inverting(
    bits: int, combine: Combine, inverse: bool, writing: bool
) -> None:
    """All eight lanes write, or none does."""
    lanes = predicated(bits, Predicate("P1", inverse, combine), ExecMask.M3_NM)
    assert lanes == (set(range(8)) if writing else set())


def test_a_predicate_without_bits_for_the_lanes_is_undefined() -> None:
    """M3 with 8 lanes reads bits 8..15: sixteen bits are enough, fifteen are not (D3)."""
    for count, short in ((16, False), (15, True)):
        before = thread([16 * lane for lane in range(8)], lanes=0xFFFF_FFFF)
        before.predicates["P1"] = PredicateBits(count, 0)
        execution = Execution(8, ExecMask.M3, Predicate("P1"))
        assert is_undefined(scatter4(R, execution=execution), before) is short


def test_data_beyond_src_is_undefined_only_for_enabled_lanes() -> None:
    """RG needs dwords 0..7 and 8..15 of src; with 12, lanes 4..7 of G lie beyond it (D6)."""
    for lanes, beyond in ((0x0F, False), (0x1F, True)):
        before = thread([16 * lane for lane in range(8)], lanes=lanes)
        before.registers["VS"] = dwords(*range(12))
        assert is_undefined(scatter4(R | G), before) is beyond


def test_operands_start_at_their_byte_offsets() -> None:
    """VS.32 starts at dword 8; VG(0,1) is the dword at byte 4."""
    before = thread([0] * 8, lanes=1)
    before.registers["VG"] = dwords(0, 48)
    where = (SURFACE, ScalarUD("VG", 4), RawOperand("VO", 4), RawOperand("VS", 32))
    before.registers["VO"] = dwords(99, 16, *[0] * 7)
    after = after_both(Scatter4Scaled(Execution(8), Channels(R), *where), before)
    assert memory(after) == {64: 0x108}  # 48 + 16


# ---------------------------------------------------------------- what the page allows


@pytest.mark.parametrize("platform", SUPPORTED)
@pytest.mark.parametrize("size", [8, 16])
def test_every_supported_platform_has_it_with_8_and_16_lanes(platform: Platform, size: int) -> None:
    for channels in range(1, 16):
        scatter4(channels, execution=Execution(size, ExecMask.M5_NM)).validate(platform)


@pytest.mark.parametrize("size", [1, 2, 4, 32])
def test_other_sizes_are_illegal(size: int) -> None:
    with pytest.raises(IllegalInstruction, match=rf"execution size {size} is not one of 8, 16 \(SCATTER4_SCALED.md\)"):
        scatter4(R, execution=Execution(size)).validate(Platform.TGLLP)


@pytest.mark.parametrize("size", [8, 16])
@pytest.mark.parametrize("mask", ExecMask)
def test_the_lane_offset_is_a_multiple_of_the_size(size: int, mask: ExecMask) -> None:
    """8 lanes: M1, M3, M5, M7; 16 lanes: M1 and M5; each also NoMask (D1)."""
    instruction = scatter4(R, execution=Execution(size, mask))
    if mask.name.removesuffix("_NM") in {8: ("M1", "M3", "M5", "M7"), 16: ("M1", "M5")}[size]:
        instruction.validate(Platform.TGLLP)
    else:
        with pytest.raises(IllegalInstruction, match=rf"mask {mask.name} does not fit {size} lanes \(D1, D2\)"):
            instruction.validate(Platform.TGLLP)


@pytest.mark.parametrize("channels", [0, 16])
def test_a_channel_set_without_a_channel_is_illegal(channels: int) -> None:
    with pytest.raises(IllegalInstruction, match="at least one of the channels R, G, B, A must be enabled"):
        scatter4(channels).validate(Platform.TGLLP)


def test_it_reads_as_the_grammar_spells_it() -> None:
    execution = Execution(8, ExecMask.M3_NM, Predicate("P1", inverse=True, combine=Combine.ANY))
    assert str(scatter4(R | A, 16, execution)) == "(!P1.any) scatter4_scaled.RA (M3_NM, 8) T6 0x10:ud VO.0 VS.0"
