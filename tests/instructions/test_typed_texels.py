"""GATHER4_TYPED and SCATTER4_TYPED: examples worked by hand from their pages, and both writings on drawn states."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.two_writings import after_both, difference, dwords, is_undefined, outcome_of_both
from visaproof.checking.symbolise import symbolised
from visaproof.instructions.family import Gather4Typed, Scatter4Typed
from visaproof.instructions.undefined_bytes import undefined_bytes_of
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import NULL, Channels, Execution, Predicate, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.surfaces import SurfaceKind
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Image

SURFACE = "T6"
KEPT = 0xEEEE_EEEE
U, V, R, LOD, DATA = (RawOperand(name) for name in ("VU", "VV", "VR", "VL", "VD"))


def dword(state: ConcreteState, index: int) -> int:
    return int.from_bytes(state.registers["VD"][4 * index : 4 * index + 4], "little")


def gather(channels: int, execution: Execution | None = None, floats: bool = False) -> Gather4Typed:
    return Gather4Typed(execution or Execution(8), Channels(channels), SURFACE, U, V, NULL, NULL, DATA, floats)


def scatter(channels: int, execution: Execution | None = None) -> Scatter4Typed:
    return Scatter4Typed(execution or Execution(8), Channels(channels), SURFACE, U, V, NULL, NULL, DATA)


def plane(texels: dict[tuple[int, int, int, int], int], exec_mask: int = 0xFF) -> ConcreteState:
    """A 4×4 image, lanes at u = 0…7 and v = 0, and data 100, 101, …"""
    state = ConcreteState(Platform.TGLLP, exec_mask=exec_mask)
    state.registers = {"VU": dwords(*range(8)), "VV": dwords(*[0] * 8), "VD": dwords(*range(100, 132))}
    state.surfaces[SURFACE] = Image(((4, 4, 1),), texels, SurfaceKind.PLANE)
    return state


def image(state: ConcreteState) -> Image:
    return state.image(SURFACE)


def test_each_channel_of_a_read_has_a_register_of_its_own() -> None:
    """G and A of the texel of lane 1, whose channels are 10, 20, 30, 40; R and B take no register."""
    texel = 10 | 20 << 32 | 30 << 64 | 40 << 96
    after = after_both(gather(0b1010), plane({(1, 0, 0, 0): texel}, exec_mask=0b10))
    assert [dword(after, index) for index in range(24)] == [100, 20, *range(102, 108), 108, 40, *range(110, 124)]


@pytest.mark.parametrize(("floats", "one"), [(False, 1), (True, 0x3F80_0000)])
def test_outside_alpha_reads_as_one_and_the_other_channels_as_zero(floats: bool, one: int) -> None:
    """Page: "ones are returned in the alpha channel, zeros in the other channels"; lane 4 is outside, lane 3 inside."""
    after = after_both(gather(0b1111, floats=floats), plane({(3, 0, 0, 0): 9 << 96}, exec_mask=0b11000))
    assert [dword(after, 8 * slot + 3) for slot in range(4)] == [0, 0, 0, 9]
    assert [dword(after, 8 * slot + 4) for slot in range(4)] == [0, 0, 0, one]


def test_a_write_reaches_only_its_channels() -> None:
    """RB of lane 2: R from its first register, B from its second; G stays."""
    after = after_both(scatter(0b0101), plane({(2, 0, 0, 0): 5 | 6 << 32 | 7 << 64}, exec_mask=0b100))
    assert image(after).texels == {(2, 0, 0, 0): 102 | 6 << 32 | 110 << 64}


def test_a_write_outside_is_dropped() -> None:
    """Lanes 3 and 4 of the 4 wide image."""
    after = after_both(scatter(0b0001), plane({}, exec_mask=0b11000))
    assert image(after).texels == {(3, 0, 0, 0): 103}


def test_two_lanes_on_one_texel_are_undefined_inside_only() -> None:
    """Page: "undefined if more than one channel writes to the same address"."""
    before = plane({})
    before.registers["VU"] = dwords(0, 1, 2, 1, 9, 9, 9, 9)
    assert is_undefined(scatter(0b0001), before)
    before.exec_mask = 0b1111_0111
    assert not is_undefined(scatter(0b0001), before)


def test_on_a_64_byte_register_the_rest_is_undefined_and_a_channel_takes_a_whole_one() -> None:
    before = plane({(0, 0, 0, 0): 1 | 2 << 32}, exec_mask=1)
    before.platform = Platform.PVC
    after = after_both(gather(0b0011), before)
    assert (dword(after, 0), dword(after, 16)) == (1, 2)


@pytest.mark.parametrize("wrong", [gather(0), scatter(0), gather(1, Execution(16)), scatter(1, Execution(4))])
def test_what_the_page_forbids(wrong: Gather4Typed | Scatter4Typed) -> None:
    with pytest.raises(IllegalInstruction):
        wrong.validate(Platform.TGLLP)


@pytest.mark.parametrize("surface", ["%slm", "%scratch"])
def test_untyped_surfaces_are_illegal(surface: str) -> None:
    with pytest.raises(IllegalInstruction):
        Scatter4Typed(Execution(8), Channels(1), surface, U, NULL, NULL, NULL, DATA).validate(Platform.TGLLP)


def test_sixteen_lanes_are_legal_where_a_register_has_them() -> None:
    scatter(0b1111, Execution(16)).validate(Platform.PVC)


@st.composite
def threads(draw: st.DrawFn, platform: Platform, size: int) -> ConcreteState:
    """Coordinates and levels near the edges of a small image; at times a data variable that is too short."""
    state = ConcreteState(platform, exec_mask=draw(st.sampled_from([0xFFFF, 0x5A5A]) | st.integers(0, 0xFFFF)))
    edge = st.sampled_from([0, 1, 2, 3, 4, 5, 2**32 - 1])
    for name in ("VU", "VV", "VR", "VL"):
        few = edge if name == "VU" else st.sampled_from([0, 0, 0, 1, 4])
        state.registers[name] = dwords(*draw(st.lists(few, min_size=16, max_size=16)))
    state.registers["VD"] = bytearray(draw(st.binary(min_size=256, max_size=256)))
    if draw(st.booleans()):
        del state.registers["VD"][4 * draw(st.integers(1, 2 * size)) :]
    state.predicates["P1"] = PredicateBits(32, draw(st.integers(0, 2**16 - 1)))
    place = st.tuples(*[st.integers(0, 4)] * 3, st.integers(0, 1))
    texels = draw(st.dictionaries(place, st.integers(1, 2**128 - 1), max_size=8))
    kind = draw(st.sampled_from(SurfaceKind))
    found = Image(((5, 4, 2), (2, 2, 1)), {}, kind, layers=3)
    found.texels = {texel: value for texel, value in texels.items() if found.contains(texel)}
    state.surfaces[SURFACE] = found
    return state


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(st.data(), st.sampled_from([Platform.TGLLP, Platform.PVC]), st.integers(1, 15), st.sampled_from([8, 16]))
def test_footprint_agrees_with_execute(data: st.DataObject, platform: Platform, channels: int, size: int) -> None:
    """On whole states: both are undefined, or both leave the same registers and texels."""
    mask = data.draw(st.sampled_from([ExecMask.M1, ExecMask.M1_NM]))
    execution = Execution(size, mask, data.draw(st.sampled_from([None, Predicate("P1"), Predicate("P1", True)])))
    v, r, lod = ((operand if data.draw(st.booleans()) else NULL) for operand in (V, R, LOD))
    kind = data.draw(st.sampled_from([Gather4Typed, Scatter4Typed]))
    outcome_of_both(
        kind(execution, Channels(channels), SURFACE, U, v, r, lod, DATA), data.draw(threads(platform, size))
    )


def test_a_footprint_without_register_rounding_is_caught() -> None:
    """On 64-byte registers G of lane 0 lies in byte 64, not in byte 32."""
    before = plane({(0, 0, 0, 0): 1 | 2 << 32}, exec_mask=1)
    before.platform = Platform.PVC
    state, values = symbolised(before)
    instruction = gather(0b0011)
    right = list(instruction.footprint(state))
    wrong = list(instruction.footprint(replace(state, platform=Platform.TGLLP)))
    leaves = undefined_bytes_of(instruction, state)
    assert difference(instruction, right, before, values, leaves) is None
    assert difference(instruction, wrong, before, values, leaves) is not None


def test_a_footprint_with_zero_in_alpha_outside_is_caught() -> None:
    before = plane({}, exec_mask=0b10000)
    state, values = symbolised(before)
    accesses = [replace(access, outside=0) for access in gather(0b1000).footprint(state)]
    assert difference(gather(0b1000), accesses, before, values) is not None
