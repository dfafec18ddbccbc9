"""Contents of buffers by their names, as `visaproof run --buffer` takes them."""

import random
import struct
from collections.abc import Mapping
from functools import lru_cache

SMALL = 16
"""Small numbers are below it: they serve as indices, and some of them are alike."""
KEPT = 8
"""Buffers whose contents are kept: searches try the same launch with many arguments."""


def counting_numbers(count: int) -> bytes:
    """The unsigned 32-bit numbers from 0 on: as indices no two are alike."""
    return struct.pack(f"<{count}I", *range(count))


@lru_cache(KEPT)
def small_numbers(count: int, seed: int) -> bytes:
    """So many unsigned 32-bit numbers below SMALL."""
    generator = random.Random(seed)
    return struct.pack(f"<{count}I", *(generator.randrange(SMALL) for _ in range(count)))


def zeros_but_for(size: int, held: Mapping[int, int]) -> bytes:
    """So many bytes, of which those at these offsets are given; the others are 0."""
    content = bytearray(size)
    for offset, byte in held.items():
        if offset < size:
            content[offset] = byte
    return bytes(content)


def held_text(held: Mapping[int, int]) -> str:
    """Bytes that are not 0 as `read_held` takes them: those that follow each other in one piece."""
    pieces: dict[int, list[int]] = {}
    start = end = -1
    for offset, byte in sorted(held.items()):
        if offset != end:
            start = offset
        pieces.setdefault(start, []).append(byte)
        end = offset + 1
    return ",".join(f"{offset:#x}={bytes(piece).hex()}" for offset, piece in pieces.items())


def read_held(text: str) -> dict[int, int]:
    """`0x10=2d00,0x20=ff`: pairs of an offset and bytes in hexadecimal digits.  Raises ValueError."""
    found: dict[int, int] = {}
    for word in text.split(","):
        offset, _, digits = word.partition("=")
        first = int(offset, 0)
        if first < 0 or not digits:
            raise ValueError(text)
        found |= {first + place: byte for place, byte in enumerate(bytes.fromhex(digits))}
    return found
