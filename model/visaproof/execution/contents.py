"""Contents of buffers by their names, as `visaproof run --buffer` takes them."""

import random
import struct

SMALL = 16
"""Small numbers are below it: they serve as indices, and some of them are alike."""


def counting_numbers(count: int) -> bytes:
    """The unsigned 32-bit numbers from 0 on: as indices no two are alike."""
    return struct.pack(f"<{count}I", *range(count))


def small_numbers(count: int, seed: int) -> bytes:
    """So many unsigned 32-bit numbers below SMALL."""
    generator = random.Random(seed)
    return struct.pack(f"<{count}I", *(generator.randrange(SMALL) for _ in range(count)))
