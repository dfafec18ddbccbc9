"""Names of surfaces and buffers that a run of kernels has, and where a buffer lies unless something else is said."""

from zlib import crc32

PRIVATE = "private memory"
PRIVATE_SIZE = 1 << 40
PRIVATE_AT = 0xFFF << 48
MOST_MOVED = 1 << 44


def base_at(buffer: str) -> int:
    """Where a buffer lies if nothing else is said: so far from the next that no 32-bit index reaches that."""
    _, _, index = buffer.rpartition(" ")
    if index.isdigit():
        return (int(index) + 1) << 48
    return PRIVATE_AT if buffer == PRIVATE else (0x1000 + crc32(buffer.encode()) % 0xE000) << 48


def itself(surface: str) -> str:
    """The surface of which this name means what it holds behind a barrier or a message."""
    return surface.partition(" after ")[0]
