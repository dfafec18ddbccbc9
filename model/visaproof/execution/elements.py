"""Places in buffers and what they hold as the kernel's source has them: `out[2]` is -0.5."""

import struct

from msgspec import Struct

from visaproof.launch.overlap import SCALARS, ArgumentInfo

DWORD = 4
SHORT_VECTOR = 4
"""Up to so many components are called x, y, z and w."""
PLAIN = 1_000_000
"""Whole numbers from here on are shown in hexadecimal, too."""
_FLOATS = {"half": "e", "float": "f", "double": "d"}
_DIGITS = {"half": 5, "float": 9, "double": 17}
"""With so many digits no two numbers look alike."""


class Element(Struct, frozen=True):
    """A scalar of a buffer, or a dword where it is not known what the buffer has."""

    place: str
    """`out[2]`, `out[2].y`, or `the dword at byte 0x8 of out`."""
    first: int
    """The byte at which it begins."""
    size: int
    scalar: str = ""
    """Its type in OpenCL C; empty of a dword."""

    def value(self, content: bytes) -> str:
        """These bytes in its type; whole numbers in decimal, and large ones in hexadecimal, too."""
        number = int.from_bytes(content, "little")
        if self.scalar in _FLOATS and len(content) == self.size:
            return float_text(content, self.scalar)
        if not self.scalar:
            return f"{number:#0{2 + 2 * self.size}x}"
        signed = self.scalar in _SIGNED and number >> 8 * self.size - 1
        shown = f"{number - (1 << 8 * self.size) if signed else number}"
        return shown if abs(int(shown)) < PLAIN else f"{shown} ({number:#x})"


_SIGNED = ("char", "short", "int", "long", "ptrdiff_t", "intptr_t")


def element_at(info: ArgumentInfo, name: str, address: int) -> Element:
    """The element of an argument's buffer that a byte belongs to."""
    if info.pointee is not None:
        scalar, count = info.pointee
        size = SCALARS[scalar]
        each = 4 if count == 3 else count  # OpenCL C 6.1.5
        index, component = divmod(address // size, each)
        if component < count:
            part = "" if count == 1 else f".{'xyzw'[component]}" if count <= SHORT_VECTOR else f".s{component:x}"
            return Element(f"{name}[{index}]{part}", address - address % size, size, scalar)
    first = address - address % DWORD
    return Element(f"the dword at byte {first:#x} of {name}", first, DWORD)


def float_text(content: bytes, scalar: str) -> str:
    """A float with as few digits as tell it from all others of its type."""
    code = f"<{_FLOATS[scalar]}"
    (number,) = struct.unpack(code, content)
    if number != number:
        return f"NaN ({int.from_bytes(content, 'little'):#x})"
    shown = (f"{number:.{digits}g}" for digits in range(1, _DIGITS[scalar] + 1))
    text = next((text for text in shown if _packed(code, float(text)) == content), f"{number}")
    return repr(float(text)).removesuffix(".0")


def _packed(code: str, number: float) -> bytes:
    try:
        return struct.pack(code, number)
    except OverflowError:  # rounded up behind the largest one
        return b""
