"""Channels of 8 and 16 bits: what a message reads of them, and what it leaves."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.decode.texel_formats import FORMATS, ChannelFormat, ChannelKind
from visaproof.isa.errors import NotModelled


def single(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


UNORM8, UNORM16 = ChannelFormat(ChannelKind.UNORM, 8), ChannelFormat(ChannelKind.UNORM, 16)
SINT8, UINT16 = ChannelFormat(ChannelKind.SINT, 8), ChannelFormat(ChannelKind.UINT, 16)
HALF = ChannelFormat(ChannelKind.FLOAT, 16)


@pytest.mark.parametrize(
    ("layout", "stored", "read"),
    [
        (UNORM8, 255, single(1.0)),
        (UNORM8, 51, single(0.2)),
        (UNORM16, 0, 0),
        (SINT8, 0x80, 0xFFFF_FF80),
        (SINT8, 0x7F, 0x7F),
        (UINT16, 0xFFFF, 0xFFFF),
        (HALF, 0x3E00, single(1.5)),
        (HALF, 0x0001, single(2.0**-24)),
        (HALF, 0xFC00, single(float("-inf"))),
    ],
)
def test_channels_are_brought_to_32_bits(layout: ChannelFormat, stored: int, read: int) -> None:
    assert layout.decode(stored) == read


@pytest.mark.parametrize(
    ("layout", "written", "stored"),
    [
        (UNORM8, single(0.5), 128),  # 127.5, to even
        (UNORM8, single(2.5 / 255), 2),
        (UNORM8, single(-3.0), 0),
        (UNORM8, single(7.0), 255),
        (UNORM8, 0x7FC0_0000, 0),  # NaN
        (UNORM8, single(float("inf")), 255),
        (UNORM16, single(1 / 3), 21845),
        (SINT8, 200, 127),
        (SINT8, 0x8000_0000, 0x80),
        (SINT8, 0xFFFF_FFFF, 0xFF),
        (UINT16, 0xFFFF_FFFF, 0xFFFF),
        (HALF, single(1.5), 0x3E00),
        (HALF, single(1e9), 0x7C00),
        (HALF, single(1 + 2.0**-11), 0x3C00),  # half way, to even
    ],
)
def test_what_is_written_is_converted_and_saturated(layout: ChannelFormat, written: int, stored: int) -> None:
    assert layout.encode(written) == stored


@pytest.mark.parametrize(("encoded", "bits"), [(True, 0x7FC0_0000), (False, 0x7E00)])
def test_which_nan_a_half_becomes_no_page_says(encoded: bool, bits: int) -> None:
    convert = HALF.encode if encoded else HALF.decode
    with pytest.raises(NotModelled):
        convert(bits)


@given(st.sampled_from(sorted(FORMATS)), st.data())
def test_what_is_read_is_written_back_as_it_was(name: str, data: st.DataObject) -> None:
    _, layout = FORMATS[name]
    stored = data.draw(st.integers(0, (1 << layout.bits) - 1))
    if layout.kind is ChannelKind.FLOAT and stored & 0x7C00 == 0x7C00 and stored & 0x3FF:
        return
    assert layout.encode(layout.decode(stored)) == stored


def test_the_usual_formats_have_names() -> None:
    wanted = {"r8", "rg8", "rgba8", "r8ui", "rgba8i", "rgba16", "rg16f", "rgba16ui", "r16i", "r32", "rg32", "rgba32"}
    assert wanted <= set(FORMATS)
