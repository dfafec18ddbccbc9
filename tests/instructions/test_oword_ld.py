"""OWORD_LD: examples worked by hand from the page, on both writings at once."""

import pytest

from tests.two_writings import after_both, dwords, dwords_of, is_undefined
from visaproof.instructions import OwordLd
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.operands import ImmediateUD, RawOperand, Scalar, ScalarUD
from visaproof.isa.platform import SUPPORTED, Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer

SURFACE, SLM = "T6", "%slm"
KEPT = 0xEEEE_EEEE


def oword_ld(size: int, offset: Scalar, surface: str = SURFACE) -> OwordLd:
    return OwordLd(size, surface, offset, RawOperand("VD"))


def thread(size: int = 4096, exec_mask: int = 0xFFFF_FFFF) -> ConcreteState:
    """Dword k of the surface holds 0x100 + k; dst holds KEPT everywhere."""
    held = b"".join((0x100 + k).to_bytes(4, "little") for k in range(64))
    buffer = Buffer(size, dict(enumerate(held)))
    return ConcreteState(
        Platform.DG2, exec_mask, registers={"VD": dwords(*[KEPT] * 16)}, surfaces={SURFACE: buffer, SLM: buffer}
    )


def loaded(size: int, offset: int, state: ConcreteState) -> list[int]:
    return dwords_of(after_both(oword_ld(size, ImmediateUD(offset)), state).registers["VD"])


def test_the_offset_counts_owords() -> None:
    """Oword 3 starts at byte 48, dword 12; two owords are dwords 12..19, and the rest of dst is kept (D21)."""
    assert loaded(2, 3, thread()) == [0x10C, 0x10D, 0x10E, 0x10F, 0x110, 0x111, 0x112, 0x113, *[KEPT] * 8]


def test_the_execution_mask_does_not_matter() -> None:
    assert loaded(1, 0, thread(exec_mask=0)) == [0x100, 0x101, 0x102, 0x103, *[KEPT] * 12]


def test_dwords_outside_are_zero_one_by_one() -> None:
    """28 bytes hold dwords 0..6: of owords 1 and 2, dwords 4, 5, 6 are inside, 7 and 8..11 are not (D19)."""
    assert loaded(2, 1, thread(size=28))[:8] == [0x104, 0x105, 0x106, 0, 0, 0, 0, 0]


def test_a_partial_dword_at_the_end_is_zero() -> None:
    """27 bytes hold three bytes of dword 6."""
    assert loaded(1, 1, thread(size=27))[:4] == [0x104, 0x105, 0, 0]


def test_the_address_does_not_wrap_at_32_bits() -> None:
    """16 · 2^28 = 2^32 lies outside a surface of 4096 bytes, and is not byte 0 (D20)."""
    assert loaded(1, 2**28, thread())[:4] == [0, 0, 0, 0]
    assert loaded(1, 2**32 - 1, thread())[:4] == [0, 0, 0, 0]


def test_the_last_oword_below_4_gib_is_read_and_the_next_is_not() -> None:
    """Oword 2^28 - 1 ends at byte 2^32."""
    state = thread(size=2**32)
    state.buffer(SURFACE).contents |= {2**32 - 4: 7, 2**32: 9}
    assert loaded(2, 2**28 - 1, state)[:8] == [0, 0, 0, 7, 0, 0, 0, 0]


def test_the_offset_is_read_before_dst_is_written() -> None:
    """VD(0,0) holds 1, so oword 1 comes, into VD itself (D36)."""
    state = thread()
    state.registers["VD"] = dwords(1, *[KEPT] * 15)
    after = after_both(oword_ld(1, ScalarUD("VD")), state)
    assert dwords_of(after.registers["VD"])[:4] == [0x104, 0x105, 0x106, 0x107]


def test_memory_is_unchanged() -> None:
    before = thread()
    assert after_both(oword_ld(4, ImmediateUD(0)), before).surfaces == before.surfaces


def test_a_block_that_does_not_fit_dst_is_undefined() -> None:
    """Four owords are 64 bytes, all of VD; eight are 128 (D6)."""
    assert not is_undefined(oword_ld(4, ImmediateUD(0)), thread())
    assert is_undefined(oword_ld(8, ImmediateUD(0)), thread())
    assert is_undefined(OwordLd(4, SURFACE, ImmediateUD(0), RawOperand("VD", 4)), thread())


# ---------------------------------------------------------------- what the page allows


@pytest.mark.parametrize("platform", SUPPORTED)
@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_every_supported_platform_has_1_2_4_and_8_owords(platform: Platform, size: int) -> None:
    oword_ld(size, ImmediateUD(0)).validate(platform)


@pytest.mark.parametrize("size", [0, 3, 32])
def test_other_sizes_are_illegal(size: int) -> None:
    with pytest.raises(IllegalInstruction, match=rf"{size} owords is not one of 1, 2, 4, 8, 16 \(OWORD_LD.md\)"):
        oword_ld(size, ImmediateUD(0)).validate(Platform.DG2)


@pytest.mark.parametrize("platform", SUPPORTED)
@pytest.mark.parametrize("surface", [SURFACE, SLM])
def test_sixteen_owords_need_xehp_and_slm(platform: Platform, surface: str) -> None:
    """{XEHP+}, "only with surface T0" (D16)."""
    instruction = oword_ld(16, ImmediateUD(0), surface)
    if surface == SLM and platform in (Platform.XeHP_SDV, Platform.DG2, Platform.PVC):
        instruction.validate(platform)
    else:
        with pytest.raises(IllegalInstruction, match="16 owords need XeHP_SDV or later and surface T0"):
            instruction.validate(platform)


@pytest.mark.parametrize("platform", SUPPORTED)
def test_slm_needs_icllp(platform: Platform) -> None:
    instruction = oword_ld(1, ImmediateUD(0), SLM)
    if platform is Platform.SKL:
        with pytest.raises(IllegalInstruction, match=r"T0 \(SLM\) is allowed from ICLLP on"):
            instruction.validate(platform)
    else:
        instruction.validate(platform)


def test_it_reads_as_the_grammar_spells_it() -> None:
    instruction = OwordLd(2, SLM, ScalarUD("VO", 12), RawOperand("VS", 64))
    assert str(instruction) == "oword_ld (2) %slm VO(0,3)<0;1,0> VS.64"
