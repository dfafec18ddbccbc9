"""QW_SCATTER: examples worked by hand from the page, on both writings at once."""

import pytest

from tests.two_writings import after_both, dwords, is_undefined
from visaproof.instructions import QwScatter
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import Execution, Predicate, RawOperand
from visaproof.isa.platform import SUPPORTED, Platform
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer

SURFACE = "T6"


def qw_scatter(size: int = 8, mask: ExecMask = ExecMask.M1, predicate: Predicate | None = None) -> QwScatter:
    return QwScatter(Execution(size, mask, predicate), SURFACE, RawOperand("VO"), RawOperand("VQ"))


def thread(lane_offsets: list[int], lanes: int, size: int = 4096) -> ConcreteState:
    """Qword i of src has the bytes 0x10·i, 0x10·i + 1, …, 0x10·i + 7."""
    state = ConcreteState(Platform.DG2, exec_mask=lanes, surfaces={SURFACE: Buffer(size)})
    data = bytearray(0x10 * (k // 8) + k % 8 for k in range(128))
    state.registers = {"VO": dwords(*lane_offsets), "VQ": data}
    return state


def memory(state: ConcreteState) -> dict[int, int]:
    return state.buffer(SURFACE).contents


def test_a_lane_writes_its_qword_at_its_byte_offset_low_byte_first() -> None:
    """Lane 3 at byte 24 (not at qword 24 = byte 192): its bytes 0x30..0x37 (D23)."""
    after = after_both(qw_scatter(), thread([0, 0, 0, 24, 0, 0, 0, 0], lanes=0b1000))
    assert memory(after) == {24 + k: 0x30 + k for k in range(8)}


def test_a_qword_half_outside_loses_that_half() -> None:
    """12 bytes: of the qword at 8, bytes 8..11 are inside and 12..15 are dropped (D25)."""
    after = after_both(qw_scatter(), thread([0, 8, 0, 0, 0, 0, 0, 0], lanes=0b10, size=12))
    assert memory(after) == {8: 0x10, 9: 0x11, 10: 0x12, 11: 0x13}


def test_a_qword_whose_low_half_is_partly_outside_vanishes() -> None:
    """11 bytes: the dword at 8 needs bytes up to 11."""
    before = thread([8] * 8, lanes=0b10, size=11)
    assert after_both(qw_scatter(), before) == before


def test_the_last_qword_below_4_gib_is_written() -> None:
    """Bytes 2^32 - 8 .. 2^32 - 1."""
    after = after_both(qw_scatter(1), thread([2**32 - 8], lanes=1, size=2**32))
    assert memory(after) == {2**32 - 8 + k: k for k in range(8)}


def test_a_lane_off_a_multiple_of_8_is_undefined() -> None:
    """12 is a multiple of 4 and not of 8 (D26)."""
    assert is_undefined(qw_scatter(), thread([12] + [0] * 7, lanes=1))
    assert not is_undefined(qw_scatter(), thread([12] + [0] * 7, lanes=2))


def test_lanes_on_one_qword_are_undefined_unless_it_is_dropped() -> None:
    before = thread([64, 64] + [0] * 6, lanes=0b11)
    before.registers["VQ"] = bytearray(128)
    assert is_undefined(qw_scatter(), before), "even with equal data"
    assert not is_undefined(qw_scatter(), thread([64, 64] + [0] * 6, lanes=0b11, size=64))
    assert is_undefined(qw_scatter(), thread([64, 64] + [0] * 6, lanes=0b11, size=68)), "one half is inside"


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_every_lane_writes_its_own_qword(size: int) -> None:
    """Lane i at byte 32·i."""
    after = after_both(qw_scatter(size), thread([32 * i for i in range(size)], lanes=2**32 - 1))
    assert memory(after) == {32 * i + k: (0x10 * i + k) % 256 for i in range(size) for k in range(8)}


def test_a_lane_of_m4_is_enabled_by_bit_12_on() -> None:
    """M4 with 4 lanes covers lanes 12..15: bit 14 is lane 2."""
    before = thread([0, 8, 16, 24], lanes=1 << 14)
    assert memory(after_both(qw_scatter(4, ExecMask.M4), before)) == {16 + k: 0x20 + k for k in range(8)}


def test_nomask_still_obeys_the_predicate() -> None:
    """M2_NM with 2 lanes reads predicate bits 4 and 5: bit 5 alone is lane 1."""
    before = thread([0, 8], lanes=0)
    before.predicates["P1"] = PredicateBits(8, 1 << 5)
    after = after_both(qw_scatter(2, ExecMask.M2_NM, Predicate("P1")), before)
    assert memory(after) == {8 + k: 0x10 + k for k in range(8)}


def test_a_qword_beyond_src_is_undefined_only_for_its_lane() -> None:
    """60 bytes of src are seven qwords and a half: lane 7 reads beyond (D6)."""
    for lanes, beyond in ((0x7F, False), (0xFF, True)):
        before = thread([8 * i for i in range(8)], lanes)
        del before.registers["VQ"][60:]
        assert is_undefined(qw_scatter(), before) is beyond


# ---------------------------------------------------------------- what the page allows


@pytest.mark.parametrize("platform", SUPPORTED)
def test_it_exists_from_xehp_on(platform: Platform) -> None:
    """IGC's verifier rejects it before (D46)."""
    if platform in (Platform.XeHP_SDV, Platform.DG2, Platform.PVC):
        for size in (1, 2, 4, 8, 16):
            qw_scatter(size).validate(platform)
    else:
        with pytest.raises(
            IllegalInstruction, match=rf"QW_SCATTER exists from XeHP_SDV on, not on {platform.name} \(D46\)"
        ):
            qw_scatter().validate(platform)


def test_32_lanes_are_illegal() -> None:
    with pytest.raises(IllegalInstruction, match="execution size 32 is not one of 1, 2, 4, 8, 16"):
        qw_scatter(32).validate(Platform.DG2)


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("mask", ExecMask)
def test_the_lane_offset_is_a_multiple_of_the_size(size: int, mask: ExecMask) -> None:
    """1, 2 and 4 lanes fit everywhere; 8 at M1, M3, M5, M7; 16 at M1, M5 (D1)."""
    number = int(mask.name[1])
    fits = {8: number % 2 == 1, 16: number in (1, 5)}.get(size, True)
    if fits:
        qw_scatter(size, mask).validate(Platform.DG2)
    else:
        with pytest.raises(IllegalInstruction, match=f"mask {mask.name} does not fit {size} lanes"):
            qw_scatter(size, mask).validate(Platform.DG2)


@pytest.mark.parametrize("blocks", [0, 2, 4, 8])
def test_only_one_block_is_legal(blocks: int) -> None:
    instruction = QwScatter(Execution(8), SURFACE, RawOperand("VO"), RawOperand("VQ"), blocks)
    with pytest.raises(IllegalInstruction, match=rf"{blocks} blocks: the page has only one \(QW_SCATTER.md, D22\)"):
        instruction.validate(Platform.DG2)


def test_it_reads_as_the_grammar_spells_it() -> None:
    assert str(qw_scatter(16, predicate=Predicate("P1", inverse=True))) == "(!P1) qw_scatter.1 (M1, 16) T6 VO.0 VQ.0"
