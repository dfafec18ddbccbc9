"""Places in buffers and their contents, as OpenCL C has them."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.execution.elements import element_at, float_text
from visaproof.launch.overlap import ArgumentInfo

DWORD = "the dword at byte {} of o"


@pytest.mark.parametrize(
    ("type_name", "address", "place", "first", "size"),
    [
        ("float*", 5, "o[1]", 4, 4),
        ("uchar*", 5, "o[5]", 5, 1),
        ("double*", 5, "o[0]", 0, 8),
        ("float4*", 20, "o[1].y", 20, 4),
        ("ushort8*", 26, "o[1].s5", 26, 2),
        ("int3*", 24, "o[1].z", 24, 4),
        ("int3*", 28, DWORD.format("0x1c"), 28, 4),  # between two vectors of three
        ("struct pair*", 5, DWORD.format("0x4"), 4, 4),
        ("", 5, DWORD.format("0x4"), 4, 4),
    ],
)
def test_a_byte_is_named_by_its_element(type_name: str, address: int, place: str, first: int, size: int) -> None:
    found = element_at(ArgumentInfo(type_name=type_name), "o", address)
    assert (found.place, found.first, found.size) == (place, first, size)


@pytest.mark.parametrize(
    ("type_name", "content", "shown"),
    [
        ("int*", struct.pack("<i", -5), "-5"),
        ("uint*", struct.pack("<I", 2**32 - 5), "4294967291 (0xfffffffb)"),
        ("char*", b"\xff", "-1"),
        ("float*", struct.pack("<f", 0.1), "0.1"),
        ("half*", struct.pack("<e", 65504), "65500"),
        ("float*", bytes.fromhex("0000c07f"), "NaN (0x7fc00000)"),
        ("", bytes.fromhex("01020304"), "0x04030201"),
    ],
)
def test_what_an_element_holds_is_shown_in_its_type(type_name: str, content: bytes, shown: str) -> None:
    assert element_at(ArgumentInfo(type_name=type_name), "o", 0).value(content) == shown


@given(st.integers(0, 2**32 - 1).map(lambda bits: bits.to_bytes(4, "little")))
def test_no_two_floats_look_alike(content: bytes) -> None:
    (number,) = struct.unpack("<f", content)
    text = float_text(content, "float")
    if math.isnan(number):
        assert f"{int.from_bytes(content, 'little'):#x}" in text
    else:
        assert struct.pack("<f", float(text)) == content
