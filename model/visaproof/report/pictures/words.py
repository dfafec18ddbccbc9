"""Places in memory in the kernel's words: `out[2]` rather than bytes of a surface."""

import re
import struct
from dataclasses import dataclass

_BOUND = re.compile(r"(?P<way>.*?) ?\(?argument (?P<index>\d+)(?: \((?P<name>[^()]*)\))?\)?")
MOST_OFFSET = 1 << 32
"""A larger address is one among all 64-bit ones, and no offset in a buffer."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """A surface as a record names it."""

    surface: str
    element: int
    """Bytes of what a lane accesses; 0 where that is not the same for all."""

    @property
    def name(self) -> str:
        """The argument's name, its number, or the surface."""
        found = _BOUND.fullmatch(self.surface)
        if found is None:
            return {"flat": "memory"}.get(self.surface, self.surface)
        return found["name"] or f"argument {found['index']}"

    @property
    def said(self) -> str:
        """What it is, for a caption."""
        found = _BOUND.fullmatch(self.surface)
        if found is None:
            return "memory, by 64-bit addresses" if self.surface == "flat" else self.surface
        parts = (found["name"], f"argument {found['index']}", found["way"])
        return "  ·  ".join(part for part in parts if part)

    def span(self, start: int, count: int) -> str:
        """`out[2]`, where the bytes are one element of a buffer that is known."""
        whole = self.element and count == self.element and start % self.element == 0
        if whole and start < MOST_OFFSET and _BOUND.fullmatch(self.surface):
            return f"{self.name}[{start // self.element}]"
        if count == 1:
            return f"byte {start:#x} of {self.name}"
        return f"bytes {start:#x} to {start + count - 1:#x} of {self.name}"


_FLOATS = {"hf": (2, "e"), "f": (4, "f"), "df": (8, "d")}


def value_text(value: int, width: int, data_type: object = None) -> str:
    """The bits of a value as a float where that is its type, and else in hexadecimal."""
    size, code = _FLOATS.get(str(data_type), (0, ""))
    if size != width:
        return f"{value:#0{2 + 2 * width}x}"
    (found,) = struct.unpack(f"<{code}", value.to_bytes(width, "little"))
    return f"{found:g}" if found == found else f"NaN ({value:#x})"
